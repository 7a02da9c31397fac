//! Maintenance: checking packs and their records, evals of selection, new packs (KN-17).
//!
//! Decision: what is wrong with a pack is a [`Finding`] with a code, a place and a way to fix it;
//! an error is only what keeps a chore from being done. So a command exits with 0 when nothing is
//! wrong, with 1 for findings that are errors, with 2 for a [`MaintenanceError`].
//!
//! The records follow the schemas that the format publishes (compile-run, source-map,
//! selection-eval, context-resolution), with two more for what Contexture writes (eval-run, usage).
//! They stand in `schemas/` of this crate.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let into = folder.path().join("knowledge");
//! use contexture_knowledge::discovery::DiscoveryOptions;
//! use contexture_knowledge::item::Profile;
//! use contexture_knowledge::maintenance::{NewPack, new, validate};
//!
//! let pack =
//!     NewPack { name: "acme-brief", profile: Profile::Hybrid, description: None, kind: None, types: &[] };
//! new(&pack, &into)?;
//! let checked = validate(&into, &DiscoveryOptions::default())?;
//! assert!(checked.ok && checked.findings.is_empty());
//! assert_eq!(checked.packs[0].name, "acme-brief");
//!
//! std::fs::write(into.join("acme-brief/compiled/more.md"), "It is blue. [source: sources/x.md]\n")?;
//! let checked = validate(&into, &DiscoveryOptions::default())?;
//! assert!(!checked.ok);
//! assert_eq!(checked.findings[0].code, "KN4007");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod eval;
mod guide;
mod layout;
mod links;
mod record;
mod records;
mod retrieval;
mod scaffold;
mod schema;
#[cfg(test)]
mod support;
mod validate;
mod view;

pub use error::MaintenanceError;
pub use eval::{Case, CaseResult, Choice, EvalRun, Evaluation, Suite, Summary, eval, eval_pack};
pub use record::{RecordCheck, RecordKind, validate_run};
pub use retrieval::{
    Figures, Missed, Question, QuestionSuite, RetrievalRun, Row, eval_retrieval, is_question_suite,
};
pub use scaffold::{NewPack, new};
pub(crate) use scaffold::{name_problem, quoted, title};
pub use validate::{Checked, Validation, read_properties, validate, validate_pack};

#[cfg(doc)]
use crate::finding::Finding;
