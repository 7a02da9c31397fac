//! Memory URIs as a program imports them.

use super::MemoryError;

/// The memory that a URI names; the path is as written and not yet confined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryUri {
    /// `file://path.jsonl`
    Jsonl {
        /// The file.
        path: String,
    },
    /// `sqlite://path#namespace`
    Sqlite {
        /// The file.
        path: String,
        /// The part of the file that this memory is; `default` when none is named.
        namespace: String,
    },
}

/// The longest namespace, in bytes.
const NAMESPACE_BYTES: usize = 200;

impl MemoryUri {
    /// Reads a memory URI.
    ///
    /// # Errors
    /// [`MemoryError::Uri`].
    pub fn parse(uri: &str) -> Result<Self, MemoryError> {
        let bad = |reason| Err(MemoryError::Uri { uri: uri.chars().take(200).collect(), reason });
        if let Some(path) = uri.strip_prefix("file://") {
            let named = path.rsplit_once('.').is_some_and(|(stem, extension)| {
                !stem.is_empty() && extension.eq_ignore_ascii_case("jsonl")
            });
            return if named {
                Ok(Self::Jsonl { path: path.to_owned() })
            } else {
                bad("the file of a `file://` memory ends with .jsonl")
            };
        }
        let Some(rest) = uri.strip_prefix("sqlite://") else {
            return bad("it begins with neither `file://` nor `sqlite://`");
        };
        let (path, namespace) = rest.split_once('#').unwrap_or((rest, "default"));
        if path.is_empty() {
            return bad("it names no file");
        }
        if namespace.is_empty() || namespace.len() > NAMESPACE_BYTES {
            return bad("the name after `#` is empty or longer than 200 bytes");
        }
        Ok(Self::Sqlite { path: path.to_owned(), namespace: namespace.to_owned() })
    }

    /// Returns the file, as written.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Jsonl { path } | Self::Sqlite { path, .. } => path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_26_uris_name_memories() {
        let jsonl = MemoryUri::parse("file://./data/lessons.jsonl").unwrap();
        assert_eq!(jsonl, MemoryUri::Jsonl { path: "./data/lessons.jsonl".to_owned() });
        let sqlite = MemoryUri::parse("sqlite://.contexture/m.db#团队 a").unwrap();
        let namespace = "团队 a".to_owned();
        assert_eq!(sqlite, MemoryUri::Sqlite { path: ".contexture/m.db".to_owned(), namespace });
        assert_eq!(MemoryUri::parse("sqlite://m.db").unwrap().path(), "m.db");
    }

    #[test]
    fn as_26_other_uris_are_errors() {
        for uri in [
            "",
            "file://",
            "file://.jsonl",
            "file://a.json",
            "sqlite://",
            "sqlite://#a",
            "sqlite://a#",
            "redis://x",
        ] {
            let error = MemoryUri::parse(uri).unwrap_err();
            assert_eq!(error.code(), "memory_uri", "{uri}");
        }
    }
}
