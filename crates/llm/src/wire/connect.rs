//! From a URI to a provider over HTTP.

use super::anthropic::{Anthropic, Credential};
use super::http::{HttpProvider, check_base};
use super::ollama::Ollama;
use super::openai::OpenAi;
use crate::embed::Embedded;
use crate::settings::ProviderSettings;
use contexture_core::error::LlmError;
use contexture_core::model_uri::{ModelUri, is_loopback};
use contexture_core::provider::Provider;
use std::sync::Arc;

const OPENAI: &str = "https://api.openai.com/v1";
const ANTHROPIC: &str = "https://api.anthropic.com";
const OLLAMA: &str = "http://localhost:11434";

pub(crate) fn connect(
    uri: &ModelUri,
    settings: &ProviderSettings,
) -> Result<Arc<dyn Provider>, LlmError> {
    let name = uri.to_string();
    Ok(match uri {
        ModelUri::OpenAi { model } => Arc::new(openai(name, model, settings)?),
        ModelUri::Compatible { base, model } => Arc::new(compatible(name, base, model, settings)?),
        ModelUri::Anthropic { model } => Arc::new(anthropic(name, model, settings)?),
        ModelUri::Ollama { host, model } => {
            Arc::new(ollama(name, host.as_deref(), model, settings)?)
        }
        _ => {
            return Err(LlmError::Settings {
                message: format!("`{name}` is not served over HTTP"),
            });
        }
    })
}

/// Asks a model in OpenAI's form for the vectors of texts.
pub(crate) async fn embed(
    uri: &ModelUri,
    settings: &ProviderSettings,
    texts: &[String],
    dimensions: Option<u64>,
) -> Result<Embedded, LlmError> {
    let name = uri.to_string();
    let provider = match uri {
        ModelUri::OpenAi { model } => openai(name, model, settings)?,
        ModelUri::Compatible { base, model } => compatible(name, base, model, settings)?,
        _ => {
            let what = "embeddings".to_owned();
            return Err(LlmError::Unsupported { provider: name, what });
        }
    };
    provider.embed(texts, dimensions).await
}

/// Asks a server for the relevance of texts to a question.
pub(crate) async fn rerank(
    uri: &ModelUri,
    settings: &ProviderSettings,
    question: &str,
    texts: &[String],
) -> Result<Vec<f32>, LlmError> {
    let name = uri.to_string();
    let ModelUri::Compatible { base, model } = uri else {
        let what = "ranking".to_owned();
        return Err(LlmError::Unsupported { provider: name, what });
    };
    compatible(name, base, model, settings)?.rerank(question, texts).await
}

fn no_key(provider: &str, variable: &'static str) -> LlmError {
    LlmError::NoKey { provider: provider.to_owned(), variable }
}

fn openai(
    uri: String,
    model: &str,
    settings: &ProviderSettings,
) -> Result<HttpProvider<OpenAi>, LlmError> {
    let base = settings.openai_base_url.as_deref().unwrap_or(OPENAI);
    let base = check_base("OPENAI_BASE_URL", base)?;
    let official = base == OPENAI;
    if official && settings.openai_key.is_none() {
        return Err(no_key("openai", "OPENAI_API_KEY"));
    }
    let wire = OpenAi {
        name: "openai".to_owned(),
        base: base.clone(),
        key: settings.openai_key.clone(),
        model: model.to_owned(),
        official,
    };
    Ok(HttpProvider::new(wire, uri, model, &base, settings))
}

fn compatible(
    uri: String,
    base: &str,
    model: &str,
    settings: &ProviderSettings,
) -> Result<HttpProvider<OpenAi>, LlmError> {
    let base = check_base("the model's URI", base)?;
    let host = base.split("://").nth(1).and_then(|rest| rest.split('/').next());
    let host = host.unwrap_or_default().to_owned();
    // A program's URI may name any host. A key is not sent in the clear to one that is not this
    // machine; who wants that sets OPENAI_BASE_URL.
    let in_clear = base.starts_with("http:") && !is_loopback(&host);
    let remark = (in_clear && settings.openai_key.is_some()).then(|| {
        format!("no key was sent to {host}: the connection is not encrypted (use openai+https://, or OPENAI_BASE_URL)")
    });
    let wire = OpenAi {
        name: host,
        base: base.clone(),
        key: settings.openai_key.clone().filter(|_| !in_clear),
        model: model.to_owned(),
        official: base == OPENAI,
    };
    Ok(HttpProvider::new(wire, uri, model, &base, settings).remark(remark))
}

fn anthropic(
    uri: String,
    model: &str,
    settings: &ProviderSettings,
) -> Result<HttpProvider<Anthropic>, LlmError> {
    let base = settings.anthropic_base_url.as_deref().unwrap_or(ANTHROPIC);
    let base = check_base("ANTHROPIC_BASE_URL", base)?;
    let base = base.strip_suffix("/v1").unwrap_or(&base).to_owned();
    let key = settings.anthropic_key.clone().map(Credential::Key);
    let credential = key.or_else(|| settings.anthropic_token.clone().map(Credential::Token));
    if base == ANTHROPIC && credential.is_none() {
        return Err(no_key("anthropic", "ANTHROPIC_API_KEY"));
    }
    let wire = Anthropic { base: base.clone(), credential, model: model.to_owned() };
    Ok(HttpProvider::new(wire, uri, model, &base, settings))
}

fn ollama(
    uri: String,
    host: Option<&str>,
    model: &str,
    settings: &ProviderSettings,
) -> Result<HttpProvider<Ollama>, LlmError> {
    let base = match (host, &settings.ollama_base_url) {
        (Some(host), _) => format!("http://{host}"),
        // `OLLAMA_BASE_URL=gpu:11434` is how Ollama's own variable is written.
        (None, Some(base)) if !base.contains("://") => format!("http://{base}"),
        (None, Some(base)) => base.clone(),
        (None, None) => OLLAMA.to_owned(),
    };
    let base = check_base("OLLAMA_BASE_URL", &base)?;
    let base = ["/v1", "/api"].iter().find_map(|end| base.strip_suffix(end)).unwrap_or(&base);
    let wire = Ollama { base: base.to_owned(), model: model.to_owned() };
    Ok(HttpProvider::new(wire, uri, model, base, settings))
}
