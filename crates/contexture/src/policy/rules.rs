//! The check that each rule of `[policy.tools]` names a tool and arguments that are there (GU-6).
//!
//! Decision: a rule that names nothing protects nothing, so it is refused before anything is done.
//! Tools of front ends and services are known only when they connect: their rules are taken as they
//! are, unless a name is a misspelling of one that is known.

use crate::config::{Integrity, ToolPolicy};
use crate::project::Project;
use crate::run::SetupError;
use crate::servers;
use contexture_core::signature::{Form, ObjectSignature};
use contexture_diagnostic::suggestion;
use contexture_mcp::Lock;

/// The fault of a rule: what is wrong, and how to fix it.
type Fault = (String, Option<String>);

/// What is known of a tool's arguments.
enum Arguments {
    /// These and no others.
    Named(Vec<String>),
    /// Any.
    Open,
}

/// Checks the rules of single tools.
///
/// # Errors
/// [`SetupError`] with the code `policy_invalid` about the first rule that names a tool or an argument
/// that is not there.
pub fn check_rules(project: &Project) -> Result<(), SetupError> {
    let rules = &project.config.policy.tools;
    if rules.is_empty() {
        return Ok(());
    }
    let needs_lock = rules.keys().any(|name| name.starts_with("mcp:"));
    // What is wrong with the lock is said where a server is used.
    let lock = if needs_lock { servers::lock(project).ok() } else { None };
    let known = Known {
        project,
        lock: lock.unwrap_or_default(),
        #[cfg(feature = "flow")]
        builtin: std::cell::OnceCell::new(),
    };
    let fault = rules.iter().find_map(|(name, rule)| {
        let fault = known.arguments(name).and_then(|found| match found {
            Some(Arguments::Named(arguments)) => unknown_argument(name, rule, &arguments),
            _ => Ok(()),
        });
        Some((name, fault.err()?))
    });
    match fault {
        None => Ok(()),
        Some((name, (reason, help))) => {
            let message = format!("[policy.tools.\"{name}\"] of contexture.toml: {reason}");
            let help = help.unwrap_or_else(|| "remove the rule, or name another tool".to_owned());
            Err(SetupError::new("policy_invalid", message, Some(help)))
        }
    }
}

fn unknown_argument(name: &str, rule: &ToolPolicy, arguments: &[String]) -> Result<(), Fault> {
    let Some(Integrity::Arguments(demands)) = &rule.integrity else { return Ok(()) };
    let known = || arguments.iter().map(String::as_str);
    let Some(wrong) = demands.keys().find(|demand| !known().any(|known| known == *demand)) else {
        return Ok(());
    };
    let list = || match arguments {
        [] => "it takes no arguments".to_owned(),
        _ => format!("its arguments are {}", arguments.join(", ")),
    };
    let help = suggestion(wrong, known()).unwrap_or_else(list);
    Err((format!("`{name}` has no argument `{wrong}`"), Some(help)))
}

/// The tools of a project.
struct Known<'p> {
    project: &'p Project,
    lock: Lock,
    /// The built-in actions, once a rule may name one.
    #[cfg(feature = "flow")]
    builtin: std::cell::OnceCell<contexture_flow::action::Registry>,
}

impl Known<'_> {
    /// Returns the arguments of the tool that a rule names; none for one that only a client knows.
    fn arguments(&self, rule: &str) -> Result<Option<Arguments>, Fault> {
        match rule.split_once(':') {
            Some(("mcp", tool)) => self.of_server(tool),
            Some(("rust", tool)) => self.of_extension(tool).map(Some),
            Some(_) => Ok(None),
            None if rule.contains('.') => Ok(of_builtin(rule)),
            None => self.of_action(rule),
        }
    }

    fn of_server(&self, rule: &str) -> Result<Option<Arguments>, Fault> {
        let (server, tool) = rule.split_once('/').unwrap_or((rule, ""));
        let servers = &self.project.config.mcp.servers;
        if !servers.contains_key(server) {
            let help = suggestion(server, servers.keys().map(String::as_str));
            let help = help.unwrap_or_else(|| format!("describe it as [mcp.servers.{server}]"));
            return Err((format!("there is no MCP server `{server}`"), Some(help)));
        }
        // Which tools it has is known once a person has accepted them.
        let Some(tools) = self.lock.pinned(server) else { return Ok(None) };
        match tools.iter().find(|known| known.name == tool) {
            Some(known) => {
                Ok(Some(Arguments::of_object(&ObjectSignature::of(&known.input_schema))))
            }
            None => {
                let names = tools.iter().map(|known| known.name.as_str());
                let general = || format!("`contexture mcp-servers list {server}` shows its tools");
                let help = suggestion(tool, names).unwrap_or_else(general);
                Err((format!("the MCP server `{server}` has no tool `{tool}`"), Some(help)))
            }
        }
    }

    fn of_extension(&self, rule: &str) -> Result<Arguments, Fault> {
        let extensions = &self.project.extensions;
        let (tool, method) = rule.split_once('/').unwrap_or((rule, ""));
        let Some(known) = extensions.tool(tool) else {
            let help = suggestion(tool, extensions.tool_names());
            return Err((format!("the application has no tool `{tool}`"), help));
        };
        match known.method(method) {
            Some(method) => Ok(Arguments::of_object(&method.signature)),
            None => {
                let methods = known.methods.iter().map(|method| method.facts.name.as_str());
                Err((
                    format!("the tool `{tool}` has no method `{method}`"),
                    suggestion(method, methods),
                ))
            }
        }
    }

    #[cfg(feature = "flow")]
    fn of_action(&self, rule: &str) -> Result<Option<Arguments>, Fault> {
        use contexture_flow::action::Actions as _;
        let named = &self.project.config.serve.tools;
        let own = self.project.extensions.actions();
        let builtin = self.builtin.get_or_init(|| self.builtin_actions());
        let found = own.describe(rule).or_else(|| builtin.describe(rule));
        if let Some(info) = found {
            let schema = info.parameters.as_ref().and_then(serde_json::Value::as_object);
            return Ok(schema.map(|schema| Arguments::of_object(&ObjectSignature::of(schema))));
        }
        if named.get(rule).is_some() {
            return Ok(None);
        }
        let mut names = own.names();
        names.extend(builtin.names());
        names.extend(named.iter().map(|(name, _)| name.to_owned()));
        names.extend(crate::config::builtin_tools());
        match suggestion(rule, names.iter().map(String::as_str)) {
            Some(help) => Err((format!("`{rule}` is not an action"), Some(help))),
            // A service may register it.
            None => Ok(None),
        }
    }

    #[cfg(not(feature = "flow"))]
    fn of_action(&self, _: &str) -> Result<Option<Arguments>, Fault> {
        Ok(None)
    }

    #[cfg(feature = "flow")]
    fn builtin_actions(&self) -> contexture_flow::action::Registry {
        // A folder that can't be opened is a fault of its own.
        let workspace = self.project.workspace().ok();
        let settings = workspace.map(contexture_actions::Settings::of);
        settings.map(|settings| contexture_actions::builtin(&settings)).unwrap_or_default()
    }
}

