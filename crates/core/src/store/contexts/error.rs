//! The errors of contexts and of calls to them.

use super::Change;
use contexture_protocol::{PathError, Refusal};

/// The reason why something sealed can't be read, or something can't be sealed (CP-19).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// A key has another length than the cipher's.
    #[error("a key has {expected} bytes, this one has {found}")]
    KeyLength {
        /// The number of bytes it must have.
        expected: usize,
        /// The number of bytes it has.
        found: usize,
    },
    /// A key's id can't stand in a sealed text.
    #[error("`{0}` can't be a key's id: 1 to 64 letters, digits, `-` and `_`")]
    KeyId(String),
    /// Two keys have the same id.
    #[error("two keys have the id `{0}`")]
    KeyTwice(String),
    /// It was sealed with a key that is not there.
    #[error("it was sealed with the key `{0}`, which is not given")]
    KeyMissing(String),
    /// It is sealed, and no key is given at all.
    #[error("it is sealed, and no key is given")]
    NoKey,
    /// The key is another one than it was sealed with, or the text was changed.
    #[error("the key `{0}` does not open it: another key under that id, or it was changed")]
    Wrong(String),
    /// It is not a sealed text.
    #[error("it is not a sealed text")]
    Format,
    /// The system gave no random numbers.
    #[error("the system gives no random numbers")]
    Random,
}

/// The reason why a store of contexts could not do something.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// There is no such context, or it is another owner's.
    #[error("there is no context `{0}`")]
    NotFound(String),
    /// A stale update touches what has changed since.
    #[error(
        "the update has seen version {base}, the context is at {current}, and what it changes was changed since"
    )]
    VersionConflict {
        /// The version that the update had seen.
        base: u64,
        /// The version now.
        current: u64,
        /// The changes that it conflicts with, at most [`Limits::conflicts`](super::Limits).
        conflicting: Vec<Change>,
    },
    /// A version that the context has never had.
    #[error("version {asked} is ahead of the context, which is at {current}")]
    Ahead {
        /// The version asked for.
        asked: u64,
        /// The version now.
        current: u64,
    },
    /// The log no longer reaches back so far.
    #[error("the changes after version {asked} are gone, the log starts after version {oldest}")]
    Compacted {
        /// The version asked for.
        asked: u64,
        /// The oldest version that can be asked for.
        oldest: u64,
        /// The version now.
        current: u64,
    },
    /// The message was here before and held something else, or stands in the context.
    #[error("the messageId `{0}` is in use in this context, for another message")]
    MessageIdConflict(String),
    /// An answer for a message that was never here.
    #[error("there is no message `{0}` that waits for an answer")]
    KeyNotFound(String),
    /// A path of the state can't be followed.
    #[error("operation {operation}: {error}")]
    Path {
        /// The number of the operation, from 0.
        operation: usize,
        /// The place and the cause.
        error: PathError,
    },
    /// An argument or a part of a message is not as expected.
    #[error("{}expected {expected}, found {found}", at(.pointer))]
    Invalid {
        /// The number of the operation, from 0, if it is one's.
        operation: Option<usize>,
        /// The place: a JSON pointer or an argument's name; empty for the whole.
        pointer: String,
        /// The expected form.
        expected: &'static str,
        /// The form found.
        found: String,
    },
    /// A limit is exceeded.
    #[error("{what}: {found} {unit}, the limit is {limit}")]
    TooLarge {
        /// The part that is too large.
        what: &'static str,
        /// Its size.
        found: u64,
        /// The unit of both sizes.
        unit: &'static str,
        /// The largest size allowed.
        limit: u64,
    },
    /// The id of a fork or an import is in use.
    #[error("the id `{0}` is in use")]
    Taken(String),
    /// A line of an import is wrong.
    #[error("line {line}: {reason}")]
    Import {
        /// The line, from 1.
        line: u64,
        /// The fault and the expected form.
        reason: String,
    },
    /// A message of an import does not follow the protocol, or is refused.
    #[error("line {line}: {}", .refusal.message)]
    ImportedMessage {
        /// The line that it begins at, from 1.
        line: u64,
        /// The reason for the refusal.
        refusal: Box<Refusal>,
    },
    /// Something sealed can't be read, or something can't be sealed.
    #[error("{what}: {error}")]
    Sealed {
        /// The sealed part.
        what: &'static str,
        /// The cause.
        error: SealError,
    },
    /// Too many updates are waiting.
    #[error("{0} updates are waiting already")]
    Overloaded(usize),
    /// The disk is full; what was there before is as it was.
    #[error("the disk is full: {0}")]
    Full(String),
    /// Another process held the file for too long.
    #[error("the contexts in {0} are in use by another process")]
    Busy(String),
    /// The file is not a SQLite file, or is one of another program.
    #[error("{path} is not a file of contexts: {reason}")]
    Foreign {
        /// The file.
        path: String,
        /// The kind of file it is instead.
        reason: &'static str,
    },
    /// The file was written by a newer version.
    #[error("the contexts in {path} have format {found}, this program knows up to {known}")]
    Newer {
        /// The file.
        path: String,
        /// Its version.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// The file is damaged. It is left as it is.
    #[error("the contexts in {path} are damaged: {reason}")]
    Damaged {
        /// The file.
        path: String,
        /// The damage found.
        reason: String,
    },
    /// Anything else that the system reports.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: String,
        /// The reason that the system reports.
        reason: String,
    },
    /// The store is being closed, or the function that makes the answer of an update failed.
    #[error("the update was broken off")]
    Closed,
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!("{pointer}: ") }
}

