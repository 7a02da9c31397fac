//! Tool calls and instruction sets with everything that a project offers (FL-1 to FL-13).
//!
//! A set is checked and run by [`contexture_flow`]; this module is what its actions are:
//!
//! | action | what it does |
//! |---|---|
//! | `echo`, `calculator`, `QUERY_DATA` … | [the built-in actions](contexture_actions) |
//! | `agent:Name`, `agent:Name.func` | runs an AgentScript agent, or one of its functions |
//! | `mcp:server/tool`, `tool` | calls an accepted tool of an MCP server |
//! | `generate` | asks a model; the answer has a shape |
//! | `RUN_INSTRUCTIONS` | runs a set that a result holds |
//! | a tool of the front end | asks the client that announced it |
//! | a function of this process | [`FlowRequest::host`] |
//! | a name of `[serve.tools]` | calls the target of that name |
//!
//! Names of the settings win over all others. Functions of this process win over built-in actions, those over tools of a client, and these
//! over tools of servers by their own name.
//!
//! # Agents
//! `agent:Name` is the agent `Name` of a program: of those in [`FlowRequest::programs`], else of a
//! file `*.as` in the folder of the set or of the project. A file stands for its main agent too:
//! `agent:summary` is what `contexture run summary.as` runs. Parameters are the input when the
//! function takes one object (`main func(input { path string })` takes `{"path": …}`), and
//! arguments by name otherwise (`main func(question string)` takes `{"question": …}`). Each run
//! keeps its trace ([`Flow::traces`]). An agent is idempotent if its program imports no tool and no
//! memory (FL-11).
//!
//! # Generations
//! `generate {prompt, uses?, shape?, model?, temperature?, maxOutput?, attempts?}`: `uses` is an
//! object of labelled values or a list of `{label?, value, max?}` with budgets in tokens; `shape`
//! is a text as in programs, `{ title string, points list[string] }`, or the part of JSON Schema
//! that shapes can express.
//!
//! # Trust
//! Results are data. A value keeps its trust on the way from step to step, so that what a tool
//! returned is fenced when an agent shows it to a model. A result that looks like a set is run only
//! by `RUN_INSTRUCTIONS {set, allow}`, and only with the actions that `allow` lists, which must
//! stand in the set itself. A document that a program or a model wrote ([`from_program`]) likewise
//! needs [`FlowRequest::allow`] when a model had a part in it.
//!
//! ```
//! use contexture::flows::{Flow, FlowRequest};
//! use contexture::{Environment, Project};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(folder.join("port.as"), r#"
//!     main func(input { notes string, question string }) {
//!       use input.notes as notes
//!       generate({ input: input.question }) -> { answer string }
//!     }
//! "#)?;
//! let document = r#"{"instructions": [
//!   {"instructionId": "ask", "action": "agent:port", "parameters": {
//!     "notes": "The server listens on port 7878.", "question": "Which port does the server listen on?"}},
//!   {"instructionId": "tell", "action": "echo", "dependencies": ["ask"],
//!    "parameters": {"text": "Answer: ${dependencies.ask.result.answer}"}}]}"#;
//!
//! let project = Project::open(folder, Environment::default())?;
//! let request = FlowRequest { document: document.into(), ..FlowRequest::default() };
//! let flow = Flow::prepare(&project, request)?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let report = flow.run().await;
//! let told = report.outcome(1).and_then(|outcome| outcome.result).unwrap();
//! assert_eq!(told["text"], "Answer: The server listens on port 7878.");
//! # });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agents;
mod allow;
mod call;
mod catalog;
mod client;
mod close;
mod discreet;
mod document;
mod error;
mod generate;
mod journal;
mod kit;
mod labelled;
mod listed;
mod named;
mod nested;
mod offered;
pub(crate) mod origins;
mod own;
pub(crate) mod planned;
mod program;
mod request;
mod returned;
mod settle;
pub(crate) mod shape;
mod takes;

pub use close::{Closed, close};
pub use error::FlowError;
pub use journal::{is_within, open, secrets};
pub use kit::StepTrace;
pub use listed::{StepHistory, is_for_owner, listed, shown, word};
pub use named::{ToolFault, check_tools};
pub use offered::{Offered, offered};
pub use planned::Plans;
pub use request::{CONCURRENCY, Conceal, FailedStep, FlowRequest, Limits, Waits};
pub use returned::{Entry, Returned, from_program};
pub use settle::{in_doubt, is_settled, settle};

