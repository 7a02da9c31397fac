//! The tools of a run as a program calls them, and what a dry run makes of them (AS-25).

use super::dry::{self, PretendedFiles};
use super::errors::{of_file, of_tool};
use super::run_state::{RunState, placeholder, supplied};
use super::{added, frontend, servers};
use crate::extensions::Extensions;
use crate::frontend::Frontend;
use crate::observe::Progress;
use crate::permission::{class_of, name_of};
use crate::secrets::Secrets;
use contexture_context::{Label, Readers, Trust};
use contexture_core::masker::Masker;
use contexture_core::policy::{Class, Effect, origin};
use contexture_mcp::Servers;
use contexture_script::host::{HostError, Supplied, ToolCall};
use contexture_script::server::{Origin, ServerImport};
use contexture_tools::{ToolOutput, Tools, Workspace};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The tools of a run: built in, of MCP servers, of the application and of front ends.
pub(crate) struct RunTools {
    pub(super) built_in: Tools,
    pub(super) servers: Servers,
    pub(super) extensions: Extensions,
    pub(super) frontend: Option<Arc<dyn Frontend>>,
    workspace: Arc<Workspace>,
    secrets: Secrets,
    pretended: Mutex<PretendedFiles>,
}

impl RunTools {
    pub(crate) fn new(
        (workspace, secrets): (Arc<Workspace>, Secrets),
        built_in: Tools,
        servers: Servers,
        extensions: Extensions,
        frontend: Option<Arc<dyn Frontend>>,
    ) -> Self {
        Self {
            built_in,
            servers,
            extensions,
            frontend,
            workspace,
            secrets,
            pretended: Mutex::default(),
        }
    }

    /// Calls a tool.
    pub(super) async fn call(&self, run: &RunState, call: ToolCall) -> Result<Supplied, HostError> {
        run.count_tool_call()?;
        let name = format!("{}.{}", call.tool.name, call.method);
        if let Some(value) = run.recorded(&call.site, &name) {
            run.recorder.amend(call.event, json!({ "from_record": true }));
            let label = recorded_label(&name, &call, value.clone());
            return Ok(supplied(value, run.label_of_file(&call.tool.uri, label)));
        }
        if let Some(import) = ServerImport::parse(&call.tool.uri) {
            return match import.origin {
                Origin::Application => added::call(run, &self.extensions, call, &import).await,
                Origin::Mcp => servers::call(run, &self.servers, call, &import).await,
            };
        }
        if let Some(tool_id) = frontend::tool_of(&call.tool.uri).map(str::to_owned) {
            return frontend::call(run, self.frontend.as_ref(), call, tool_id).await;
        }
        if run.dry_run
            && let Some(instead) = self.pretend(&call).await?
        {
            let ToolCall { tool, method, site, .. } = &call;
            run.note_placeholder(format!("{}.{method} at {site}", tool.name));
            return Ok(instead);
        }
        let ToolCall { tool, method, mut arguments, event, key, secrets, influence, .. } = call;
        let origin = origin(&tool.uri);
        let effect = Effect {
            name: &name_of(&tool.uri, &method),
            class: class_of(&tool.uri, &method),
            influence: &influence,
            origin: origin.as_deref(),
            demands: None,
        };
        run.permitted((event, &key), &effect, &arguments).await?;
        let shown = arguments.clone();
        let sink = origin.as_deref().unwrap_or(&tool.uri);
        let given = self.secrets.put(&mut arguments, &secrets, sink)?;
        run.recorder.add_secrets(given.clone());
        let name = format!("{}.{method}", tool.name);
        run.observer.notify(Progress::ToolCalled { name: name.clone() });
        with_key(effect.class, &tool.uri, &mut arguments, || run.minted(&key));
        let running = self.built_in.call(&tool.uri, &method, arguments);
        let mut output = run.unless_cancelled(running).await?.map_err(of_tool)?;
        if !given.is_empty() {
            // A server that says them back does not give them to the program.
            Masker::of_values(given).value(&mut output.value);
        }
        let label = match effect.class {
            // What a write returns is made of what it was given.
            Class::Write => influence.whole(),
            _ => run.label_of_file(&tool.uri, label_of(&name, &tool.uri, &shown, &output)),
        };
        run.recorder.add_secrets(output.secrets);
        run.note(Some(event), &name, output.notes);
        Ok(supplied(output.value, label))
    }

