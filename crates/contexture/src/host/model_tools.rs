//! Tools that a model itself may call, because a `generate` lists them (AS-19) or because resources
//! are pending (REF-10).
//!
//! Every result is an item: cut, fenced and recorded like what a program shows with `use`.

use super::errors::of_server;
use super::knowledge::{log, of_reference};
use super::run_state::RunState;
use super::servers::{Offered, ascii};
use super::tools::RunTools;
use super::{added, frontend};
use crate::extensions::action_name;
use crate::frontend::FrontendTool;
use crate::models::Model;
use crate::observe::{Call, Progress, Runtime, ToolFailure};
use crate::permission::{name_of, name_of_server_tool};
use crate::references::fence_of;
use crate::written::OnDemand;
use contexture_context::build::build_item;
use contexture_context::manifest::{Blob, ItemRecord};
use contexture_context::{Budget, DeclaredItem, Keep, Manifest, Position, Trust};
use contexture_llm::{BoxFuture, CancelToken, Provider, ToolExecutor, ToolOutcome};
use contexture_prompt::{ToolCall, ToolDefinition, Usage};
use contexture_reference::tool::{self, Offers};
use contexture_reference::{LoadError, Loaded};
use contexture_script::host::{GenerateCall, ToolBinding};
use contexture_script::server::Origin;
use contexture_tools::Tools;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Tokens that one result may take in the conversation.
const RESULT_TOKENS: u64 = 4_000;

/// The tools of one `generate`.
pub(super) struct ModelTools<'h> {
    run: &'h RunState,
    tools: &'h RunTools,
    references: &'h OnDemand,
    event: u64,
    position: Position,
    provider: Arc<dyn Provider>,
    bindings: Vec<ToolBinding>,
    /// The tools of servers among them.
    of_servers: Vec<Offered>,
    /// The tools of front ends among them, by the name of the function.
    of_frontend: Vec<(String, FrontendTool)>,
    /// Ids for the calls that the model asked for and that have not begun, in their order.
    asked: Mutex<VecDeque<String>>,
    /// The resources that may be loaded; none when the model can't call tools.
    offers: Offers,
    manifest: Mutex<Manifest>,
}

impl<'h> ModelTools<'h> {
    pub(super) fn new(
        (run, tools, references): (&'h RunState, &'h RunTools, &'h OnDemand),
        call: &GenerateCall,
        model: &Model,
        manifest: Manifest,
        (offers, of_servers): (Offers, Vec<Offered>),
    ) -> Self {
        let of_frontend = frontend::offered(run, tools.frontend.as_ref(), &call.options.tools);
        let of_frontend = named(of_frontend, &of_servers);
        Self {
            offers,
            of_frontend,
            asked: Mutex::default(),
            run,
            tools,
            references,
            event: call.event,
            position: call.site.position.clone(),
            provider: Arc::clone(&model.provider),
            bindings: call.options.tools.clone(),
            of_servers,
            manifest: Mutex::new(manifest),
        }
    }

    /// Returns the methods as functions that a model can call: `File.read` is `File_read`; and
    /// `load_resource` while anything is pending.
    pub(super) fn definitions(&self) -> Vec<ToolDefinition> {
        let mut definitions = Vec::new();
        for binding in &self.bindings {
            for method in Tools::describe(&binding.uri).unwrap_or_default() {
                let name = format!("{}_{}", ascii(&binding.name), method.name);
                definitions.push(ToolDefinition::function(
                    name,
                    method.description,
                    method.schema(),
                ));
            }
        }
        for Offered { function, description, schema, .. } in &self.of_servers {
            let (name, description) = (function.clone(), description.clone());
            definitions.push(ToolDefinition::function(name, description, schema.clone()));
        }
        for (function, tool) in &self.of_frontend {
            let (description, schema) = (tool.description.clone(), tool.parameters.clone());
            definitions.push(ToolDefinition::function(function.clone(), description, schema));
        }
        if !self.offers.is_empty() {
            definitions.push(ToolDefinition::function(
                tool::NAME,
                tool::DESCRIPTION,
                tool::schema(),
            ));
        }
        definitions
    }

    /// Returns the tool and method that a function's name means.
    fn find(&self, name: &str) -> Option<(&ToolBinding, String)> {
        self.bindings.iter().find_map(|binding| {
            let method = name.strip_prefix(&ascii(&binding.name))?.strip_prefix('_')?;
            Tools::effect(&binding.uri, method).ok()?;
            Some((binding, method.to_owned()))
        })
    }

    /// Returns the target of a function's name.
    fn target(&self, name: &str) -> Target<'_> {
        if name == tool::NAME && !self.offers.is_empty() {
            return Target::Load;
        }
        if let Some(offered) = self.of_servers.iter().find(|offered| offered.function == name) {
            return Target::Server(offered);
        }
        if let Some((_, tool)) = self.of_frontend.iter().find(|(function, _)| function == name) {
            return Target::Frontend(&tool.tool_id);
        }
        self.find(name).map_or(Target::Unknown, |(binding, method)| Target::Own(binding, method))
    }

