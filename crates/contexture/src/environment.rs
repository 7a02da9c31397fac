//! The environment of the process, captured once at the edge and passed on as a value.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

/// Environment variables as they were when the process began, shared by all copies.
///
/// `Debug` shows names only: a value may be a key.
#[derive(Clone, Default)]
pub struct Environment {
    vars: Arc<BTreeMap<String, String>>,
}

impl Environment {
    /// Captures the variables of this process; those that are not Unicode are left out.
    #[must_use]
    pub fn capture() -> Self {
        let unicode = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self::of(std::env::vars_os().filter_map(unicode))
    }

    /// Makes an environment of the given variables, for tests and embedding.
    pub fn of<N: Into<String>, V: Into<String>>(vars: impl IntoIterator<Item = (N, V)>) -> Self {
        let vars = vars.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self { vars: Arc::new(vars.collect()) }
    }

    /// Returns the value of a variable that is set and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns all variables by name.
    #[must_use]
    pub fn vars(&self) -> &BTreeMap<String, String> {
        &self.vars
    }
}

/// The keys of the providers.
const KEYS: [&str; 4] =
    ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "RERANK_API_KEY"];

/// The variables that say where something is or what is asked: a file of a project must not send
/// the keys of a person elsewhere.
const ADDRESSES: [&str; 4] =
    ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_BASE_URL", "CONTEXTURE_MODEL"];

/// What a file `.env` gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DotEnv {
    /// The names of the keys that were taken from it.
    pub taken: Vec<String>,
    /// The names of known variables that it may not set.
    pub left_out: Vec<String>,
}

impl Environment {
    /// Takes the keys of a file `.env` that are not set: those of the providers, and those named
    /// in `declared` (CA-12).
    pub(crate) fn take_keys<'n>(
        &mut self,
        text: &str,
        declared: impl Iterator<Item = &'n String>,
    ) -> DotEnv {
        let declared: Vec<&str> = declared.map(String::as_str).collect();
        let is_key = |name: &str| {
            let is_place = name.ends_with("_URL") || name.ends_with("_HOST");
            KEYS.contains(&name) || (declared.contains(&name) && !is_place)
        };
        let mut found = DotEnv::default();
        for (name, value) in text.lines().filter_map(assignment) {
            if ADDRESSES.contains(&name) {
                found.left_out.push(name.to_owned());
            } else if is_key(name) && !value.is_empty() && self.get(name).is_none() {
                Arc::make_mut(&mut self.vars).insert(name.to_owned(), value.to_owned());
                found.taken.push(name.to_owned());
            }
        }
        found
    }
}

/// Reads `NAME=value`, with or without `export` and quotes; `None` for anything else.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_start_matches('\u{feff}');
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    let value = value.trim();
    let quoted = ['"', '\''].iter().find_map(|quote| {
        let (inner, _) = value.strip_prefix(*quote)?.split_once(*quote)?;
        Some(inner)
    });
    let plain = || value.split(" #").next().unwrap_or_default().trim_end();
    Some((name.trim(), quoted.unwrap_or_else(plain)))
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.vars.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ca_12_env_file_gives_keys_that_are_not_set_and_nothing_else() {
        let mut environment = Environment::of([("ANTHROPIC_API_KEY", "own")]);
        let text = "# keys\nexport OPENAI_API_KEY='sk-a=b' # mine\nANTHROPIC_API_KEY=other\n\
                    OPENAI_BASE_URL=http://evil\nPATH=/x\nTOKEN = \"t t\"\nbroken\nEMPTY=\n";
        let declared = ["TOKEN".to_owned()];
        let found = environment.take_keys(text, declared.iter());
        assert_eq!(found.taken, ["OPENAI_API_KEY", "TOKEN"]);
        assert_eq!(found.left_out, ["OPENAI_BASE_URL"]);
        assert_eq!(environment.get("OPENAI_API_KEY"), Some("sk-a=b"));
        assert_eq!(environment.get("ANTHROPIC_API_KEY"), Some("own"));
        assert_eq!(environment.get("TOKEN"), Some("t t"));
        assert_eq!((environment.get("PATH"), environment.get("OPENAI_BASE_URL")), (None, None));
    }
}
