//! AS-9: failures, their place and trace, and `try … else`.

use crate::support::{
    failure, failure_of, limited, main_of, outcome, outcome_with, value, value_of,
};
use contexture_script::host::HostError;
use contexture_script::runtime::{FailureKind, ScriptedHost};
use serde_json::json;

#[test]
fn as_9_failure_has_place_and_calls_that_led_there() {
    let source = "func inner(o) {\n  o.missing\n}\nfunc outer(o) {\n  x = inner(o)\n  x\n}\nmain agent Boss {\n  main func(input) {\n    outer({ a: 1 })\n  }\n}\n";
    let error = failure_of(source);
    assert_eq!((error.file.as_str(), error.line, error.column), ("main.as", 2, 3));
    assert_eq!(error.kind, FailureKind::Program);
    assert_eq!(error.to_string(), "main.as:2:3: AS9004: the object has no field `missing`");
    let trace: Vec<String> = error
        .trace
        .iter()
        .map(|frame| format!("{}:{}:{}", frame.function, frame.line, frame.column))
        .collect();
    assert_eq!(trace, ["inner:2:3", "outer:5:7", "Boss.main:10:5"]);
    let diagnostic = error.to_diagnostic();
    assert_eq!((diagnostic.code, diagnostic.span.start), ("AS9004", 18));
    assert_eq!(
        diagnostic.help.as_deref(),
        Some(
            "it has `a`; `get` takes a default\ncalled from outer at main.as:5:7\ncalled from Boss.main at main.as:10:5"
        )
    );
}

#[test]
fn as_9_columns_count_characters() {
    let error = failure("名 = { 甲: 1 }\r\n名.乙");
    assert_eq!((error.line, error.column), (3, 1));
    let error = failure("你好 = \"好好\" + none");
    assert_eq!((error.line, error.column), (2, 6));
}

#[test]
fn as_9_failed_change_of_variable_points_at_what_is_added() {
    for (body, place) in [
        ("o = \"a\" k = 1\no -= 1\no", (3, 6)),
        ("o = [1] k = \"z\"\no += 2\no", (3, 6)),
        ("o = \"a\" n = 1\no -= n\no", (3, 6)),
        ("o = { l: \"a\" } k = 1\no.l -= 1\no", (3, 8)),
    ] {
        let error = failure(body);
        assert_eq!((error.line, error.column), place, "{body}: {error}");
    }
}

#[test]
fn as_9_try_returns_own_value_or_value_of_handler() {
    assert_eq!(value("try { 1 + 1 } else err { 0 }"), json!(2));
    assert_eq!(value("x = try { [1][5] } else err { err.code } x"), json!("AS9007"));
    assert_eq!(value("try { [1][5] } else err { y = 1 }"), json!(null));
    assert_eq!(value("n = 0 try { n = 1 {}.x n = 2 } else err { n += 10 } n"), json!(11));
    assert_eq!(value("[try { 1 } else e { 2 }, try { {}.a } else e { 3 }]"), json!([1, 3]));
}

#[test]
fn as_9_error_is_object() {
    let body = "try {\n  [1, 2][5]\n} else err { err }";
    assert_eq!(
        value(body),
        json!({ "code": "AS9007", "message": "the list has no item 5", "line": 3, "column": 3, "file": "main.as" })
    );
}

#[test]
fn as_9_failures_in_called_functions_are_caught() {
    let source = "
        func deep(n) { if n == 0 { return {}.nope } deep(n - 1) + 1 }
        agent A { main func(input) { deep(input) } }
        main agent { main func(input) {
            kept = [1]
            a = try { deep(50) } else err { err.code }
            b = try { A(3) } else err { err.code }
            kept.add(a)
            [kept, b, deep_ok()]
        }
        func deep_ok() { 5 } }";
    assert_eq!(value_of(source), json!([[1, "AS9004"], "AS9004", 5]));
}

#[test]
fn as_9_handlers_nest_and_may_fail_themselves() {
    assert_eq!(value("try { try { [][0] } else e { e.nope } } else f { f.code }"), json!("AS9004"));
    assert_eq!(
        value("try { try { [][0] } else e { \"inner\" } } else f { \"outer\" }"),
        json!("inner")
    );
    assert_eq!(failure("try { [][0] } else e { 1 / 0 }").code, "AS9011");
    assert_eq!(
        value("out = [] for x in [0, 1, 2] max 9 { out.add(try { 6 / x } else e { e.code }) } out"),
        json!(["AS9011", 6, 3])
    );
    assert_eq!(value("func_result = try { if true { 5 } } else e { 1 } func_result"), json!(null));
}

#[test]
fn as_9_return_leaves_try() {
    let source = "func f() { try { return 1 } else e { return 2 } 3 } func g() { try { [][0] } else e { return 2 } 3 } main func(input) { [f(), g()] }";
    assert_eq!(value_of(source), json!([1, 2]));
}

#[test]
fn as_9_limits_and_cancellation_are_not_caught() {
    let body = main_of("try { repeat * 1000000 { } } else err { \"caught\" }");
    let options = limited(|limits| limits.steps = 1000);
    let error = outcome_with(&body, json!({}), &ScriptedHost::new(), &options).result.unwrap_err();
    assert_eq!((error.code.as_str(), error.kind), ("AS9051", FailureKind::Limit));

    let host = ScriptedHost::new();
    host.cancel();
    let error = outcome(&body, json!({}), &host).result.unwrap_err();
    assert_eq!((error.code.as_str(), error.kind), ("AS9059", FailureKind::Cancelled));

    let cancelled = HostError { cancelled: true, ..HostError::new("cancelled", "stopped") };
    let host = ScriptedHost::new().with_answer_result(Err(cancelled));
    let body = main_of("try { generate({ input: \"x\" }) } else err { \"caught\" }");
    let error = outcome(&body, json!({}), &host).result.unwrap_err();
    assert_eq!(error.kind, FailureKind::Cancelled);
}

#[test]
fn as_9_wrong_numbers_of_arguments() {
    let functions = "func zero() { 1 } func two(a, b) { a } agent A { func f(x) { x } }";
    for call in ["zero(1)", "two(1)", "two(1, 2, 3)", "A()", "A(1, 2)", "A.f()"] {
        let error =
            failure_of(&format!("{functions} main agent {{ main func(input) {{ {call} }} }}"));
        assert_eq!(error.code, "AS9003", "{call}");
    }
}

#[test]
fn as_9_very_long_trace_is_shortened() {
    let error = failure_of(
        "func f(n) { if n == 0 { return [][0] } f(n - 1) + 1 } main func(input) { f(500) }",
    );
    assert_eq!((error.trace.len(), error.trace_omitted), (64, 502 - 64));
    assert_eq!(error.trace.last().map(|frame| frame.function.as_str()), Some("main"));
}
