//! Sensitive parts are sealed where they are kept (CP-19).

use super::super::{AeadSealer, MessageField, SealError, Sealer, Sensitive};
use super::*;
use std::path::Path;

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
fn cp_19_what_is_sealed_reads_back_open() {
    each(
        || sealed(7),
        |twin| {
            fill(&*twin.store);
            assert_eq!(
                twin.state(),
                json!({"user": {"name": "Anna", "card": {"number": "geheim-6"}},
                "secrets": {"a": {"b": "geheim-4"}}})
            );
            let page = twin.store.messages(ANN, 0, 10).unwrap();
            let content = &page.messages[0].to_value("ctx_1")["content"];
            assert_eq!(*content, json!({"text": "geheim-2", "token": "geheim-3"}));
            let log = twin.log(0);
            assert_eq!(log[2]["value"], json!({"name": "Ann", "card": {"number": "geheim-1"}}));
            assert_eq!(log[3]["value"], "geheim-4");
            let key = KeyName { context_id: Some("ctx_1".to_owned()), message_id: "m1".to_owned() };
            let known = twin.store.repeated("ann", &key, &[1; 32]).unwrap();
            let answer = r#"{"content":{"token":"geheim-5"}}"#.to_owned();
            assert_eq!(known, Some(Repeated::Done(answer)));
            let fork = twin.store.fork(ANN, Fork::default()).unwrap();
            let fork = Key { owner: "ann", context: &fork.context_id };
            assert_eq!(twin.store.state(fork).unwrap().value, twin.state());
            assert_eq!(twin.store.last(fork, 2).unwrap()[0].text, page.messages[0].text);
        },
    );
}

#[test]
fn cp_19_nothing_sensitive_lies_on_the_disk() {
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
fn cp_19_a_new_key_reads_what_an_old_one_sealed() {
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

#[test]
fn cp_19_what_only_looks_sealed_is_kept_as_it_is() {
    each(
        || sealed(7),
        |twin| {
            twin.do_it(vec![
                set("other", json!("v1.k1.AAAA")),
                set("secrets", json!("v1.k1.AAAA")),
            ]);
            assert_eq!(twin.state(), json!({"other": "v1.k1.AAAA", "secrets": "v1.k1.AAAA"}));
        },
    );
}