    /// Gives an id to each call that the model asks for, and reports them.
    pub(super) fn asked(&self, text: &str, calls: &[ToolCall], usage: Usage) {
        let told = |call: &ToolCall| {
            let target = self.target(&call.function.name);
            Call {
                call_id: self.run.call_id(),
                name: target.name(&call.function.name),
                runtime: target.runtime(),
                parameters: arguments(call)
                    .unwrap_or_else(|_| Value::from(call.function.arguments.clone())),
            }
        };
        let calls: Vec<Call> = calls.iter().map(told).collect();
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        *asked = calls.iter().map(|call| call.call_id.clone()).collect();
        drop(asked);
        let (event, text) = (self.event, text.to_owned());
        self.run.observer.notify(Progress::ToolsAsked { event, text, calls, usage });
    }

    /// Runs a call and reports its result.
    async fn run(&self, call: &ToolCall) -> Result<String, String> {
        let began = Instant::now();
        let next = self.asked.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let call_id = next.unwrap_or_else(|| self.run.call_id());
        let target = self.target(&call.function.name);
        let (name, runtime) = (target.name(&call.function.name), target.runtime());
        let outcome = self.call(target, call, &call_id).await;
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (outcome, shown) = match outcome {
            Ok((value, text)) => (Ok(value), Ok(text)),
            Err(fault) => {
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

    /// Returns the value of a call, and the text of it that the model is shown.
    async fn call(
        &self,
        target: Target<'_>,
        call: &ToolCall,
        call_id: &str,
    ) -> Result<(Value, String), ToolFailure> {
        let function = &call.function.name;
        if matches!(target, Target::Unknown) {
            return Err(ToolFailure::new("tool_unknown", format!("there is no tool `{function}`")));
        }
        self.run.count_tool_call()?;
        let given = arguments(call).map_err(|text| ToolFailure::new("bad_argument", text))?;
        let (source, value, trust) = match target {
            Target::Load => {
                let text = self
                    .load(&given)
                    .await
                    .map_err(|text| ToolFailure::new("resource_not_loaded", text))?;
                return Ok((Value::from(text.clone()), text));
            }
            Target::Server(offered) => self.call_offered(offered, given).await?,
            Target::Frontend(tool_id) => {
                let source = format!("frontend://{tool_id}({given})");
                let id = (call_id.to_owned(), true);
                let (port, limit) = (self.tools.frontend.as_ref(), self.run.limits.file_bytes);
                let value = frontend::ask(port, tool_id, id, (tool_id, given), limit).await?;
                (source, value, Trust::Tool)
            }
            Target::Own(binding, method) => {
                let source = format!("{}.{method}({given})", binding.name);
                let secrets = Tools::secrets_in(&binding.uri, &given);
                self.run.recorder.add_secrets(secrets);
                let known_as = name_of(&binding.uri, &method);
                self.run.permitted(&known_as, &given).await?;
                let output = self.tools.built_in.call(&binding.uri, &method, given).await;
                let output = output.map_err(|error| ToolFailure::new(error.code, error.message))?;
                self.run.recorder.add_secrets(output.secrets);
                (source, output.value, output.trust)
            }
            Target::Unknown => return Err(ToolFailure::new("tool_unknown", function.clone())),
        };
        let text = self.item(&DeclaredItem {
            label: Some(function.clone()),
            source,
            position: Some(self.position.clone()),
            value: value.clone(),
            budget: Some(Budget::tokens(RESULT_TOKENS)),
            keep: Keep::Head,
            priority: 0,
            origin: trust.into(),
            fence: None,
        });
        Ok((value, text.map_err(|text| ToolFailure::new("prompt_too_large", text))?))
    }

    /// Calls a tool that others define; returns its source for the record, its value, and the trust
    /// of that.
    async fn call_offered(
        &self,
        offered: &Offered,
        given: Value,
    ) -> Result<(String, Value, Trust), ToolFailure> {
        let Offered { origin, server, name, .. } = offered;
        match origin {
            Origin::Mcp => {
                let source = format!("mcp://{server}/{name}({given})");
                let known_as = name_of_server_tool(server, name);
                self.run.permitted(&known_as, &given).await?;
                let value = self.tools.servers.call(server, name, given).await;
                let value = value.map_err(|error| ToolFailure::from(of_server(error)))?;
                Ok((source, value, Trust::Tool))
            }
            Origin::Application => {
                let source = format!("rust://{server}/{name}({given})");
                self.run.permitted(&action_name(server, name), &given).await?;
                let called =
                    added::call_for_model(self.run, &self.tools.extensions, (server, name), given);
                let (value, trust) = called.await.map_err(ToolFailure::from)?;
                Ok((source, value, trust))
            }
        }
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
                origin: resource.trust.into(),
                fence: fence_of(self.references.packs(), &resource.reference, resource.trust),
            };
            let shown = self.item(&declared)?;
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

    /// Makes an item of a result and adds it to the manifest of the call.
    fn item(&self, declared: &DeclaredItem) -> Result<String, String> {
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        let counter = self.provider.tokenizer();
        let item = build_item(manifest.items.len(), declared, counter)
            .map_err(|error| error.to_string())?;
        self.run.recorder.keep(vec![
            Blob { digest: item.value_digest.clone(), text: item.value.to_string() },
            Blob { digest: item.digest.clone(), text: item.text.clone() },
        ]);
        manifest.items.push(ItemRecord::from(&item));
        self.run.recorder.amend(self.event, json!({ "manifest": *manifest }));
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
}

/// The target of a function that a model calls.
enum Target<'t> {
    /// Loading what is pending.
    Load,
    /// A tool of a server.
    Server(&'t Offered),
    /// A tool of a front end, by its id.
    Frontend(&'t str),
    /// A method of a tool that is built in.
    Own(&'t ToolBinding, String),
    /// Nothing that was offered.
    Unknown,
}

impl Target<'_> {
    /// Returns the tool's own name.
    fn name(&self, function: &str) -> String {
        match self {
            Self::Server(offered) => offered.name.clone(),
            Self::Frontend(tool_id) => (*tool_id).to_owned(),
            Self::Own(binding, method) => format!("{}.{method}", binding.name),
            Self::Load | Self::Unknown => function.to_owned(),
        }
    }

    const fn runtime(&self) -> Runtime {
        match self {
            Self::Frontend(_) => Runtime::Frontend,
            _ => Runtime::Backend,
        }
    }
}

/// Returns tools of a front end under names of functions that providers take: the `toolId` itself,
/// with other signs as `_`, numbered where two would be the same.
fn named(tools: Vec<FrontendTool>, others: &[Offered]) -> Vec<(String, FrontendTool)> {
    let mut named: Vec<(String, FrontendTool)> = Vec::new();
    for tool in tools {
        let sign = |sign: char| {
            if sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-') { sign } else { '_' }
        };
        let whole: String = tool.tool_id.chars().map(sign).collect();
        let is_free = |name: &str| {
            name != tool::NAME
                && others.iter().all(|other| other.function != name)
                && named.iter().all(|(other, _)| other != name)
        };
        let short = |bytes: usize| whole.chars().take(bytes).collect::<String>();
        let numbered = (2..1_000).map(|number| format!("{}_{number}", short(56)));
        let name = std::iter::once(short(64)).chain(numbered).find(|name| is_free(name));
        if let Some(name) = name {
            named.push((name, tool));
        }
    }
    named
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
