//! The content of messages: a text, or parts of several kinds.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The content of a message. Text messages made here are [`ContentField::Array`] with one text
/// part (PT-9); a plain string is accepted as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ContentField {
    /// A plain string.
    Text(String),
    /// Parts in order.
    Array(Vec<OpenaiContentPart>),
}

impl ContentField {
    /// Returns all texts, concatenated.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Array(parts) => match parts.as_slice() {
                [only] => Cow::Borrowed(only.as_text().unwrap_or_default()),
                _ => parts.iter().filter_map(OpenaiContentPart::as_text).collect(),
            },
        }
    }

    /// Reports whether there are only texts.
    #[must_use]
    pub fn is_text_only(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Array(parts) => parts.iter().all(|part| part.as_text().is_some()),
        }
    }
}

impl Default for ContentField {
    fn default() -> Self {
        Self::Array(Vec::new())
    }
}

/// One part of a message's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum OpenaiContentPart {
    /// A text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    ImageUrl {
        /// Its URL.
        image_url: ImageUrl,
    },
    /// A sound.
    InputAudio {
        /// The sound.
        input_audio: InputAudio,
    },
    /// A file.
    File {
        /// The file, by content or by id.
        file: FileData,
    },
    /// A refusal by the model; only in assistant messages.
    Refusal {
        /// The text of the refusal.
        refusal: String,
    },
}

impl OpenaiContentPart {
    /// Creates a text part.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Creates a picture from its URL, which may be a `data:` URL.
    #[must_use]
    pub fn image_url(url: impl Into<String>) -> Self {
        Self::ImageUrl { image_url: ImageUrl { url: url.into(), detail: None } }
    }

    /// Creates a sound from its bytes in Base64 and its format, such as `wav` or `mp3`.
    #[must_use]
    pub fn input_audio(data: impl Into<String>, format: impl Into<String>) -> Self {
        Self::InputAudio { input_audio: InputAudio { data: data.into(), format: format.into() } }
    }

    /// Creates a file from its content in Base64.
    #[must_use]
    pub fn file_data(filename: impl Into<String>, data: impl Into<String>) -> Self {
        Self::File {
            file: FileData {
                file_data: Some(data.into()),
                filename: Some(filename.into()),
                file_id: None,
            },
        }
    }

    /// Creates a file that was uploaded before.
    #[must_use]
    pub fn file_id(id: impl Into<String>) -> Self {
        Self::File { file: FileData { file_id: Some(id.into()), ..FileData::default() } }
    }

    /// Returns the text of a text part.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }

    /// Returns the part's kind on the wire.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Text { .. } => "text",
            Self::ImageUrl { .. } => "image_url",
            Self::InputAudio { .. } => "input_audio",
            Self::File { .. } => "file",
            Self::Refusal { .. } => "refusal",
        }
    }
}

impl From<&str> for OpenaiContentPart {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for OpenaiContentPart {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

/// The place of a picture.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImageUrl {
    /// An `https:` or `data:` URL.
    pub url: String,
    /// The level of detail: `auto`, `low` or `high`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
}

/// A sound.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InputAudio {
    /// Its bytes in Base64.
    pub data: String,
    /// Its format, such as `wav` or `mp3`.
    pub format: String,
}

/// A file, by content or by id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileData {
    /// Its bytes in Base64.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file_data: Option<String>,
    /// The id of an uploaded file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file_id: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub filename: Option<String>,
}
