use super::compare::{equal_and_tag, numbers};
use super::copy::{deep_copy, refuse_ring};
use super::fields::Fields;
use super::json::read::Unread;
use super::json::{Importer, exported, exported_all, json_and_tag, printed};
use super::*;
use crate::runtime::error::Checked;
use crate::runtime::meter::Meter;
use crate::runtime::names::Keys;
use contexture_context::Limits;
use contexture_context::Trust;
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::cmp::Ordering;

fn meter() -> Meter {
    Meter::new(Limits::default(), Rc::default())
}

fn import(json: Json) -> Value {
    let keys = Keys::default();
    Importer { meter: &meter(), keys: &keys, tag: Trust::User.into(), epoch: 1 }
        .value(json)
        .unwrap()
}

fn read(text: &str, meter: &Meter) -> Result<Value, Unread> {
    let keys = Keys::default();
    Importer { meter, keys: &keys, tag: Trust::User.into(), epoch: 1 }.text(text)
}

fn equal(left: &Value, right: &Value, meter: &Meter) -> Checked<bool> {
    equal_and_tag(left, right, meter).map(|(equal, _)| equal)
}

fn to_json(value: &Value, meter: &Meter) -> Checked<Json> {
    json_and_tag(value, meter).map(|(json, _)| json)
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Json::from),
        ".{0,6}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::btree_map(".{0,3}", inner, 0..5)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn as_28_json_round_trip_is_unchanged(json in any_json()) {
        let value = import(json.clone());
        prop_assert_eq!(to_json(&value, &meter()).unwrap(), json.clone());
        let copy = deep_copy(&value, &meter(), 2).unwrap();
        prop_assert!(equal(&value, &copy, &meter()).unwrap());
        prop_assert_eq!(to_json(&copy, &meter()).unwrap(), json);
    }

    #[test]
    fn gr_5_text_read_straight_into_values_is_value_of_its_json(json in any_json()) {
        let value = read(&json.to_string(), &meter()).unwrap();
        prop_assert_eq!(value.tag(), Tag::from(Trust::User));
        prop_assert_eq!(to_json(&value, &meter()).unwrap(), json.clone());
        prop_assert!(equal(&value, &import(json), &meter()).unwrap());
    }

    #[test]
    fn as_7_equality_is_equivalence(a in any_json(), b in any_json()) {
        let (x, y) = (import(a.clone()), import(b));
        prop_assert!(equal(&x, &import(a), &meter()).unwrap());
        prop_assert_eq!(equal(&x, &y, &meter()).unwrap(), equal(&y, &x, &meter()).unwrap());
    }

    #[test]
    fn as_8_fields_behave_like_ordered_map(keys in prop::collection::vec("[a-e]{1,2}", 0..40)) {
        let mut fields = Fields::default();
        let mut model: Vec<(String, i64)> = Vec::new();
        for (number, key) in (0_i64..).zip(&keys) {
            fields.set(&Rc::from(key.as_str()), Value::int(number));
            match model.iter_mut().find(|(known, _)| known == key) {
                Some(entry) => entry.1 = number,
                None => model.push((key.clone(), number)),
            }
        }
        prop_assert_eq!(fields.len(), model.len());
        let found: Vec<(String, i64)> = fields.iter().map(|(key, value)| match value {
            Value::Int(number, _) => (key.to_string(), *number),
            other => panic!("{other:?}"),
        }).collect();
        prop_assert_eq!(&found, &model);
        for (key, number) in &model {
            prop_assert!(matches!(fields.get(key), Some(Value::Int(found, _)) if found == number));
        }
        prop_assert!(fields.get("zz").is_none());
    }
}

