//! The contract over both stores, and what one of them or both at once have to do beside it.

use super::*;
use crate::stamp::{FixedStamp, Ids};
use contexture_core::contract::store::contexts::Setup;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ANN: Key<'static> = Key { owner: "ann", context: "ctx_1" };

/// One second per reading, from 2026-08-01.
fn options() -> Options {
    let stamp = FixedStamp::new(1_785_542_400_000_000, 1_000_000);
    Options { ids: Arc::new(Ids::new(Arc::new(stamp))), ..Options::default() }
}

fn written(value: Value) -> Operation {
    Operation::AddMessage(NewMessage::new(&value).unwrap())
}

fn set(path: &str, value: Value) -> Operation {
    Operation::UpdateState { path: path.parse().unwrap(), value }
}

fn update(operations: Vec<Operation>) -> Update {
    Update::new("ann", "ctx_1", operations)
}

fn made(setup: Setup) -> Options {
    let Setup { limits, sealer, sensitive, ids } = setup;
    Options { limits, sealer, sensitive, ids }
}

mod in_memory {
    use super::*;

    contexture_core::contexts_contract!(|setup: Setup| -> Arc<dyn ContextStore> {
        Arc::new(InMemoryContexts::new(made(setup)))
    });
}

mod sqlite {
    use super::*;

    contexture_core::contexts_contract!(sqlite());

