//! What waits for a person or a client: calls of front-end tools and questions (WA-1).

use super::FlowStoreError;

/// The identity of a wait: a callId is unique in its request alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WaitId {
    /// The owner.
    pub owner: String,
    /// The context.
    pub context: String,
    /// The message that the call is made for.
    pub message: String,
    /// The callId.
    pub call: String,
}

/// The kind of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitKind {
    /// A call of a front-end tool.
    Call,
    /// A question whether something may be done.
    Permission,
}

impl WaitKind {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Call => "CALL",
            Self::Permission => "PERMISSION",
        }
    }

    /// Reads the word for it.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Call, Self::Permission].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// The state of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitState {
    /// It has no answer.
    Open,
    /// It has its answer, which whoever asked has not used yet.
    Answered,
    /// It has ended: only its identity is kept.
    Ended,
}

impl WaitState {
    /// Returns the number for it.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Open => 0,
            Self::Answered => 1,
            Self::Ended => 2,
        }
    }

    /// Reads the number for it.
    #[must_use]
    pub const fn of(number: i64) -> Self {
        match number {
            0 => Self::Open,
            1 => Self::Answered,
            _ => Self::Ended,
        }
    }
}

/// A call or a question that waits for its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// Its identity.
    pub id: WaitId,
    /// Its kind.
    pub kind: WaitKind,
    /// The run of the set that waits; empty for a turn.
    pub run: String,
    /// The step that waits; empty for a turn.
    pub step: String,
    /// The client that it belongs to.
    pub client: String,
    /// Its begin, in milliseconds since 1970-01-01 UTC.
    pub since_ms: u64,
    /// The time when nobody waits for it any more.
    pub expires_ms: u64,
    /// The message with the call, as JSON.
    pub request: String,
    /// The answer as JSON, if there is one.
    pub answer: Option<String>,
    /// Its state.
    pub state: WaitState,
    /// True if no process works on its run until it is answered.
    pub is_parked: bool,
    /// Its place in lists.
    pub place: u64,
}

/// The outcome of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// The answer is the first, and durable.
    Taken(Box<Wait>),
    /// It was answered before, or has ended.
    Before,
    /// There is no such wait.
    Unknown,
}

/// A filter of waits; by default it lets all through.
#[derive(Debug, Clone, Default)]
pub struct WaitFilter {
    /// The owner.
    pub owner: Option<String>,
    /// The context.
    pub context: Option<String>,
    /// The message that the calls are made for.
    pub message: Option<String>,
    /// The callId.
    pub call: Option<String>,
    /// The client.
    pub client: Option<String>,
    /// The run.
    pub run: Option<String>,
    /// The state.
    pub state: Option<WaitState>,
    /// True if only those are wanted whose run no process works on.
    pub parked: bool,
    /// True if only those are wanted that this process goes on with. Where one process alone has the store,
    /// those are all.
    pub own: bool,
    /// Only those that expire until then.
    pub expired_ms: Option<u64>,
    /// Only those behind this place.
    pub after: u64,
    /// The most waits to return, the oldest first; all when 0.
    pub limit: usize,
}

/// A function that takes the outcome of a write, when it is durable.
pub type WaitsDone<T> = Box<dyn FnOnce(Result<T, FlowStoreError>) + Send>;

/// Keeps what waits, so that neither a crash nor a restart forgets it.
pub trait Waits: Send + Sync {
    /// Opens a wait. One of the same identity that has not ended stays as it is, and is returned.
    fn open_wait(&self, wait: Wait, done: WaitsDone<Wait>);

    /// Stores the answer of a wait, if it is the first.
    fn answer_wait(&self, id: &WaitId, answer: &str, done: WaitsDone<Answered>);

    /// Ends a wait: its answer was used, or is not wanted any more.
    fn end_wait(&self, id: &WaitId, done: WaitsDone<()>);

    /// Ends the waits of a run, or with an empty id those of all turns.
    fn end_waits(&self, run: &str, done: WaitsDone<()>);

    /// Notes whether a process works on a run that waits.
    fn park_waits(&self, run: &str, is_parked: bool);

    /// Takes up a run that waits and that no process works on: this one does from now on. False if another
    /// one took it, or works on it.
    fn take_parked(&self, run: &str, done: WaitsDone<bool>);

    /// Forgets waits that ended before a time, in milliseconds since 1970-01-01 UTC.
    fn forget_waits(&self, before_ms: u64);

    /// Returns waits, the oldest first.
    ///
    /// # Errors
    /// [`FlowStoreError`] if they can't be read.
    fn waits(&self, filter: &WaitFilter) -> Result<Vec<Wait>, FlowStoreError>;

    /// Returns the runs that no process works on, and that no answer lets go on: owner, context,
    /// message and run. Where processes share the store, those that are this one's.
    ///
    /// # Errors
    /// [`FlowStoreError`] if they can't be read.
    fn parked_runs(&self) -> Result<Vec<(String, String, String, String)>, FlowStoreError>;

    /// Returns the number of open waits of each owner.
    ///
    /// # Errors
    /// [`FlowStoreError`] if they can't be read.
    fn open_waits(&self) -> Result<Vec<(String, u64)>, FlowStoreError>;
}
