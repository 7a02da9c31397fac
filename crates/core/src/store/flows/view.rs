//! Views of runs.

use super::journal::Entry;
use contexture_protocol::content::Status;

/// The data that a run begins with.
#[derive(Debug, Clone, Copy)]
pub struct RunHead<'a> {
    /// Its id, unlike that of any other run.
    pub run: &'a str,
    /// Its name for people: that of a file or of a set.
    pub name: &'a str,
    /// The set as JSON, from which it can be resumed.
    pub document: &'a str,
    /// The context that it belongs to.
    pub context: Option<&'a str>,
    /// Its owner; empty for whoever has the file.
    pub owner: &'a str,
    /// The number of steps of the set.
    pub steps: u64,
    /// Its start, in microseconds since 1970-01-01 UTC; now if 0.
    pub started_us: u64,
}

impl<'a> RunHead<'a> {
    /// Creates the data of a run without a name, an owner, a context or a number of steps.
    #[must_use]
    pub const fn new(run: &'a str, document: &'a str) -> Self {
        Self { run, name: "", document, context: None, owner: "", steps: 0, started_us: 0 }
    }
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// A process is doing it.
    Running,
    /// A process holds it, and starts nothing new until it is asked to continue.
    Paused,
    /// It was interrupted, and can be resumed.
    Interrupted,
    /// It has ended.
    Ended(Status),
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Its id.
    pub run: String,
    /// Its name for people.
    pub name: String,
    /// Its owner.
    pub owner: String,
    /// The context that it belongs to.
    pub context: Option<String>,
    /// Its start, in microseconds since 1970-01-01 UTC.
    pub started_us: u64,
    /// Its end, if it has ended.
    pub ended_us: Option<u64>,
    /// Its state.
    pub state: RunState,
    /// The number of steps of the set.
    pub steps: u64,
    /// The number of steps that have ended.
    pub done: u64,
}

/// A filter of runs; by default it lets all through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// The owner of the runs.
    pub owner: Option<String>,
    /// The context of the runs.
    pub context: Option<String>,
    /// The name of the runs.
    pub name: Option<String>,
    /// True if runs that have ended are left out.
    pub unfinished: bool,
    /// The run whose predecessors are wanted: the last one of the page before. Nothing precedes one that
    /// is not there.
    pub before: Option<String>,
    /// The most runs to return; the newest are kept.
    pub limit: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            owner: None,
            context: None,
            name: None,
            unfinished: false,
            before: None,
            limit: usize::MAX,
        }
    }
}

/// The set of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The set as JSON.
    pub text: String,
    /// True if secrets in it were masked: then it is not what was run, and must not be run again.
    pub masked: bool,
}

/// A change of a run, read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its time, in microseconds since 1970-01-01 UTC.
    pub time_us: u64,
    /// The change.
    pub entry: Entry,
    /// True if secrets in it were masked.
    pub masked: bool,
}

/// A request to a run from outside (FL-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Nothing new is started.
    Pause,
    /// The run continues.
    Resume,
    /// The run ends.
    Cancel,
}

impl Ask {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pause => "PAUSE",
            Self::Resume => "RESUME",
            Self::Cancel => "CANCEL",
        }
    }

    /// Reads the word for it.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Pause, Self::Resume, Self::Cancel].into_iter().find(|ask| ask.as_str() == word)
    }
}