    fn sqlite() -> impl Fn(Setup) -> Arc<dyn ContextStore> {
        let (folder, count) = (tempfile::tempdir().unwrap(), AtomicUsize::new(0));
        move |setup| {
            let number = count.fetch_add(1, Ordering::Relaxed);
            let path = folder.path().join(format!("new/{number}/contexts.db"));
            Arc::new(SqliteContexts::open(&path, made(setup)).unwrap())
        }
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::*;
    use crate::contexts::ledger::Ledgers as _;
    use crate::postgres::testing::fresh;

    contexture_core::contexts_contract!([#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]] |setup: Setup| -> Arc<dyn ContextStore> {
        Arc::new(PostgresContexts::open_in(&fresh(), made(setup)).unwrap())
    });

    fn keyed(id: &str, digest: u8, answer: Answer) -> Update {
        let key = MessageKey { message_id: id.to_owned(), digest: [digest; 32], answer };
        let message = written(json!({"messageId": id, "type": "USER_INPUT"}));
        Update { key: Some(key), ..update(vec![message]) }
    }

    fn settles(id: &str, answer: Answer) -> Update {
        let key = KeyName { context_id: Some("ctx_1".to_owned()), message_id: id.to_owned() };
        Update { settles: Some(Settlement { key, answer }), ..update(vec![set("done", json!(id))]) }
    }

    /// Updates that depend on what the ones before them wrote; `None` deletes the context.
    fn dependent() -> Vec<Option<Update>> {
        let ready = || Answer::Ready("{}".to_owned());
        let inside = |id: &str| update(vec![written(json!({"messageId": id}))]);
        vec![
            Some(keyed("m1", 1, Answer::Pending)),
            Some(keyed("m1", 1, Answer::Pending)),
            Some(settles("m1", ready())),
            Some(keyed("m1", 1, Answer::Pending)),
            Some(keyed("m1", 2, Answer::Pending)),
            Some(settles("m0", ready())),
            Some(inside("m2")),
            Some(inside("m2")),
            Some(keyed("m2", 3, ready())),
            Some(keyed("m3", 4, ready())),
            Some(inside("m3")),
            Some(Update { base_version: Some(1), ..settles("m1", Answer::Pending) }),
            None,
            Some(settles("m1", ready())),
            Some(keyed("m1", 1, Answer::Queued)),
            Some(inside("m2")),
            Some(Update { create: false, context_id: Some("ctx_2".to_owned()), ..inside("m4") }),
        ]
    }

    fn told(outcome: Result<Applied, ContextError>) -> String {
        let told = |applied: Applied| {
            format!(
                "{} {:?} {} {:?}",
                applied.version, applied.seqs, applied.created, applied.repeated
            )
        };
        outcome.map_or_else(|error| error.to_string(), told)
    }

    #[test]
    #[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
    fn wa_11_updates_of_one_transaction_see_what_those_before_them_wrote() {
        let alone = InMemoryContexts::new(options());
        let alone = dependent().into_iter().map(|step| match step {
            Some(update) => told(alone.apply(update)),
            None => format!("{:?}", alone.delete(ANN)),
        });
        let alone: Vec<String> = alone.collect();

        let store = PostgresContexts::open_in(&fresh(), options()).unwrap();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        // While the thread that writes reports this one, the others gather.
        let first = Update::new("bob", "ctx_0", vec![set("n", json!(1))]);
        store.submit(first, Box::new(move |_| wait.recv().unwrap_or_default()));
        let (send, together) = std::sync::mpsc::channel();
        for step in dependent() {
            let send = send.clone();
            match step {
                Some(update) => {
                    store.submit(update, Box::new(move |outcome| send.send(told(outcome)).unwrap()))
                }
                None => store.ledgers().write(
                    |ledger| copy::delete(ledger, ANN),
                    move |outcome| send.send(format!("{outcome:?}")).unwrap(),
                ),
            }
        }
        drop((go, send));
        assert_eq!(together.iter().collect::<Vec<_>>(), alone);
    }
}

fn sensitive() -> Sensitive {
    let field = |kind: Option<&str>, path: &str| MessageField {
        kind: kind.map(str::to_owned),
        path: path.parse().unwrap(),
    };
    Sensitive {
        state: ["user.card", "secrets"].map(|path| path.parse().unwrap()).to_vec(),
        messages: vec![field(Some("USER_INPUT"), "content.text"), field(None, "content.token")],
    }
}

fn sealed(key: u8) -> Options {
    let sealer: Arc<dyn Sealer> = Arc::new(AeadSealer::new("k1", &[key; 32]).unwrap());
    Options { sealer: Some(sealer), sensitive: sensitive(), ..options() }
}

fn fill(store: &dyn ContextStore) {
    let key = MessageKey {
        message_id: "m1".to_owned(),
        digest: [1; 32],
        answer: Answer::Ready(r#"{"content":{"token":"geheim-5"}}"#.to_owned()),
    };
    let user = json!({"name": "Ann", "card": {"number": "geheim-1"}});
    let first = update(vec![
        written(json!({"messageId": "m1", "type": "USER_INPUT",
            "content": {"text": "geheim-2", "token": "geheim-3"}})),
        written(json!({"messageId": "m2", "type": "MODEL_RESPONSE", "content": {"text": "offen"}})),
        set("user", user),
        set("secrets.a.b", json!("geheim-4")),
        set("user.card.number", json!("geheim-6")),
        set("user.name", json!("Anna")),
    ]);
    store.apply(Update { key: Some(key), ..first }).unwrap();
}

/// Everything that lies on the disk.
fn bytes(folder: &Path) -> Vec<u8> {
    let files = std::fs::read_dir(folder).unwrap();
    files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    memchr::memmem::find(bytes, text.as_bytes()).is_some()
}

#[test]
fn cp_19_disk_does_not_contain_sensitive_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contexts.db");
    fill(&SqliteContexts::open(&path, sealed(7)).unwrap());
    let bytes = bytes(folder.path());
    assert!(holds(&bytes, "offen") && holds(&bytes, "Anna") && holds(&bytes, "v1.k1."));
    assert!(!holds(&bytes, "geheim"));
}

#[test]
fn cp_19_another_key_or_none_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contexts.db");
    fill(&SqliteContexts::open(&path, sealed(7)).unwrap());
    let other = SqliteContexts::open(&path, sealed(8)).unwrap();
    let error = SealError::Wrong("k1".to_owned());
    let expected = ContextError::Sealed { what: "state", error };
    assert_eq!(other.state(ANN).unwrap_err(), expected);
    let none = SqliteContexts::open(&path, options()).unwrap();
    let expected = ContextError::Sealed { what: "message", error: SealError::NoKey };
    assert_eq!(none.messages(ANN, 0, 10).unwrap_err(), expected);
    assert_eq!(none.head(ANN).unwrap().messages, 2, "what is not sealed is there");
    let lacking = Options { sensitive: sensitive(), ..options() };
    let error = SqliteContexts::open(&path, lacking).unwrap_err();
    assert_eq!(error.code(), "context_sealed");
}

