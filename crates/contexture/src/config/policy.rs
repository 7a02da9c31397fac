//! `[policy]`: what an effect may do (GU-1, GU-6).

use contexture_context::Trust;
use contexture_core::policy::paths::PathPolicy;
use contexture_core::policy::{Class, FRONTEND, Verdict, origin};
use contexture_core::signature::{Method, Signature, tables};
use contexture_diagnostic::suggestion;
use serde::de::{Error as _, IntoDeserializer as _, value};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// The policy of a project; what is absent has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PolicySettings {
    /// The verdict on effects that change files or memories. When absent, influenced ones are asked
    /// about.
    pub write: Option<Verdict>,
    /// The verdict on effects that hand data to another side.
    pub send: Option<Verdict>,
    /// The verdict on effects that run code, and on those of unknown tools.
    pub execute: Option<Verdict>,
    /// The trust level of files of the workspace.
    pub workspace: WorkspaceTrust,
    /// Permissions for protected and secret files.
    pub files: PathPolicy,
    /// The handling of what looks like a secret in what a model would see (GU-10).
    pub secrets: SecretsPolicy,
    /// Exceptions for single tools, by the names of permissions: `http.post`, `file.write`,
    /// `mcp:mail/send`.
    #[serde(deserialize_with = "tools")]
    pub tools: BTreeMap<String, ToolPolicy>,
}

/// The handling of what looks like a secret in what a model would see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretsPolicy {
    /// It is masked.
    #[default]
    Mask,
    /// It is shown. A warning names it all the same.
    Allow,
}

/// The trust level of files of the workspace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkspaceTrust {
    /// Data that a reader did not write.
    #[default]
    Resource,
    /// The user's own word.
    User,
}

/// The policy of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolPolicy {
    /// The verdict, in place of that of its class.
    pub default: Option<Verdict>,
    /// The class of a tool of a front end, in place of the one that the page says.
    pub class: Option<Class>,
    /// The lowest trust level that may influence it: one for all of its arguments and the decision
    /// to call it, or one for each argument by name.
    pub integrity: Option<Integrity>,
    /// Origins that may receive data with restricted readers.
    pub readers: Vec<String>,
    /// The reason why the results of a tool of an MCP server count as the user's word: it validates
    /// what it is given.
    pub validates: Option<String>,
}

/// The lowest trust level that a tool accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Integrity {
    /// That of all arguments and of the decision.
    All(Trust),
    /// Those of arguments, by name.
    Arguments(BTreeMap<String, Trust>),
}

impl<'de> Deserialize<'de> for Integrity {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            All(String),
            Arguments(BTreeMap<String, String>),
        }
        let level = |word: &str| {
            Trust::deserialize(word.into_deserializer()).map_err(|error: value::Error| {
                D::Error::custom(format!("`integrity` is a trust level: {error}"))
            })
        };
        Ok(match Written::deserialize(value)? {
            Written::All(word) => Self::All(level(&word)?),
            Written::Arguments(words) => {
                let levels = words.into_iter().map(|(name, word)| Ok((name, level(&word)?)));
                Self::Arguments(levels.collect::<Result<_, D::Error>>()?)
            }
        })
    }
}

/// Reads a policy, and refuses one that contradicts itself.
pub(super) fn read<'de, D: Deserializer<'de>>(value: D) -> Result<PolicySettings, D::Error> {
    let policy = PolicySettings::deserialize(value)?;
    match policy.contradiction() {
        Some(fault) => Err(D::Error::custom(fault)),
        None => Ok(policy),
    }
}

fn tools<'de, D: Deserializer<'de>>(value: D) -> Result<BTreeMap<String, ToolPolicy>, D::Error> {
    let tools = BTreeMap::<String, ToolPolicy>::deserialize(value)?;
    let fault_of_class = |(name, tool): (&String, &ToolPolicy)| {
        let is_said = tool.class.is_some() && !name.starts_with(FRONTEND);
        is_said.then(|| format!("`class` is for tools of a front end: `{name}` says its own"))
    };
    let fault_of_reason = |(name, tool): (&String, &ToolPolicy)| match tool.validates.as_deref() {
        Some(reason) if reason.trim().is_empty() => {
            Some(format!("`validates` of `{name}` is the reason, such as \"known orders alone\""))
        }
        Some(_) if !name.starts_with("mcp:") => Some(format!(
            "`validates` is for tools of MCP servers: `{name}` is not one; an application says it of its own tools in its code"
        )),
        _ => None,
    };
    let fault_of_reader = |tool: &ToolPolicy| {
        let is_known = |name: &str| origin(name).is_some() || name.starts_with("mcp:");
        let wrong = tool.readers.iter().find(|name| !is_known(name))?;
        Some(format!(
            "`{wrong}` is not an origin such as `https://api.example.com`, nor `mcp:SERVER`"
        ))
    };
    let fault = tools.keys().find_map(|name| fault_of_name(name));
    let fault = fault.or_else(|| tools.iter().find_map(fault_of_class));
    let fault = fault.or_else(|| tools.iter().find_map(fault_of_reason));
    match fault.or_else(|| tools.values().find_map(fault_of_reader)) {
        Some(fault) => Err(D::Error::custom(fault)),
        None => Ok(tools),
    }
}

/// The built-in tools, by the first part of their names in settings.
const FAMILIES: [(&str, &Signature); 4] = [
    ("file", &tables::FILE),
    ("http", &tables::HTTP),
    ("memory", &tables::MEMORY),
    ("env", &tables::ENV),
];

