//! The ports of stores: contexts, the journal of flows, runs, memories (HO-2).
//!
//! Decision: each port is an object-safe trait with its data and its errors, and depends on no
//! storage; a suite in `contract` checks what an implementation has to do.

pub mod contexts;
pub mod flows;
pub mod journals;
pub mod labelled;
pub mod lines;
pub mod memory;
mod reason;
pub mod runs;

pub use reason::reason;
