//! What Contexture keeps: runs with their traces and texts (AS-29), and what programs remember
//! (AS-26).
//!
//! Decision: each kind is a small port with an in-memory twin and one suite of tests over all
//! backends. Everything is plain files in the workspace: JSON lines for runs, so that a trace can be
//! read while it is written and with any tool, files named by digest for texts, JSON lines or
//! SQLite for memories. Time and chance come through [`stamp`], secrets go out through [`masker`].

mod lines;
pub mod masker;
pub mod memory;
pub mod runs;
pub mod stamp;
