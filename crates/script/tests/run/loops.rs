//! AS-6 and AS-11: loops, their bounds, and the warning when a `max` ends one.

use crate::support::{fault, main_of, outcome, value, value_of};
use contexture_context::TraceKind;
use contexture_script::runtime::{ScriptedHost, WarningKind};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn as_6_repeat_runs_so_many_times() {
    assert_eq!(value("n = 0 repeat * 3 { n += 1 } n"), json!(3));
    assert_eq!(value("n = 0 k = 2 repeat * k { repeat * k + 1 { n += 1 } } n"), json!(6));
    assert_eq!(value("n = 0 z = 0 repeat * z { n += 1 } n"), json!(0));
}

#[test]
fn as_6_loop_tests_before_each_iteration() {
    assert_eq!(value("n = 0 loop until true max 5 { n += 1 } n"), json!(0));
    assert_eq!(value("n = 0 loop until n == 3 max 100 { n += 1 } n"), json!(3));
    assert_eq!(value("n = 0 loop until false max 4 { n += 1 } n"), json!(4));
    assert_eq!(value("n = 0 m = 2 loop until n > 100 max m * 3 { n += 1 } n"), json!(6));
}

#[test]
fn as_6_for_walks_list() {
    assert_eq!(value("s = 0 for x in [1, 2, 3] max 10 { s += x } s"), json!(6));
    assert_eq!(value("s = 0 for x in [1, 2, 3] max 2 { s += x } s"), json!(3));
    assert_eq!(
        value("s = [] for x in [[1, 2], [3]] max 9 { for y in x max 9 { s.add(y) } } s"),
        json!([1, 2, 3])
    );
}

#[test]
fn as_6_list_is_evaluated_once() {
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
fn as_6_max_is_positive_whole_number() {
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
fn as_6_loops_of_ten_million_iterations_end() {
    assert_eq!(
        value("s = 0 i = 0 repeat * 1000000 { if i % 3 == 0 { s += i } i += 1 } s"),
        json!(166_666_833_333_u64)
    );
}

#[test]
fn as_11_truncated_loop_is_reported() {
    let host = ScriptedHost::new();
    let source = main_of("n = 0\nloop until n > 100 max 5 { n += 1 }\nn");
    let outcome = outcome(&source, json!({}), &host);
    assert_eq!(outcome.result, Ok(json!(5)));
    let warning = &outcome.warnings[0];
    assert_eq!((warning.kind, warning.line, warning.times), (WarningKind::LoopTruncated, 3, 1));
    assert_eq!(warning.message, "the loop reached its `max` before its condition held");
    let events = host.events();
    let told: Vec<_> = events.iter().filter(|event| event.kind == TraceKind::Warning).collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].data["line"], 3);
}

#[test]
fn as_11_loop_whose_condition_holds_after_last_turn_is_not_truncated() {
    let outcome = outcome(
        &main_of("n = 0 loop until n == 5 max 5 { n += 1 } n"),
        json!({}),
        &ScriptedHost::new(),
    );
    assert_eq!((outcome.result, outcome.warnings.len()), (Ok(json!(5)), 0));
}

#[test]
fn as_11_truncated_list_is_reported() {
    for (body, expected) in [
        (
            "for x in [1, 2, 3] max 2 { }",
            Some("the list has 3 items; `max` limited the loop to the first 2"),
        ),
        (
            "parallel for x in [1, 2, 3] max 1 { x }",
            Some("the list has 3 items; `max` limited the loop to the first 1"),
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
fn as_11_trace_names_each_loop_that_max_truncated() {
    let own = |data: Value| vec![data];
    for (body, expected) in [
        (
            "for x in [1, 2, 3] max 2 { }",
            own(
                json!({ "loop": "for", "variable": "x", "items": 2, "truncated": true, "line": 2 }),
            ),
        ),
        (
            "n = 0 loop until n > 9 max 4 { n += 1 }",
            own(json!({ "loop": "loop", "max": 4, "line": 2, "truncated": true })),
        ),
        // Loops with events of their own are reported once all the same.
        (
            "for x in [1, 2, 3] max 2 { T.run({}) }",
            own(
                json!({ "loop": "for", "variable": "x", "items": 2, "truncated": true, "line": 2 }),
            ),
        ),
        (
            "loop until false max 2 { T.run({}) }",
            own(json!({ "loop": "loop", "max": 2, "line": 2, "truncated": true })),
        ),
        (
            "for x in [1, 2] max 2 { T.run({}) }",
            own(json!({ "loop": "for", "variable": "x", "items": 2, "line": 2 })),
        ),
        ("for x in [1, 2] max 2 { }", vec![]),
        ("n = 0 loop until n == 4 max 4 { n += 1 }", vec![]),
    ] {
        let host = ScriptedHost::new().with_tool("T.run", json!(1));
        let source = main_of(body) + "import tool T from \"sh://grep\"\n";
        assert!(outcome(&source, json!({}), &host).result.is_ok(), "{body}");
        let mut told: BTreeMap<u64, Value> = BTreeMap::new();
        for event in host.events().iter().filter(|event| event.kind == TraceKind::For) {
            told.insert(event.id, event.data.clone());
        }
        assert_eq!(told.into_values().collect::<Vec<_>>(), expected, "{body}");
    }
}

#[test]
fn as_11_truncated_parallel_for_is_reported() {
    for (most, expected) in [(1, json!(true)), (2, Value::Null)] {
        let host = ScriptedHost::new();
        let source = main_of(&format!("parallel for x in [1, 2] max {most} {{ x }}"));
        assert!(outcome(&source, json!({}), &host).result.is_ok());
        let events = host.events();
        let told = events.iter().find(|event| event.kind == TraceKind::ParallelFor).unwrap();
        assert_eq!(told.data["truncated"], expected, "{most}");
        assert!(events.iter().all(|event| event.kind != TraceKind::For));
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
    let loops = host.events().iter().filter(|event| event.kind == TraceKind::For).count();
    assert_eq!(loops, 100);
}
