//! Vectors of texts, from a model in OpenAI's form (WA-8).

use crate::settings::ProviderSettings;
#[cfg(feature = "http")]
use crate::wire::connect::embed as over_http;
#[cfg(not(feature = "http"))]
use crate::wire_missing::embed as over_http;
use contexture_core::error::LlmError;
use contexture_core::model_uri::ModelUri;

/// The vectors of texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Embedded {
    /// A vector for each text, in their order.
    pub vectors: Vec<Vec<f32>>,
    /// The tokens that the texts took, as the server counts them.
    pub tokens: u64,
}

/// Asks a model for the vectors of texts; `dimensions` is the length that they should have, if the
/// model has a choice.
///
/// # Errors
/// [`LlmError`]: a model of another form has none, and a server may fail or give too few of them.
pub async fn embed(
    uri: &ModelUri,
    settings: &ProviderSettings,
    texts: &[String],
    dimensions: Option<u64>,
) -> Result<Embedded, LlmError> {
    over_http(uri, settings, texts, dimensions).await
}
