//! Creation and the operations (CP-9, CP-10).

use super::*;

pub fn cp_9_first_update_creates_context_for_owner(make: &Make<'_>) {
    each(make, options, |twin| {
        let metadata = json!({"userId": "user_123", "clientInfo": {"device": "phone", "new": 1}});
        let metadata = metadata.as_object().unwrap().clone();
        let first = Update { metadata, ..update(vec![message("m1")]) };
        let applied = twin.store.apply(first).unwrap();
        assert_eq!((applied.version, applied.created, applied.seqs), (1, true, vec![1]));
        let again = twin.do_it(vec![message("m2"), message("m3")]);
        assert_eq!((again.version, again.created, again.seqs), (2, false, vec![2, 3]));
        let head = twin.store.head(ANN).unwrap();
        assert_eq!((head.owner.as_str(), head.messages, head.last_seq), ("ann", 3, 3));
        assert_eq!(head.metadata["clientInfo"], json!({"device": "phone", "new": 1}));
        assert!(head.creation_us < head.last_update_us);
        assert_eq!(twin.store.holders("ctx_1").unwrap(), ["ann"]);
    });
}

pub fn cp_9_an_update_that_may_not_create_finds_nothing(make: &Make<'_>) {
    each(make, options, |twin| {
        let update = Update { create: false, ..update(vec![message("m1")]) };
        assert_eq!(twin.refused(update), ContextError::NotFound("ctx_1".to_owned()));
        assert!(twin.store.list("ann", None, 10).unwrap().contexts.is_empty());
    });
}

pub fn cp_9_context_of_other_owner_looks_missing(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![message("m1"), set("a", json!(1))]);
        let missing = ContextError::NotFound("ctx_1".to_owned());
        let theirs = Update { owner: "bob".to_owned(), ..update(vec![message("m2")]) };
        assert_eq!(twin.refused(theirs), missing);
        let store = &twin.store;
        assert_eq!(store.head(BOB).unwrap_err(), missing);
        assert_eq!(store.get(BOB).unwrap_err(), missing);
        assert_eq!(store.state(BOB).unwrap_err(), missing);
        assert_eq!(store.messages(BOB, 0, 1).unwrap_err(), missing);
        assert_eq!(store.last(BOB, 1).unwrap_err(), missing);
        assert_eq!(store.changes(BOB, 0, 1).unwrap_err(), missing);
        assert_eq!(store.delete(BOB).unwrap_err(), missing);
        assert_eq!(store.fork(BOB, Fork::default()).unwrap_err(), missing);
        assert_eq!(store.export(BOB, &mut Vec::new()).unwrap_err(), missing);
        assert_eq!(store.compact(BOB, 1).unwrap_err(), missing);
        assert!(store.list("bob", None, 10).unwrap().contexts.is_empty());
        assert_eq!(twin.ids(), ["m1"]);
    });
}

pub fn cp_9_update_without_context_creates_one(make: &Make<'_>) {
    each(make, options, |twin| {
        let update = Update { context_id: None, ..update(vec![message("m1")]) };
        let made = twin.store.apply(update.clone()).unwrap();
        let ulid = made.context_id.strip_prefix("ctx_").unwrap();
        let digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        assert!(ulid.len() == 26 && ulid.chars().all(|digit| digits.contains(digit)), "{ulid}");
        let other = twin.store.apply(update).unwrap();
        assert!(made.created && other.created && made.context_id != other.context_id);
    });
}