/// Reports why a name under `[policy.tools]` is not that of a tool.
fn fault_of_name(name: &str) -> Option<String> {
    let expected = "such as `http.post`, `mcp:mail/send`, `rust:tool/method` or `frontend:tool`";
    if let Some((kind, rest)) = name.split_once(':') {
        let is_tool = match kind {
            "mcp" | "rust" => {
                rest.split_once('/').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty())
            }
            "frontend" => !rest.is_empty(),
            _ => false,
        };
        return (!is_tool).then(|| format!("`{name}` is not the name of a tool, {expected}"));
    }
    if !name.contains('.') && !name.is_empty() || builtin_tools().any(|known| known == name) {
        // A name without a dot is that of an action of flows.
        return None;
    }
    let known: Vec<String> = builtin_tools().collect();
    let help = suggestion(name, known.iter().map(String::as_str));
    let help = help.map_or_else(|| format!(", {expected}"), |help| format!(": {help}"));
    Some(format!("`{name}` is not the name of a tool{help}"))
}

/// Returns the names of the built-in tools in settings.
pub(crate) fn builtin_tools() -> impl Iterator<Item = String> {
    let methods = FAMILIES.iter().flat_map(|(family, signature)| {
        signature.methods.iter().map(move |method| format!("{family}.{}", method.name))
    });
    methods.chain(["find", "grep", "sed", "read-range"].map(|tool| format!("sh.{tool}")))
}

impl PolicySettings {
    /// Returns the first contradiction: a tool that is allowed although its class is denied.
    pub(super) fn contradiction(&self) -> Option<String> {
        self.tools.iter().find_map(|(name, tool)| {
            let class = tool.class.or_else(|| class_of_name(name))?;
            let of_class = match class {
                Class::Write => self.write,
                Class::Send => self.send,
                Class::Execute => self.execute,
                Class::Read => None,
            };
            let is_open = matches!(tool.default, Some(Verdict::Allow | Verdict::Ask));
            (is_open && of_class == Some(Verdict::Deny)).then(|| {
                let word = tool.default.map_or("", Verdict::as_str);
                format!(
                    "[policy] says `{class} = \"deny\"`, and [policy.tools.\"{name}\"] says `default = \"{word}\"`: deny wins, so remove one of them"
                )
            })
        })
    }
}

/// Returns the class of a built-in tool by its name in settings.
fn class_of_name(name: &str) -> Option<Class> {
    builtin_method(name).map(Method::class)
}

/// Returns the method of a built-in tool by its name in settings, such as `http.post`.
pub(crate) fn builtin_method(name: &str) -> Option<&'static Method> {
    let (family, method) = name.split_once('.')?;
    let (_, signature) = FAMILIES.iter().find(|(known, _)| *known == family)?;
    signature.method(method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn read(text: &str) -> Result<PolicySettings, String> {
        let config = Config::parse("contexture.toml", text);
        config.map(|config| config.policy).map_err(|error| error.to_string())
    }

    #[test]
    fn gu_6_policy_is_read() {
        let text = "[policy]\nwrite = \"ask\"\nexecute = \"deny\"\nworkspace = \"user\"\n\
                    [policy.tools.\"http.post\"]\ndefault = \"allow\"\nreaders = [\"https://a\"]\n\
                    integrity = { url = \"program\" }\n[policy.tools.\"mcp:mail/send\"]\nintegrity = \"user\"\n";
        let policy = read(text).unwrap();
        assert_eq!((policy.write, policy.send), (Some(Verdict::Ask), None));
        assert_eq!(policy.workspace, WorkspaceTrust::User);
        let post = &policy.tools["http.post"];
        let url = BTreeMap::from([("url".to_owned(), Trust::Program)]);
        assert_eq!(post.integrity, Some(Integrity::Arguments(url)));
        assert_eq!(policy.tools["mcp:mail/send"].integrity, Some(Integrity::All(Trust::User)));
    }

    #[test]
    fn gu_6_policy_that_names_no_tool_or_contradicts_itself_is_refused() {
        for (text, part) in [
            ("[policy.tools.\"http.pots\"]\n", "did you mean `http.post`"),
            ("[policy.tools.\"mcp:mail\"]\n", "is not the name of a tool"),
            ("[policy.tools.\"\"]\n", "is not the name of a tool"),
            ("[policy]\nwrite = \"maybe\"\n", "maybe"),
            ("[policy.tools.\"file.write\"]\nintegrity = \"king\"\n", "integrity"),
            (
                "[policy]\nwrite = \"deny\"\n[policy.tools.\"file.write\"]\ndefault = \"allow\"\n",
                "deny wins",
            ),
            (
                "[policy]\nsend = \"deny\"\n[policy.tools.\"frontend:mail\"]\nclass = \"send\"\ndefault = \"ask\"\n",
                "deny wins",
            ),
            ("[policy.tools.\"http.post\"]\nclass = \"read\"\n", "says its own"),
            ("[policy.tools.\"http.get\"]\nvalidates = \"ours\"\n", "for tools of MCP servers"),
            ("[policy.tools.\"mcp:orders/known\"]\nvalidates = \" \"\n", "is the reason"),
            ("[policy.tools.\"http.post\"]\nreaders = [\"example.com\"]\n", "is not an origin"),
        ] {
            let told = read(text).unwrap_err();
            assert!(told.contains(part), "{text}: {told}");
        }
    }
}
