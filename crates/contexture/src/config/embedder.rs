//! The embedder of knowledge packs.

use super::EmbeddingModel;
use serde::{Deserialize, Deserializer, de};
use std::fmt;
use std::path::{Path, PathBuf};

/// The prefix of a folder.
const FOLDER: &str = "folder:";

/// The embedder by which packs are searched beside their words (MA-7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedderSetting {
    /// `folder:PATH`: a static model in the form of model2vec, relative to the project.
    Folder(PathBuf),
    /// A model that gives embeddings in OpenAI's form, by its URI.
    Model(EmbeddingModel),
}

impl EmbedderSetting {
    /// Returns the setting of a folder.
    #[must_use]
    pub fn folder(path: &Path) -> Self {
        Self::Folder(path.to_owned())
    }
}

/// As it is written.
impl fmt::Display for EmbedderSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(f, "{FOLDER}{}", path.display()),
            Self::Model(model) => model.uri().fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for EmbedderSetting {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if let Some(path) = text.strip_prefix(FOLDER) {
            if path.trim().is_empty() {
                return Err(de::Error::custom("expected a path after `folder:`, found nothing"));
            }
            return Ok(Self::Folder(path.into()));
        }
        EmbeddingModel::read(&text).map(Self::Model).map_err(|error| {
            de::Error::custom(format!("{error}, or a folder such as folder:models/embedder"))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;

    fn read(value: &str) -> Result<Option<String>, String> {
        let text = format!("[knowledge]\nembedder = \"{value}\"\n");
        let config = Config::parse("contexture.toml", &text).map_err(|error| error.to_string())?;
        Ok(config.knowledge.embedder.map(|embedder| embedder.to_string()))
    }

    #[test]
    fn ma_7_embedder_is_folder_or_model_in_openai_form() {
        for good in ["folder:../models/wl", "openai+https://models.example.com/v1/e5", "openai://e"]
        {
            assert_eq!(read(good).unwrap().as_deref(), Some(good));
        }
        assert_eq!(Config::default().knowledge.embedder, None);
        for (bad, wanted) in [
            ("folder: ", "expected a path after `folder:`"),
            ("anthropic://e", "expected a model in OpenAI's form"),
            ("models/wl", "or a folder such as folder:models/embedder"),
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.contains(wanted), "{bad}: {error}");
        }
    }
}
