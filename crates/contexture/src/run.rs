//! One run of a program, from its path to its value and record.

mod asked;
mod cost;
mod input;
mod loaded;
mod overrides;
mod recheck;
pub(crate) mod recorded;
pub(crate) mod request;
pub(crate) mod result;
pub(crate) mod selections;
pub(crate) mod takes;

pub use asked::{Asked, AskedRun, Asking, Offer, Offered, OfferedCall, answers, begin, offer};
pub(crate) use asked::{RUN_ITSELF, lacks};
pub use cost::{RunCost, cost};
pub use input::InputForm;
pub use loaded::Loaded;
pub use overrides::Overrides;
pub use recheck::{Checked, Recheck, RecheckError, patch, program_of, recheck};
pub use recorded::Recorded;
use request::Contexts;
pub use request::{PartOf, RunRequest};
pub use result::{CallReport, CheckReport, Run, RunError, RunFailure, RunReport, SetupError};
pub(crate) use takes::Takes;

use crate::durable::{Durable, Kept};
use crate::host::{LiveHost, ModelCalls, RunState, RunTools};
use crate::loader::WorkspaceLoader;
use crate::models::{Models, StandIn};
use crate::observe::{Observer, Progress, Silent};
use crate::optimizer;
use crate::packs;
use crate::policy;
use crate::project::Project;
use crate::recorder::{Recorder, TraceSink, recorded, reference};
use crate::secrets::Secrets;
use crate::servers;
use crate::sinks;
use crate::written::OnDemand;
use contexture_context::Digest;
use contexture_core::profile::Money;
use contexture_llm::{CancelToken, Ledger, RetryPolicy, SpendLimit};
use contexture_script::analysis;
use contexture_script::program::{self, Program};
use contexture_script::runtime::{Entry, Given, RunOptions, Warning};
use contexture_script::semantic::SemanticModel;
use contexture_script::semantic::ceiling::CostFacts;
use contexture_store::masker::Masker;
use contexture_store::stamp;
use contexture_tools::{Settings, Tools};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Loads a program with all its imports, and checks it (AS-32).
///
/// # Errors
/// [`SetupError`] when the program itself can't be read.
pub fn load(project: &Project, path: &Path) -> Result<(Program, CheckReport), SetupError> {
    checked(project, path, None)
}

/// Does what [`load`] does, for a program whose text is at hand: the path names it, and its imports
/// are found from there.
///
/// # Errors
/// [`SetupError`] when the workspace can't be read.
pub fn load_text(
    project: &Project,
    path: &Path,
    text: &str,
) -> Result<(Program, CheckReport), SetupError> {
    checked(project, path, Some(text))
}

fn checked(
    project: &Project,
    path: &Path,
    text: Option<&str>,
) -> Result<(Program, CheckReport), SetupError> {
    let request = RunRequest { dry_run: true, ..RunRequest::default() };
    load_in(&references_of(project, &request, Arc::new(Silent))?, path, text)
}

fn load_in(
    references: &Arc<OnDemand>,
    path: &Path,
    text: Option<&str>,
) -> Result<(Program, CheckReport), SetupError> {
    let mut loader = WorkspaceLoader::new(Arc::clone(references));
    let root = match text {
        Some(text) => loader
            .given(path, text)
            .map_err(|error| SetupError::new("program_unreadable", &error, Some(error.help())))?,
        None => loader
            .program(path)
            .map_err(|error| SetupError::new("program_unreadable", &error.message, error.help))?,
    };
    let program = program::load(root, &loader, &references.project().config.limits);
    let SemanticModel { faults: mut diagnostics, generates } = analysis::analyze(&program);
    references.project().config.check.apply(&mut diagnostics);
    let files = program.files.iter().map(|file| file.source.clone()).collect();
    Ok((program, CheckReport { files, diagnostics, generates }))
}

/// Opens the references of a run; its observer is asked about its knowledge packs.
pub(crate) fn references_of(
    project: &Project,
    request: &RunRequest,
    observer: Arc<dyn Observer>,
) -> Result<Arc<OnDemand>, SetupError> {
    let options = packs::Options {
        allow: request.allow_packs.clone(),
        approve_project: request.approve_packs,
        offline: request.dry_run,
        model: request.model.clone(),
        ..packs::Options::default()
    };
    let packs = packs::OnDemand::new(project, options, observer);
    Ok(OnDemand::new(project, project.workspace()?, packs, request.contexts.clone()))
}

