//! The model for embeddings.

use contexture_core::ModelUri;
use contexture_core::model_uri::UriError;
use serde::{Deserialize, Deserializer, de};

/// A model that gives vectors of texts, by its URI: one in OpenAI's form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingModel(ModelUri);

impl EmbeddingModel {
    /// Returns its URI.
    #[must_use]
    pub const fn uri(&self) -> &ModelUri {
        &self.0
    }

    /// Reads the URI of such a model.
    pub(in crate::config) fn read(text: &str) -> Result<Self, String> {
        let uri: ModelUri = text.parse().map_err(|error: UriError| error.to_string())?;
        match uri {
            ModelUri::OpenAi { .. } | ModelUri::Compatible { .. } => Ok(Self(uri)),
            _ => {
                let expected =
                    "expected a model in OpenAI's form, such as openai://text-embedding-3-small";
                Err(format!("{expected}, found `{text}`"))
            }
        }
    }

    /// Returns the name by which clients ask for it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.model()
    }
}

impl<'de> Deserialize<'de> for EmbeddingModel {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::read(&String::deserialize(from)?).map_err(de::Error::custom)
    }
}
