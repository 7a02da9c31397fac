//! Whole contexts: reading, deleting, forks, exports, imports (CP-9, CP-10).

use super::*;

const EXAMPLE: &str = r#"{
  "contextId": "ctx_1", "creationTime": "2025-12-01T10:00:00Z",
  "lastUpdateTime": "2025-12-01T10:05:00Z",
  "messages": [
    {"messageId": "msg_001", "type": "USER_INPUT", "content": {"text": "你好"}},
    {"messageId": "msg_002", "type": "MODEL_RESPONSE", "content": {"text": "您好!"}}
  ],
  "state": {"currentTopic": "天气查询", "activeTools": ["weather_api", "calculator"]},
  "metadata": {"userId": "user_123", "clientInfo": {"device": "smartphone"}}
}"#;

fn import(twin: &Twin, text: &str) -> Result<crate::store::contexts::Head, ContextError> {
    twin.store.import("ann", &mut text.as_bytes(), Import::default())
}

fn export(twin: &Twin, key: Key<'_>) -> String {
    let mut out = Vec::new();
    twin.store.export(key, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

pub fn cp_9_example_of_source_is_imported_and_reads_back(make: &Make<'_>) {
    each(make, options, |twin| {
        let head = import(twin, EXAMPLE).unwrap();
        assert_eq!((head.version, head.oldest, head.messages), (1, 1, 2));
        let whole = twin.store.get(ANN).unwrap();
        let example: Value = serde_json::from_str(EXAMPLE).unwrap();
        assert_eq!(whole["state"], example["state"]);
        assert_eq!(whole["metadata"], example["metadata"]);
        assert_eq!(whole["creationTime"], "2025-12-01T10:00:00.000Z");
        assert_eq!(whole["lastUpdateTime"], "2025-12-01T10:05:00.000Z");
        assert_eq!(
            whole["messages"],
            json!([
                {"messageId": "msg_001", "contextId": "ctx_1",
                 "timestamp": "2025-12-01T10:00:00.000Z", "type": "USER_INPUT",
                 "sender": {"id": "user_123", "type": "USER"}, "content": {"text": "你好"},
                 "metadata": {"seq": 1}},
                {"messageId": "msg_002", "contextId": "ctx_1",
                 "timestamp": "2025-12-01T10:00:00.000Z", "type": "MODEL_RESPONSE",
                 "sender": {"id": "model", "type": "MODEL"}, "content": {"text": "您好!"},
                 "metadata": {"seq": 2}},
            ])
        );
    });
}

pub fn cp_10_an_export_is_imported_as_it_was(make: &Make<'_>) {
    each(make, options, |twin| {
        import(twin, EXAMPLE).unwrap();
        twin.do_it(vec![message("m3"), set("a.\"b.c\"", json!([1.5, null])), message("m4")]);
        let exported = export(twin, ANN);
        assert_eq!(exported.lines().count(), 5);
        let header: Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
        assert_eq!((&header["version"], &header["messageCount"]), (&json!(2), &json!(4)));
        let taken = import(twin, &exported).unwrap_err();
        assert_eq!(taken, ContextError::Taken("ctx_1".to_owned()));
        let copy = Import { context_id: Some("copy".to_owned()), review: None };
        let head = twin.store.import("bob", &mut exported.as_bytes(), copy).unwrap();
        assert_eq!((head.version, head.oldest, head.last_seq), (2, 2, 4));
        let key = Key { owner: "bob", context: "copy" };
        let (mut one, mut two) = (twin.store.get(ANN).unwrap(), twin.store.get(key).unwrap());
        for whole in [&mut one, &mut two] {
            whole["contextId"] = json!("");
            whole["lastUpdateTime"] = json!("");
            for message in whole["messages"].as_array_mut().unwrap() {
                message["contextId"] = json!("");
                // The bare ones got an envelope on the way.
                message.as_object_mut().unwrap().remove("timestamp");
                message.as_object_mut().unwrap().remove("sender");
            }
        }
        assert_eq!(one, two);
        let error = twin.store.changes(key, 0, 10).unwrap_err();
        assert_eq!(error, ContextError::Compacted { asked: 0, oldest: 2, current: 2 });
        twin.store.delete(ANN).unwrap();
        import(twin, &exported).unwrap();
        assert_eq!(export(twin, ANN).lines().count(), 5);
    });
}

pub fn cp_10_reimported_export_exports_identical_text(make: &Make<'_>) {
    let whole = |id: &str, time: &str| {
        written(json!({
            "messageId": id, "contextId": "ctx_1", "timestamp": time, "type": "USER_INPUT",
            "sender": {"id": "u", "type": "USER"}, "content": {"text": id}, "metadata": {}
        }))
    };
    each(make, options, |twin| {
        import(twin, EXAMPLE).unwrap();
        twin.do_it(vec![whole("m3", "2025-12-02T00:00:00Z"), set("a.\"b.c\"", json!(1.50))]);
        twin.do_it(vec![whole("m4", "2025-12-03T00:00:00Z")]);
        twin.do_it(vec![clear(Some("2025-12-01T12:00:00Z"))]);
        let exported = export(twin, ANN);
        twin.store.delete(ANN).unwrap();
        let head = import(twin, &exported).unwrap();
        assert_eq!(export(twin, ANN), exported);
        assert_eq!((head.messages, head.last_seq), (2, 4));
        // It continues from there, and its time never goes back (CP-11).
        let later = twin.do_it(vec![message("m5")]);
        assert_eq!((later.seqs, later.version), (vec![5], head.version + 1));
        assert!(later.time_us > head.last_update_us);
    });
}

pub fn cp_11_import_ignores_impossible_times_and_places(make: &Make<'_>) {
    let message = |id: &str, metadata: Value| json!({"messageId": id, "type": "USER_INPUT", "content": {"text": id}, "metadata": metadata});
    each(make, options, |twin| {
        for (messages, places) in [
            (json!([message("a", json!({"seq": 7})), message("b", json!({"seq": 9}))]), [7, 9]),
            (json!([message("a", json!({"seq": 9})), message("b", json!({"seq": 7}))]), [1, 2]),
            (json!([message("a", json!({"seq": 7})), message("b", json!({"seq": 7}))]), [1, 2]),
            (json!([message("a", json!({"seq": 0})), message("b", json!({"seq": 7}))]), [1, 2]),
            (json!([message("a", json!({"seq": 7})), message("b", json!({}))]), [1, 2]),
            (json!([message("a", json!({"seq": 7})), message("b", json!({"seq": "9"}))]), [1, 2]),
            (
                json!([message("a", json!({"seq": 7})), message("b", json!({"seq": u64::MAX}))]),
                [1, 2],
            ),
            (
                json!([message("a", json!({"seq": 7})), message("b", json!({"seq": 1_u64 << 36}))]),
                [1, 2],
            ),
        ] {
            let context = json!({
                "contextId": "ctx_1", "creationTime": "2026-01-01T00:00:00Z",
                "lastUpdateTime": "2999-01-01T00:00:00Z", "messages": messages
            });
            let head = import(twin, &context.to_string()).unwrap();
            // A clock that is ahead elsewhere does not lead this one's.
            assert!((START..START + 1_000_000_000).contains(&head.last_update_us));
            let page = twin.store.messages(ANN, 0, 9).unwrap().messages;
            assert_eq!(page.iter().map(|one| one.seq).collect::<Vec<_>>(), places, "{context}");
            assert_eq!(head.last_seq, places[1]);
            twin.store.delete(ANN).unwrap();
        }
        let early =
            r#"{"creationTime":"2026-01-02T00:00:00Z","lastUpdateTime":"2026-01-01T00:00:00Z"}"#;
        let head = import(twin, early).unwrap();
        assert_eq!(head.last_update_us, head.creation_us);
        let error = import(twin, r#"{"lastUpdateTime":7}"#).unwrap_err();
        assert_eq!(error.to_string(), "line 1: lastUpdateTime: expected a text, found a number");
    });
}

pub fn cp_10_failing_import_changes_nothing_and_names_line(make: &Make<'_>) {
    let head = r#"{"contextId":"ctx_1","messageCount":2}"#;
    let good = r#"{"messageId":"m1","type":"VOTE","content":{}}"#;
    each(make, options, |twin| {
        for (text, line, reason) in [
            (String::new(), 1, "expected a context, found nothing"),
            ("\n\n[]".to_owned(), 3, "expected a context, found a list"),
            (good.to_owned(), 1, "expected a context, found a message: the context comes first"),
            (
                format!("{head}\n{good}"),
                2,
                "expected 2 messages (messageCount), found 1: it was cut off",
            ),
            (
                format!("{}\n{good}", head.replace('2', "0")),
                2,
                "expected 0 messages (messageCount), found 1",
            ),
            (format!("{head}\n{good}\n{{\"messageId\":\"m2\"}}\n"), 3, "a message without type"),
            (format!("{head}\n{good}\n7"), 3, "expected a message, found a number"),
            (
                format!("{head}\n{}", good.replace("{}", "[]")),
                2,
                "content: expected an object, found a list",
            ),
            (
                format!("{head}\n{}", good.replace("\"m1\"", "\"\"")),
                2,
                "messageId is an empty text",
            ),
            (
                format!("{head}\n{good}\n{{\"messageId\":"),
                3,
                "EOF while parsing a value, column 13",
            ),
            (
                r#"{"format":"contexture-context/2"}"#.to_owned(),
                1,
                "format: expected \"contexture-context/1\", found \"contexture-context/2\"",
            ),
            (
                r#"{"contextId":"a\u001bb"}"#.to_owned(),
                1,
                "contextId: expected an id, found one with control characters",
            ),
            (r#"{"state":[]}"#.to_owned(), 1, "state: expected an object, found a list"),
            (
                r#"{"creationTime":"early"}"#.to_owned(),
                1,
                "creationTime: expected a time since 1970, found \"early\"",
            ),
            (
                r#"{"creationTime":"2999-01-01T00:00:00Z"}"#.to_owned(),
                1,
                "creationTime: expected a time that has passed",
            ),
            (
                r#"{"version":-1}"#.to_owned(),
                1,
                "version: expected a whole number up to 2^53, found a number",
            ),
            (r#"{"messages":[{"messageId":"m"}]}"#.to_owned(), 1, "a message without type"),
            (
                format!("{head}\n{}{}", "[".repeat(2_000), "]".repeat(2_000)),
                2,
                "nested deeper than 1000 lists and objects",
            ),
            (
                format!(
                    "{head}\n{good}\n{}",
                    good.replace("{}", "\n{\"n\": 18446744073709551616}")
                ),
                4,
                "/content/n: expected a number that 64 bits hold exactly, as an integer or as a double; send any other as a string, found the number 18446744073709551616, column 7",
            ),
            (
                "\n{\"state\": {\"n\": 1e-400}}".to_owned(),
                2,
                "/state/n: expected a number that 64 bits hold exactly, as an integer or as a double; send any other as a string, found the number 1e-400, column 17",
            ),
            (
                format!("{head}\n{}", good.replace("\"type\"", "\"messageId\":\"m2\",\"type\"")),
                2,
                "not JSON: duplicate field \"messageId\", column 29",
            ),
        ] {
            let error = import(twin, &text).unwrap_err();
            let expected = ContextError::Import { line, reason: reason.to_owned() };
            assert_eq!(error, expected, "{text}");
        }
        assert!(twin.store.list("ann", None, 10).unwrap().contexts.is_empty());
        let bytes = [head.as_bytes(), b"\n\xff"].concat();
        let error = twin.store.import("ann", &mut &bytes[..], Import::default()).unwrap_err();
        assert_eq!(error.to_string(), "line 2: it is not UTF-8");
    });
}

pub fn cp_7_refused_message_of_import_is_named_by_line(make: &Make<'_>) {
    let head = r#"{"contextId":"ctx_1"}"#;
    let good = r#"{"messageId":"m1","type":"VOTE","content":{}}"#;
    each(make, options, |twin| {
        for (text, line, told) in [
            (format!("{head}\n{good}\n{good}"), 3, "the messageId `m1` stands in line 2 as well"),
            (
                format!("{head}\n{}", good.replace("VOTE", "USER_INPUT")),
                2,
                "/content/text: expected a string, found nothing",
            ),
            (
                format!("{head}\n{good}\n{}", good.replace("{}", "{},\"timestamp\":\"x\"")),
                3,
                "/timestamp: expected an ISO 8601 date and time such as 2025-12-01T12:34:56.789Z, found the string \"x\"",
            ),
        ] {
            let error = import(twin, &text).unwrap_err();
            assert_eq!(error.to_string(), format!("line {line}: {told}"), "{text}");
            assert_eq!(error.code(), "import_invalid");
        }
        assert!(twin.store.list("ann", None, 10).unwrap().contexts.is_empty());
    });
}

pub fn cp_1_imported_message_of_foreign_origin_is_marked(make: &Make<'_>) {
    let lines = "{\"contextId\":\"c\"}\n\
        {\"messageId\":\"m1\",\"type\":\"USER_INPUT\",\"content\":{\"text\":\"a\"}}\n\
        {\"messageId\":\"m2\",\"type\":\"MODEL_RESPONSE\",\"content\":{\"text\":\"b\"},\"metadata\":{\"run\":\"r\"}}";
    each(make, options, |twin| {
        let review: Review = Arc::new(|message| match message.kind() {
            "USER_INPUT" => Ok(Origin::Own),
            "MODEL_RESPONSE" => Ok(Origin::Foreign),
            _ => Err(Refusal::new(ErrorCode::UnknownType, "no such type").into()),
        });
        let import = Import { context_id: None, review: Some(review) };
        twin.store.import("ann", &mut lines.as_bytes(), import.clone()).unwrap();
        let whole = twin.store.get(Key { owner: "ann", context: "c" }).unwrap();
        assert_eq!(whole["messages"][0]["metadata"], json!({"seq": 1}));
        assert_eq!(
            whole["messages"][1]["metadata"],
            json!({"run": "r", "imported": true, "seq": 2})
        );
        let other = lines.replace("MODEL_RESPONSE", "VOTE").replace("\"c\"", "\"d\"");
        let error = twin.store.import("ann", &mut other.as_bytes(), import).unwrap_err();
        assert_eq!(error.to_string(), "line 3: no such type");
    });
}

pub fn cp_7_imported_or_forked_context_keeps_message_ids(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![timed("m0", "2025-01-01T00:00:00Z"), message("m1")]);
        twin.do_it(vec![clear(Some("2025-01-02T00:00:00Z"))]);
        let exported = export(twin, ANN);
        let copy = Import { context_id: Some("copy".to_owned()), review: None };
        twin.store.import("ann", &mut exported.as_bytes(), copy).unwrap();
        let fork = Fork { context_id: Some("fork".to_owned()) };
        twin.store.fork(ANN, fork).unwrap();
        for context in ["copy", "fork"] {
            let add = |id: &str| twin.store.apply(Update::new("ann", context, vec![message(id)]));
            assert_eq!(add("m1").unwrap_err().code(), "message_id_conflict", "{context}");
            add("m0").unwrap();
        }
    });
}

pub fn cp_9_context_id_belongs_to_one_owner(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![message("m1"), set("a", json!(1))]);
        // A message does not begin a context where another owner has one (CP-9).
        let theirs = Update { owner: "bob".to_owned(), ..update(vec![message("m1")]) };
        assert_eq!(twin.refused(theirs.clone()), ContextError::NotFound("ctx_1".to_owned()));
        // Whoever makes one finds the id free.
        let mut lines = "{\"contextId\": \"ctx_1\", \"state\": {\"b\": 2}}".as_bytes();
        let made = twin.store.import("bob", &mut lines, Import::default()).unwrap();
        assert_eq!(made.context_id, "ctx_1");
        assert_eq!(twin.store.apply(theirs).unwrap().version, 2);
        assert_eq!(twin.store.holders("ctx_1").unwrap(), ["ann", "bob"]);
        assert_eq!((twin.state(), twin.store.head(ANN).unwrap().version), (json!({"a": 1}), 1));
        assert_eq!(twin.store.state(BOB).unwrap().value, json!({"b": 2}));
        let fork = Fork { context_id: Some("ctx_1".to_owned()) };
        assert_eq!(twin.store.fork(ANN, fork.clone()).unwrap_err().code(), "context_taken");
        twin.store.delete(ANN).unwrap();
        assert_eq!(twin.store.head(BOB).unwrap().version, 2);
        let other = twin.store.fork(BOB, Fork { context_id: Some("x".to_owned()) }).unwrap();
        assert_eq!((other.owner.as_str(), other.messages), ("bob", 1));
        assert_eq!(twin.store.holders("ctx_1").unwrap(), ["bob"]);
        assert!(twin.store.holders("none").unwrap().is_empty());
    });
}