/// Runs a program (AS-31) on this thread; [`Runtime`](crate::Runtime) gives it one.
///
/// The report holds every outcome: a refused source, a missing key, a failed program. A run that
/// fails keeps its trace.
pub(crate) async fn run(
    project: &Project,
    mut request: RunRequest,
    observer: Arc<dyn Observer>,
    cancel: CancelToken,
) -> RunReport {
    match Ready::new(project, &request, observer, cancel) {
        Ok(ready) => {
            let input = std::mem::take(&mut request.input);
            ready.run(request, input).await
        }
        Err(failure) => RunReport::refused(failure),
    }
}

/// A run that can begin.
pub(crate) struct Ready {
    loaded: Arc<Loaded>,
    host: LiveHost,
    run: Option<String>,
    journal: Option<Kept>,
    options: RunOptions,
    ceiling: CostFacts,
}

impl Ready {
    pub(crate) fn new(
        project: &Project,
        request: &RunRequest,
        observer: Arc<dyn Observer>,
        cancel: CancelToken,
    ) -> Result<Self, RunFailure> {
        let references = references_of(project, request, Arc::clone(&observer))?;
        let loaded = Loaded::of(request, &references)?;
        let program = &loaded.program;
        if !request.models.of_several {
            request.models.check([program])?;
        }
        InputForm::of(program, request).check(&request.input)?;
        packs::require(references.packs(), program)
            .map_err(|error| SetupError::new(error.code, &error, error.help.clone()))?;
        let selections = selections::resolve(&request.selections, &loaded.executable.choices())?;
        let ceiling = cost(project, program, request);
        let about = (program, Some(&ceiling));
        let Opened { host, run, journal } =
            host(project, request, references, about, observer, cancel)?;
        let options = RunOptions { selections, ..options(project, request) };
        Ok(Self { loaded, host, run, journal, options, ceiling })
    }

    /// Returns the program.
    pub(crate) fn program(&self) -> &Program {
        &self.loaded.program
    }

    /// Returns the id under which the run is kept.
    pub(crate) fn id(&self) -> Option<&str> {
        self.run.as_deref()
    }

    pub(crate) const fn host(&mut self) -> &mut LiveHost {
        &mut self.host
    }

    pub(crate) async fn run(self, request: RunRequest, input: Given) -> RunReport {
        let Self { loaded, host, run, journal, options, ceiling } = self;
        let entry = Entry { agent: request.agent, function: request.function };
        let work =
            contexture_script::runtime::run(&loaded.executable, &entry, input, &host, &options);
        let mut outcome = recorded(host.recorder(), work).await;
        host.close().await;
        if outcome.result.is_ok() {
            host.note_attachments();
        }
        for Warning { file, line, column, message, .. } in outcome.warnings {
            host.state().truncated(format!("{file}:{line}:{column}: {message}"));
        }
        if let Some(fault) = host.recorder().fault() {
            host.state().warn(format!("the trace is incomplete: {fault}"));
        }
        let (usage, cost) = (host.usage(), RunCost::new(&ceiling, &host.account()));
        if let Some(journal) = &journal
            && let Err(fault) = journal.end(&mut outcome.result, (usage.total_tokens, cost.actual))
        {
            host.state().warn(format!("the end of the run is not in its journal: {fault}"));
        }
        RunReport {
            run,
            durable: journal.map(|journal| journal.run),
            label: outcome.label,
            outcome: outcome.result.map_err(|error| RunFailure::Program {
                error: Box::new(error),
                files: loaded.program.files.iter().map(|file| file.source.clone()).collect(),
            }),
            usage,
            usage_estimated: host.is_usage_estimated(),
            calls: host.take_calls(),
            cost,
            warnings: host.warnings(),
            prompts: host.take_prompts(),
        }
    }
}

/// An opened host, with the id under which the run is kept, and its journal.
pub(crate) struct Opened {
    pub(crate) host: LiveHost,
    pub(crate) run: Option<String>,
    pub(crate) journal: Option<Kept>,
}

