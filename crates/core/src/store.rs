//! The ports of what is kept: contexts, the journal of flows, runs, memories (HO-2).
//!
//! Decision: each port is an object-safe trait with its data and its errors, and takes no word from
//! any storage; a suite in [`contract`](crate::contract) says what an implementation has to do.

pub mod contexts;
pub mod flows;
pub mod lines;
pub mod memory;
mod reason;
pub mod runs;

pub use reason::reason;
