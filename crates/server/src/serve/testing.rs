//! A server for tests of its parts, with a set that a server left which is gone, and a store that counts
//! what it is asked.

use super::flows::resume::Found;
use super::message::digest;
use super::{Serve, Settings};
use contexture::store::contexts::{
    Answer, Applied, Changes, ContextError, ContextStore, Done, Fork, Head, Heads, Import,
    InMemoryContexts, Key, KeyName, MessageKey, NewMessage, Operation, Options, Page, PendingKey,
    Repeated, State, Update,
};
use contexture::{Environment, Project};
use contexture_protocol::{Limits, Message};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// A store that counts what it is asked by name, and is busy when the first answers are to be stored.
pub(super) struct WatchedStore {
    inner: Arc<dyn ContextStore>,
    refusals: AtomicUsize,
    asked: Mutex<BTreeMap<&'static str, usize>>,
}

impl WatchedStore {
    /// Watches a store that is busy for a number of answers.
    pub(super) fn busy(inner: Arc<dyn ContextStore>, answers: usize) -> Self {
        Self { inner, refusals: AtomicUsize::new(answers), asked: Mutex::default() }
    }

    /// Returns how often it was asked each question since the last call.
    pub(super) fn take_asked(&self) -> BTreeMap<&'static str, usize> {
        std::mem::take(&mut *self.asked.lock())
    }

    fn count(&self, question: &'static str) {
        *self.asked.lock().entry(question).or_default() += 1;
    }
}

macro_rules! passed_on {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {
        $(fn $name(&self, $($argument: $kind),*) -> Result<$result, ContextError> {
            self.count(stringify!($name));
            self.inner.$name($($argument),*)
        })*
    };
}

impl ContextStore for WatchedStore {
    fn submit(&self, update: Update, done: Done) {
        self.count("submit");
        let fewer = |left: usize| left.checked_sub(1);
        let is_answer = update.settles.is_some();
        if is_answer
            && self.refusals.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer).is_ok()
        {
            return done(Err(ContextError::Busy("the store".to_owned())));
        }
        self.inner.submit(update, done);
    }

    passed_on! {
        apply(update: Update) -> Applied;
        repeated(owner: &str, key: &KeyName, digest: &[u8; 32]) -> Option<Repeated>;
        pending() -> Vec<PendingKey>;
        head(key: Key<'_>) -> Head;
        list(owner: &str, after: Option<&str>, limit: usize) -> Heads;
        search(owner: &str, text: &str, after: Option<&str>, limit: usize) -> Heads;
        holders(context: &str) -> Vec<String>;
        owners() -> Vec<String>;
        state(key: Key<'_>) -> State;
        messages(key: Key<'_>, after: u64, limit: usize) -> Page;
        before(key: Key<'_>, before: u64, limit: usize) -> Page;
        changes(key: Key<'_>, since: u64, limit: usize) -> Changes;
        get(key: Key<'_>) -> Value;
        delete(key: Key<'_>) -> ();
        fork(key: Key<'_>, fork: Fork) -> Head;
        export(key: Key<'_>, out: &mut dyn Write) -> u64;
        import(owner: &str, lines: &mut dyn BufRead, import: Import) -> Head;
        compact(key: Key<'_>, through: u64) -> Head;
        check_seals() -> ();
        check() -> ();
    }
}
