//! Small texts that all servers of a database share, such as its tokens.
//!
//! Decision: a text is changed as a whole under the lock of its row, and its number rises, so that it
//! is cheap to see that nothing changed.

use super::session::{Fault, Session};
use super::{Postgres, PostgresError, values};

impl Postgres {
    /// Returns a text and the number of its last change; `None` before the first.
    ///
    /// # Errors
    /// What the database reports.
    pub fn text(&self, name: &str) -> Result<Option<(u64, String)>, PostgresError> {
        let sql = "select version, text from contexture_texts where name = $1";
        let row = self.link.with(|session| session.row(sql, values![name]));
        let read =
            row.and_then(|row| row.map(|row| Ok((row.number(0)?, row.text(1)?))).transpose());
        read.map_err(|fault| self.failed(&fault))
    }

    /// Returns the number of a text's last change; 0 before the first.
    ///
    /// # Errors
    /// What the database reports.
    pub fn text_version(&self, name: &str) -> Result<u64, PostgresError> {
        let sql = "select version from contexture_texts where name = $1";
        let row = self.link.with(|session| session.row(sql, values![name]));
        let read = row.and_then(|row| row.map_or(Ok(0), |row| row.number(0)));
        read.map_err(|fault| self.failed(&fault))
    }

    /// Changes a text, empty before the first change, while nobody else does: to what `change` returns,
    /// if anything.
    ///
    /// # Errors
    /// What `change` or the database reports; nothing is changed then.
    pub fn change_text<T, E: From<PostgresError>>(
        &self,
        name: &str,
        change: impl FnOnce(&str) -> Result<(T, Option<String>), E>,
    ) -> Result<T, E> {
        let failed = |fault: Fault| E::from(self.failed(&fault));
        let session = self.link.connect().map_err(failed)?;
        let text = locked(&session, name).map_err(failed)?;
        // What is not committed is undone with the connection.
        let (outcome, new) = change(&text)?;
        if let Some(new) = new {
            let sql =
                "update contexture_texts set version = version + 1, text = $2 where name = $1";
            session.write(sql, values![name, &new]).map_err(failed)?;
        }
        session.batch("commit").map_err(failed)?;
        self.link.put_back(session);
        Ok(outcome)
    }

    fn failed(&self, fault: &Fault) -> PostgresError {
        PostgresError::Failed { name: self.link.name.to_string(), reason: fault.to_string() }
    }
}

/// Begins a transaction that has the lock of a text; returns the text.
fn locked(session: &Session, name: &str) -> Result<String, Fault> {
    session.batch("begin")?;
    let sql = "insert into contexture_texts (name, version, text) values ($1, 0, '')
        on conflict do nothing";
    session.write(sql, values![name])?;
    let sql = "select text from contexture_texts where name = $1 for update";
    let row = session.row(sql, values![name])?;
    row.map_or_else(|| Ok(String::new()), |row| row.text(0))
}