#[test]
fn as_7_numbers_are_compared_without_rounding() {
    let order = |int: i64, float: f64| numbers(&Value::int(int), &Value::float(float)).unwrap();
    assert_eq!(order(i64::MAX, 9_223_372_036_854_775_808.0), Ordering::Less);
    assert_eq!(order(i64::MIN, -9_223_372_036_854_775_808.0), Ordering::Equal);
    assert_eq!(order(i64::MIN, -1e300), Ordering::Greater);
    assert_eq!(order(9_007_199_254_740_993, 9_007_199_254_740_992.0), Ordering::Greater);
    assert_eq!(
        (order(-1, -0.5), order(0, -0.5), order(-1, -1.5)),
        (Ordering::Less, Ordering::Greater, Ordering::Greater)
    );
    assert_eq!(order(0, -0.0), Ordering::Equal);
}

#[test]
fn numbers_beyond_64_bits_become_floating_point() {
    assert!(matches!(import(json!(u64::MAX)), Value::Float(number, _) if number > 1.8e19));
    assert!(matches!(import(json!(7)), Value::Int(7, _)));
}

#[test]
fn dropping_does_not_recurse() {
    let mut value = Value::NONE;
    for number in 0..200_000 {
        value.mark_held();
        value = if number % 2 == 0 {
            Value::list(vec![value, Value::NONE], Header::new(1))
        } else {
            let mut fields = Fields::default();
            fields.set(&Rc::from("x"), value);
            Value::object(fields, Header::new(1))
        };
    }
    drop(value);
}

#[test]
fn as_8_cycle_is_refused_wherever_it_closes() {
    let inner = import(json!([]));
    let outer = Value::list(vec![inner.clone()], Header::new(1));
    inner.mark_held();
    assert!(refuse_ring(&inner, &inner, &meter()).is_err());
    assert!(refuse_ring(&inner, &outer, &meter()).is_err());
    assert!(refuse_ring(&outer, &inner, &meter()).is_ok());
    assert!(refuse_ring(&outer, &import(json!([{ "a": [] }])), &meter()).is_ok());
}