pub fn cp_10_messages_are_read_back_as_written_with_their_place(make: &Make<'_>) {
    each(make, options, |twin| {
        let full = json!({
            "messageId": "m1", "contextId": "ctx_1", "timestamp": "2025-12-01T10:00:00+08:00",
            "type": "X_OWN", "sender": {"id": "u", "type": "USER", "more": 1},
            "content": {"z": 1.50, "a": [null, {"b": "北京"}]}, "metadata": {"own": true}, "x-y": 1
        });
        twin.do_it(vec![written(full.clone()), message("m2")]);
        let page = twin.store.messages(ANN, 0, 10).unwrap();
        let mut expected = full;
        expected["metadata"]["seq"] = json!(1);
        assert_eq!(page.messages[0].to_value("ctx_1"), expected);
        let bare = page.messages[1].to_value("ctx_1");
        assert_eq!(bare["metadata"], json!({"seq": 2}));
        assert_eq!(bare["contextId"], "ctx_1");
        let text = r#"{"type":"A",  "messageId":"m\u0033","content":{"n":1e2}}"#;
        twin.do_it(vec![Operation::AddMessage(NewMessage::parse(text).unwrap())]);
        assert_eq!(&*twin.store.last(ANN, 1).unwrap()[0].text, text);
    });
}

pub fn cp_10_text_that_is_not_message_gets_error(_: &Make<'_>) {
    for text in ["", "[]", "{}", "1", r#"{"messageId":""}"#, r#"{"messageId":7}"#, "{\"messageId\""]
    {
        let error = NewMessage::parse(text).unwrap_err();
        assert!(matches!(error, ContextError::Invalid { .. }), "{text}: {error}");
    }
    let error = NewMessage::parse(r#"{"messageId":7}"#).unwrap_err();
    assert_eq!(error.to_string(), "/messageId: expected a text, found a number");
}

pub fn cp_10_the_state_is_set_and_removed_by_paths(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![
            set("userPreferences.language", json!("中文")),
            set("activeTools", json!(["a"])),
            set("activeTools.1", json!("b")),
            set("customState.\"a.b\".n", json!(null)),
        ]);
        twin.do_it(vec![remove("activeTools.0"), set("activeTools.1", json!("c"))]);
        let expected = json!({
            "userPreferences": {"language": "中文"}, "activeTools": ["b", "c"],
            "customState": {"a.b": {"n": null}}
        });
        assert_eq!(twin.state(), expected);
        twin.do_it(vec![remove("customState"), remove("not.there")]);
        assert_eq!(twin.state()["customState"], json!(null));
        assert_eq!(twin.store.state(ANN).unwrap().version, 3);
    });
}

pub fn cp_10_path_that_does_not_fit_undoes_whole_update(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![set("list", json!([1])), set("text", json!("t"))]);
        for bad in ["list.3", "list.x", "text.more"] {
            let error = twin.refused(update(vec![
                message("m1"),
                set("list.1", json!(2)),
                clear(None),
                set(bad, json!(0)),
            ]));
            assert!(matches!(error, ContextError::Path { operation: 3, .. }), "{bad}: {error}");
        }
        let head = twin.store.head(ANN).unwrap();
        assert_eq!((head.version, head.messages, head.last_seq), (1, 0, 0));
        assert_eq!(twin.state(), json!({"list": [1], "text": "t"}));
        assert_eq!(twin.log(1), json!([]));
    });
}

pub fn cp_10_clear_removes_history_strictly_before_instant(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![
            timed("early", "2025-12-01T08:59:59.999Z"),
            timed("same", "2025-12-01T09:00:00Z"),
            timed("early-elsewhere", "2025-12-01T16:59:00+08:00"),
            timed("late-elsewhere", "2025-12-01T08:30:00-01:00"),
            timed("unreadable", "yesterday"),
            message("without"),
            timed("late", "2025-12-01T09:00:00.000001Z"),
            set("kept", json!(1)),
        ]);
        let cleared = twin.do_it(vec![clear(Some("2025-12-01T10:00:00+01:00"))]);
        let left = ["same", "late-elsewhere", "unreadable", "without", "late"];
        assert_eq!(twin.ids(), left);
        let What::ClearHistory { cleared, through, .. } = cleared.changes[0].what else { panic!() };
        assert_eq!((cleared, through), (2, 7));
        assert_eq!(twin.store.head(ANN).unwrap().messages, 5);
        assert_eq!(twin.state(), json!({"kept": 1}));
        twin.do_it(vec![message("new")]);
        assert_eq!(twin.store.last(ANN, 2).unwrap()[1].seq, 8);
        twin.do_it(vec![clear(None), message("after")]);
        assert_eq!(twin.ids(), ["after"]);
        assert_eq!(twin.store.head(ANN).unwrap().messages, 1);
        twin.do_it(vec![clear(Some("9999-12-31T00:00:00Z"))]);
        assert_eq!(twin.ids(), ["after"], "without a timestamp");
    });
}

