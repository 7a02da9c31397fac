//! Parts that an application adds: providers of models, tools, protocols of references, actions of
//! flows (HO-2).
//!
//! Decision: they belong to the [`Project`](crate::Project), so that whatever opens a program of it
//! (a check, a run, a turn, a flow, a server) knows the same names.

use crate::optimizer;
#[cfg(feature = "knowledge")]
use crate::{embedding, reranking};
#[cfg(feature = "flow")]
use contexture_context::Trust;
use contexture_context::json::bytes_of;
use contexture_core::signature::ObjectSignature;
use contexture_core::tool::{
    RustTool, SCHEME, Tool, ToolFailure, ToolMethod, ToolReply, ToolRequest,
};
#[cfg(feature = "knowledge")]
use contexture_core::{Embedder, Reranker};
use contexture_core::{LlmError, Provider, model_uri, panics};
#[cfg(feature = "flow")]
use contexture_flow::action::{ActionFailure, ActionInfo, ActionKind, Registry};
#[cfg(feature = "knowledge")]
use contexture_knowledge::resolve::{Embedding, Reranking};
use contexture_reference::Protocol;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
#[cfg(feature = "knowledge")]
use std::sync::OnceLock;
use std::time::Duration;

/// A function that connects to the model that a URI of its scheme names.
pub type Connect = dyn Fn(&str) -> Result<Arc<dyn Provider>, LlmError> + Send + Sync;

/// The time that a call of an added tool may take.
pub const TOOL_TIMEOUT: Duration = Duration::from_secs(60);

/// The parts that an application adds to a project.
#[derive(Clone, Default)]
pub struct Extensions {
    providers: BTreeMap<String, Arc<Connect>>,
    tools: BTreeMap<String, Arc<AddedTool>>,
    protocols: Vec<Arc<dyn Protocol>>,
    #[cfg(feature = "flow")]
    actions: Registry,
    tool_timeout: Option<Duration>,
    #[cfg(feature = "knowledge")]
    embedding: Option<Arc<Embedding>>,
    /// The embedder of the settings, made by the first search: a model has to be read.
    #[cfg(feature = "knowledge")]
    of_settings: Arc<OnceLock<Option<Arc<Embedding>>>>,
    #[cfg(feature = "knowledge")]
    reranking: Option<Arc<Reranking>>,
}

/// The reason why a part cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtensionError {
    /// Two parts of one kind have the same name.
    #[error("two {kind} have the name `{name}`")]
    Duplicate {
        /// The kind of part, in the plural.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A name that cannot stand in a URI or a program.
    #[error("`{name}` cannot name a {kind}: {reason}")]
    BadName {
        /// The kind of part.
        kind: &'static str,
        /// The name.
        name: String,
        /// The fault in it.
        reason: &'static str,
    },
    /// The parameters of a method are not an object by their schema.
    #[error("the parameters of `{tool}.{method}` must be an object by their JSON Schema")]
    NotAnObject {
        /// The tool.
        tool: String,
        /// The method.
        method: String,
    },
    /// A part panicked when it was asked for its name or its methods.
    #[error("the {kind} panicked when it was added: {message}")]
    Panicked {
        /// The kind of part.
        kind: &'static str,
        /// The message of the panic.
        message: String,
    },
}

impl Extensions {
    /// Returns the parts that Contexture adds itself: `host://optimizer` (AS-33).
    pub(crate) fn of_host() -> Self {
        let mut extensions = Self::default();
        extensions.set_optimizer(optimizer::tool());
        extensions
    }

    /// Sets the tool behind `host://optimizer`. It is not an action of flows.
    pub(crate) fn set_optimizer(&mut self, tool: RustTool) {
        let methods = tool.methods();
        let added = AddedTool::new(optimizer::NAME.to_owned(), Arc::new(tool), methods);
        // Its methods are written in this crate, and a test imports it.
        if let Ok(added) = added {
            self.tools.insert(optimizer::NAME.to_owned(), Arc::new(added));
        }
    }

    /// Removes a tool.
    pub(crate) fn remove_tool(&mut self, name: &str) {
        self.tools.remove(name);
    }

    /// Adds a provider of models: a program names them `scheme://model`.
    ///
    /// # Errors
    /// [`ExtensionError`] when the scheme is taken, or is not letters, digits, `+`, `-` and `.`.
    pub fn add_provider(
        &mut self,
        scheme: impl Into<String>,
        connect: impl Fn(&str) -> Result<Arc<dyn Provider>, LlmError> + Send + Sync + 'static,
    ) -> Result<(), ExtensionError> {
        let scheme = scheme.into();
        let sign =
            |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || "+-.".contains(sign);
        if !scheme.starts_with(|first: char| first.is_ascii_lowercase())
            || !scheme.chars().all(sign)
        {
            let reason = "a scheme is lower-case letters, digits, `+`, `-` and `.`";
            return Err(ExtensionError::BadName { kind: "provider", name: scheme, reason });
        }
        let built_in = model_uri::SCHEMES.contains(&scheme.as_str()) || scheme == "default";
        if built_in || self.providers.contains_key(&scheme) {
            return Err(ExtensionError::Duplicate { kind: "providers", name: scheme });
        }
        self.providers.insert(scheme, Arc::new(connect));
        Ok(())
    }

