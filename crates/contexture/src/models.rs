//! The model that answers: the program's, the default one, or a stand-in (AS-24, AS-31).

use crate::extensions::Extensions;
use crate::profiles::Profiles;
use crate::project::Project;
use crate::run::{RunRequest, SetupError};
use contexture_diagnostic::suggestion;
use contexture_llm::{
    Guarded, Journal, Journalled, Ledger, LlmError, Metered, ModelUri, Provider, ProviderSettings,
    Recorder, Recording, Replay, Scripted, Unconnected, connect,
};
use contexture_script::host::NamedModel;
use contexture_script::program::Program;
use contexture_script::syntax::ast::ImportKind;
use contexture_store::masker::Masker;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
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
    /// Models that need no server answer themselves; others are refused.
    Local,
    /// The answers of a file, in order.
    Answers(PathBuf),
    /// Answers in order, in the forms that a file of answers has.
    Given(Vec<Value>),
    /// A recording, by exact request.
    Replay(PathBuf),
}

/// The models in place of those that programs import, by the names of the imports (CA-7).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Replacements {
    /// URIs by names.
    pub by_name: BTreeMap<String, String>,
    /// True if they are for several programs: a name that one of them lacks is another's.
    pub of_several: bool,
}

impl Replacements {
    /// Refuses a name under which none of `programs` imports a model.
    ///
    /// # Errors
    /// [`SetupError`] with the name that may be meant.
    pub fn check<'p>(
        &self,
        programs: impl IntoIterator<Item = &'p Program>,
    ) -> Result<(), SetupError> {
        let imported: BTreeSet<&str> = programs.into_iter().flat_map(imported).collect();
        self.check_among(&imported)
    }

    /// Refuses a name that is not among those of imported models.
    ///
    /// # Errors
    /// As [`Replacements::check`].
    pub fn check_among(&self, imported: &BTreeSet<&str>) -> Result<(), SetupError> {
        let is_unknown = |name: &&String| !imported.contains(name.as_str());
        let Some(name) = self.by_name.keys().find(is_unknown) else { return Ok(()) };
        let known = || imported.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let help = suggestion(name, imported.iter().copied()).unwrap_or_else(|| match known() {
            none if none.is_empty() => "it imports no models: write `--model URI` alone".to_owned(),
            known => format!("the models that it imports are {}", known.join(", ")),
        });
        let message = format!("the program imports no model `{name}`");
        Err(SetupError::new("unknown_model", message, Some(help)))
    }
}

/// Refuses what is not the URI of a model that `project` knows.
///
/// # Errors
/// [`LlmError::Uri`].
pub(crate) fn require_uri(project: &Project, uri: &str) -> Result<(), LlmError> {
    ModelUri::parse_with(uri, project.extensions.schemes())?;
    Ok(())
}

/// Returns the names under which a program imports models.
pub fn imported(program: &Program) -> impl Iterator<Item = &str> {
    let imports = program.files.iter().flat_map(|file| file.imports());
    let models = imports.filter(|import| import.kind == ImportKind::Llm);
    models.map(|import| import.name.text.as_str())
}

/// The turns of equal models (CA-3); clones share them, so that the runs of a server do.
#[derive(Debug, Clone, Default)]
pub struct Turns(Arc<Mutex<HashMap<Vec<Option<String>>, usize>>>);

impl Turns {
    /// Returns the place of the model in a group whose turn it is.
    fn next(&self, group: &[Option<String>]) -> usize {
        if group.len() < 2 {
            return 0;
        }
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = turns.entry(group.to_vec()).or_default();
        let own = *turn % group.len();
        *turn = own + 1;
        own
    }
}

/// The models of one run; each is connected once, when it is first used.
pub struct Models {
    settings: ProviderSettings,
    extensions: Extensions,
    masker: Arc<Masker>,
    root: PathBuf,
    names: ModelNames,
    turns: Turns,
    /// True if models are named and never asked.
    dry_run: bool,
    stand_in: Standing,
    recording: Option<Recording>,
    journal: Option<Journal>,
    profiles: Profiles,
    ledger: Arc<Ledger>,
    connected: Mutex<HashMap<String, Connected>>,
}

/// A model that was asked for before.
#[derive(Clone)]
struct Connected {
    metered: Arc<Metered>,
    price_source: Arc<str>,
}

