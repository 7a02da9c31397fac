//! The functions that the model of a `generate` may call (AS-19, GU-2).
//!
//! Decision: one table says what is offered, what a call means and what is recorded. A method that
//! the program did not grant is not in it, so the model has nothing to call.

use super::frontend;
use super::run_state::RunState;
use super::servers::accepted;
use super::tools::RunTools;
use crate::extensions::Extensions;
use crate::frontend::FrontendTool;
use crate::observe::Runtime;
use contexture_context::manifest::{Blob, OfferedTool};
use contexture_context::{Digest, Label, TokenCounter, Trust};
use contexture_core::policy::Class;
use contexture_prompt::ToolDefinition;
use contexture_reference::tool;
use contexture_script::host::{GrantedTool, HostError, ToolBinding};
use contexture_script::server::{Origin, RUN, ServerImport};
use contexture_tools::Tools;
use serde_json::Value;

/// The longest name of a function that all providers take, in bytes.
const FUNCTION_BYTES: usize = 64;

/// A function that a model may call.
pub(super) struct Callable {
    pub(super) definition: ToolDefinition,
    /// The tool by its name in the program.
    pub(super) tool: String,
    /// The method by its name where it is defined.
    pub(super) method: String,
    pub(super) class: Class,
    pub(super) target: Target,
}

/// The part that answers a call.
pub(super) enum Target {
    /// Loading what is pending.
    Load,
    /// A tool of the server.
    Mcp { server: String },
    /// A method of the application's tool.
    Application { tool: String },
    /// A tool of a front end, by its id.
    Frontend { tool_id: String },
    /// A tool that whoever wants the answer runs.
    Caller,
    /// A tool that is built in.
    Own(ToolBinding),
}

impl Callable {
    /// Returns the function that loads what is pending.
    pub(super) fn loading() -> Self {
        Self {
            definition: ToolDefinition::function(tool::NAME, tool::DESCRIPTION, tool::schema()),
            tool: tool::NAME.to_owned(),
            method: RUN.to_owned(),
            class: Class::Read,
            target: Target::Load,
        }
    }

    /// Counts the tokens of its definition.
    pub(super) fn tokens(&self, counter: &dyn TokenCounter) -> u64 {
        counter.count(&serde_json::json!(self.definition).to_string()) as u64
    }

    /// Returns its definition as the record keeps it: under its digest.
    pub(super) fn blob(&self) -> Blob {
        let text = serde_json::json!(self.definition).to_string();
        Blob { digest: Digest::of_text(&text), text }
    }

    /// Returns the record of it for the manifest.
    pub(super) fn record(&self, counter: &dyn TokenCounter) -> OfferedTool {
        OfferedTool {
            tool: self.tool.clone(),
            method: self.method.clone(),
            function: self.function().to_owned(),
            class: self.class.as_str().to_owned(),
            tokens: self.tokens(counter),
            digest: self.blob().digest,
        }
    }

    pub(super) fn function(&self) -> &str {
        &self.definition.function.name
    }

    /// Returns the name by which people know what is called.
    pub(super) fn name(&self) -> String {
        match &self.target {
            Target::Mcp { .. } | Target::Application { .. } | Target::Caller => self.method.clone(),
            Target::Frontend { tool_id } => tool_id.clone(),
            Target::Own(binding) => format!("{}.{}", binding.name, self.method),
            Target::Load => tool::NAME.to_owned(),
        }
    }

    /// Returns the label of what the model reads about it, if a server wrote that. A person accepted
    /// the words, and hardly for what they say of other tools.
    pub(super) fn description(&self) -> Option<Label> {
        match &self.target {
            Target::Mcp { server } => Some(Label::of(format!("mcp:{server}"), Trust::Tool)),
            _ => None,
        }
    }

    /// Reports whether its failures are in words of our own, and not of another side.
    pub(super) fn fails_in_our_words(&self) -> bool {
        match &self.target {
            Target::Own(binding) => !binding.uri.starts_with("http"),
            Target::Load | Target::Mcp { .. } | Target::Application { .. } => false,
            Target::Frontend { .. } | Target::Caller => false,
        }
    }

    pub(super) const fn runtime(&self) -> Runtime {
        match self.target {
            Target::Frontend { .. } | Target::Caller => Runtime::Frontend,
            _ => Runtime::Backend,
        }
    }
}