/// Opens the host of a run.
pub(crate) fn host(
    project: &Project,
    request: &RunRequest,
    references: Arc<OnDemand>,
    (program, ceiling): (&Program, Option<&CostFacts>),
    observer: Arc<dyn Observer>,
    cancel: CancelToken,
) -> Result<Opened, SetupError> {
    policy::check_rules(project)?;
    let ledger = Arc::new(Ledger::new(spend_limit(project, request), request.ledger.clone()));
    let mut extensions = project.extensions.clone();
    if optimizer::is_imported(program) && extensions.tool(optimizer::NAME).is_some() {
        extensions.set_optimizer(optimizer::live(project, request, Arc::clone(&ledger))?);
    }
    let mut models = Models::new(project, request, ledger)
        .map_err(|error| SetupError::new(error.kind(), &error, error.help()))?;
    let masker = models.masker();
    masker.add(servers::secrets(project));
    masker.add_private(request.private.iter().cloned());
    let servers = servers::open(project, Arc::clone(&masker), request.servers.clone());
    let kept = Kept::resumed(project, request, program, &masker)?;
    let (run, outlets) = outlets(project, request, &masker)?;
    let own = run.clone().unwrap_or_else(|| stamp::system().next().0);
    let journal = match kept {
        None => Kept::begun(project, request, &own, program, &masker)?,
        kept => kept,
    };
    let id = journal.as_ref().map_or(own, |journal| journal.run.clone());
    let mut about = description(project, request, program, &models);
    about.extend(journal.as_ref().map(|_| ("durable".to_owned(), id.as_str().into())));
    if let Some(kept) = &journal {
        kept.live(request, program, run.as_deref())?;
        if request.durable == Some(Durable::Begin) {
            let note = format!(
                "the run {id} has a journal: `contexture runs resume {id}` takes it up again"
            );
            observer.notify(Progress::Note(note));
        }
        models.keep_in(kept.journal.clone());
    }
    about.extend(ceiling.map(|facts| ("ceiling".to_owned(), facts.total.json())));
    let mut blobs = Vec::new();
    let is_asking = request.recorded.as_ref().is_some_and(|recorded| recorded.asks());
    if let Some(file) = program.files.first().filter(|_| is_asking) {
        // It need not be in any file.
        let text = reference(file.source.text().to_owned(), &mut blobs);
        about.insert(recheck::PROGRAM_TEXT.to_owned(), text);
    }
    let recorder = Recorder::new(outlets, masker, about);
    recorder.keep(blobs);
    let policy = policy::of(&project.config.policy, &request.yes_to).narrowed(program.policy());
    let state = RunState::new(
        recorder,
        observer,
        (request.permission.clone(), policy),
        project.config.limits.clone(),
        cancel,
        request.dry_run,
    )
    .with_secrets(project.config.policy.secrets)
    .within(request.part_of.clone())
    .on_record(request.recorded.clone())
    .known_as(id, journal.as_ref().map(|kept| kept.journal.clone()));
    let workspace = references.workspace();
    let tools = RunTools::new(
        (Arc::clone(workspace), Secrets::of(project)),
        Tools::new(Arc::clone(workspace), tool_settings(project)),
        servers,
        extensions,
        request.frontend.clone(),
    );
    let models = ModelCalls::new(models, retry_policy(project), request.overrides);
    let host = LiveHost::new(state, references, tools, project.memories(), models);
    Ok(Opened { host, run, journal })
}

/// Returns what a run may spend on models.
fn spend_limit(project: &Project, request: &RunRequest) -> SpendLimit {
    let limits = &project.config.limits;
    SpendLimit {
        money: request.spend.money.or(limits.max_cost.and_then(Money::of_dollars)),
        tokens: request.spend.tokens.or(limits.max_tokens),
        calls: request.spend.calls,
    }
}

/// Returns the options of a run.
pub(crate) fn options(project: &Project, request: &RunRequest) -> RunOptions {
    RunOptions {
        limits: project.config.limits.clone(),
        concurrency: concurrency(project, request),
        selections: BTreeMap::new(),
        leaves_values: request.ends_process,
    }
}

/// The way to fix a store that can't be written.
const KEEP_HELP: &str =
    "make the folder `.contexture` of the workspace writable, or keep no trace with `--no-trace`";

/// The id under which a run is kept, and the destinations of its trace.
type Outlets = (Option<String>, Vec<Box<dyn TraceSink>>);