pub fn cp_10_import_without_id_gets_one(make: &Make<'_>) {
    each(make, options, |twin| {
        let head = import(twin, "\u{feff}{}").unwrap();
        assert!(head.context_id.starts_with("ctx_"));
        assert_eq!(twin.store.list("ann", None, 9).unwrap().contexts, [head]);
    });
}

pub fn cp_10_an_import_that_is_too_large_is_refused(make: &Make<'_>) {
    let limits = Limits { import_bytes: 10, ..Limits::default() };
    each(
        make,
        || Setup { limits, ..options() },
        |twin| {
            assert!(import(twin, "{}").is_ok());
            let error = import(twin, "{         }").unwrap_err();
            assert_eq!(error.to_string(), "an import: 11 bytes, the limit is 10");
        },
    );
}

pub fn cp_10_fork_is_independent_of_original(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![timed("m1", "2025-01-01T00:00:00Z"), message("m2"), set("a", json!(1))]);
        twin.do_it(vec![clear(Some("2025-01-02T00:00:00Z")), message("m3")]);
        let fork = Fork { context_id: Some("ctx_2".to_owned()) };
        let head = twin.store.fork(ANN, fork.clone()).unwrap();
        assert_eq!((head.version, head.oldest, head.messages, head.last_seq), (2, 2, 2, 3));
        assert_eq!(head.metadata["forkedFrom"], json!({"contextId": "ctx_1", "version": 2}));
        assert!(head.creation_us > twin.store.head(ANN).unwrap().creation_us);
        let theirs = Key { owner: "ann", context: "ctx_2" };
        twin.store
            .apply(Update::new("ann", "ctx_2", vec![message("m4"), set("a", json!(2))]))
            .unwrap();
        assert_eq!(twin.ids(), ["m2", "m3"]);
        assert_eq!(twin.state(), json!({"a": 1}));
        let whole = twin.store.get(theirs).unwrap();
        let ids: Vec<String> = whole["messages"].as_array().unwrap().iter().map(id_of).collect();
        assert_eq!(ids, ["m2", "m3", "m4"]);
        assert_eq!(whole["messages"][0]["contextId"], "ctx_2");
        assert_eq!(twin.store.changes(theirs, 2, 10).unwrap().changes.len(), 2);
        twin.store.delete(ANN).unwrap();
        assert_eq!(twin.store.messages(theirs, 0, 10).unwrap().messages.len(), 3);
        assert_eq!(twin.store.fork(theirs, fork).unwrap_err().code(), "context_taken");
        let made = twin.store.fork(theirs, Fork::default()).unwrap();
        assert!(made.context_id.starts_with("ctx_0"));
    });
}

pub fn cp_10_a_deleted_context_is_gone(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![message("m1"), set("a", json!(1))]);
        twin.store.delete(ANN).unwrap();
        assert_eq!(twin.store.get(ANN).unwrap_err().code(), "context_not_found");
        assert_eq!(twin.store.delete(ANN).unwrap_err().code(), "context_not_found");
        assert!(twin.store.owners().unwrap().is_empty());
        let theirs = Update { owner: "bob".to_owned(), ..update(vec![message("m2")]) };
        assert!(twin.store.apply(theirs).unwrap().created, "the id is free");
        assert_eq!(twin.store.state(BOB).unwrap().value, json!({}));
        assert_eq!(twin.store.changes(BOB, 0, 10).unwrap().changes.len(), 1);
    });
}

pub fn cp_12_a_store_that_works_says_so(make: &Make<'_>) {
    each(make, options, |twin| assert_eq!(twin.store.check(), Ok(())));
}
