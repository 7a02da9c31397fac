//! `contexture.toml`: the settings of a project.
//!
//! Decision: there is no key in it. Keys come from the environment, so that the file can be
//! committed; a key in the file is refused with a hint where it belongs.

mod check;
#[cfg(feature = "knowledge")]
pub(crate) mod edit;
mod embedder;
mod listen;
mod policy;
mod profiles;
mod reranker;
mod secrets;
mod serve;
mod servers;

pub use check::{CheckSettings, Level};
pub use embedder::EmbedderSetting;
pub use listen::listen_address;
pub(crate) use policy::builtin_method;
#[cfg(feature = "flow")]
pub(crate) use policy::builtin_tools;
pub use policy::{Integrity, PolicySettings, SecretsPolicy, ToolPolicy, WorkspaceTrust};
pub use profiles::ProfileSettings;
pub use reranker::RerankerSetting;
pub(crate) use secrets::HomeSecret;
pub use secrets::{HOME_FILE, SecretSettings, SecretSource};
pub use serve::{
    EmbeddingModel, HttpTool, Intent, Levels, NamedTool, NamedTools, Permissions, SensitiveField,
    SensitiveFields, Serve, ServeLimits, ToolKind, ToolTarget,
};
pub use servers::{Mcp, McpServer};

use crate::reading::{self, ReadError};
use contexture_context::Limits;
use contexture_diagnostic::{Diagnostic, SourceFile, Span};
use contexture_reference::definition::{Definitions, Glob};
use contexture_reference::{Policy, text};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The name of the file.
pub const CONFIG_FILE: &str = "contexture.toml";

/// The largest configuration file that is read, in bytes.
const CONFIG_BYTES: u64 = 1 << 20;

/// The settings of a project; what is absent has its default.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The URI of the default model (AS-24).
    pub model: Option<String>,
    /// The URIs of models in place of those that programs import, by the names of the imports
    /// (CA-7).
    pub models: BTreeMap<String, String>,
    /// The number of items of a `parallel for` that run at the same time (AS-10).
    pub concurrency: Option<NonZeroUsize>,
    /// The base URLs of providers.
    pub providers: Providers,
    /// The addresses that may be reached.
    pub network: Network,
    /// The retries of a provider's failure.
    pub retry: Retry,
    /// The records that are kept of a run.
    pub trace: Trace,
    /// The settings of references.
    pub references: References,
    /// The places of knowledge packs, and the log of their use.
    pub knowledge: Knowledge,
    /// MCP servers that programs may import tools from.
    pub mcp: Mcp,
    /// Where the values of secrets come from, by name (GU-9).
    pub secrets: BTreeMap<String, SecretSettings>,
    /// What is known of models, by their URIs (CA-4).
    pub profiles: BTreeMap<String, ProfileSettings>,
    /// The settings of `contexture serve`.
    pub serve: Serve,
    /// The policy of effects.
    #[serde(deserialize_with = "policy::read")]
    pub policy: PolicySettings,
    /// What the check says, and how loudly (TY-3).
    pub check: CheckSettings,
    /// Limits of a run.
    pub limits: Limits,
}

/// Base URLs of providers; the environment wins over them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Providers {
    /// Instead of OpenAI's own address; `OPENAI_BASE_URL` wins.
    pub openai_base_url: Option<String>,
    /// Instead of Anthropic's own address; `ANTHROPIC_BASE_URL` wins.
    pub anthropic_base_url: Option<String>,
    /// Instead of `http://localhost:11434`; `OLLAMA_BASE_URL` wins.
    pub ollama_base_url: Option<String>,
    /// Milliseconds for a model call without a `timeout` of its own.
    pub timeout_ms: Option<u64>,
}

/// The addresses that the HTTP tool and references may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Network {
    /// Hosts (`host` or `host:port`) that may be reached although their address is private,
    /// loopback or link-local.
    pub allow_private: Vec<String>,
}

