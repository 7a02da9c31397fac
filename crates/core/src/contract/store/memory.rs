//! The contract of [`Memory`] (AS-26).

use crate::stamp::{FixedStamp, Ids};
use crate::store::memory::{Memory, MemoryOutput, call, call_labelled};
use contexture_context::{Label, Trust};
use serde_json::{Value, json};
use std::sync::Arc;

/// A function that creates an empty memory.
pub type Make<'m> = dyn Fn(Ids) -> Arc<dyn Memory> + 'm;

struct Backend(Arc<dyn Memory>);

fn ids() -> Ids {
    // One second per reading, from 2026-08-01.
    Ids::new(Arc::new(FixedStamp::new(1_785_542_400_000_000, 1_000_000)))
}

fn made(make: &Make<'_>) -> Backend {
    Backend(make(ids()))
}

impl Backend {
    fn call(&self, method: &str, argument: Value) -> MemoryOutput {
        call(&*self.0, method, argument).unwrap()
    }

    fn add(&self, record: Value) -> Value {
        self.call("add", record).value
    }

    fn query(&self, argument: Value) -> Vec<Value> {
        self.call("query", argument).value.as_array().unwrap().clone()
    }

    /// Returns the texts that a query finds, in order.
    fn texts(&self, argument: Value) -> Vec<String> {
        let records = self.query(argument);
        records.iter().map(|record| record["text"].as_str().unwrap().to_owned()).collect()
    }

    fn error(&self, method: &str, argument: Value) -> (&'static str, String) {
        let error = call(&*self.0, method, argument).unwrap_err();
        assert!(!error.help().is_empty());
        (error.code(), error.to_string())
    }
}

pub fn as_26_add_returns_flat_record_with_id_and_times(make: &Make<'_>) {
    let backend = &made(make);
    let record =
        backend.add(json!({"kind": "lesson", "text": "t", "goal": {"deep": [1, 2.5, null]}}));
    let id = record["id"].as_str().unwrap();
    assert_eq!(id.len(), 26);
    let expected = json!({
        "id": id,
        "kind": "lesson",
        "text": "t",
        "goal": {"deep": [1, 2.5, null]},
        "created_at": "2026-08-01T00:00:00.000Z",
        "updated_at": "2026-08-01T00:00:00.000Z",
    });
    assert_eq!(record, expected);
    assert_eq!(backend.query(json!({})), [expected]);
    assert!(backend.add(json!({}))["id"].as_str().unwrap() > id);
}

pub fn gu_4_record_keeps_lowest_label_and_shows_none(make: &Make<'_>) {
    let backend = &made(make);
    let page = Label::of("https://page", Trust::Web).answered("answer 1");
    let add = |fields, label| call_labelled(&*backend.0, "add", fields, label).unwrap();
    let added = add(json!({"text": "one", "n": 1}), &page);
    assert_eq!((added.value.get("$label"), &added.label), (None, &page));
    add(json!({"text": "two"}), &Label::default());
    let id = added.value["id"].clone();
    backend.call("update", json!({"id": id, "n": 2}));
    let found = backend.call("query", json!({"kind": null}));
    assert_eq!(found.label, page, "a change by the program leaves it as low as it was");
    assert!(found.value.as_array().unwrap().iter().all(|record| record.get("$label").is_none()));
    assert!(backend.texts(json!({"text": "page answer"})).is_empty(), "it is not searched");
    let file = Label::of("a.md", Trust::Tool);
    call_labelled(&*backend.0, "update", json!({"id": id, "n": 3}), &file).unwrap();
    let label = backend.call("query", json!({"where": {"n": 3}})).label;
    assert_eq!((label.trust, label.sources.len()), (Trust::Web, 2));
    for method in ["add", "update"] {
        let (_, message) = backend.error(method, json!({"id": id, "$label": {}}));
        assert!(message.contains("set by the memory"), "{message}");
    }
}

