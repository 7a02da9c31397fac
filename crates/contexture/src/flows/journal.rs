//! The journal of runs: `.contexture/data/flows.db` of the project (FL-11).

use super::error::FlowError;
use super::request::FlowRequest;
#[cfg(feature = "store-sqlite")]
use crate::contexts::{self, KeyError};
use crate::models;
use crate::project::Project;
use crate::servers;
use contexture_context::Label;
use contexture_flow::journal::{Entry, Journal, Past, Unkept};
#[cfg(feature = "store-sqlite")]
use contexture_store::contexts::Sealer;
use contexture_store::flows::{ClaimedRun, FlowJournal, FlowStoreError, RunHead};
use contexture_store::masker::Masker;
use std::sync::Arc;

/// The most runs of a set within one step.
const MOST_AGAIN: u32 = 10_000;

/// The right to execute a run; it ends with this value.
pub(super) type Held = Box<dyn ClaimedRun>;

/// A run and where it is kept.
pub(super) struct Kept {
    pub(super) run: String,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) past: Option<Past>,
    /// The labels of the results so far, by step (GU-4).
    pub(super) labels: Vec<(String, Label)>,
    pub(super) held: Option<Held>,
}

/// The head of a run that begins.
pub(super) struct Head {
    pub(super) name: String,
    pub(super) owner: String,
    pub(super) context: Option<String>,
    pub(super) steps: u64,
}

impl Kept {
    /// Returns a run that is not kept.
    pub(super) fn nowhere(run: String) -> Self {
        Self { run, journal: Arc::new(Unkept), past: None, labels: Vec::new(), held: None }
    }

    /// Begins a run.
    pub(super) fn begin(
        journal: &Arc<dyn FlowJournal>,
        run: String,
        document: &str,
        head: &Head,
    ) -> Result<Self, FlowStoreError> {
        let held = journal.begin(&RunHead {
            run: &run,
            name: &head.name,
            document,
            context: head.context.as_deref(),
            owner: &head.owner,
            steps: head.steps,
            started_us: 0,
        })?;
        let (journal, labels) = (Arc::clone(journal) as _, Vec::new());
        Ok(Self { run, journal, past: None, labels, held: Some(held) })
    }

    /// Resumes a run that was broken off.
    pub(super) fn resume(journal: &Arc<dyn FlowJournal>, run: &str) -> Result<Self, FlowError> {
        let held = journal.claim(run)?;
        let entries: Vec<Entry> = journal.log(run)?.into_iter().map(|line| line.entry).collect();
        // So that nothing begins before the request to cancel is known.
        let cancelled = held.is_cancelled().then_some(Entry::Cancelled);
        Ok(Self {
            run: run.to_owned(),
            journal: Arc::clone(journal) as _,
            labels: entries.iter().filter_map(labelled).collect(),
            past: Some(Past::of(entries.into_iter().chain(cancelled))),
            held: Some(held),
        })
    }

    /// Returns the run of a set within a step: the one that was broken off, else a new one. `id`
    /// names the first, the second …
    pub(super) fn within(
        journal: &Arc<dyn FlowJournal>,
        id: impl Fn(u32) -> String,
        document: &str,
        head: &Head,
    ) -> Result<Self, FlowError> {
        for again in 1..=MOST_AGAIN {
            let run = id(again);
            match Self::begin(journal, run.clone(), document, head) {
                Err(FlowStoreError::Exists(_)) => {}
                other => return Ok(other?),
            }
            match Self::resume(journal, &run) {
                Err(FlowError::Setup(error)) if error.code == "flow_run_ended" => {}
                other => return other,
            }
        }
        Err(too_often())
    }

    /// Begins another run within a step, whatever became of those before.
    pub(super) fn new_within(
        journal: &Arc<dyn FlowJournal>,
        id: impl Fn(u32) -> String,
        document: &str,
        head: &Head,
    ) -> Result<Self, FlowError> {
        let begun = (1..=MOST_AGAIN).map(|again| Self::begin(journal, id(again), document, head));
        let mut begun = begun.filter(|begun| !matches!(begun, Err(FlowStoreError::Exists(_))));
        begun.next().map_or_else(|| Err(too_often()), |begun| Ok(begun?))
    }
}

