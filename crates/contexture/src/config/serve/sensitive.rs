//! `[serve.sensitive]`: what is encrypted where it is kept, and masked where it is written (CP-19).

use contexture_protocol::StatePath;
use serde::{Deserialize, Deserializer, de};
use std::path::PathBuf;

/// The fields that are declared sensitive, and the place of the key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SensitiveFields {
    /// Paths of the state of contexts, such as `userPreferences.email`.
    #[serde(deserialize_with = "paths")]
    pub state: Vec<StatePath>,
    /// Fields of messages, such as `content.text` or, of one type alone, `USER_INPUT:content.text`.
    pub messages: Vec<SensitiveField>,
    /// The variable of the environment that holds the key: 32 bytes in hexadecimal or base64. Keys
    /// that were used before may follow, with commas between; they open what they sealed.
    pub key_env: Option<String>,
    /// The file that holds the key, relative to the project; instead of `key_env`.
    pub key_file: Option<PathBuf>,
}

impl SensitiveFields {
    /// Reports whether nothing is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.state.is_empty() && self.messages.is_empty()
    }
}

/// A field of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensitiveField {
    /// The type of message; all when absent.
    pub kind: Option<String>,
    /// The place in the message.
    pub path: StatePath,
}

fn paths<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<StatePath>, D::Error> {
    let texts = Vec::<String>::deserialize(value)?;
    texts.iter().map(|text| path(text)).collect()
}

fn path<E: de::Error>(text: &str) -> Result<StatePath, E> {
    text.parse().map_err(|error| E::custom(format!("`{text}` is not a path: {error}")))
}

impl<'de> Deserialize<'de> for SensitiveField {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let text = String::deserialize(value)?;
        let (kind, place) = match text.split_once(':') {
            Some((kind, place)) => (Some(kind.to_owned()), place),
            None => (None, text.as_str()),
        };
        let path: StatePath = path(place)?;
        let begins = |name: &str| path.segments().first().is_some_and(|first| first.name == name);
        if begins("content") || begins("metadata") {
            Ok(Self { kind, path })
        } else {
            let text = format!(
                "`{text}` is not a field of a message: expected a path that begins with `content` or \
                 `metadata`, such as `content.text` or `USER_INPUT:content.text`"
            );
            Err(de::Error::custom(text))
        }
    }
}
