//! Answers over a store that is busy.

use crate::serve::flows::resume;
use crate::serve::message::digest;
use crate::serve::testing::{WatchedStore, found, server};
use contexture::store::contexts::{Key, Repeated};
use std::sync::Arc;
use std::time::Duration;

/// It got the answer RATE_LIMITED for good, although its steps were done.
#[tokio::test]
async fn wa_11_answer_of_set_over_busy_store_is_stored_as_it_is_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let busy = |inner| Arc::new(WatchedStore::busy(inner, 3)) as Arc<_>;
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
