//! Message types beyond the protocol (CP-4).

use crate::body::Body;
use crate::body::KINDS;
use crate::error::ErrorCode;
use crate::limits::Limits;
use crate::message::Message;
use crate::refusal::Refusal;
use crate::report::Violation;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A check of the content of such a message. Pointers start at the content.
pub type Check = Arc<dyn Fn(&Value) -> Vec<Violation> + Send + Sync>;

/// An additional message type.
#[derive(Clone)]
pub struct Extension {
    /// The name in `type`: upper-case letters, digits and `_`.
    pub name: String,
    /// The purpose of the message.
    pub meaning: String,
    /// The JSON Schema of the content.
    pub schema: Value,
    /// The check of the content.
    pub check: Check,
}

/// The registered additional types.
///
/// ```
/// use contexture_protocol::extension::{Extension, Extensions};
/// let mut known = Extensions::default();
/// known.register(Extension {
///     name: "VOTE".to_owned(),
///     meaning: "A vote.".to_owned(),
///     schema: serde_json::json!({"type": "object"}),
///     check: std::sync::Arc::new(|_| Vec::new()),
/// })?;
/// assert!(known.get("VOTE").is_some());
/// # Ok::<_, contexture_protocol::extension::BadExtension>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Extensions {
    types: BTreeMap<String, Extension>,
}

/// The reason why a type cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadExtension {
    /// The name contains other characters.
    #[error("the type \"{0}\" is not written in upper-case letters, digits and _, a letter first")]
    Name(String),
    /// The type already exists.
    #[error("the type {0} already exists")]
    Taken(String),
}

impl Extensions {
    /// Registers an additional type.
    ///
    /// # Errors
    /// [`BadExtension`].
    pub fn register(&mut self, extension: Extension) -> Result<(), BadExtension> {
        let name = extension.name.clone();
        let is_word = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        let starts = name.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase());
        if !starts || !name.bytes().all(is_word) {
            return Err(BadExtension::Name(name));
        }
        let is_taken = KINDS.iter().any(|kind| kind.name == name);
        if is_taken || self.types.contains_key(&name) {
            return Err(BadExtension::Taken(name));
        }
        self.types.insert(name, extension);
        Ok(())
    }

    /// Returns an additional type by name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Extension> {
        self.types.get(name)
    }

    /// Returns all additional types, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Extension> {
        self.types.values()
    }

    /// Checks a message of an additional type; the others were checked when they were read.
    ///
    /// # Errors
    /// `UNKNOWN_TYPE`, or `VALIDATION_FAILED` with the faults of the type's own check.
    pub fn check(&self, message: &Message, limits: &Limits) -> Result<(), Box<Refusal>> {
        let Body::Other { kind, content } = &message.body else { return Ok(()) };
        let Some(extension) = self.types.get(kind) else {
            let kind = crate::report::quoted(kind);
            let text = format!("no handler takes messages of the type {kind}");
            return Err(Refusal::new(ErrorCode::UnknownType, text).about(message).into());
        };
        let mut report = crate::report::Report::new(limits);
        let top = crate::report::Place::TOP;
        report.take(&top.key("content"), (extension.check)(content));
        match report.faults.refusal() {
            None => Ok(()),
            Some(refusal) => Err(refusal.about(message).into()),
        }
    }
}

impl fmt::Debug for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extension").field("name", &self.name).finish_non_exhaustive()
    }
}