/// The settings of references (REF-7, REF-19, REF-20, REF-22).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct References {
    /// The policy by which a reference with a plain `@` is loaded: `budget`, `model` or `never`.
    #[serde(deserialize_with = "policy")]
    pub policy: Policy,
    /// Tokens that the default references of one prompt may take when its call has no `max_input`:
    /// a number, or a text such as `8k`.
    #[serde(deserialize_with = "budget")]
    pub budget: u64,
    /// The variables of the environment that `@env://NAME` may read.
    pub env: Vec<String>,
    /// The memory that `@memory://key` reads, as a URI.
    pub memory: String,
    /// Files that define protocols, relative to the workspace.
    pub definitions: Vec<PathBuf>,
    /// Patterns of registry files, in JSON or Markdown, relative to the workspace (MA-2).
    pub registries: Vec<String>,
    /// Protocols whose ids name files by a glob, such as `**/{id}.thought.md` (MA-2).
    #[serde(deserialize_with = "globs")]
    pub globs: BTreeMap<String, Glob>,
    /// True if answers of servers are kept in `.contexture/cache/http`.
    pub cache: bool,
}

impl Default for References {
    fn default() -> Self {
        Self {
            policy: Policy::Budget,
            budget: 8_000,
            env: Vec::new(),
            memory: "file://.contexture/memory.jsonl".to_owned(),
            definitions: Vec::new(),
            registries: Vec::new(),
            globs: BTreeMap::new(),
            cache: true,
        }
    }
}

fn globs<'de, D: Deserializer<'de>>(value: D) -> Result<BTreeMap<String, Glob>, D::Error> {
    let written = BTreeMap::<String, String>::deserialize(value)?;
    let read = written.into_iter().map(|(protocol, pattern)| {
        let glob = Glob::parse(&pattern).and_then(|glob| {
            // What can't be extended is told with the settings.
            Definitions::default().add_glob(&protocol, glob.clone())?;
            Ok(glob)
        });
        let glob = glob.map_err(|error| D::Error::custom(format!("`{protocol}`: {error}")))?;
        Ok((protocol, glob))
    });
    read.collect()
}

fn policy<'de, D: Deserializer<'de>>(value: D) -> Result<Policy, D::Error> {
    let word = String::deserialize(value)?;
    Policy::parse(&word).ok_or_else(|| {
        D::Error::custom(format!("`{word}` is not a policy, expected `budget`, `model` or `never`"))
    })
}

fn budget<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(i64),
        Text(String),
    }
    let (read, shown) = match Written::deserialize(value)? {
        Written::Number(number) => (u64::try_from(number).ok(), number.to_string()),
        Written::Text(text) => (text::budget(&text), text),
    };
    read.filter(|tokens| *tokens > 0).ok_or_else(|| {
        D::Error::custom(format!(
            "`{shown}` is not a budget, expected tokens such as 500 or \"8k\""
        ))
    })
}

/// The places of knowledge packs, and the log of their use (KN-2, KN-3, KN-15).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Knowledge {
    /// Folders of packs, and archives (`.tar.gz`, `.tgz`, `.zip`), relative to the project.
    pub organization: Vec<PathBuf>,
    /// The index of the organization's registry, as a URL.
    pub registry: Option<String>,
    /// Types of packs that are allowed besides the known ones.
    pub types: Vec<String>,
    /// True if what `.gitignore` names is skipped.
    pub gitignore: bool,
    /// The depth to which folders are entered; absent for the default.
    pub max_depth: Option<NonZeroUsize>,
    /// The most folders that are entered; absent for the default.
    pub max_folders: Option<NonZeroUsize>,
    /// True if the packs that are shipped with Contexture are listed.
    pub built_in: bool,
    /// The place for lines about the use of packs.
    pub usage: UsagePlace,
    /// The language of the lines that tell a model to take packs as data.
    pub lang: NoticeLanguage,
    /// The embedder by which sections are found beside their words; absent: words alone (MA-7).
    pub embedder: Option<EmbedderSetting>,
    /// The reranker that orders the sections that were found; absent: none (MA-7).
    pub reranker: Option<RerankerSetting>,
}

