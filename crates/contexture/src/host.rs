//! The real host of a running program: models, tools, memories and files of a project.
//!
//! Decision: one value per run. A dry run is the same host with its doors closed: what reads the
//! workspace runs, what would write, call a model or use the network gives a placeholder.

mod added;
mod attachments;
mod convert;
mod dry;
mod effects;
mod files;
mod frontend;
mod generate;
mod knowledge;
mod memory;
mod model_tools;
mod permission;
mod prompt;
mod references;
mod servers;
mod templates;
mod turn;

pub use crate::run::result::{DryItem, DryPrompt};
pub(crate) use turn::Turn;

use crate::frontend::Frontend;
use crate::models::{Model, Models};
use crate::observe::{Observer, Progress};
use crate::packs;
use crate::permission::Permission;
use crate::project::Project;
use crate::recorder::Recorder;
use crate::written::OnDemand;
use contexture_context::{Limits, TraceKind};
use contexture_llm::{CancelToken, RetryPolicy};
use contexture_mcp::Servers;
use contexture_prompt::Usage;
use contexture_script::host::{
    Event, FileImport, GenerateCall, Host, HostError, HostFuture, MemoryCall, Phase, Standing,
    Supplied, ToolCall,
};
use contexture_script::knowledge::KnowledgeCall;
use contexture_script::template::TemplateCall;
use contexture_store::memory::MemoryStore;
use contexture_store::stamp::Ids;
use contexture_tools::Tools;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The host of one run.
pub struct LiveHost {
    pub(crate) references: Arc<OnDemand>,
    pub(crate) tools: Tools,
    pub(crate) servers: Servers,
    pub(crate) models: Models,
    pub(crate) memories: memory::Memories,
    pub(crate) recorder: Recorder,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) cancel: CancelToken,
    pub(crate) retry: RetryPolicy,
    pub(crate) limits: Limits,
    pub(crate) dry_run: bool,
    pub(crate) state: Mutex<State>,
    pub(crate) frontend: Option<Arc<dyn Frontend>>,
    pub(crate) permission: Option<Arc<dyn Permission>>,
    /// What a turn of a conversation adds.
    pub(crate) turn: Turn,
    ids: Ids,
    model_calls: AtomicU64,
    tool_calls: AtomicU64,
}

/// What a run gathers.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) usage: Usage,
    pub(crate) warnings: Vec<String>,
    pub(crate) prompts: Vec<DryPrompt>,
    /// What a dry run gave placeholders for, each once.
    pub(crate) stood_in: Vec<String>,
    pub(crate) cache: std::collections::HashMap<String, serde_json::Value>,
    pub(crate) fallback_noted: bool,
    pub(crate) pretended: dry::Pretended,
    pub(crate) templates: templates::Templates,
    /// Texts that templates included with fences of their own.
    pub(crate) fenced: std::collections::BTreeSet<Arc<str>>,
    /// The models that refused tools.
    pub(crate) without_tools: std::collections::HashSet<String>,
}

/// What a [`LiveHost`] is made of.
pub(crate) struct HostParts {
    /// The workspace, and what loads its references.
    pub(crate) references: Arc<OnDemand>,
    /// What opens its memories.
    pub(crate) memory: Arc<dyn MemoryStore>,
    /// Its tools.
    pub(crate) tools: Tools,
    /// Its MCP servers.
    pub(crate) servers: Servers,
    /// The models.
    pub(crate) models: Models,
    /// Writes the trace.
    pub(crate) recorder: Recorder,
    /// Is told what happens.
    pub(crate) observer: Arc<dyn Observer>,
    /// Runs the tools of the front end.
    pub(crate) frontend: Option<Arc<dyn Frontend>>,
    /// Asks the user before something sensitive is done.
    pub(crate) permission: Option<Arc<dyn Permission>>,
    /// Ends the run.
    pub(crate) cancel: CancelToken,
    /// When a provider's failure is tried again.
    pub(crate) retry: RetryPolicy,
    /// Whether nothing may be changed, called or connected to.
    pub(crate) dry_run: bool,
}

impl LiveHost {
    /// A host for one run.
    #[must_use]
    pub(crate) fn new(parts: HostParts) -> Self {
        Self {
            memories: memory::Memories::new(Arc::clone(parts.references.workspace()), parts.memory),
            limits: parts.references.project().config.limits.clone(),
            references: parts.references,
            tools: parts.tools,
            servers: parts.servers,
            models: parts.models,
            recorder: parts.recorder,
            observer: parts.observer,
            cancel: parts.cancel,
            retry: parts.retry,
            frontend: parts.frontend,
            permission: parts.permission,
            dry_run: parts.dry_run,
            state: Mutex::default(),
            turn: Turn::default(),
            ids: contexture_store::stamp::system(),
            model_calls: AtomicU64::new(0),
            tool_calls: AtomicU64::new(0),
        }
    }

