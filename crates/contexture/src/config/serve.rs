//! `[serve]`: what `contexture serve` offers, and to whom (CP-5, CP-6, CP-19).

mod embeddings;
mod limits;
mod permissions;
mod sensitive;
mod tools;

pub use embeddings::EmbeddingModel;
pub use limits::ServeLimits;
pub use permissions::{Levels, Permissions};
pub use sensitive::{SensitiveField, SensitiveFields};
pub use tools::{HttpTool, NamedTool, NamedTools, ToolKind, ToolTarget};

use regex::Regex;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::net::SocketAddr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// The server of the context protocol.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Serve {
    /// The address to listen on; `--listen` wins.
    #[serde(deserialize_with = "super::listen::read")]
    pub listen: Option<SocketAddr>,
    /// The folder of contexts and tokens, relative to the project; `--data` wins.
    pub data: Option<PathBuf>,
    /// Origins of web pages that may call, besides those of the server itself.
    pub origins: Vec<String>,
    /// Names of hosts that clients call the server by, besides `localhost` and IP addresses.
    pub hosts: Vec<String>,
    /// Addresses that clients may come from, such as `10.1.0.0/16`; all when empty.
    pub addresses: Vec<String>,
    /// True if a token is asked for although only this machine reaches the server.
    pub require_token: bool,
    /// Messages that an owner may send in a minute. When absent, 6,000 on a server that other
    /// machines reach, any number on one that only this machine does.
    pub rate_per_minute: Option<NonZeroU64>,
    /// Further limits on what clients may do.
    pub limits: ServeLimits,
    /// The fields that are encrypted where they are kept.
    pub sensitive: SensitiveFields,
    /// Actions of the server that tool calls and instructions of clients may name, besides those
    /// that only compute: names, or beginnings of names with a `*` behind them.
    pub actions: Vec<String>,
    /// Tools and actions by names of one's own, which clients may use.
    pub tools: NamedTools,
    /// The actions that the user is asked about first.
    pub permissions: Permissions,
    /// Turns that run at the same time; others wait.
    pub turns: NonZeroUsize,
    /// Messages of the context, the latest, that an agent gets with a turn.
    pub history: usize,
    /// Seconds that one turn may take.
    pub turn_timeout: NonZeroU64,
    /// Seconds for which a server that is asked to end still takes new work, while `/readyz` says that
    /// it ends: a load balancer has that long to look elsewhere.
    pub drain_delay: u64,
    /// Seconds that turns may take to end after that; then they are cancelled.
    pub drain_timeout: NonZeroU64,
    /// Seconds after which a call that waits for a client, and says no timeout of its own, ends.
    pub wait_seconds: NonZeroU64,
    /// The model of `/v1/embeddings`; without one there are none.
    pub embeddings: Option<EmbeddingModel>,
    /// True if the page at `/demo/` is served; when absent, only on a server that only this machine
    /// reaches.
    pub demo: Option<bool>,
    /// An agent that is asked which intent a message has when no rule fits: its value is the name
    /// of an intent, or has it as `intent`.
    pub router: Option<String>,
    /// The clientId of the model service that answers what no intent does, in place of an agent.
    pub model_service: Option<String>,
    /// The engine that drives tool calls and instruction sets: `local`, or `restate=` and the address
    /// of its ingress; `--engine` wins.
    pub engine: Option<String>,
    /// The address of the engine's administration; port 9070 of its host when absent.
    pub engine_admin: Option<String>,
    /// The address by which the engine reaches this server; a free port of this machine when absent.
    #[serde(deserialize_with = "super::listen::read")]
    pub engine_listen: Option<SocketAddr>,
    /// The intents of messages, and who answers them; the first that fits.
    pub intents: Vec<Intent>,
}

impl Default for Serve {
    fn default() -> Self {
        Self {
            listen: None,
            data: None,
            origins: Vec::new(),
            hosts: Vec::new(),
            addresses: Vec::new(),
            require_token: false,
            rate_per_minute: None,
            limits: ServeLimits::default(),
            sensitive: SensitiveFields::default(),
            actions: Vec::new(),
            tools: NamedTools::default(),
            permissions: Permissions::default(),
            turns: NonZeroUsize::MIN.saturating_add(15),
            history: 100,
            turn_timeout: NonZeroU64::MIN.saturating_add(599),
            drain_delay: 0,
            drain_timeout: NonZeroU64::MIN.saturating_add(29),
            wait_seconds: NonZeroU64::MIN.saturating_add(7 * 24 * 60 * 60 - 1),
            embeddings: None,
            demo: None,
            router: None,
            model_service: None,
            engine: None,
            engine_admin: None,
            engine_listen: None,
            intents: Vec::new(),
        }
    }
}

/// An intent of messages (CP-5).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Intent {
    /// Its name: in `metadata.intent` of the answer, and in the answer of a router.
    pub name: String,
    /// Texts of which one has to stand in the message; letters may differ in case.
    #[serde(default)]
    pub contains: Vec<String>,
    /// A regular expression that has to fit somewhere in the message.
    #[serde(default)]
    pub matches: Option<Pattern>,
    /// The agent that answers. Of this, `template` and `instructions` there is exactly one.
    #[serde(default)]
    pub agent: Option<String>,
    /// The prompt template that is the model's system prompt, relative to the project.
    #[serde(default)]
    pub template: Option<PathBuf>,
    /// The template's variables.
    #[serde(default)]
    pub vars: Map<String, Value>,
    /// The type of the answer that a template asks for, as programs write it: `{ sum number }`; a
    /// text when absent.
    #[serde(default)]
    pub answer: Option<String>,
    /// The file of the instruction set that is run, relative to the project. Its instructions may
    /// depend on `input`, whose result has the `text` of the message and its `attachments`.
    #[serde(default)]
    pub instructions: Option<PathBuf>,
}

/// A regular expression, as it was written.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// Reports whether it fits somewhere in the text, in time linear in the text.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let text = String::deserialize(value)?;
        Regex::new(&text).map(Self).map_err(serde::de::Error::custom)
    }
}