use crate::project::Project;
use allow::Allow;
use catalog::Catalog;
use contexture_context::{Label, Trust};
use contexture_flow::Set;
use contexture_flow::check::{Plan, Report as Checked, check};
use contexture_flow::run::{Control, Options, Parts, Report, Run};
use discreet::Discreet;
use journal::{Head, Held, Kept};
use kit::Kit;
use labelled::Labelled;
use origins::Origins;
use std::sync::Arc;

/// A set that was checked and can be run.
pub struct Flow {
    run: Run,
    id: String,
    kit: Arc<Kit>,
    held: Option<Held>,
    labels: Labels,
}

/// The labels of the results of a run, while it runs and afterwards (GU-4).
#[derive(Clone)]
pub struct Labels(Arc<Origins>);

impl Labels {
    /// Reads the labels that a journal kept.
    #[must_use]
    pub fn kept(entries: &[contexture_flow::journal::Entry]) -> Self {
        let origins = Origins::default();
        origins.restore(entries.iter().filter_map(journal::labelled));
        Self(Arc::new(origins))
    }

    /// Returns the label of a step's result, if it is known: labels of sets that only read are not
    /// followed unless [`FlowRequest::is_labelled`] asks for it.
    #[must_use]
    pub fn of(&self, step: &str) -> Option<Label> {
        self.0.known(step)
    }

    /// Restores the label of a result that another process got.
    pub fn restore(&self, step: String, label: Label) {
        self.0.restore([(step, label)]);
    }

    /// Returns the label of the set and all results.
    #[must_use]
    pub fn all(&self) -> Label {
        self.0.all()
    }
}

/// The traces of a run's agents, while it runs and afterwards.
#[derive(Clone)]
pub struct Traces(Arc<Kit>);

impl Traces {
    /// Returns the traces so far, in the order in which they began.
    #[must_use]
    pub fn get(&self) -> Vec<StepTrace> {
        self.0.traces()
    }
}

impl Flow {
    /// Checks a set and everything that it needs. A run that is kept begins with this: its id and
    /// its set are durable. It reads files, and blocks for it.
    ///
    /// # Errors
    /// [`FlowError`]; nothing was run.
    pub fn prepare(project: &Project, mut request: FlowRequest) -> Result<Self, FlowError> {
        journal::names(&request)?;
        let masker = journal::masker(project, &request.run.private);
        let journal = match (&request.journal, request.run.forget) {
            (Some(journal), _) => Some(Arc::clone(journal)),
            (None, true) => None,
            (None, false) => Some(journal::open_masked(project, Arc::clone(&masker))?),
        };
        let mut taken = None;
        if let Some(run) = request.resume.clone() {
            let journal = journal.as_ref().ok_or_else(|| {
                let message = "a run that is not kept can't be gone on with";
                FlowError::setup("flow_not_kept", message, "leave `forget` out")
            })?;
            document::take_kept(&**journal, &run, &masker, &mut request)?;
            taken = Some(Kept::resume(journal, &run)?);
        }
        let (set, allow) = read(&request)?;
        let kept_text = journal.as_ref().map(|_| document::to_keep(&request));
        let id = request.resume.clone().or_else(|| request.id.clone());
        let id =
            id.unwrap_or_else(|| format!("flow_{}", contexture_store::stamp::system().next().0));
        request.document = Vec::new();
        let kit = Arc::new(Kit::new(project, request, &masker, journal)?);
        let request = &kit.request;
        let place = (request.label(), allow, 0);
        let catalog = Arc::new(Catalog::new(&kit, &set, id.clone(), place));
        let plan = check(set, &*catalog, &request.earlier).map_err(FlowError::Refused)?;
        catalog.ready(plan.set())?;
        let kept = match (taken, &kit.journal, kept_text) {
            (Some(taken), ..) => taken,
            (None, Some(journal), Some(text)) => {
                let head = Head {
                    name: request.name.clone(),
                    owner: request.owner.clone(),
                    context: request.run.context.clone(),
                    steps: plan.len() as u64,
                };
                Kept::begin(journal, id, &text, &head)?
            }
            _ => Kept::nowhere(id),
        };
        Self::of(kit, catalog, plan, kept)
    }

    fn of(kit: Arc<Kit>, catalog: Arc<Catalog>, plan: Plan, kept: Kept) -> Result<Self, FlowError> {
        let origins = &Arc::clone(&catalog.origins);
        origins.restore(kit.request.labels.iter().cloned().chain(kept.labels));
        let waits = &kit.request.waits;
        let options = Options {
            run: kept.run.clone(),
            concurrency: kit.request.concurrency.unwrap_or(CONCURRENCY),
            limits: kit.request.limits.run,
            journal: Labelled::of(Discreet::of(kept.journal, &kit.request.run.private), origins),
            observer: kit.request.observer.clone(),
            past: kept.past.map(|past| past.waiting(waits.steps.iter().cloned())),
            elapsed: waits.elapsed,
            waiting: Arc::clone(&waits.count),
        };
        let run = Run::new(plan, catalog, options);
        if let Some(held) = &kept.held {
            held.watch(run.control().into())?;
        }
        let labels = Labels(Arc::clone(origins));
        Ok(Self { run, id: kept.run, kit, held: kept.held, labels })
    }

