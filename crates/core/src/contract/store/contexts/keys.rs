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

pub fn cp_7_repeated_message_gets_same_answer_and_changes_nothing(make: &Make<'_>) {
    each(make, options, |twin| {
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

pub fn cp_7_the_same_id_with_another_content_is_refused(make: &Make<'_>) {
    each(make, options, |twin| {
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

pub fn cp_7_pending_message_gets_answer_later(make: &Make<'_>) {
    each(make, options, |twin| {
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
            assert_eq!(known, Some(Repeated::Done(answer.to_owned())));
        }
        assert_eq!(twin.store.head(ANN).unwrap().version, 3, "an answer is no update");
    });
}

pub fn wa_1_pending_message_has_incarnation_of_its_context(make: &Make<'_>) {
    each(make, options, |twin| {
        let first = twin.store.apply(keyed("m1", 1, Answer::Pending)).unwrap();
        let named_none = Update { context_id: None, ..keyed("m2", 1, Answer::Pending) };
        let second = twin.store.apply(named_none).unwrap();
        let mut other = keyed("m1", 1, Answer::Pending);
        (other.owner, other.context_id) = ("bob".to_owned(), Some("ctx_b".to_owned()));
        let third = twin.store.apply(other).unwrap();
        let told: Vec<(String, Option<u64>)> = twin
            .store
            .pending()
            .unwrap()
            .into_iter()
            .map(|key| (key.owner, key.incarnation))
            .collect();
        let known = |owner: &str, applied: &Applied| (owner.to_owned(), Some(applied.incarnation));
        assert_eq!(told, [known("ann", &first), known("ann", &second), known("bob", &third)]);
        assert_eq!(told.iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
    });
}

pub fn wa_1_pending_message_without_context_has_no_incarnation(make: &Make<'_>) {
    each(make, options, |twin| {
        let alone = Update { operations: Vec::new(), ..keyed("m1", 1, Answer::Pending) };
        assert_eq!(twin.store.apply(alone).unwrap().incarnation, 0);
        let pending = twin.store.pending().unwrap();
        assert_eq!((pending.len(), pending[0].incarnation), (1, None));
    });
}

pub fn wa_11_queued_message_may_begin_when_those_before_it_have_answers(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.store.apply(keyed("m1", 1, Answer::Queued)).unwrap();
        twin.store.apply(keyed("m2", 1, Answer::Queued)).unwrap();
        let again = twin.store.apply(keyed("m2", 1, Answer::Queued)).unwrap();
        assert_eq!(again.repeated, Some(Repeated::Pending));
        assert!(twin.store.begin("ann", &name("m1")).unwrap());
        assert!(twin.store.begin("ann", &name("m1")).unwrap(), "it may be asked again");
        assert_eq!(twin.store.pending().unwrap().len(), 2);
        twin.store.answer("ann", name("m1"), "\"done\"".to_owned()).unwrap();
        assert!(twin.store.begin("ann", &name("m2")).unwrap());
    });
}

pub fn wa_3_message_waits_for_answer_again(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.store.apply(keyed("m1", 1, Answer::Pending)).unwrap();
        let settled = |answer| Some(Settlement { key: name("m1"), answer });
        let answer = |text: &str| Answer::Ready(text.to_owned());
        let end = Update { settles: settled(answer("1")), ..update(vec![message("r1")]) };
        twin.store.apply(end).unwrap();
        let again = Update { settles: settled(Answer::Pending), ..update(Vec::new()) };
        twin.store.apply(again.clone()).unwrap();
        twin.store.apply(again).unwrap();
        let known = || twin.store.repeated("ann", &name("m1"), &[1; 32]).unwrap();
        assert_eq!(known(), Some(Repeated::Pending));
        assert_eq!(twin.store.pending().unwrap().len(), 1);
        let end = Update { settles: settled(answer("2")), ..update(vec![message("r2")]) };
        twin.store.apply(end).unwrap();
        assert_eq!(known(), Some(Repeated::Done("2".to_owned())));
        assert_eq!(twin.ids(), ["m1", "r1", "r2"]);
    });
}

pub fn cp_7_answer_needs_existing_message(make: &Make<'_>) {
    each(make, options, |twin| {
        let error = twin.store.answer("ann", name("m1"), "1".to_owned()).unwrap_err();
        assert_eq!(error, ContextError::KeyNotFound("m1".to_owned()));
        let settles = Some(Settlement { key: name("m1"), answer: Answer::Ready("1".to_owned()) });
        let end = Update { settles, ..update(vec![message("r1")]) };
        assert_eq!(twin.refused(end), error);
        assert!(twin.store.head(ANN).is_err());
    });
}

pub fn wa_11_update_for_pending_message_does_nothing_when_it_has_its_answer(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.store.apply(keyed("m1", 1, Answer::Pending)).unwrap();
        let settled = |text: &str| {
            let answer = Answer::Ready(text.to_owned());
            Some(Settlement { key: name("m1"), answer })
        };
        let end = |id: &str, text: &str| Update {
            settles: settled(text),
            only_pending: true,
            ..update(vec![message(id)])
        };
        let first = twin.store.apply(end("r1", "1")).unwrap();
        let second = twin.store.apply(end("r2", "2")).unwrap();
        assert_eq!((first.version, second.version), (2, 2));
        assert!(second.changes.is_empty() && second.seqs.is_empty());
        assert_eq!(twin.ids(), ["m1", "r1"]);
        let known = twin.store.repeated("ann", &name("m1"), &[1; 32]).unwrap();
        assert_eq!(known, Some(Repeated::Done("1".to_owned())));
    });
}

