//! In place of the wire in a build without the feature `http`.

use crate::embed::Embedded;
use crate::settings::ProviderSettings;
use contexture_core::MissingFeature;
use contexture_core::error::LlmError;
use contexture_core::model_uri::ModelUri;
use contexture_core::provider::Provider;
use std::sync::Arc;

const MISSING: MissingFeature =
    MissingFeature { part: "providers of models over HTTP", feature: "http" };

/// Refuses a URI that names a provider over HTTP.
pub(crate) fn connect(
    _uri: &ModelUri,
    _settings: &ProviderSettings,
) -> Result<Arc<dyn Provider>, LlmError> {
    Err(MISSING.into())
}

/// Refuses a model for embeddings.
pub(crate) async fn embed(
    _uri: &ModelUri,
    _settings: &ProviderSettings,
    _texts: &[String],
    _dimensions: Option<u64>,
) -> Result<Embedded, LlmError> {
    Err(MISSING.into())
}

/// Refuses a model that ranks.
pub(crate) async fn rerank(
    _uri: &ModelUri,
    _settings: &ProviderSettings,
    _question: &str,
    _texts: &[String],
) -> Result<Vec<f32>, LlmError> {
    Err(MISSING.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_24_provider_left_out_of_build_names_feature() {
        for uri in
            ["openai://gpt-4o", "anthropic://claude", "ollama://qwen3", "openai+https://x/v1/m"]
        {
            let settings = ProviderSettings::default();
            let error = crate::connect(&uri.parse().unwrap(), &settings).err().unwrap();
            assert_eq!(error.kind(), "missing_feature", "{uri}");
            assert_eq!(error.help().as_deref(), Some("build contexture with the feature `http`"));
        }
    }
}
