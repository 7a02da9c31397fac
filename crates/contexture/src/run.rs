//! One run of a program, from its path to its value and record.

mod result;
mod selections;

pub use result::{Run, RunError};

use crate::host::{DryPrompt, HostParts, LiveHost, Turn};
use crate::loader::WorkspaceLoader;
use crate::models::{Models, StandIn};
use crate::observe::{Observer, Silent};
use crate::packs;
use crate::project::Project;
use crate::recorder::{Recorder, TraceSink, recorded};
use crate::servers;
use crate::sinks;
use crate::stores;
use crate::turn::Contexts;
use crate::written::OnDemand;
use contexture_context::{Digest, Trust};
use contexture_diagnostic::{Diagnostic, Severity, SourceFile, render};
use contexture_knowledge::Allowance;
use contexture_llm::{CancelToken, RetryPolicy};
use contexture_prompt::Usage;
use contexture_script::analysis;
use contexture_script::host::LoadedSource;
use contexture_script::program::{self, Program};
use contexture_script::runtime::{
    Entry, Executable, Given, RunError as ProgramError, RunOptions, Warning, compile,
};
use contexture_store::masker::Masker;
use contexture_tools::{Settings, Tools, Workspace};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What to run, and how.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// The program's path.
    pub program: PathBuf,
    /// Its text, when it is not to be read: the path then names it in records and messages.
    pub text: Option<String>,
    /// Its input.
    pub input: Value,
    /// The agent to start; the main one when absent.
    pub agent: Option<String>,
    /// Its function to start; the main one when absent.
    pub function: Option<String>,
    /// The default model; wins over environment and configuration.
    pub model: Option<String>,
    /// What answers in place of the models.
    pub stand_in: StandIn,
    /// Where to record the models' answers.
    pub record: Option<PathBuf>,
    /// Build prompts, but ask no model and change nothing.
    pub dry_run: bool,
    /// Turns of a `parallel for` at the same time; wins over the configuration.
    pub concurrency: Option<usize>,
    /// Where to write the trace besides the store.
    pub trace_file: Option<PathBuf>,
    /// Keep no record in the workspace.
    pub forget: bool,
    /// Candidates of `use one of` that are to be taken, by label, `file:line` or
    /// `file:line:column` of the `use`; one that fits none refuses the run (AS-17).
    pub selections: BTreeMap<String, String>,
    /// Knowledge packs that may be read, each in one state (KN-8).
    pub allow_packs: Vec<Allowance>,
    /// The conversation context that the run is a turn of, for its record.
    pub context: Option<String>,
    /// Whether a person named the project, as `contexture mcp --root` does: that approves its packs
    /// for this run, but for drafts and disputed ones (KN-8).
    pub approve_packs: bool,
    /// MCP servers of the project that may be used, each as its settings describe it now.
    pub servers: servers::Consent,
    /// Texts that are masked wherever the run is written down, as keys are (CP-19).
    pub private: Vec<String>,
    /// The step of a flow that it is, for its record.
    pub part_of: Option<PartOf>,
}

/// A step of a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartOf {
    /// The run of the flow.
    pub flow: String,
    /// The step.
    pub step: String,
}

/// The report of a run, successful or not.
#[derive(Debug)]
pub struct RunReport {
    /// The id under which the run is kept.
    pub run: Option<String>,
    /// The program's value, or why there is none.
    pub outcome: Result<Value, RunFailure>,
    /// How far the value, or what the failure says, may be believed: as the least of all that is in
    /// it (AS-20).
    pub trust: Trust,
    /// What the models took.
    pub usage: Usage,
    /// What is probably not meant, each once.
    pub warnings: Vec<String>,
    /// The prompts that a dry run built.
    pub prompts: Vec<DryPrompt>,
}

impl RunReport {
    /// That of a run which could not begin.
    pub(crate) fn refused(failure: RunFailure) -> Self {
        Self {
            run: None,
            outcome: Err(failure),
            trust: Trust::Program,
            usage: Usage::default(),
            warnings: Vec::new(),
            prompts: Vec::new(),
        }
    }
}

