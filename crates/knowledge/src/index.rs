//! The index of a pack: which of its sections match a question (KN-10, KN-11).
//!
//! It holds the terms of each section and where the section stands, never what a reader is shown:
//! texts are read from the pack, so that an index can mis-rank and cannot lie. It lives in a cache
//! folder, never in a pack, is brought up to date file by file and can be thrown away at any time.
//!
//! Decision: what was indexed (path, size, time, digest of each file) is part of the commit that
//! indexed it, so that the two never disagree, whoever writes and whenever a process dies.

mod opened;
mod schema;
mod search;
mod state;
mod store;
pub(crate) mod terms;
pub(crate) mod texts;

pub use opened::IndexError;
pub(crate) use opened::{Opened, Purpose};
pub(crate) use schema::{Area, not_indexed_because};
pub(crate) use search::{Form, Hit, Place, Search};
pub(crate) use store::MAX_FILE_BYTES;
pub use store::{IndexReport, NotIndexed};
pub(crate) use store::{Listing, Store, View};
