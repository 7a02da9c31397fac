//! Answers over a store that is busy.

use crate::serve::flows::resume;
use crate::serve::message::digest;
use crate::serve::testing::{found, server};
use contexture::store::contexts::{
    Applied, Changes, ContextError, ContextStore, Done, Fork, Head, Heads, Import, Key, KeyName,
    Page, PendingKey, Repeated, State, Update,
};
use serde_json::Value;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A store that is busy when the first answers are to be stored.
struct Busy {
    inner: Arc<dyn ContextStore>,
    refusals: AtomicUsize,
}

macro_rules! passed_on {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {
        $(fn $name(&self, $($argument: $kind),*) -> Result<$result, ContextError> {
            self.inner.$name($($argument),*)
        })*
    };
}

impl ContextStore for Busy {
    fn submit(&self, update: Update, done: Done) {
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

    fn apply(&self, update: Update) -> Result<Applied, ContextError> {
        self.inner.apply(update)
    }
}

/// It got the answer RATE_LIMITED for good, although its steps were done.
#[tokio::test]
async fn wa_11_answer_of_set_over_busy_store_is_stored_as_it_is_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let busy = |inner| Arc::new(Busy { inner, refusals: AtomicUsize::new(3) }) as Arc<_>;
    let (serve, message) = server(folder.path(), busy);
    let app = &serve.0;
    resume::resume(app, found(&message)).unwrap();
    let name = found(&message).answers;
    let state = || app.store.repeated("ann", &name, &digest(&message)).unwrap();
    for _ in 0..400 {
        if state() != Some(Repeated::Pending) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let is_done = matches!(state(), Some(Repeated::Done(answer)) if answer.contains("COMPLETED"));
    assert!(is_done, "{:?}", state());
    let key = Key { owner: "ann", context: "ctx_1" };
    assert_eq!(app.store.messages(key, 0, 10).unwrap().messages.len(), 2, "one answer");
}
