//! The errors of SQL.

use contexture_flow::action::ActionFailure;
use contexture_protocol::ErrorCode as Word;
use rusqlite::ErrorCode;
use std::time::Duration;

/// An error of SQL.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum SqlError {
    #[error("{0} is refused: a query is one statement that reads (SELECT, VALUES, WITH … SELECT)")]
    Refused(String),
    #[error(
        "a second statement begins at offset {0}: a query is one statement; send the others as queries of their own"
    )]
    Second(usize),
    #[error("the query is empty: expected one statement that reads, such as SELECT")]
    Empty,
    #[error("the statement gives no rows: expected SELECT, VALUES or WITH … SELECT")]
    NoRows,
    #[error("{0}")]
    Sqlite(String),
    #[error("SQLite did not end within {0:?}: ask for less, or give a longer `timeout` in seconds")]
    Timeout(Duration),
    #[error("another program holds the database for too long: try again")]
    Busy,
    #[error("nobody waits for the query any more")]
    Stopped,
    #[error("{0}")]
    TooLarge(String),
    #[error("{0}")]
    Value(String),
}

impl SqlError {
    /// Converts an error of SQLite.
    pub(super) fn of(error: rusqlite::Error, stopped: bool, allowed: Duration) -> Self {
        if let rusqlite::Error::SqlInputError { msg, offset, .. } = &error {
            let place = if *offset < 0 { String::new() } else { format!(" at offset {offset}") };
            return Self::Sqlite(format!("{msg}{place}"));
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) if stopped => Self::Stopped,
            Some(ErrorCode::OperationInterrupted) => Self::Timeout(allowed),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::TooBig) => Self::TooLarge(
                "a text, a BLOB or the statement is larger than the limit: ask for less at a time"
                    .to_owned(),
            ),
            Some(ErrorCode::DiskFull) => Self::TooLarge(
                "the database would be larger than the limit: make a smaller one".to_owned(),
            ),
            Some(ErrorCode::NotADatabase) => Self::Sqlite(
                "the file is not a SQLite database: name another `database`".to_owned(),
            ),
            _ => Self::Sqlite(message(&error)),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Refused(_) | Self::Second(_) | Self::Empty | Self::NoRows => "SQL_REFUSED",
            Self::Sqlite(_) => "SQL_ERROR",
            Self::Timeout(_) => "SQL_TIMEOUT",
            Self::Busy => "SQL_BUSY",
            Self::Stopped => Word::Cancelled.as_str(),
            Self::TooLarge(_) => Word::TooLarge.as_str(),
            Self::Value(_) => Word::ValidationFailed.as_str(),
        }
    }
}

/// Returns SQLite's message, without the text of the statement: values may stand in it.
fn message(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        rusqlite::Error::SqliteFailure(failure, None) => failure.to_string(),
        other => other.to_string(),
    }
}

impl From<SqlError> for ActionFailure {
    fn from(error: SqlError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}
