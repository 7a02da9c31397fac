//! The journals of sets: `flows.db` in the data folder.

use crate::fault::Fault;
use crate::serve::codes;
use contexture::Project;
use contexture::flows::{is_within, secrets};
use contexture::store::flows::{
    Filter, FlowJournal, FlowStoreError, InMemoryJournal, Options, RunState, RunSummary,
    SqliteJournal, Wait, WaitId,
};
use contexture::store::masker::Masker;
use contexture::store::stamp::Ids;
use contexture_flow::journal::Entry;
use contexture_protocol::content::Status;
use contexture_protocol::{Limits, Message};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The file of journals in the data folder.
pub(crate) const FLOWS_FILE: &str = "flows.db";
/// The number of the newest ended runs, whose end may not have been sent.
const LATEST: usize = 100;

pub(crate) struct Journals(Arc<dyn FlowJournal>);

/// A run of an earlier server.
#[derive(Clone)]
pub(crate) struct UnfinishedRun {
    pub(crate) run: String,
    pub(super) owner: String,
    /// The id of the message that is answered.
    pub(super) name: String,
    pub(crate) is_ended: bool,
    /// True if another process runs it.
    pub(super) is_held: bool,
}

impl Journals {
    /// Opens the journals in a data folder.
    ///
    /// # Errors
    /// A [`Fault`] when they can't be used.
    pub(crate) fn open(data: &Path, project: &Project, ids: Arc<Ids>) -> Result<Self, Fault> {
        if let Some(given) = &project.stores.journal {
            return Ok(Self(Arc::clone(given)));
        }
        let sealer = contexture::contexts::sealer(project).map_err(|error| {
            Fault::of(codes::BAD_SETTING, error.to_string()).with_help(error.help())
        })?;
        let masker = Arc::new(Masker::of_values(secrets(project)));
        let options = Options { masker, ids, sealer, ..Options::default() };
        let path = data.join(FLOWS_FILE);
        SqliteJournal::open(&path, &path.display().to_string(), options)
            .map(|journal| Self(journal))
            .map_err(|error| Fault::of(codes::BAD_DATA, error.to_string()))
    }

    /// Returns journals without runs, of a server that runs nothing.
    pub(crate) fn nothing() -> Self {
        Self(Arc::new(InMemoryJournal::default()))
    }

    pub(crate) fn journal(&self) -> Arc<dyn FlowJournal> {
        Arc::clone(&self.0)
    }

    /// Records the end of a run that is not resumed.
    pub(super) fn finish(&self, run: &str, status: Status) -> Result<(), FlowStoreError> {
        self.0.finish(run, status)
    }

    /// Returns a run of an owner.
    pub(crate) fn named(&self, owner: &str, run: &str) -> Option<UnfinishedRun> {
        let found = self.0.summary(run).ok().filter(|found| found.owner == owner);
        found.map(UnfinishedRun::from)
    }

    /// Returns the run for a message in a context.
    pub(crate) fn of_message(
        &self,
        owner: &str,
        context: &str,
        message: &str,
    ) -> Result<Option<UnfinishedRun>, FlowStoreError> {
        let (owner, context) = (Some(owner.to_owned()), Some(context.to_owned()));
        let name = Some(message.to_owned());
        let runs = self.0.runs(&Filter { owner, context, name, limit: 1, ..Filter::default() })?;
        Ok(runs.into_iter().next().map(UnfinishedRun::from))
    }

    /// Returns the unfinished runs of all owners and the newest ended ones, or those among some.
    pub(super) fn unfinished(
        &self,
        among: Option<&HashSet<String>>,
    ) -> Result<Vec<UnfinishedRun>, FlowStoreError> {
        let runs = match among {
            Some(among) => {
                let found = among.iter().map(|run| self.0.summary(run));
                let is_there =
                    |found: &Result<_, _>| !matches!(found, Err(FlowStoreError::NotFound(_)));
                found.filter(is_there).collect::<Result<Vec<_>, _>>()?
            }
            None => {
                let latest = self.0.runs(&Filter { limit: LATEST, ..Filter::default() })?;
                let is_ended = |run: &RunSummary| matches!(run.state, RunState::Ended(_));
                let mut runs = self.0.unfinished(None)?;
                runs.extend(latest.into_iter().filter(is_ended));
                runs
            }
        };
        // A run without an owner was started on the command line.
        let own = |run: &RunSummary| !run.owner.is_empty() && !is_within(&run.run);
        Ok(runs.into_iter().filter(own).map(UnfinishedRun::from).collect())
    }

    /// Returns the message with the set of a run; `None` when secrets in it were masked.
    pub(super) fn message(&self, run: &str) -> Result<Option<Message>, FlowStoreError> {
        let document = self.0.document(run)?;
        if document.masked {
            return Ok(None);
        }
        Ok(Message::parse(document.text.as_bytes(), &Limits::FILE).ok())
    }

    pub(super) fn entries(&self, left: &UnfinishedRun) -> Result<Vec<Entry>, FlowStoreError> {
        match self.0.log(&left.run) {
            Ok(lines) => Ok(lines.into_iter().map(|line| line.entry).collect()),
            Err(FlowStoreError::NotFound(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

impl UnfinishedRun {
    /// Returns the run of a wait that nothing works on.
    pub(super) fn parked(wait: Wait) -> Self {
        let WaitId { owner, message: name, .. } = wait.id;
        Self { run: wait.run, owner, name, is_ended: false, is_held: false }
    }
}

impl From<RunSummary> for UnfinishedRun {
    fn from(run: RunSummary) -> Self {
        let is_ended = matches!(run.state, RunState::Ended(_));
        let is_held = matches!(run.state, RunState::Running | RunState::Paused);
        Self { run: run.run, owner: run.owner, name: run.name, is_ended, is_held }
    }
}
