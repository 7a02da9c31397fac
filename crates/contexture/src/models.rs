//! The model that answers: the program's, the default one, or a stand-in (AS-24, AS-31).

use crate::extensions::Extensions;
use crate::project::Project;
use contexture_llm::{
    Guarded, LlmError, ModelUri, Provider, ProviderSettings, Recorder, Recording, Replay, Scripted,
    connect,
};
use contexture_store::masker::Masker;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The default model when nobody chose one.
const FALLBACK: &str = "builtin://extractive";

/// The stand-in for the models that a program names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StandIn {
    /// None: the models themselves answer.
    #[default]
    None,
    /// Placeholders of the right type.
    Mock,
    /// The answers of a file, in order.
    Answers(PathBuf),
    /// A recording, by exact request.
    Replay(PathBuf),
}

/// The models of one run; each is connected once, when it is first used.
pub struct Models {
    settings: ProviderSettings,
    extensions: Extensions,
    masker: Arc<Masker>,
    root: PathBuf,
    default: DefaultModel,
    stand_in: Standing,
    recording: Option<Recording>,
    connected: Mutex<HashMap<String, Arc<dyn Provider>>>,
}

/// The default model, and whether it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultModel {
    /// Its URI.
    pub uri: String,
    /// True if an option, the environment or the configuration names it.
    pub chosen: bool,
}

enum Standing {
    None,
    One(Arc<dyn Provider>),
    Replay(Replay),
}

/// A model that is ready to be called.
#[derive(Clone)]
pub struct Model {
    /// Its URI in records, without credentials.
    pub uri: String,
    /// The provider that is called.
    pub provider: Arc<dyn Provider>,
    /// True if it is the default model and nobody chose it.
    pub fallback: bool,
}

impl Models {
    /// Creates the models of a run in `project`; `option` is `--model`.
    ///
    /// # Errors
    /// [`LlmError::Uri`] when the default model is not the URI of a model, [`LlmError::Recording`]
    /// when a recording or a file of answers can't be used.
    pub fn new(
        project: &Project,
        option: Option<&str>,
        stand_in: &StandIn,
        record: Option<&Path>,
    ) -> Result<Self, LlmError> {
        let stand_in = match stand_in {
            StandIn::None => Standing::None,
            StandIn::Mock => Standing::One(connect(&ModelUri::Mock, &ProviderSettings::default())?),
            StandIn::Answers(path) => Standing::One(Arc::new(Scripted::open(path)?)),
            StandIn::Replay(path) => Standing::Replay(Replay::open(path)?),
        };
        let default = default_model(project, option);
        ModelUri::parse_with(&default.uri, project.extensions.schemes())?;
        let settings = provider_settings(project);
        let masker = Arc::new(Masker::new(secrets(&settings)));
        let recording = record.map(Recording::create).transpose()?;
        Ok(Self {
            recording: recording.map(|recording| recording.masked_by(Arc::clone(&masker))),
            masker,
            settings,
            extensions: project.extensions.clone(),
            root: project.root.clone(),
            default,
            stand_in,
            connected: Mutex::default(),
        })
    }

    /// Returns the model of a URI; `None` and `default` are the default one.
    ///
    /// # Errors
    /// [`LlmError`] when the URI names no model, or its provider lacks a key or a valid address.
    pub fn get(&self, uri: Option<&str>) -> Result<Model, LlmError> {
        let named = uri.filter(|uri| *uri != "default");
        let fallback = named.is_none() && !self.default.chosen;
        let uri = named.unwrap_or(&self.default.uri);
        let parsed = ModelUri::parse_with(uri, self.extensions.schemes())?;
        let name = parsed.to_string();
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(provider) = connected.get(&name) {
            return Ok(Model {
                uri: name,
                provider: Arc::clone(provider),
                fallback: fallback && self.asks_models(),
            });
        }
        let provider = self.recorded(self.provider(&name, parsed)?);
        connected.insert(name.clone(), Arc::clone(&provider));
        Ok(Model { uri: name, provider, fallback: fallback && self.asks_models() })
    }

    /// Returns the URI of the default model.
    #[must_use]
    pub fn default_uri(&self) -> &str {
        &self.default.uri
    }

    /// Returns the masker of providers' keys for all that is written down of the run: those of the
    /// settings, and those of added providers once they are connected.
    #[must_use]
    pub fn masker(&self) -> Arc<Masker> {
        Arc::clone(&self.masker)
    }