    /// Adds a tool: a program imports it from `rust://name`, a flow calls `rust:name/method`.
    ///
    /// # Errors
    /// [`ExtensionError`] when its name is taken or cannot stand in a URI, or a method is not
    /// usable.
    pub fn add_tool(&mut self, tool: Arc<dyn Tool>) -> Result<(), ExtensionError> {
        let (name, methods) = asked("tool", || (tool.name().to_owned(), tool.methods()))?;
        let uri = format!("{SCHEME}://{name}");
        if !matches!(contexture_script::capability::native(&uri), Ok(Some((_, None)))) {
            let reason = "a name is 1 to 64 letters, digits, `-`, `_` and `.`";
            return Err(ExtensionError::BadName { kind: "tool", name, reason });
        }
        if self.tools.contains_key(&name) {
            return Err(ExtensionError::Duplicate { kind: "tools", name });
        }
        let added = Arc::new(AddedTool::new(name.clone(), tool, methods)?);
        #[cfg(feature = "flow")]
        self.add_as_actions(&added);
        self.tools.insert(name, added);
        Ok(())
    }

    /// Adds a protocol of references, in place of a built-in one of the same name.
    pub fn add_protocol(&mut self, protocol: Arc<dyn Protocol>) {
        self.protocols.push(protocol);
    }

    /// Sets the embedder: the search of knowledge packs finds sections by their meaning, too. Its
    /// vectors are kept for the process.
    ///
    /// # Errors
    /// [`ExtensionError`] when it panics while it returns its id.
    #[cfg(feature = "knowledge")]
    pub fn set_embedder(&mut self, embedder: Arc<dyn Embedder>) -> Result<(), ExtensionError> {
        let id = asked("embedder", || embedder.id().to_owned())?;
        self.embedding = Some(Arc::new(embedding::of(id, embedder)));
        Ok(())
    }

    /// Sets the reranker: the search of knowledge packs orders by it what it found.
    ///
    /// # Errors
    /// [`ExtensionError`] when it panics while it returns its id.
    #[cfg(feature = "knowledge")]
    pub fn set_reranker(&mut self, reranker: Arc<dyn Reranker>) -> Result<(), ExtensionError> {
        let id = asked("reranker", || reranker.id().to_owned())?;
        self.reranking = Some(Arc::new(reranking::of(id, reranker)));
        Ok(())
    }

    /// Sets the time that a call of an added tool may take; [`TOOL_TIMEOUT`] by default.
    pub fn set_tool_timeout(&mut self, limit: Duration) {
        self.tool_timeout = Some(limit);
    }

    /// Returns the schemes of the added providers.
    pub(crate) fn schemes(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().map(String::as_str)
    }

    pub(crate) fn provider(&self, scheme: &str) -> Option<&Arc<Connect>> {
        self.providers.get(scheme)
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<AddedTool>> {
        self.tools.get(name)
    }

    pub(crate) fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    pub(crate) fn protocols(&self) -> &[Arc<dyn Protocol>] {
        &self.protocols
    }

    #[cfg(feature = "knowledge")]
    pub(crate) fn embedding(&self) -> Option<&Arc<Embedding>> {
        self.embedding.as_ref()
    }

    #[cfg(feature = "knowledge")]
    pub(crate) fn reranking(&self) -> Option<&Arc<Reranking>> {
        self.reranking.as_ref()
    }

    /// Returns the embedder of the settings; `make` makes it for all runs of the project.
    #[cfg(feature = "knowledge")]
    pub(crate) fn embedding_of_settings(
        &self,
        make: impl FnOnce() -> Option<Arc<Embedding>>,
    ) -> Option<Arc<Embedding>> {
        self.of_settings.get_or_init(make).clone()
    }

    /// Returns the time that a call of a tool may take: trials are runs, which have limits of their own.
    pub(crate) fn tool_timeout(&self, tool: &str) -> Duration {
        match tool {
            optimizer::NAME => Duration::MAX,
            _ => self.tool_timeout.unwrap_or(TOOL_TIMEOUT),
        }
    }
}

#[cfg(feature = "flow")]
impl Extensions {
    /// Adds actions of flows; they win over built-in ones of the same names.
    pub fn add_actions(&mut self, actions: &Registry) {
        self.actions.extend(actions);
    }