#[test]
fn as_28_copies_share_nothing_but_what_original_shares() {
    let part = import(json!([1]));
    let whole = Value::list(vec![part.clone(), part.clone()], Header::new(1));
    let Value::List(copy, _) = deep_copy(&whole, &meter(), 2).unwrap() else { panic!() };
    let items = copy.items.borrow();
    match (&items[0], &items[1], &part) {
        (Value::List(a, _), Value::List(b, _), Value::List(original, _)) => {
            assert!(Rc::ptr_eq(a, b) && !Rc::ptr_eq(a, original));
            assert_eq!(a.header.epoch, 2);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn gr_3_copies_of_a_list_of_texts_take_its_items_once() {
    let mut limits = Limits::default();
    limits.heap_bytes = 400_000;
    let meter = Meter::new(limits, Rc::default());
    let texts = import(Json::from(vec!["text"; 1_000]));
    let copies: Checked<Vec<_>> = (0..1_000).map(|_| deep_copy(&texts, &meter, 2)).collect();
    assert_eq!(to_json(&copies.unwrap()[999], &meter).unwrap(), to_json(&texts, &meter).unwrap());
    let nested = import(json!({ "n": [vec!["text"; 1_000]] }));
    let copies: Checked<Vec<_>> = (0..1_000).map(|_| deep_copy(&nested, &meter, 2)).collect();
    assert!(copies.is_ok() && copies.unwrap().len() == 1_000);
}

#[test]
fn gr_3_what_nobody_keeps_is_refused_as_what_is_written() {
    let mut limits = Limits::default();
    (limits.heap_bytes, limits.value_depth) = (4_000, 3);
    let small = Meter::new(limits, Rc::default());
    let secret = Value::Secret(Rc::new("KEY".to_owned()), Tag::PROGRAM);
    for values in [
        vec![import(json!([["a", 1.5], { "b": null }]))],
        vec![import(json!([[1]])), import(json!("x".repeat(3_000)))],
        vec![import(json!([[1]])), import(json!("x".repeat(4_000)))],
        vec![import(json!([[[[1]]]]))],
        vec![Value::list(vec![secret], Header::new(1))],
        Vec::new(),
    ] {
        let codes = [true, false].map(|is_kept| {
            exported_all(&values, &small, is_kept).map(|text| text.is_some()).map_err(|f| f.code)
        });
        match codes {
            [Ok(true), Ok(false)] => {}
            [Err(kept), Err(lost)] => assert_eq!(kept, lost),
            other => panic!("{other:?}"),
        }
    }
    let text = exported_all(&[import(json!([1])), import(json!("文"))], &small, true).unwrap();
    assert_eq!(text.unwrap().as_str(), "[[1],\"文\"]");
}

#[test]
fn ty_6_printed_json_counts_its_text_alone() {
    let mut limits = Limits::default();
    (limits.heap_bytes, limits.string_bytes) = (4_000, 400);
    let small = Meter::new(limits, Rc::default());
    let objects: Vec<Json> = (0..20).map(|id| json!({ "id": id, "ok": true })).collect();
    let value = import(Json::from(objects.clone()));
    let (text, tag) = printed(&value, &small).unwrap();
    assert_eq!(text, Json::from(objects).to_string());
    assert_eq!(tag, json_and_tag(&value, &meter()).unwrap().1);
    // As a value of its own it would take more than the heap.
    assert!(json_and_tag(&value, &small).is_err());
    let (text, tag) = exported(&value, &meter()).unwrap();
    assert_eq!((text.as_str(), tag), (printed(&value, &meter()).unwrap().0.as_str(), tag));
    let told = |outcome: Checked<()>| outcome.map_err(|fault| (fault.code, fault.message));
    let of_text = told(exported(&value, &small).map(drop));
    assert_eq!(of_text, told(json_and_tag(&value, &small).map(drop)));
    let longer = import(json!(["x".repeat(200), "y".repeat(200)]));
    assert_eq!(printed(&longer, &small).unwrap_err().code, "AS9052");
}

proptest! {
    #[test]
    fn ty_6_printed_json_is_that_of_the_value(json in any_json()) {
        let value = import(json.clone());
        prop_assert_eq!(printed(&value, &meter()).unwrap().0, json.to_string());
        prop_assert_eq!(exported(&value, &meter()).unwrap().0.as_str().to_owned(), json.to_string());
    }
}

fn fields_of(names: &[&str]) -> Fields {
    let mut fields = Fields::default();
    for (number, name) in names.iter().enumerate() {
        fields.set(&Rc::from(*name), Value::int(i64::try_from(number).unwrap()));
    }
    fields
}

fn whole(value: Option<&Value>) -> Option<i64> {
    match value {
        Some(Value::Int(value, _)) => Some(*value),
        _ => None,
    }
}

#[test]
fn gr_3_fields_are_found_by_key_in_any_order_and_number() {
    let long = "a name of more than sixteen bytes";
    let mut names = vec!["the", "cat", "dog", "文", "字", "", long];
    for more in 0..2 {
        let fields = fields_of(&names);
        for (number, name) in names.iter().enumerate() {
            // Once by search and once where it was last found.
            for _ in 0..2 {
                assert_eq!(whole(fields.get(name)), Some(i64::try_from(number).unwrap()), "{name}");
            }
            assert_eq!(whole(fields.get("cow")), None);
        }
        if more == 0 {
            names.extend(["f7", "f8", "f9", "f10", "f11", "f12", "f13"]);
        }
    }
}

#[test]
fn gr_3_name_finds_its_field_in_objects_of_other_orders() {
    let name = crate::runtime::names::Name::from("b");
    let interned = |before: &[&str]| {
        let mut fields = fields_of(before);
        fields.set(&name, Value::int(7));
        fields
    };
    let [first, last] = [interned(&[]), interned(&["x", "y", "z"])];
    for fields in [&first, &last, &first, &last] {
        assert_eq!(whole(fields.get_interned(&name)), Some(7));
    }
    // The same letters in another allocation are found by their text alone.
    let foreign = fields_of(&["x", "b"]);
    assert_eq!((whole(foreign.get_interned(&name)), whole(foreign.get("b"))), (None, Some(1)));
}

#[test]
fn gr_3_put_replaces_value_of_any_kind_with_its_tag() {
    let tag = Tag::from(Trust::Web);
    let list = || Value::list(vec![Value::int(1)], Header::new(1));
    let slots = || [Value::NONE, Value::Int(1, tag), Value::text("a", tag), list()];
    for mut slot in slots() {
        slot.put_int(5, Tag::PROGRAM);
        assert!(matches!(slot, Value::Int(5, Tag::PROGRAM)));
    }
    for mut slot in slots() {
        slot.put_float(0.5, tag);
        assert!(matches!(slot, Value::Float(0.5, own) if own == tag));
    }
    for mut slot in slots() {
        slot.put_made(Value::Bool(true, tag));
        assert!(matches!(slot, Value::Bool(true, own) if own == tag));
    }
    for from in slots() {
        for mut slot in slots() {
            put::put_copy!(&from, [], Some(&mut slot));
            assert!(equal(&slot, &from, &meter()).unwrap());
            assert_eq!(slot.tag(), from.tag());
        }
    }
}

#[test]
fn gr_5_objects_of_one_text_share_names_of_their_fields() {
    let value = read("[{\"名\": 1, \"b\": 2}, {\"b\": 3, \"名\": 4}]", &meter()).unwrap();
    let Value::List(list, _) = value else { panic!("a list") };
    let names = |at: usize| -> Vec<Rc<str>> {
        match &list.items.borrow()[at] {
            Value::Object(object, _) => object.fields.borrow().keys().cloned().collect(),
            other => panic!("{}", other.kind()),
        }
    };
    let (first, second) = (names(0), names(1));
    assert!(Rc::ptr_eq(&first[0], &second[1]) && Rc::ptr_eq(&first[1], &second[0]));
}

#[test]
fn gr_5_text_with_a_key_twice_or_large_numbers_is_read_as_its_json() {
    for text in [
        "{\"a\": 1, \"b\": 2, \"a\": 3}",
        "[9223372036854775807, 9223372036854775808, 18446744073709551615, 1e300, -0.0, 1e2]",
        " \"\\ud83d\\ude00 \\u6587\" ",
    ] {
        let value = read(text, &meter()).unwrap();
        let json: Json = serde_json::from_str(text).unwrap();
        let expected = to_json(&import(json), &meter()).unwrap();
        assert_eq!(to_json(&value, &meter()).unwrap(), expected);
    }
}

#[test]
fn gr_5_text_that_is_not_json_is_refused_with_its_place() {
    for text in ["", "[1,]", "{\"a\": }", "[1] 2", "\"\\ud800\"", "1e999", "{1: 2}"] {
        let Err(Unread::Invalid(error)) = read(text, &meter()) else { panic!("{text}") };
        let expected = contexture_context::json::read::<Json>(text.as_bytes()).unwrap_err();
        assert_eq!((error.line(), error.column()), (expected.line(), expected.column()), "{text}");
        assert_eq!(error.to_string(), expected.to_string());
    }
}

#[test]
fn gr_5_limits_hold_while_a_text_is_read() {
    let limited = |set: fn(&mut Limits)| {
        let mut limits = Limits::default();
        set(&mut limits);
        Meter::new(limits, Rc::default())
    };
    for (text, meter, code) in [
        ("[1, 2, 3, 4]", limited(|limits| limits.collection_items = 3), "AS9053"),
        ("{\"a\": 1, \"b\": 2}", limited(|limits| limits.collection_items = 1), "AS9053"),
        ("[[[1]]]", limited(|limits| limits.value_depth = 2), "AS9055"),
        ("[\"abcdef\"]", limited(|limits| limits.string_bytes = 5), "AS9052"),
        ("[1, 2, 3, 4, 5, 6]", limited(|limits| limits.heap_bytes = 200), "AS9054"),
    ] {
        let Err(Unread::Limit(fault)) = read(text, &meter) else { panic!("{text}") };
        assert_eq!(fault.code, code, "{text}");
    }
}