/// The reason why a run gave no value.
#[derive(Debug, thiserror::Error)]
pub enum RunFailure {
    /// The source was refused; nothing ran.
    #[error("{0}")]
    Source(CheckReport),
    /// Something that the run needs is missing or invalid; nothing ran.
    #[error(transparent)]
    Setup(SetupError),
    /// The program failed.
    #[error("{}:{}:{}: {}", error.file, error.line, error.column, error.message)]
    Program {
        /// Where, why, and through which calls.
        #[source]
        error: Box<ProgramError>,
        /// The files of the program, for excerpts.
        files: Vec<SourceFile>,
    },
}

/// Why a run could not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SetupError {
    /// Stable code.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl SetupError {
    pub(crate) fn new(code: &str, message: impl ToString, help: Option<String>) -> Self {
        Self { code: code.to_owned(), message: message.to_string(), help }
    }
}

/// A checked program.
#[derive(Debug)]
pub struct CheckReport {
    /// All files of the program.
    pub files: Vec<SourceFile>,
    /// What was found, sorted by file and place.
    pub diagnostics: Vec<Diagnostic>,
}

impl CheckReport {
    /// Whether the program is refused.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|found| found.severity == Severity::Error)
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = || self.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        let Some(first) = errors().next() else { return f.write_str("the program is correct") };
        let file = self.files.iter().find(|file| file.name() == first.file).or(self.files.first());
        match file {
            Some(file) => f.write_str(&render::one_line(first, file))?,
            None => f.write_str(&first.message)?,
        }
        match errors().count() - 1 {
            0 => Ok(()),
            1 => f.write_str(" (and 1 more error)"),
            more => write!(f, " (and {more} more errors)"),
        }
    }
}

/// Loads a program with all that it imports, and checks it (AS-32).
///
/// # Errors
/// [`SetupError`] when the program itself can't be read.
pub fn load(project: &Project, path: &Path) -> Result<(Program, CheckReport), SetupError> {
    let workspace = open_workspace(project)?;
    let options = packs::Options { offline: true, ..packs::Options::default() };
    let packs = packs::OnDemand::new(project, options, Arc::new(Silent));
    let references = OnDemand::new(project, Arc::clone(&workspace), packs);
    load_in(project, &workspace, &references, path, None)
}

/// As [`load`], for a program whose text is at hand: the path names it, and what it imports is found
/// from there.
///
/// # Errors
/// [`SetupError`] when the workspace can't be read.
pub fn load_text(
    project: &Project,
    path: &Path,
    text: &str,
) -> Result<(Program, CheckReport), SetupError> {
    let workspace = open_workspace(project)?;
    let options = packs::Options { offline: true, ..packs::Options::default() };
    let packs = packs::OnDemand::new(project, options, Arc::new(Silent));
    let references = OnDemand::new(project, Arc::clone(&workspace), packs);
    load_in(project, &workspace, &references, path, Some(text))
}

fn load_in(
    project: &Project,
    workspace: &Arc<Workspace>,
    references: &Arc<OnDemand>,
    path: &Path,
    text: Option<&str>,
) -> Result<(Program, CheckReport), SetupError> {
    let limits = &project.config.limits;
    let loader = WorkspaceLoader::new(Arc::clone(workspace), limits, Arc::clone(references));
    let root = match text {
        Some(text) => LoadedSource { name: path.display().to_string(), text: text.to_owned() },
        None => loader
            .program(path)
            .map_err(|error| SetupError::new("program_unreadable", &error.message, error.help))?,
    };
    let program = program::load(root, &loader, limits);
    let diagnostics = analysis::check(&program);
    let files = program.files.iter().map(|file| file.source.clone()).collect();
    Ok((program, CheckReport { files, diagnostics }))
}

pub(crate) fn open_workspace(project: &Project) -> Result<Arc<Workspace>, SetupError> {
    Workspace::open(&project.root)
        .map(Arc::new)
        .map_err(|error| SetupError::new("workspace_unusable", &error, Some(error.help())))
}

