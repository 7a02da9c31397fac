//! Tools and actions by the names of `[serve.tools]` (WA-5).
//!
//! Decision: a name stands for its target and opens no door: a call of it passes the policy, the
//! permissions and the labels of what it calls. Rules may name either; where both are named, the one
//! of the name holds.

use super::catalog::Place;
use super::client;
use super::error::FlowError;
use super::journal;
use super::kit::{Kit, MCP};
use super::own;
use super::request::FlowRequest;
use crate::config::{HttpTool, NamedTool, ToolTarget};
use crate::frontend::Frontend;
use crate::project::Project;
use crate::reading;
use crate::secrets::Secrets;
use contexture_actions::Endpoint;
use contexture_core::policy::{Class, origin};
use contexture_diagnostic::suggestion;
use contexture_flow::action::{ActionCall, ActionFailure, ActionInfo, ActionKind, Registry};
use contexture_flow::check::schema_fault;
use contexture_protocol::content::{PermissionLevel, Runtime};
use contexture_script::host::HeaderSecret;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// The largest file of a schema, in bytes.
const SCHEMA_BYTES: u64 = 1 << 20;
/// The header that carries the token of an address.
const HEADER: &str = "authorization";

/// A named tool whose target was found.
pub(super) struct Named {
    pub(super) place: Place,
    /// The name of the target where it is.
    pub(super) target: String,
    pub(super) info: ActionInfo,
    /// The origin that an address hands its parameters to.
    pub(super) origin: Option<String>,
    /// True if the settings ask the user, whatever a client does.
    pub(super) is_asked: bool,
    address: Option<Address>,
}

struct Address {
    endpoint: Endpoint,
    token: Option<String>,
}

/// What is wrong with a named tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFault {
    /// The name of the tool.
    pub name: String,
    /// The reason.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// True if its target was not found, which may be in another program.
    pub is_unknown: bool,
    /// True if it can be served, and calls of it will be refused.
    pub is_warning: bool,
}

/// What is wrong, and how to mend it.
pub(super) struct Wrong {
    message: String,
    help: Option<String>,
    is_unknown: bool,
}

fn wrong(message: impl Into<String>, help: Option<String>) -> Wrong {
    Wrong { message: message.into(), help, is_unknown: false }
}

/// Checks the named tools of a project; `programs` are those that are served, and `host` are actions
/// that are functions of this process.
///
/// # Errors
/// [`FlowError`] when a program can't be read, or is refused.
pub fn check_tools(
    project: &Project,
    programs: Vec<PathBuf>,
    host: Registry,
) -> Result<Vec<ToolFault>, FlowError> {
    if project.config.serve.tools.is_empty() {
        return Ok(Vec::new());
    }
    let request = FlowRequest { programs, host, ..FlowRequest::default() };
    let masker = journal::masker(project, &[]);
    let kit = Kit::new(project, request, &masker, None)?;
    let mut faults = Vec::new();
    for (name, tool) in project.config.serve.tools.iter() {
        let name = name.to_owned();
        match find(&kit, None, tool).and_then(|named| named.checked(&kit).map(|()| named)) {
            Err(Wrong { message, help, is_unknown }) => {
                faults.push(ToolFault { name, message, help, is_unknown, is_warning: false });
            }
            Ok(named) => {
                let message = named.unreachable(&kit);
                let help = || "add the host to `network.allow_private` if it is meant".to_owned();
                faults.extend(message.map(|message| ToolFault {
                    name,
                    message,
                    help: Some(help()),
                    is_unknown: false,
                    is_warning: true,
                }));
            }
        }
    }
    Ok(faults)
}

/// Finds the target of a named tool.
pub(super) fn find(
    kit: &Kit,
    frontend: Option<&Arc<dyn Frontend>>,
    tool: &NamedTool,
) -> Result<Named, Wrong> {
    let is_asked = tool.permission > PermissionLevel::None;
    let mut named = match &tool.target {
        ToolTarget::Http(http) => of_address(http, is_asked)?,
        ToolTarget::Frontend(target) => {
            let offered = client::offered(frontend, target).map(client::info);
            let unknown = || ActionInfo {
                runtime: Some(Runtime::Frontend),
                ..ActionInfo::of(ActionKind::Operation)
            };
            let info = offered.unwrap_or_else(unknown);
            of_place((Place::Client, info), target, is_asked)
        }
        ToolTarget::Action(target) => {
            let found = kit.own_place(target).or_else(|| kit.server_place(target));
            let found = found.filter(|_| target != own::NESTED);
            of_place(found.ok_or_else(|| unknown(kit, target))?, target, is_asked)
        }
    };
    if let Some(file) = &tool.schema {
        named.info.parameters = Some(schema(kit, file)?);
    }
    if let Some(idempotent) = tool.idempotent {
        named.info.idempotent = idempotent;
    }
    Ok(named)
}

fn of_place((place, info): (Place, ActionInfo), target: &str, is_asked: bool) -> Named {
    Named { place, target: target.to_owned(), info, origin: None, is_asked, address: None }
}