    fn pretended(&self) -> MutexGuard<'_, PretendedFiles> {
        self.pretended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pretends a tool call in a dry run: what reads the workspace runs, over what would have been
    /// written.
    async fn pretend(&self, call: &ToolCall) -> Result<Option<Supplied>, HostError> {
        let ToolCall { tool, method, arguments, .. } = call;
        let (uri, method) = (tool.uri.as_str(), method.as_str());
        let stand_in = || dry::result(uri, method, &format!("{}.{method}", tool.name));
        let runs = Tools::effect(uri, method).map_err(of_tool)?.runs_in_dry_run();
        // What is to be read is not known yet.
        let runs = runs && !call.on_placeholders;
        if !uri.starts_with("file://") {
            return Ok((!runs).then(stand_in));
        }
        if !runs {
            dry::permit(&self.workspace, arguments).map_err(of_file)?;
        }
        let known = self.pretended().read(&self.workspace, arguments);
        match (method, known) {
            ("read", Some(text)) => return Ok(Some(placeholder(text, Trust::Tool))),
            ("write", _) => self.pretended().write(&self.workspace, arguments),
            ("patch", Some(Value::String(text))) => {
                self.pretended().patch(&self.workspace, arguments, &text);
            }
            ("patch", _) if !call.on_placeholders => {
                let path = json!({ "path": arguments.get("path") });
                let read = self.built_in.call(uri, "read", path).await.map_err(of_tool)?;
                let text = read.value.as_str().unwrap_or_default();
                self.pretended().patch(&self.workspace, arguments, text);
            }
            _ => {}
        }
        Ok((!runs).then(stand_in))
    }
}

/// The header that tells a server that a request is the same as one before.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// Sends the key of a call along with what changes something at a server, unless the program sends
/// one of its own (WA-4).
pub(super) fn with_key(
    class: Class,
    uri: &str,
    arguments: &mut Value,
    key: impl FnOnce() -> String,
) {
    let is_http = ["http://", "https://"].iter().any(|scheme| uri.starts_with(scheme));
    let Value::Object(fields) = arguments else { return };
    if !is_http || class == Class::Read {
        return;
    }
    let headers = fields.entry("headers").or_insert(Value::Null);
    if headers.is_null() {
        *headers = json!({});
    }
    if let Value::Object(headers) = headers
        && !headers.keys().any(|name| name.eq_ignore_ascii_case(IDEMPOTENCY_KEY))
    {
        headers.insert(IDEMPOTENCY_KEY.to_owned(), key().into());
    }
}

/// Returns the name of what a call reads: the file or the address, else that of the call.
pub(crate) fn source_of(name: &str, uri: &str, given: (Option<&str>, Option<&str>)) -> String {
    match given {
        // No file can pass for a server or a front end, whose own words are given back to it.
        (Some(path), _) if path.contains(':') => format!("./{path}"),
        (Some(path), _) => path.to_owned(),
        (_, Some(url)) => format!("{}{url}", uri.trim_end_matches('/')),
        _ => name.to_owned(),
    }
}

/// Returns the label of a value that comes from a record, as the call gave it.
fn recorded_label(name: &str, call: &ToolCall, value: Value) -> Label {
    let is_own = ServerImport::parse(&call.tool.uri).is_none()
        && frontend::tool_of(&call.tool.uri).is_none();
    if is_own && class_of(&call.tool.uri, &call.method) == Class::Write {
        return call.influence.whole();
    }
    label_of(name, &call.tool.uri, &call.arguments, &ToolOutput::of(value))
}

/// Returns the label of a tool's result: its source is the file or the address that was read, else
/// the call.
pub(super) fn label_of(name: &str, uri: &str, arguments: &Value, output: &ToolOutput) -> Label {
    let argument = |field: &str| arguments.get(field).and_then(Value::as_str);
    let source = source_of(name, uri, (argument("path"), argument("url")));
    let readers = match uri.starts_with("env:") || !output.secrets.is_empty() {
        true => Readers::OWNER,
        false => Readers::Everyone,
    };
    Label::of(source, output.trust).with_readers(readers)
}
