//! Changes of the metadata by merge patches (WA-7).

use super::*;
use serde_json::Map;

fn patch(patch: Value) -> Operation {
    let Value::Object(patch) = patch else { panic!("{patch}") };
    Operation::UpdateMetadata { patch }
}

fn metadata(twin: &Twin) -> Value {
    Value::Object(twin.store.head(ANN).unwrap().metadata)
}

fn first(twin: &Twin) {
    let metadata = json!({"userId": "ann", "clientInfo": {"device": "phone", "version": "1"}});
    let metadata: Map<String, Value> = metadata.as_object().unwrap().clone();
    twin.store.apply(Update { metadata, ..update(vec![message("m1")]) }).unwrap();
}

pub fn wa_7_patch_of_metadata_makes_version_and_stands_in_log(make: &Make<'_>) {
    each(make, options, |twin| {
        first(twin);
        let change = json!({"title": "天气", "clientInfo": {"version": null, "n": [1]}});
        let applied = twin.do_it(vec![patch(change.clone())]);
        assert_eq!((applied.version, applied.changes.len()), (2, 1));
        let expected = json!({"userId": "ann", "title": "天气",
            "clientInfo": {"device": "phone", "n": [1]}});
        assert_eq!(metadata(twin), expected);
        assert_eq!(twin.store.head(ANN).unwrap().title(), Some("天气"));
        let log = json!([{"version": 2, "op": "UPDATE_METADATA", "value": change}]);
        assert_eq!(twin.log(1), log);
        assert_eq!(twin.store.changes(ANN, 1, 10).unwrap().changes, applied.changes);
        // The same again is an update like others, and changes nothing else.
        assert_eq!(twin.do_it(vec![patch(change)]).version, 3);
        assert_eq!(metadata(twin), expected);
        twin.do_it(vec![patch(json!({"title": null, "missing": null}))]);
        assert_eq!(twin.store.head(ANN).unwrap().title(), None);
        let copy = twin.store.fork(ANN, Fork::default()).unwrap();
        assert_eq!(copy.metadata["clientInfo"], expected["clientInfo"]);
    });
}

pub fn wa_7_patch_of_user_id_is_refused_and_changes_nothing(make: &Make<'_>) {
    each(make, options, |twin| {
        first(twin);
        for change in [json!("bob"), json!(null), json!({"a": 1})] {
            let bad = update(vec![message("m2"), patch(json!({"title": "t", "userId": change}))]);
            let error = twin.refused(bad);
            assert!(matches!(error, ContextError::Invalid { .. }), "{error}");
            assert!(error.to_string().starts_with("/metadata/userId: "), "{error}");
        }
        let head = twin.store.head(ANN).unwrap();
        assert_eq!((head.version, head.messages, head.title()), (1, 1, None));
        twin.do_it(vec![patch(json!({"userId": "ann", "title": "t"}))]);
        assert_eq!(twin.store.head(ANN).unwrap().title(), Some("t"));
        let other = Update { owner: "bob".to_owned(), ..update(vec![patch(json!({"a": 1}))]) };
        assert_eq!(twin.refused(other), ContextError::NotFound("ctx_1".to_owned()));
    });
}

pub fn wa_7_patch_makes_context_with_its_metadata(make: &Make<'_>) {
    each(make, options, |twin| {
        let begun = json!({"userId": "ann", "a": 1}).as_object().unwrap().clone();
        let made = Update { metadata: begun, ..update(vec![patch(json!({"a": 2, "b": null}))]) };
        assert!(twin.store.apply(made).unwrap().created);
        assert_eq!(metadata(twin), json!({"userId": "ann", "a": 2}));
    });
}

pub fn wa_7_stale_patch_of_same_field_conflicts(make: &Make<'_>) {
    each(make, options, |twin| {
        first(twin);
        twin.do_it(vec![patch(json!({"title": "a"})), set("title", json!("state"))]);
        let error = twin.refused(based(1, vec![patch(json!({"x": 1, "title": "b"}))]));
        let ContextError::VersionConflict { conflicting, .. } = error else { panic!("{error}") };
        assert_eq!(conflicting[0].what.operation(), "UPDATE_METADATA");
        assert_eq!(conflicting.len(), 1);
        assert!(twin.store.apply(based(1, vec![patch(json!({"x": 1}))])).unwrap().merged);
        // The state and the metadata are two places.
        assert!(twin.store.apply(based(2, vec![set("x", json!(1))])).unwrap().merged);
        assert!(twin.refused(based(1, vec![set("title", json!(1))])).to_string().contains("seen"));
    });
}

pub fn wa_7_patch_beyond_limits_is_refused(make: &Make<'_>) {
    let limits = Limits { metadata_bytes: 100, depth: 4, ..Limits::default() };
    each(
        make,
        || Setup { limits, ..options() },
        |twin| {
            twin.do_it(vec![patch(json!({"a": "x".repeat(60)}))]);
            for (change, what) in [
                (json!({"b": "y".repeat(60)}), "the metadata: 135 bytes, the limit is 100"),
                (json!({"b": "y".repeat(200)}), "the metadata: 208 bytes, the limit is 100"),
                (json!({"b": [[[[1]]]]}), "the metadata: 5 levels, the limit is 4"),
            ] {
                assert_eq!(twin.refused(update(vec![patch(change)])).to_string(), what);
            }
            twin.do_it(vec![patch(json!({"a": null})), patch(json!({"b": "y".repeat(60)}))]);
            assert_eq!(twin.store.head(ANN).unwrap().version, 2);
        },
    );
}
