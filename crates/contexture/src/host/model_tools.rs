//! Tools that a model itself may call, because a `generate` lists them (AS-19) or because resources
//! are pending (REF-10).
//!
//! Every result is an item: cut, fenced and recorded like what a program shows with `use`.

use super::callable::{Callable, Target};
use super::hiding;
use super::knowledge::{log, of_reference};
use super::perform::{Called, Caller};
use super::prompt::label_of_item;
use super::run_state::RunState;
use super::tools::RunTools;
use crate::frontend::{CLIENT_UNAVAILABLE, PERMISSION_DENIED};
use crate::models::Model;
use crate::observe::{Call, Progress, Runtime, ToolFailure};
use crate::policy::POLICY_DENIED;
use crate::references::fence_of;
use crate::written::OnDemand;
use contexture_context::build::build_item;
use contexture_context::manifest::{Blob, ItemRecord};
use contexture_context::{Budget, DeclaredItem, Keep, Label, Manifest, Position, Trust};
use contexture_core::policy::Influence;
use contexture_llm::{BoxFuture, CancelToken, Provider, ToolExecutor, ToolOutcome};
use contexture_prompt::{ToolCall, ToolDefinition, Usage};
use contexture_reference::tool::{self, Offers};
use contexture_reference::{LoadError, Loaded};
use contexture_script::host::{CallKey, GenerateCall};
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Tokens that one result may take in the conversation.
pub(super) const RESULT_TOKENS: u64 = 4_000;

/// The tools of one `generate`.
pub(super) struct ModelTools<'h> {
    pub(super) run: &'h RunState,
    tools: &'h RunTools,
    references: &'h OnDemand,
    pub(super) event: u64,
    key: CallKey,
    pub(super) position: Position,
    pub(super) provider: Arc<dyn Provider>,
    pub(super) callables: Vec<Callable>,
    /// Keys for the calls that the model asked for and that have not begun, in their order.
    asked: Mutex<VecDeque<String>>,
    /// The resources that may be loaded; none when the model can't call tools.
    offers: Offers,
    manifest: Mutex<Manifest>,
    /// The label of all that the model saw so far.
    pub(super) seen: Mutex<Label>,
}

