//! Tools that others define, as a program calls them and as a model is offered them (AS-25, HO-2).

use super::errors::of_server;
use super::run_state::{RunState, supplied};
use crate::extensions::Extensions;
use crate::observe::Progress;
use crate::permission::name_of_server_tool;
use contexture_context::Trust;
use contexture_mcp::{Definition, Servers};
use contexture_script::host::{HostError, Supplied, ToolBinding, ToolCall};
use contexture_script::server::{Origin, ServerImport};
use serde_json::Value;

/// The longest name of a function that all providers take, in bytes.
const FUNCTION_BYTES: usize = 64;

/// Calls a tool of an MCP server.
pub(super) async fn call(
    run: &RunState,
    servers: &Servers,
    call: ToolCall,
    import: &ServerImport,
) -> Result<Supplied, HostError> {
    let ToolCall { tool, method, arguments, on_placeholders, site, .. } = call;
    let name = format!("{}.{method}", tool.name);
    let own = tool_of(servers, import, &name, &method)?;
    let place = (import.server.as_str(), own);
    // What is made of placeholders has no type yet.
    if run.dry_run && on_placeholders {
        return Ok(run.stand_in(&name, site, Trust::Tool));
    }
    let arguments = servers.arguments(place, &name, arguments).map_err(of_server)?;
    if run.dry_run {
        return Ok(run.stand_in(&name, site, Trust::Tool));
    }
    let arguments = Value::Object(arguments);
    run.permitted(&name_of_server_tool(&import.server, own), &arguments).await?;
    run.observer.notify(Progress::ToolCalled { name });
    let running = servers.call(&import.server, own, arguments);
    let value = run.unless_cancelled(running).await?.map_err(of_server)?;
    Ok(supplied(value, Trust::Tool))
}

/// Returns the accepted tool that a method means.
fn tool_of<'s>(
    servers: &'s Servers,
    import: &ServerImport,
    name: &str,
    method: &str,
) -> Result<&'s str, HostError> {
    let pinned = servers.pinned(&import.server).map_err(of_server)?;
    let names = pinned.iter().map(|tool| tool.name.as_str());
    import.tool(names, method).ok_or_else(|| {
        let message =
            format!("the MCP server `{}` has no accepted tool for `{name}`", import.server);
        let help = format!("`contexture mcp-servers list {}` shows its tools", import.server);
        HostError::new("method_unknown", message).with_help(help)
    })
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

/// Returns the tools that others define among some bindings. Those of servers are checked to be
/// what was accepted; a dry run asks no server.
pub(super) async fn offered(
    run: &RunState,
    (servers, extensions): (&Servers, &Extensions),
    bindings: &[ToolBinding],
) -> Result<Vec<Offered>, HostError> {
    let mut offered = Vec::new();
    for binding in bindings {
        let Some(import) = ServerImport::parse(&binding.uri) else { continue };
        let known = match import.origin {
            Origin::Mcp => accepted(run, servers, &import).await?,
            Origin::Application => of_application(extensions, &import),
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

async fn accepted(
    run: &RunState,
    servers: &Servers,
    import: &ServerImport,
) -> Result<Vec<Described>, HostError> {
    if !run.dry_run {
        run.unless_cancelled(servers.verify(&import.server)).await?.map_err(of_server)?;
    }
    let pinned = servers.pinned(&import.server).map_err(of_server)?;
    let meant = |tool: &&Definition| import.tool.as_ref().is_none_or(|own| *own == tool.name);
    let described = pinned.iter().filter(meant).map(|tool| {
        let schema = Value::Object(tool.input_schema.clone());
        (tool.name.clone(), tool.description.clone().unwrap_or_default(), schema)
    });
    Ok(described.collect())
}

fn of_application(extensions: &Extensions, import: &ServerImport) -> Vec<Described> {
    let Some(tool) = extensions.tool(&import.server) else { return Vec::new() };
    let facts = tool.methods.iter().map(|method| &method.facts);
    facts
        .filter(|method| import.tool.as_ref().is_none_or(|own| *own == method.name))
        .map(|method| (method.name.clone(), method.description.clone(), method.parameters.clone()))
        .collect()
}

/// Returns a name such as `Fs_read_file`: other signs than providers take become `_`; shortened,
/// and numbered where two would be the same.
fn function_name(binding: &str, tool: &str, taken: &[Offered]) -> String {
    let sign = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '_' };
    let binding = ascii(binding);
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

/// Returns a name as providers accept it: other characters as `u` and their code point.
pub(super) fn ascii(name: &str) -> String {
    let part = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => c.to_string(),
        c => format!("u{:x}", u32::from(c)),
    };
    name.chars().map(part).collect()
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