    /// What the models of this run took so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.state().usage
    }

    /// Warnings so far, each once.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.state().warnings.clone()
    }

    /// The prompts that a dry run built.
    #[must_use]
    pub fn take_prompts(&self) -> Vec<DryPrompt> {
        std::mem::take(&mut self.state().prompts)
    }

    /// The recorder of the run.
    #[must_use]
    pub const fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Ends the connections to servers, and the processes behind them.
    pub(crate) async fn close(&self) {
        self.servers.close().await;
    }

    /// The project of the run.
    pub(crate) fn project(&self) -> &Project {
        self.references.project()
    }

    /// The knowledge packs of the run.
    pub(crate) fn packs(&self) -> &packs::OnDemand {
        self.references.packs()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn warn(&self, warning: String) {
        self.tell(warning, Progress::Warning);
    }

    /// A `max` cut a loop or a list short (AS-11).
    pub(crate) fn truncated(&self, warning: String) {
        self.tell(warning, Progress::Truncated);
    }

    fn tell(&self, warning: String, kind: fn(String) -> Progress) {
        let mut state = self.state();
        if !state.warnings.contains(&warning) {
            state.warnings.push(warning.clone());
            drop(state);
            self.observer.notify(kind(warning));
        }
    }

    /// Remembers what a dry run gave a placeholder for.
    pub(crate) fn note_placeholder(&self, what: String) {
        let mut state = self.state();
        if !state.stood_in.contains(&what) {
            state.stood_in.push(what);
        }
    }

    /// Counts a model call; `Err` when the run has had its share.
    pub(crate) fn count_model_call(&self) -> Result<u64, HostError> {
        count(&self.model_calls, self.limits.model_calls, "model_calls", "model")
    }

    /// Whether a model can call tools, as far as is known.
    pub(crate) fn calls_tools(&self, model: &Model) -> bool {
        model.provider.calls_tools() && !self.state().without_tools.contains(&model.uri)
    }

    pub(crate) fn count_tool_call(&self) -> Result<u64, HostError> {
        count(&self.tool_calls, self.limits.tool_calls, "tool_calls", "tool and memory")
    }
}

fn count(counter: &AtomicU64, limit: u64, name: &str, what: &str) -> Result<u64, HostError> {
    let number = counter.fetch_add(1, Ordering::Relaxed) + 1;
    if number <= limit {
        return Ok(number);
    }
    let message = format!("the run has made {limit} {what} calls, the limit `{name}`");
    let help = format!("raise `{name}` under [limits] in contexture.toml if this is meant");
    Err(HostError::new("limit_reached", message).with_help(help))
}

impl Host for LiveHost {
    fn generate<'a>(&'a self, call: GenerateCall) -> HostFuture<'a, Supplied> {
        Box::pin(generate::generate(self, call))
    }

    fn tool<'a>(&'a self, call: ToolCall) -> HostFuture<'a, Supplied> {
        Box::pin(effects::tool(self, call))
    }

    fn memory<'a>(&'a self, call: MemoryCall) -> HostFuture<'a, Supplied> {
        Box::pin(effects::memory(self, call))
    }

    fn knowledge<'a>(&'a self, call: KnowledgeCall) -> HostFuture<'a, Supplied> {
        Box::pin(knowledge::ask(self, call))
    }

    fn file<'a>(&'a self, import: FileImport) -> HostFuture<'a, Supplied> {
        Box::pin(files::file(self, import))
    }

    fn template<'a>(&'a self, call: TemplateCall) -> HostFuture<'a, Supplied> {
        Box::pin(templates::render(self, call))
    }

    fn record(&self, event: Event) {
        if event.kind == TraceKind::Tool && event.phase == Phase::Begin {
            self.recorder.add_secrets(secrets_in(&event));
        }
        self.recorder.record(event);
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Credentials in a tool call's arguments: they are masked before the call is written down.
fn secrets_in(event: &Event) -> Vec<String> {
    let uri = event.data.get("uri").and_then(serde_json::Value::as_str).unwrap_or_default();
    let arguments = event.data.get("arguments");
    arguments.map(|arguments| Tools::secrets_in(uri, arguments)).unwrap_or_default()
}

/// A value that was really supplied.
pub(crate) fn supplied(value: serde_json::Value, trust: contexture_context::Trust) -> Supplied {
    Supplied { value, trust, standing: Standing::Real }
}

/// A value of known types in place of what a dry run does not do.
pub(crate) fn placeholder(value: serde_json::Value, trust: contexture_context::Trust) -> Supplied {
    Supplied { value, trust, standing: Standing::Placeholder }
}

/// The same, where each text stands for a value of unknown shape.
pub(crate) fn unknown(value: serde_json::Value, trust: contexture_context::Trust) -> Supplied {
    Supplied { value, trust, standing: Standing::Unknown }
}