pub fn as_26_query_without_text_returns_newest_first(make: &Make<'_>) {
    let backend = &made(make);
    for text in ["one", "two", "three"] {
        backend.add(json!({"text": text}));
    }
    assert_eq!(backend.texts(json!({})), ["three", "two", "one"]);
    assert_eq!(backend.texts(json!({"limit": 2})), ["three", "two"]);
    assert_eq!(backend.texts(json!({"text": "", "kind": null})), ["three", "two", "one"]);
    assert_eq!(backend.texts(Value::Null).len(), 3);
}

pub fn as_26_query_by_kind_and_fields(make: &Make<'_>) {
    let backend = &made(make);
    backend.add(json!({"kind": "a", "text": "1", "n": 1, "o": {"x": 1, "y": [true]}}));
    backend.add(json!({"kind": "b", "text": "2", "n": 1}));
    backend.add(json!({"kind": "a", "text": "3", "n": 2}));
    backend.add(json!({"text": "4"}));
    assert_eq!(backend.texts(json!({"kind": "a"})), ["3", "1"]);
    assert_eq!(backend.texts(json!({"kind": "A"})), [""; 0]);
    assert_eq!(backend.texts(json!({"where": {"n": 1.0}})), ["2", "1"]);
    assert_eq!(backend.texts(json!({"kind": "a", "where": {"n": 1}})), ["1"]);
    assert_eq!(backend.texts(json!({"where": {"o": {"y": [true], "x": 1}}})), ["1"]);
    assert_eq!(backend.texts(json!({"where": {"o": {"x": 1}}})), [""; 0]);
    assert_eq!(backend.texts(json!({"where": {"n": null}})), ["4"]);
    assert_eq!(backend.texts(json!({"where": {"constructor": null, "n": 2}})), ["3"]);
}

pub fn as_26_text_search_returns_most_relevant_first(make: &Make<'_>) {
    let backend = &made(make);
    backend.add(json!({"kind": "k", "text": "The login tests need a seeded database"}));
    backend.add(json!({"kind": "k", "text": "Deploy on Tuesdays"}));
    backend.add(json!({"kind": "k", "text": "Unrelated notes about cooking rice"}));
    backend.add(json!({"kind": "k", "text": "A database backup runs nightly"}));
    backend.add(json!({"kind": "other", "text": "login"}));
    backend.add(json!({"kind": "k", "text": "tea", "goal": "Fix the login page"}));
    let found = backend.texts(json!({"kind": "k", "text": "failing LOGIN test of the database"}));
    assert_eq!(found.first().unwrap(), "The login tests need a seeded database");
    assert_eq!(found.len(), 3);
    assert!(found.contains(&"tea".to_owned()));
    assert_eq!(backend.texts(json!({"text": "tuesday"})), ["Deploy on Tuesdays"]);
    assert_eq!(backend.texts(json!({"text": "login", "limit": 1})), ["login"]);
    assert_eq!(backend.texts(json!({"text": "nothing like it"})), [""; 0]);
    assert_eq!(backend.texts(json!({"text": "login", "where": {"kind": "other"}})), ["login"]);
}

pub fn as_26_word_in_text_counts_more_than_in_other_fields(make: &Make<'_>) {
    let backend = &made(make);
    for filler in ["a b c", "d e f", "g h i", "j k l"] {
        backend.add(json!({"text": filler}));
    }
    backend.add(json!({"text": "cache x"}));
    backend.add(json!({"text": "x y", "note": "cache"}));
    assert_eq!(backend.texts(json!({"text": "cache"})), ["cache x", "x y"]);
}

pub fn as_26_equally_relevant_records_come_newest_first(make: &Make<'_>) {
    let backend = &made(make);
    for n in 0..3 {
        backend.add(json!({"text": "same words", "n": n}));
    }
    let found = backend.query(json!({"text": "same"}));
    let order: Vec<_> = found.iter().map(|record| record["n"].as_u64().unwrap()).collect();
    assert_eq!(order, [2, 1, 0]);
}

