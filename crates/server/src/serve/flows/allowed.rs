//! The actions of the server that clients may use (CP-19).

use crate::fault::Fault;
use crate::serve::codes;
use contexture::Project;
use contexture::actions::{Settings, builtin};
use contexture::config::ToolKind;
use contexture::diagnostic::suggestion;
use contexture::tools::Workspace;
use contexture_flow::Kind;
use contexture_flow::action::{Actions as _, Registry};
use std::collections::HashSet;
use std::sync::Arc;

/// The actions that only compute or wait: clients may always use them.
const HARMLESS: &[&str] = &["echo", "fail", "sleep", "calculator", "clock"];

/// The actions of the façade itself.
const FACADE: &[&str] = &["generate", "RUN_INSTRUCTIONS"];
/// The prefixes of the names of agents and of tools of servers.
const PREFIXES: &[&str] = &["agent:", "mcp:"];

/// The actions that the settings allow, besides the harmless ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Allowed {
    settings: Vec<String>,
    /// The names of `serve.tools`; true for those of instructions alone.
    named: Vec<(String, bool)>,
    /// The names that mean actions of the server, whatever clients announce.
    own: HashSet<String>,
}

impl Allowed {
    /// Reads the settings: names, or beginnings of names with `*`. `host` are the actions that are
    /// functions of this program.
    ///
    /// # Errors
    /// A [`Fault`] for the name of an unknown action.
    pub(crate) fn open(project: &Project, host: &Registry) -> Result<Self, Fault> {
        let settings = project.config.serve.actions.clone();
        let workspace = Workspace::open(&project.root)
            .map_err(|error| Fault::of(codes::BAD_SETTING, error.to_string()))?;
        let builtin = builtin(&Settings::of(Arc::new(workspace)));
        let own = builtin.names().into_iter().chain(host.names());
        let own = own.chain(FACADE.iter().map(|name| (*name).to_owned()));
        let named = project.config.serve.tools.iter();
        let named: Vec<_> =
            named.map(|(name, tool)| (name.to_owned(), tool.kind == ToolKind::Action)).collect();
        let own = own.chain(named.iter().map(|(name, _)| name.clone()));
        let allowed = Self { settings, own: own.collect(), named };
        // A tool of a server can also be named without its server, if the name is unique.
        let has_servers = !project.config.mcp.servers.is_empty();
        for name in &allowed.settings {
            if !has_servers && !name.ends_with('*') && !allowed.is_own(name) {
                let message = format!("`serve.actions` names `{name}`, which is not an action");
                let known = allowed.own.iter().map(String::as_str);
                let help = suggestion(name, known)
                    .unwrap_or_else(|| "agents are named `agent:Name`".to_owned());
                return Err(Fault::of(codes::BAD_SETTING, message).with_help(help));
            }
        }
        Ok(allowed)
    }

    /// Reports whether a name means an action of the server, and never a front-end tool.
    pub(crate) fn is_own(&self, name: &str) -> bool {
        self.own.contains(name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    }

    /// Returns the names, and beginnings of names, that a set of a kind may use.
    pub(crate) fn patterns(&self, kind: Kind) -> Vec<String> {
        let is_meant = |is_action: bool| kind == Kind::Instructions || !is_action;
        let named = self.named.iter().filter(|(_, is_action)| is_meant(*is_action));
        let named = named.map(|(name, _)| name.clone());
        // A name of the settings is what they say of it.
        let is_other = |name: &&&str| !self.named.iter().any(|(own, _)| own == **name);
        let harmless = HARMLESS.iter().filter(is_other).map(|name| (*name).to_owned());
        harmless.chain(self.settings.iter().cloned()).chain(named).collect()
    }

    /// Reports whether an action needs no permission and reads nothing.
    pub(super) fn is_harmless(&self, action: &str) -> bool {
        HARMLESS.contains(&action) && !self.named.iter().any(|(own, _)| own == action)
    }
}

pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_19_only_harmless_and_configured_actions_are_allowed() {
        let allows = |allowed: &Allowed, name: &str| {
            allowed.patterns(Kind::Calls).iter().any(|pattern| fits(pattern, name))
        };
        let none = Allowed::default();
        assert!(allows(&none, "echo") && allows(&none, "calculator"));
        for action in [
            "QUERY_DATA",
            "GENERATE_REPORT",
            "http",
            "file_write",
            "agent:Weather",
            "mcp:a/b",
            "Echo",
            "",
        ] {
            assert!(!allows(&none, action), "{action}");
        }
        let settings = vec!["QUERY_DATA".to_owned(), "agent:*".to_owned()];
        let some = Allowed { settings, ..Allowed::default() };
        assert!(allows(&some, "QUERY_DATA") && allows(&some, "agent:Weather.now"));
        assert!(!allows(&some, "QUERY_DATA2") && !allows(&some, "myagent:Weather"));
    }
}
