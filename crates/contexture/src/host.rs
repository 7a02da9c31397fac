//! The real host of a running program: models, tools, memories and files of a project.
//!
//! Decision: a host is a few services, each with what it needs and no more, over the state of one
//! run; it only passes calls on to them. A dry run is the same host with its doors closed: what
//! reads the workspace runs, what would write, call a model or use the network gives a placeholder.

mod added;
mod attachments;
mod callable;
mod caller_tools;
mod citations;
mod dry;
pub(crate) mod durable;
mod errors;
mod fallback;
mod files;
mod frontend;
mod generate;
mod hiding;
mod knowledge;
mod listener;
mod memory;
mod model_tools;
mod perform;
#[cfg(feature = "flow")]
mod plan;
mod prompt;
#[cfg(feature = "knowledge")]
mod ranked;
#[cfg(not(feature = "knowledge"))]
#[path = "host/ranked_missing.rs"]
mod ranked;
mod references;
mod run_state;
mod schemas;
mod servers;
mod templates;
mod tools;

pub use crate::run::result::{CallReport, DryItem, DryPrompt, DryTool};
pub(crate) use generate::ModelCalls;
pub(crate) use references::items::whole;
pub(crate) use run_state::RunState;
pub(crate) use tools::RunTools;
#[cfg(feature = "flow")]
pub(crate) use tools::source_of;

use crate::observe::Progress;
use crate::recorder::Recorder;
use crate::turn::attachment::Attachments;
use crate::turn::request::Hints;
use crate::turn::sites::Places;
use crate::written::OnDemand;
use attachments::TurnAttachments;
use contexture_context::TraceKind;
use contexture_core::profile::CURRENCY;
use contexture_llm::CancelToken;
use contexture_llm::ledger::Account;
use contexture_prompt::Usage;
use contexture_script::host::{
    Event, FileImport, GenerateCall, Host, HostFuture, MemoryCall, Phase, Supplied, SuppliedFile,
    ToolCall,
};
use contexture_script::knowledge::KnowledgeCall;
use contexture_script::template::TemplateCall;
use contexture_store::memory::MemoryStore;
use contexture_tools::Tools;
use durable::{FILE, about};
use generate::Services;
use memory::Memories;
use serde_json::{Value, json};
use std::sync::Arc;
use templates::Templates;

/// The host of one run.
pub struct LiveHost {
    run: RunState,
    references: Arc<OnDemand>,
    tools: RunTools,
    memories: Memories,
    templates: Templates,
    attachments: TurnAttachments,
    models: ModelCalls,
}

impl LiveHost {
    /// Returns the host of a run from its services.
    #[must_use]
    pub(crate) fn new(
        run: RunState,
        references: Arc<OnDemand>,
        tools: RunTools,
        memory: Arc<dyn MemoryStore>,
        models: ModelCalls,
    ) -> Self {
        let memories = Memories::new(references.workspace(), memory);
        let (templates, attachments) = (Templates::default(), TurnAttachments::default());
        Self { run, references, tools, memories, templates, attachments, models }
    }

    /// Adds the parts of a turn of a conversation; `places` are the model calls whose text is its
    /// answer.
    pub(crate) fn take_turn(&mut self, hints: Hints, places: Places, attachments: Attachments) {
        self.models.take_turn(hints, places);
        self.attachments = TurnAttachments::new(attachments);
    }

    /// Sets the token that ends what is waited for from now on.
    pub(crate) fn cancel_by(&mut self, cancel: CancelToken) {
        self.run.cancel = cancel;
    }

    /// Returns the tokens that the models of this run took so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.run.usage()
    }

    /// Reports whether a part of these tokens was counted here, as a provider reported none.
    #[must_use]
    pub fn is_usage_estimated(&self) -> bool {
        self.run.is_usage_estimated()
    }

    /// Returns the model calls that have ended, in the order in which their prompts were built; once.
    #[must_use]
    pub fn take_calls(&self) -> Vec<CallReport> {
        self.run.take_calls()
    }

    /// Returns what the models of this run cost so far.
    #[must_use]
    pub fn account(&self) -> Account {
        self.models.account()
    }

    /// Returns the warnings so far, each once.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.run.warnings()
    }

    /// Returns the prompts that a dry run built.
    #[must_use]
    pub fn take_prompts(&self) -> Vec<DryPrompt> {
        self.models.take_prompts()
    }

    /// Returns the recorder of the run.
    #[must_use]
    pub const fn recorder(&self) -> &Recorder {
        &self.run.recorder
    }

    pub(crate) const fn state(&self) -> &RunState {
        &self.run
    }

    /// Ends the connections to servers, and the processes behind them.
    pub(crate) async fn close(&self) {
        self.tools.servers.close().await;
    }

    /// Warns of attachments that no prompt showed: the user would think that they were seen.
    pub(crate) fn note_attachments(&self) {
        if self.attachments.are_unseen() {
            self.run.warn(
                "the attachments of the message were not shown to a model; show them with `use input.attachments`"
                    .to_owned(),
            );
        }
    }
}

