//! Every JSON example of the source document (CP-3).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure is meant to panic"
)]

mod common;

use common::{Example, examples, messages};
use contexture_protocol::content::Context;
use contexture_protocol::{Batch, Body, ErrorCode, Limits, Message, canonical, schema};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn cp_3_source_examples_round_trip_byte_for_byte() {
    let mut count = 0;
    let mut kinds = BTreeSet::new();
    for example in examples() {
        for value in messages(&example.value) {
            let text = serde_json::to_vec_pretty(&value).unwrap();
            let message = Message::parse(&text, &Limits::WIRE)
                .unwrap_or_else(|refusal| panic!("{}: {refusal}", example.name));
            assert!(message.body.is_known(), "{}", example.name);
            let back: Value = serde_json::from_str(&message.to_json()).unwrap();
            assert_eq!(canonical(&back), canonical(&value), "{}", example.name);
            assert_eq!(message.to_value(), back);
            kinds.insert(message.kind().to_owned());
            count += 1;
        }
    }
    assert_eq!(count, 70);
    let expected = [
        "CLIENT_CAPABILITIES",
        "CONTEXT_UPDATE",
        "ERROR_RESPONSE",
        "INSTRUCTION",
        "MODEL_RESPONSE",
        "SYSTEM_MESSAGE",
        "TOOL_AVAILABILITY_REQUEST",
        "TOOL_AVAILABILITY_RESPONSE",
        "TOOL_CALL_REQUEST",
        "TOOL_CALL_RESPONSE",
        "USER_INPUT",
    ];
    assert_eq!(kinds, expected.map(str::to_owned).into());
}

#[test]
fn cp_9_source_context_round_trips_byte_for_byte() {
    let example = examples().into_iter().find(|example| example.name == "8_1").unwrap();
    let context: Context = serde_json::from_value(example.value.clone()).unwrap();
    assert_eq!(context.messages.as_ref().unwrap().len(), 2);
    let back = serde_json::to_value(&context).unwrap();
    assert_eq!(canonical(&back), canonical(&example.value));
    let validator = jsonschema::validator_for(&schema::context()).unwrap();
    assert!(validator.is_valid(&example.value));
}

#[test]
fn cp_3_examples_of_source_are_valid_by_their_schemas() {
    let schemas = schema::all().map(|(name, schema)| {
        (name, jsonschema::validator_for(&schema).unwrap_or_else(|e| panic!("{name}: {e}")))
    });
    let schemas: BTreeMap<&str, jsonschema::Validator> = schemas.collect();
    for example in examples() {
        for value in messages(&example.value) {
            let validator = &schemas[value["type"].as_str().unwrap()];
            let errors: Vec<String> =
                validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert_eq!(errors, Vec::<String>::new(), "{}", example.name);
        }
    }
}

#[test]
fn cp_3_truncated_example_is_refused() {
    for example in once_each() {
        for value in messages(&example.value) {
            let text = value.to_string();
            for end in 0..text.len() {
                let cut = &text.as_bytes()[..end];
                let refusal = Message::parse(cut, &Limits::WIRE).unwrap_err();
                assert_eq!(refusal.code, ErrorCode::ParseError, "{} at {end}", example.name);
                // The id comes first: it is known as soon as it was read.
                let is_known = end >= r#"{"messageId":"""#.len() + id_of(&value).len();
                assert_eq!(refusal.message_id.is_some(), is_known, "{} at {end}", example.name);
            }
        }
    }
}

/// Returns the examples without their further alternatives.
fn once_each() -> Vec<Example> {
    let mut all = examples();
    all.dedup_by(|one, two| one.name == two.name);
    all
}

fn id_of(value: &Value) -> &str {
    value["messageId"].as_str().unwrap()
}

#[test]
fn cp_3_example_with_damaged_byte_is_refused_or_message() {
    for example in once_each() {
        let Some(value) = messages(&example.value).into_iter().next() else { continue };
        let text = value.to_string().into_bytes();
        for at in 0..text.len() {
            // Neither byte is allowed anywhere in JSON.
            for spoilt in [0x00, 0xff] {
                let mut text = text.clone();
                text[at] = spoilt;
                let refusal = Message::parse(&text, &Limits::WIRE).unwrap_err();
                assert_eq!(refusal.code, ErrorCode::ParseError, "{} at {at}", example.name);
            }
            for other in *b"\"},0" {
                let mut text = text.clone();
                text[at] = other;
                if let Ok(message) = Message::parse(&text, &Limits::WIRE) {
                    let value: Value = serde_json::from_slice(&text).unwrap();
                    assert_eq!(canonical(&message.to_value()), canonical(&value));
                }
            }
        }
    }
}

#[test]
fn cp_3_removed_or_mistyped_field_never_panics() {
    for example in examples() {
        for value in messages(&example.value) {
            for pointer in pointers(&value, String::new()) {
                for other in [Value::Null, 5.into(), "x".into(), Value::Array(vec![])] {
                    let mut changed = value.clone();
                    *changed.pointer_mut(&pointer).unwrap() = other;
                    match Message::from_value(changed.clone(), &Limits::WIRE) {
                        Ok(message) => {
                            assert_eq!(canonical(&message.to_value()), canonical(&changed));
                        }
                        Err(refusal) => {
                            assert_eq!(refusal.code, ErrorCode::ValidationFailed);
                            assert!(
                                refusal
                                    .violations
                                    .iter()
                                    .any(|violation| pointer.starts_with(&violation.pointer)
                                        || violation.pointer.starts_with(&pointer)
                                        || violation.found == "nothing"),
                                "{pointer}: {refusal:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}

fn pointers(value: &Value, at: String) -> Vec<String> {
    let below: Vec<(String, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect(),
        Value::Object(map) => {
            map.iter().map(|(k, v)| (k.replace('~', "~0").replace('/', "~1"), v)).collect()
        }
        _ => Vec::new(),
    };
    let mut all: Vec<String> =
        below.iter().flat_map(|(step, value)| pointers(value, format!("{at}/{step}"))).collect();
    all.push(at);
    all
}

#[test]
fn cp_6_examples_in_one_array_are_one_batch() {
    let values: Vec<Value> =
        examples().iter().flat_map(|example| messages(&example.value)).collect();
    let text = serde_json::to_vec(&values).unwrap();
    let Batch::Many(read) = Batch::parse(&text, &Limits::WIRE).unwrap() else { panic!() };
    assert_eq!(read.len(), values.len());
    for (message, value) in read.iter().zip(&values) {
        assert_eq!(canonical(&message.as_ref().unwrap().to_value()), canonical(value));
    }
}

#[test]
fn cp_3_in_files_bare_type_and_content_suffice() {
    for example in examples() {
        let value = &example.value;
        if value.get("content").is_none() {
            continue;
        }
        let draft = contexture_protocol::Draft::from_value(value.clone(), &Limits::FILE).unwrap();
        assert_eq!(canonical(&draft.to_value()), canonical(value));
        let is_whole = value.get("messageId").is_some();
        assert_eq!(draft.clone().whole().is_some(), is_whole);
        assert_eq!(Message::from_value(value.clone(), &Limits::FILE).is_ok(), is_whole);
        assert!(!matches!(draft.body, Body::Other { .. }));
    }
}
