//! Tools that others define, as a program calls them and as a model is offered them (AS-25, HO-2).

use super::effects::cancelled;
use super::{LiveHost, added, permission, supplied, unknown};
use crate::observe::Progress;
use crate::permission::name_of_server_tool;
use contexture_context::Trust;
use contexture_mcp::{Definition, McpError};
use contexture_script::host::{HostError, Supplied, ToolBinding, ToolCall};
use contexture_script::server::{Origin, ServerImport};
use serde_json::Value;

/// The longest name of a function that all providers take, in bytes.
const FUNCTION_BYTES: usize = 64;

/// Calls a tool of a server.
pub(super) async fn call(
    host: &LiveHost,
    call: ToolCall,
    import: &ServerImport,
) -> Result<Supplied, HostError> {
    if import.origin == Origin::Application {
        return added::call(host, call, import).await;
    }
    let ToolCall { tool, method, arguments, on_placeholders, site, .. } = call;
    let name = format!("{}.{method}", tool.name);
    let own = tool_of(host, import, &name, &method)?;
    let place = (import.server.as_str(), own);
    if host.dry_run {
        // What is made of placeholders has no type yet.
        if !on_placeholders {
            host.servers.arguments(place, &name, arguments).map_err(|error| host_error(&error))?;
        }
        host.note_placeholder(format!("{name} at {site}"));
        return Ok(unknown(Value::String(format!("⟨{name}⟩")), Trust::Tool));
    }
    let arguments =
        host.servers.arguments(place, &name, arguments).map_err(|error| host_error(&error))?;
    let arguments = Value::Object(arguments);
    let known_as = name_of_server_tool(&import.server, own);
    permission::allowed(host, &known_as, &arguments).await?;
    host.observer.notify(Progress::ToolCalled { name });
    let running = host.servers.call(&import.server, own, arguments);
    tokio::select! {
        value = running => value
            .map(|value| supplied(value, Trust::Tool))
            .map_err(|error| host_error(&error)),
        () = host.cancel.cancelled() => Err(cancelled()),
    }
}

/// The accepted tool that a method means.
fn tool_of<'h>(
    host: &'h LiveHost,
    import: &ServerImport,
    name: &str,
    method: &str,
) -> Result<&'h str, HostError> {
    let pinned = host.servers.pinned(&import.server).map_err(|error| host_error(&error))?;
    let names = pinned.iter().map(|tool| tool.name.as_str());
    import.tool(names, method).ok_or_else(|| {
        let message =
            format!("the MCP server `{}` has no accepted tool for `{name}`", import.server);
        let help = format!("`contexture mcp-servers list {}` shows its tools", import.server);
        HostError::new("method_unknown", message).with_help(help)
    })
}

pub(super) fn host_error(error: &McpError) -> HostError {
    let failure = HostError::new(error.code(), error.to_string());
    HostError { help: error.help(), details: error.details(), ..failure }
}

/// A tool that others define, as a function that a model can call.
pub(super) struct Offered {
    /// The name of the function.
    pub(super) function: String,
    /// The side that defines the tool.
    pub(super) origin: Origin,
    /// The server, or the tool of the application.
    pub(super) server: String,
    /// The tool of the server, or the method.
    pub(super) name: String,
    /// The description for the model.
    pub(super) description: String,
    /// The JSON Schema of its argument.
    pub(super) schema: Value,
}

/// Returns the tools that others define among some bindings. Those of servers are made sure to be
/// what was accepted; a dry run asks no server.
pub(super) async fn offered(
    host: &LiveHost,
    bindings: &[ToolBinding],
) -> Result<Vec<Offered>, HostError> {
    let mut offered = Vec::new();
    for binding in bindings {
        let Some(import) = ServerImport::parse(&binding.uri) else { continue };
        let known = match import.origin {
            Origin::Mcp => accepted(host, &import).await?,
            Origin::Application => of_application(host, &import),
        };
        for (name, description, schema) in known {
            let function = function_name(&binding.name, &name, &offered);
            let (origin, server) = (import.origin, import.server.clone());
            offered.push(Offered { function, origin, server, name, description, schema });
        }
    }
    Ok(offered)
}

/// A tool by its name, description and schema.
type Described = (String, String, Value);

async fn accepted(host: &LiveHost, import: &ServerImport) -> Result<Vec<Described>, HostError> {
    if !host.dry_run {
        tokio::select! {
            verified = host.servers.verify(&import.server) => {
                verified.map_err(|error| host_error(&error))?;
            }
            () = host.cancel.cancelled() => return Err(cancelled()),
        }
    }
    let pinned = host.servers.pinned(&import.server).map_err(|error| host_error(&error))?;
    let meant = |tool: &&Definition| import.tool.as_ref().is_none_or(|own| *own == tool.name);
    let described = pinned.iter().filter(meant).map(|tool| {
        let schema = Value::Object(tool.input_schema.clone());
        (tool.name.clone(), tool.description.clone().unwrap_or_default(), schema)
    });
    Ok(described.collect())
}

fn of_application(host: &LiveHost, import: &ServerImport) -> Vec<Described> {
    let Some(tool) = host.project().extensions.tool(&import.server) else { return Vec::new() };
    let facts = tool.methods.iter().map(|method| &method.facts);
    facts
        .filter(|method| import.tool.as_ref().is_none_or(|own| *own == method.name))
        .map(|method| (method.name.clone(), method.description.clone(), method.parameters.clone()))
        .collect()
}

/// `Fs_read_file`, with other signs than providers take as `_`; shortened, and numbered where two
/// would be the same.
fn function_name(binding: &str, tool: &str, taken: &[Offered]) -> String {
    let sign = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '_' };
    let binding = super::model_tools::ascii(binding);
    let whole: String = format!("{binding}_{}", tool.chars().map(sign).collect::<String>());
    let is_free = |name: &str| taken.iter().all(|other| other.function != name);
    let short = |bytes: usize| whole.chars().take(bytes).collect::<String>();
    let first = short(FUNCTION_BYTES);
    if is_free(&first) {
        return first;
    }
    let numbered = |number: usize| format!("{}_{number}", short(FUNCTION_BYTES - 6));
    (2..100_000).map(numbered).find(|name| is_free(name)).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_19_functions_for_models_have_names_that_providers_take_and_are_told_apart() {
        let mut taken = Vec::new();
        let mut add = |binding: &str, tool: &str| {
            let function = function_name(binding, tool, &taken);
            taken.push(Offered {
                function: function.clone(),
                origin: Origin::Mcp,
                server: "s".to_owned(),
                name: tool.to_owned(),
                description: String::new(),
                schema: Value::Null,
            });
            function
        };
        assert_eq!(add("Fs", "read_file"), "Fs_read_file");
        assert_eq!(add("Fs", "a.b"), "Fs_a_b");
        assert_eq!(add("Fs", "a-b"), "Fs_a_b_2");
        assert_eq!(add("Fs", "日本"), "Fs___");
        let long = add("Fs", &"x".repeat(200));
        assert_eq!(long.len(), 64);
        let again = add("Fs", &"x".repeat(201));
        assert!(again.len() <= 64 && again != long, "{again}");
    }
}