impl Host for LiveHost {
    fn generate<'a>(&'a self, call: GenerateCall) -> HostFuture<'a, Supplied> {
        self.run.narrow(call.event, &call.narrowed);
        let services = Services {
            run: &self.run,
            references: &self.references,
            tools: &self.tools,
            templates: &self.templates,
            attachments: &self.attachments,
        };
        if call.options.timeout_ms.is_none() {
            return Box::pin(self.models.generate(services, call));
        }
        let about = about(&format!("{}/end", call.key), "generate", &Value::Null, "");
        Box::pin(self.run.timed(about, Box::pin(self.models.generate(services, call))))
    }

    fn tool<'a>(&'a self, call: ToolCall) -> HostFuture<'a, Supplied> {
        let name = format!("{}.{}", call.tool.name, call.method);
        let about = about(&call.key, &name, &call.arguments, &call.site.to_string());
        let event = call.event;
        self.run.narrow(event, &call.narrowed);
        let work = Box::pin(self.tools.call(&self.run, call));
        Box::pin(self.run.supplied_durably(about, event, work))
    }

    fn memory<'a>(&'a self, call: MemoryCall) -> HostFuture<'a, Supplied> {
        let name = format!("{}.{}", call.memory.name, call.method);
        let about = about(&call.key, &name, &call.arguments, &call.site.to_string());
        let event = call.event;
        self.run.narrow(event, &call.narrowed);
        let work = Box::pin(async move { self.memories.call(&self.run, &call).await });
        Box::pin(self.run.supplied_durably(about, event, work))
    }

    fn knowledge<'a>(&'a self, call: KnowledgeCall) -> HostFuture<'a, Supplied> {
        let name = format!("{}.{}", call.import.name, call.method);
        let about = about(&call.key, &name, &call.arguments, &call.site.to_string());
        let event = call.event;
        let work =
            Box::pin(async move { knowledge::ask(&self.run, self.references.packs(), &call) });
        Box::pin(self.run.supplied_durably(about, event, work))
    }

    fn file<'a>(&'a self, import: FileImport) -> HostFuture<'a, SuppliedFile> {
        let key = format!("{}:{}", import.importer, import.path);
        let event = import.event;
        let work = async move {
            let supplied = files::file(&self.references, &import);
            self.run.recorder.add_secrets(self.references.secrets());
            supplied
        };
        if !self.run.is_durable() {
            return Box::pin(work);
        }
        Box::pin(async move {
            let about = about(&key, FILE, &Value::Null, "");
            let value = Box::pin(async { work.await?.into_value() });
            self.run.supplied_durably(about, event, value).await.map(SuppliedFile::from)
        })
    }

    fn template<'a>(&'a self, call: TemplateCall) -> HostFuture<'a, Supplied> {
        let name = format!("template {}", call.template.path);
        let about = about(&call.key, &name, &call.variables, &call.site.to_string());
        Box::pin(async move {
            // What a template fences belongs to the prompts of this process.
            let rendered = self.templates.render(&self.run, &self.references, call).await?;
            self.run.unchanged(&about, &rendered.value)?;
            Ok(rendered)
        })
    }

    fn keeps_events(&self) -> bool {
        self.run.recorder.is_on()
    }

    fn record(&self, mut event: Event) {
        if event.kind == TraceKind::Run && event.phase == Phase::End {
            self.run.sum_up(&mut event.data);
            if let Value::Object(data) = &mut event.data {
                data.insert("cost".to_owned(), actual(&self.account()));
            }
        }
        if event.kind == TraceKind::Progress
            && let Some(text) = event.data.get("text").and_then(Value::as_str)
        {
            self.run.observer.notify(Progress::Said(text.to_owned()));
        }
        if event.kind == TraceKind::Tool && event.phase == Phase::Begin {
            self.run.recorder.add_secrets(secrets_in(&event));
        }
        self.run.recorder.record(event);
    }

    fn is_cancelled(&self) -> bool {
        self.run.cancel.is_cancelled()
    }
}

/// Returns what a run has cost, for its record; null where a model that answered has no price.
fn actual(account: &Account) -> Value {
    let money = (!account.is_unpriced).then(|| account.spent.money.dollars());
    json!({ "actual": money, "currency": CURRENCY })
}

/// Returns the credentials in a tool call's arguments: they are masked before the call is written
/// down.
fn secrets_in(event: &Event) -> Vec<String> {
    let uri = event.data.get("uri").and_then(Value::as_str).unwrap_or_default();
    let arguments = event.data.get("arguments");
    arguments.map(|arguments| Tools::secrets_in(uri, arguments)).unwrap_or_default()
}