/// Runs a program (AS-31) on this thread; [`Runtime`](crate::Runtime) gives it one.
///
/// The report holds every outcome: a refused source, a missing key, a failed program. A run that
/// fails keeps its trace.
pub(crate) async fn run(
    project: &Project,
    request: RunRequest,
    observer: Arc<dyn Observer>,
    cancel: CancelToken,
) -> RunReport {
    match Ready::new(project, &request, None, observer, cancel) {
        Ok(ready) => {
            let input = request.input.clone();
            ready.run(request, input.into()).await
        }
        Err(failure) => RunReport::refused(failure),
    }
}

/// A run that can begin.
pub(crate) struct Ready {
    program: Program,
    executable: Executable,
    host: LiveHost,
    run: Option<String>,
    options: RunOptions,
}

impl Ready {
    pub(crate) fn new(
        project: &Project,
        request: &RunRequest,
        contexts: Option<&Contexts>,
        observer: Arc<dyn Observer>,
        cancel: CancelToken,
    ) -> Result<Self, RunFailure> {
        let workspace = open_workspace(project).map_err(RunFailure::Setup)?;
        let packs = packs_of(project, request, &observer);
        let (own, contexts) = (Arc::clone(&workspace), contexts.cloned());
        let references = OnDemand::with_contexts(project, own, packs, contexts);
        let text = request.text.as_deref();
        let (program, checked) = load_in(project, &workspace, &references, &request.program, text)
            .map_err(RunFailure::Setup)?;
        if checked.has_errors() {
            return Err(RunFailure::Source(checked));
        }
        let executable = compile(&program);
        packs::require(references.packs(), &program).map_err(|error| {
            RunFailure::Setup(SetupError::new(error.code, &error, error.help.clone()))
        })?;
        let selections = selections::resolve(&request.selections, &executable.choices())
            .map_err(RunFailure::Setup)?;
        let (host, run) =
            host(project, request, (workspace, references), &program, observer, cancel)
                .map_err(RunFailure::Setup)?;
        let options = RunOptions { selections, ..options(project, request) };
        Ok(Self { program, executable, host, run, options })
    }

    /// The program.
    pub(crate) const fn program(&self) -> &Program {
        &self.program
    }

    /// The id under which the run is kept.
    pub(crate) fn id(&self) -> Option<&str> {
        self.run.as_deref()
    }

    /// What a turn of a conversation adds.
    pub(crate) fn take_turn(&mut self, turn: Turn) {
        self.host.turn = turn;
    }

    pub(crate) async fn run(self, request: RunRequest, input: Given) -> RunReport {
        let Self { program, executable, host, run, options } = self;
        let entry = Entry { agent: request.agent, function: request.function };
        let work = contexture_script::runtime::run(&executable, &entry, input, &host, &options);
        let outcome = recorded(host.recorder(), work).await;
        host.close().await;
        if outcome.result.is_ok() {
            host.note_attachments();
        }
        for Warning { file, line, column, message, .. } in outcome.warnings {
            host.truncated(format!("{file}:{line}:{column}: {message}"));
        }
        if let Some(fault) = host.recorder().fault() {
            host.warn(format!("the trace is incomplete: {fault}"));
        }
        RunReport {
            run,
            trust: outcome.trust,
            outcome: outcome.result.map_err(|error| RunFailure::Program {
                error: Box::new(error),
                files: program.files.into_iter().map(|file| file.source).collect(),
            }),
            usage: host.usage(),
            warnings: host.warnings(),
            prompts: host.take_prompts(),
        }
    }
}

/// The knowledge packs of a run, about which its observer is asked.
pub(crate) fn packs_of(
    project: &Project,
    request: &RunRequest,
    observer: &Arc<dyn Observer>,
) -> Arc<packs::OnDemand> {
    let options = packs::Options {
        allow: request.allow_packs.clone(),
        approve_project: request.approve_packs,
        offline: request.dry_run,
        model: request.model.clone(),
        ..packs::Options::default()
    };
    packs::OnDemand::new(project, options, Arc::clone(observer))
}

