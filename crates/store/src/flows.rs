//! Runs of flows: their events, kept before they count, so that an interrupted run can be resumed
//! (FL-11) and read back (FL-12).
//!
//! Decisions: one thread writes, and whatever waits when it is free goes into one transaction that
//! is synced, of one run or of many; an event that nobody waits for does not begin a transaction at
//! once, so that the end of a step and the start of the next are one. A run is done by one process
//! at a time: whoever does it holds it ([`Claim`]), and that it lives is known by a lock of the
//! system on a file of its own, which ends with the process however it ends. So a run whose process
//! was killed can be claimed at once, and one whose process lives can't be.
//!
//! Secrets are masked before anything is written (AS-29). What was masked does not come back: a run
//! that is resumed finds `•••` there, and [`Document::masked`] and [`Line::masked`] report it.
//! With a key ([`Options::sealer`]) sets and events are sealed, as a whole, before they are written
//! (CP-19): what is read of runs then needs the key, all but their ids, owners and states.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! use contexture_flow::action::{ActionInfo, Registry};
//! use contexture_flow::check::{Earlier, check};
//! use contexture_flow::journal::{Journal as _, Past};
//! use contexture_flow::run::{Options, Run};
//! use contexture_flow::Set;
//! use contexture_protocol::{Limits, content::Status};
//! use contexture_store::flows::{
//!     self, ClaimedRun as _, FlowJournal as _, RunHead, RunState, SqliteJournal,
//! };
//! use std::sync::Arc;
//!
//! let path = folder.path().join("flows.db");
//! let journal = SqliteJournal::open(&path, "flows.db", flows::Options::default())?;
//! let document = r#"{"instructions": [{"instructionId": "a", "action": "echo"}]}"#;
//! let claim = journal.begin(&RunHead::new("run_1", document))?;
//!
//! let mut actions = Registry::default();
//! actions.add("echo", ActionInfo::default(), |call| async move { Ok(call.parameters.into()) });
//! # let refused = |report: contexture_flow::check::Report| format!("{report:?}");
//! let set = Set::parse(document.as_bytes(), &Limits::FILE).map_err(refused)?;
//! let plan = check(set, &actions, &Earlier::default()).map_err(refused)?;
//! let past = Some(Past::of(claim.entries()?)); // nothing yet
//! let options =
//!     Options { run: "run_1".to_owned(), journal: journal.clone(), past, ..Options::default() };
//! let run = Run::new(plan, Arc::new(actions), options);
//! # let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! tokio.block_on(run.run());
//! drop(claim);
//!
//! assert_eq!(journal.entries("run_1")?.len(), 3); // STARTED, ENDED, FINISHED
//! assert_eq!(journal.summary("run_1")?.state, RunState::Ended(Status::Completed));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod contract;
#[cfg(feature = "sqlite")]
mod events;
#[cfg(feature = "sqlite")]
mod holder;
#[cfg(feature = "sqlite")]
mod holds;
mod in_memory;
#[cfg(feature = "sqlite")]
mod lost;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod read;
#[cfg(feature = "sqlite")]
mod schema;
#[cfg(feature = "sqlite")]
mod seal;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod tasks;
#[cfg(test)]
#[cfg(feature = "sqlite")]
mod tests;
#[cfg(feature = "sqlite")]
mod waits;
#[cfg(feature = "sqlite")]
mod watch;

pub use contexture_core::store::flows::*;
pub use in_memory::InMemoryJournal;
#[cfg(feature = "sqlite")]
pub use lost::{accept_loss, lost};
#[cfg(feature = "postgres")]
pub use postgres::PostgresJournal;
#[cfg(feature = "sqlite")]
pub(crate) use schema::TABLES;
#[cfg(feature = "postgres")]
pub(crate) use seal::{Part, Seal};
#[cfg(feature = "sqlite")]
pub use sqlite::{Claim, Options, SqliteJournal};
