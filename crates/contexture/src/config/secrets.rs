//! `[secrets.NAME]`: where the value of a secret comes from, and where it may go (GU-9).
//!
//! Decision: `contexture.toml` comes with a project, which may be anybody's. So a secret there is a
//! variable of the environment or a file of the workspace: what a program of the project can read
//! anyway. A command stands in a file of the user's home, which no project writes, and says where its
//! value may go: else any program could send it anywhere.

use contexture_core::policy::origin;
use serde::Deserialize;
use std::path::PathBuf;

/// The file of secrets in the user's home.
pub const HOME_FILE: &str = ".contexture/secrets.toml";

/// A secret, as the settings describe it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
#[non_exhaustive]
pub struct SecretSettings {
    /// The place of its value.
    pub source: SecretSource,
    /// Where it may go: origins such as `https://api.example.com`, and `mcp:server`. Anywhere when
    /// empty.
    pub to: Vec<String>,
}

/// The place of the value of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecretSource {
    /// A variable of the environment.
    Env(String),
    /// A file of the workspace, without the line end.
    File(PathBuf),
    /// What a command prints, without the line end.
    Command(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    env: Option<String>,
    file: Option<PathBuf>,
    command: Option<Vec<String>>,
    #[serde(default)]
    to: Vec<String>,
}

impl TryFrom<Written> for SecretSettings {
    type Error = String;

    fn try_from(Written { env, file, command, to }: Written) -> Result<Self, String> {
        let source = match (env, file, command) {
            (Some(name), None, None) => SecretSource::Env(name),
            (None, Some(path), None) => SecretSource::File(path),
            (.., Some(_)) => {
                return Err(format!(
                    "a command stands in {HOME_FILE} of your home folder, not in the settings of a project"
                ));
            }
            _ => {
                return Err(
                    "a secret has either `env`, a variable, or `file`, a path in the workspace"
                        .to_owned(),
                );
            }
        };
        Ok(Self { source, to: sinks(to)? })
    }
}

/// A secret in the file of the user's home.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HomeSecret {
    command: Vec<String>,
    to: Vec<String>,
}

impl TryFrom<HomeSecret> for SecretSettings {
    type Error = String;

    fn try_from(HomeSecret { command, to }: HomeSecret) -> Result<Self, String> {
        if command.first().is_none_or(String::is_empty) {
            return Err("`command` names a program and its arguments".to_owned());
        }
        if to.is_empty() {
            return Err("`to` names the origins and servers that may get it".to_owned());
        }
        Ok(Self { source: SecretSource::Command(command), to: sinks(to)? })
    }
}

/// Checks the names of sinks.
fn sinks(names: Vec<String>) -> Result<Vec<String>, String> {
    let known = |name: String| match name.strip_prefix("mcp:") {
        Some(server) if !server.is_empty() => Ok(name),
        _ => origin(&name).ok_or_else(|| {
            format!("`{name}` is not an origin such as https://api.example.com, nor mcp:SERVER")
        }),
    };
    names.into_iter().map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn gu_9_secret_is_variable_or_file() {
        let text = "[secrets.A]\nenv = \"B\"\n[secrets.C]\nfile = \"keys/c\"\nto = [\"https://A.example:443/x\"]\n";
        let secrets = Config::parse("contexture.toml", text).unwrap().secrets;
        assert_eq!(secrets["A"].source, SecretSource::Env("B".to_owned()));
        assert_eq!(secrets["C"].source, SecretSource::File("keys/c".into()));
        assert_eq!(
            (secrets["A"].to.len(), &*secrets["C"].to),
            (0, &["https://a.example".to_owned()][..])
        );
        for wrong in [
            "",
            "env = \"A\"\nfile = \"b\"",
            "command = [\"security\"]",
            "value = \"x\"",
            "env = \"A\"\nto = [\"example.com\"]",
        ] {
            assert!(Config::parse("contexture.toml", &format!("[secrets.A]\n{wrong}\n")).is_err());
        }
    }
}