impl Default for Knowledge {
    fn default() -> Self {
        Self {
            organization: Vec::new(),
            registry: None,
            types: Vec::new(),
            gitignore: false,
            max_depth: None,
            max_folders: None,
            built_in: false,
            usage: UsagePlace::Workspace,
            lang: NoticeLanguage::Zh,
            embedder: None,
            reranker: None,
        }
    }
}

/// The place for lines about the use of packs (KN-15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UsagePlace {
    /// In `.contexture/usage.jsonl` of the project.
    #[default]
    Workspace,
    /// In the folder `runs/` of the pack.
    Pack,
    /// Nowhere.
    Off,
}

/// The language of the lines that tell a model to take packs as data (KN-13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoticeLanguage {
    /// Chinese, as the format has them.
    #[default]
    Zh,
    /// English.
    En,
}

/// The retries after 408, 409, 429, 5xx, time-outs and broken connections (AS-22, CA-2).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Retry {
    /// The most retries; 0 turns them off.
    pub times: u32,
    /// The longest wait in milliseconds; a longer `Retry-After` fails at once.
    pub max_wait_ms: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Self { times: 2, max_wait_ms: 30_000 }
    }
}

/// The records that are kept of a run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Trace {
    /// True if runs are kept in `.contexture/`.
    pub keep: bool,
}

impl Default for Trace {
    fn default() -> Self {
        Self { keep: true }
    }
}