pub fn cp_7_message_without_context_creates_one_only_once(make: &Make<'_>) {
    each(make, options, |twin| {
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

pub fn cp_7_a_key_alone_makes_no_context(make: &Make<'_>) {
    each(make, options, |twin| {
        let alone = Update { operations: Vec::new(), ..keyed("m1", 1, ack()) };
        let applied = twin.store.apply(alone.clone()).unwrap();
        assert_eq!((applied.version, applied.created), (0, false));
        assert!(twin.store.head(ANN).is_err());
        let again = twin.store.apply(alone).unwrap();
        assert_eq!(again.repeated, Some(Repeated::Done(r#"{"version":0}"#.to_owned())));
    });
}

pub fn cp_7_a_refused_message_leaves_no_key(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![set("t", json!("text"))]);
        let mut bad = keyed("m1", 1, ack());
        bad.operations.push(set("t.deep", json!(1)));
        twin.refused(bad);
        assert_eq!(twin.store.repeated("ann", &name("m1"), &[1; 32]).unwrap(), None);
        assert_eq!(twin.store.apply(keyed("m1", 2, ack())).unwrap().version, 2);
    });
}

pub fn cp_7_deleted_context_forgets_message_keys(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.store.apply(keyed("m1", 1, ack())).unwrap();
        twin.store.apply(keyed("m2", 1, Answer::Pending)).unwrap();
        let other = Update { context_id: Some("ctx_2".to_owned()), ..keyed("m1", 1, ack()) };
        twin.store.apply(other.clone()).unwrap();
        twin.store.delete(ANN).unwrap();
        assert_eq!(twin.store.repeated("ann", &name("m2"), &[1; 32]).unwrap(), None);
        assert!(twin.store.pending().unwrap().is_empty());
        let error = twin.store.answer("ann", name("m2"), "1".to_owned()).unwrap_err();
        assert_eq!(error, ContextError::KeyNotFound("m2".to_owned()));
        // The same messages, and others under their ids, are new ones.
        let new = twin.store.apply(keyed("m1", 1, ack())).unwrap();
        assert_eq!((new.version, new.created, new.repeated), (1, true, None));
        assert_eq!(twin.store.apply(keyed("m2", 2, ack())).unwrap().version, 2);
        assert_eq!(twin.ids(), ["m1", "m2"]);
        assert!(twin.store.apply(other).unwrap().repeated.is_some(), "others keep theirs");
    });
}

pub fn cp_7_message_creates_context_again_after_deletion(make: &Make<'_>) {
    each(make, options, |twin| {
        let update = Update { context_id: None, ..keyed("m1", 1, ack()) };
        let made = twin.store.apply(update.clone()).unwrap();
        let key = Key { owner: "ann", context: &made.context_id };
        assert_eq!(twin.store.apply(update.clone()).unwrap().context_id, made.context_id);
        twin.store.delete(key).unwrap();
        let again = twin.store.apply(update).unwrap();
        assert!(again.created && again.context_id != made.context_id);
    });
}

pub fn cp_7_update_for_deleted_context_does_not_apply_to_next_one(make: &Make<'_>) {
    each(make, options, |twin| {
        let first = twin.store.apply(keyed("m1", 1, Answer::Pending)).unwrap();
        assert_eq!(first.incarnation, twin.store.head(ANN).unwrap().incarnation);
        let settles = Some(Settlement { key: name("m1"), answer: "1".to_owned().into() });
        let mut end = Update { settles, ..update(vec![message("r1")]) };
        (end.create, end.incarnation) = (false, Some(first.incarnation));
        twin.store.delete(ANN).unwrap();
        assert_eq!(twin.refused(end.clone()), ContextError::NotFound("ctx_1".to_owned()));
        let second = twin.store.apply(keyed("m1", 1, Answer::Pending)).unwrap();
        assert_ne!(second.incarnation, first.incarnation);
        assert_eq!(twin.refused(end.clone()), ContextError::NotFound("ctx_1".to_owned()));
        end.incarnation = Some(second.incarnation);
        assert_eq!(twin.store.apply(end).unwrap().version, 2);
    });
}

pub fn cp_7_message_id_is_unique_in_context(make: &Make<'_>) {
    each(make, options, |twin| {
        let conflict = |id: &str| ContextError::MessageIdConflict(id.to_owned());
        let added = |id: &str, inner: &str| {
            let mut update = keyed(id, 1, ack());
            update.operations = vec![message(inner), set("n", json!(1))];
            update
        };
        twin.store.apply(added("u1", "m1")).unwrap();
        // In another update, also of the same content; in one update; after it was cleared.
        assert_eq!(twin.refused(added("u2", "m1")), conflict("m1"));
        assert_eq!(twin.refused(update(vec![message("m2"), message("m2")])), conflict("m2"));
        twin.do_it(vec![clear(None)]);
        assert_eq!(twin.refused(added("u2", "m1")), conflict("m1"));
        // A message of its own, and an update under the id of another.
        assert_eq!(twin.refused(keyed("m1", 1, ack())), conflict("m1"));
        assert_eq!(twin.refused(added("u3", "u1")), conflict("u1"));
        // What was refused left nothing; the update's own id is its message's, once.
        twin.store.apply(added("u2", "u2")).unwrap();
        assert!(twin.store.apply(added("u2", "u2")).unwrap().repeated.is_some());
        assert_eq!(twin.ids(), ["u2"]);
        // Elsewhere it is another message.
        let elsewhere = Update { context_id: Some("ctx_2".to_owned()), ..added("u1", "m1") };
        assert!(twin.store.apply(elsewhere).unwrap().created);
    });
}

pub fn cp_7_message_that_created_context_cannot_be_added_to_it(make: &Make<'_>) {
    each(make, options, |twin| {
        let update = Update { context_id: None, ..keyed("m1", 1, ack()) };
        let made = twin.store.apply(update).unwrap().context_id;
        let again = Update { context_id: Some(made.clone()), ..keyed("m1", 1, ack()) };
        assert_eq!(twin.refused(again).code(), "message_id_conflict");
        let inner = Update::new("ann", &made, vec![message("m1")]);
        assert_eq!(twin.refused(inner).code(), "message_id_conflict");
    });
}

pub fn cp_7_many_threads_with_one_message_have_one_effect(make: &Make<'_>) {
    each(make, options, |twin| {
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
