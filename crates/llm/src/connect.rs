//! From a URI to a provider.

use crate::extractive::Extractive;
use crate::mock::Mock;
use crate::replay::Replay;
use crate::settings::ProviderSettings;
#[cfg(feature = "http")]
use crate::wire::connect::connect as over_http;
#[cfg(not(feature = "http"))]
use crate::wire_missing::connect as over_http;
use contexture_core::error::LlmError;
use contexture_core::model_uri::ModelUri;
use contexture_core::provider::Provider;
use std::path::Path;
use std::sync::Arc;

/// Returns the provider that a URI names (AS-24). Nothing is sent and no connection is made before
/// the first call; `replay:file` reads its file.
///
/// ```
/// use contexture_llm::{ModelUri, Provider, ProviderSettings, connect};
/// let uri: ModelUri = "builtin://extractive".parse()?;
/// let provider = connect(&uri, &ProviderSettings::default())?;
/// assert_eq!(provider.uri(), "builtin://extractive");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LlmError::NoKey`] without a key where one is needed, [`LlmError::Settings`] for a bad base URL
/// or for `default` (which the caller resolves), [`LlmError::Recording`] for a recording
/// that can't be read, [`LlmError::MissingFeature`] for a provider over HTTP in a build without the
/// feature `http`.
pub fn connect(uri: &ModelUri, settings: &ProviderSettings) -> Result<Arc<dyn Provider>, LlmError> {
    Ok(match uri {
        ModelUri::OpenAi { .. }
        | ModelUri::Compatible { .. }
        | ModelUri::Anthropic { .. }
        | ModelUri::Ollama { .. } => over_http(uri, settings)?,
        ModelUri::Extractive => Arc::new(Extractive::new()),
        ModelUri::Mock => Arc::new(Mock::new()),
        ModelUri::Replay { path } => Arc::new(Replay::open(Path::new(path))?),
        ModelUri::Added { scheme, .. } => {
            return Err(LlmError::Settings {
                message: format!("no provider is registered for `{scheme}://`"),
            });
        }
        ModelUri::Default => {
            return Err(LlmError::Settings {
                message: "`default` has to be resolved to a model before it is asked".to_owned(),
            });
        }
    })
}
