//! Handlers of further types of messages (CP-4).
//!
//! Decision: a handler takes a whole message and gives the content of its answer; ids, places,
//! `inReplyTo`, limits, rights and the log are the server's, as for its own types.

use super::codes;
use crate::fault::Fault;
use contexture::llm::BoxFuture;
use contexture_protocol::extension::{Extension, Extensions};
use contexture_protocol::{Body, Limits, Message, Refusal};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A message that a [`Handler`] is asked to answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Asked {
    /// The owner of the contexts of its sender.
    pub owner: Arc<str>,
    /// The message, its content checked as the [`Extension`] defines.
    pub message: Message,
}

/// A handler of messages of a type that the protocol does not know.
pub trait Handler: Send + Sync {
    /// Returns the type: its name, its purpose, its schema and its check.
    fn extension(&self) -> Extension;

    /// Answers a message with any type, one of the handler's own as [`Body::Other`]. A refusal
    /// becomes an ERROR_RESPONSE. A message that comes twice is passed on twice: the handler
    /// ensures that it has effect once where it must.
    fn answer(&self, asked: Asked) -> BoxFuture<'static, Result<Body, Refusal>>;
}

#[derive(Clone, Default)]
pub(crate) struct Handlers {
    pub(crate) types: Extensions,
    pub(crate) by_name: BTreeMap<String, Arc<dyn Handler>>,
}

impl Handlers {
    /// Registers all of them.
    ///
    /// # Errors
    /// A [`Fault`] when a name can't be taken.
    pub(crate) fn open(handlers: Vec<Arc<dyn Handler>>) -> Result<Self, Fault> {
        let mut all = Self::default();
        for handler in handlers {
            let extension = handler.extension();
            let name = extension.name.clone();
            all.types
                .register(extension)
                .map_err(|error| Fault::of(codes::BAD_SETTING, error.to_string()))?;
            all.by_name.insert(name, handler);
        }
        Ok(all)
    }

    /// Checks a message whose type the protocol does not know.
    ///
    /// # Errors
    /// UNKNOWN_TYPE, or the fault that the check of the type finds.
    pub(crate) fn check(&self, message: &Message, limits: &Limits) -> Result<(), Box<Refusal>> {
        self.types.check(message, limits)
    }
}
