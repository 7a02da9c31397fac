//! `[serve.tools]`: the tools and actions that clients call by names of the settings (WA-5).

use contexture_protocol::content::PermissionLevel;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The beginnings of names that mean something by themselves.
const PREFIXES: [&str; 4] = ["agent:", "mcp:", FRONTEND, "rust:"];
/// The beginning of a target that is a front-end tool.
const FRONTEND: &str = "frontend:";
/// The methods of an HTTP tool.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// The longest name, in bytes.
const NAME_BYTES: usize = 256;

/// Named tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedTools(BTreeMap<String, NamedTool>);

impl NamedTools {
    /// Returns the tool of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&NamedTool> {
        self.0.get(name)
    }

    /// Returns all tools by their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &NamedTool)> {
        self.0.iter().map(|(name, tool)| (name.as_str(), tool))
    }

    /// Returns the secrets that addresses get.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.0.values().filter_map(|tool| match &tool.target {
            ToolTarget::Http(http) => http.token_env.as_deref(),
            _ => None,
        })
    }

    /// Reports whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for NamedTools {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let tools = BTreeMap::<String, NamedTool>::deserialize(value)?;
        for name in tools.keys() {
            let is_own = PREFIXES.iter().any(|prefix| name.starts_with(prefix));
            let has_signs = name.contains(|sign: char| sign.is_whitespace() || sign.is_control());
            if name.is_empty()
                || name.len() > NAME_BYTES
                || has_signs
                || name.contains('*')
                || is_own
            {
                return Err(de::Error::custom(format!(
                    "`{name}` is not a name of a tool: use at most {NAME_BYTES} bytes without \
                     spaces and `*`, such as `weather_api`"
                )));
            }
        }
        Ok(Self(tools))
    }
}

/// A named tool, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedTool {
    /// What is called.
    pub target: ToolTarget,
    /// What may call it.
    pub kind: ToolKind,
    /// True if calling it twice is as good as once; what the target says when absent.
    pub idempotent: Option<bool>,
    /// When the user is asked, where it is stricter than `[serve.permissions]`.
    pub permission: PermissionLevel,
    /// The file of the JSON Schema of its parameters, relative to the project.
    pub schema: Option<PathBuf>,
}

/// What may call a named tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolKind {
    /// Tool calls and instructions.
    #[default]
    Tool,
    /// Instructions alone.
    Action,
}

/// What a named tool calls.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolTarget {
    /// An action by its own name: `agent:Name`, `mcp:server/tool`, or a built-in one.
    Action(String),
    /// A tool that a client announces, by its toolId.
    Frontend(String),
    /// An address.
    Http(HttpTool),
}

impl NamedTool {
    /// Reports whether it is an agent, whose program has to be found.
    #[must_use]
    pub fn is_agent(&self) -> bool {
        matches!(&self.target, ToolTarget::Action(name) if name.starts_with("agent:"))
    }
}

/// A tool that is called over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpTool {
    /// The address.
    pub url: String,
    /// `GET` takes the parameters in its query, every other method as the JSON of its body.
    pub method: String,
    /// The secret, or variable, that holds its bearer token.
    pub token_env: Option<String>,
}

impl<'de> Deserialize<'de> for NamedTool {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(Written)
    }
}