/// The models that a run has for those that its program names.
#[derive(Debug, Clone)]
pub(crate) struct ModelNames {
    default: DefaultModel,
    /// The models in place of imported ones, by the names of the imports.
    replaced: BTreeMap<String, String>,
    /// The model in place of all other imported ones.
    instead: Option<String>,
}

impl ModelNames {
    pub(crate) fn new(project: &Project, request: &RunRequest) -> Self {
        Self {
            default: default_model(project, request.model.as_deref()),
            replaced: replaced(project, request),
            instead: request.model.clone(),
        }
    }

    /// Returns the URIs of the models of a call in groups, or the one in their place. `None` is the
    /// default model.
    fn of(&self, named: Option<&NamedModel>) -> Vec<Vec<Option<String>>> {
        let Some(NamedModel { name, groups }) = named else { return vec![vec![None]] };
        let own = |uri: &String| Some(uri.trim().to_owned()).filter(|uri| uri != "default");
        match self.replaced.get(name).or(self.instead.as_ref()) {
            Some(other) => vec![vec![own(other)]],
            None => groups.iter().map(|group| group.iter().map(own).collect()).collect(),
        }
    }

    /// Returns the URI of the first model that answers for an imported one.
    pub(crate) fn uri(&self, named: Option<&NamedModel>) -> String {
        let first = self.of(named).into_iter().flatten().next().flatten();
        first.unwrap_or_else(|| self.default.uri.clone())
    }
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
    Local,
    Mock(Arc<dyn Provider>),
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
    /// The same, to count what a single call takes.
    pub metered: Arc<Metered>,
    /// Where its price was read.
    pub price_source: Arc<str>,
    /// True if it is the default model and nobody chose it.
    pub fallback: bool,
}

impl Models {
    /// Creates the models of a run in `project`; `ledger` pays for their requests.
    ///
    /// # Errors
    /// [`LlmError::Uri`] when the default model or a replacement is not the URI of a model,
    /// [`LlmError::Recording`] when a recording or a file of answers can't be used.
    pub fn new(
        project: &Project,
        request: &RunRequest,
        ledger: Arc<Ledger>,
    ) -> Result<Self, LlmError> {
        let stand_in = match &request.stand_in {
            StandIn::None => Standing::None,
            StandIn::Mock => {
                Standing::Mock(connect(&ModelUri::Mock, &ProviderSettings::default())?)
            }
            StandIn::Answers(path) => Standing::One(Arc::new(Scripted::open(path)?)),
            StandIn::Given(answers) => {
                Standing::One(Arc::new(Scripted::of("the answers", answers.clone())?))
            }
            StandIn::Local => Standing::Local,
            StandIn::Replay(path) => Standing::Replay(Replay::open(path)?),
        };
        let names = ModelNames::new(project, request);
        for uri in names.replaced.values().chain([&names.default.uri]) {
            require_uri(project, uri)?;
        }
        let settings = provider_settings(project);
        let masker = Arc::new(Masker::new(secrets(&settings)));
        let record = request.record.as_deref().filter(|_| !request.dry_run);
        let recording = record.map(Recording::create).transpose()?;
        Ok(Self {
            recording: recording.map(|recording| recording.masked_by(Arc::clone(&masker))),
            journal: None,
            masker,
            settings,
            extensions: project.extensions.clone(),
            root: project.root.clone(),
            names,
            turns: project.turns.clone(),
            dry_run: request.dry_run && !request.recorded.as_ref().is_some_and(|it| it.asks()),
            stand_in,
            profiles: Profiles::new(&project.config.profiles),
            ledger,
            connected: Mutex::default(),
        })
    }

    /// Returns the URIs of the models of a call in the order in which they are asked (CA-3), or the
    /// one in their place. Equal ones come in turn. `None` is the default model.
    #[must_use]
    pub fn candidates(&self, named: Option<&NamedModel>) -> Vec<Option<String>> {
        let in_turn = |mut group: Vec<Option<String>>| {
            let own = self.turns.next(&group);
            group.rotate_left(own);
            group
        };
        self.names.of(named).into_iter().flat_map(in_turn).collect()
    }

