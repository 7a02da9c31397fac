//! The environment of the process, captured once at the edge and passed on as a value.

use std::collections::BTreeMap;

/// Environment variables as they were when the process began.
///
/// `Debug` shows names only: a value may be a key.
#[derive(Clone, Default)]
pub struct Environment {
    vars: BTreeMap<String, String>,
}

impl Environment {
    /// Captures the variables of this process; those that are not Unicode are left out.
    #[must_use]
    pub fn capture() -> Self {
        let vars = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self { vars }
    }

    /// Makes an environment of the given variables, for tests and embedding.
    pub fn of<N: Into<String>, V: Into<String>>(vars: impl IntoIterator<Item = (N, V)>) -> Self {
        Self { vars: vars.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }

    /// Returns the value of a variable that is set and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns all variables by name.
    #[must_use]
    pub const fn vars(&self) -> &BTreeMap<String, String> {
        &self.vars
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.vars.keys()).finish()
    }
}
