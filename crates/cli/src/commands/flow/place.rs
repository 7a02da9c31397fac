//! The kept runs of a project, and which of them a person means.

use crate::complaint::{Complaint, Exit, Stop};
use crate::workspace;
use contexture::Project;
use contexture::diagnostic::suggestion;
use contexture::flow::journal::Entry;
use contexture::flows::{FlowError, is_within};
use contexture::protocol::content::{Outcome, Status};
use contexture::store::flows::{Filter, FlowStoreError, Line, RunSummary, SqliteJournal};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The file of runs in the data folder.
const FILE: &str = "flows.db";
/// Ids that are named when several fit, and looked through for one that is alike.
const NAMED: usize = 5;
const LOOKED_AT: usize = 1_000;

/// Whose runs are meant.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Place {
    /// The project; by default the nearest folder with a contexture.toml at or above the current
    /// one, else the current one.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(super) workspace: Option<PathBuf>,
}

impl Place {
    /// The project.
    pub(super) fn project(&self) -> Result<Project, Stop> {
        workspace::here_or(self.workspace.as_deref())
    }

    /// The kept runs; `None` when none was ever kept.
    pub(super) fn open(&self) -> Result<Option<Arc<SqliteJournal>>, Stop> {
        let project = self.project()?;
        if !project.state_folder().join("data").join(FILE).exists() {
            return Ok(None);
        }
        let journal = contexture::flows::open(&project);
        journal.map(Some).map_err(refuse_flow)
    }

    /// The run that `asked` means: an id, its beginning or its end as far as only one run has it,
    /// `latest`, or `latest~2` for the second before the latest.
    pub(super) fn find(&self, asked: &str) -> Result<Kept, Stop> {
        let Some(journal) = self.open()? else {
            return Err(unknown(asked).help("no run of a flow is kept here yet").into());
        };
        let runs = journal.runs(&Filter::default());
        let runs = runs.map_err(|error| refuse(&error))?;
        let summary = select(runs, asked)?;
        Ok(Kept { journal, summary })
    }
}

/// A kept run.
pub(super) struct Kept {
    pub(super) journal: Arc<SqliteJournal>,
    pub(super) summary: RunSummary,
}

/// What is known of each step of a kept run, and the ids of those that were started, in order.
pub(super) struct Past {
    /// With the time in microseconds at which each began.
    pub(super) steps: Vec<(Outcome, Option<u64>)>,
    pub(super) order: Vec<String>,
}

impl Kept {
    pub(super) fn id(&self) -> &str {
        &self.summary.run
    }

    /// How many of its steps have ended.
    pub(super) fn done(&self) -> usize {
        usize::try_from(self.summary.done).unwrap_or(usize::MAX)
    }

    /// The set as JSON.
    pub(super) fn document(&self) -> Result<String, Stop> {
        let document = self.journal.document(self.id()).map_err(|error| refuse(&error))?;
        Ok(document.text)
    }

    /// All that happened.
    pub(super) fn log(&self) -> Result<Vec<Line>, Stop> {
        self.journal.log(self.id()).map_err(|error| refuse(&error))
    }

    /// What became of the steps that were begun or have ended.
    pub(super) fn outcomes(&self) -> Result<Vec<Outcome>, Stop> {
        let past = past(&self.log()?);
        Ok(past.steps.into_iter().map(|(outcome, _)| outcome).collect())
    }
}

/// What a log says of the steps: those that ended have their outcome, the others are running.
pub(super) fn past(log: &[Line]) -> Past {
    let mut began: HashMap<&str, u64> = HashMap::new();
    let mut ended: HashSet<&str> = HashSet::new();
    let mut order = Vec::new();
    let mut steps = Vec::new();
    for line in log {
        match &line.entry {
            Entry::Started { id, .. } if !began.contains_key(id.as_str()) => {
                began.insert(id, line.time_us);
                order.push(id.clone());
            }
            Entry::Ended(outcome) => {
                let id = outcome.instruction_id.as_str();
                ended.insert(id);
                steps.push(((**outcome).clone(), began.get(id).copied()));
            }
            _ => {}
        }
    }
    let open = order.iter().filter(|id| !ended.contains(id.as_str()));
    steps.extend(
        open.map(|id| {
            (Outcome::new(id.as_str(), Status::Running), began.get(id.as_str()).copied())
        }),
    );
    Past { steps, order }
}

fn select(runs: Vec<RunSummary>, asked: &str) -> Result<RunSummary, Stop> {
    let text = asked.trim();
    if let Some(found) = runs.iter().find(|run| run.run == text) {
        return Ok(found.clone());
    }
    if let Some(back) = back(text) {
        let found = runs.into_iter().filter(|run| !is_within(&run.run)).nth(back);
        return found.ok_or_else(|| unknown(asked).help(LIST).into());
    }
    let part = |id: &str| !text.is_empty() && (id.starts_with(text) || id.ends_with(text));
    // The beginning of a run's id is that of the runs within it, too.
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
            let message = format!("{} runs are named `{asked}`", several.len());
            let help = format!("give more of the id: {}", ids.join(", "));
            Err(Complaint::refused("flow_run_ambiguous", message).help(help).into())
        }
    }
}

const LIST: &str = "`contexture flow list` shows the runs that are kept";

/// How many runs before the latest are meant, when the latest or one before it is.
fn back(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("latest")?;
    if rest.is_empty() { Some(0) } else { rest.strip_prefix('~')?.parse().ok() }
}

fn unknown(asked: &str) -> Complaint {
    Complaint::refused("flow_run_not_found", format!("there is no run `{asked}` of a flow"))
}

/// What can't be done with the kept runs.
pub(super) fn refuse_flow(error: FlowError) -> Stop {
    match error {
        FlowError::Setup(error) => Complaint::from(error).into(),
        other => Complaint::failed("flows_failed", other.to_string()).into(),
    }
}

/// What the store says, with whose fault it is.
pub(super) fn refuse(error: &FlowStoreError) -> Stop {
    let is_input = matches!(
        error,
        FlowStoreError::NotFound(_)
            | FlowStoreError::Exists(_)
            | FlowStoreError::Held { .. }
            | FlowStoreError::Ended { .. }
            | FlowStoreError::Id { .. }
            | FlowStoreError::Foreign { .. }
            | FlowStoreError::Newer { .. }
    );
    let exit = if is_input { Exit::Refused } else { Exit::Failed };
    let complaint = Complaint::refused(error.code(), error.to_string()).help(error.help());
    Complaint { exit, ..complaint }.into()
}