impl ContextError {
    /// Creates [`ContextError::Invalid`], at a JSON pointer or in an argument.
    #[must_use]
    pub fn invalid(pointer: &str, expected: &'static str, found: &str) -> Self {
        let (pointer, found) = (pointer.to_owned(), found.to_owned());
        Self::Invalid { operation: None, pointer, expected, found }
    }

    /// Says of which operation of an update it is.
    #[must_use]
    pub fn of_operation(mut self, number: usize) -> Self {
        if let Self::Invalid { operation, .. } = &mut self {
            *operation = Some(number);
        }
        self
    }

    /// Returns the stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "context_not_found",
            Self::VersionConflict { .. } => "version_conflict",
            Self::Ahead { .. } => "version_ahead",
            Self::Compacted { .. } => "changes_compacted",
            Self::MessageIdConflict(_) => "message_id_conflict",
            Self::KeyNotFound(_) => "message_not_pending",
            Self::Path { .. } => "state_path",
            Self::Invalid { .. } => "bad_argument",
            Self::TooLarge { .. } => "context_too_large",
            Self::Taken(_) => "context_taken",
            Self::Import { .. } | Self::ImportedMessage { .. } => "import_invalid",
            Self::Sealed { .. } => "context_sealed",
            Self::Overloaded(_) => "contexts_overloaded",
            Self::Full(_) => "disk_full",
            Self::Busy(_) => "contexts_busy",
            Self::Foreign { .. } => "contexts_foreign",
            Self::Newer { .. } => "contexts_newer",
            Self::Damaged { .. } => "contexts_damaged",
            Self::Io { .. } => "contexts_failed",
            Self::Closed => "contexts_closed",
        }
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::NotFound(_) => "see the contexts there are with `context list`".to_owned(),
            Self::VersionConflict { current, .. } => {
                format!("read the changes and send it again with baseVersion {current}")
            }
            Self::Ahead { current, .. } => format!("read the context again from version {current}"),
            Self::Compacted { oldest, .. } => {
                format!("read the whole context, or ask from version {oldest} on")
            }
            Self::MessageIdConflict(_) => "give each message an id of its own".to_owned(),
            Self::KeyNotFound(_) => "an answer belongs to a message that was accepted".to_owned(),
            Self::Path { .. } => "look at the state, then name a path that fits it".to_owned(),
            Self::Invalid { expected, .. } => format!("send {expected}"),
            Self::TooLarge { .. } => "send less at once, or raise the limit".to_owned(),
            Self::Taken(_) => "choose another id, or none to have one made".to_owned(),
            Self::Import { .. } | Self::ImportedMessage { .. } => {
                "mend the line; nothing was taken in".to_owned()
            }
            Self::Sealed { .. } => "give the key that it was sealed with".to_owned(),
            Self::Overloaded(_) => "send it again a little later".to_owned(),
            Self::Full(_) => "make room; the store goes on by itself".to_owned(),
            Self::Busy(_) => "try again when that process is done".to_owned(),
            Self::Foreign { .. } => "name another file".to_owned(),
            Self::Newer { .. } => "a newer version of contexture wrote it: use that one".to_owned(),
            Self::Damaged { .. } => {
                "`contexture context verify` lists the damage, `context salvage` \
                 saves the rest, `context restore` takes a backup"
                    .to_owned()
            }
            Self::Io { .. } => "see what the system reports".to_owned(),
            Self::Closed => "send it again".to_owned(),
        }
    }
}
