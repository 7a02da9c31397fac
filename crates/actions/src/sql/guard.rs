//! The bounds of SQL: what it may do, and for how long.

use super::error::SqlError;
use crate::settings::Limits;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of the text of a statement.
const SQL_BYTES: i32 = 1 << 20;

/// Steps of SQLite's machine between two looks at the clock: some microseconds.
const STEPS: i32 = 1_000;

/// PRAGMAs that describe tables and change nothing.
const TELLING: [&str; 8] = [
    "table_info",
    "table_xinfo",
    "table_list",
    "index_list",
    "index_info",
    "index_xinfo",
    "foreign_key_list",
    "database_list",
];

/// The pragmas that a database script may set besides: marks in its own file.
const STAMPING: [&str; 3] = ["user_version", "application_id", "foreign_keys"];

/// Ends the work of a connection when it is dropped.
#[derive(Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Read,
    Create,
}

/// The bounds of a connection, which explain why SQLite gave up.
pub(super) struct Guard {
    pub(super) stopped: Arc<AtomicBool>,
    pub(super) allowed: Duration,
    denied: Arc<Mutex<Option<String>>>,
}

impl Guard {
    /// Bounds what a connection does from now on.
    pub(super) fn set(
        connection: &mut Connection,
        purpose: Purpose,
        limits: &Limits,
        allowed: Duration,
        stopped: Arc<AtomicBool>,
    ) -> Result<Self, rusqlite::Error> {
        confine(connection, purpose, limits)?;
        let denied = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&denied);
        connection.authorizer(Some(move |asked: AuthContext<'_>| {
            let Some(what) = refused(asked.action, purpose) else { return Authorization::Allow };
            noted.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
            Authorization::Deny
        }))?;
        let flag = Arc::clone(&stopped);
        let started = Instant::now();
        connection.progress_handler(
            STEPS,
            Some(move || flag.load(Ordering::Relaxed) || started.elapsed() > allowed),
        )?;
        Ok(Self { stopped, allowed, denied })
    }

    /// Converts an error of SQLite under these bounds.
    pub(super) fn explain(&self, error: rusqlite::Error) -> SqlError {
        let denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner).take();
        match denied {
            Some(what) => SqlError::Refused(what),
            None => SqlError::of(error, self.stopped.load(Ordering::Relaxed), self.allowed),
        }
    }
}

/// Lifts the authoriser of a connection: SQLite itself needs a PRAGMA when it writes a database
/// out.
pub(super) fn release(connection: &mut Connection) -> Result<(), rusqlite::Error> {
    connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)
}

/// Confines a connection: a file from elsewhere must not make SQLite do more than return rows, or
/// use more than there is.
fn confine(
    connection: &Connection,
    purpose: Purpose,
    limits: &Limits,
) -> Result<(), rusqlite::Error> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // A name in double quotes that is not a column is an error, not a text.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "query_only", purpose == Purpose::Read)?;
    let most = |bytes: usize| i32::try_from(bytes).unwrap_or(i32::MAX);
    let length = match purpose {
        Purpose::Read => limits.answer_bytes,
        Purpose::Create => limits.database_bytes,
    };
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, most(length))?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
    Ok(())
}

/// Describes a refused action; `None` if it is allowed.
fn refused(action: AuthAction<'_>, purpose: Purpose) -> Option<String> {
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => None,
        AuthAction::Function { function_name } => {
            let loads = ["load_extension", "fts3_tokenizer"]
                .iter()
                .any(|name| function_name.eq_ignore_ascii_case(name));
            loads.then(|| format!("the function {function_name}"))
        }
        AuthAction::Pragma { pragma_name, .. } => {
            let creates = purpose == Purpose::Create;
            let is =
                |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(pragma_name));
            let allowed = is(&TELLING) || (creates && is(&STAMPING));
            (!allowed).then(|| format!("PRAGMA {pragma_name}"))
        }
        AuthAction::Attach { .. } => Some("ATTACH (or VACUUM, which needs it)".to_owned()),
        AuthAction::Detach { .. } => Some("DETACH".to_owned()),
        // What is temporary lies outside of the bound of the database's size.
        AuthAction::CreateTempTable { .. }
        | AuthAction::CreateTempIndex { .. }
        | AuthAction::CreateTempView { .. }
        | AuthAction::CreateTempTrigger { .. } => {
            Some("a temporary table, view or trigger".to_owned())
        }
        _ if purpose == Purpose::Create => None,
        _ => Some("a statement that changes something".to_owned()),
    }
}