impl Arguments {
    fn of_object(signature: &ObjectSignature) -> Self {
        if signature.open {
            return Self::Open;
        }
        Self::Named(signature.fields.iter().map(|field| field.name.clone()).collect())
    }
}

/// Returns the arguments of a built-in tool; that its name is one was found when it was read.
fn of_builtin(rule: &str) -> Option<Arguments> {
    let method = crate::config::builtin_method(rule)?;
    let names = || method.parameters.iter().map(|parameter| parameter.name.to_owned()).collect();
    Some(match method.form {
        Form::Closed => Arguments::Named(names()),
        Form::Open | Form::Value => Arguments::Open,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Environment};
    use contexture_context::Trust;
    use contexture_core::signature::Effect;
    use contexture_core::tool::RustTool;
    use serde_json::Value;
    use std::sync::Arc;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Named {
        #[expect(dead_code, reason = "only its schema is read")]
        name: String,
    }

    fn project(rule: &str) -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("[policy.tools.{rule}\n[mcp.servers.mail]\ncommand = \"mail\"\n");
        let config = Config::parse("contexture.toml", &text).unwrap();
        let project = Project::with_config(folder.path(), config, Environment::default());
        (folder, project)
    }

    #[test]
    fn gu_6_rule_that_names_no_tool_or_argument_is_refused() {
        for (rule, told, help) in [
            ("fil_write]", "`fil_write` is not an action", "`file_write`"),
            ("http_psot]", "`http_psot` is not an action", "`http.post`"),
            ("\"mcp:nosuch/tool\"]", "no MCP server `nosuch`", "[mcp.servers.nosuch]"),
            ("\"mcp:mial/send\"]", "no MCP server `mial`", "`mail`"),
            ("\"rust:names/same\"]", "no tool `names`", "remove the rule"),
            ("\"file.write\"]\nintegrity = { pth = \"user\" }", "no argument `pth`", "`path`"),
            ("file_write]\nintegrity = { pth = \"user\" }", "no argument `pth`", "`path`"),
        ] {
            let (_folder, project) = project(rule);
            let error = check_rules(&project).unwrap_err();
            assert_eq!(error.code, "policy_invalid");
            assert!(error.message.contains(told), "{rule}: {error}");
            assert!(error.help.as_ref().unwrap().contains(help), "{rule}: {error:?}");
        }
    }

    #[test]
    fn gu_6_rule_about_known_tool_or_one_that_service_may_register_is_taken() {
        for rule in [
            "file_write]\nintegrity = { path = \"user\" }",
            "\"http.post\"]\nintegrity = { url = \"program\", body = \"user\" }",
            "\"mcp:mail/anything\"]",
            "\"frontend:mail\"]\nintegrity = { to = \"user\" }",
            "warehouse_lookup]",
        ] {
            let (_folder, project) = project(rule);
            assert_eq!(check_rules(&project), Ok(()), "{rule}");
        }
    }

    #[test]
    fn gu_6_rule_about_tool_of_application_is_checked_by_its_methods() {
        let same = |_: Named| async move { Ok(Value::Null) };
        let tool = RustTool::new("names").method("same", "", (Effect::Read, Trust::Tool), same);
        for (rule, told) in [
            ("\"rust:names/same\"]\nintegrity = { name = \"user\" }", None),
            ("\"rust:names/sane\"]", Some("no method `sane`")),
            ("\"rust:names/same\"]\nintegrity = { nam = \"user\" }", Some("no argument `nam`")),
        ] {
            let (_folder, mut project) = project(rule);
            project.extensions.add_tool(Arc::new(tool.clone())).unwrap();
            let error = check_rules(&project).err().map(|error| error.message);
            assert_eq!(error.is_some(), told.is_some(), "{rule}: {error:?}");
            assert!(told.is_none_or(|told| error.unwrap().contains(told)), "{rule}");
        }
    }
}