/// The host of a run, and the id under which the run is kept.
pub(crate) fn host(
    project: &Project,
    request: &RunRequest,
    (workspace, references): (Arc<Workspace>, Arc<OnDemand>),
    program: &Program,
    observer: Arc<dyn Observer>,
    cancel: CancelToken,
) -> Result<(LiveHost, Option<String>), SetupError> {
    let record = request.record.as_deref().filter(|_| !request.dry_run);
    let models = Models::new(project, request.model.as_deref(), &request.stand_in, record)
        .map_err(|error| SetupError::new(error.kind(), &error, error.help()))?;
    let masker = models.masker();
    masker.add(servers::secrets(project));
    masker.add(request.private.iter().cloned());
    let servers = {
        let masker = Arc::clone(&masker);
        let mask = Arc::new(move |text: &str| masker.text(text).into_owned());
        servers::open(project, mask, request.servers.clone())
    };
    let (run, outlets) = outlets(project, request, &masker)?;
    let about = description(project, request, program, &models);
    let recorder = Recorder::new(outlets, masker, about);
    let host = LiveHost::new(HostParts {
        memory: stores::memories(project),
        tools: tools(project, &workspace),
        servers,
        workspace,
        references,
        models,
        recorder,
        observer,
        cancel,
        retry: retry_policy(project),
        limits: project.config.limits.clone(),
        dry_run: request.dry_run,
    });
    Ok((host, run))
}

/// The options of a run.
pub(crate) fn options(project: &Project, request: &RunRequest) -> RunOptions {
    RunOptions {
        limits: project.config.limits.clone(),
        concurrency: concurrency(project, request),
        selections: BTreeMap::new(),
    }
}

/// How to mend a store that can't be written.
const KEEP_HELP: &str =
    "make the folder `.contexture` of the workspace writable, or keep no trace with `--no-trace`";

/// The id under which a run is kept, and where its trace goes.
type Outlets = (Option<String>, Vec<Box<dyn TraceSink>>);

/// Where the trace goes: the workspace's store and a file, if any; a dry run writes nothing.
fn outlets(
    project: &Project,
    request: &RunRequest,
    masker: &Arc<Masker>,
) -> Result<Outlets, SetupError> {
    let mut outlets: Vec<Box<dyn TraceSink>> = Vec::new();
    if request.dry_run {
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

/// How many turns of a `parallel for` run at the same time (AS-10).
fn concurrency(project: &Project, request: &RunRequest) -> usize {
    let configured = project.config.concurrency.map(NonZeroUsize::get);
    request.concurrency.or(configured).unwrap_or(4).max(1)
}

/// What the trace says of the run as a whole.
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
            StandIn::Answers(_) => "answers".into(),
            StandIn::Replay(_) => "replay".into(),
        },
        "concurrency": concurrency(project, request),
    });
    match data {
        Value::Object(mut data) => {
            if let Some(context) = &request.context {
                data.insert("context".to_owned(), context.as_str().into());
            }
            if let Some(PartOf { flow, step }) = &request.part_of {
                data.insert("part_of".to_owned(), json!({ "flow": flow, "step": step }));
            }
            data
        }
        _ => Map::new(),
    }
}

fn tools(project: &Project, workspace: &Arc<Workspace>) -> Tools {
    Tools::new(Arc::clone(workspace), tool_settings(project))
}

/// What tools may read and reach in a project.
pub(crate) fn tool_settings(project: &Project) -> Settings {
    let mut settings = Settings::default();
    settings.limits.file_bytes = project.config.limits.file_bytes as u64;
    settings.environment = project.environment.vars().clone();
    settings.allow_private = project.config.network.allow_private.clone();
    settings
}

fn retry_policy(project: &Project) -> RetryPolicy {
    let retry = &project.config.retry;
    RetryPolicy::on_request(retry.times, Duration::from_millis(retry.max_wait_ms))
}