    fn asks_models(&self) -> bool {
        matches!(self.stand_in, Standing::None)
    }

    fn provider(&self, name: &str, uri: ModelUri) -> Result<Arc<dyn Provider>, LlmError> {
        match &self.stand_in {
            Standing::One(provider) => Ok(Arc::clone(provider)),
            Standing::Replay(replay) => Ok(Arc::new(replay.in_place_of(name, uri.model()))),
            Standing::None => match &uri {
                ModelUri::Added { scheme, .. } => self.added(scheme, name),
                _ => connect(&self.in_workspace(uri), &self.settings),
            },
        }
    }

    /// Connects to a provider of the application.
    fn added(&self, scheme: &str, uri: &str) -> Result<Arc<dyn Provider>, LlmError> {
        let connect = self.extensions.provider(scheme).ok_or_else(|| LlmError::Settings {
            message: format!("no provider is registered for `{scheme}://`"),
        })?;
        let provider = Guarded::connect(scheme, uri, &self.settings, || connect(uri))?;
        self.masker.add(provider.secrets().iter().map(|secret| secret.expose().to_owned()));
        Ok(Arc::new(provider))
    }

    /// Resolves the path of a recording that a program names: it lies in the workspace.
    fn in_workspace(&self, uri: ModelUri) -> ModelUri {
        match uri {
            ModelUri::Replay { path } => {
                ModelUri::Replay { path: self.root.join(path).display().to_string() }
            }
            uri => uri,
        }
    }

    fn recorded(&self, provider: Arc<dyn Provider>) -> Arc<dyn Provider> {
        match &self.recording {
            Some(recording) => Arc::new(Recorder::new(provider, recording.clone())),
            None => provider,
        }
    }
}

/// Returns the keys of providers.
pub(crate) fn secrets(settings: &ProviderSettings) -> Vec<String> {
    let keys = [&settings.openai_key, &settings.anthropic_key, &settings.anthropic_token];
    keys.into_iter().flatten().map(|key| key.expose().to_owned()).collect()
}

/// Returns the default model: `--model`, else `CONTEXTURE_MODEL`, else `contexture.toml`, else the
/// built-in one.
#[must_use]
pub fn default_model(project: &Project, option: Option<&str>) -> DefaultModel {
    let chosen = option
        .or_else(|| project.environment.get("CONTEXTURE_MODEL"))
        .or(project.config.model.as_deref())
        .filter(|uri| *uri != "default");
    DefaultModel { uri: chosen.unwrap_or(FALLBACK).to_owned(), chosen: chosen.is_some() }
}

/// Returns keys and addresses: the environment wins over `contexture.toml`.
#[must_use]
pub fn provider_settings(project: &Project) -> ProviderSettings {
    let vars = |name: &str| project.environment.get(name).map(str::to_owned);
    let providers = &project.config.providers;
    let mut settings = ProviderSettings::from_vars(vars);
    settings.openai_base_url = settings.openai_base_url.or(providers.openai_base_url.clone());
    settings.anthropic_base_url =
        settings.anthropic_base_url.or(providers.anthropic_base_url.clone());
    settings.ollama_base_url = settings.ollama_base_url.or(providers.ollama_base_url.clone());
    if let Some(timeout) = providers.timeout_ms {
        settings.timeout = Duration::from_millis(timeout);
    }
    settings.answer_bytes = project.config.limits.answer_bytes;
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Environment};

    fn project(config: &str, model: Option<&str>) -> Project {
        let environment = Environment::of(model.map(|uri| ("CONTEXTURE_MODEL", uri)));
        let config = Config::parse("contexture.toml", config).unwrap();
        Project::with_config(Path::new("."), config, environment)
    }

    #[test]
    fn as_24_default_model_is_from_option_then_environment_then_configuration() {
        let config = "model = \"ollama://c\"";
        let uri = |project: &Project, option| default_model(project, option).uri;
        assert_eq!(uri(&project(config, Some("openai://e")), Some("mock")), "mock");
        assert_eq!(uri(&project(config, Some("openai://e")), None), "openai://e");
        assert_eq!(uri(&project(config, None), None), "ollama://c");
        let fallback = default_model(&project("", None), Some("default"));
        assert_eq!(fallback, DefaultModel { uri: "builtin://extractive".into(), chosen: false });
    }
}
