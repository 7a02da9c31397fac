//! Where runs are kept: `.contexture/data/flows.db` of the project (FL-11).
//!
//! Decision: what a run was asked with and needs to be gone on with stands in the kept document
//! beside the set, under `contexture`, where the set knows no field; so an id alone is enough.

use super::{FlowError, FlowRequest};
use crate::models;
use crate::project::Project;
use crate::servers;
use contexture_context::Trust;
use contexture_flow::journal::{Journal, Past, Unkept};
use contexture_store::flows::{self, Claim, FlowStoreError, RunHead, SqliteJournal};
use contexture_store::masker::Masker;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// The field of a kept document that is not the set's.
const OWN: &str = "contexture";

/// How often a set within a step is begun anew, at most.
const MOST_AGAIN: u32 = 10_000;

/// The right to do a run; it ends with this value.
pub(super) type Held = Claim;

/// A run and where it is kept.
pub(super) struct Kept {
    pub(super) run: String,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) past: Option<Past>,
    pub(super) held: Option<Held>,
}

/// What is said of a run that begins.
pub(super) struct Head {
    pub(super) name: String,
    pub(super) owner: String,
    pub(super) context: Option<String>,
    pub(super) steps: u64,
}

impl Kept {
    /// A run that is not kept.
    pub(super) fn nowhere(run: String) -> Self {
        Self { run, journal: Arc::new(Unkept), past: None, held: None }
    }

    /// Begins a run.
    pub(super) fn begin(
        journal: &Arc<SqliteJournal>,
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
        Ok(Self { run, journal: Arc::clone(journal) as _, past: None, held: Some(held) })
    }

    /// Goes on with a run that was broken off.
    pub(super) fn resume(journal: &Arc<SqliteJournal>, run: &str) -> Result<Self, FlowError> {
        let held = journal.claim(run)?;
        let entries = held.entries().map_err(|error| {
            FlowError::setup("flows_failed", error, "see what the system reports")
        })?;
        Ok(Self {
            run: run.to_owned(),
            journal: Arc::clone(journal) as _,
            past: Some(Past::of(entries)),
            held: Some(held),
        })
    }

    /// The run of a set within a step: the one that was broken off, else a new one. `id` names the
    /// first, the second …
    pub(super) fn within(
        journal: &Arc<SqliteJournal>,
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
        let message = format!("the set was begun {MOST_AGAIN} times");
        Err(FlowError::setup("flow_run_exists", message, "begin a new run"))
    }
}

impl From<FlowStoreError> for FlowError {
    fn from(error: FlowStoreError) -> Self {
        Self::setup(error.code(), &error, error.help())
    }
}

/// What must not be written down: keys of models, what servers are given, and what the caller says.
pub(super) fn masker(project: &Project, private: &[String]) -> Arc<Masker> {
    let masker = Masker::new(models::secrets(&models::provider_settings(project)));
    masker.add(servers::secrets(project));
    masker.add(private.iter().cloned());
    Arc::new(masker)
}

/// The runs of flows that are kept in a project. One process opens it once and shares it.
///
/// # Errors
/// [`FlowError::Setup`] when the file can't be used.
pub fn open(project: &Project) -> Result<Arc<SqliteJournal>, FlowError> {
    open_masked(project, masker(project, &[]))
}

pub(super) fn open_masked(
    project: &Project,
    masker: Arc<Masker>,
) -> Result<Arc<SqliteJournal>, FlowError> {
    let path = project.state_folder().join("data").join("flows.db");
    let options = flows::Options { masker, ..flows::Options::default() };
    Ok(SqliteJournal::open(&path, ".contexture/data/flows.db", options)?)
}

/// Whether a run is that of a set within a step of another run, which goes on with it.
#[must_use]
pub fn is_within(run: &str) -> bool {
    run.contains('/')
}

/// What a run needs besides its set to be gone on with.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Asked {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    programs: Vec<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<Trust>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
}

impl Asked {
    fn of(request: &FlowRequest) -> Self {
        let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        Self {
            programs: request.programs.iter().map(whole).collect(),
            near: request.near.as_ref().map(whole),
            allow: request.allow.clone(),
            trust: Some(request.trust).filter(|trust| *trust != Trust::User),
            model: request.model.clone(),
        }
    }

    /// Fills in what the request leaves open. What may be used and believed stays as it was.
    fn put(self, request: &mut FlowRequest) {
        if request.programs.is_empty() {
            request.programs = self.programs;
        }
        request.near = request.near.take().or(self.near);
        request.model = request.model.take().or(self.model);
        request.allow = self.allow;
        request.trust = self.trust.unwrap_or(Trust::User);
    }
}

/// The document as it is kept: the set, and what the run was asked with.
pub(super) fn to_keep(request: &FlowRequest) -> String {
    let text = String::from_utf8_lossy(&request.document).into_owned();
    let asked = Asked::of(request);
    // A field of the caller's own of that name would be read as ours.
    if asked == Asked::default() && !text.contains(OWN) {
        return text;
    }
    let Ok(Value::Object(mut map)) = serde_json::from_str(&text) else { return text };
    map.remove(OWN);
    map.insert(OWN.to_owned(), serde_json::to_value(asked).unwrap_or_default());
    Value::Object(map).to_string()
}

/// Takes the kept document of a run into a request. One that is given must be the same set.
pub(super) fn take_kept(
    journal: &SqliteJournal,
    run: &str,
    masker: &Masker,
    request: &mut FlowRequest,
) -> Result<(), FlowError> {
    let kept = journal.document(run)?;
    let mut document: Value = serde_json::from_str(&kept.text).unwrap_or_default();
    let asked = document.as_object_mut().and_then(|map| map.remove(OWN)).unwrap_or_default();
    let asked: Asked = serde_json::from_value(asked).unwrap_or_default();
    if request.document.is_empty() {
        if kept.masked {
            let message = format!("the set of the run `{run}` held secrets, which were not kept");
            return Err(FlowError::setup("flow_document_masked", message, "give the set again"));
        }
        request.document = document.to_string().into_bytes();
    } else {
        let mut given: Value = serde_json::from_slice(&request.document).unwrap_or_default();
        given.as_object_mut().and_then(|map| map.remove(OWN));
        masker.value(&mut given);
        if given != document {
            let message = format!("this is not the set that the run `{run}` began with");
            let help = "leave it out to go on with the one that was kept, or begin a new run";
            return Err(FlowError::setup("flow_document_differs", message, help));
        }
    }
    asked.put(request);
    Ok(())
}
