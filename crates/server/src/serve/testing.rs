//! A server for tests of its parts, with a set that a server left which is gone.

use super::flows::resume::Found;
use super::message::digest;
use super::{Serve, Settings};
use contexture::store::contexts::{
    Answer, ContextStore, InMemoryContexts, KeyName, MessageKey, NewMessage, Operation, Options,
    Update,
};
use contexture::{Environment, Project};
use contexture_protocol::{Limits, Message};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Starts a server in a folder, with the message of a set that has no answer yet; `kept` makes the store
/// that it has of one in memory.
pub(super) fn server(
    folder: &Path,
    kept: impl FnOnce(Arc<dyn ContextStore>) -> Arc<dyn ContextStore>,
) -> (Serve, Message) {
    std::fs::write(folder.join("app.as"), "main func(text string) { text }").unwrap();
    let mut project = Project::open(folder, Environment::of([("HOME", "/none")])).unwrap();
    project.stores.contexts = Some(kept(Arc::new(InMemoryContexts::new(Options::default()))));
    let serve = Serve::open(Settings::new(project, vec![folder.join("app.as")])).unwrap();
    let set = json!({
        "messageId": "s1", "timestamp": "2026-01-01T09:00:00Z", "type": "INSTRUCTION",
        "contextId": "ctx_1", "sender": { "id": "user_1", "type": "USER" },
        "content": { "instructions": [
            { "instructionId": "a", "action": "echo", "parameters": { "text": "你好" } }
        ] }
    });
    let message = Message::parse(set.to_string().as_bytes(), &Limits::WIRE).unwrap();
    let operations = vec![Operation::AddMessage(NewMessage::new(&set).unwrap())];
    let (message_id, answer) = ("s1".to_owned(), Answer::Pending);
    let key = Some(MessageKey { message_id, digest: digest(&message), answer });
    serve.0.store.apply(Update { key, ..Update::new("ann", "ctx_1", operations) }).unwrap();
    (serve, message)
}

/// Returns the set of a message, of which no run is known.
pub(super) fn found(message: &Message) -> Found {
    let (context_id, message_id) = (message.context_id.clone(), message.message_id.clone());
    let answers = KeyName { context_id, message_id };
    Found { owner: "ann".to_owned(), answers, message: message.clone(), run: None, ack: None }
}
