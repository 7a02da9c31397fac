//! The journals of turns (WA-3): their lines, which another process can read after this one is gone.

use super::PostgresJournal;
use crate::flows::seal::{Part, Seal};
use crate::postgres::{Session, values};
use contexture_core::store::flows::FlowStoreError;
use contexture_core::store::journals::{JournalError, JournalLines, JournalPlace, Journals};
use std::sync::{Arc, Mutex, PoisonError, Weak};

type Failed = Arc<Mutex<Option<FlowStoreError>>>;

fn fault(error: &FlowStoreError) -> JournalError {
    JournalError(error.to_string())
}

impl Journals for PostgresJournal {
    fn place(&self, run: &str) -> Arc<dyn JournalPlace> {
        let (journal, run) = (Weak::clone(&self.this), run.to_owned());
        Arc::new(Place { journal, run, name: Arc::clone(&self.seal.name) })
    }

    fn ids(&self) -> Result<Vec<String>, JournalError> {
        let sql = "select run from contexture_journals order by run desc";
        let ids = self
            .read(|session| session.rows(sql, Vec::new())?.iter().map(|row| row.text(0)).collect());
        ids.map_err(|error| fault(&error))
    }
}

/// The place of one journal.
struct Place {
    journal: Weak<PostgresJournal>,
    run: String,
    name: Arc<str>,
}

impl Place {
    fn journal(&self) -> Result<Arc<PostgresJournal>, JournalError> {
        self.journal.upgrade().ok_or_else(|| fault(&FlowStoreError::Closed))
    }

    fn lines(&self, journal: Arc<PostgresJournal>) -> Box<dyn JournalLines> {
        let (run, failed) = (self.run.clone(), Failed::default());
        Box::new(Lines { journal, run, failed })
    }
}

impl JournalPlace for Place {
    fn name(&self) -> String {
        format!("the journal {} in {}", self.run, self.name)
    }

    fn exists(&self) -> bool {
        let Ok(journal) = self.journal() else { return false };
        let sql = "select from contexture_journals where run = $1";
        journal.read(|session| session.row(sql, values![&self.run])).is_ok_and(|row| row.is_some())
    }

    fn create(&self) -> Result<Box<dyn JournalLines>, JournalError> {
        let journal = self.journal()?;
        let (run, token) = (self.run.clone(), Arc::clone(journal.postgres.token()));
        let name = Arc::clone(&self.name);
        // It is there with its first lines, when somebody waits for them.
        let insert = move |session: &Session| {
            let sql = "insert into contexture_journals (run, holder) values ($1, $2)";
            session.write(sql, values![&run, &token]).map_err(|fault| fault.told(&name))
        };
        let lines = Lines { run: self.run.clone(), failed: Failed::default(), journal };
        lines.post(insert);
        Ok(Box::new(lines))
    }

    fn open(&self) -> Result<(Vec<u8>, Box<dyn JournalLines>), JournalError> {
        let journal = self.journal()?;
        let (run, token) = (self.run.clone(), Arc::clone(journal.postgres.token()));
        let name = Arc::clone(&self.name);
        let is_own = journal.write(move |session| {
            let sql = "select from contexture_journals where run = $1 and holder = $2";
            let row = session.row(sql, values![&run, &token]);
            row.map(|row| row.is_some()).map_err(|fault| fault.told(&name))
        });
        if !is_own.map_err(|error| fault(&error))? {
            return Err(JournalError("another server goes on with it".to_owned()));
        }
        Ok((self.read()?, self.lines(journal)))
    }

    fn read(&self) -> Result<Vec<u8>, JournalError> {
        let journal = self.journal()?;
        let sql = "select text from contexture_lines where run = $1 order by number";
        let lines: Result<Vec<String>, FlowStoreError> = journal.read(|session| {
            session.rows(sql, values![&self.run])?.iter().map(|row| row.text(0)).collect()
        });
        let mut all = Vec::new();
        for line in lines.map_err(|error| fault(&error))? {
            let line = journal.seal.open(Part::Journal, line).map_err(|error| fault(&error))?;
            all.extend(line.into_bytes());
            all.push(b'\n');
        }
        Ok(all)
    }

    /// Nobody waits for it: what is taken over is its own from then on.
    fn is_open(&self) -> bool {
        false
    }

    /// Nobody can say so from outside.
    fn is_cancelled(&self) -> bool {
        false
    }

    fn cancel(&self) -> Result<(), JournalError> {
        Err(JournalError("only its server can cancel it".to_owned()))
    }

    fn resume(&self) {}

    fn remove(&self) {
        let Ok(journal) = self.journal() else { return };
        let (run, name) = (self.run.clone(), Arc::clone(&self.name));
        let delete = move |session: &Session| {
            let sql = "delete from contexture_journals where run = $1";
            session.write(sql, values![&run]).map_err(|fault| fault.told(&name))
        };
        journal.post(false, delete, drop::<Result<(), FlowStoreError>>);
    }
}

/// The lines of a journal that this process writes.
struct Lines {
    journal: Arc<PostgresJournal>,
    run: String,
    /// The first line that could not be written: none is after it.
    failed: Failed,
}

impl Lines {
    fn post(&self, work: impl Fn(&Session) -> Result<(), FlowStoreError> + Send + 'static) {
        let failed = Arc::clone(&self.failed);
        let known = Arc::clone(&self.failed);
        let work = move |session: &Session| match failure(&known) {
            Some(error) => Err(error),
            None => work(session),
        };
        self.journal.post(false, work, move |outcome| {
            if let Err(error) = outcome {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        });
    }
}

fn failure(failed: &Failed) -> Option<FlowStoreError> {
    failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl JournalLines for Lines {
    fn append(&mut self, line: &str) -> Result<(), JournalError> {
        let seal: &Seal = &self.journal.seal;
        let line = line.trim_end_matches('\n');
        let sealed = seal.close(Part::Journal, line).map_err(|error| fault(&error))?;
        let (text, run) = (sealed.unwrap_or_else(|| line.to_owned()), self.run.clone());
        let name = Arc::clone(&seal.name);
        self.post(move |session| {
            let sql = "insert into contexture_lines (run, text) values ($1, $2)";
            session.write(sql, values![&run, &text]).map_err(|fault| fault.told(&name))
        });
        Ok(())
    }

    fn sync(&self) -> Result<(), JournalError> {
        // What was posted before is written by then.
        let name = Arc::clone(&self.journal.seal.name);
        let synced = self.journal.write(move |session: &Session| {
            session.answered().map_err(|fault| fault.told::<FlowStoreError>(&name))
        });
        match failure(&self.failed).map_or(synced, Err) {
            Ok(()) => Ok(()),
            Err(error) => Err(fault(&error)),
        }
    }
}
