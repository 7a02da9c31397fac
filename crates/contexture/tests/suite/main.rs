//! Programs, packs, templates, turns and flows as a caller of the library meets them: one binary, because
//! each one links the whole of the library.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed"
)]
#![allow(unreachable_pub, reason = "rooms of one test")]

mod capabilities;
mod common;
#[cfg(feature = "knowledge")]
mod embedder;
mod examples;
mod flows;
mod guard_suite;
mod knowledge;
mod knowledge_doors;
mod knowledge_room;
mod language_reference;
mod organization;
mod plan;
mod plan_figures;
mod policy;
mod profiles;
mod program_references;
mod ranked;
mod reranker;
mod run;
mod runtime;
mod spend;
mod spend_random;
mod template_references;
mod templates;
mod turn;
mod workspace_policy;
