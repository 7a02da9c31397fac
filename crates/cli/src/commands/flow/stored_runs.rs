//! The stored runs of a project, and the run that a person names.

use crate::prelude::*;
use contexture::Project;
use contexture::diagnostic::suggestion;
use contexture::flows::{FlowError, StepHistory, is_within};
use contexture::protocol::content::Outcome;
use contexture::store::flows::{Filter, FlowJournal, FlowStoreError, Line, RunSummary};
use std::sync::Arc;

/// The file of runs in the data folder.
const FILE: &str = "flows.db";
/// The most ids in a message, and the most that are compared with a misspelt one.
const NAMED: usize = 5;
const LOOKED_AT: usize = 1_000;

/// The option that names the project.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FlowLocation {
    #[command(flatten)]
    pub(super) workspace: Workspace,
}

impl FlowLocation {
    /// Returns the place that `--workspace` of another command names.
    pub(crate) fn of(workspace: Option<&Path>) -> Self {
        Self { workspace: Workspace { workspace: workspace.map(Path::to_owned) } }
    }

    pub(super) fn project(&self) -> Result<Project, Abort> {
        self.workspace.open()
    }

    /// Opens the stored runs, if there are any.
    pub(crate) fn open(&self) -> Result<Option<Arc<dyn FlowJournal>>, Abort> {
        let project = self.project()?;
        if !project.state_folder().join("data").join(FILE).exists() {
            return Ok(None);
        }
        Ok(Some(contexture::flows::open(&project)?))
    }

    /// Finds the run that `asked` names: an id, its unique beginning or end, `latest`, or `latest~2`
    /// for the second before the latest.
    pub(crate) fn find(&self, asked: &str) -> Result<StoredRun, Abort> {
        let Some(journal) = self.open()? else {
            return Err(unknown(asked).help("no flow run is stored here").into());
        };
        let runs = journal.runs(&Filter::default())?;
        let summary = select(runs, asked)?;
        Ok(StoredRun { journal, summary })
    }
}

pub(crate) struct StoredRun {
    pub(super) journal: Arc<dyn FlowJournal>,
    pub(super) summary: RunSummary,
}

impl StoredRun {
    pub(crate) fn id(&self) -> &str {
        &self.summary.run
    }

    pub(crate) fn journal(&self) -> &dyn FlowJournal {
        &*self.journal
    }

    /// Reports whether a server runs it, and not the command line.
    pub(crate) fn is_of_server(&self) -> bool {
        !self.summary.owner.is_empty()
    }

    /// Returns the error about a command that needs the outer run of this one.
    pub(super) fn within(&self, command: &str, effect: &str) -> Abort {
        let outer = self.id().split('/').next().unwrap_or_default();
        let message = format!("the run {} belongs to a step of another run", self.id());
        let help = format!("`contexture flow {command} {outer}` {effect}");
        CommandError::refused("flow_run_within", message).help(help).into()
    }

    /// Returns the number of ended steps.
    pub(super) fn done(&self) -> usize {
        usize::try_from(self.summary.done).unwrap_or(usize::MAX)
    }

    /// Returns the set as JSON.
    pub(super) fn document(&self) -> Result<String, Abort> {
        Ok(self.journal.document(self.id())?.text)
    }

    /// Returns all events.
    pub(crate) fn log(&self) -> Result<Vec<Line>, Abort> {
        Ok(self.journal.log(self.id())?)
    }

    /// Returns the outcomes of started and ended steps.
    pub(super) fn outcomes(&self) -> Result<Vec<Outcome>, Abort> {
        let history = StepHistory::of(&self.log()?);
        Ok(history.steps.into_iter().map(|(outcome, _)| outcome).collect())
    }
}

fn select(runs: Vec<RunSummary>, asked: &str) -> Result<RunSummary, Abort> {
    let text = asked.trim();
    if let Some(found) = runs.iter().find(|run| run.run == text) {
        return Ok(found.clone());
    }
    if let Some(back) = back(text) {
        let found = runs.into_iter().filter(|run| !is_within(&run.run)).nth(back);
        return found.ok_or_else(|| unknown(asked).help(LIST).into());
    }
    let part = |id: &str| !text.is_empty() && (id.starts_with(text) || id.ends_with(text));
    // The ids of inner runs begin with the id of the outer run.
    let is_meant = |run: &&RunSummary| part(&run.run) && is_within(&run.run) == is_within(text);
    let fitting: Vec<&RunSummary> = runs.iter().filter(is_meant).collect();
    match fitting.as_slice() {
        [only] => Ok((*only).clone()),
        [] => {
            let ids = runs.iter().take(LOOKED_AT).map(|run| run.run.as_str());
            let help = suggestion(text, ids).unwrap_or_else(|| LIST.to_owned());
            Err(unknown(asked).help(help).into())
        }
        several => {
            let ids: Vec<&str> = several.iter().take(NAMED).map(|run| run.run.as_str()).collect();
            let message = format!("`{asked}` matches {} runs", several.len());
            let help = format!("give more of the id: {}", ids.join(", "));
            Err(CommandError::refused("flow_run_ambiguous", message).help(help).into())
        }
    }
}

const LIST: &str = "`contexture flow list` shows the stored runs";

/// Returns how many runs before the latest `latest~N` names.
fn back(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("latest")?;
    if rest.is_empty() { Some(0) } else { rest.strip_prefix('~')?.parse().ok() }
}

fn unknown(asked: &str) -> CommandError {
    CommandError::refused("flow_run_not_found", format!("unknown flow run `{asked}`"))
}

impl From<FlowError> for Abort {
    fn from(error: FlowError) -> Self {
        match error {
            FlowError::Setup(error) => error.into(),
            other => CommandError::failed("flows_failed", other.to_string()).into(),
        }
    }
}

impl From<FlowStoreError> for Abort {
    fn from(error: FlowStoreError) -> Self {
        let is_input = matches!(
            error,
            FlowStoreError::NotFound(_)
                | FlowStoreError::Exists(_)
                | FlowStoreError::Held { .. }
                | FlowStoreError::Ended { .. }
                | FlowStoreError::Id { .. }
                | FlowStoreError::Foreign { .. }
                | FlowStoreError::Newer { .. }
                | FlowStoreError::UnknownEvent { .. }
        );
        let exit = if is_input { Exit::Refused } else { Exit::Failed };
        let refused = CommandError::refused(error.code(), error.to_string()).help(error.help());
        CommandError { exit, ..refused }.into()
    }
}
