//! A call of a granted function, whoever wishes it: a model on its way to an answer, or a plan.

use super::callable::{Callable, Target};
use super::durable::about;
use super::errors::of_server;
use super::frontend::host_error;
use super::run_state::RunState;
use super::tools::{RunTools, label_of, with_key};
use super::{added, frontend};
use crate::extensions::action_name;
use crate::observe::ToolFailure;
use crate::permission::{name_of, name_of_frontend_tool, name_of_server_tool, origin_of_server};
use contexture_context::{Label, Trust};
use contexture_core::policy::{Demands, Effect, Influence, Validation, origin};
use contexture_script::host::{HostError, ToolBinding};
use contexture_tools::Tools;
use serde_json::Value;

/// The caller of granted functions, for one event of the trace.
#[derive(Clone, Copy)]
pub(super) struct Caller<'h> {
    pub(super) run: &'h RunState,
    pub(super) tools: &'h RunTools,
    pub(super) event: u64,
    /// The place of the call among those of the run.
    pub(super) key: &'h str,
}

/// The result of a call.
pub(super) struct Called {
    /// Its source for the record.
    pub(super) source: String,
    pub(super) value: Value,
    pub(super) label: Label,
    /// The word of a tool that validates what it is given.
    pub(super) validation: Option<Validation>,
}

