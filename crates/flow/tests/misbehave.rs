//! Abnormal sets and actions: each ends as it should, and affects no other.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

mod common;

use common::{Log, actions, ends, order, plan, plan_with, run, run_with, set, step, with};
use contexture_flow::Set;
use contexture_flow::action::{ActionFailure, ActionInfo, ActionKind, Registry};
use contexture_flow::check::{Earlier, check};
use contexture_flow::journal::{Entry, Event, Journal, Past, Verdict, Volatile, void_ends};
use contexture_flow::run::{Limits, Options, Run};
use contexture_protocol::content::{Outcome, Status};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

fn result(report: &contexture_flow::run::Report, index: usize) -> Value {
    report.outcome(index).unwrap().result.unwrap()
}

fn codes(document: &Value) -> Vec<&'static str> {
    let report = plan_with(document, &Earlier::default()).unwrap_err();
    report.diagnostics.iter().map(|d| d.code).collect()
}

// -- references

#[tokio::test(start_paused = true)]
async fn fl_5_references_anywhere_keep_their_types() {
    let whole = json!({"i": 9_007_199_254_740_993_i64, "u": u64::MAX, "f": 2.0, "b": false, "n": null,
        "t": "text", "l": [1, [2]], "o": {"k": "v"}, "温度": {"北京": 31}, "a b": 1, "x-y": 2, "0": "zero"});
    let cases = [
        ("${results.a.result.i}", json!(9_007_199_254_740_993_i64)),
        ("${results.a.result.u}", json!(u64::MAX)),
        ("${results.a.result.f}", json!(2.0)),
        ("${results.a.result.b}", json!(false)),
        ("${results.a.result.n}", Value::Null),
        ("${results.a.result.l}", json!([1, [2]])),
        ("${results.a.result.l[1][0]}", json!(2)),
        ("${results.a.result.l.1.0}", json!(2)),
        ("${results.a.result.o}", json!({"k": "v"})),
        ("${results.a.result.温度.北京}", json!(31)),
        ("${results.a.result[\"a b\"]}", json!(1)),
        ("${results.a.result['a b']}", json!(1)),
        ("${results.a.result.x-y}", json!(2)),
        ("${results.a.result[0]}", json!("zero")),
        ("${results[\"a\"][\"status\"]}", json!("COMPLETED")),
        ("${  results.a.status  }", json!("COMPLETED")),
        ("-${results.a.result.i}-", json!("-9007199254740993-")),
        ("${results.a.result.u} ", json!("18446744073709551615 ")),
        ("${results.a.result.f}!", json!("2.0!")),
        ("${results.a.result.b}${results.a.result.n}", json!("falsenull")),
        ("[${results.a.result.t}]", json!("[text]")),
        ("${results.a.result.l}${results.a.result.o}", json!("[1,[2]]{\"k\":\"v\"}")),
        ("$${results.a.result.t}", json!("${results.a.result.t}")),
        ("$$${results.a.result.t}", json!("$${results.a.result.t}")),
        ("$ {results.a.result.t} $x {y} }", json!("$ {results.a.result.t} $x {y} }")),
        ("${results.a.result.t}}", json!("text}")),
        ("100$${results.a.result.t}${results.a.result.t}", json!("100${results.a.result.t}text")),
    ];
    let parameters: Vec<Value> = cases.iter().map(|(text, _)| json!([{"deep": [text]}])).collect();
    let report = run(set(
        "PARALLEL",
        vec![step("a", "echo", whole, &[]), step("b", "echo", json!({"all": parameters}), &["a"])],
    ))
    .await;
    assert_eq!(ends(&report), ["a COMPLETED", "b COMPLETED"]);
    let all = result(&report, 1);
    for (index, (text, expected)) in cases.iter().enumerate() {
        let found = &all["all"][index][0]["deep"][0];
        assert_eq!((found, found.to_string()), (expected, expected.to_string()), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn fl_5_inserted_text_is_never_read_again() {
    let hostile = "${results.secret.result.k} $${x} ${";
    let report = run(set(
        "SEQUENTIAL",
        vec![
            step("secret", "echo", json!({"k": "s3"}), &[]),
            with(step("a", "fail", json!({"code": "E", "message": "$${results.secret.result.k} ${results.secret.status}"}), &["secret"]),
                "recovery", json!({"strategy": "SKIP"})),
            step("b", "hostile", json!({}), &[]),
            with(step("c", "echo", json!({"m": "${results.a.error.message}", "h": "${results.b.result.t}", "i": "<${results.b.result.t}>"}), &["a", "b"]),
                "condition", "dependencies.a.status == 'FAILED'".into()),
            step("d", "echo", json!({"m": "${results.c.result.m}", "h": "${results.c.result.h}"}), &["c"]),
        ],
    ))
    .await;
    let expected = "${results.secret.result.k} COMPLETED";
    assert_eq!(
        result(&report, 3),
        json!({"m": expected, "h": hostile, "i": format!("<{hostile}>")})
    );
    assert_eq!(result(&report, 4), json!({"m": expected, "h": hostile}));
}

#[tokio::test(start_paused = true)]
async fn fl_5_any_field_of_outcome_is_read() {
    let read = |id: &str, text: &str, condition: &str| {
        with(step(id, "echo", json!({"v": text}), &["bad", "ok"]), "condition", condition.into())
    };
    let always = "dependencies.bad.status != 'x'";
    let report = run(set(
        "PARALLEL",
        vec![
            step("ok", "echo", json!({"n": 1}), &[]),
            step("bad", "fail", json!({"code": "E_Q", "message": "no"}), &[]),
            read("code", "${dependencies.bad.error.code}", always),
            read("error", "${dependencies.bad.error}", always),
            read("id", "${dependencies.ok.instructionId}", always),
            read("time", "${dependencies.ok.executionTime}", always),
            read("none", "${dependencies.bad.result}", always),
            read("no_error", "${dependencies.ok.error}", always),
            read("reason", "${dependencies.ok.reason.code}", always),
            read("field", "${dependencies.ok.nope}", always),
            with(step("skipped", "echo", json!({}), &[]), "condition", "false".into()),
            with(
                step("why", "echo", json!({"v": "${results.skipped.reason.code}"}), &["skipped"]),
                "condition",
                "results.skipped.status == 'SKIPPED'".into(),
            ),
        ],
    ))
    .await;
    assert_eq!(result(&report, 2), json!({"v": "E_Q"}));
    assert_eq!(result(&report, 3), json!({"v": {"code": "E_Q", "message": "no"}}));
    assert_eq!(result(&report, 4), json!({"v": "ok"}));
    assert!(result(&report, 5)["v"].is_number());
    let missing: Vec<String> = ends(&report)[6..10].to_vec();
    assert_eq!(
        missing,
        ["none", "no_error", "reason", "field"].map(|id| format!("{id} FAILED REFERENCE_MISSING"))
    );
    assert_eq!(result(&report, 11), json!({"v": "CONDITION_FALSE"}));
}

#[tokio::test(start_paused = true)]
async fn fl_5_null_result_is_present() {
    let steps = vec![
        step("a", "nothing", json!({}), &[]),
        with(
            step(
                "b",
                "echo",
                json!({"v": "${results.a.result}", "t": "<${results.a.result}>"}),
                &["a"],
            ),
            "condition",
            "exists(results.a.result) AND results.a.result == null".into(),
        ),
        step("c", "echo", json!({"v": "${results.a.result.x}"}), &["a"]),
    ];
    let journal = Arc::new(Volatile::default());
    let options = Options { journal: journal.clone(), ..Options::default() };
    let (report, _) = run_with(set("SEQUENTIAL", steps.clone()), options).await;
    assert_eq!(ends(&report), ["a COMPLETED", "b COMPLETED", "c FAILED REFERENCE_MISSING"]);
    assert_eq!(result(&report, 1), json!({"v": null, "t": "<null>"}));
    // The same when only its outcome is read back from the journal.
    let first = journal.entries("run").unwrap().into_iter().take(2);
    let options = Options { past: Some(Past::of(first)), ..Options::default() };
    let (again, log) = run_with(set("SEQUENTIAL", steps), options).await;
    assert_eq!((ends(&again), result(&again, 1)), (ends(&report), result(&report, 1)));
    assert!(log.is_empty());
}

#[test]
fn fl_5_invalid_references_are_refused() {
    for (text, code) in [
        ("${", "VALIDATION_FAILED"),
        ("${}", "VALIDATION_FAILED"),
        ("${ }", "VALIDATION_FAILED"),
        ("${results.a", "VALIDATION_FAILED"),
        ("${results.a}${", "VALIDATION_FAILED"),
        ("${results.a.status", "VALIDATION_FAILED"),
        ("${results.a status}", "VALIDATION_FAILED"),
        ("${results..a}", "VALIDATION_FAILED"),
        ("${results.a[}", "VALIDATION_FAILED"),
        ("${results.a == 1}", "VALIDATION_FAILED"),
        ("${${results.a.status}}", "VALIDATION_FAILED"),
        ("${results}", "UNDECLARED_REFERENCE"),
        ("${dependencies}", "UNDECLARED_REFERENCE"),
        ("${result.a.status}", "UNDECLARED_REFERENCE"),
        ("${env.HOME}", "UNDECLARED_REFERENCE"),
        ("${a.status}", "UNDECLARED_REFERENCE"),
        ("${Results.a.status}", "UNDECLARED_REFERENCE"),
        ("${results.b.status}", "UNDECLARED_REFERENCE"),
        ("${results.nobody.status}", "UNKNOWN_ID"),
        ("${results.other.status}", "UNDECLARED_REFERENCE"),
    ] {
        let document = set(
            "PARALLEL",
            vec![
                step("a", "echo", json!({}), &[]),
                step("other", "echo", json!({}), &[]),
                step("b", "echo", json!({"p": [{"q": text}]}), &["a"]),
            ],
        );
        let report = plan_with(&document, &Earlier::default()).unwrap_err();
        let found = &report.diagnostics[0];
        assert_eq!(
            (found.code, found.path.as_str()),
            (code, "/instructions/2/parameters/p/0/q"),
            "{text}"
        );
        assert!(found.help.is_some() || found.message.contains("expected"), "{text}: {found:?}");
    }
    // Keys are not references, nor is the name of an alternative.
    let keys = set("PARALLEL", vec![step("a", "echo", json!({"${nope": {"${x}": 1}}), &[])]);
    assert_eq!(plan(&keys).len(), 1);
}

#[test]
fn fl_5_references_of_alternatives_are_checked_too() {
    let recovery = json!({"strategy": "DEGRADE", "alternative": {"action": "echo", "parameters": {"v": "${results.b.result}"}}});
    let document = set(
        "PARALLEL",
        vec![
            with(step("a", "echo", json!({}), &[]), "recovery", recovery),
            step("b", "echo", json!({}), &[]),
        ],
    );
    let report = plan_with(&document, &Earlier::default()).unwrap_err();
    assert_eq!(report.diagnostics[0].path, "/instructions/0/recovery/alternative/parameters/v");
}

#[test]
fn fl_5_text_with_many_references_is_bounded() {
    // A text of a megabyte with 30,000 faults, each of which would show the whole text.
    let text = "${results.other.result.some_path} ".repeat(30_000);
    let document = set(
        "PARALLEL",
        vec![step("other", "echo", json!({}), &[]), step("b", "echo", json!({"t": text}), &[])],
    );
    let report = plan_with(&document, &Earlier::default()).unwrap_err();
    assert_eq!((report.diagnostics.len(), report.unlisted), (1_000, 29_000));
    let bytes: usize = report.diagnostics.iter().map(|d| d.source.as_ref().unwrap().0.len()).sum();
    assert!(bytes < 100 << 20, "{bytes}");
    let last = &report.diagnostics[999];
    let (part, span) = last.source.as_ref().unwrap();
    let (start, end) = (span.start as usize, span.end as usize);
    assert_eq!(&part[start..end], "results.other.result.some_path");
    assert_eq!(last.to_value()["offset"], 999 * 34 + 2);
}

// -- large sets

#[tokio::test]
async fn fl_6_step_that_waits_for_all_others_is_checked_and_run() {
    let count = 40_000;
    let mut steps: Vec<Value> =
        (0..count).map(|n| step(&format!("s{n}"), "echo", json!({"n": n}), &[])).collect();
    let ids: Vec<String> = (0..count).map(|n| format!("s{n}")).collect();
    let texts: Vec<String> = ids.iter().map(|id| format!("${{results.{id}.result.n}}")).collect();
    let condition: Vec<String> =
        ids.iter().take(20_000).map(|id| format!("results.{id}.status != ''")).collect();
    let mut last = json!({"instructionId": "last", "action": "echo", "parameters": {"all": texts}});
    last["dependencies"] = json!(ids);
    last["condition"] = condition.join(" AND ").into();
    steps.push(last);
    let report = run(set("PARALLEL", steps)).await;
    assert_eq!(report.status(), Status::Completed);
    assert_eq!(result(&report, count)["all"][count - 1], json!(count - 1));
}

#[test]
fn fl_5_far_references_over_long_chain_are_checked_in_time() {
    // The chain is the second dependency of each, so no shortcut shows it.
    let count = 60_000;
    let steps: Vec<Value> = (0..count)
        .map(|n| match n {
            0 => step("s0", "echo", json!({}), &[]),
            _ if n % 2 == 1 => step(&format!("s{n}"), "echo", json!({}), &[]),
            _ => step(
                &format!("s{n}"),
                "echo",
                json!({"first": "${results.s0.status}", "far": format!("${{results.s{}.status}}", n / 4 * 2)}),
                &[&format!("s{}", n - 1), &format!("s{}", n - 2)],
            ),
        })
        .collect();
    let report = plan_with(&set("PARALLEL", steps), &Earlier::default());
    assert!(report.is_ok(), "{report:?}");
}

#[test]
fn fl_10_million_instructions_are_checked() {
    use contexture_protocol::content::{Instruction, InstructionSet};
    let instruction = |n: usize| Instruction {
        instruction_id: format!("s{n}"),
        action: "echo".to_owned(),
        dependencies: (n >= 100).then(|| vec![format!("s{}", n - 100)]),
        ..Instruction::default()
    };
    let instructions = (0..1_000_000).map(instruction).collect();
    let set = Set::of_instructions(InstructionSet { instructions, ..InstructionSet::default() });
    let plan = check(set, &actions(&Log::default()), &Earlier::default()).unwrap();
    assert_eq!((plan.len(), plan.depth()), (1_000_000, 10_000));
}

#[test]
fn fl_6_invalid_document_names_what_was_expected() {
    for text in [
        "",
        "null",
        "[]",
        "5",
        "{}",
        "{\"a\": 1}",
        "{\"type\": \"INSTRUCTION\"}",
        "{\"instructions\": {}}",
        "{\"instructions\": [], \"calls\": []}",
        "{\"instructions\": null}",
        "{\"calls\": [null]}",
        "\u{feff}{}",
        "{\"instructions\": [1]}",
    ] {
        let report = Set::parse(text.as_bytes(), &contexture_protocol::Limits::FILE).unwrap_err();
        assert!(report.has_errors() && !report.diagnostics[0].message.is_empty(), "{text}");
    }
    assert!(Set::parse(b"\xff\xfe", &contexture_protocol::Limits::FILE).is_err());
    let deep = format!(
        "{{\"instructions\":[{{\"instructionId\":\"a\",\"action\":\"echo\",\"parameters\":{{\"x\":{}{}}}}}]}}",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    assert!(Set::parse(deep.as_bytes(), &contexture_protocol::Limits::FILE).is_err());
}

#[test]
fn fl_6_faults_of_every_kind_come_in_one_report() {
    let document = json!({"calls": [
        {"callId": "a", "name": "nope", "parameters": {}},
        {"callId": "a", "name": "echo", "parameters": {}, "requiredAfter": ["a", "ghost"]},
        {"callId": "b", "name": "echo", "parameters": {"x": "${results.c.result}", "y": "${"}, "requiredAfter": ["c"]},
        {"callId": "c", "name": "echo", "parameters": {}, "requiredAfter": ["b"]},
        {"callId": "d", "name": "echo", "parameters": {"x": "${results.b.result}"}},
    ]});
    let mut found = codes(&document);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "CYCLE",
            "CYCLE",
            "DUPLICATE_ID",
            "UNDECLARED_REFERENCE",
            "UNKNOWN_ACTION",
            "UNKNOWN_ID",
            "VALIDATION_FAILED"
        ]
    );
}

// -- actions

fn one(
    name: &str,
    info: ActionInfo,
    act: impl Fn() -> Result<Value, ActionFailure> + Clone + Send + Sync + 'static,
) -> Registry {
    let mut all = actions(&Log::default());
    all.add(name, info, move |_| {
        let act = act.clone();
        async move { act() }
    });
    all
}

async fn run_of(all: Registry, document: &Value, options: Options) -> contexture_flow::run::Report {
    let set = Set::from_value(document.clone(), &contexture_protocol::Limits::FILE).unwrap();
    let plan = check(set, &all, &Earlier::default()).unwrap();
    Run::new(plan, Arc::new(all), options).run().await
}

#[tokio::test]
async fn fl_10_gigabyte_result_is_refused_and_freed() {
    let huge = one("gigabyte", ActionInfo::default(), || {
        // Many strings, so that it is not one allocation.
        Ok(Value::Array((0..1_000).map(|_| Value::String("x".repeat(1 << 20))).collect()))
    });
    let document = set(
        "PARALLEL",
        vec![
            step("huge", "gigabyte", json!({}), &[]),
            step("after", "echo", json!({}), &["huge"]),
            step("ok", "echo", json!({}), &[]),
        ],
    );
    let report = run_of(huge, &document, Options::default()).await;
    assert_eq!(
        ends(&report),
        ["huge FAILED TOO_LARGE", "after SKIPPED DEPENDENCY_FAILED", "ok COMPLETED"]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_10_failures_that_are_huge_or_deep_are_bounded() {
    let deep = || (0..50_000).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    let bad = one("bad", ActionInfo::default(), move || {
        let mut failure = ActionFailure::new("E", "m");
        failure.details = Some(deep());
        failure.partial = Some(json!("x".repeat(20 << 20)));
        Err(failure)
    });
    let document = set(
        "PARALLEL",
        vec![
            step("a", "bad", json!({}), &[]),
            with(step("b", "bad", json!({}), &[]), "recovery", json!({"strategy": "PARTIAL"})),
        ],
    );
    let report = run_of(bad, &document, Options::default()).await;
    let omitted = json!({"omitted": "larger or deeper than a result may be"});
    assert_eq!(report.outcome(0).unwrap().error.unwrap().details, Some(omitted.clone()));
    assert_eq!(ends(&report)[0], "a FAILED E");
    // An omitted part does not belong to a result.
    assert_eq!(ends(&report)[1], "b FAILED E");
}

#[tokio::test(start_paused = true)]
async fn fl_10_panics_of_every_kind_are_failures() {
    let mut all = actions(&Log::default());
    all.add("number", ActionInfo::default(), |_| async { std::panic::panic_any(5) });
    all.add("quick", ActionInfo::default().quick(), |_| async { panic!("quickly") });
    all.add("later", ActionInfo::default().quick(), |_| async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        panic!("later")
    });
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("in drop");
        }
    }
    all.add("drops", ActionInfo::default(), |_| async {
        let bomb = Bomb;
        tokio::time::sleep(Duration::from_secs(100)).await;
        drop(bomb);
        Ok(Value::Null)
    });
    let document = set(
        "PARALLEL",
        vec![
            step("a", "number", json!({}), &[]),
            step("b", "quick", json!({}), &[]),
            step("c", "later", json!({}), &[]),
            with(step("d", "drops", json!({}), &[]), "timeout", json!(0.01)),
            with(
                step("e", "quick", json!({}), &[]),
                "recovery",
                json!({"strategy": "RETRY", "attempts": 3}),
            ),
            with(
                step("f", "quick", json!({}), &[]),
                "recovery",
                json!({"strategy": "DEGRADE", "alternative": {"action": "echo"}}),
            ),
            step("ok", "echo", json!({}), &[]),
        ],
    );
    let report = run_of(all, &document, Options::default()).await;
    assert_eq!(
        ends(&report),
        [
            "a FAILED EXECUTION_FAILED",
            "b FAILED EXECUTION_FAILED",
            "c FAILED EXECUTION_FAILED",
            "d TIMEOUT TIMEOUT",
            "e FAILED EXECUTION_FAILED",
            "f COMPLETED",
            "ok COMPLETED"
        ]
    );
    assert_eq!(
        report.outcome(0).unwrap().error.unwrap().message,
        "the action panicked: no message"
    );
}

#[tokio::test(start_paused = true)]
async fn fl_2_action_that_never_returns_ends_with_set() {
    for (mode, expected) in [("SEQUENTIAL", "SKIPPED SET_TIMEOUT"), ("PARALLEL", "COMPLETED")] {
        let mut document = set(
            mode,
            vec![step("never", "never", json!({}), &[]), step("ok", "echo", json!({}), &[])],
        );
        document["timeout"] = json!(2);
        let before = Instant::now();
        let report = run(document).await;
        assert_eq!(before.elapsed().as_secs(), 2);
        assert_eq!(ends(&report), ["never TIMEOUT TIMEOUT".to_owned(), format!("ok {expected}")]);
        assert_eq!(report.status(), Status::Timeout);
    }
}

#[tokio::test(start_paused = true)]
async fn fl_2_times_of_any_size() {
    for (timeout, status) in [
        (json!(0), Status::Timeout),
        (json!(0.0), Status::Timeout),
        (json!(1e-9), Status::Timeout),
        (json!(1e18), Status::Completed),
        (json!(u64::MAX), Status::Completed),
        (json!(1e300), Status::Completed),
    ] {
        let mut document = set("PARALLEL", vec![step("a", "sleep", json!({"ms": 10}), &[])]);
        document["timeout"] = timeout.clone();
        assert_eq!(run(document).await.status(), status, "{timeout}");
        let one = with(step("a", "sleep", json!({"ms": 10}), &[]), "timeout", timeout.clone());
        assert_eq!(run(set("PARALLEL", vec![one])).await.step_status(0), Some(status), "{timeout}");
    }
}

#[tokio::test(start_paused = true)]
async fn fl_2_smallest_timeout_applies() {
    let calls = |mode: &str, own: f64, side: f64, whole: f64| {
        json!({"calls": [{"callId": "a", "name": "sleep", "parameters": {"ms": 60_000}, "timeout": own}],
            "executionMode": mode, "backendTimeout": side, "timeout": whole})
    };
    for (own, side, whole) in [(1.0, 2.0, 3.0), (2.0, 1.0, 3.0), (2.0, 3.0, 1.0)] {
        for mode in ["BACKEND_FIRST", "SYNC", "PARALLEL", "CLIENT_SERVER_PARALLEL"] {
            let before = Instant::now();
            let report = run(calls(mode, own, side, whole)).await;
            assert_eq!(
                (before.elapsed().as_secs(), ends(&report)[0].as_str()),
                (1, "a TIMEOUT TIMEOUT"),
                "{mode}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn fl_1_late_side_does_not_stop_other() {
    let call = |id: &str, runtime: &str, ms: u64, after: &[&str]| json!({"callId": id, "name": "sleep", "runtime": runtime, "parameters": {"ms": ms}, "requiredAfter": after});
    let request = |mode: &str, front: f64, back: f64| {
        json!({"calls": [call("f1", "FRONTEND", 900, &[]), call("b1", "BACKEND", 900, &[]),
            call("f2", "FRONTEND", 900, &[]), call("b2", "BACKEND", 900, &[])],
            "executionMode": mode, "frontendTimeout": front, "backendTimeout": back})
    };
    let late = ["f1 COMPLETED", "b1 COMPLETED", "f2 TIMEOUT TIMEOUT", "b2 COMPLETED"];
    for mode in ["FRONTEND_FIRST", "BACKEND_FIRST", "CLIENT_SERVER_PARALLEL"] {
        let report = run(request(mode, 1.0, 2.0)).await;
        assert_eq!(
            (ends(&report).as_slice(), report.status()),
            (late.map(str::to_owned).as_slice(), Status::Failed),
            "{mode}"
        );
        assert_eq!(run(request(mode, 2.0, 2.0)).await.status(), Status::Completed, "{mode}");
    }
    // The front end only waits for the back end: nothing of it runs when its timeout passes.
    let waits = json!({"calls": [call("b", "BACKEND", 900, &[]), call("f", "FRONTEND", 1, &["b"])],
        "executionMode": "CLIENT_SERVER_PARALLEL", "frontendTimeout": 0.5});
    let report = run(waits).await;
    assert_eq!(
        (ends(&report), report.status()),
        (vec!["b COMPLETED".to_owned(), "f SKIPPED SET_TIMEOUT".to_owned()], Status::Failed)
    );
}

#[tokio::test(start_paused = true)]
async fn fl_1_orders_within_side_follow_requirements_first() {
    let call = |id: &str, runtime: &str, after: &[&str]| json!({"callId": id, "name": "sleep", "runtime": runtime, "parameters": {"ms": 10}, "requiredAfter": after});
    let request = |mode: &str| {
        json!({"calls": [call("b2", "BACKEND", &["b1"]), call("f2", "FRONTEND", &["f1"]),
            call("b1", "BACKEND", &[]), call("f1", "FRONTEND", &[]), call("f3", "FRONTEND", &[])],
            "executionMode": mode})
    };
    for (mode, expected) in [
        ("FRONTEND_FIRST", "f1 f2 f3 b1 b2"),
        ("BACKEND_FIRST", "b1 b2 f1 f2 f3"),
        ("CLIENT_SERVER_PARALLEL", "b1 f1 b2 f2 f3"),
        ("SEQUENTIAL", "b1 b2 f1 f2 f3"),
        ("SYNC", "b1 b2 f1 f2 f3"),
    ] {
        assert_eq!(order(&run(request(mode)).await), expected, "{mode}");
    }
    // A chain over both sides, as in 4.6.1.
    let chain = |mode: &str| {
        json!({"toolCalls": [call("pick", "FRONTEND", &[]), call("look", "BACKEND", &["pick"]),
            call("show", "FRONTEND", &["look"])], "executionMode": mode})
    };
    for mode in ["SEQUENTIAL", "SYNC", "PARALLEL", "ASYNC", "CLIENT_SERVER_PARALLEL"] {
        assert_eq!(order(&run(chain(mode)).await), "pick look show", "{mode}");
    }
    for mode in ["FRONTEND_FIRST", "BACKEND_FIRST"] {
        let report = plan_with(&chain(mode), &Earlier::default()).unwrap_err();
        let fault = &report.diagnostics[0];
        assert!(
            fault.message.contains(mode) && fault.message.contains("`look`"),
            "{}",
            fault.message
        );
    }
}

// -- recovery

#[tokio::test(start_paused = true)]
async fn cp_18_every_strategy_for_every_failure() {
    let strategies = [
        ("SKIP", json!({"strategy": "SKIP"})),
        ("RETRY", json!({"strategy": "RETRY", "attempts": 2})),
        (
            "DEGRADE",
            json!({"strategy": "DEGRADE", "alternative": {"action": "echo", "parameters": {"other": true}}}),
        ),
        ("PARTIAL", json!({"strategy": "PARTIAL"})),
        ("ABORT", json!({"strategy": "ABORT"})),
    ];
    let failures = [
        ("fail", json!({"code": "E", "message": "m"}), "FAILED E"),
        ("panic", json!({}), "FAILED EXECUTION_FAILED"),
        ("never", json!({}), "TIMEOUT TIMEOUT"),
        ("huge", json!({}), "FAILED TOO_LARGE"),
        ("sleep", json!({"ms": "x"}), "FAILED VALIDATION_FAILED"),
        ("echo", json!({"v": "${results.first.result.nope}"}), "FAILED REFERENCE_MISSING"),
    ];
    for mode in ["SEQUENTIAL", "PARALLEL", "CONDITIONAL"] {
        for (name, recovery) in &strategies {
            for (action, parameters, code) in &failures {
                let bad = step("bad", action, parameters.clone(), &["first"]);
                let bad = with(with(bad, "timeout", json!(1)), "recovery", recovery.clone());
                let report = run(set(
                    mode,
                    vec![
                        step("first", "echo", json!({}), &[]),
                        bad,
                        step("after", "echo", json!({}), &["bad"]),
                        step("slow", "sleep", json!({"ms": 10_000}), &[]),
                        step("last", "echo", json!({}), &["slow"]),
                    ],
                ))
                .await;
                let rest = if *name == "ABORT" && mode == "SEQUENTIAL" {
                    ["slow SKIPPED CANCELLED", "last SKIPPED DEPENDENCY_FAILED"]
                } else if *name == "ABORT" {
                    ["slow COMPLETED", "last SKIPPED CANCELLED"]
                } else {
                    ["slow COMPLETED", "last COMPLETED"]
                };
                let (bad, after) = match *name {
                    "DEGRADE" => ("bad COMPLETED".to_owned(), "after COMPLETED"),
                    _ => (format!("bad {code}"), "after SKIPPED DEPENDENCY_FAILED"),
                };
                let expected = ["first COMPLETED", &bad, after, rest[0], rest[1]];
                assert_eq!(ends(&report), expected, "{mode} {name} {action}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn cp_18_retries_wait_for_declared_delay() {
    let took = async |recovery: Value| {
        let before = Instant::now();
        let bad = with(step("a", "fail", json!({}), &[]), "recovery", recovery);
        let report = run(set("PARALLEL", vec![bad])).await;
        assert_eq!(ends(&report), ["a FAILED E"]);
        before.elapsed().as_millis()
    };
    assert_eq!(took(json!({"strategy": "RETRY", "delay": 1})).await, 2_000);
    assert_eq!(
        took(json!({"strategy": "RETRY", "attempts": 4, "delay": 0.5, "backoff": 2})).await,
        3_500
    );
    assert_eq!(
        took(json!({"strategy": "RETRY", "attempts": 3, "delay": 1, "backoff": 0})).await,
        1_000
    );
    assert_eq!(took(json!({"strategy": "RETRY", "attempts": 1, "delay": 9})).await, 0);
    assert_eq!(took(json!({"strategy": "RETRY", "attempts": 0, "delay": 9})).await, 0);
    // A delay of zero stays zero, however often it is multiplied.
    assert_eq!(
        took(json!({"strategy": "RETRY", "attempts": 3_000, "delay": 0, "backoff": 10})).await,
        0
    );
    assert_eq!(
        took(json!({"strategy": "RETRY", "attempts": 2, "delay": 172_800})).await,
        172_800_000
    );
}

#[tokio::test(start_paused = true)]
async fn cp_18_alternative_is_step_of_own_kind() {
    let alternative = |action: &str, parameters: Value| json!({"strategy": "DEGRADE", "alternative": {"action": action, "parameters": parameters}});
    let of = |recovery: Value| {
        set(
            "SEQUENTIAL",
            vec![
                step("n", "echo", json!({"n": 5}), &[]),
                with(
                    with(
                        step(
                            "a",
                            "fail",
                            json!({"code": "E", "v": "${results.n.result.n}"}),
                            &["n"],
                        ),
                        "recovery",
                        recovery,
                    ),
                    "timeout",
                    json!(1),
                ),
            ],
        )
    };
    let report =
        run(of(alternative("echo", json!({"v": "${results.n.result.n}", "t": "$${x}"})))).await;
    assert_eq!(result(&report, 1), json!({"v": 5, "t": "${x}"}));
    let report = run(of(json!({"strategy": "DEGRADE", "alternative": {"action": "echo"}}))).await;
    assert_eq!(
        result(&report, 1),
        json!({"code": "E", "v": 5}),
        "the parameters are those of the step"
    );
    for (recovery, code) in [
        (alternative("never", json!({})), "a TIMEOUT TIMEOUT"),
        (alternative("sleep", json!({"ms": []})), "a FAILED VALIDATION_FAILED"),
        (
            alternative("echo", json!({"v": "${results.n.result.gone}"})),
            "a FAILED REFERENCE_MISSING",
        ),
        (alternative("fail", json!({"code": "E2"})), "a FAILED E2"),
    ] {
        assert_eq!(ends(&run(of(recovery)).await)[1], code);
    }
    let unknown = of(alternative("nobody", json!({})));
    assert_eq!(codes(&unknown), ["UNKNOWN_ACTION"]);
    // A replacement has another key: it has its own effect.
    let keyed = with(
        step("a", "fail", json!({}), &[]),
        "recovery",
        json!({"strategy": "DEGRADE", "alternative": {"action": "third"}}),
    );
    let mut all = actions(&Log::default());
    all.add(
        "third",
        ActionInfo::default(),
        |call| async move { Ok(json!([call.key, call.attempt])) },
    );
    let report = run_of(all, &set("SEQUENTIAL", vec![keyed]), Options::default()).await;
    assert_eq!(result(&report, 0), json!(["run:a:alternative", 2]));
}

#[tokio::test(start_paused = true)]
async fn fl_12_pause_delays_retries() {
    let bad = with(
        step("a", "fail_twice", json!({}), &[]),
        "recovery",
        json!({"strategy": "RETRY", "delay": 1}),
    );
    let run = Run::new(
        plan(&set("PARALLEL", vec![bad])),
        Arc::new(actions(&Log::default())),
        Options::default(),
    );
    let (control, before) = (run.control(), Instant::now());
    let running = tokio::spawn(run.run());
    tokio::time::sleep(Duration::from_millis(100)).await;
    control.pause();
    control.pause();
    tokio::time::sleep(Duration::from_secs(60)).await;
    control.resume();
    control.resume();
    let report = running.await.unwrap();
    assert_eq!((ends(&report), before.elapsed().as_secs()), (vec!["a COMPLETED".to_owned()], 61));
    control.cancel();
}

#[tokio::test(start_paused = true)]
async fn fl_12_cancelled_before_it_begins_and_while_it_pauses() {
    for pauses in [false, true] {
        let steps =
            vec![step("a", "sleep", json!({"ms": 1}), &[]), step("b", "echo", json!({}), &["a"])];
        let run = Run::new(
            plan(&set("PARALLEL", steps)),
            Arc::new(actions(&Log::default())),
            Options::default(),
        );
        let control = run.control();
        if pauses {
            control.pause();
        }
        control.cancel();
        let report = run.run().await;
        assert_eq!(report.status(), Status::Failed);
        assert!(ends(&report)[1].ends_with("SKIPPED CANCELLED"), "{:?}", ends(&report));
        assert!(report.outcomes().all(|outcome| outcome.status.is_final()));
    }
}

// -- resuming

fn entry(event: &Event<'_>) -> Entry {
    Entry::parse(&event.to_json()).unwrap()
}

fn started(id: &str, action: &str, attempt: u32) -> Entry {
    entry(&Event::Started { id, action, attempt, key: "k" })
}

fn ended(outcome: &Value) -> Entry {
    let mut line = outcome.clone();
    line["event"] = "ENDED".into();
    Entry::parse(&line.to_string()).unwrap()
}

async fn gone_on(
    document: Value,
    entries: Vec<Entry>,
) -> (contexture_flow::run::Report, Vec<String>) {
    run_with(document, Options { past: Some(Past::of(entries)), ..Options::default() }).await
}

#[tokio::test(start_paused = true)]
async fn fl_11_alternative_that_was_running_is_not_forgotten() {
    let degrade = |action: &str, parameters: Value| json!({"strategy": "DEGRADE", "alternative": {"action": action, "parameters": parameters}});
    let of = |recovery: Value| {
        set(
            "SEQUENTIAL",
            vec![with(step("a", "sleep", json!({"ms": 5}), &[]), "recovery", recovery)],
        )
    };
    // The step itself could be run again, its replacement can't: it is not run a second time.
    let (report, log) = gone_on(
        of(degrade("fail_twice", json!({}))),
        vec![started("a", "sleep", 1), started("a", "fail_twice", 2)],
    )
    .await;
    assert_eq!((ends(&report), log.len()), (vec!["a FAILED OUTCOME_UNCERTAIN".to_owned()], 0));
    // An idempotent step, or one with a key of its own, continues; an earlier failure is not
    // retried.
    let (report, log) = gone_on(
        of(degrade("echo", json!({"v": 1}))),
        vec![started("a", "sleep", 1), started("a", "echo", 2)],
    )
    .await;
    assert_eq!((result(&report, 0), log.len()), (json!({"v": 1}), 0));
    let keyed = degrade("panic", json!({"idempotencyKey": "mine"}));
    let (report, _) =
        gone_on(of(keyed), vec![started("a", "sleep", 1), started("a", "panic", 2)]).await;
    assert_eq!(ends(&report), ["a FAILED EXECUTION_FAILED"]);
    // The step itself was running: it is retried, then replaced.
    let (report, log) =
        gone_on(of(degrade("fail_twice", json!({}))), vec![started("a", "sleep", 1)]).await;
    assert_eq!((ends(&report), log.len()), (vec!["a COMPLETED".to_owned()], 2));
}

#[tokio::test(start_paused = true)]
async fn wa_4_settled_step_has_its_outcome_and_what_was_skipped_is_decided_again() {
    let document = || {
        let steps = vec![
            step("a", "fail_twice", json!({}), &[]),
            step("b", "echo", json!({"v": "${results.a.result}"}), &["a"]),
            step("c", "echo", json!({}), &[]),
            step("d", "echo", json!({}), &[]),
        ];
        set("SEQUENTIAL", steps)
    };
    let failed = ended(&json!({"instructionId": "a", "status": "FAILED", "executionTime": 1,
        "error": {"code": "OUTCOME_UNCERTAIN", "message": "m"}}));
    let skipped = |id: &str, code: &str, message: &str| {
        ended(&json!({"instructionId": id, "status": "SKIPPED", "executionTime": 0,
            "reason": {"code": code, "message": message}}))
    };
    let done = ended(&json!({"instructionId": "c", "status": "COMPLETED", "executionTime": 1}));
    let past = vec![
        started("a", "fail_twice", 1),
        failed,
        skipped("b", "DEPENDENCY_FAILED", "`a` ended FAILED"),
        started("c", "echo", 1),
        done,
        skipped("d", "CANCELLED", "it was cancelled"),
        entry(&Event::Finished { status: Status::Failed }),
    ];
    assert_eq!(Past::of(past.clone()).in_doubt(), ["a"]);
    assert_eq!(void_ends(&past, "a"), [1, 2]);
    let settled = |verdict| entry(&Event::Settled { id: "a", verdict });
    let mut again = past.clone();
    again.push(settled(Verdict::Again));
    assert!(Past::of(again.clone()).in_doubt().is_empty());
    assert!(void_ends(&again, "a").is_empty(), "they are void already");
    // It is run, and fails.
    let (report, _) = gone_on(document(), again.clone()).await;
    let ended_d = "d SKIPPED CANCELLED";
    let expected = ["a FAILED BUSY", "b SKIPPED DEPENDENCY_FAILED", "c COMPLETED", ended_d];
    assert_eq!(ends(&report), expected);
    // An attempt after that which nobody knows is in doubt anew.
    again.push(started("a", "fail_twice", 2));
    assert_eq!(Past::of(again).in_doubt(), ["a"]);
    // It was done: nothing of it runs.
    let mut was_done = past.clone();
    was_done.push(settled(Verdict::Done));
    was_done.push(ended(&json!({"instructionId": "a", "status": "COMPLETED", "result": 7})));
    let (report, _) = gone_on(document(), was_done).await;
    assert_eq!(ends(&report), ["a COMPLETED", "b COMPLETED", "c COMPLETED", ended_d]);
    assert_eq!(result(&report, 1), json!({"v": 7}));
    // A person who was killed between both events has said nothing of it.
    let mut half = past.clone();
    half.push(settled(Verdict::Done));
    let (report, _) = gone_on(document(), half).await;
    assert_eq!(ends(&report)[0], "a FAILED OUTCOME_UNCERTAIN");
    // It stays as it is.
    let mut left = past;
    left.push(settled(Verdict::Failed));
    assert!(Past::of(left).in_doubt().is_empty());
}

#[tokio::test(start_paused = true)]
async fn fl_11_uncertain_step_follows_recovery() {
    for (recovery, expected) in [
        (
            json!({"strategy": "SKIP"}),
            ["a FAILED OUTCOME_UNCERTAIN", "b SKIPPED DEPENDENCY_FAILED", "c COMPLETED"],
        ),
        (
            json!({"strategy": "PARTIAL"}),
            ["a FAILED OUTCOME_UNCERTAIN", "b SKIPPED DEPENDENCY_FAILED", "c COMPLETED"],
        ),
        (
            json!({"strategy": "ABORT"}),
            ["a FAILED OUTCOME_UNCERTAIN", "b SKIPPED DEPENDENCY_FAILED", "c SKIPPED CANCELLED"],
        ),
        (
            json!({"strategy": "RETRY", "attempts": 9}),
            ["a COMPLETED", "b COMPLETED", "c COMPLETED"],
        ),
        (
            json!({"strategy": "RETRY", "attempts": 1}),
            ["a FAILED OUTCOME_UNCERTAIN", "b SKIPPED DEPENDENCY_FAILED", "c COMPLETED"],
        ),
        (
            json!({"strategy": "DEGRADE", "alternative": {"action": "echo"}}),
            ["a COMPLETED", "b COMPLETED", "c COMPLETED"],
        ),
    ] {
        let document = set(
            "SEQUENTIAL",
            vec![
                with(step("a", "fail_twice", json!({}), &[]), "recovery", recovery.clone()),
                step("b", "echo", json!({}), &["a"]),
                step("c", "echo", json!({}), &[]),
            ],
        );
        let (report, _) = gone_on(document, vec![started("a", "fail_twice", 1)]).await;
        assert_eq!(ends(&report), expected, "{recovery}");
    }
}

#[tokio::test(start_paused = true)]
async fn fl_11_stopped_run_stays_stopped() {
    let document = || {
        set(
            "PARALLEL",
            vec![
                step("done", "echo", json!({}), &[]),
                step("was", "sleep", json!({"ms": 1}), &[]),
                step("new", "echo", json!({}), &[]),
            ],
        )
    };
    let done = ended(
        &json!({"instructionId": "done", "status": "COMPLETED", "result": {}, "executionTime": 1}),
    );
    // Cancelled: running steps are FAILED, pending ones SKIPPED, both with CANCELLED.
    let past = vec![
        started("done", "echo", 1),
        done.clone(),
        started("was", "sleep", 1),
        entry(&Event::Cancelled),
    ];
    let (report, log) = gone_on(document(), past).await;
    assert_eq!(ends(&report), ["done COMPLETED", "was FAILED CANCELLED", "new SKIPPED CANCELLED"]);
    assert_eq!(
        (report.status(), log.len(), order(&report).as_str()),
        (Status::Failed, 0, "done was")
    );
    // Aborted: the running step may have taken effect.
    let mut aborting = document();
    aborting["instructions"][0]["recovery"] = json!({"strategy": "ABORT"});
    let failed = ended(
        &json!({"instructionId": "done", "status": "FAILED", "error": {"code": "E", "message": "m"}}),
    );
    let (report, log) =
        gone_on(aborting, vec![started("done", "echo", 1), started("was", "sleep", 1), failed])
            .await;
    assert_eq!(
        ends(&report),
        ["done FAILED E", "was FAILED OUTCOME_UNCERTAIN", "new SKIPPED CANCELLED"]
    );
    assert_eq!(log.len(), 0);
    // Timed out: nothing more is run, and the run stays TIMEOUT.
    let mut late = document();
    late["timeout"] = json!(5);
    let skipped = ended(
        &json!({"instructionId": "done", "status": "SKIPPED", "reason": {"code": "SET_TIMEOUT", "message": "m"}}),
    );
    let (report, log) = gone_on(late.clone(), vec![skipped.clone()]).await;
    assert_eq!(ends(&report)[1..], ["was SKIPPED SET_TIMEOUT", "new SKIPPED SET_TIMEOUT"]);
    assert_eq!((report.status(), log.len()), (Status::Timeout, 0));
}

#[tokio::test(start_paused = true)]
async fn fl_11_finished_run_is_restored() {
    let mut document = set(
        "PARALLEL",
        vec![
            step("a", "sleep", json!({"ms": 60_000}), &[]),
            step("b", "echo", json!({"n": 1}), &[]),
            step("c", "echo", json!({}), &["a"]),
        ],
    );
    document["timeout"] = json!(1);
    let journal = Arc::new(Volatile::default());
    let options = Options { journal: journal.clone(), ..Options::default() };
    let (first, _) = run_with(document.clone(), options).await;
    let entries = journal.entries("run").unwrap();
    let (again, log) = gone_on(document, entries).await;
    let bare = |report: &contexture_flow::run::Report| {
        let mut value = report.to_value();
        value["results"]
            .as_object_mut()
            .unwrap()
            .values_mut()
            .for_each(|one| one["executionTime"] = Value::Null);
        value
    };
    assert_eq!(bare(&again), bare(&first));
    assert_eq!((again.status(), log.len()), (Status::Timeout, 0));
}

#[tokio::test(start_paused = true)]
async fn fl_11_journal_of_another_set_is_harmless() {
    let document = set(
        "PARALLEL",
        vec![step("a", "echo", json!({}), &[]), step("b", "echo", json!({}), &["a"])],
    );
    let past = vec![
        started("ghost", "echo", 1),
        ended(
            &json!({"instructionId": "phantom", "status": "FAILED", "error": {"code": "E", "message": "m"}}),
        ),
        started("a", "no such action", u32::MAX),
        ended(&json!({"instructionId": "b", "status": "RUNNING"})),
    ];
    let (report, _) = gone_on(document, past).await;
    assert_eq!(ends(&report), ["a FAILED OUTCOME_UNCERTAIN", "b SKIPPED DEPENDENCY_FAILED"]);
}

#[tokio::test(start_paused = true)]
async fn fl_6_earlier_outcome_is_only_one_where_it_is_declared() {
    let mut earlier = Earlier::default();
    earlier
        .add(&Outcome { result: Some(json!({"n": 9})), ..Outcome::new("old", Status::Completed) });
    earlier.add(&Outcome { result: Some(json!(1)), ..Outcome::new("a", Status::Failed) });
    let document = |dependencies: &[&str]| {
        set(
            "SEQUENTIAL",
            vec![
                step("a", "echo", json!({"own": true}), &[]),
                step(
                    "b",
                    "echo",
                    json!({"v": "${results.old.result.n}", "a": "${results.a.result}"}),
                    dependencies,
                ),
            ],
        )
    };
    let report = plan_with(&document(&["a"]), &earlier).unwrap_err();
    assert!(report.diagnostics[0].message.contains("ended earlier"), "{report}");
    let plan = plan_with(&document(&["a", "old"]), &earlier).unwrap();
    let report = Run::new(plan, Arc::new(actions(&Log::default())), Options::default()).run().await;
    assert_eq!(
        result(&report, 1),
        json!({"v": 9, "a": {"own": true}}),
        "an id of the set is that of the set"
    );
}

#[tokio::test(start_paused = true)]
async fn fl_7_outcomes_have_fields_of_their_status() {
    let report = run(set(
        "PARALLEL",
        vec![
            step("ok", "echo", json!({}), &[]),
            step("bad", "fail", json!({}), &[]),
            with(step("late", "never", json!({}), &[]), "timeout", json!(0.1)),
            step("skipped", "echo", json!({}), &["bad"]),
            with(
                step("untrue", "echo", json!({}), &["ok"]),
                "condition",
                format!("results.ok.status == '{}'", "x".repeat(100_000)).into(),
            ),
        ],
    ))
    .await;
    let value = report.to_value();
    assert_eq!(value["status"], "FAILED");
    assert_eq!(value["order"], json!(["ok", "bad", "late"]));
    let fields = |id: &str| -> Vec<String> {
        value["results"][id].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(fields("ok"), ["instructionId", "status", "result", "executionTime"]);
    assert_eq!(fields("bad"), ["instructionId", "status", "error", "executionTime"]);
    assert_eq!(fields("late"), ["instructionId", "status", "error", "executionTime"]);
    assert_eq!(fields("skipped"), ["instructionId", "status", "reason", "executionTime"]);
    assert_eq!(fields("untrue"), ["instructionId", "status", "reason", "executionTime"]);
    assert!(value["results"]["late"]["executionTime"].as_f64().unwrap() >= 100.0);
    assert!(value["results"]["untrue"]["reason"]["message"].as_str().unwrap().len() < 2_000);
}

#[tokio::test(start_paused = true)]
async fn fl_7_chains_of_conditions_are_distinguished() {
    let after = |id: &str, of: &[&str], condition: &str| {
        with(step(id, "echo", json!({}), of), "condition", condition.into())
    };
    let report = run(set(
        "CONDITIONAL",
        vec![
            step("bad", "fail", json!({}), &[]),
            step("ok", "echo", json!({}), &[]),
            after("brackets", &["bad"], "dependencies[\"bad\"][\"status\"] == 'FAILED'"),
            after("in_call", &["bad"], "startsWith(results.bad.status, 'FAIL')"),
            after("in_not", &["bad"], "NOT results.bad.status == 'COMPLETED'"),
            after(
                "only_one",
                &["bad", "ok"],
                "results.bad.status == 'FAILED' AND results.ok.result == results.ok.result",
            ),
            after("wrong_one", &["bad", "ok"], "results.ok.status == 'COMPLETED'"),
            after("whole", &["bad"], "exists(results.bad)"),
            after("result", &["bad"], "results.bad.result == null"),
            after("literal", &["bad"], "true"),
            after("message", &["bad"], "matches(results.bad.error.message, '.')"),
            after("deeper", &["bad"], "results.bad.error.code.status == null"),
            after("chained", &["message"], "results.bad.status == 'FAILED'"),
            after("skip", &["literal"], "results.literal.reason.code == 'DEPENDENCY_FAILED'"),
        ],
    ))
    .await;
    assert_eq!(
        ends(&report)[2..],
        [
            "brackets COMPLETED",
            "in_call COMPLETED",
            "in_not COMPLETED",
            "only_one COMPLETED",
            "wrong_one SKIPPED DEPENDENCY_FAILED",
            "whole SKIPPED DEPENDENCY_FAILED",
            "result SKIPPED DEPENDENCY_FAILED",
            "literal SKIPPED DEPENDENCY_FAILED",
            "message COMPLETED",
            "deeper COMPLETED",
            "chained COMPLETED",
            "skip SKIPPED DEPENDENCY_FAILED"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_4_results_of_run_have_bounds() {
    let limits =
        Limits { result_bytes: 50, result_depth: 3, parameter_bytes: 60, ..Limits::default() };
    let report = {
        let document = set(
            "PARALLEL",
            vec![
                step("small", "echo", json!({"t": "0123456789"}), &[]),
                step("large", "echo", json!({"t": "x".repeat(60)}), &[]),
                step("deep", "echo", json!({"t": [[[1]]]}), &[]),
                step(
                    "put",
                    "echo",
                    json!({"a": ["${results.small.result}", "${results.small.result}", "${results.small.result}"]}),
                    &["small"],
                ),
            ],
        );
        run_with(document, Options { limits, ..Options::default() }).await.0
    };
    assert_eq!(
        ends(&report),
        [
            "small COMPLETED",
            "large FAILED TOO_LARGE",
            "deep FAILED TOO_LARGE",
            "put FAILED TOO_LARGE"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_10_thirty_thousand_failures_are_thirty_thousand_outcomes() {
    let mut steps: Vec<Value> = (0..30_000)
        .map(|n| {
            let recovery =
                json!({"strategy": if n % 2 == 0 { "SKIP" } else { "RETRY" }, "attempts": 2});
            with(
                step(&format!("s{n}"), ["fail", "panic_at_once", "echo"][n % 3], json!({}), &[]),
                "recovery",
                recovery,
            )
        })
        .collect();
    steps.truncate(6_000);
    let report = run(set("PARALLEL", steps)).await;
    let count =
        |status: Status| report.outcomes().filter(|outcome| outcome.status == status).count();
    assert_eq!((count(Status::Failed), count(Status::Completed)), (4_000, 2_000));
}

#[test]
fn fl_4_kinds_decide_whether_steps_may_be_rerun() {
    for (kind, idempotent) in [
        (ActionKind::Query, true),
        (ActionKind::Analysis, true),
        (ActionKind::Operation, false),
        (ActionKind::Generation, false),
        (ActionKind::Decision, false),
    ] {
        assert_eq!(ActionInfo::of(kind).idempotent, idempotent, "{}", kind.as_str());
    }
}

#[test]
fn fl_4_comparison_with_impossible_status_gives_warning() {
    let warnings = |condition: &str| {
        let document = set(
            "CONDITIONAL",
            vec![
                step("a", "echo", json!({}), &[]),
                with(step("b", "echo", json!({}), &["a"]), "condition", condition.into()),
            ],
        );
        plan(&document)
            .warnings()
            .diagnostics
            .iter()
            .map(|d| d.help.clone().unwrap())
            .collect::<Vec<_>>()
    };
    for (condition, help) in [
        ("results.a.status == 'SUCCESS'", "write 'COMPLETED'"),
        ("results.a.status != \"ERROR\"", "write 'FAILED'"),
        ("NOT (dependencies['a']['status'] == 'completed')", "write 'COMPLETED'"),
        ("'SKIP' == (results.a.status)", "write 'SKIPPED'"),
        ("contains(results.a.result, results.a.status == 'TIMED_OUT')", "write 'TIMEOUT'"),
        ("results.a.status == 'COMPLTED'", "write 'COMPLETED'"),
        ("results.a.status == 'PENDING'", "a status is COMPLETED, FAILED, SKIPPED or TIMEOUT"),
        ("results.a.status == ''", "a status is COMPLETED, FAILED, SKIPPED or TIMEOUT"),
    ] {
        assert_eq!(warnings(condition), [help], "{condition}");
    }
    for condition in [
        "results.a.status == 'COMPLETED'",
        "results.a.status != 'TIMEOUT'",
        "results.a.result.status == 'SUCCESS'",
        "results.a.error.status == 'x'",
    ] {
        assert!(warnings(condition).is_empty(), "{condition}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fl_10_trusted_action_may_still_wait_fail_or_panic() {
    let mut all = actions(&Log::default());
    all.add("moody", ActionInfo::default(), |call| async move {
        match call.parameters.get("n").and_then(Value::as_u64).unwrap_or(0) {
            500 => std::future::pending::<()>().await,
            613 => panic!("after all"),
            721 => tokio::time::sleep(Duration::from_millis(20)).await,
            834 => return Err(ActionFailure::new("E", "m")),
            _ => {}
        }
        Ok(Value::Object(call.parameters))
    });
    let steps = (0..1_000)
        .map(|n| {
            let after = if n >= 50 { vec![format!("s{}", n - 50)] } else { Vec::new() };
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            let one = step(&format!("s{n}"), "moody", json!({ "n": n }), &after);
            if n == 500 { with(one, "timeout", json!(0.2)) } else { one }
        })
        .collect();
    let report = run_of(all, &set("PARALLEL", steps), Options::default()).await;
    let ends = ends(&report);
    assert_eq!(ends[500], "s500 TIMEOUT TIMEOUT");
    assert_eq!(ends[613], "s613 FAILED EXECUTION_FAILED");
    assert_eq!(ends[663], "s663 SKIPPED DEPENDENCY_FAILED");
    assert_eq!(ends[721], "s721 COMPLETED");
    assert_eq!(ends[834], "s834 FAILED E");
    let bad = ends.iter().filter(|end| !end.ends_with("COMPLETED")).count();
    assert_eq!(bad, 10 + 8 + 4, "each of the three, and every fiftieth after it");
}
