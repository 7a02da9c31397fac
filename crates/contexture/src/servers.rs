//! The MCP servers of a project: their settings, the definitions accepted from them, and the
//! consent to their use (AS-25).

mod consent;

pub use consent::{Consent, allow, deed};

use crate::project::Project;
use crate::secrets::Secrets;
use contexture_core::policy::Class;
use contexture_core::signature::{Effect, ObjectSignature};
use contexture_diagnostic::{MissingFeature, suggestion};
use contexture_mcp::{
    Classes, Connect, ConnectSettings, Definition, Limits, Lock, LockError, McpError, ServerSpec,
    Servers, Transport, codes,
};
use contexture_script::server::{Origin, ServerFacts, ServerFault, ServerImport, ToolFacts};
use contexture_store::masker::Masker;
use contexture_tools::environment;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Returns the path of the lock file of a project.
#[must_use]
pub fn lock_file(project: &Project) -> PathBuf {
    project.root.join(contexture_mcp::LOCK_FILE)
}

/// Reads the lock of a project. Without servers nothing is read.
///
/// # Errors
/// [`LockError`] when the file can't be used.
pub fn lock(project: &Project) -> Result<Lock, LockError> {
    if project.config.mcp.servers.is_empty() {
        return Ok(Lock::default());
    }
    Lock::read(&lock_file(project))
}

/// Returns the servers of a project with the intact part of the lock, and the faults of the rest:
/// for showing and accepting.
///
/// # Errors
/// [`LockError`] when the file is not a lock file at all.
pub fn review(project: &Project, consent: Consent) -> Result<(Servers, Vec<LockError>), LockError> {
    let (lock, faults) = Lock::read_intact(&lock_file(project))?;
    let masker = Arc::new(Masker::new(secrets(project)));
    Ok((of(project, Ok(lock), masker, consent), faults))
}

/// Accepts the definitions that a server offers, in place of those accepted before, with the classes
/// that a person gives to some of them; returns the lock as it is now.
///
/// # Errors
/// [`LockError`] when the file can't be read or written.
pub fn accept(
    project: &Project,
    server: &str,
    offered: Vec<Definition>,
    classes: &Classes,
) -> Result<Lock, LockError> {
    let file = lock_file(project);
    let (mut lock, _) = Lock::read_intact(&file)?;
    lock.accept(server, offered, classes);
    lock.write(&file)?;
    Ok(lock)
}

/// Returns the servers of a project; none is connected yet. `masker` masks secrets in their output
/// to stderr; `consent` names the servers that may be used besides those that a person allowed
/// earlier.
#[must_use]
pub fn open(project: &Project, masker: Arc<Masker>, consent: Consent) -> Servers {
    of(project, lock(project), masker, consent)
}

fn of(
    project: &Project,
    lock: Result<Lock, LockError>,
    masker: Arc<Masker>,
    consent: Consent,
) -> Servers {
    let limits = Limits { result_bytes: project.config.limits.file_bytes as u64 };
    let connect = Connect::new(ConnectSettings { masker: Arc::clone(&masker) });
    let asked = consent::Asked::new(project, (connect, masker), consent);
    Servers::new(specs(project), lock, Arc::new(asked), limits)
}

/// Returns the transport and time-out of each server; secrets are put in when it is connected to.
fn specs(project: &Project) -> Vec<ServerSpec> {
    let variables = project.environment.vars();
    let servers = project.config.mcp.servers.iter().map(|(name, server)| {
        let transport = match (&server.command, &server.url) {
            (_, Some(url)) => Transport::Http {
                url: url.clone(),
                token_env: server.token_env.clone(),
                token: None,
                allow_private: project.config.network.allow_private.clone(),
            },
            (command, None) => Transport::Process {
                command: command.clone().unwrap_or_default(),
                args: server.args.clone(),
                env: Vec::new(),
                folder: project.root.clone(),
                search: variables.get("PATH").cloned().unwrap_or_default(),
            },
        };
        let timeout = server.timeout_ms.map(|ms| Duration::from_millis(ms.get()));
        let timeout = timeout.unwrap_or(ServerSpec::TIMEOUT);
        ServerSpec { name: name.clone(), transport, timeout }
    });
    servers.collect()
}