    /// Returns the model of a URI; `None` is the default one.
    ///
    /// # Errors
    /// [`LlmError`] when the URI names no model, or its provider lacks a key or a valid address.
    pub fn get(&self, uri: Option<&str>) -> Result<Model, LlmError> {
        let fallback = uri.is_none() && !self.names.default.chosen && self.asks_models();
        let uri = uri.unwrap_or(&self.names.default.uri);
        let parsed = ModelUri::parse_with(uri, self.extensions.schemes())?;
        let uri = parsed.to_string();
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        let Connected { metered, price_source } = match connected.get(&uri) {
            Some(known) => known.clone(),
            None => {
                let new = self.meet(&uri, parsed)?;
                connected.insert(uri.clone(), new.clone());
                new
            }
        };
        let provider = Arc::clone(&metered) as Arc<dyn Provider>;
        Ok(Model { uri, provider, metered, price_source, fallback })
    }

    fn meet(&self, name: &str, parsed: ModelUri) -> Result<Connected, LlmError> {
        let provider = self.recorded(self.provider(name, parsed)?);
        let (profile, ledger) = (self.profiles.of(name), Arc::clone(&self.ledger));
        let answer_bytes = self.settings.answer_bytes;
        Ok(Connected {
            metered: Arc::new(Metered::new(provider, name, profile, ledger, answer_bytes)),
            price_source: self.profiles.source(name).into(),
        })
    }

    /// Returns the URI of the default model.
    #[must_use]
    pub fn default_uri(&self) -> &str {
        &self.names.default.uri
    }

    /// Returns the URIs in place of imported models, by the names of the imports.
    #[must_use]
    pub const fn replaced(&self) -> &BTreeMap<String, String> {
        &self.names.replaced
    }

    /// Returns what the run has spent so far, and may spend.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the masker of providers' keys for all that is written down of the run: those of the
    /// settings, and those of added providers once they are connected.
    #[must_use]
    pub fn masker(&self) -> Arc<Masker> {
        Arc::clone(&self.masker)
    }

    /// Reports whether the answers of a model are those of the mock, which follow from the shape
    /// alone.
    pub(crate) fn is_mock(&self, model: &Model) -> bool {
        match &self.stand_in {
            Standing::Mock(_) => true,
            Standing::None | Standing::Local => model.uri.parse() == Ok(ModelUri::Mock),
            Standing::Replay(replay) => replay.is_of_mock(&model.uri),
            Standing::One(_) => false,
        }
    }

    fn asks_models(&self) -> bool {
        matches!(self.stand_in, Standing::None)
    }

    fn provider(&self, name: &str, uri: ModelUri) -> Result<Arc<dyn Provider>, LlmError> {
        match &self.stand_in {
            Standing::One(provider) | Standing::Mock(provider) => Ok(Arc::clone(provider)),
            Standing::Replay(replay) => Ok(Arc::new(replay.in_place_of(name, uri.model()))),
            Standing::None if self.dry_run => {
                let unconnected = Unconnected::new(name, uri.model());
                let connected = (!uri.is_remote()).then(|| self.connect(name, uri));
                Ok(connected.and_then(Result::ok).unwrap_or_else(|| Arc::new(unconnected)))
            }
            Standing::Local if uri.is_remote() || matches!(uri, ModelUri::Added { .. }) => {
                Err(not_local(name))
            }
            Standing::Local | Standing::None => self.connect(name, uri),
        }
    }

    fn connect(&self, name: &str, uri: ModelUri) -> Result<Arc<dyn Provider>, LlmError> {
        match &uri {
            ModelUri::Added { scheme, .. } => self.added(scheme, name),
            _ => connect(&self.in_workspace(uri), &self.settings),
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

    /// Keeps the answers in the journal of the run, and takes them from there.
    pub(crate) fn keep_in(&mut self, journal: Journal) {
        self.journal = Some(journal);
    }

    fn recorded(&self, provider: Arc<dyn Provider>) -> Arc<dyn Provider> {
        let provider = match &self.journal {
            Some(journal) => {
                let is_scripted = !self.asks_models();
                Arc::new(Journalled::new(provider, journal.clone(), is_scripted))
            }
            None => provider,
        };
        match &self.recording {
            Some(recording) => Arc::new(Recorder::new(provider, recording.clone())),
            None => provider,
        }
    }
}

fn not_local(uri: &str) -> LlmError {
    let message = format!("{uri} is not asked here: give the answers, or a model of this machine");
    LlmError::Settings { message }
}

/// Returns the models in place of imported ones: the caller's; those of the settings where the
/// caller did not choose one for all.
fn replaced(project: &Project, request: &RunRequest) -> BTreeMap<String, String> {
    let own = request.models.by_name.clone();
    if request.model.is_some() {
        return own;
    }
    let mut all = project.config.models.clone();
    all.extend(own);
    all
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
    use std::path::Path;

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
