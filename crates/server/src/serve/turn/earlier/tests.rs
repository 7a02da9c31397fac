//! Many turns that wait, at the start of a server.

use crate::serve::Serve;
use crate::serve::flows::unfinished::{Unfinished, resume_all};
use crate::serve::testing::{WatchedStore, server};
use contexture::store::contexts::{Answer, MessageKey, NewMessage, Operation, Update};
use contexture::store::flows::{Wait, WaitId, WaitKind, WaitState};
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc;

/// Returns a number of turns that only wait, each in a context of its own, as an earlier server left them.
fn waiting(serve: &Serve, turns: std::ops::Range<usize>) -> Unfinished {
    let app = &serve.0;
    let mut journals = HashSet::new();
    for turn in turns {
        let (context, run) = (format!("bob_{turn}"), format!("run_{turn}"));
        let message = json!({
            "messageId": "m", "timestamp": "2026-01-01T09:00:00Z", "type": "USER_INPUT",
            "sender": { "id": "user_1", "type": "USER" }, "content": { "text": "你好" }
        });
        let operations = vec![Operation::AddMessage(NewMessage::new(&message).unwrap())];
        let (message_id, answer) = ("m".to_owned(), Answer::Pending);
        let key = Some(MessageKey { message_id, digest: [1; 32], answer });
        app.store.apply(Update { key, ..Update::new("bob", &context, operations) }).unwrap();
        let (message, call) = ("m".to_owned(), format!("call_{turn}"));
        let wait = Wait {
            id: WaitId { owner: "bob".to_owned(), context, message, call },
            kind: WaitKind::Call,
            run: run.clone(),
            step: String::new(),
            client: "page".to_owned(),
            since_ms: app.now(),
            expires_ms: app.now() + 3_600_000,
            request: "{}".to_owned(),
            answer: None,
            state: WaitState::Open,
            is_parked: true,
            place: 0,
        };
        let (done, receive) = mpsc::channel();
        let opened = Box::new(move |kept: Result<Wait, _>| done.send(kept.map(drop)).unwrap());
        app.calls.journal().open_wait(wait, opened);
        receive.recv().unwrap().unwrap();
        app.calls.journal().park_waits(&run, true);
        journals.insert(run);
    }
    // Writes take effect in their order.
    let (done, receive) = mpsc::channel();
    let ended = Box::new(move |ended| done.send(ended).unwrap());
    app.calls.journal().end_waits("none", ended);
    receive.recv().unwrap().unwrap();
    let mut pending = app.store.pending().unwrap();
    pending.retain(|pending| pending.owner == "bob");
    Unfinished { pending, runs: Some(HashSet::new()), journals }
}

#[tokio::test]
async fn wa_1_start_asks_store_of_contexts_nothing_for_turns_that_only_wait() {
    let folder = tempfile::tempdir().unwrap();
    let mut watched = None;
    let (serve, _) = server(folder.path(), |inner| {
        let store = Arc::new(WatchedStore::busy(inner, 0));
        watched = Some(Arc::clone(&store));
        store
    });
    let (app, watched) = (&serve.0, watched.unwrap());
    let left = waiting(&serve, 0..40);
    assert_eq!((left.pending.len(), left.journals.len()), (40, 40));
    watched.take_asked();
    let rest = resume_all(app, &left).unwrap();
    assert!(rest.is_empty(), "{rest:?}");
    assert_eq!(watched.take_asked(), BTreeMap::new());
    for turn in 0..40 {
        assert!(app.turns.is_parked("bob", &format!("bob_{turn}")), "turn {turn} waits");
    }
    assert_eq!(app.turns.running(), 0, "what waits is not under way");
}
