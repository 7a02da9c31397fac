//! The reranker of knowledge packs.

use contexture_core::ModelUri;
use serde::{Deserialize, Deserializer, de};
use std::fmt;

/// The beginnings of its URI, and of that of a compatible server at the same place.
const SCHEMES: [(&str, &str); 2] =
    [("rerank+https://", "openai+https://"), ("rerank+http://", "openai+http://")];

/// The reranker that orders the sections of packs: `rerank+https://HOST/v1/MODEL` (MA-7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RerankerSetting {
    written: String,
    uri: ModelUri,
}

impl RerankerSetting {
    /// Returns the URI of a compatible server at the same place.
    #[must_use]
    pub const fn uri(&self) -> &ModelUri {
        &self.uri
    }

    fn read(text: &str) -> Option<Self> {
        let (rest, scheme) =
            SCHEMES.iter().find_map(|(own, scheme)| Some((text.strip_prefix(own)?, scheme)))?;
        let uri = format!("{scheme}{rest}").parse().ok()?;
        Some(Self { written: text.to_owned(), uri })
    }
}

/// As it is written.
impl fmt::Display for RerankerSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl<'de> Deserialize<'de> for RerankerSetting {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::read(&text).ok_or_else(|| {
            let form = "expected a server that ranks texts, such as rerank+https://host/v1/model";
            de::Error::custom(format!("{form}, found `{text}`"))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;

    fn read(value: &str) -> Result<Option<(String, String)>, String> {
        let text = format!("[knowledge]\nreranker = \"{value}\"\n");
        let config = Config::parse("contexture.toml", &text).map_err(|error| error.to_string())?;
        let reranker = config.knowledge.reranker;
        Ok(reranker.map(|reranker| (reranker.to_string(), reranker.uri().to_string())))
    }

    #[test]
    fn ma_7_reranker_is_server_with_model() {
        for place in ["https://api.example.com/v1/org/ranker", "http://localhost:8000/v1/m"] {
            let (written, uri) = (format!("rerank+{place}"), format!("openai+{place}"));
            assert_eq!(read(&written), Ok(Some((written.clone(), uri))));
        }
        assert_eq!(Config::default().knowledge.reranker, None);
        for bad in ["openai://m", "rerank+https://", "rerank+ftp://host/v1/m", "https://host/m"] {
            let error = read(bad).unwrap_err();
            assert!(error.contains("such as rerank+https://host/v1/model"), "{bad}: {error}");
        }
    }
}
