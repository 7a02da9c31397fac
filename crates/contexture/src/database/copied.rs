//! Copies between folders and databases, with the journals of turns of a project (WA-11).

use super::{CopiedPlace, DatabaseError, PASSWORD};
use crate::contexts;
use crate::durable;
use crate::project::Project;
use contexture_core::store::journals::JournalLines;
use contexture_store::Counts;
use contexture_store::postgres::Address;
use contexture_store::postgres::transfer::{
    Beside, DatabasePlace, Files, TransferError, between, into_database, into_files,
};

impl From<TransferError> for DatabaseError {
    fn from(error: TransferError) -> Self {
        Self::of(&error, error.help())
    }
}

pub(super) fn copy(
    project: &Project,
    (from, to): (CopiedPlace<'_>, CopiedPlace<'_>),
    texts: &mut Vec<(String, String)>,
) -> Result<Counts, DatabaseError> {
    use CopiedPlace::{Database, Files as Folder};
    match (from, to) {
        (Folder { contexts, flows }, Database(to)) => {
            let beside = InProject::of(project, std::mem::take(texts));
            Ok(into_database(&files(contexts, flows), &beside, place(project, to)?)?)
        }
        (Database(from), Folder { contexts, flows }) => {
            let mut beside = InProject::of(project, Vec::new());
            let counts = into_files(place(project, from)?, &files(contexts, flows), &mut beside)?;
            *texts = beside.finish()?;
            Ok(counts)
        }
        (Database(from), Database(to)) => Ok(between(place(project, from)?, place(project, to)?)?),
        (Folder { .. }, Folder { .. }) => {
            Err(DatabaseError::of("neither place is a database", "copy the folder"))
        }
    }
}

fn files(contexts: &std::path::Path, flows: &std::path::Path) -> Files {
    Files { contexts: contexts.to_owned(), flows: flows.to_owned() }
}

fn place(project: &Project, address: &str) -> Result<DatabasePlace, DatabaseError> {
    let address = Address::parse(address, project.environment.get(PASSWORD))?;
    let tls = contexture_tools::client::tls(true)
        .map_err(|error| DatabaseError::of(error, "see what the system reports"))?;
    Ok(DatabasePlace { address, tls, sealer: contexts::options(project)?.sealer })
}

/// The texts of a folder, and the journals of its project. New journals are removed again unless the copy
/// is finished.
struct InProject<'p> {
    project: &'p Project,
    texts: Vec<(String, String)>,
    /// The journals that were made.
    made: Vec<String>,
    /// The last of them, which is written.
    lines: Option<Box<dyn JournalLines>>,
}

impl<'p> InProject<'p> {
    const fn of(project: &'p Project, texts: Vec<(String, String)>) -> Self {
        Self { project, texts, made: Vec::new(), lines: None }
    }

    fn sync(&mut self) -> Result<(), String> {
        let lines = self.lines.take();
        lines.map_or(Ok(()), |lines| lines.sync()).map_err(|error| error.to_string())
    }

    /// Keeps the new journals; returns the texts.
    fn finish(mut self) -> Result<Vec<(String, String)>, DatabaseError> {
        self.sync().map_err(|error| DatabaseError::from(TransferError::Beside(error)))?;
        self.made.clear();
        Ok(std::mem::take(&mut self.texts))
    }
}

impl Beside for InProject<'_> {
    fn texts(&self) -> Result<Vec<(String, String)>, String> {
        Ok(self.texts.clone())
    }

    fn put_text(&mut self, name: &str, text: &str) -> Result<(), String> {
        self.texts.push((name.to_owned(), text.to_owned()));
        Ok(())
    }

    fn journals(&self) -> Result<Vec<String>, String> {
        durable::ids_of_turns(self.project).map_err(|error| error.message)
    }

    fn journal(&self, run: &str) -> Result<Vec<String>, String> {
        let read = durable::place_of(self.project, run).read();
        let bytes = read.map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
    }

    fn put_line(&mut self, run: &str, line: &str) -> Result<(), String> {
        if self.made.last().is_none_or(|last| last != run) {
            self.sync()?;
            let place = durable::place_of(self.project, run);
            let made = place.create();
            self.lines = Some(made.map_err(|error| format!("{}: {error}", place.name()))?);
            self.made.push(run.to_owned());
        }
        let Some(lines) = &mut self.lines else { return Ok(()) };
        lines.append(&format!("{line}\n")).map_err(|error| error.to_string())
    }
}

impl Drop for InProject<'_> {
    fn drop(&mut self) {
        self.lines = None;
        for run in &self.made {
            durable::place_of(self.project, run).remove();
        }
    }
}
