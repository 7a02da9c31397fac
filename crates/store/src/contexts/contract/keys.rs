//! Every message has effect once (CP-7).

use super::*;

fn keyed(message_id: &str, digest: u8, answer: Answer) -> Update {
    let key = MessageKey { message_id: message_id.to_owned(), digest: [digest; 32], answer };
    Update { key: Some(key), ..update(vec![message(message_id)]) }
}

fn name(message_id: &str) -> KeyName {
    KeyName { context_id: Some("ctx_1".to_owned()), message_id: message_id.to_owned() }
}

fn ack() -> Answer {
    Answer::Made(Arc::new(|applied| json!({"version": applied.version}).to_string()))
}

#[test]
fn cp_7_the_same_message_gets_its_answer_and_does_nothing() {
    each(options, |twin| {
        let first = twin.store.apply(keyed("m1", 1, ack())).unwrap();
        assert_eq!((first.version, &first.repeated), (1, &None));
        twin.do_it(vec![message("other")]);
        let again = twin.store.apply(keyed("m1", 1, ack())).unwrap();
        assert_eq!(again.repeated, Some(Repeated::Done(r#"{"version":1}"#.to_owned())));
        assert_eq!((again.version, again.context_id.as_str()), (2, "ctx_1"));
        assert_eq!(twin.ids(), ["m1", "other"]);
        let known = twin.store.repeated("ann", &name("m1"), &[1; 32]).unwrap();
        assert_eq!(known, again.repeated);
        assert_eq!(twin.store.repeated("ann", &name("m2"), &[1; 32]).unwrap(), None);
        assert_eq!(twin.store.repeated("bob", &name("m1"), &[1; 32]).unwrap(), None);
    });
}

#[test]
fn cp_7_the_same_id_with_another_content_is_refused() {
    each(options, |twin| {
        twin.store.apply(keyed("m1", 1, ack())).unwrap();
        let error = twin.refused(keyed("m1", 2, ack()));
        assert_eq!(error, ContextError::MessageIdConflict("m1".to_owned()));
        let asked = twin.store.repeated("ann", &name("m1"), &[2; 32]).unwrap_err();
        assert_eq!(asked, error);
        let elsewhere = Update { context_id: Some("ctx_2".to_owned()), ..keyed("m1", 2, ack()) };
        assert!(twin.store.apply(elsewhere).unwrap().created, "a key is of its context");
        assert_eq!(twin.ids(), ["m1"]);
    });
}

#[test]
fn cp_7_a_pending_message_gets_its_answer_later() {
    each(options, |twin| {
        twin.store.apply(keyed("m1", 1, Answer::Pending)).unwrap();
        twin.store.apply(keyed("m2", 1, Answer::Pending)).unwrap();
        let again = twin.store.apply(keyed("m1", 1, Answer::Pending)).unwrap();
        assert_eq!(again.repeated, Some(Repeated::Pending));
        let pending = twin.store.pending().unwrap();
        let told: Vec<(&str, &str, Option<&str>)> = pending
            .iter()
            .map(|key| (&*key.owner, &*key.key.message_id, key.context_id.as_deref()))
            .collect();
        assert_eq!(told, [("ann", "m1", Some("ctx_1")), ("ann", "m2", Some("ctx_1"))]);

        let settles =
            Some(Settlement { key: name("m1"), answer: Answer::Ready("\"done\"".to_owned()) });
        let end = Update { settles, ..update(vec![message("r1")]) };
        assert_eq!(twin.store.apply(end).unwrap().version, 3);
        twin.store.answer("ann", name("m2"), "\"late\"".to_owned()).unwrap();
        twin.store.answer("ann", name("m2"), "\"later\"".to_owned()).unwrap();
        assert!(twin.store.pending().unwrap().is_empty());
        for (id, answer) in [("m1", "\"done\""), ("m2", "\"late\"")] {
            let known = twin.store.repeated("ann", &name(id), &[1; 32]).unwrap();
            assert_eq!(known, Some(Repeated::Done(answer.to_owned())), "{}", twin.name);
        }
        assert_eq!(twin.store.head(ANN).unwrap().version, 3, "an answer is no update");
    });
}

#[test]
fn cp_7_an_answer_belongs_to_a_message_that_was_there() {
    each(options, |twin| {
        let error = twin.store.answer("ann", name("m1"), "1".to_owned()).unwrap_err();
        assert_eq!(error, ContextError::KeyNotFound("m1".to_owned()));
        let settles = Some(Settlement { key: name("m1"), answer: Answer::Ready("1".to_owned()) });
        let end = Update { settles, ..update(vec![message("r1")]) };
        assert_eq!(twin.refused(end), error);
        assert!(twin.store.head(ANN).is_err());
    });
}

#[test]
fn cp_7_a_message_without_a_context_makes_one_once() {
    each(options, |twin| {
        let update = Update { context_id: None, ..keyed("m1", 1, Answer::Pending) };
        let made = twin.store.apply(update.clone()).unwrap();
        let again = twin.store.apply(update).unwrap();
        assert_eq!(again.context_id, made.context_id);
        assert_eq!(again.repeated, Some(Repeated::Pending));
        let key = KeyName { context_id: None, message_id: "m1".to_owned() };
        let pending = twin.store.pending().unwrap();
        assert_eq!((&pending[0].key, &pending[0].context_id), (&key, &Some(made.context_id)));
        twin.store.answer("ann", key, "1".to_owned()).unwrap();
        assert!(twin.store.pending().unwrap().is_empty());
    });
}

#[test]
fn cp_7_a_key_alone_makes_no_context() {
    each(options, |twin| {
        let alone = Update { operations: Vec::new(), ..keyed("m1", 1, ack()) };
        let applied = twin.store.apply(alone.clone()).unwrap();
        assert_eq!((applied.version, applied.created), (0, false));
        assert!(twin.store.head(ANN).is_err());
        let again = twin.store.apply(alone).unwrap();
        assert_eq!(again.repeated, Some(Repeated::Done(r#"{"version":0}"#.to_owned())));
    });
}

#[test]
fn cp_7_a_refused_message_leaves_no_key() {
    each(options, |twin| {
        twin.do_it(vec![set("t", json!("text"))]);
        let mut bad = keyed("m1", 1, ack());
        bad.operations.push(set("t.deep", json!(1)));
        twin.refused(bad);
        assert_eq!(twin.store.repeated("ann", &name("m1"), &[1; 32]).unwrap(), None);
        assert_eq!(twin.store.apply(keyed("m1", 2, ack())).unwrap().version, 2);
    });
}

#[test]
fn cp_7_a_message_does_not_bring_a_deleted_context_back() {
    each(options, |twin| {
        twin.store.apply(keyed("m1", 1, ack())).unwrap();
        twin.store.apply(keyed("m2", 1, Answer::Pending)).unwrap();
        twin.store.delete(ANN).unwrap();
        let missing = ContextError::NotFound("ctx_1".to_owned());
        assert_eq!(twin.refused(keyed("m1", 1, ack())), missing);
        assert_eq!(twin.store.repeated("ann", &name("m2"), &[1; 32]).unwrap_err(), missing);
        assert_eq!(twin.refused(keyed("m1", 2, ack())).code(), "message_id_conflict");
        assert!(twin.store.pending().unwrap().is_empty());
        twin.store.answer("ann", name("m2"), "1".to_owned()).unwrap();
        assert_eq!(twin.store.repeated("ann", &name("m2"), &[1; 32]).unwrap_err(), missing);
        let new = twin.store.apply(keyed("m3", 1, ack())).unwrap();
        assert_eq!((new.version, new.created), (1, true));
    });
}

#[test]
fn cp_7_many_threads_with_one_message_have_one_effect() {
    each(options, |twin| {
        let fresh = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let many = (0..20).map(|n| keyed(&format!("m{n}"), 1, ack()));
                        let applied = many.map(|update| twin.store.apply(update).unwrap());
                        applied.filter(|applied| applied.repeated.is_none()).count()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
        });
        assert_eq!(fresh, 20);
        assert_eq!(twin.store.head(ANN).unwrap().version, 20);
    });
}
