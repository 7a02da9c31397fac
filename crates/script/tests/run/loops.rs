//! AS-6 and AS-11: loops, their bounds, and what is said when a `max` ends one.

use crate::support::{fault, main_of, outcome, value, value_of};
use contexture_context::TraceKind;
use contexture_script::runtime::{ScriptedHost, WarningKind};
use serde_json::json;

#[test]
fn as_6_repeat_runs_so_many_times() {
    assert_eq!(value("n = 0 repeat * 3 { n += 1 } n"), json!(3));
    assert_eq!(value("n = 0 k = 2 repeat * k { repeat * k + 1 { n += 1 } } n"), json!(6));
    assert_eq!(value("n = 0 z = 0 repeat * z { n += 1 } n"), json!(0));
}

#[test]
fn as_6_loop_tests_before_each_turn() {
    assert_eq!(value("n = 0 loop until true max 5 { n += 1 } n"), json!(0));
    assert_eq!(value("n = 0 loop until n == 3 max 100 { n += 1 } n"), json!(3));
    assert_eq!(value("n = 0 loop until false max 4 { n += 1 } n"), json!(4));
    assert_eq!(value("n = 0 m = 2 loop until n > 100 max m * 3 { n += 1 } n"), json!(6));
}

#[test]
fn as_6_for_walks_a_list() {
    assert_eq!(value("s = 0 for x in [1, 2, 3] max 10 { s += x } s"), json!(6));
    assert_eq!(value("s = 0 for x in [1, 2, 3] max 2 { s += x } s"), json!(3));
    assert_eq!(
        value("s = [] for x in [[1, 2], [3]] max 9 { for y in x max 9 { s.add(y) } } s"),
        json!([1, 2, 3])
    );
}

#[test]
fn as_6_the_list_is_evaluated_once() {
    let source = "
        func list(calls) { calls.add(1)
 [1, 2, 3] }
        main func(input) { calls = [] for x in list(calls) max 9 { } calls.length }";
    assert_eq!(value_of(source), json!(1));
    assert_eq!(value("l = [1] for x in l max 100 { l.add(x) l = [] } l"), json!([]));
    assert_eq!(
        value("l = [1, 2] for x in l max 100 { l.add(x) } l"),
        json!([1, 2, 1, 2]),
        "it does not chase what is added"
    );
}

#[test]
fn as_6_max_is_a_positive_whole_number() {
    for body in [
        "n = 0 for x in [1] max n { }",
        "n = -1 for x in [1] max n { }",
        "n = 1.5 for x in [1] max n { }",
        "n = \"3\" loop until true max n { }",
        "n = none parallel for x in [1] max n { }",
        "n = 0 loop until true max n { }",
        "n = -1 repeat * n { }",
        "n = 2.0 repeat * n { }",
    ] {
        assert_eq!(fault(body).0, "AS9019", "{body}");
    }
}

#[test]
fn as_6_only_lists_can_be_walked() {
    for body in [
        "for x in 3 max 1 { }",
        "for x in { a: 1 } max 1 { }",
        "for x in \"abc\" max 1 { }",
        "parallel for x in none max 1 { }",
    ] {
        assert_eq!(fault(body).0, "AS9021", "{body}");
    }
}

#[test]
fn as_6_loops_of_ten_million_turns_end() {
    assert_eq!(
        value("s = 0 i = 0 repeat * 1000000 { if i % 3 == 0 { s += i } i += 1 } s"),
        json!(166_666_833_333_u64)
    );
}

#[test]
fn as_11_a_truncated_loop_is_told() {
    let host = ScriptedHost::new();
    let source = main_of("n = 0\nloop until n > 100 max 5 { n += 1 }\nn");
    let outcome = outcome(&source, json!({}), &host);
    assert_eq!(outcome.result, Ok(json!(5)));
    let warning = &outcome.warnings[0];
    assert_eq!((warning.kind, warning.line, warning.times), (WarningKind::LoopTruncated, 3, 1));
    assert_eq!(warning.message, "the loop ended by its `max` before its condition held");
    let events = host.events();
    let told: Vec<_> = events.iter().filter(|event| event.kind == TraceKind::Warning).collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].data["line"], 3);
}

#[test]
fn as_11_a_loop_whose_condition_holds_after_its_last_turn_is_not_truncated() {
    let outcome = outcome(
        &main_of("n = 0 loop until n == 5 max 5 { n += 1 } n"),
        json!({}),
        &ScriptedHost::new(),
    );
    assert_eq!((outcome.result, outcome.warnings.len()), (Ok(json!(5)), 0));
}

#[test]
fn as_11_a_truncated_list_is_told() {
    for (body, expected) in [
        ("for x in [1, 2, 3] max 2 { }", Some("the list has 3 items, and `max` took the first 2")),
        (
            "parallel for x in [1, 2, 3] max 1 { x }",
            Some("the list has 3 items, and `max` took the first 1"),
        ),
        ("for x in [1, 2] max 2 { }", None),
        ("for x in [] max 2 { }", None),
    ] {
        let outcome = outcome(&main_of(body), json!({}), &ScriptedHost::new());
        let told = outcome.warnings.first().map(|warning| (warning.kind, warning.message.as_str()));
        assert_eq!(told, expected.map(|message| (WarningKind::ListTruncated, message)), "{body}");
    }
}

#[test]
fn as_11_warnings_of_one_place_are_counted() {
    let host = ScriptedHost::new();
    let outcome =
        outcome(&main_of("repeat * 5000 { for x in [1, 2] max 1 { } }"), json!({}), &host);
    assert_eq!(outcome.warnings.len(), 1);
    assert_eq!(outcome.warnings[0].times, 5000);
    let told = host.events().iter().filter(|event| event.kind == TraceKind::Warning).count();
    assert_eq!(told, 100, "the trace does not grow without bound");
}