/// Returns the functions for the methods that a program grants: `File.read` is `File_read`. Tools
/// of servers are checked to be what was accepted; a dry run asks no server.
pub(super) async fn granted(
    run: &RunState,
    tools: &RunTools,
    granted: &[GrantedTool],
) -> Result<Vec<Callable>, HostError> {
    let mut table: Vec<Callable> = granted.iter().flat_map(built_in).collect();
    for grant in granted.iter().filter(|grant| !grant.methods.is_empty()) {
        let Some(import) = ServerImport::parse(&grant.tool.uri) else { continue };
        let known = match import.origin {
            Origin::Mcp => accepted(run, &tools.servers, &import).await?,
            Origin::Application => of_application(&tools.extensions, &import),
        };
        for (method, description, schema) in known {
            let Some(class) = grant.class(&method) else { continue };
            let whole = format!("{}_{}", ascii(&grant.tool.name), signs(&method, |_| false));
            let definition =
                ToolDefinition::function(free_name(&whole, &table), description, schema);
            let server = import.server.clone();
            let target = match import.origin {
                Origin::Mcp => Target::Mcp { server },
                Origin::Application => Target::Application { tool: server },
            };
            table.push(Callable {
                definition,
                tool: grant.tool.name.clone(),
                method,
                class,
                target,
            });
        }
    }
    for (name, found) in frontend::offered(run, tools.frontend.as_ref(), granted) {
        let callable = of_frontend(name, found, &table);
        table.push(callable);
    }
    Ok(table)
}

fn built_in(grant: &GrantedTool) -> Vec<Callable> {
    let binding = &grant.tool;
    let methods = Tools::describe(&binding.uri).unwrap_or_default().iter();
    let methods = methods.filter_map(|method| Some((method, grant.class(method.name)?)));
    let callable = |(method, class): (&contexture_core::signature::Method, Class)| Callable {
        definition: ToolDefinition::function(
            format!("{}_{}", ascii(&binding.name), method.name),
            method.description,
            method.schema(),
        ),
        tool: binding.name.clone(),
        method: method.name.to_owned(),
        class,
        target: Target::Own(binding.clone()),
    };
    methods.map(callable).collect()
}

/// A tool by its name, description and schema.
pub(super) type Described = (String, String, Value);

fn of_application(extensions: &Extensions, import: &ServerImport) -> Vec<Described> {
    let Some(tool) = extensions.tool(&import.server) else { return Vec::new() };
    let facts = tool.methods.iter().map(|method| &method.facts);
    facts
        .map(|method| (method.name.clone(), method.description.clone(), method.parameters.clone()))
        .collect()
}

fn of_frontend(name: String, found: FrontendTool, table: &[Callable]) -> Callable {
    let FrontendTool { tool_id, description, parameters, class, .. } = found;
    let whole = signs(&tool_id, |sign| matches!(sign, '_' | '-'));
    let function = free_name(&whole, table);
    Callable {
        definition: ToolDefinition::function(function, description, parameters),
        tool: name,
        method: RUN.to_owned(),
        class,
        target: Target::Frontend { tool_id },
    }
}

/// Returns a name as providers accept it: other characters as `u` and their code point.
fn ascii(name: &str) -> String {
    let part = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => c.to_string(),
        c => format!("u{:x}", u32::from(c)),
    };
    name.chars().map(part).collect()
}

/// Returns a name with `_` for the signs that are neither ASCII letters or digits nor allowed.
fn signs(name: &str, allowed: impl Fn(char) -> bool) -> String {
    let sign = |sign: char| if sign.is_ascii_alphanumeric() || allowed(sign) { sign } else { '_' };
    name.chars().map(sign).collect()
}

/// Returns a name of ASCII signs, shortened to what providers take, and numbered where it is taken.
pub(super) fn free_name(whole: &str, table: &[Callable]) -> String {
    let is_free =
        |name: &str| name != tool::NAME && table.iter().all(|other| other.function() != name);
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

    fn add(table: &mut Vec<Callable>, whole: &str) -> String {
        let function = free_name(whole, table);
        let mut callable = Callable::loading();
        callable.definition.function.name.clone_from(&function);
        table.push(callable);
        function
    }

    #[test]
    fn as_19_functions_for_models_have_names_that_providers_take_and_are_told_apart() {
        let mut table = Vec::new();
        let mut add = |binding: &str, tool: &str| {
            let whole = format!("{}_{}", ascii(binding), signs(tool, |_| false));
            add(&mut table, &whole)
        };
        assert_eq!(add("Fs", "read_file"), "Fs_read_file");
        assert_eq!(add("Fs", "a.b"), "Fs_a_b");
        assert_eq!(add("Fs", "a-b"), "Fs_a_b_2");
        assert_eq!(add("Fs", "日本"), "Fs___");
        assert_eq!(add("load", "resource"), "load_resource_2");
        let long = add("Fs", &"x".repeat(200));
        assert_eq!(long.len(), 64);
        let again = add("Fs", &"x".repeat(201));
        assert!(again.len() <= 64 && again != long, "{again}");
    }
}
