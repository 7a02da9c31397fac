//! Reports of a reading besides its value: repairs, coercions, errors, limits.

use contexture_answer::{
    AnswerError, Extra, Field, Limits, Partial, ReadOptions, Reading, RepairKind, Shape, contract,
    read, repair_message, validate,
};
use serde_json::{Value, json};

fn lenient(raw: &str, shape: Option<&Shape>) -> Result<Reading, AnswerError> {
    read(raw, shape, &ReadOptions::lenient())
}

fn limited(limits: Limits) -> ReadOptions {
    ReadOptions { limits, ..ReadOptions::default() }
}

fn person() -> Shape {
    Shape::Object(vec![
        Field::new("name", Shape::String).describe("As on the badge"),
        Field::new("age", Shape::Integer),
        Field::new("role", Shape::one_of(["dev", "ops"])).optional(),
    ])
}

#[test]
fn as_21_exact_json_needs_no_repair() {
    let reading = lenient(r#" {"name": "Ada", "age": 36} "#, Some(&person())).unwrap();
    assert_eq!(reading.repairs, []);
    assert_eq!(reading.coerced, []);
}

#[test]
fn as_21_repairs_are_counted_by_kind_with_first_place() {
    let raw = "Here: {'name': 'Ada', age: 36, tags: [1,], } // ok";
    let reading = lenient(raw, Some(&person())).unwrap();
    let found: Vec<(RepairKind, usize, usize)> =
        reading.repairs.iter().map(|repair| (repair.kind, repair.count, repair.at)).collect();
    assert_eq!(
        found,
        [
            (RepairKind::TextAround, 2, 0),
            (RepairKind::OtherQuotes, 2, 7),
            (RepairKind::UnquotedKey, 2, 22),
            (RepairKind::ExtraComma, 2, 40),
        ]
    );
    assert_eq!(
        reading.repairs[1].to_string(),
        "other quotes read as double quotes at byte 7 (2 times)"
    );
}

#[test]
fn as_21_duplicate_keys_are_noted_even_in_valid_json() {
    let reading = lenient(r#"{"a": 1, "a": 2}"#, None).unwrap();
    assert_eq!(reading.value, json!({"a": 2}));
    assert_eq!(reading.repairs[0].kind, RepairKind::DuplicateKey);
}

#[test]
fn as_21_coercions_are_reported_by_path() {
    let shape = Shape::Object(vec![Field::new("people", Shape::list(person()))]);
    let raw = r#"{"people": [{"name": "Ada", "age": "36", "role": "DEV"}]}"#;
    let coerced = lenient(raw, Some(&shape)).unwrap().coerced;
    let lines: Vec<String> = coerced.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [r#"people[0].age: "36" read as 36"#, r#"people[0].role: "DEV" read as "dev""#]
    );
}

#[test]
fn as_21_errors_name_expected_and_found() {
    let shape = Shape::Object(vec![
        Field::new("people", Shape::list(person())),
        Field::new("n", Shape::Integer),
        Field::new("ok", Shape::Boolean),
        Field::new("tags", Shape::list(Shape::String)),
    ]);
    let raw =
        r#"{"people": [{"name": 7, "age": 3.5, "role": "boss"}, []], "n": 1e30, "tags": {"a": 1}}"#;
    let error = lenient(raw, Some(&shape)).unwrap_err();
    let lines: Vec<String> = error.errors().iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "people[0].name: expected string, found number 7",
            "people[0].age: expected integer, found number 3.5 (not whole)",
            r#"people[0].role: expected one of "dev", "ops", found string "boss""#,
            "people[1]: expected object, found an empty list",
            "n: expected integer, found number 1e+30 (beyond 64 bits)",
            "ok: expected boolean, found nothing: the field is missing",
            r#"tags: expected list[string], found an object with "a""#,
        ]
    );
    assert_eq!(error.to_string(), lines.join("; "));
}

#[test]
fn as_21_errors_beyond_limit_are_counted() {
    let items: Vec<Value> = (0..60).map(Value::from).collect();
    let raw = Value::Array(items).to_string();
    let Err(AnswerError::Mismatch { errors, more, .. }) =
        lenient(&raw, Some(&Shape::list(Shape::String)))
    else {
        panic!("no string is in the list");
    };
    assert_eq!((errors.len(), more), (50, 10));
}

#[test]
fn as_21_error_without_value_shows_text() {
    let cases = [
        ("", "expected a JSON object, found an empty answer"),
        ("I can't.", "expected a JSON object, found text without one: \"I can't.\""),
        ("<think>hm", "expected a JSON object, found thinking without an answer"),
    ];
    for (raw, expected) in cases {
        let error = lenient(raw, Some(&person())).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.errors()[0].path, "");
    }
}

#[test]
fn as_21_strict_errors_name_line_and_column() {
    let error = read("{\"a\": 1,}", None, &ReadOptions::strict()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the answer is not exact JSON: trailing comma at line 1 column 9"
    );
    assert!(error.help().contains("strict"));
}

