//! The relevance of texts to a question, from a model on a server (MA-7).

use crate::settings::ProviderSettings;
#[cfg(feature = "http")]
use crate::wire::connect::rerank as over_http;
#[cfg(not(feature = "http"))]
use crate::wire_missing::rerank as over_http;
use contexture_core::error::LlmError;
use contexture_core::model_uri::ModelUri;

/// Asks a server for the relevance of texts to a question, in their order: `POST BASE/rerank` with
/// `{model, query, documents, top_n}`, answered by `{results: [{index, relevance_score}]}`. The URI
/// is that of a compatible server; its key is that of OpenAI's form.
///
/// # Errors
/// [`LlmError`]: a server may fail, or rank other texts than these.
pub async fn rerank(
    uri: &ModelUri,
    settings: &ProviderSettings,
    question: &str,
    texts: &[String],
) -> Result<Vec<f32>, LlmError> {
    over_http(uri, settings, question, texts).await
}