/// An error of a configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file could not be read.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// The file is not a valid configuration.
    #[error("{}: {}", file.name(), diagnostic.message)]
    Invalid {
        /// The file.
        file: Box<SourceFile>,
        /// The fault, its place, and how to fix it.
        diagnostic: Box<Diagnostic>,
    },
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// [`ConfigError::Read`] when it can't be read, [`ConfigError::Invalid`] when it is not TOML,
    /// has an unknown setting, a wrong type, or a key.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = reading::regular(path, CONFIG_BYTES)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a configuration from text; `name` is shown in errors.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`].
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        toml::from_str(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            let span = Span::new(offset(span.start), offset(span.end));
            let diagnostic = Diagnostic::error("CFG1001", one_line(error.message()), span)
                .with_help(help(error.message()))
                .in_file(name);
            ConfigError::Invalid {
                file: Box::new(SourceFile::new(name, text)),
                diagnostic: Box::new(diagnostic),
            }
        })
    }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn help(message: &str) -> String {
    let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    match unknown {
        Some(name) if name.contains("token") && message.contains("`token_env`") => {
            "keys are not kept in this file: name the variable that holds it, as in `token_env = \"WEB_TOKEN\"`".to_owned()
        }
        Some(name) if name.contains("key") || name.contains("token") => {
            "keys are not kept in this file: set OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment".to_owned()
        }
        Some(name) => {
            let known = message.split('`').skip(3).step_by(2);
            contexture_diagnostic::suggestion(name, known)
                .unwrap_or_else(|| "see `docs/configuration.md` for all settings".to_owned())
        }
        None => "see `docs/configuration.md` for all settings".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_31_settings_are_read() {
        let config = Config::parse(
            "contexture.toml",
            "model = \"openai://gpt-4o\"\nconcurrency = 8\n[limits]\nsteps = 5\n[trace]\nkeep = false\n",
        )
        .unwrap();
        assert_eq!(config.model.as_deref(), Some("openai://gpt-4o"));
        assert_eq!(config.concurrency, NonZeroUsize::new(8));
        assert!(Config::parse("contexture.toml", "concurrency = 0").is_err());
        assert_eq!(config.limits.steps, 5);
        assert!(!config.trace.keep);
    }

    #[test]
    fn as_31_settings_that_are_no_text_file_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("contexture.toml");
        let told = |path: &Path| Config::read(path).unwrap_err().to_string();
        std::fs::create_dir(&path).unwrap();
        assert!(told(&path).ends_with("contexture.toml: is a directory"), "{}", told(&path));
        std::fs::remove_dir(&path).unwrap();
        std::fs::write(&path, b"model = \"\xff\"").unwrap();
        assert!(told(&path).contains("not UTF-8 text: line 1"), "{}", told(&path));
        std::fs::write(&path, " ".repeat(1 + (1 << 20))).unwrap();
        assert!(told(&path).contains("more than 1048576 bytes"), "{}", told(&path));
    }

    #[test]
    fn as_31_misspelt_setting_is_reported_with_place_and_suggestion() {
        let error = Config::parse("contexture.toml", "modle = \"x\"\n").unwrap_err();
        let ConfigError::Invalid { file, diagnostic } = error else { panic!("{error}") };
        assert_eq!(file.position(diagnostic.span.start).line, 1);
        assert!(diagnostic.message.contains("modle"), "{}", diagnostic.message);
        assert_eq!(diagnostic.help.as_deref(), Some("did you mean `model`?"));
    }

    #[test]
    fn as_31_depth_that_cannot_be_allowed_is_refused() {
        for (limit, most) in [("source_depth", 1_200), ("value_depth", 900)] {
            let parse =
                |depth| Config::parse("contexture.toml", &format!("[limits]\n{limit} = {depth}\n"));
            assert!(parse(most).is_ok(), "{limit}");
            let error = parse(most + 1).unwrap_err();
            let ConfigError::Invalid { file, diagnostic } = error else { panic!("{error}") };
            assert_eq!(file.position(diagnostic.span.start).line, 2);
            let told = format!("`{limit}` is at most {most}, found {}", most + 1);
            assert!(diagnostic.message.contains(&told), "{}", diagnostic.message);
        }
    }

    #[test]
    fn ref_7_settings_of_references_are_read() {
        let plain = Config::parse("contexture.toml", "").unwrap().references;
        assert_eq!((plain.policy, plain.budget, plain.cache), (Policy::Budget, 8_000, true));
        let config = Config::parse(
            "contexture.toml",
            "[references]\npolicy = \"model\"\nbudget = \"1.5k\"\nenv = [\"LANG\"]\n",
        );
        let set = config.unwrap().references;
        assert_eq!((set.policy, set.budget), (Policy::Model, 1_500));
        assert_eq!(set.env, ["LANG"]);
        for wrong in
            ["policy = \"always\"", "budget = 0", "budget = -1", "budget = \"some\"", "bugdet = 1"]
        {
            let error = Config::parse("contexture.toml", &format!("[references]\n{wrong}\n"));
            let ConfigError::Invalid { file, diagnostic } = error.unwrap_err() else { panic!() };
            assert_eq!(file.position(diagnostic.span.start).line, 2, "{wrong}");
        }
    }

    #[test]
    fn kn_2_settings_of_knowledge_packs_are_read() {
        let plain = Config::parse("contexture.toml", "").unwrap().knowledge;
        assert_eq!((plain.usage, plain.built_in), (UsagePlace::Workspace, false));
        let config = Config::parse(
            "contexture.toml",
            "[knowledge]\norganization = [\"../acme\"]\ntypes = [\"recipe\"]\nmax_depth = 3\n\
             usage = \"pack\"\nlang = \"en\"\nbuilt_in = true\ngitignore = true\n",
        );
        let set = config.unwrap().knowledge;
        assert_eq!((set.usage, set.lang), (UsagePlace::Pack, NoticeLanguage::En));
        assert_eq!(set.organization, [PathBuf::from("../acme")]);
        assert_eq!((set.max_depth, set.max_folders), (NonZeroUsize::new(3), None));
        for wrong in ["usage = \"maybe\"", "max_depth = 0", "typs = []", "lang = \"fr\""] {
            let error = Config::parse("contexture.toml", &format!("[knowledge]\n{wrong}\n"));
            let ConfigError::Invalid { file, diagnostic } = error.unwrap_err() else { panic!() };
            assert_eq!(file.position(diagnostic.span.start).line, 2, "{wrong}");
        }
    }

    #[test]
    fn as_31_key_in_settings_is_refused_with_name_of_variable() {
        let error =
            Config::parse("contexture.toml", "[providers]\nopenai_api_key = \"sk-secret\"\n");
        let ConfigError::Invalid { diagnostic, .. } = error.unwrap_err() else { panic!() };
        assert!(diagnostic.help.unwrap_or_default().contains("OPENAI_API_KEY"));
        assert!(!diagnostic.message.contains("sk-secret"));
    }
}
