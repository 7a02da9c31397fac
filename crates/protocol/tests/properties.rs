//! Properties of every message.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure is meant to panic"
)]

mod common;

use contexture_protocol::{
    Batch, Body, Draft, KINDS, Limits, Message, StatePath, Timestamp, canonical, reference,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(|number| json!(number)),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            btree_map(name(), inner, 0..5).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Names of fields of the protocol, and odd ones.
const KNOWN: &[&str] = &[
    "text",
    "type",
    "content",
    "calls",
    "toolCalls",
    "callId",
    "name",
    "parameters",
    "status",
    "results",
    "error",
    "code",
    "message",
    "path",
    "value",
    "operation",
    "timeout",
    "sender",
    "messageId",
    "contextId",
    "instructions",
    "action",
    "metadata",
    "extra",
    "a.b",
    "~/",
];

/// Generates names of fields: those of the protocol, and others.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![proptest::sample::select(KNOWN).prop_map(str::to_owned), "[a-z]{1,6}"]
}

/// Generates an example of a type, with additional fields everywhere.
fn any_message() -> impl Strategy<Value = Value> {
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let further = btree_map("x[a-z]{1,4}", any_json(), 0..4);
    (proptest::sample::select(kinds), further).prop_map(|(kind, further)| {
        let mut value: Value = serde_json::from_str(&reference::example(kind).unwrap()).unwrap();
        add(&mut value, &further);
        for pointer in ["/content", "/sender", "/content/calls/0", "/content/results/0"] {
            if let Some(place) = value.pointer_mut(pointer) {
                add(place, &further);
            }
        }
        value
    })
}

fn add(place: &mut Value, further: &std::collections::BTreeMap<String, Value>) {
    if let Value::Object(map) = place {
        map.extend(further.clone());
    }
}

proptest! {
    #[test]
    fn cp_1_message_with_unknown_fields_round_trips(value in any_message()) {
        let message = Message::from_value(value.clone(), &Limits::WIRE).unwrap();
        prop_assert_eq!(canonical(&message.to_value()), canonical(&value));
        let again = Message::parse(message.to_json().as_bytes(), &Limits::WIRE).unwrap();
        prop_assert_eq!(&again, &message);
        prop_assert_eq!(again.identity(), message.identity());
    }

    #[test]
    fn cp_3_any_content_is_read_or_refused_with_place(
        kind in 0..KINDS.len(),
        content in any_json(),
    ) {
        let name = KINDS[kind].name;
        match Body::from_content(name, content.clone(), &Limits::WIRE) {
            Ok(body) => prop_assert_eq!(canonical(&body.content()), canonical(&content)),
            Err(refusal) => {
                prop_assert!(!refusal.violations.is_empty());
                for violation in &refusal.violations {
                    // The place exists, or it is the place of a missing field.
                    let (above, _) = violation.pointer.rsplit_once('/').unwrap_or(("", ""));
                    let is_there = content.pointer(&violation.pointer).is_some();
                    let is_missing = violation.found == "nothing" && content.pointer(above).is_some();
                    prop_assert!(is_there || is_missing, "{}", violation);
                }
            }
        }
    }

    #[test]
    fn cp_3_any_json_is_read_or_refused(value in any_json()) {
        let text = value.to_string();
        let _ = Message::parse(text.as_bytes(), &Limits::WIRE);
        if let Ok(draft) = Draft::parse(text.as_bytes(), &Limits::WIRE) {
            prop_assert_eq!(canonical(&draft.to_value()), canonical(&value));
        }
        let _ = Batch::parse(text.as_bytes(), &Limits::WIRE);
    }

    #[test]
    fn cp_3_any_bytes_are_refused_and_nothing_panics(bytes in vec(any::<u8>(), 0..200)) {
        prop_assert!(Message::parse(&bytes, &Limits::WIRE).is_err());
        let _ = Batch::parse(&bytes, &Limits::WIRE);
    }

    #[test]
    fn cp_3_canonical_text_is_equivalent_and_idempotent(value in any_json()) {
        let text = canonical(&value);
        let back: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&back, &value);
        prop_assert_eq!(canonical(&back), text);
    }

    #[test]
    fn cp_1_any_text_is_timestamp_or_refused(text in "[0-9T:.,Z+-]{0,30}|.{0,20}") {
        if let Ok(time) = text.parse::<Timestamp>() {
            prop_assert_eq!(time.as_str(), text);
        }
    }

    #[test]
    fn cp_1_servers_times_are_read_back(millis in 0_u64..253_402_300_799_999) {
        let time = Timestamp::from_unix_millis(millis);
        let moment = time.as_str().parse::<Timestamp>().unwrap().moment();
        let back = moment.seconds * 1_000 + i64::from(moment.nanos / 1_000_000);
        prop_assert_eq!(u64::try_from(back), Ok(millis));
    }

    #[test]
    fn cp_10_any_text_is_path_or_refused(text in "[a-c0-2.\"\\\\\\[\\]]{0,20}|.{0,20}") {
        if let Ok(path) = text.parse::<StatePath>() {
            prop_assert_eq!(path.as_str(), &text);
            let again = StatePath::of(path.segments().to_vec()).unwrap();
            prop_assert_eq!(again.as_str().parse::<StatePath>(), Ok(path));
        }
    }

    #[test]
    fn cp_10_set_values_are_present_and_refused_ones_change_nothing(
        state in btree_map("[ab]", any_json(), 0..3),
        path in "[ab01](\\.[ab01]){0,4}",
        value in any_json(),
    ) {
        let before = Value::Object(state.into_iter().collect::<Map<_, _>>());
        let path: StatePath = path.parse().unwrap();
        let mut after = before.clone();
        match path.set(&mut after, value.clone()) {
            Ok(_) => {
                prop_assert_eq!(path.get(&after), Some(&value));
                prop_assert_eq!(path.remove(&mut after), Ok(Some(value)));
            }
            Err(_) => prop_assert_eq!(&after, &before),
        }
    }

    #[test]
    fn cp_11_changes_of_disjoint_paths_commute(
        one in "[ab](\\.[ab]){0,3}",
        two in "[ab](\\.[ab]){0,3}",
    ) {
        let (one, two): (StatePath, StatePath) = (one.parse().unwrap(), two.parse().unwrap());
        prop_assume!(!one.overlaps(&two));
        let apply = |order: [(&StatePath, i32); 2]| {
            let mut state = json!({});
            for (path, value) in order {
                path.set(&mut state, value.into()).unwrap();
            }
            state
        };
        prop_assert_eq!(apply([(&one, 1), (&two, 2)]), apply([(&two, 2), (&one, 1)]));
    }
}
