//! Runs of sets.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed"
)]

mod common;

use common::{Log, actions, ends, order, plan, plan_with, run, run_with, set, step, with};
use contexture_flow::check::Earlier;
use contexture_flow::journal::{Event, Journal, JournalError, Kept, Past, Unkept, Volatile};
use contexture_flow::run::{Limits, Options, Run};
use contexture_protocol::content::{CallStatus, Outcome, Status};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn fl_6_sequential_runs_earliest_listed_whose_dependencies_have_ended() {
    let report = run(set(
        "SEQUENTIAL",
        vec![
            step("d", "echo", json!({}), &["a"]),
            step("b", "echo", json!({}), &[]),
            step("a", "echo", json!({}), &[]),
            step("c", "echo", json!({}), &[]),
        ],
    ))
    .await;
    assert_eq!(order(&report), "b a d c");
    assert_eq!(report.status(), Status::Completed);
}

#[tokio::test(start_paused = true)]
async fn fl_7_sample_order_of_source_is_not_reversed() {
    let report = run(set(
        "SEQUENTIAL",
        vec![
            step("inst_3", "echo", json!({}), &["inst_2"]),
            step("inst_2", "echo", json!({}), &["inst_1"]),
            step("inst_1", "echo", json!({}), &[]),
        ],
    ))
    .await;
    assert_eq!(order(&report), "inst_1 inst_2 inst_3");
}

#[tokio::test(start_paused = true)]
async fn fl_4_parallel_and_conditional_run_at_once_and_sequential_does_not() {
    for (mode, expected) in [("PARALLEL", 100), ("CONDITIONAL", 100), ("SEQUENTIAL", 300)] {
        let before = Instant::now();
        let steps = ["a", "b", "c"].map(|id| step(id, "sleep", json!({"ms": 100}), &[]));
        let report = run(set(mode, steps.to_vec())).await;
        assert_eq!(report.status(), Status::Completed);
        let took = before.elapsed().as_millis();
        assert!((expected..expected + 20).contains(&took), "{mode} took {took}");
    }
}

#[tokio::test(start_paused = true)]
async fn fl_10_no_more_run_at_once_than_limit() {
    let steps = (0..10).map(|n| step(&format!("s{n}"), "sleep", json!({"ms": 10}), &[])).collect();
    let options = Options { concurrency: 3, ..Options::default() };
    let (_, log) = run_with(set("PARALLEL", steps), options).await;
    let mut now = 0;
    let running = log.iter().map(|line| {
        now += if line.starts_with('+') { 1 } else { -1 };
        now
    });
    assert_eq!(running.max(), Some(3));
}

#[tokio::test(start_paused = true)]
async fn fl_5_results_flow_into_parameters() {
    let report = run(set("PARALLEL", vec![
        step("a", "echo", json!({"n": 5, "list": [1, {"x": "y"}], "$${k}": "$${v}"}), &[]),
        step("b", "echo", json!({"same": "${dependencies.a.result}", "n": "${results.a.result.n}",
            "text": "n=${results.a.result.n} ${dependencies.a.status} ${dependencies.a.result.list[1]}",
            "whole": "${results.a.instructionId}"}), &["a"]),
        step("c", "echo", json!({"v": "${dependencies.a.result.nope.x}"}), &["a"]),
        step("d", "echo", json!({}), &["c"]),
    ]))
    .await;
    let result = report.outcome(1).unwrap().result.unwrap();
    assert_eq!(result["same"], json!({"n": 5, "list": [1, {"x": "y"}], "$${k}": "${v}"}));
    assert_eq!(result["n"], json!(5));
    assert_eq!(result["text"], "n=5 COMPLETED {\"x\":\"y\"}");
    assert_eq!(result["whole"], "a");
    assert_eq!(ends(&report)[2..], ["c FAILED REFERENCE_MISSING", "d SKIPPED DEPENDENCY_FAILED"]);
    assert_eq!(order(&report), "a b");
    assert_eq!(report.status(), Status::Failed);
}