impl Caller<'_> {
    /// Calls a function once it is allowed, unless the journal knows what it gave. The id is that of
    /// a call of a front end, which may have been told of it.
    pub(super) async fn call(
        &self,
        callable: &Callable,
        given: Value,
        influence: &Influence,
        id: (String, bool),
    ) -> Result<Called, ToolFailure> {
        let about = about(self.key, &callable.name(), &given, "");
        let calling = async {
            let called = self.calling(callable, given, influence, id).await;
            let cancelled = self.run.cancel.is_cancelled();
            called.map_err(|failure| HostError { cancelled, ..host_error(failure) })
        };
        Ok(self.run.durably(about, self.event, calling).await?)
    }

    async fn calling(
        &self,
        callable: &Callable,
        given: Value,
        influence: &Influence,
        id: (String, bool),
    ) -> Result<Called, ToolFailure> {
        if self.run.dry_run {
            return self.again(callable, given, influence).await;
        }
        match &callable.target {
            Target::Load | Target::Caller => {
                Err(ToolFailure::new("tool_unknown", "it is called by models alone"))
            }
            Target::Own(binding) => self.own(callable, binding, given, influence).await,
            Target::Mcp { server } => self.server(callable, server, given, influence).await,
            Target::Application { tool } => self.added(callable, tool, given, influence).await,
            Target::Frontend { tool_id } => self.frontend(tool_id, given, influence, id).await,
        }
    }

    /// Returns what the record has for a call that the model of a recheck wishes, so that nothing is
    /// done again; what only reads is read (IN-10).
    async fn again(
        &self,
        callable: &Callable,
        given: Value,
        influence: &Influence,
    ) -> Result<Called, ToolFailure> {
        let method = &callable.method;
        let source = source(callable, &given);
        if let Some((text, label)) = self.run.recorded_result(&source) {
            let value = serde_json::from_str(&text).unwrap_or_else(|_| text.into());
            return Ok(Called { source, value, label, validation: None });
        }
        match &callable.target {
            Target::Own(binding)
                if Tools::effect(&binding.uri, method).is_ok_and(|it| it.runs_in_dry_run()) =>
            {
                self.own(callable, binding, given, influence).await
            }
            _ => {
                let message = "a recheck does nothing again, and the record has no result for this";
                Err(ToolFailure::new("not_recorded", message))
            }
        }
    }

    async fn own(
        &self,
        callable: &Callable,
        binding: &ToolBinding,
        given: Value,
        influence: &Influence,
    ) -> Result<Called, ToolFailure> {
        let method = &callable.method;
        let source = source(callable, &given);
        self.run.recorder.add_secrets(Tools::secrets_in(&binding.uri, &given));
        let known_as = name_of(&binding.uri, method);
        let sink = (origin(&binding.uri), None);
        self.permitted(callable, &known_as, sink, (influence, &given)).await?;
        let shown = given.clone();
        let mut given = given;
        with_key(callable.class, &binding.uri, &mut given, || self.run.minted(self.key));
        let output = self.tools.built_in.call(&binding.uri, method, given).await;
        let output = output.map_err(|error| ToolFailure::new(error.code, error.message))?;
        let label = label_of(&known_as, &binding.uri, &shown, &output);
        let label = self.run.label_of_file(&binding.uri, label);
        self.run.recorder.add_secrets(output.secrets);
        Ok(Called { source, value: output.value, label, validation: None })
    }

    async fn server(
        &self,
        callable: &Callable,
        server: &str,
        given: Value,
        influence: &Influence,
    ) -> Result<Called, ToolFailure> {
        let name = &callable.method;
        let source = source(callable, &given);
        let known_as = name_of_server_tool(server, name);
        let sink = (Some(origin_of_server(server)), None);
        self.permitted(callable, &known_as, sink, (influence, &given)).await?;
        let key = self.run.minted_for(callable.class, self.key);
        let value = self.tools.servers.call_under(server, name, given, key.as_deref()).await;
        let value = value.map_err(|error| ToolFailure::from(of_server(error)))?;
        let validation = self.run.policy.validation(&known_as, None);
        Ok(Called { source, value, label: Label::of(known_as, Trust::Tool), validation })
    }

    async fn added(
        &self,
        callable: &Callable,
        tool: &str,
        given: Value,
        influence: &Influence,
    ) -> Result<Called, ToolFailure> {
        let method = &callable.method;
        let source = source(callable, &given);
        let known_as = action_name(tool, method);
        let found = self.tools.extensions.tool(tool).and_then(|tool| tool.method(method));
        let facts = found.map(|method| &method.facts);
        let sink = (None, facts.map(|facts| &facts.demands));
        self.permitted(callable, &known_as, sink, (influence, &given)).await?;
        let called = added::call_for_model(self.run, &self.tools.extensions, (tool, method), given);
        let (value, trust) = called.await.map_err(ToolFailure::from)?;
        let own = facts.and_then(|facts| facts.validates.as_deref());
        let validation = self.run.policy.validation(&known_as, own);
        Ok(Called { source, value, label: Label::of(known_as, trust), validation })
    }

    async fn frontend(
        &self,
        tool_id: &str,
        given: Value,
        influence: &Influence,
        id: (String, bool),
    ) -> Result<Called, ToolFailure> {
        let port = self.tools.frontend.as_ref();
        if !frontend::has_open(port, &id.0) {
            let about = (self.event, self.key, influence);
            frontend::permitted(self.run, port, tool_id, about, &given).await?;
        }
        let source = format!("frontend://{tool_id}({given})");
        let limit = self.run.limits.file_bytes;
        let value = frontend::ask(port, tool_id, id, (tool_id, given), limit).await?;
        let label = Label::of(name_of_frontend_tool(tool_id), Trust::Tool);
        Ok(Called { source, value, label, validation: None })
    }

    /// Waits until a call is allowed.
    async fn permitted(
        &self,
        callable: &Callable,
        name: &str,
        (origin, demands): (Option<String>, Option<&Demands>),
        (influence, given): (&Influence, &Value),
    ) -> Result<(), HostError> {
        let origin = origin.as_deref();
        let effect = Effect { name, class: callable.class, influence, origin, demands };
        self.run.permitted((self.event, self.key), &effect, given).await
    }
}

/// Returns the name of a call in records.
fn source(callable: &Callable, given: &Value) -> String {
    let method = &callable.method;
    match &callable.target {
        Target::Own(binding) => format!("{}.{method}({given})", binding.name),
        Target::Mcp { server } => format!("mcp://{server}/{method}({given})"),
        Target::Application { tool } => format!("rust://{tool}/{method}({given})"),
        Target::Frontend { tool_id } => format!("frontend://{tool_id}({given})"),
        Target::Load | Target::Caller => callable.name(),
    }
}