pub fn cp_10_filter_that_is_not_time_gets_error(make: &Make<'_>) {
    each(make, options, |twin| {
        let error = twin.refused(update(vec![clear(Some("gestern"))]));
        assert_eq!(
            error.to_string(),
            "filter/beforeTimestamp: expected a time such as 2025-12-01T09:00:00Z, found gestern"
        );
    });
}

pub fn cp_10_cleared_messages_stay_in_log_until_compaction(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![timed("m1", "2025-01-01T00:00:00Z")]);
        twin.do_it(vec![timed("m2", "2025-01-02T00:00:00Z")]);
        twin.do_it(vec![clear(Some("2025-01-02T00:00:00Z"))]);
        let log = json!([
            {"version": 1, "op": "ADD_MESSAGE", "seq": 1, "message": "m1"},
            {"version": 2, "op": "ADD_MESSAGE", "seq": 2, "message": "m2"},
            {"version": 3, "op": "CLEAR_HISTORY", "cleared": 1,
             "filter": {"beforeTimestamp": "2025-01-02T00:00:00Z"}},
        ]);
        assert_eq!(twin.log(0), log);
        let head = twin.store.compact(ANN, 2).unwrap();
        assert_eq!((head.oldest, head.version, head.messages), (2, 3, 1));
        assert_eq!(twin.log(2), json!([log[2].clone()]));
        assert_eq!(twin.ids(), ["m2"]);
        let error = twin.store.changes(ANN, 1, 10).unwrap_err();
        assert_eq!(error, ContextError::Compacted { asked: 1, oldest: 2, current: 3 });
        assert_eq!(twin.store.compact(ANN, 1).unwrap().oldest, 2, "it never goes back");
        let error = twin.store.compact(ANN, 4).unwrap_err();
        assert_eq!(error, ContextError::Ahead { asked: 4, current: 3 });
    });
}

pub fn cp_19_limits_are_errors_and_change_nothing(make: &Make<'_>) {
    let limits = Limits {
        message_bytes: 100,
        state_bytes: 100,
        metadata_bytes: 20,
        depth: 4,
        id_bytes: 10,
        operations: 3,
        page: 5,
        whole: 2,
        ..Limits::default()
    };
    each(
        make,
        || Setup { limits, ..options() },
        |twin| {
            let long = "x".repeat(100);
            let mut big = update(vec![message("m")]);
            big.metadata.insert("a".to_owned(), json!("y".repeat(20)));
            for (refused, what) in [
                (update(vec![message(&long)]), "a message: 258 bytes, the limit is 100"),
                (update(vec![set("a", json!(long))]), "the state: 108 bytes, the limit is 100"),
                (update(vec![set("a", json!([[[[1]]]]))]), "the state: 5 levels, the limit is 4"),
                (update(vec![message("m"); 4]), "an update: 4 operations, the limit is 3"),
                (Update::new("ann", "ctx_4567890", vec![]), "contextId: 11 bytes, the limit is 10"),
                (big, "the metadata: 28 bytes, the limit is 20"),
            ] {
                assert_eq!(twin.refused(refused).to_string(), what);
            }
            assert!(twin.store.head(ANN).is_err());
            twin.do_it(vec![message("1"), message("2"), message("3")]);
            let error = twin.store.get(ANN).unwrap_err();
            assert_eq!(
                error.to_string(),
                "a context that is read whole: 3 messages, the limit is 2"
            );
            assert!(matches!(twin.store.messages(ANN, 0, 6), Err(ContextError::TooLarge { .. })));
            assert!(matches!(twin.store.messages(ANN, 0, 0), Err(ContextError::Invalid { .. })));
            let empty = Update::new("ann", "", vec![message("m")]);
            assert!(matches!(twin.refused(empty), ContextError::Invalid { .. }));
        },
    );
}