fn of_address(http: &HttpTool, is_asked: bool) -> Result<Named, Wrong> {
    let endpoint = Endpoint::new(&http.url, &http.method).map_err(|reason| wrong(reason, None))?;
    let info = match endpoint.reads() {
        true => ActionInfo::of(ActionKind::Query),
        false => ActionInfo::of(ActionKind::Operation).with_class(Class::Send),
    };
    Ok(Named {
        place: Place::Builtin,
        target: endpoint.action().to_owned(),
        info: info.with_parameters(json!({ "type": "object" })),
        origin: origin(&http.url),
        is_asked,
        address: Some(Address { endpoint, token: http.token_env.clone() }),
    })
}

fn schema(kit: &Kit, file: &std::path::Path) -> Result<Value, Wrong> {
    let unfit = |reason: &str| {
        let help = "`schema` is the path of a JSON Schema, relative to the project";
        let message = format!("its schema {}: {reason}", file.display());
        wrong(message, Some(help.to_owned()))
    };
    let text = reading::regular(&kit.project.root.join(file), SCHEMA_BYTES);
    let text = text.map_err(|error| unfit(&error.to_string()))?;
    let schema: Value = serde_json::from_str(&text).map_err(|error| unfit(&error.to_string()))?;
    if !schema.is_object() {
        return Err(unfit("a JSON Schema is an object"));
    }
    match schema_fault(&schema) {
        Some(reason) => Err(unfit(&reason)),
        None => Ok(schema),
    }
}

fn unknown(kit: &Kit, target: &str) -> Wrong {
    let server = target.strip_prefix(MCP).map(|rest| rest.split('/').next().unwrap_or_default());
    if let Some(server) = server.filter(|server| !kit.servers.names().any(|name| name == *server)) {
        let help = suggestion(server, kit.servers.names())
            .unwrap_or_else(|| format!("describe it as [mcp.servers.{server}]"));
        return Wrong {
            is_unknown: true,
            ..wrong(format!("there is no MCP server `{server}`"), Some(help))
        };
    }
    let names = kit.names();
    let help = suggestion(target, names.iter().map(String::as_str));
    let help = help.or_else(|| {
        let bare = format!("{}{target}", super::agents::PREFIX);
        names.contains(&bare).then(|| format!("an agent is written `{bare}`"))
    });
    let general = || {
        "write `agent:Name`, `mcp:server/tool`, `frontend:tool`, an address, or the name of a built-in action".to_owned()
    };
    let help = Some(help.unwrap_or_else(general));
    Wrong { is_unknown: true, ..wrong(format!("there is nothing that `{target}` names"), help) }
}

impl Named {
    /// Checks what is known before the first call.
    fn checked(&self, kit: &Kit) -> Result<(), Wrong> {
        match &self.place {
            Place::Agent(agent) => match &agent.refused {
                Some(refused) => {
                    let error = FlowError::Program((**refused).clone());
                    Err(wrong(error.to_string(), error.help()))
                }
                None => Ok(()),
            },
            Place::Server(tool) => match kit.servers.tool(&tool.server, &tool.tool) {
                Err(error) => Err(wrong(error.to_string(), error.help())),
                Ok(_) => Ok(()),
            },
            _ => match self.address.as_ref().and_then(|address| address.token.as_ref()) {
                Some(token) if !Secrets::of(&kit.project).names().contains(token) => {
                    let help =
                        format!("set the variable `{token}`, or describe it as [secrets.{token}]");
                    Err(wrong(format!("its token `{token}` has no value"), Some(help)))
                }
                _ => Ok(()),
            },
        }
    }

    /// Returns why calls will be refused, when its address is private and not listed.
    fn unreachable(&self, kit: &Kit) -> Option<String> {
        self.address.as_ref()?.endpoint.refused(&kit.project.config.network.allow_private)
    }

    /// Returns the call of the target.
    pub(super) async fn call(
        &self,
        kit: &Arc<Kit>,
        call: ActionCall,
    ) -> Result<ActionCall, ActionFailure> {
        let Some(address) = &self.address else {
            return Ok(ActionCall { name: self.target.clone(), ..call });
        };
        let mut arguments = json!({ "headers": Map::new() });
        if let Some(token) = &address.token {
            arguments = json!({ "headers": { HEADER: "" } });
            let (kit, secret) = (Arc::clone(kit), token.clone());
            let origin = self.origin.clone().unwrap_or_default();
            // The value may come from a command or a file.
            let put = tokio::task::spawn_blocking(move || {
                let header = HeaderSecret { header: HEADER.to_owned(), secret };
                let values = Secrets::of(&kit.project).put(&mut arguments, &[header], &origin)?;
                kit.masker.add(values);
                Ok::<_, contexture_script::host::HostError>(arguments)
            });
            let broken = |_| ActionFailure::new("EXECUTION_FAILED", "the secret was not read");
            let failed = |error: contexture_script::host::HostError| {
                ActionFailure::new("EXECUTION_FAILED", error.message)
            };
            arguments = put.await.map_err(broken)?.map_err(failed)?;
        }
        let headers = arguments.get_mut("headers").map(Value::take).unwrap_or_default();
        Ok(address.endpoint.request(call, headers))
    }

    /// Returns the result from what the target gave.
    pub(super) fn result(&self, value: Value) -> Result<Value, ActionFailure> {
        if self.address.is_some() { Endpoint::result(value) } else { Ok(value) }
    }

    /// Returns its address, if it is one.
    pub(super) fn endpoint(&self) -> Option<&Endpoint> {
        self.address.as_ref().map(|address| &address.endpoint)
    }
}
