//! Sensitive parts are sealed where they are kept (CP-19).

use super::*;
use crate::store::contexts::{MessageField, SealError};

/// A seal that no one must use: every byte is changed by the same key.
struct PlainSealer(u8);

impl Sealer for PlainSealer {
    fn seal(&self, place: &str, plain: &[u8]) -> Result<String, SealError> {
        let bytes = place.bytes().chain([0]).chain(plain.iter().copied());
        Ok(bytes.map(|byte| format!("{:02x}", byte ^ self.0)).collect())
    }

    fn open(&self, place: &str, sealed: &str) -> Result<Vec<u8>, SealError> {
        let byte = |at: usize| u8::from_str_radix(sealed.get(at..at + 2)?, 16).ok();
        let bytes = (0..sealed.len() / 2).map(|at| byte(2 * at).map(|byte| byte ^ self.0));
        let bytes: Vec<u8> = bytes.collect::<Option<_>>().ok_or(SealError::Format)?;
        let plain = bytes.strip_prefix(place.as_bytes()).and_then(|rest| rest.strip_prefix(&[0]));
        plain.map(<[u8]>::to_vec).ok_or_else(|| SealError::Wrong("plain".to_owned()))
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

pub(super) fn sealed(key: u8) -> Setup {
    let sealer: Arc<dyn Sealer> = Arc::new(PlainSealer(key));
    Setup { sealer: Some(sealer), sensitive: sensitive(), ..options() }
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

pub fn cp_19_what_is_sealed_reads_back_open(make: &Make<'_>) {
    each(
        make,
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

pub fn cp_19_what_only_looks_sealed_is_kept_as_it_is(make: &Make<'_>) {
    each(
        make,
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