#[tokio::test(start_paused = true)]
async fn fl_7_failed_dependency_skips_unless_condition_names_it() {
    let after = |id: &str, condition: &str, dependencies: &[&str]| {
        with(step(id, "echo", json!({}), dependencies), "condition", condition.into())
    };
    let report = run(set(
        "PARALLEL",
        vec![
            step("ok", "echo", json!({"n": 1}), &[]),
            step("bad", "fail", json!({"code": "E_X", "message": "m"}), &[]),
            step("plain", "echo", json!({}), &["bad"]),
            step("chained", "echo", json!({}), &["plain"]),
            after("status", "dependencies.bad.status == 'FAILED'", &["bad"]),
            after("error", "results.bad.error.code == 'E_X'", &["bad", "ok"]),
            after("gone", "exists(dependencies.bad.error)", &["bad", "plain"]),
            after(
                "both",
                "dependencies.bad.status != 'COMPLETED' AND dependencies.plain.status == 'SKIPPED'",
                &["bad", "plain"],
            ),
            after("untrue", "dependencies.bad.status == 'COMPLETED'", &["bad"]),
            after("result", "dependencies.bad.result.x == null", &["bad"]),
            after("good", "dependencies.ok.result.n > 3", &["ok"]),
            after("blank", " ", &["ok"]),
        ],
    ))
    .await;
    assert_eq!(
        ends(&report),
        [
            "ok COMPLETED",
            "bad FAILED E_X",
            "plain SKIPPED DEPENDENCY_FAILED",
            "chained SKIPPED DEPENDENCY_FAILED",
            "status COMPLETED",
            "error COMPLETED",
            "gone SKIPPED DEPENDENCY_FAILED",
            "both COMPLETED",
            "untrue SKIPPED CONDITION_FALSE",
            "result SKIPPED DEPENDENCY_FAILED",
            "good SKIPPED CONDITION_FALSE",
            "blank COMPLETED",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_2_late_steps_are_cancelled_and_completed_ones_kept() {
    let mut document = set(
        "PARALLEL",
        vec![
            step("quick", "sleep", json!({"ms": 10}), &[]),
            with(step("late", "sleep", json!({"ms": 5_000}), &[]), "timeout", json!(0.1)),
            step("slow", "sleep", json!({"ms": 5_000}), &[]),
            step("after", "echo", json!({}), &["slow"]),
            with(step("never", "never", json!({}), &[]), "timeout", json!(60)),
        ],
    );
    document["timeout"] = json!(0.5);
    let (report, log) = run_with(document, Options::default()).await;
    assert_eq!(
        ends(&report),
        [
            "quick COMPLETED",
            "late TIMEOUT TIMEOUT",
            "slow TIMEOUT TIMEOUT",
            "after SKIPPED SET_TIMEOUT",
            "never TIMEOUT TIMEOUT",
        ]
    );
    assert_eq!(report.status(), Status::Timeout);
    let took =
        |index| report.outcome(index).unwrap().execution_time.unwrap().duration().as_millis();
    assert_eq!((took(1) / 10, took(2) / 10, took(3)), (10, 50, 0));
    assert!(!log.contains(&"-slow".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn fl_2_parameters_are_checked_before_tool_runs() {
    let report = run(set(
        "PARALLEL",
        vec![
            step("a", "sleep", json!({"ms": "soon"}), &[]),
            step("b", "sleep", json!({}), &[]),
            step("c", "echo", json!({}), &[]),
        ],
    ))
    .await;
    assert_eq!(
        ends(&report),
        ["a FAILED VALIDATION_FAILED", "b FAILED VALIDATION_FAILED", "c COMPLETED"]
    );
    let error = report.outcome(0).unwrap().error.unwrap();
    assert_eq!(error.details.unwrap()["violations"][0]["pointer"], "/ms");
}

#[tokio::test(start_paused = true)]
async fn fl_10_misbehaving_actions_affect_only_themselves() {
    let report = run(set(
        "PARALLEL",
        vec![
            step("panic", "panic", json!({}), &[]),
            step("early", "panic_at_once", json!({}), &[]),
            step("huge", "huge", json!({}), &[]),
            step("deep", "deep", json!({}), &[]),
            with(step("never", "never", json!({}), &[]), "timeout", json!(1)),
            step("ok", "echo", json!({}), &[]),
        ],
    ))
    .await;
    assert_eq!(
        ends(&report),
        [
            "panic FAILED EXECUTION_FAILED",
            "early FAILED EXECUTION_FAILED",
            "huge FAILED TOO_LARGE",
            "deep FAILED TOO_LARGE",
            "never TIMEOUT TIMEOUT",
            "ok COMPLETED",
        ]
    );
    assert_eq!(report.outcome(0).unwrap().error.unwrap().message, "the action panicked: oh panic");
    let limits = Limits { results_bytes: 20, ..Limits::default() };
    let document = set(
        "SEQUENTIAL",
        vec![
            step("a", "echo", json!({"t": "0123456789"}), &[]),
            step("b", "echo", json!({"t": "0123456789"}), &[]),
        ],
    );
    let (report, _) = run_with(document, Options { limits, ..Options::default() }).await;
    assert_eq!(ends(&report), ["a COMPLETED", "b FAILED TOO_LARGE"]);
}

#[tokio::test(start_paused = true)]
async fn fl_5_parameters_that_grow_without_end_are_stopped() {
    let mut steps = vec![step("s0", "echo", json!({"t": "x".repeat(1_000)}), &[])];
    for n in 1..40 {
        let before = format!("s{}", n - 1);
        let twice = format!("${{results.{before}.result}}");
        steps.push(step(&format!("s{n}"), "echo", json!({"a": twice, "b": twice}), &[&before]));
    }
    let report = run(set("SEQUENTIAL", steps)).await;
    let failed = report.outcomes().find(|outcome| outcome.status == Status::Failed).unwrap();
    assert_eq!(failed.error.unwrap().code, "TOO_LARGE");
}

fn recovering(action: &str, recovery: Value) -> Value {
    set(
        "SEQUENTIAL",
        vec![
            with(
                step("a", action, json!({"code": "E", "message": "m", "partial": [1]}), &[]),
                "recovery",
                recovery,
            ),
            step("b", "echo", json!({"v": "${results.a.result}"}), &["a"]),
            step("c", "echo", json!({}), &[]),
        ],
    )
}

#[tokio::test(start_paused = true)]
async fn cp_18_recovery_skip_retry_degrade_partial_abort() {
    let ends_of =
        async |action: &str, recovery: Value| ends(&run(recovering(action, recovery)).await);
    let skipped = ["a FAILED E", "b SKIPPED DEPENDENCY_FAILED", "c COMPLETED"];
    assert_eq!(ends_of("fail", json!({"strategy": "SKIP"})).await, skipped);
    assert_eq!(ends_of("fail", json!({"strategy": "RETRY", "attempts": 2})).await, skipped);
    assert_eq!(
        ends_of("fail", json!({"strategy": "ABORT"})).await,
        ["a FAILED E", "b SKIPPED DEPENDENCY_FAILED", "c SKIPPED CANCELLED"]
    );
    let all = ["a COMPLETED", "b COMPLETED", "c COMPLETED"];
    assert_eq!(ends_of("fail", json!({"strategy": "PARTIAL"})).await, all);
    assert_eq!(ends_of("fail_twice", json!({"strategy": "RETRY", "attempts": 3})).await, all);
    let alternative = json!({"action": "echo", "parameters": {"from": "other"}});
    let degrade = json!({"strategy": "DEGRADE", "alternative": alternative});
    let report = run(recovering("fail", degrade)).await;
    assert_eq!(report.outcome(1).unwrap().result.unwrap(), json!({"v": {"from": "other"}}));
    let worse = json!({"strategy": "DEGRADE", "alternative": {"action": "panic"}});
    assert_eq!(ends_of("fail", worse).await[0], "a FAILED EXECUTION_FAILED");
}

#[tokio::test(start_paused = true)]
async fn cp_18_attempts_wait_longer_each_time() {
    let before = Instant::now();
    let recovery = json!({"strategy": "RETRY", "attempts": 3, "delay": 1, "backoff": 2});
    let report = run(recovering("fail_twice", recovery)).await;
    assert_eq!(before.elapsed().as_secs(), 3);
    assert_eq!(report.outcome(0).unwrap().result.unwrap(), json!({"attempt": 3, "key": "run:a"}));
    let late = with(step("a", "never", json!({}), &[]), "timeout", json!(1));
    let late = with(late, "recovery", json!({"strategy": "RETRY", "attempts": 2, "delay": 1}));
    let before = Instant::now();
    let report = run(set("SEQUENTIAL", vec![late])).await;
    assert_eq!(
        (ends(&report), before.elapsed().as_secs()),
        (vec!["a TIMEOUT TIMEOUT".to_owned()], 3)
    );
}

fn call(id: &str, runtime: &str, name: &str, after: &[&str]) -> Value {
    json!({"callId": id, "name": name, "runtime": runtime, "parameters": {"ms": 100}, "requiredAfter": after})
}

#[tokio::test(start_paused = true)]
async fn fl_1_modes_keep_sides_apart() {
    let calls = json!([
        call("b1", "BACKEND", "sleep", &[]),
        call("f1", "FRONTEND", "sleep", &[]),
        call("b2", "BACKEND", "sleep", &[]),
        call("f2", "FRONTEND", "sleep", &[]),
    ]);
    for (mode, expected, millis) in [
        ("SYNC", "b1 f1 b2 f2", 400),
        ("FRONTEND_FIRST", "f1 f2 b1 b2", 400),
        ("BACKEND_FIRST", "b1 b2 f1 f2", 400),
        ("CLIENT_SERVER_PARALLEL", "b1 f1 b2 f2", 200),
        ("PARALLEL", "b1 f1 b2 f2", 100),
        ("ASYNC", "b1 f1 b2 f2", 100),
    ] {
        let before = Instant::now();
        let report = run(json!({"calls": calls, "executionMode": mode})).await;
        assert_eq!(order(&report), expected, "{mode}");
        assert_eq!(before.elapsed().as_millis() / 50 * 50, millis, "{mode}");
        let response = report.tool_call_response();
        let ids: Vec<_> = response.results.iter().map(|result| result.call_id.as_str()).collect();
        assert_eq!(ids, ["b1", "f1", "b2", "f2"]);
        assert!(response.results.iter().all(|result| result.status == CallStatus::Success));
    }
    let report =
        run(json!({"calls": calls, "executionMode": "FRONTEND_FIRST", "frontendTimeout": 0.15}));
    assert_eq!(
        ends(&report.await),
        ["b1 COMPLETED", "f1 COMPLETED", "b2 COMPLETED", "f2 TIMEOUT TIMEOUT"]
    );
}

#[tokio::test(start_paused = true)]
async fn cp_14_what_happens_when_frontend_tool_cannot_be_run() {
    let calls = |fallback: Value| {
        let mut pick = call("pick", "FRONTEND", "file_picker", &[]);
        for (key, value) in fallback.as_object().unwrap() {
            pick[key] = value.clone();
        }
        json!({"calls": [pick, call("use", "BACKEND", "sleep", &["pick"]), call("other", "BACKEND", "sleep", &[])]})
    };
    assert_eq!(
        ends(&run(calls(json!({}))).await),
        [
            "pick FAILED CLIENT_UNAVAILABLE",
            "use SKIPPED DEPENDENCY_FAILED",
            "other SKIPPED CANCELLED"
        ]
    );
    let report = run(calls(json!({"fallbackBehavior": "SKIP"}))).await;
    assert_eq!(
        ends(&report),
        ["pick FAILED CLIENT_UNAVAILABLE", "use SKIPPED DEPENDENCY_FAILED", "other COMPLETED"]
    );
    let response = report.tool_call_response();
    assert_eq!(response.results[1].error.as_ref().unwrap().code, "DEPENDENCY_FAILED");
    assert_eq!(response.results[1].status, CallStatus::Error);
    let other = json!({"fallbackBehavior": "USE_ALTERNATIVE", "alternative": {"name": "echo"}});
    assert_eq!(
        ends(&run(calls(other)).await),
        ["pick COMPLETED", "use COMPLETED", "other COMPLETED"]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_12_pause_resume_and_cancel() {
    let steps = vec![
        step("a", "sleep", json!({"ms": 100}), &[]),
        step("b", "sleep", json!({"ms": 100}), &["a"]),
        step("c", "sleep", json!({"ms": 100}), &["b"]),
    ];
    let log = Log::default();
    let run =
        Run::new(plan(&set("SEQUENTIAL", steps)), Arc::new(actions(&log)), Options::default());
    let control = run.control();
    let before = Instant::now();
    let running = tokio::spawn(run.run());
    tokio::time::sleep(Duration::from_millis(50)).await;
    control.pause();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(log.lock().unwrap().clone(), ["+a", "-a"]);
    control.resume();
    tokio::time::sleep(Duration::from_millis(50)).await;
    control.cancel();
    let report = running.await.unwrap();
    assert_eq!(ends(&report), ["a COMPLETED", "b FAILED CANCELLED", "c SKIPPED CANCELLED"]);
    assert_eq!((report.status(), before.elapsed().as_secs()), (Status::Failed, 10));
}

#[tokio::test(start_paused = true)]
async fn fl_12_progress_is_reported_in_order() {
    let news = Arc::new(Mutex::new(Vec::new()));
    let seen = news.clone();
    let options = Options {
        observer: Some(Arc::new(move |notice| {
            let result = notice.outcome().and_then(|outcome| outcome.result).is_some();
            let line = format!(
                "{} {} {}/{} {result}",
                notice.id, notice.status, notice.done, notice.total
            );
            seen.lock().unwrap().push(line);
        })),
        ..Options::default()
    };
    let document = set(
        "SEQUENTIAL",
        vec![step("a", "echo", json!({}), &[]), step("b", "fail", json!({}), &["a"])],
    );
    run_with(document, options).await;
    assert_eq!(
        news.lock().unwrap().clone(),
        [
            "a RUNNING 0/2 false",
            "a COMPLETED 1/2 true",
            "b RUNNING 1/2 false",
            "b FAILED 2/2 false"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_11_interrupted_run_is_resumed() {
    let document = set(
        "SEQUENTIAL",
        vec![
            step("done", "echo", json!({"n": 1}), &[]),
            step("again", "echo", json!({"n": "${results.done.result.n}"}), &["done"]),
            step("unsure", "fail_twice", json!({}), &["done"]),
            step("keyed", "panic", json!({"idempotencyKey": "k1"}), &["done"]),
            step("rest", "echo", json!({}), &["again"]),
        ],
    );
    let journal = Arc::new(Volatile::default());
    let record = |event: &Event<'_>| event.to_json();
    let started = |id, action| record(&Event::Started { id, action, attempt: 1, key: "k" });
    let mut lines = vec![started("done", "echo")];
    let mut outcome = serde_json::to_value(Outcome::new("done", Status::Completed)).unwrap();
    outcome["result"] = json!({"n": 7});
    outcome["event"] = "ENDED".into();
    lines.push(outcome.to_string());
    let running = [("again", "echo"), ("unsure", "fail_twice"), ("keyed", "panic")];
    lines.extend(running.map(|(id, action)| started(id, action)));
    let entries = lines.iter().map(|line| contexture_flow::journal::Entry::parse(line).unwrap());
    let options =
        Options { journal: journal.clone(), past: Some(Past::of(entries)), ..Options::default() };
    let (report, _) = run_with(document, options).await;
    assert_eq!(
        ends(&report),
        [
            "done COMPLETED",
            "again COMPLETED",
            "unsure FAILED OUTCOME_UNCERTAIN",
            "keyed FAILED EXECUTION_FAILED",
            "rest COMPLETED",
        ]
    );
    assert_eq!(report.outcome(1).unwrap().result.unwrap(), json!({"n": 7}));
    assert_eq!(order(&report), "done again unsure keyed rest");
    let lines = journal.lines("run");
    assert!(lines[0].contains("\"again\"") && lines[0].contains("\"attempt\":2"), "{}", lines[0]);
    assert!(lines.last().unwrap().contains("FINISHED"));
}

#[tokio::test(start_paused = true)]
async fn fl_11_run_can_be_read_back_at_every_point() {
    let document = || {
        set(
            "PARALLEL",
            vec![
                step("a", "echo", json!({"n": 1}), &[]),
                with(
                    step("b", "fail", json!({"code": "E", "message": "m"}), &["a"]),
                    "recovery",
                    json!({"strategy": "RETRY", "attempts": 2}),
                ),
                step("c", "echo", json!({"v": "${results.a.result.n}"}), &["a"]),
                step("d", "echo", json!({}), &["b"]),
            ],
        )
    };
    let journal = Arc::new(Volatile::default());
    let options = Options { journal: journal.clone(), ..Options::default() };
    let (whole, _) = run_with(document(), options).await;
    let entries = journal.entries("run").unwrap();
    for cut in 0..=entries.len() {
        let past = Past::of(entries[..cut].iter().cloned());
        let (report, _) =
            run_with(document(), Options { past: Some(past), ..Options::default() }).await;
        let (mut left, mut right) = (ends(&report), ends(&whole));
        // A step that was running at the interruption and is not idempotent is uncertain; its retry
        // decides.
        left.retain(|line| !line.starts_with('b'));
        right.retain(|line| !line.starts_with('b'));
        assert_eq!(left, right, "cut at {cut}");
    }
}

/// A journal that fails after some events.
struct Failing(Mutex<usize>);

impl Journal for Failing {
    fn record(&self, _: &str, _: &Event<'_>, kept: Kept) {
        let mut left = self.0.lock().unwrap();
        *left = left.saturating_sub(1);
        if *left > 0 {
            kept.done(Ok(()));
        }
    }

    fn entries(&self, run: &str) -> Result<Vec<contexture_flow::journal::Entry>, JournalError> {
        Unkept.entries(run)
    }
}

#[tokio::test(start_paused = true)]
async fn fl_11_run_fails_when_journal_fails() {
    let steps = (0..5).map(|n| step(&format!("s{n}"), "echo", json!({}), &[])).collect();
    let journal = Arc::new(Failing(Mutex::new(4)));
    let (report, _) =
        run_with(set("SEQUENTIAL", steps), Options { journal, ..Options::default() }).await;
    assert_eq!(report.status(), Status::Failed);
    assert!(report.fault().is_some());
    assert_eq!(
        ends(&report)[2..],
        ["s2 FAILED INTERNAL", "s3 SKIPPED INTERNAL", "s4 SKIPPED INTERNAL"]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_6_outcomes_that_ended_earlier_are_read() {
    let mut earlier = Earlier::default();
    earlier
        .add(&Outcome { result: Some(json!({"n": 9})), ..Outcome::new("old", Status::Completed) });
    earlier.add(&Outcome::new("bad", Status::Failed));
    let document = set(
        "PARALLEL",
        vec![
            with(
                step("a", "echo", json!({"v": "${results.old.result.n}"}), &["old"]),
                "condition",
                "dependencies.old.result.n == 9".into(),
            ),
            step("b", "echo", json!({}), &["bad"]),
            with(
                step("c", "echo", json!({}), &["bad"]),
                "condition",
                "dependencies.bad.status == 'FAILED'".into(),
            ),
        ],
    );
    let plan = plan_with(&document, &earlier).unwrap();
    let report = Run::new(plan, Arc::new(actions(&Log::default())), Options::default()).run().await;
    assert_eq!(ends(&report), ["a COMPLETED", "b SKIPPED DEPENDENCY_FAILED", "c COMPLETED"]);
    assert_eq!(report.outcome(0).unwrap().result.unwrap(), json!({"v": 9}));
}

#[tokio::test]
async fn fl_10_many_steps_and_long_chains() {
    let wide = (0..20_000).map(|n| step(&format!("s{n}"), "echo", json!({}), &[])).collect();
    assert_eq!(run(set("PARALLEL", wide)).await.status(), Status::Completed);
    let mut chain = vec![step("s0", "fail", json!({}), &[])];
    chain.extend(
        (1..20_000).map(|n| step(&format!("s{n}"), "echo", json!({}), &[&format!("s{}", n - 1)])),
    );
    let report = run(set("SEQUENTIAL", chain)).await;
    assert_eq!(ends(&report).last().unwrap(), "s19999 SKIPPED DEPENDENCY_FAILED");
    assert_eq!(
        run(set("PARALLEL", Vec::new())).await.to_value(),
        json!({"status": "COMPLETED", "results": {}, "order": []})
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fl_10_two_threads_and_dropped_runs() {
    let steps = (0..2_000)
        .map(|n| {
            let after: Vec<String> =
                (1..4).filter(|d| n >= d * 7).map(|d| format!("s{}", n - d * 7)).collect();
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            step(&format!("s{n}"), "echo", json!({"n": n}), &after)
        })
        .collect();
    let report = run(set("PARALLEL", steps)).await;
    assert_eq!((report.status(), report.order().count()), (Status::Completed, 2_000));
    let log = Log::default();
    let run = Run::new(
        plan(&set("PARALLEL", vec![step("a", "sleep", json!({"ms": 200}), &[])])),
        Arc::new(actions(&log)),
        Options::default(),
    );
    drop(tokio::time::timeout(Duration::from_millis(50), run.run()).await);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(log.lock().unwrap().clone(), ["+a"]);
}
