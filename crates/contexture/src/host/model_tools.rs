//! Tools that a model itself may call, because a `generate` lists them (AS-19) or because resources
//! are pending (REF-10).
//!
//! Every result is an item: cut, fenced and recorded like what a program shows with `use`.

use super::LiveHost;
use super::convert::fields;
use super::servers::Offered;
use crate::models::Model;
use crate::references::fence_of;
use contexture_context::build::build_item;
use contexture_context::manifest::{Blob, ItemRecord};
use contexture_context::tokens::tokenizer_for;
use contexture_context::{Budget, DeclaredItem, Keep, Manifest, Position, Trust};
use contexture_llm::{BoxFuture, CancelToken, ToolExecutor, ToolOutcome};
use contexture_prompt::{ToolCall, ToolDefinition};
use contexture_reference::tool::{self, Offers};
use contexture_reference::{LoadError, Loaded};
use contexture_script::host::{GenerateCall, ToolBinding};
use contexture_tools::Tools;
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};

/// Tokens that one result may take in the conversation.
const RESULT_TOKENS: u64 = 4_000;

/// The tools of one `generate`.
pub(super) struct ModelTools<'h> {
    host: &'h LiveHost,
    event: u64,
    position: Position,
    tokenizer: String,
    bindings: Vec<ToolBinding>,
    /// The tools of servers among them.
    of_servers: Vec<Offered>,
    /// What may be loaded; nothing when the model can't call tools.
    offers: Offers,
    manifest: Mutex<Manifest>,
}

impl<'h> ModelTools<'h> {
    pub(super) fn new(
        host: &'h LiveHost,
        call: &GenerateCall,
        model: &Model,
        manifest: Manifest,
        (offers, of_servers): (Offers, Vec<Offered>),
    ) -> Self {
        let offers = if host.calls_tools(model) { offers } else { Offers::default() };
        Self {
            offers,
            host,
            event: call.event,
            position: call.site.position.clone(),
            tokenizer: model.provider.model().to_owned(),
            bindings: call.options.tools.clone(),
            of_servers,
            manifest: Mutex::new(manifest),
        }
    }

    /// The methods as functions that a model can call: `File.read` is `File_read`; and
    /// `load_resource` while anything is pending.
    pub(super) fn definitions(&self) -> Vec<ToolDefinition> {
        let mut definitions = Vec::new();
        for binding in &self.bindings {
            for method in Tools::describe(&binding.uri).unwrap_or_default() {
                let name = format!("{}_{}", ascii(&binding.name), method.name);
                definitions.push(ToolDefinition::function(name, method.description, method.schema));
            }
        }
        for Offered { function, tool, .. } in &self.of_servers {
            let description = tool.description.clone().unwrap_or_default();
            let schema = Value::Object(tool.input_schema.clone());
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

    /// The tool and method that a function's name means.
    fn find(&self, name: &str) -> Option<(&ToolBinding, String)> {
        self.bindings.iter().find_map(|binding| {
            let method = name.strip_prefix(&ascii(&binding.name))?.strip_prefix('_')?;
            Tools::effect(&binding.uri, method).ok()?;
            Some((binding, method.to_owned()))
        })
    }

    async fn call(&self, call: &ToolCall) -> Result<String, String> {
        let name = &call.function.name;
        if name == tool::NAME && !self.offers.is_empty() {
            self.host.count_tool_call().map_err(|error| error.message)?;
            return self.load(&arguments(call)?).await;
        }
        if let Some(offered) = self.of_servers.iter().find(|offered| offered.function == *name) {
            self.host.count_tool_call().map_err(|error| error.message)?;
            return self.ask_server(offered, arguments(call)?).await;
        }
        let (binding, method) =
            self.find(name).ok_or_else(|| format!("there is no tool `{name}`"))?;
        self.host.count_tool_call().map_err(|error| error.message)?;
        let arguments = arguments(call)?;
        let source = format!("{}.{method}({arguments})", binding.name);
        let output = self
            .host
            .tools
            .call(&binding.uri, &method, arguments)
            .await
            .map_err(|error| error.message)?;
        self.host.recorder.add_secrets(output.secrets);
        let declared = DeclaredItem {
            label: Some(name.clone()),
            source,
            position: Some(self.position.clone()),
            value: output.value,
            budget: Some(Budget::tokens(RESULT_TOKENS)),
            keep: Keep::Head,
            priority: 0,
            trust: output.trust,
            fence: None,
        };
        self.item(&declared)
    }

    /// Calls a tool of a server.
    async fn ask_server(&self, offered: &Offered, arguments: Value) -> Result<String, String> {
        let Offered { function, server, tool } = offered;
        let source = format!("mcp://{server}/{}({arguments})", tool.name);
        let value = self.host.servers.call(server, &tool.name, arguments).await;
        let value = value.map_err(|error| match error.help() {
            Some(help) => format!("{error}; {help}"),
            None => error.to_string(),
        })?;
        self.item(&DeclaredItem {
            label: Some(function.clone()),
            source,
            position: Some(self.position.clone()),
            value,
            budget: Some(Budget::tokens(RESULT_TOKENS)),
            keep: Keep::Head,
            priority: 0,
            trust: Trust::Tool,
            fence: None,
        })
    }

    /// Loads what is pending: one item for each resource, which share the room of one result.
    async fn load(&self, arguments: &Value) -> Result<String, String> {
        let loader = self.host.references.get().loader();
        let Loaded { resources, notes, .. } =
            self.offers.call(loader, arguments).await.map_err(|error| told(&error))?;
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
                trust: resource.trust,
                fence: fence_of(self.host.packs(), &resource.reference, resource.trust),
            };
            let shown = self.item(&declared)?;
            left = left.saturating_sub(tokenizer_for(&self.tokenizer).count(&shown) as u64);
            match (several, shown.is_empty()) {
                (true, true) => parts.push(format!("not shown: {}", resource.reference)),
                (true, false) => parts.push(format!("source: {}\n{shown}", resource.reference)),
                (false, _) => parts.push(shown),
            }
        }
        parts.extend(notes.into_iter().map(|note| format!("note: {}", note.message)));
        Ok(parts.join("\n\n"))
    }

    /// Makes an item of a result and adds it to the manifest of the call.
    fn item(&self, declared: &DeclaredItem) -> Result<String, String> {
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        let counter = tokenizer_for(&self.tokenizer);
        let item = build_item(manifest.items.len(), declared, counter)
            .map_err(|error| error.to_string())?;
        self.host.recorder.keep(vec![
            Blob { digest: item.value_digest.clone(), text: item.value.to_string() },
            Blob { digest: item.digest.clone(), text: item.text.clone() },
        ]);
        manifest.items.push(ItemRecord::from(&item));
        self.host.recorder.amend(self.event, fields(json!({ "manifest": *manifest })));
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
            match self.call(call).await {
                Ok(text) => ToolOutcome::ok(text),
                Err(fault) => ToolOutcome::failed(format!("error: {fault}")),
            }
        })
    }
}

fn arguments(call: &ToolCall) -> Result<Value, String> {
    match call.function.arguments.trim() {
        "" => Ok(json!({})),
        text => serde_json::from_str(text)
            .map_err(|error| format!("the arguments are no valid JSON: {error}")),
    }
}

/// A failure in words that help the model to ask otherwise.
fn told(error: &LoadError) -> String {
    match &error.help {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    }
}

/// A name as providers accept it: other characters as `u` and their code point.
pub(super) fn ascii(name: &str) -> String {
    let part = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => c.to_string(),
        c => format!("u{:x}", u32::from(c)),
    };
    name.chars().map(part).collect()
}
