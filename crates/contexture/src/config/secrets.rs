//! `[secrets.NAME]`: where the value of a secret comes from (GU-9).
//!
//! Decision: the file comes with a project, which may be anybody's. So a secret is a variable of the
//! environment or a file of the workspace: what a program of the project can read anyway.

use serde::Deserialize;
use std::path::PathBuf;

/// The place of the value of a secret; the variable of its own name when absent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
#[non_exhaustive]
pub enum SecretSource {
    /// A variable of the environment.
    Env(String),
    /// A file of the workspace, without the line end.
    File(PathBuf),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    env: Option<String>,
    file: Option<PathBuf>,
}

impl TryFrom<Written> for SecretSource {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written { env: Some(name), file: None } => Ok(Self::Env(name)),
            Written { env: None, file: Some(path) } => Ok(Self::File(path)),
            _ => Err("a secret has either `env`, a variable, or `file`, a path in the workspace"
                .to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn gu_9_secret_is_variable_or_file() {
        let text = "[secrets.A]\nenv = \"B\"\n[secrets.C]\nfile = \"keys/c\"\n";
        let secrets = Config::parse("contexture.toml", text).unwrap().secrets;
        assert_eq!(secrets.get("A"), Some(&SecretSource::Env("B".to_owned())));
        assert_eq!(secrets.get("C"), Some(&SecretSource::File("keys/c".into())));
        for wrong in ["", "env = \"A\"\nfile = \"b\"", "command = [\"security\"]", "value = \"x\""]
        {
            assert!(Config::parse("contexture.toml", &format!("[secrets.A]\n{wrong}\n")).is_err());
        }
    }
}