/// Reads a target alone, or a table.
struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = NamedTool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a target such as \"agent:Name\", or a table with one")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<NamedTool, E> {
        let table = match text.split_once("://") {
            Some(("http" | "https", _)) => {
                Table { http: Some(text.to_owned()), ..Table::default() }
            }
            _ => Table { action: Some(text.to_owned()), ..Table::default() },
        };
        table.read().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NamedTool, A::Error> {
        Table::deserialize(MapAccessDeserializer::new(map))?.read().map_err(de::Error::custom)
    }
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Table {
    agent: Option<String>,
    mcp: Option<String>,
    frontend: Option<String>,
    action: Option<String>,
    http: Option<String>,
    method: Option<String>,
    token_env: Option<String>,
    kind: ToolKind,
    idempotent: Option<bool>,
    permission: Option<String>,
    schema: Option<PathBuf>,
}

impl Table {
    fn read(self) -> Result<NamedTool, String> {
        let permission = self.permission.as_deref().unwrap_or("NONE");
        let permission = PermissionLevel::parse(permission).ok_or_else(|| {
            format!("`permission`: expected \"NONE\", \"USER_CONSENT\" or \"ALWAYS_ASK\", found \"{permission}\"")
        })?;
        let (kind, idempotent, schema) = (self.kind, self.idempotent, self.schema.clone());
        Ok(NamedTool { target: self.target()?, kind, idempotent, permission, schema })
    }

    fn target(self) -> Result<ToolTarget, String> {
        let of = |prefix: &str, name: Option<String>| {
            let name = name?;
            Some(if name.starts_with(prefix) { name } else { format!("{prefix}{name}") })
        };
        let http = self.http.map(|url| http(url, self.method.as_deref(), self.token_env.clone()));
        if http.is_none() && (self.method.is_some() || self.token_env.is_some()) {
            return Err("`method` and `token_env` go with `http`".to_owned());
        }
        let named = [of("agent:", self.agent), of("mcp:", self.mcp), of(FRONTEND, self.frontend)];
        let mut named = named.into_iter().chain([self.action]).flatten();
        match (named.next(), named.next(), http) {
            (Some(name), None, None) => action(name),
            (None, None, Some(http)) => http.map(ToolTarget::Http),
            (None, None, None) => {
                Err("a tool needs a target: `agent`, `mcp`, `http`, `frontend` or `action`"
                    .to_owned())
            }
            _ => {
                Err("a tool has one target: `agent`, `mcp`, `http`, `frontend` or `action`"
                    .to_owned())
            }
        }
    }
}

fn action(name: String) -> Result<ToolTarget, String> {
    let bare = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(&name);
    if bare.trim().is_empty() {
        return Err(format!("`{name}` names no target: write it as \"agent:Name\""));
    }
    Ok(match name.strip_prefix(FRONTEND) {
        Some(tool) => ToolTarget::Frontend(tool.to_owned()),
        None => ToolTarget::Action(name),
    })
}

fn http(url: String, method: Option<&str>, token_env: Option<String>) -> Result<HttpTool, String> {
    let method = method.unwrap_or("POST").to_ascii_uppercase();
    if !METHODS.contains(&method.as_str()) {
        return Err(format!(
            "`method`: expected one of {}, found \"{method}\"",
            METHODS.join(", ")
        ));
    }
    let rest = url.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme));
    // What a fault shows must not hold a password.
    match rest.map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default()) {
        None | Some("") => Err("`http` begins with `https://` or `http://` and a host".to_owned()),
        Some(host) if host.contains('@') => {
            Err("`http` holds no credentials: name the variable of a token, as in `token_env = \"WEB_TOKEN\"`".to_owned())
        }
        Some(_) => Ok(HttpTool { url, method, token_env }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ConfigError};

    fn read(lines: &str) -> Result<NamedTools, (String, String)> {
        let text = format!("[serve.tools]\n{lines}\n");
        match Config::parse("contexture.toml", &text) {
            Ok(config) => Ok(config.serve.tools),
            Err(ConfigError::Invalid { diagnostic, .. }) => {
                Err((diagnostic.message, diagnostic.help.unwrap_or_default()))
            }
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn wa_5_targets_are_read_from_texts_and_tables() {
        let http = |method: &str, token_env: Option<&str>| {
            ToolTarget::Http(HttpTool {
                url: "https://h.example/w".to_owned(),
                method: method.to_owned(),
                token_env: token_env.map(str::to_owned),
            })
        };
        let action = |name: &str| ToolTarget::Action(name.to_owned());
        for (line, target) in [
            ("a = \"agent:Name.func\"", action("agent:Name.func")),
            ("a = \"mcp:s/t\"", action("mcp:s/t")),
            ("a = \"text_search\"", action("text_search")),
            ("a = \"frontend:toast\"", ToolTarget::Frontend("toast".to_owned())),
            ("a = \"https://h.example/w\"", http("POST", None)),
            ("a = { http = \"https://h.example/w\", method = \"get\" }", http("GET", None)),
            ("a = { http = \"https://h.example/w\", token_env = \"T\" }", http("POST", Some("T"))),
            ("a = { agent = \"Name\" }", action("agent:Name")),
            ("a = { agent = \"agent:Name\" }", action("agent:Name")),
            ("a = { mcp = \"s/t\" }", action("mcp:s/t")),
            ("a = { frontend = \"toast\" }", ToolTarget::Frontend("toast".to_owned())),
        ] {
            assert_eq!(read(line).unwrap().get("a").unwrap().target, target, "{line}");
        }
        let whole = "[serve.tools.a]\naction = \"clock\"\nkind = \"action\"\nidempotent = true\n\
                     permission = \"ALWAYS_ASK\"\nschema = \"a.json\"";
        let tools = read(whole).unwrap();
        let tool = tools.get("a").unwrap();
        assert_eq!((tool.kind, tool.idempotent), (ToolKind::Action, Some(true)));
        assert_eq!(tool.permission, PermissionLevel::AlwaysAsk);
        assert_eq!(tool.schema, Some(PathBuf::from("a.json")));
    }

    #[test]
    fn wa_5_settings_that_can_not_be_are_refused_with_their_reason() {
        for (line, part) in [
            ("a = 1", "expected a target such as"),
            ("a = {}", "needs a target"),
            ("a = { agent = \"A\", http = \"https://h\" }", "one target"),
            ("a = { agent = \"A\", mcp = \"s/t\" }", "one target"),
            ("a = { http = \"h.example\" }", "begins with `https://`"),
            ("a = { http = \"https:///p\" }", "begins with `https://`"),
            ("a = { http = \"https://h\", method = \"FETCH\" }", "found \"FETCH\""),
            ("a = { agent = \"A\", method = \"GET\" }", "go with `http`"),
            ("a = \"agent:\"", "names no target"),
            ("a = { agent = \"A\", permission = \"ASK\" }", "found \"ASK\""),
            ("a = { agent = \"A\", kind = \"toool\" }", "toool"),
            ("\"agent:x\" = \"clock\"", "not a name of a tool"),
            ("\"a*\" = \"clock\"", "not a name of a tool"),
            ("\"a b\" = \"clock\"", "not a name of a tool"),
            ("\"\" = \"clock\"", "not a name of a tool"),
        ] {
            let (message, _) = read(line).unwrap_err();
            assert!(message.contains(part), "{line}: {message}");
        }
        let (message, _) = read("a = \"https://ann:hidden@h.example/\"").unwrap_err();
        assert!(message.contains("credentials") && !message.contains("hidden"), "{message}");
        let (message, help) = read("a = { agent = \"A\", idempotnt = true }").unwrap_err();
        assert!(message.contains("idempotnt"), "{message}");
        assert_eq!(help, "did you mean `idempotent`?");
    }
}
