//! The resolver: which sections of which packs a task gets, under its budget (KN-9 to KN-12).

mod types;

pub use types::{
    CitationGap, Intent, Missing, PackUse, Provenance, Resolution, RunFinding, Section, SectionCut,
    Task,
};