#[test]
fn as_21_strict_refuses_other_fields_by_path() {
    let value = json!({"people": [{"name": "Ada", "age": 1, "x y": null}]});
    let shape = Shape::Object(vec![Field::new("people", Shape::list(person()))]);
    let faults = validate(&value, &shape, Extra::Refused, 10);
    assert_eq!(
        faults.errors[0].to_string(),
        r#"people[0]["x y"]: expected no field of this name, found null"#
    );
    assert!(validate(&value, &shape, Extra::Kept, 10).is_empty());
}

#[test]
fn as_21_too_long_answer_is_error() {
    let limits = Limits { max_bytes: 8, ..Limits::default() };
    for strict in [false, true] {
        let options = ReadOptions { strict, limits };
        assert_eq!(
            read("{\"a\": 123}", None, &options),
            Err(AnswerError::TooLarge { bytes: 10, limit: 8 })
        );
    }
}

#[test]
fn as_21_too_deep_answer_is_error() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(lenient(&nested(127), None).is_ok());
    assert_eq!(lenient(&nested(128), None), Err(AnswerError::TooDeep { at: 0, limit: 127 }));
    assert!(lenient(&"{\"a\":[".repeat(100_000), None).is_err());
    let limits = Limits { max_depth: 2, ..Limits::default() };
    for strict in [false, true] {
        let options = ReadOptions { strict, limits };
        assert!(read("[[1]]", None, &options).is_ok());
        assert_eq!(read("[[[1]]]", None, &options), Err(AnswerError::TooDeep { at: 0, limit: 2 }));
    }
    assert!(read(&nested(128), None, &ReadOptions::strict()).is_err());
}

#[test]
fn as_21_too_deep_value_beside_valid_one_is_ignored() {
    let raw =
        format!("{}\"]\"{} {{\"name\": \"Ada\", \"age\": 36}}", "[".repeat(300), "]".repeat(300));
    let reading = lenient(&raw, Some(&person())).unwrap();
    assert_eq!(reading.value, json!({"name": "Ada", "age": 36}));
}

#[test]
fn as_21_without_shape_last_value_except_citations_counts() {
    let reading = lenient("{\"a\": 1} and {\"b\": 2}, see [3].", None).unwrap();
    assert_eq!(reading.value, json!({"b": 2}));
    assert_eq!(lenient("[3]", None).unwrap().value, json!([3]));
    assert_eq!(lenient("\"a {b} c\"", None).unwrap().value, json!("a {b} c"));
    assert_eq!(lenient("True", None).unwrap().value, json!(true));
    assert!(lenient("nothing here", None).is_err());
}

#[test]
fn as_21_prototype_like_names_are_plain_keys() {
    let raw = r#"{__proto__: {"constructor": 1}, constructor: [], "hasOwnProperty": null}"#;
    assert_eq!(
        lenient(raw, None).unwrap().value,
        json!({"__proto__": {"constructor": 1}, "constructor": [], "hasOwnProperty": null})
    );
}

#[test]
fn as_20_contract_shows_every_kind_of_field() {
    let shape = Shape::Object(vec![
        Field::new("title", Shape::String),
        Field::new("score", Shape::Number).describe("0 to 1,\nhigher is better"),
        Field::new("people", Shape::list(person())).describe("Who took part"),
        Field::new("kinds", Shape::list(Shape::one_of(["a \"b\"", "c"]))),
        Field::new("first name", Shape::List(None)).optional(),
        Field::new("any", Shape::Json),
        Field::new("none", Shape::Object(vec![])),
    ]);
    assert_eq!(
        contract(&shape),
        r#"Answer with one JSON object and nothing else: no text around it, no code fence, no comments.
A field marked with `?` may be left out.
It has this form:
{
  "title": string,
  // 0 to 1,
  // higher is better
  "score": number,
  // Who took part
  "people": [{
    // As on the badge
    "name": string,
    "age": integer,
    "role"?: "dev" | "ops"
  }, ...],
  "kinds": ["a \"b\"" | "c", ...],
  "first name"?: [...],
  "any": any JSON value,
  "none": {}
}"#
    );
    assert_eq!(
        contract(&Shape::list(Shape::Integer)),
        "Answer with one JSON array and nothing else: no text around it, no code fence, no comments.\n\
         It has this form:\n[integer, ...]"
    );
}

#[test]
fn as_22_repair_message_contains_errors_answer_and_contract() {
    let shape = Shape::Object(vec![Field::new("ok", Shape::Boolean)]);
    let raw = "```json\n{\"ok\": \"perhaps {errors}\"}\n```";
    let error = lenient(raw, Some(&shape)).unwrap_err();
    assert_eq!(
        repair_message(raw, &error, &shape),
        r#"Your last answer could not be used.
What is wrong:
- ok: expected boolean, found string "perhaps {errors}"
Your last answer was:
````
```json
{"ok": "perhaps {errors}"}
```
````
Answer again, with the whole value and all of these faults mended.
Answer with one JSON object and nothing else: no text around it, no code fence, no comments.
It has this form:
{
  "ok": boolean
}"#
    );
}