/// Opens the destinations of the trace: the workspace's store and a file, if any; a dry run writes
/// nothing.
fn outlets(
    project: &Project,
    request: &RunRequest,
    masker: &Arc<Masker>,
) -> Result<Outlets, SetupError> {
    let mut outlets: Vec<Box<dyn TraceSink>> = Vec::new();
    if request.dry_run && request.recorded.is_none() {
        return Ok((None, outlets));
    }
    if let Some(path) = &request.trace_file {
        let sink = sinks::file(path, masker).map_err(|error| trace_unwritable(path, &error))?;
        outlets.push(sink);
    }
    let mut run = None;
    if project.config.trace.keep && !request.forget {
        let (id, sink) = sinks::store(project, masker).map_err(|error| {
            SetupError::new("store_unusable", error, Some(KEEP_HELP.to_owned()))
        })?;
        run = Some(id);
        outlets.push(sink);
    }
    Ok((run, outlets))
}

fn trace_unwritable(path: &Path, error: &io::Error) -> SetupError {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let help = match error.kind() {
        io::ErrorKind::IsADirectory => "give a file, not a folder".to_owned(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => match folder {
            Some(folder) => format!("make the folder {} first", folder.display()),
            None => "give the name of a file".to_owned(),
        },
        _ => "give a file in a folder that you may write to".to_owned(),
    };
    let reason = error.to_string();
    let reason = reason.split(" (os error").next().unwrap_or_default().to_lowercase();
    let message = format!("the trace can't be written to {}: {reason}", path.display());
    SetupError::new("trace_unwritable", message, Some(help))
}

/// Returns how many turns of a `parallel for` run at the same time (AS-10).
fn concurrency(project: &Project, request: &RunRequest) -> usize {
    let configured = project.config.concurrency.map(NonZeroUsize::get);
    request.concurrency.or(configured).unwrap_or(4).max(1)
}

/// Returns the data of the trace event of the run as a whole.
fn description(
    project: &Project,
    request: &RunRequest,
    program: &Program,
    models: &Models,
) -> Map<String, Value> {
    let sources = program.files.iter().map(
        |file| json!({ "file": file.source.name(), "digest": Digest::of_text(file.source.text()) }),
    );
    let data = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "program": program.files.first().map(|file| file.source.name()),
        "sources": sources.collect::<Vec<_>>(),
        "default_model": models.default_uri(),
        "stand_in": match &request.stand_in {
            StandIn::None => Value::Null,
            StandIn::Mock => "mock".into(),
            StandIn::Local => "local".into(),
            StandIn::Answers(_) | StandIn::Given(_) => "answers".into(),
            StandIn::Replay(_) => "replay".into(),
        },
        "concurrency": concurrency(project, request),
    });
    let Value::Object(mut data) = data else { return Map::new() };
    if !models.replaced().is_empty() {
        data.insert("models".to_owned(), json!(models.replaced()));
    }
    // What else the runner chose, so that a recheck of the run chooses it, too (IN-10).
    if !request.selections.is_empty() {
        data.insert("selections".to_owned(), json!(request.selections));
    }
    if request.overrides != Overrides::default() {
        data.insert("overrides".to_owned(), json!(request.overrides));
    }
    if let Some(context) = &request.context {
        data.insert("context".to_owned(), context.as_str().into());
    }
    if let Some(Contexts { owner, .. }) = &request.contexts {
        data.insert("owner".to_owned(), owner.as_str().into());
    }
    if let Some(PartOf { flow, step, .. }) = &request.part_of {
        data.insert("part_of".to_owned(), json!({ "flow": flow, "step": step }));
    }
    if let Some(recorded) = &request.recorded {
        data.insert("part_of".to_owned(), json!({ "run": recorded.run() }));
    }
    data
}

/// Returns what tools may read and reach in a project.
pub(crate) fn tool_settings(project: &Project) -> Settings {
    let mut settings = Settings::default();
    settings.limits.file_bytes = project.config.limits.file_bytes as u64;
    settings.environment = project.environment.vars().clone();
    settings.allow_private = project.config.network.allow_private.clone();
    settings
}

fn retry_policy(project: &Project) -> RetryPolicy {
    let retry = &project.config.retry;
    RetryPolicy::back_off(retry.times, Duration::from_millis(retry.max_wait_ms))
}
