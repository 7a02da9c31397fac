//! The settings of providers beside the URI: keys, addresses, times, limits.

use contexture_core::Secret;
use std::time::Duration;

/// Keys, base URLs and limits of all providers, as the caller found them (AS-24).
///
/// The environment is read by the caller, once, at the edge:
///
/// ```
/// use contexture_llm::ProviderSettings;
/// let vars = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-123456789".to_owned());
/// let settings = ProviderSettings::from_vars(vars);
/// assert!(settings.openai_key.is_some() && settings.anthropic_key.is_none());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderSettings {
    /// `OPENAI_API_KEY`.
    pub openai_key: Option<Secret>,
    /// `OPENAI_BASE_URL`, with its version: `https://api.openai.com/v1`.
    pub openai_base_url: Option<String>,
    /// `ANTHROPIC_API_KEY`.
    pub anthropic_key: Option<Secret>,
    /// `ANTHROPIC_AUTH_TOKEN`: a bearer token in place of a key.
    pub anthropic_token: Option<Secret>,
    /// `ANTHROPIC_BASE_URL`, without a version: `https://api.anthropic.com`.
    pub anthropic_base_url: Option<String>,
    /// `OLLAMA_BASE_URL`; `http://localhost:11434` when absent.
    pub ollama_base_url: Option<String>,
    /// Time to connect.
    pub connect_timeout: Duration,
    /// Time for a whole request that brings no `timeout` of its own.
    pub timeout: Duration,
    /// Time without a byte of an answer that has begun.
    pub idle_timeout: Duration,
    /// Bytes that one answer may have.
    pub answer_bytes: usize,
    /// The hosts (`host` or `host:port`) that may have a private address, beside this machine where
    /// the base URL names it; absent: all. With a list no proxy is used.
    pub private_hosts: Option<Vec<String>>,
}

impl Default for ProviderSettings {
    fn default() -> Self {
        Self {
            openai_key: None,
            openai_base_url: None,
            anthropic_key: None,
            anthropic_token: None,
            anthropic_base_url: None,
            ollama_base_url: None,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(600),
            idle_timeout: Duration::from_secs(300),
            answer_bytes: contexture_context::Limits::default().answer_bytes,
            private_hosts: None,
        }
    }
}

impl ProviderSettings {
    /// Settings from environment variables, looked up by `var`; empty ones count as unset.
    #[must_use]
    pub fn from_vars(var: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name| var(name).map(|value| value.trim().to_owned()).filter(|v| !v.is_empty());
        let secret = |name| text(name).map(Secret::new);
        Self {
            openai_key: secret("OPENAI_API_KEY"),
            openai_base_url: text("OPENAI_BASE_URL"),
            anthropic_key: secret("ANTHROPIC_API_KEY"),
            anthropic_token: secret("ANTHROPIC_AUTH_TOKEN"),
            anthropic_base_url: text("ANTHROPIC_BASE_URL"),
            ollama_base_url: text("OLLAMA_BASE_URL"),
            ..Self::default()
        }
    }

    /// Returns the text with all keys of these settings masked.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        [&self.openai_key, &self.anthropic_key, &self.anthropic_token]
            .into_iter()
            .flatten()
            .fold(text.to_owned(), |text, secret| secret.mask(&text))
    }
}