/// Returns the values of the environment that servers and addresses get and that must not be written down:
/// tokens, and those that look like a secret by their name.
#[must_use]
pub fn secrets(project: &Project) -> Vec<String> {
    let known = Secrets::of(project);
    let value = |name: &String| known.known(name);
    let mut secrets: Vec<String> =
        project.config.serve.tools.tokens().filter_map(|name| known.known(name)).collect();
    for server in project.config.mcp.servers.values() {
        secrets.extend(server.token_env.iter().filter_map(value));
        let given = server.env.iter().filter_map(|name| Some((name, value(name)?)));
        secrets.extend(given.flat_map(|(name, value)| {
            let is_secret = project.config.secrets.contains_key(name);
            if is_secret { vec![value] } else { environment::secrets_in(name, &value) }
        }));
    }
    secrets
}

/// Returns the facts of an imported server, from the accepted definitions.
pub(crate) fn facts(project: &Project, import: &ServerImport) -> Result<ServerFacts, ServerFault> {
    if import.origin == Origin::Application {
        return added_facts(project, import);
    }
    if !cfg!(feature = "mcp") {
        return Err(missing());
    }
    let servers = open(project, Arc::default(), Consent::default());
    let pinned = servers.pinned(&import.server).map_err(fault)?;
    if let Some(tool) = &import.tool {
        servers.tool(&import.server, tool).map_err(fault)?;
    }
    let facts = |tool| tool_facts(tool, servers.class(&import.server, &tool.name));
    Ok(ServerFacts { tools: pinned.iter().map(facts).collect() })
}

/// Returns the fault of an import that this build can't serve.
fn missing() -> ServerFault {
    let missing = MissingFeature { part: "client of MCP servers", feature: "mcp" };
    let (message, help) = (missing.to_string(), Some(missing.help()));
    ServerFault { code: MissingFeature::CODE, message, help }
}

fn fault(error: McpError) -> ServerFault {
    let code = match error {
        McpError::NotAccepted { .. } => codes::NOT_ACCEPTED,
        McpError::Lock(_) => codes::BAD_LOCK,
        McpError::UnknownTool { .. } => codes::UNKNOWN_TOOL,
        _ => codes::UNKNOWN_SERVER,
    };
    ServerFault { code: code.code, message: error.to_string(), help: error.help() }
}

fn tool_facts(definition: &Definition, class: Class) -> ToolFacts {
    let ObjectSignature { fields, open } = ObjectSignature::of(&definition.input_schema);
    ToolFacts { name: definition.name.clone(), fields, open, effect: Effect::of_remote(class) }
}

/// Returns the facts of an imported tool of the application (HO-2).
fn added_facts(project: &Project, import: &ServerImport) -> Result<ServerFacts, ServerFault> {
    let extensions = &project.extensions;
    let fault =
        |message: String, help: String| ServerFault { code: "RT1001", message, help: Some(help) };
    let Some(tool) = extensions.tool(&import.server) else {
        let message = format!("the application has no tool `{}`", import.server);
        let names: Vec<&str> = extensions.tool_names().collect();
        let help = suggestion(&import.server, names.iter().copied()).unwrap_or_else(|| {
            match names.as_slice() {
                [] => "tools of an application are added by the Rust program that runs this one: `Runtime::builder(…).tool(…)`".to_owned(),
                names => format!("it has {}", names.join(", ")),
            }
        });
        return Err(fault(message, help));
    };
    if let Some(method) = import.tool.as_ref().filter(|method| tool.method(method).is_none()) {
        let names: Vec<&str> = tool.methods.iter().map(|own| own.facts.name.as_str()).collect();
        let message = format!("the tool `{}` has no method `{method}`", import.server);
        let help = suggestion(method, names.iter().copied())
            .unwrap_or_else(|| format!("it has {}", names.join(", ")));
        return Err(fault(message, help));
    }
    let facts = tool.methods.iter().map(|method| ToolFacts {
        name: method.facts.name.clone(),
        fields: method.signature.fields.clone(),
        open: method.signature.open,
        effect: method.facts.effect,
    });
    Ok(ServerFacts { tools: facts.collect() })
}
