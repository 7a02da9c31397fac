//! The values of secrets, which programs and settings name and never hold (GU-9).

use crate::config::SecretSource;
use crate::project::Project;
use contexture_script::host::{HeaderSecret, HostError};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// The most bytes of a file that holds a secret.
const FILE_BYTES: u64 = 64 << 10;

/// The secrets of a project.
#[derive(Clone)]
pub(crate) struct Secrets(Project);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

impl Secrets {
    /// Returns the secrets of a project; nothing is read yet.
    pub(crate) fn of(project: &Project) -> Self {
        Self(project.clone())
    }

    /// Returns the value of a secret, if it has one.
    ///
    /// # Errors
    /// The reason why a file that should hold it can't be used, without its text.
    pub(crate) fn value(&self, name: &str) -> Result<Option<String>, String> {
        let variable = |name: &str| self.0.environment.get(name).map(str::to_owned);
        let value = match self.0.config.secrets.get(name) {
            None => variable(name),
            Some(SecretSource::Env(variable_name)) => variable(variable_name),
            Some(SecretSource::File(path)) => {
                let workspace = self.0.workspace().map_err(|error| error.to_string())?;
                let path = path.to_string_lossy();
                let place = workspace.resolve(&path).map_err(|error| error.to_string())?;
                Some(workspace.read_text(&place, FILE_BYTES).map_err(|error| error.to_string())?)
            }
        };
        let value = value.map(|value| value.trim().to_owned());
        Ok(value.filter(|value| !value.is_empty()))
    }

    /// Returns the names of the secrets that have a value.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let variables = self.0.environment.vars().keys();
        let names = variables.chain(self.0.config.secrets.keys());
        names.filter(|name| matches!(self.value(name), Ok(Some(_)))).cloned().collect()
    }

    /// Puts the values of secrets into the headers of a call, and returns them, to be masked.
    ///
    /// # Errors
    /// A [`HostError`] that names the secret without a value.
    pub(crate) fn put(
        &self,
        arguments: &mut Value,
        headers: &[HeaderSecret],
    ) -> Result<Vec<String>, HostError> {
        let mut values = Vec::new();
        for HeaderSecret { header, secret } in headers {
            let value = self.value(secret).map_err(|reason| failed(secret, &reason))?;
            let value = value.ok_or_else(|| failed(secret, "it is not set"))?;
            let is_bare = !value.contains(char::is_whitespace);
            let sent = match header.eq_ignore_ascii_case("authorization") && is_bare {
                true => format!("Bearer {value}"),
                false => value.clone(),
            };
            let place = arguments.get_mut("headers").and_then(|headers| headers.get_mut(header));
            if let Some(place) = place {
                *place = sent.into();
            }
            values.push(value);
        }
        Ok(values)
    }
}

fn failed(name: &str, reason: &str) -> HostError {
    let message = format!("the secret `{name}` has no value: {reason}");
    HostError::new("secret_missing", message).with_help(format!(
        "set the variable `{name}` of the environment, or describe it as `[secrets.{name}]` in contexture.toml"
    ))
}