#[test]
fn as_22_repair_message_has_bounded_length() {
    let shape = Shape::list(Shape::String);
    let items: Vec<Value> = (0..20_000).map(Value::from).collect();
    let raw = Value::Array(items).to_string();
    let error = lenient(&raw, Some(&shape)).unwrap_err();
    let message = repair_message(&raw, &error, &shape);
    assert!(message.chars().count() < 18_500);
    assert!(message.contains("- [19]: expected string, found number 19\n- and 19980 more"));
    assert!(message.contains(&format!(
        "… [{} of {} characters left out] …",
        raw.len() - 16_000,
        raw.len()
    )));
}

#[test]
fn as_22_repair_message_after_empty_answer_says_empty() {
    let error = lenient("", Some(&person())).unwrap_err();
    let message = repair_message("", &error, &person());
    assert!(message.contains("- the answer: expected a JSON object, found an empty answer"));
    assert!(message.contains("Your last answer was:\n(empty)\n"));
}

#[test]
fn as_23_partial_values_grow_and_omit_uncertain_parts() {
    let shape = Shape::Object(vec![
        Field::new("title", Shape::String),
        Field::new("level", Shape::one_of(["low", "lower"])),
        Field::new("n", Shape::Integer),
        Field::new("ok", Shape::Boolean),
        Field::new("rows", Shape::list(person())),
    ]);
    let steps = [
        ("<think>{\"title\": \"draft\"}", None),
        ("</think>```json\n{", Some(json!({}))),
        ("\"tit", Some(json!({}))),
        ("le\": \"A st", Some(json!({"title": "A st"}))),
        ("ory\\", Some(json!({"title": "A story"}))),
        ("n\", \"level\"", Some(json!({"title": "A story\n"}))),
        (": \"lo", Some(json!({"title": "A story\n"}))),
        ("w\", \"n\": 1", Some(json!({"title": "A story\n", "level": "low"}))),
        ("2", Some(json!({"title": "A story\n", "level": "low"}))),
        (
            ", \"ok\": \"true\", \"rows\": [{\"name\": \"A",
            Some(
                json!({"title": "A story\n", "level": "low", "n": 12, "ok": true, "rows": [{"name": "A"}]}),
            ),
        ),
    ];
    let mut partial = Partial::new(Some(shape));
    for (chunk, expected) in steps {
        partial.push(chunk);
        partial.refresh();
        assert_eq!(partial.value(), expected.as_ref(), "{}", partial.text());
    }
}

#[test]
fn ca_8_small_object_grows_with_each_chunk() {
    let mut partial = Partial::new(Some(Shape::Object(vec![Field::new("a", Shape::String)])));
    partial.push("{\"a\": \"");
    for n in 1..400 {
        let value = partial.push("x y,");
        assert_eq!(value, Some(&json!({"a": "x y,".repeat(n)})));
    }
}

#[test]
fn ca_1_whole_object_counts_before_one_that_broke_off() {
    let shape = Shape::Object(vec![Field::new("a", Shape::String)]);
    for (text, expected, is_cut) in [
        ("{\"a\":\"x\"} then {\"a\": \"y", "x", false),
        ("{\"a\":\"x\"}\n{\"a\":\"y\"}\n{\"a\": \"z\"", "y", false),
        ("{\"a\":\"x\"} then {\"a\": \"y\"}", "y", false),
        ("{\"a\": \"y", "y", true),
    ] {
        let reading = read(text, Some(&shape), &ReadOptions::default()).unwrap();
        assert_eq!((reading.value, reading.is_cut), (json!({"a": expected}), is_cut), "{text}");
    }
}

#[test]
fn as_23_partial_values_are_reread_rarely() {
    let mut partial = Partial::new(None);
    partial.push("{\"items\": [");
    let mut news = 0;
    for n in 0..10_000 {
        news += usize::from(partial.push(&format!("\"item {n}\",")).is_some());
    }
    // 130 KB: a reading for each chunk while it is short, then one per 3 % of growth.
    assert!((300..600).contains(&news), "{news}");
    partial.push("]}");
    partial.refresh();
    let items = partial.value().and_then(|value| value["items"].as_array());
    assert_eq!(items.map(Vec::len), Some(10_000));
}

#[test]
fn as_23_partial_text_beyond_limit_changes_nothing() {
    let options = limited(Limits { max_bytes: 20, ..Limits::default() });
    let mut partial = Partial::with_limits(None, options.limits);
    partial.push("{\"a\": \"0123456789");
    partial.push("0123456789");
    partial.push("0123456789");
    assert_eq!(partial.value(), Some(&json!({"a": "0123456789"})));
    assert!(partial.text().len() < 40);
}
