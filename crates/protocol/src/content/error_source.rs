//! The side at fault (CP-17).

use crate::node::Node;
use crate::read::{Read, wrong};
use crate::record::{one_of, text, words};
use crate::report::{Place, Report};
use std::borrow::Cow;

words! {
    /// The side at fault.
    pub enum SourceKind {
        /// In the client.
        Client = "CLIENT",
        /// In the server.
        Server = "SERVER",
        /// In a tool.
        Tool = "TOOL",
        /// In the underlying system.
        System = "SYSTEM",
    }
}

/// The side at fault, in the original word: the Chinese words 客户端, 服务端, 工具 and 系统 are read and kept
/// (CP-17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorSource {
    /// Its meaning.
    pub kind: SourceKind,
    is_chinese: bool,
}

/// The Chinese words, in the order of [`SourceKind::ALL`].
const CHINESE: [&str; 4] = ["客户端", "服务端", "工具", "系统"];

impl ErrorSource {
    /// Returns the word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        let chinese = SourceKind::ALL.iter().zip(CHINESE).find(|(kind, _)| **kind == self.kind);
        match chinese {
            Some((_, word)) if self.is_chinese => word,
            _ => self.kind.as_str(),
        }
    }

    /// Parses a word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if let Some(kind) = SourceKind::parse(word) {
            return Some(kind.into());
        }
        let (kind, _) = SourceKind::ALL.iter().zip(CHINESE).find(|(_, known)| *known == word)?;
        Some(Self { kind: *kind, is_chinese: true })
    }

    fn words() -> Vec<&'static str> {
        SourceKind::ALL.iter().map(|kind| kind.as_str()).chain(CHINESE).collect()
    }
}

impl From<SourceKind> for ErrorSource {
    fn from(kind: SourceKind) -> Self {
        Self { kind, is_chinese: false }
    }
}

impl Read for ErrorSource {
    fn expected() -> Cow<'static, str> {
        one_of(&Self::words()).into()
    }

    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
        let source = value.as_str().and_then(Self::parse);
        source.or_else(|| wrong(&value, at, report))
    }
}

text!(ErrorSource);

impl schemars::JsonSchema for ErrorSource {
    fn schema_name() -> Cow<'static, str> {
        "ErrorSource".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Where a fault lies.",
            "type": "string",
            "enum": Self::words(),
        })
    }
}

impl crate::shape::Shape for ErrorSource {
    fn shape() -> String {
        let words: Vec<String> = Self::words().iter().map(|word| format!("`{word}`")).collect();
        words.join(", ")
    }
}