    /// Returns the id of the run.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.id
    }

    /// Returns the set.
    #[must_use]
    pub fn set(&self) -> &Set {
        self.run.plan().set()
    }

    /// Returns the warnings of the check.
    #[must_use]
    pub fn warnings(&self) -> &Checked {
        self.run.plan().warnings()
    }

    /// Returns the handle that pauses, resumes and cancels it. A run that is kept also follows
    /// requests through its journal, from any process.
    #[must_use]
    pub fn control(&self) -> Control {
        self.run.control()
    }

    /// Returns the traces of its agents and generations.
    #[must_use]
    pub fn traces(&self) -> Traces {
        Traces(Arc::clone(&self.kit))
    }

    /// Returns the labels of its results.
    #[must_use]
    pub fn labels(&self) -> Labels {
        self.labels.clone()
    }

    /// Runs it to its end, within a tokio runtime with time and I/O. Dropped before, it cancels
    /// what it has running, and a run that is kept can be resumed.
    pub async fn run(self) -> Report {
        self.run_by(|parts, _| parts.run()).await
    }

    /// Runs it with a driver of another kind, as [`Self::run`] does. The driver restores the labels of
    /// results that it brings from elsewhere.
    pub async fn run_by<F: Future<Output = Report>>(
        self,
        drive: impl FnOnce(Parts, Labels) -> F,
    ) -> Report {
        let Self { run, kit, held, labels, .. } = self;
        let report = drive(run.into_parts(), labels).await;
        kit.servers.close().await;
        drop(held);
        report
    }
}

/// Checks a set as [`Flow::prepare`] does, and begins no run. Returns the set with its warnings.
///
/// # Errors
/// [`FlowError`].
pub fn checked(project: &Project, mut request: FlowRequest) -> Result<(Set, Checked), FlowError> {
    let masker = journal::masker(project, &request.run.private);
    let (set, allow) = read(&request)?;
    request.document = Vec::new();
    let kit = Arc::new(Kit::new(project, request, &masker, None)?);
    let place = (kit.request.label(), allow, 0);
    let catalog = Catalog::new(&kit, &set, String::new(), place);
    let plan = check(set, &catalog, &kit.request.earlier).map_err(FlowError::Refused)?;
    catalog.ready(plan.set())?;
    Ok((plan.set().clone(), plan.warnings().clone()))
}

/// Refuses the replacement of a model that none of the programs imports which a set may call (CA-7). A
/// set that is gone on with may call others.
///
/// # Errors
/// [`FlowError`] with the name that may be meant.
pub fn check_models(project: &Project, request: &FlowRequest) -> Result<(), FlowError> {
    let models = &request.run.models;
    if models.by_name.is_empty() || request.resume.is_some() {
        return Ok(());
    }
    let named = agents::Agents::of(project, &request.programs)?;
    let found = agents::Agents::beside(project, request.near.as_deref());
    Ok(models.check_among(&named.models().chain(found.models()).collect())?)
}

/// Reads the set, and checks what it may use.
fn read(request: &FlowRequest) -> Result<(Set, Allow), FlowError> {
    let limits = contexture_protocol::Limits::FILE;
    let set = Set::read(&request.document, &limits).map_err(FlowError::Refused)?;
    let allow = match &request.allow {
        Some(list) => Allow::default().and(list.clone()),
        None if request.trust > Trust::User => {
            let names: std::collections::BTreeSet<&str> = allow::actions(&set).collect();
            let names: Vec<&str> = names.into_iter().collect();
            let message = format!(
                "the set holds text of trust `{}`, and it is not said which actions it may use",
                request.trust
            );
            let help =
                format!("it wants to use {}: allow what you mean to be run", names.join(", "));
            return Err(FlowError::setup("instructions_untrusted", message, help));
        }
        None => Allow::default(),
    };
    let denied = allow.denied(&set);
    if !denied.is_empty() {
        let names: Vec<&str> = denied.into_iter().collect();
        let message = format!("the set may not use {}", names.join(", "));
        return Err(FlowError::setup("action_not_allowed", message, "allow it if you mean it"));
    }
    Ok((set, allow))
}