impl<'h> ModelTools<'h> {
    pub(super) fn new(
        (run, tools, references): (&'h RunState, &'h RunTools, &'h OnDemand),
        call: &GenerateCall,
        model: &Model,
        manifest: Manifest,
        (offers, callables): (Offers, Vec<Callable>),
        seen: Label,
    ) -> Self {
        let described = callables.iter().filter_map(Callable::description);
        let described = described.fold(seen, |all, label| all.join(&label));
        Self {
            offers,
            callables,
            asked: Mutex::default(),
            run,
            tools,
            references,
            event: call.event,
            key: call.key.clone(),
            position: call.site.position.clone(),
            provider: Arc::clone(&model.provider),
            manifest: Mutex::new(manifest),
            seen: Mutex::new(described),
        }
    }

    /// Returns the definitions of what the model may call.
    pub(super) fn definitions(&self) -> Vec<ToolDefinition> {
        self.callables.iter().map(|callable| callable.definition.clone()).collect()
    }

    /// Records that the model is asked without them.
    pub(super) fn withdraw(&self) {
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        let tokens: u64 = manifest.tools.iter().map(|tool| tool.tokens).sum();
        manifest.tokens = manifest.tokens.saturating_sub(tokens);
        manifest.tools.clear();
        self.run.recorder.amend_manifest(self.event, &manifest);
    }

    /// Returns what a function's name means; `None` for one that was not offered.
    pub(super) fn find(&self, function: &str) -> Option<&Callable> {
        self.callables.iter().find(|callable| callable.function() == function)
    }

    /// Returns the name that people know a call by, and the place where it runs.
    fn known_as(&self, call: &ToolCall) -> (String, Runtime) {
        let function = &call.function.name;
        let found = self.find(function);
        found.map_or_else(
            || (function.clone(), Runtime::Backend),
            |callable| (callable.name(), callable.runtime()),
        )
    }

    /// Gives an id to each call that the model asks for, and reports them.
    pub(super) fn asked(&self, text: &str, calls: &[ToolCall], usage: Usage) {
        let keys: VecDeque<String> = calls.iter().map(|_| self.run.below(&self.key)).collect();
        let told = |(call, key): (&ToolCall, &String)| {
            let (name, runtime) = self.known_as(call);
            Call {
                call_id: self.run.minted(key),
                name,
                runtime,
                parameters: arguments(call)
                    .unwrap_or_else(|_| Value::from(call.function.arguments.clone())),
            }
        };
        let calls: Vec<Call> = calls.iter().zip(&keys).map(told).collect();
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = keys;
        let (event, text) = (self.event, text.to_owned());
        let label = self.seen().answered("an answer with calls");
        self.run.observer.notify(Progress::ToolsAsked { event, text, calls, usage, label });
    }

    /// Runs a call and reports its result.
    async fn run(&self, call: &ToolCall) -> Result<String, String> {
        let began = Instant::now();
        let next = self.asked.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let key = next.unwrap_or_else(|| self.run.below(&self.key));
        let call_id = self.run.minted(&key);
        let (name, runtime) = self.known_as(call);
        let outcome = self.call(call, &key, &call_id).await;
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (outcome, shown) = match outcome {
            Ok((value, text)) => (Ok(value), Ok(text)),
            Err(fault) => {
                self.note_failure(&call.function.name, &fault);
                let text = match &fault.help {
                    Some(help) => format!("{}; {help}", fault.message),
                    None => fault.message.clone(),
                };
                (Err(fault), Err(text))
            }
        };
        let event = self.event;
        let told = Progress::ToolAnswered { event, call_id, name, runtime, outcome, ms };
        self.run.observer.notify(told);
        shown
    }

    /// Lowers what the model saw by the words of a failure that others chose.
    fn note_failure(&self, function: &str, fault: &ToolFailure) {
        let Some(callable) = self.find(function) else { return };
        let is_ours = [POLICY_DENIED, PERMISSION_DENIED, CLIENT_UNAVAILABLE];
        if callable.fails_in_our_words() || is_ours.contains(&fault.code.as_str()) {
            return;
        }
        let label = Label::of(format!("failure of {}", callable.name()), Trust::Tool);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = std::mem::take(&mut *seen).join(&label);
    }

    /// Returns the value of a call, and the text of it that the model is shown.
    async fn call(
        &self,
        call: &ToolCall,
        key: &str,
        call_id: &str,
    ) -> Result<(Value, String), ToolFailure> {
        let function = &call.function.name;
        let Some(callable) = self.find(function) else {
            return Err(ToolFailure::new("tool_unknown", format!("there is no tool `{function}`")));
        };
        self.run.count_tool_call()?;
        let given = arguments(call).map_err(|text| ToolFailure::new("bad_argument", text))?;
        if matches!(callable.target, Target::Load) {
            let loaded = self.load(&given).await;
            let text = loaded.map_err(|text| ToolFailure::new("resource_not_loaded", text))?;
            return Ok((Value::from(text.clone()), text));
        }
        let names = given.as_object().into_iter().flat_map(Map::keys);
        let influence = Influence::of_model(&self.seen(), names);
        let caller = Caller { run: self.run, tools: self.tools, event: self.event, key };
        let called = caller.call(callable, given, &influence, (call_id.to_owned(), true)).await?;
        // The model saw what it gave: a tool that validates lets nothing up here.
        let Called { source, value, label: origin, .. } = called;
        let text = self.item(DeclaredItem {
            label: Some(function.clone()),
            source,
            position: Some(self.position.clone()),
            value: value.clone(),
            budget: Some(Budget::tokens(RESULT_TOKENS)),
            keep: Keep::Head,
            priority: 0,
            question: None,
            origin,
            fence: None,
        });
        Ok((value, text.map_err(|text| ToolFailure::new("prompt_too_large", text))?))
    }

    /// Loads what is pending: one item for each resource, which share the room of one result.
    async fn load(&self, arguments: &Value) -> Result<String, String> {
        let loader = self.references.get().loader();
        let loaded = self.offers.call(loader, arguments).await.map_err(|error| told(&error))?;
        self.keep_packs(&loaded)?;
        let Loaded { resources, notes, .. } = loaded;
        let several = resources.len() > 1;
        let mut left = RESULT_TOKENS;
        let mut parts = Vec::new();
        for resource in &resources {
            let Some(text) = resource.text() else { continue };
            if left == 0 {
                parts.push(format!("not shown: {}", resource.reference));
                continue;
            }
            let declared = DeclaredItem {
                label: Some(tool::NAME.to_owned()),
                source: resource.reference.clone(),
                position: Some(self.position.clone()),
                value: text.into(),
                budget: Some(Budget::tokens(left)),
                keep: Keep::Head,
                priority: 0,
                question: None,
                origin: resource.trust.into(),
                fence: fence_of(self.references.packs(), &resource.reference, resource.trust),
            };
            let shown = self.item(declared)?;
            left = left.saturating_sub(self.provider.tokenizer().count(&shown) as u64);
            match (several, shown.is_empty()) {
                (true, true) => parts.push(format!("not shown: {}", resource.reference)),
                (true, false) => parts.push(format!("source: {}\n{shown}", resource.reference)),
                (false, _) => parts.push(shown),
            }
        }
        parts.extend(notes.into_iter().map(|note| format!("note: {}", note.message)));
        Ok(parts.join("\n\n"))
    }

    /// Records the packs of the texts.
    fn keep_packs(&self, loaded: &Loaded) -> Result<(), String> {
        let Some(first) = loaded.resources.first() else { return Ok(()) };
        let kept = of_reference(self.references.packs(), &first.reference, loaded, &self.position);
        let kept = kept.map_err(|error| error.to_string())?;
        log(self.run, self.references.packs(), &kept.found);
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        manifest.packs.extend(kept.records);
        Ok(())
    }

    /// Returns the label of all that the model saw so far.
    pub(super) fn seen(&self) -> Label {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes an item of a result and adds it to the manifest of the call.
    pub(super) fn item(&self, mut declared: DeclaredItem) -> Result<String, String> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = std::mem::take(&mut *seen).join(&label_of_item(&declared));
        drop(seen);
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        let site = manifest.site.clone();
        let masked = hiding::in_item(self.run, &site, &mut declared, manifest.items.len());
        manifest.masked.extend(masked);
        let counter = self.provider.tokenizer();
        let item = build_item(manifest.items.len(), &declared, counter)
            .map_err(|error| error.to_string())?;
        self.run.recorder.keep(vec![
            Blob { digest: item.value_digest.clone(), text: item.value.as_str().to_owned() },
            Blob { digest: item.digest.clone(), text: item.text.clone() },
        ]);
        let sources = declared.origin.sources.clone();
        manifest.items.push(ItemRecord { sources, ..ItemRecord::from(&item) });
        self.run.recorder.amend_manifest(self.event, &manifest);
        Ok(item.text)
    }
}

impl ToolExecutor for ModelTools<'_> {
    fn execute<'a>(
        &'a self,
        call: &'a ToolCall,
        _cancel: &'a CancelToken,
    ) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            match self.run(call).await {
                Ok(text) => ToolOutcome::ok(text),
                Err(fault) => ToolOutcome::failed(format!("error: {fault}")),
            }
        })
    }

    fn leaves(&self, call: &ToolCall) -> bool {
        let found = self.find(&call.function.name);
        found.is_some_and(|callable| matches!(callable.target, Target::Caller))
    }
}

fn arguments(call: &ToolCall) -> Result<Value, String> {
    match call.function.arguments.trim() {
        "" => Ok(json!({})),
        text => serde_json::from_str(text)
            .map_err(|error| format!("the arguments are not valid JSON: {error}")),
    }
}

/// Describes a failure in words that help the model to ask otherwise.
fn told(error: &LoadError) -> String {
    match &error.help {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    }
}
