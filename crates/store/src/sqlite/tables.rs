//! An SQLite file of ours: how it is known, and how its tables come to their newest version.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest time that another process may hold a file.
const PATIENCE: Duration = Duration::from_secs(10);

/// The bytes that a log keeps when it begins anew, after it was longer (GR-8).
const LOG_BYTES: i64 = 4 << 20;

/// The wait before asking again for a file that another process is creating.
const NAP: Duration = Duration::from_millis(2);

/// The tables of one kind of file.
pub(crate) struct Tables {
    /// Marks a file as one of this kind.
    pub(crate) application_id: i64,
    /// The migration from each version to the next; the first creates the tables.
    pub(crate) steps: &'static [&'static str],
    /// Prepares a connection.
    pub(crate) prepare: fn(&Connection) -> Result<(), rusqlite::Error>,
}

/// The kind of a file.
pub(crate) enum State {
    /// Nothing yet.
    Empty,
    /// One of this kind, of this version.
    Ours(i64),
    /// Another program's.
    Foreign,
}

/// The reason why a file can't be used.
pub(crate) enum Unfit {
    /// Another program's.
    Foreign,
    /// One of this kind, of this version, which is newer than all that are known.
    Newer(i64),
    /// An error of SQLite.
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Unfit {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

/// Returns the file's place with its folder made and links to the folder followed: SQLite itself
/// follows none, so that a file that turns into a link can't lead it elsewhere.
pub(crate) fn place(path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    crate::home::mark(folder);
    let folder = folder.canonicalize()?;
    Ok(path.file_name().map_or_else(|| folder.clone(), |file| folder.join(file)))
}

/// Waits in short naps for another process: a busy writer lets go of the file for a moment only.
pub(crate) fn patient(connection: &mut Connection) -> Result<(), rusqlite::Error> {
    connection.busy_handler(Some(|tried| {
        let nap = Duration::from_millis(if tried < 50 { 1 } else { 5 });
        let waited = nap.saturating_mul(u32::try_from(tried).unwrap_or_default());
        if waited >= PATIENCE {
            return false;
        }
        std::thread::sleep(nap);
        true
    }))
}

/// Opens a file for reading and writing; makes it, for its owner alone, when it is missing. Links are
/// not followed.
pub(crate) fn connect(path: &Path) -> Result<Connection, rusqlite::Error> {
    make_private(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    // A statement with other values keeps its plan: making each anew was a twentieth of a turn.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Makes a file that is missing, so that nobody else on the machine reads what will be kept in it
/// (CP-19); files that SQLite adds have its rights. When it can't be made, SQLite reports why.
fn make_private(path: &Path) {
    drop(crate::home::private_file().write(true).create_new(true).open(path));
}

/// Ensures that a file from elsewhere can't make SQLite do more than keep rows.
pub(crate) fn protect(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// Sets the mode, which stays with the file; it can't change inside a transaction. Of two that make a file
/// at once, SQLite turns the second away without asking how patient it is: it would go from reading to
/// writing.
fn write_ahead(connection: &Connection) -> Result<(), rusqlite::Error> {
    let mut naps = PATIENCE.as_millis() / NAP.as_millis();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if naps > 0 && is_busy(&error) => naps -= 1,
            outcome => return outcome,
        }
        std::thread::sleep(NAP);
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

impl Tables {
    /// Returns the newest version; `user_version` of the file.
    pub(crate) const fn version(&self) -> i64 {
        // There are never so many steps that it could be cut.
        self.steps.len().cast_signed() as i64
    }

    /// Sees to it that the file has the newest tables.
    pub(crate) fn ready(&self, connection: &mut Connection) -> Result<(), Unfit> {
        match self.snapshot(connection)? {
            State::Ours(version) if version == self.version() => Ok(()),
            State::Ours(found) if found > self.version() => Err(Unfit::Newer(found)),
            State::Empty | State::Ours(_) => Ok(self.migrate(connection)?),
            State::Foreign => Err(Unfit::Foreign),
        }
    }

    /// Returns the state at one moment: another process may be making the tables right now.
    pub(crate) fn snapshot(&self, connection: &Connection) -> Result<State, rusqlite::Error> {
        let moment = connection.unchecked_transaction()?;
        self.state(&moment)
    }

    pub(crate) fn state(&self, connection: &Connection) -> Result<State, rusqlite::Error> {
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        if number("pragma application_id")? == self.application_id {
            return Ok(State::Ours(number("pragma user_version")?));
        }
        let tables = number("select count(*) from sqlite_schema")?;
        let version = number("pragma user_version")?;
        Ok(if tables == 0 && version == 0 { State::Empty } else { State::Foreign })
    }

    /// Brings the tables to the newest version in one transaction; someone else may have been
    /// faster.
    pub(crate) fn migrate(&self, connection: &mut Connection) -> Result<(), rusqlite::Error> {
        write_ahead(connection)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
        let from = match self.state(&transaction)? {
            State::Ours(version) => usize::try_from(version).unwrap_or(self.steps.len()),
            State::Empty | State::Foreign => 0,
        };
        for step in self.steps.iter().skip(from) {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "application_id", self.application_id)?;
        transaction.pragma_update(None, "user_version", self.version())?;
        transaction.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::StatementStatus;

    #[test]
    fn gr_11_a_statement_with_other_values_keeps_its_plan() {
        let folder = tempfile::tempdir().unwrap();
        let connection = connect(&folder.path().join("a.db")).unwrap();
        connection.execute_batch("create table a (id integer primary key, b text)").unwrap();
        let mut statement = connection
            .prepare("select b from a where id > ?1 and id <= ?2 order by id desc limit ?3")
            .unwrap();
        for number in 1..4 {
            let rows = statement.query_map([number, number + 9, 5], |_| Ok(())).unwrap();
            assert_eq!(rows.count(), 0);
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }
}