pub fn as_26_text_of_any_script_is_found(make: &Make<'_>) {
    let backend = &made(make);
    for text in [
        "部署前先备份数据库",
        "会议定在周三下午",
        "テストの前にデータを準備する",
        "données perdues",
        "проверка связи",
        "สวัสดีชาวโลก",
        "데이터베이스를 백업",
        "done 🎉",
    ] {
        backend.add(json!({"text": text}));
    }
    for (search, expected) in [
        ("数据库", "部署前先备份数据库"),
        ("库", "部署前先备份数据库"),
        ("怎样备份数据?", "部署前先备份数据库"),
        ("周三", "会议定在周三下午"),
        ("テスト", "テストの前にデータを準備する"),
        ("DONNEES", "données perdues"),
        ("Связи", "проверка связи"),
        ("ชาวโลก", "สวัสดีชาวโลก"),
        ("데이터베이스", "데이터베이스를 백업"),
        ("🎉", "done 🎉"),
    ] {
        assert_eq!(
            backend.texts(json!({"text": search})).first().map(String::as_str),
            Some(expected),
            "{search}"
        );
    }
    assert_eq!(backend.texts(json!({"text": "汽车"})), [""; 0]);
}

pub fn as_26_text_that_looks_like_query_is_searched_as_words(make: &Make<'_>) {
    let backend = &made(make);
    backend.add(json!({"text": "quotes \" and (parens) OR NOT near* col:umn ' -- ;"}));
    for text in [
        "\"",
        "(",
        "parens)",
        "NOT",
        "a AND OR",
        "near*",
        "text:umn",
        "'; drop table records; --",
        "{",
        "^x",
        "-umn",
    ] {
        call(&*backend.0, "query", json!({"text": text})).unwrap();
    }
    assert_eq!(backend.texts(json!({"text": "text:umn"})).len(), 1);
    let nothing = backend.call("query", json!({"text": "?!"}));
    assert_eq!((nothing.value, nothing.notes.len()), (json!([]), 1));
    let long: String = (0..200).map(|n| format!("word{n} ")).collect();
    assert_eq!(backend.call("query", json!({"text": long})).notes.len(), 1);
}

pub fn as_26_update_sets_fields_and_time(make: &Make<'_>) {
    let backend = &made(make);
    let old = backend.add(json!({"kind": "a", "text": "old words", "n": 1}));
    backend.add(json!({"text": "later"}));
    let id = old["id"].clone();
    let new = backend.call("update", json!({"id": id, "text": "fresh words", "m": [2]})).value;
    assert_eq!((&new["id"], &new["created_at"], &new["n"]), (&id, &old["created_at"], &json!(1)));
    assert_eq!((&new["text"], &new["m"]), (&json!("fresh words"), &json!([2])));
    assert!(new["updated_at"].as_str() > old["updated_at"].as_str());
    assert_eq!(backend.query(json!({"text": "fresh"})), std::slice::from_ref(&new));
    assert!(backend.query(json!({"text": "old"})).is_empty());
    // A record that came from a query can be handed back as it is; its place stays.
    let same = backend.call("update", new).value;
    assert_eq!(same["created_at"], old["created_at"]);
    assert_eq!(backend.texts(json!({})), ["later", "fresh words"]);
    assert_eq!(
        backend.error("update", json!({"id": "no", "n": 1})),
        ("record_not_found", "the memory has no record `no`".to_owned())
    );
}

pub fn as_26_delete_removes_record(make: &Make<'_>) {
    let backend = &made(make);
    assert_eq!(backend.call("delete", json!({"id": "no"})).value, json!({"ok": false}));
    let one = backend.add(json!({"text": "one thing"}));
    backend.add(json!({"text": "two thing"}));
    assert_eq!(backend.call("delete", json!({"id": one["id"]})).value, json!({"ok": true}));
    assert_eq!(backend.texts(json!({"text": "thing"})), ["two thing"]);
    assert_eq!(backend.texts(json!({})), ["two thing"]);
    assert_eq!(backend.call("delete", json!({"id": one["id"]})).value, json!({"ok": false}));
    assert_eq!(backend.error("update", json!({"id": one["id"]})).0, "record_not_found");
}

