//! AS-8 and AS-9: lists, objects, missing properties.

use crate::support::{failure, fault, value};
use serde_json::json;

#[test]
fn as_8_items_are_indexed_from_zero() {
    assert_eq!(
        value("l = [1, [2, 3]]\n[l[0], l[1][1], l.last(), l.length]"),
        json!([1, 3, [2, 3], 2])
    );
    assert_eq!(value("[4, 5][1]"), json!(5));
}

#[test]
fn as_9_index_out_of_range_is_error() {
    let error = failure("l = [1, 2]\nl[2]");
    assert_eq!(error.code, "AS9007");
    assert_eq!(error.message, "the list has no item 2");
    assert_eq!(
        error.help.as_deref(),
        Some("its indexes go from 0 to 1; `.last()` gives the last item")
    );
    assert_eq!((error.line, error.column), (3, 1));
    assert_eq!(fault("[][0]").0, "AS9007");
}

#[test]
fn as_8_index_is_whole_number_that_is_not_negative() {
    for body in
        ["[1][0 - 1]", "i = -1 l = [1] l[i]", "[1][0.0]", "[1][\"0\"]", "[1][none]", "[1][true]"]
    {
        assert_eq!(fault(body).0, "AS9008", "{body}");
    }
    assert_eq!(fault("\"abc\"[0]").0, "AS9006");
    assert_eq!(fault("5[0]").0, "AS9006");
    assert_eq!(fault("x = none x[0]").0, "AS9005");
}

#[test]
fn as_8_objects_by_key() {
    assert_eq!(
        value("o = { a: 1, \"b c\": 2 } k = \"a\"\n[o[k], o[\"b c\"], o.a]"),
        json!([1, 2, 1])
    );
    assert_eq!(fault("o = {} o[0]").0, "AS9008");
    assert_eq!(fault("o = {} o[\"x\"]").0, "AS9004");
    assert_eq!(fault("o = {} o[0] = 1").0, "AS9008");
}

#[test]
fn as_8_add_takes_one_argument_and_changes_list() {
    assert_eq!(value("l = [] x = l.add(1) l.add([2])\n[l, x]"), json!([[1, [2]], null]));
    assert_eq!(fault("l = [] l.add()").0, "AS9003");
    assert_eq!(fault("l = [] l.add(1, 2)").0, "AS9003");
    assert_eq!(fault("o = {} o.add(1)").0, "AS9009");
}

#[test]
fn as_8_length_and_summary_are_properties() {
    assert_eq!(
        value("[[1, 2].length, \"añ你\".length, {}.length, { a: 1 }.length]"),
        json!([2, 3, 0, 1])
    );
    assert_eq!(value("l = [1, { a: [] }] s = l.summary l.add(2) s"), json!([1, { "a": [] }]));
    assert_eq!(
        value("o = { a: [1] } s = o.summary o.a.add(2) s.a.add(3)\n[o, s]"),
        json!([{ "a": [1, 2] }, { "a": [1, 3] }])
    );
}

#[test]
fn as_8_own_fields_come_before_properties() {
    assert_eq!(
        value("o = { length: \"long\", summary: \"short\" }\n[o.length, o.summary]"),
        json!(["long", "short"])
    );
    assert_eq!(value("o = {} o.length = 5 o.length"), json!(5));
    assert_eq!(value("o = { keys: 1 }\n[o.keys, o.keys()]"), json!([1, ["keys"]]));
}

#[test]
fn as_8_prototype_names_are_plain_keys() {
    assert_eq!(fault("{}.constructor").0, "AS9004");
    assert_eq!(fault("{}.__proto__").0, "AS9004");
    assert_eq!(fault("{}.toString()").0, "AS9009");
    assert_eq!(
        value("o = {} o.__proto__ = { x: 1 }\n[o, o.has(\"x\")]"),
        json!([{ "__proto__": { "x": 1 } }, false])
    );
}

#[test]
fn as_9_missing_property_suggests_near_one() {
    let error = failure("answer = { summary_text: 1, title: 2 }\nanswer.titel");
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("AS9004", "the object has no field `titel`")
    );
    assert_eq!(error.help.as_deref(), Some("did you mean `title`?"));
    let error = failure("{ alpha: 1, beta: 2 }.zzz");
    assert_eq!(error.help.as_deref(), Some("it has `alpha`, `beta`; `get` takes a default"));
}

#[test]
fn as_9_none_has_no_fields() {
    let error = failure("x = none\nx.name");
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("AS9005", "can't read the field `name` of none")
    );
    assert_eq!(fault("x = none x.name()").0, "AS9009");
    assert_eq!(fault("n = 5.5 n.x").0, "AS9004");
}

#[test]
fn as_9_method_without_parentheses_gets_help() {
    let error = failure("[1].sort");
    assert_eq!(error.help.as_deref(), Some("it is a method: `.sort(…)`"));
    let error = failure("[1].length()[0]");
    assert_eq!(error.code, "AS9006");
    assert_eq!(value("[1].length()"), json!(1));
    assert_eq!(
        failure("[1].summary()").help.as_deref(),
        Some("it is not a method: write `.summary`")
    );
    assert_eq!(failure("[1].push(2)").help.as_deref(), Some("`.add(value)` appends to a list"));
}

#[test]
fn as_8_no_value_contains_itself() {
    for body in [
        "l = [] l.add(l)",
        "l = [] l.add([[l]])",
        "a = [] b = [a] a.add(b)",
        "o = {} o.x = o",
        "o = {} p = { o: o } o.p = [p]",
        "o = { l: [] } o.l.add({ deep: [o] })",
    ] {
        let (code, message) = fault(body);
        assert_eq!(
            (code.as_str(), message.as_str()),
            ("AS9014", "a value can't contain itself"),
            "{body}"
        );
    }
    assert_eq!(
        value("a = [] b = [a, a] a.add(1) b.add(a) b"),
        json!([[1], [1], [1]]),
        "sharing is no ring"
    );
    assert_eq!(value("l = [1] l.add(l.summary) l"), json!([1, [1]]));
}

#[test]
fn as_8_shared_parts_do_not_multiply_work() {
    // 2^60 paths, 61 lists.
    let body = "a = [1] repeat * 60 { a = [a, a] } b = [] b.add(a) o = { a: a } o.b = a a == b[0]";
    assert_eq!(value(body), json!(true));
}

#[test]
fn as_8_large_objects_keep_order_and_find_keys() {
    let body = "o = {} i = 0 repeat * 1000 { o[\"k\" + i] = i i += 1 } o.k7 = \"seven\"\n[o.k999, o.k7, o.keys().first(), o.keys().last(), o.length]";
    assert_eq!(value(body), json!([999, "seven", "k0", "k999", 1000]));
}
