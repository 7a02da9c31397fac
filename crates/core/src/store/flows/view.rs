//! What is said of runs.

use super::journal::Entry;
use contexture_protocol::content::Status;

/// What a run begins with.
#[derive(Debug, Clone, Copy)]
pub struct RunHead<'a> {
    /// Its id, unlike that of any other run.
    pub run: &'a str,
    /// What people call it: the name of a file or of a set.
    pub name: &'a str,
    /// The set as JSON, from which it can be gone on with.
    pub document: &'a str,
    /// The context that it belongs to.
    pub context: Option<&'a str>,
    /// Whose it is; empty for whoever has the file.
    pub owner: &'a str,
    /// How many steps the set has.
    pub steps: u64,
    /// When it began, in microseconds since 1970-01-01 UTC; now if 0.
    pub started_us: u64,
}

impl<'a> RunHead<'a> {
    /// A run of a set, without a name, an owner, a context or a number of steps.
    #[must_use]
    pub const fn new(run: &'a str, document: &'a str) -> Self {
        Self { run, name: "", document, context: None, owner: "", steps: 0, started_us: 0 }
    }
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// A process is doing it.
    Running,
    /// A process holds it, and starts nothing new until it is asked to go on.
    Paused,
    /// It was broken off, and can be gone on with.
    Interrupted,
    /// It has ended.
    Ended(Status),
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Its id.
    pub run: String,
    /// What people call it.
    pub name: String,
    /// Whose it is.
    pub owner: String,
    /// The context that it belongs to.
    pub context: Option<String>,
    /// When it began, in microseconds since 1970-01-01 UTC.
    pub started_us: u64,
    /// When it ended.
    pub ended_us: Option<u64>,
    /// Where it stands.
    pub state: RunState,
    /// How many steps the set has.
    pub steps: u64,
    /// How many of them have ended.
    pub done: u64,
}

/// Which runs are wanted; all at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Those of an owner alone.
    pub owner: Option<String>,
    /// Those of a context alone.
    pub context: Option<String>,
    /// Those of a name alone.
    pub name: Option<String>,
    /// Those alone that have not ended.
    pub unfinished: bool,
    /// How many at most, the newest.
    pub limit: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self { owner: None, context: None, name: None, unfinished: false, limit: usize::MAX }
    }
}

/// The set of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// As JSON.
    pub text: String,
    /// Whether secrets in it were masked: then it is not what was run, and must not be run again.
    pub masked: bool,
}

/// A change of a run, read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// When it was handed in, in microseconds since 1970-01-01 UTC.
    pub time_us: u64,
    /// The change.
    pub entry: Entry,
    /// Whether secrets in it were masked.
    pub masked: bool,
}

/// What someone outside wants of a run (FL-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Nothing new is started.
    Pause,
    /// It goes on.
    Resume,
    /// It ends.
    Cancel,
}

impl Ask {
    /// The word for it.
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