    /// Adds the methods of a tool as actions.
    fn add_as_actions(&mut self, tool: &Arc<AddedTool>) {
        for method in &tool.methods {
            let (tool, own) = (Arc::clone(tool), method.facts.name.clone());
            let changes = method.facts.effect.changes();
            let kind = if changes { ActionKind::Operation } else { ActionKind::Query };
            let facts = &method.facts;
            let info = ActionInfo { demands: facts.demands.clone(), ..ActionInfo::of(kind) };
            let info = info.with_class(facts.effect.class());
            let info = info.with_parameters(method.facts.parameters.clone());
            self.actions.add(action_name(&tool.name, &own), info, move |call| {
                let (tool, own) = (Arc::clone(&tool), own.clone());
                async move {
                    let reply = tool.call(&own, &call.parameters, None).await;
                    reply.map(|reply| reply.value).map_err(|failure| ActionFailure {
                        details: failure.help.map(|help| serde_json::json!({ "help": help })),
                        ..ActionFailure::new(failure.code, failure.message)
                    })
                }
            });
        }
    }

    pub(crate) const fn actions(&self) -> &Registry {
        &self.actions
    }

    /// Returns the trust level of the result of an added action, and why it validates its parameters
    /// if it does.
    pub(crate) fn facts_of_action(&self, action: &str) -> (Trust, Option<&str>) {
        let method = action.strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix(':'));
        let method = method.and_then(|rest| rest.split_once('/'));
        let method = method.and_then(|(tool, method)| self.tool(tool)?.method(method));
        let facts = method.map(|method| &method.facts);
        let validates = facts.and_then(|facts| facts.validates.as_deref());
        (facts.map_or(Trust::Tool, |facts| facts.trust), validates)
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions")
            .field("providers", &self.providers.keys())
            .field("tools", &self.tools.keys())
            .finish_non_exhaustive()
    }
}

/// Returns what a part reports about itself.
fn asked<T>(kind: &'static str, ask: impl FnOnce() -> T) -> Result<T, ExtensionError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(ask))
        .map_err(|panic| ExtensionError::Panicked { kind, message: panics::message(&*panic) })
}

/// Returns the name of a method as an action of flows.
pub(crate) fn action_name(tool: &str, method: &str) -> String {
    format!("{SCHEME}:{tool}/{method}")
}

/// A tool of the application with the name and methods that it had when it was added.
pub(crate) struct AddedTool {
    pub(crate) name: String,
    pub(crate) methods: Vec<AddedMethod>,
    tool: Arc<dyn Tool>,
}

/// A method of an added tool.
pub(crate) struct AddedMethod {
    pub(crate) facts: ToolMethod,
    pub(crate) signature: ObjectSignature,
}

impl AddedTool {
    fn new(
        name: String,
        tool: Arc<dyn Tool>,
        methods: Vec<ToolMethod>,
    ) -> Result<Self, ExtensionError> {
        let mut known: Vec<AddedMethod> = Vec::new();
        for facts in methods {
            let own = format!("{name}.{}", facts.name);
            if facts.name.is_empty() || facts.name.contains(|c: char| c.is_whitespace() || c == '/')
            {
                let reason = "a method's name is one word without slashes";
                return Err(ExtensionError::BadName { kind: "method", name: own, reason });
            }
            if known.iter().any(|other| other.facts.name == facts.name) {
                return Err(ExtensionError::Duplicate { kind: "methods", name: own });
            }
            let schema = facts.parameters.as_object();
            let is_object = |schema: &&Map<String, Value>| {
                schema.get("type").is_none_or(|kind| kind == "object")
            };
            let Some(schema) = schema.filter(is_object) else {
                return Err(ExtensionError::NotAnObject { tool: name, method: facts.name });
            };
            let signature = ObjectSignature::of(schema);
            known.push(AddedMethod { signature, facts });
        }
        Ok(Self { name, methods: known, tool })
    }

    pub(crate) fn method(&self, name: &str) -> Option<&AddedMethod> {
        self.methods.iter().find(|method| method.facts.name == name)
    }

    /// Calls a method. A panic and a result of more than `limit` bytes are failures.
    pub(crate) async fn call(
        &self,
        method: &str,
        arguments: &Map<String, Value>,
        limit: Option<u64>,
    ) -> Result<ToolReply, ToolFailure> {
        let request = ToolRequest { method, arguments };
        let reply = panics::caught(|| self.tool.call(request)).await;
        let reply = reply.map_err(|message| {
            ToolFailure::new(
                "tool_panicked",
                format!("`{}.{method}` panicked: {message}", self.name),
            )
            .with_help("this is a fault of the tool; its author has to fix it")
        })??;
        let bytes = limit.map_or(0, |_| bytes_of(&reply.value));
        match limit.filter(|limit| bytes > *limit) {
            Some(limit) => {
                let message = format!(
                    "the result of `{}.{method}` has {bytes} bytes, more than the limit of {limit}",
                    self.name
                );
                Err(ToolFailure::new("result_too_large", message).with_help(
                    "return less, or raise `file_bytes` under [limits] in contexture.toml",
                ))
            }
            None => Ok(reply),
        }
    }
}