#[test]
fn cp_19_new_key_setup_reads_values_sealed_with_old_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contexts.db");
    fill(&SqliteContexts::open(&path, sealed(7)).unwrap());
    let both = AeadSealer::new("k2", &[9; 32]).unwrap().and_opens("k1", &[7; 32]).unwrap();
    // No longer declared sensitive: what was sealed is opened still.
    let store =
        SqliteContexts::open(&path, Options { sealer: Some(Arc::new(both)), ..options() }).unwrap();
    assert_eq!(store.state(ANN).unwrap().value["secrets"], json!({"a": {"b": "geheim-4"}}));
    store.apply(update(vec![set("user.name", json!("A"))])).unwrap();
    assert_eq!(store.state(ANN).unwrap().value["user"]["card"], json!({"number": "geheim-6"}));
}

fn timed(id: &str, timestamp: &str) -> Operation {
    written(json!({
        "messageId": id, "timestamp": timestamp, "type": "USER_INPUT", "content": {"text": id}
    }))
}

fn remove(path: &str) -> Operation {
    Operation::RemoveState { path: path.parse().unwrap() }
}

fn clear(before: Option<&str>) -> Operation {
    Operation::ClearHistory { before: before.map(str::to_owned) }
}

/// One of a few operations on a few places.
fn operation() -> impl Strategy<Value = Operation> {
    let path = prop::sample::select(vec!["a", "a.b", "a.c", "l", "l.0", "l.1", "n"]);
    let value = prop::sample::select(vec![json!(1), json!({}), json!([1, 2]), json!({"b": 1})]);
    let time = prop::sample::select(vec!["2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z", "?"]);
    prop_oneof![
        (time, any::<u32>()).prop_map(|(time, id)| timed(&format!("m{id}"), time)),
        (path.clone(), value).prop_map(|(path, value)| set(path, value)),
        path.clone().prop_map(remove),
        path.prop_map(|name| {
            let patch = json!({ (name): 1, "l": null }).as_object().unwrap().clone();
            Operation::UpdateMetadata { patch }
        }),
        prop::option::of(Just("2025-01-02T00:00:00Z")).prop_map(clear),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Both stores do the same, and whoever follows the log has the state and the messages.
    #[test]
    fn cp_11_stores_agree_and_followers_converge(
        updates in prop::collection::vec(
            (prop::collection::vec(operation(), 1..4), prop::option::of(0_u64..12)), 1..12
        ),
        compacted in prop::option::of(0_u64..12),
    ) {
        let volatile = InMemoryContexts::new(options());
        let folder = tempfile::tempdir().unwrap();
        let sqlite = SqliteContexts::open(&folder.path().join("c.db"), options()).unwrap();
        let mut followed = json!({});
        let mut outcomes = Vec::new();
        for (operations, base) in updates {
            let update = Update { base_version: base, ..update(operations) };
            let (one, two) = (volatile.apply(update.clone()), sqlite.apply(update));
            prop_assert_eq!(&one, &two);
            for change in one.iter().flat_map(|applied| &applied.changes) {
                match &change.what {
                    What::UpdateState { path, value } => {
                        let path: contexture_protocol::StatePath = path.parse().unwrap();
                        path.set(&mut followed, value.clone()).unwrap();
                    }
                    What::RemoveState { path } => {
                        let path: contexture_protocol::StatePath = path.parse().unwrap();
                        path.remove(&mut followed).unwrap();
                    }
                    _ => {}
                }
            }
            outcomes.push(one);
        }
        if let Some(through) = compacted {
            prop_assert_eq!(volatile.compact(ANN, through), sqlite.compact(ANN, through));
        }
        prop_assert_eq!(volatile.get(ANN), sqlite.get(ANN));
        prop_assert_eq!(volatile.head(ANN), sqlite.head(ANN));
        for (since, limit) in [(0, 1), (0, 3), (1, 2), (4, 100), (20, 1)] {
            prop_assert_eq!(
                volatile.changes(ANN, since, limit), sqlite.changes(ANN, since, limit)
            );
            prop_assert_eq!(
                volatile.messages(ANN, since, limit), sqlite.messages(ANN, since, limit)
            );
        }
        prop_assert_eq!(volatile.last(ANN, 2), sqlite.last(ANN, 2));
        if let Ok(state) = sqlite.state(ANN) {
            prop_assert_eq!(state.value, followed);
            prop_assert_eq!(volatile.head(ANN).unwrap().messages,
                sqlite.messages(ANN, 0, 1000).unwrap().messages.len() as u64);
        }
    }
}