pub fn as_26_arguments_are_checked(make: &Make<'_>) {
    let backend = &made(make);
    for (method, argument, message) in [
        ("add", json!("x"), "add: expected an object, found a string"),
        ("add", json!({"id": "1"}), "add: `id` is set by the memory"),
        ("add", json!({"created_at": "now"}), "add: `created_at` is set by the memory"),
        ("add", json!({"$deleted": true}), "add: `$deleted` is set by the memory"),
        ("add", json!({"kind": 7}), "add: `kind` must be a string, found 7"),
        ("add", json!({"text": ["a"]}), "add: `text` must be a string, found a list"),
        ("query", json!({"knid": "a"}), "query: there is no argument `knid`"),
        (
            "query",
            json!({"where": "a"}),
            "query: `where` must be an object of fields, found a string",
        ),
        (
            "query",
            json!({"limit": 0}),
            "query: `limit` must be a whole number from 1 to 1000, found 0",
        ),
        (
            "query",
            json!({"limit": 1.5}),
            "query: `limit` must be a whole number from 1 to 1000, found 1.5",
        ),
        (
            "query",
            json!({"limit": -1}),
            "query: `limit` must be a whole number from 1 to 1000, found -1",
        ),
        (
            "query",
            json!({"limit": 1001}),
            "query: `limit` must be a whole number from 1 to 1000, found 1001",
        ),
        ("query", json!({"text": 1}), "query: `text` must be a string, found 1"),
        ("query", json!([]), "query: expected an object, found a list"),
        ("update", json!({"text": "x"}), "update: the argument `id` is missing"),
        ("update", json!({"id": 1}), "update: `id` must be a string, found 1"),
        ("delete", json!({"id": "a", "text": "b"}), "delete: there is no argument `text`"),
    ] {
        assert_eq!(backend.error(method, argument), ("bad_argument", message.to_owned()));
    }
    assert_eq!(backend.error("queery", json!({})).0, "method_unknown");
    assert_eq!(backend.query(json!({"limit": 5.0})), [Value::Null; 0]);
    assert_eq!(backend.error("add", json!({"text": "x".repeat(1 << 20)})).0, "record_too_large");
}

pub fn as_26_a_limit_that_leaves_records_out_is_told(make: &Make<'_>) {
    let backend = &made(make);
    for n in 0..21 {
        backend.add(json!({"text": "x", "n": n}));
    }
    let all = backend.call("query", json!({"limit": 21}));
    assert!(!all.truncated && all.notes.is_empty());
    let asked = backend.call("query", json!({"limit": 20}));
    assert!(asked.truncated && asked.notes.is_empty());
    let default = backend.call("query", json!({"text": "x"}));
    assert_eq!(default.notes, ["there are more than the 20 records returned"]);
    assert_eq!(default.value.as_array().unwrap().len(), 20);
}

pub fn as_26_odd_names_and_texts_survive(make: &Make<'_>) {
    let backend = &made(make);
    let record = backend.add(json!({
        "__proto__": "p", "constructor": 1, "": "empty", "键": "值\u{0}\u{2028}\n\r\"\\", "text": "\u{feff}x\ny",
        "big": u64::MAX, "small": i64::MIN, "float": 1e-300,
    }));
    assert_eq!(backend.query(json!({})), [record]);
}

pub fn as_26_concurrent_writers_lose_no_records(make: &Make<'_>) {
    let backend = &made(make);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || {
                for n in 0..25 {
                    backend.add(json!({"text": format!("w{writer} n{n}")}));
                }
            });
        }
    });
    assert_eq!(backend.query(json!({"limit": 1000})).len(), 100);
}

pub fn as_26_a_query_makes_nothing(make: &Make<'_>) {
    let backend = &made(make);
    assert!(backend.query(json!({"text": "x"})).is_empty());
    assert_eq!(backend.error("update", json!({"id": "x"})).0, "record_not_found");
    backend.call("delete", json!({"id": "x"}));
}
