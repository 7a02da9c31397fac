//! The tables of a file of runs.

use crate::sqlite::marked;
use crate::sqlite::tables::Tables;
use contexture_core::store::flows::FlowStoreError;

pub(crate) type Outcome<T> = Result<T, FlowStoreError>;

/// Marked "CTXF".
pub(crate) const TABLES: Tables =
    Tables { application_id: 0x4354_5846, steps: &STEPS, prepare: |_| Ok(()) };

/// The migration from each version to the next; the first creates the tables. The id of an entry is the
/// place of its run and its own number in one, so that the entries of a run stand together and
/// those of one step in one page, which is all that a commit of it writes. The row of a run is
/// written when it begins and ends, and its document, which may be large, only once.
const STEPS: [&str; 3] = [
    "
    create table runs (
        place integer primary key autoincrement,
        run text not null unique,
        name text not null,
        owner text not null,
        context text,
        steps integer not null,
        started integer not null,
        ended integer,
        status text,
        done integer,
        holder text,
        wish text,
        wishes integer not null default 0
    ) strict;
    create index runs_by_owner on runs (owner, place);
    create index runs_by_context on runs (context, name, place) where context is not null;
    create index runs_unfinished on runs (place) where ended is null;
    create index runs_with_wish on runs (holder) where wish is not null;
    create table documents (
        place integer primary key,
        masked integer not null,
        text text not null
    ) strict;
    create table entries (
        id integer primary key,
        kind integer not null,
        time integer not null,
        masked integer not null,
        text text not null
    ) strict;
",
    marked::TABLE,
    super::waits::TABLE,
];

/// The bits of an entry's id that are its number in its run.
const NUMBER_BITS: u32 = 32;
const NUMBER_MASK: i64 = (1 << NUMBER_BITS) - 1;
const MOST_RUNS: i64 = (1 << (63 - NUMBER_BITS)) - 1;

/// The kind of an entry for the end of a step.
pub(super) const ENDED: i64 = 1;
/// That of every other.
pub(super) const OTHER: i64 = 0;

/// Returns the id of an entry; `None` beyond 2,147 million runs or 4,294 million entries of one.
pub(super) fn id(place: i64, number: u64) -> Option<i64> {
    let number = i64::try_from(number).ok().filter(|number| *number <= NUMBER_MASK)?;
    (place <= MOST_RUNS).then_some(place << NUMBER_BITS | number)
}

/// Returns the ids before the first and of the last entry of a run.
pub(super) fn span(place: i64) -> (i64, i64) {
    let first = place.min(MOST_RUNS) << NUMBER_BITS;
    (first, first | NUMBER_MASK)
}

/// Returns the number of an entry in its run.
pub(super) fn number(id: i64) -> u64 {
    (id & NUMBER_MASK).cast_unsigned()
}
