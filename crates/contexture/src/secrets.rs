//! The values of secrets, which programs and settings name and never hold (GU-9).

use crate::config::{HOME_FILE, HomeSecret, SecretSettings, SecretSource};
use crate::project::Project;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contexture_script::host::{HeaderSecret, HostError};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The most bytes of a file that holds a secret.
const FILE_BYTES: u64 = 64 << 10;

/// The secrets of a project.
#[derive(Clone)]
pub(crate) struct Secrets {
    project: Project,
    /// Those of the user's home, which win over those of the project.
    of_home: Result<BTreeMap<String, SecretSettings>, String>,
    /// What commands printed.
    printed: Arc<Mutex<BTreeMap<String, String>>>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

impl Secrets {
    /// Returns the secrets of a project; no value is read yet.
    pub(crate) fn of(project: &Project) -> Self {
        let file = project.home().map(|home| home.join(HOME_FILE));
        let of_home = file.map_or_else(|| Ok(BTreeMap::new()), |file| of_home(&file));
        Self { project: project.clone(), of_home, printed: Arc::default() }
    }

    fn settings(&self, name: &str) -> Result<Option<&SecretSettings>, String> {
        let of_home = self.of_home.as_ref().map_err(Clone::clone)?;
        Ok(of_home.get(name).or_else(|| self.project.config.secrets.get(name)))
    }

    /// Returns the value of a secret for a sink, an origin or `mcp:server`, if it has one.
    ///
    /// # Errors
    /// The reason why it may not go there, or can't be read; never its text.
    pub(crate) fn value(&self, name: &str, sink: &str) -> Result<Option<String>, String> {
        let settings = self.settings(name)?;
        let to = settings.map_or(&[][..], |settings| &settings.to);
        if !to.is_empty() && !to.iter().any(|known| known == sink) {
            return Err(format!("it may go to {} only, not to {sink}", to.join(", ")));
        }
        match settings.map(|settings| &settings.source) {
            Some(SecretSource::Command(command)) => self.printed(name, command).map(Some),
            _ => self.without_command(name, settings),
        }
    }

    /// Reports whether settings say that this is a secret.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        matches!(self.settings(name), Ok(Some(_)))
    }

    /// Returns the value of a secret that is there without running a command, to mask it.
    pub(crate) fn known(&self, name: &str) -> Option<String> {
        self.settings(name).and_then(|settings| self.without_command(name, settings)).ok()?
    }

    fn without_command(
        &self,
        name: &str,
        settings: Option<&SecretSettings>,
    ) -> Result<Option<String>, String> {
        let variable = |name: &str| self.project.environment.get(name).map(str::to_owned);
        let value = match settings.map(|settings| &settings.source) {
            None => variable(name),
            Some(SecretSource::Env(variable_name)) => variable(variable_name),
            Some(SecretSource::File(path)) => {
                let workspace = self.project.workspace().map_err(|error| error.to_string())?;
                let path = path.to_string_lossy();
                let place = workspace.resolve(&path).map_err(|error| error.to_string())?;
                Some(workspace.read_text(&place, FILE_BYTES).map_err(|error| error.to_string())?)
            }
            Some(SecretSource::Command(_)) => None,
        };
        let value = value.map(|value| value.trim().to_owned());
        Ok(value.filter(|value| !value.is_empty()))
    }

    fn printed(&self, name: &str, command: &[String]) -> Result<String, String> {
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = printed.get(name) {
            return Ok(value.clone());
        }
        let home = self.project.home().unwrap_or(Path::new("/"));
        let value = contexture_mcp::command::output(command, home, FILE_BYTES)?;
        printed.insert(name.to_owned(), value.clone());
        Ok(value)
    }

    /// Returns the names of the secrets that have a value, or a command that prints one.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let variables = self.project.environment.vars().keys();
        let of_home = self.of_home.iter().flat_map(BTreeMap::keys);
        let names = variables.chain(self.project.config.secrets.keys());
        let names = names.filter(|name| self.known(name).is_some());
        names.chain(of_home).cloned().collect()
    }

    /// Puts the values of secrets into the headers of a call to an origin, and returns them, to be
    /// masked.
    ///
    /// # Errors
    /// A [`HostError`] that names the secret without a value.
    pub(crate) fn put(
        &self,
        arguments: &mut Value,
        headers: &[HeaderSecret],
        origin: &str,
    ) -> Result<Vec<String>, HostError> {
        let mut values = Vec::new();
        for HeaderSecret { header, secret } in headers {
            let value = self.value(secret, origin).map_err(|reason| failed(secret, &reason))?;
            let value = value.ok_or_else(|| failed(secret, "it is not set"))?;
            let sent = match header.eq_ignore_ascii_case("authorization") {
                true => authorization(&value),
                false => value.clone(),
            };
            let place = arguments.get_mut("headers").and_then(|headers| headers.get_mut(header));
            if let Some(place) = place {
                *place = sent.into();
            }
            // Either part of a login is enough to give it away.
            values.extend(value.split_once(':').map(|(_, password)| password.to_owned()));
            values.push(value);
        }
        Ok(values)
    }
}

/// Returns the value of the header `authorization` for a secret: a login `user:password` goes as the
/// user info of a URL does, any other word as a bearer token, which holds no `:`.
fn authorization(value: &str) -> String {
    match value {
        value if value.contains(char::is_whitespace) => value.to_owned(),
        value if value.contains(':') => format!("Basic {}", STANDARD.encode(value)),
        value => format!("Bearer {value}"),
    }
}

/// Reads the secrets of the user's home.
fn of_home(file: &Path) -> Result<BTreeMap<String, SecretSettings>, String> {
    let shown = file.display();
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(format!("{shown}: {error}")),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata().map_err(|error| error.to_string())?.permissions().mode();
        if mode & 0o022 != 0 {
            return Err(format!("{shown} can be changed by others: `chmod go-w` it"));
        }
    }
    let written: BTreeMap<String, HomeSecret> =
        toml::from_str(&text).map_err(|error| format!("{shown}: {}", error.message()))?;
    let read = |(name, secret): (String, HomeSecret)| {
        let settings = SecretSettings::try_from(secret);
        Ok((name.clone(), settings.map_err(|reason| format!("{shown}, `{name}`: {reason}"))?))
    };
    written.into_iter().map(read).collect()
}

fn failed(name: &str, reason: &str) -> HostError {
    let message = format!("the secret `{name}` has no value: {reason}");
    HostError::new("secret_missing", message).with_help(format!(
        "set the variable `{name}` of the environment, or describe it as `[secrets.{name}]` in contexture.toml"
    ))
}
