//! Runs that survive their process (WA-3): each has a journal, from which it is taken up again.
//!
//! Decision: a journal is the recording of a run, with all its calls and not its models' alone. Taking
//! a run up again is running its program from the beginning, where each call that stands in the journal
//! gives what it gave before and is not made. So nothing but the calls has to be kept: variables,
//! loops and turns side by side come out as they were. A call that changes something and whose outcome
//! is not in the journal is in doubt; a person says what came of it, or that it is to be made again.

#[cfg(feature = "flow")]
mod cells;
mod files;
mod head;
mod kept;
mod stored;
mod turn;
mod wish;

#[cfg(feature = "flow")]
pub(crate) use cells::{DoneCell, StoredCell, cells, forget_cells};
pub use head::Changes;
pub(crate) use kept::Kept;
pub use stored::{
    Settlement, State, StoredRun, cancel, find, forget, list, read, settle, turns, with_journal,
};
#[cfg(feature = "postgres")]
pub(crate) use stored::{ids_of_turns, place_of};
pub use turn::{Turn, TurnJournal};
pub use wish::{is_wished, take_wishes, wish};

use contexture_script::host::HostError;
/// The code of a run that does not do what its journal says it did.
pub const DIVERGED: &str = "journal_diverged";

/// The code of a call whose outcome is not known.
pub const UNCERTAIN: &str = "OUTCOME_UNCERTAIN";

/// The key under which the run itself stands in its journal.
const RUN: &str = "run";

/// The journal of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Durable {
    /// A new one.
    Begin,
    /// A new one of a cell of an eval, by the cell's key.
    Cell(String),
    /// That of a turn under a server.
    Turn(TurnJournal),
    /// That of a run that is taken up again.
    Resume {
        /// Its id.
        run: String,
        /// True if the program may have changed since.
        changed: bool,
    },
}

/// Returns the error of a call whose outcome is not known.
pub(crate) fn uncertain(name: &str) -> HostError {
    let message = format!("the run ended while {name} was called, and what it did is not known");
    HostError::new(UNCERTAIN, message)
}
