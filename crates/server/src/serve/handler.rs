//! Further types of messages, and who answers them (CP-4).
//!
//! Decision: a handler takes a whole message and gives the content of its answer; ids, places,
//! `inReplyTo`, limits, rights and the log are the server's, as for its own types.

use super::app::App;
use super::caller::Caller;
use super::codes;
use super::exchange::Reply;
use crate::fault::Fault;
use contexture::llm::BoxFuture;
use contexture_protocol::extension::{Extension, Extensions};
use contexture_protocol::{Body, ErrorCode, Limits, Message, Refusal};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A message that a [`Handler`] is asked to answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Asked {
    /// Whose contexts its sender reaches.
    pub owner: Arc<str>,
    /// The message, its content checked as the [`Extension`] says.
    pub message: Message,
}

/// Answers messages of a type that the protocol does not know.
pub trait Handler: Send + Sync {
    /// The type: its name, what it is for, its schema and its check.
    fn extension(&self) -> Extension;

    /// Answers a message with any type, one of the handler's own as [`Body::Other`]. A refusal
    /// becomes an ERROR_RESPONSE. A message that comes twice is handed in twice: whatever has to
    /// have effect once is the handler's to see to.
    fn answer(&self, asked: Asked) -> BoxFuture<'static, Result<Body, Refusal>>;
}

/// The handlers of a server.
#[derive(Clone, Default)]
pub(crate) struct Handlers {
    types: Extensions,
    by_name: BTreeMap<String, Arc<dyn Handler>>,
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

    /// The further types, by name.
    pub(crate) fn types(&self) -> impl Iterator<Item = &Extension> {
        self.types.iter()
    }

    /// Checks a message whose type the protocol does not know.
    ///
    /// # Errors
    /// UNKNOWN_TYPE, or what the type's own check finds.
    pub(crate) fn check(&self, message: &Message, limits: &Limits) -> Result<(), Box<Refusal>> {
        self.types.check(message, limits)
    }

    /// The further type of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Extension> {
        self.types.get(name)
    }
}

/// Hands a message of a further type to its handler.
pub(crate) fn run(app: &Arc<App>, caller: &Caller, message: Message, reply: Reply) {
    if let Err(refused) = app.handlers.check(&message, &app.limits) {
        return reply.refuse(*refused);
    }
    let Some(handler) = app.handlers.by_name.get(message.kind()).cloned() else {
        let text = "no handler takes messages of this type";
        return reply.refuse(Refusal::new(ErrorCode::UnknownType, text));
    };
    let context = message.context_id.clone();
    let answer = handler.answer(Asked { owner: Arc::clone(caller.owner()), message });
    let app = Arc::clone(app);
    let handle = app.handle.clone();
    handle.spawn(async move {
        match answer.await {
            Ok(body) => reply.finish(app.maker.message(context.as_deref(), body)),
            Err(refused) => reply.refuse(refused),
        }
    });
}
