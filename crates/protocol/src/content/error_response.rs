//! ERROR_RESPONSE (CP-17).

use crate::ErrorCode;
use crate::node::Node;
use crate::read::{Read, wrong};
use crate::record::{one_of, record, words};
use crate::report::{Place, Report};
use crate::time::Timestamp;
use serde_json::Value;
use std::borrow::Cow;

record! {
    /// The error of a message (7.2).
    #[derive(Default)]
    pub struct ErrorResponse {
        /// The error code: one of the protocol's, or one of a peer with a later version.
        required error_code: String = "errorCode",
        /// The error in words.
        required message: String = "message",
        /// Further details.
        optional details: Option<ErrorDetails> = "details",
        /// The side at fault.
        optional source: Option<ErrorSource> = "source",
        /// True if the same request may succeed later.
        optional recoverable: Option<bool> = "recoverable",
        /// The suggested action.
        optional suggested_action: Option<String> = "suggestedAction",
    }
}

impl ErrorResponse {
    /// Returns the code, if it is one of the protocol's.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        ErrorCode::parse(&self.error_code)
    }
}

record! {
    /// Details of an error.
    #[derive(Default)]
    pub struct ErrorDetails {
        /// The messageId of the refused message, or an id from the server if it could not be read.
        optional request_id: Option<String> = "requestId",
        /// The time.
        optional timestamp: Option<String> = "timestamp",
        /// The id for searching the logs.
        optional trace_id: Option<String> = "traceId",
        /// The policies that were breached (CP-19).
        optional violated_policies: Option<Vec<String>> = "violatedPolicies",
        /// Each fault of the message (CP-3): `[{"pointer", "expected", "found"}]`.
        any violations: Option<Value> = "violations",
        /// The place in the program, in debug mode only.
        optional stack_trace: Option<String> = "stackTrace",
    }
}

impl ErrorDetails {
    /// Returns the time as a moment.
    #[must_use]
    pub fn moment(&self) -> Option<Timestamp> {
        self.timestamp.as_ref()?.parse().ok()
    }
}

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

impl serde::Serialize for ErrorSource {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.as_str())
    }
}

impl<'de> serde::Deserialize<'de> for ErrorSource {
    fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        crate::record::deserialize(input)
    }
}

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

impl crate::reference::Shape for ErrorSource {
    fn shape() -> String {
        let words: Vec<String> = Self::words().iter().map(|word| format!("`{word}`")).collect();
        words.join(", ")
    }
}