fn too_often() -> FlowError {
    let message = format!("the set was begun {MOST_AGAIN} times");
    FlowError::setup("flow_run_exists", message, "begin a new run")
}

impl From<FlowStoreError> for FlowError {
    fn from(error: FlowStoreError) -> Self {
        Self::setup(error.code(), &error, error.help())
    }
}

/// Returns the keys of models and what servers are given: what no journal of a project's runs may
/// hold.
#[must_use]
pub fn secrets(project: &Project) -> Vec<String> {
    let mut secrets = models::secrets(&models::provider_settings(project));
    secrets.extend(servers::secrets(project));
    secrets
}

pub(super) fn labelled(entry: &Entry) -> Option<(String, Label)> {
    match entry {
        Entry::Labelled { id, label } => Some((id.clone(), label.clone())),
        _ => None,
    }
}

/// Returns the mask of what must not be written down: keys of models, what servers are given, and
/// what the caller adds.
pub(super) fn masker(project: &Project, private: &[String]) -> Arc<Masker> {
    // A journal is read again, so what only looks like a secret stays.
    let masker = Masker::of_values(secrets(project));
    masker.add(private.iter().cloned());
    Arc::new(masker)
}

/// Opens the runs of flows that are kept in a project. One process opens it once and shares it.
///
/// # Errors
/// [`FlowError::Setup`] when the file can't be used.
pub fn open(project: &Project) -> Result<Arc<dyn FlowJournal>, FlowError> {
    open_masked(project, masker(project, &[]))
}

pub(super) fn open_masked(
    project: &Project,
    masker: Arc<Masker>,
) -> Result<Arc<dyn FlowJournal>, FlowError> {
    if let Some(given) = &project.stores.journal {
        return Ok(Arc::clone(given));
    }
    embedded(project, masker)
}

#[cfg(feature = "store-sqlite")]
fn embedded(project: &Project, masker: Arc<Masker>) -> Result<Arc<dyn FlowJournal>, FlowError> {
    use contexture_store::flows::{Options, SqliteJournal};
    let path = project.state_folder().join("data").join("flows.db");
    let options = Options { masker, sealer: sealer(project)?, ..Options::default() };
    Ok(SqliteJournal::open(&path, ".contexture/data/flows.db", options)?)
}

#[cfg(not(feature = "store-sqlite"))]
fn embedded(_: &Project, _: Arc<Masker>) -> Result<Arc<dyn FlowJournal>, FlowError> {
    use contexture_diagnostic::MissingFeature;
    let missing = MissingFeature { part: "journal of flows", feature: "store-sqlite" };
    let help = format!("{}, or give the project a journal, or keep nothing", missing.help());
    Err(FlowError::setup(MissingFeature::CODE, missing, help))
}

/// Returns the sealer of the runs, with the key of the project's contexts (CP-19). Without a key,
/// runs are kept unsealed, and sealed ones can't be read.
#[cfg(feature = "store-sqlite")]
fn sealer(project: &Project) -> Result<Option<Arc<dyn Sealer>>, FlowError> {
    match contexts::sealer(project) {
        Ok(sealer) => Ok(sealer),
        Err(KeyError::NotSet(_)) => Ok(None),
        Err(error) => Err(FlowError::setup("flows_sealed", &error, error.help())),
    }
}

/// Makes sure that a run is not a part of another one: only the step that runs a set within decides
/// what it may do.
pub(super) fn names(request: &FlowRequest) -> Result<(), FlowError> {
    if let Some(run) = request.resume.as_deref().filter(|run| is_within(run)) {
        let message = format!("`{run}` is the run of a set within a step of another run");
        let top = run.split('/').next().unwrap_or(run);
        return Err(FlowError::setup("flow_run_within", message, format!("go on with `{top}`")));
    }
    if let Some(run) = request.id.as_deref().filter(|run| is_within(run)) {
        let message = format!("`{run}` is not the id of a run: it has a `/`");
        return Err(FlowError::setup("flow_run_id", message, "give another one, or none"));
    }
    Ok(())
}

/// Reports whether a run is that of a set within a step of another run, which resumes it.
#[must_use]
pub fn is_within(run: &str) -> bool {
    run.contains('/')
}
