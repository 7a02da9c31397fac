//! The other steps when a run is stopped: completed work is kept.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

mod common;

use common::{Log, actions, ends, run, set, step, with};
use contexture_flow::Set;
use contexture_flow::action::{ActionFailure, ActionInfo, Registry};
use contexture_flow::check::{Earlier, check};
use contexture_flow::run::{Control, Options, Report, Run};
use contexture_protocol::Limits;
use contexture_protocol::content::Status;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Runs a set with the common actions and some that complete in the driver's task: `fail_at_once`,
/// `slow` that takes five seconds, and `cancel` that cancels the run.
async fn run_at_once(document: Value) -> Report {
    let mut all: Registry = actions(&Log::default());
    all.add("fail_at_once", ActionInfo::default().quick(), |call| async move {
        let code = call.parameters.get("code").and_then(Value::as_str).unwrap_or("E");
        Err(ActionFailure::new(code, "it fails"))
    });
    all.add("slow", ActionInfo::default().quick(), |_| async {
        // The first poll moves the clock.
        let _ = tokio::time::advance(Duration::from_secs(5)).now_or_never();
        Ok(json!("slow"))
    });
    let control: Arc<OnceLock<Control>> = Arc::default();
    let held = control.clone();
    all.add("cancel", ActionInfo::default().quick(), move |_| {
        let held = held.clone();
        async move {
            held.get().unwrap().cancel();
            Ok(json!("cancelled"))
        }
    });
    all.add("late", ActionInfo::default(), |_| async { Err(ActionFailure::late("too late")) });
    let set = Set::from_value(document, &Limits::FILE).unwrap();
    let plan = check(set, &all, &Earlier::default()).unwrap();
    let run = Run::new(plan, Arc::new(all), Options::default());
    control.set(run.control()).unwrap();
    run.run().await
}

#[tokio::test(start_paused = true)]
async fn cp_18_abort_keeps_results_that_ended_at_same_time() {
    let steps = |fail: &str| {
        let degrade = json!({"strategy": "DEGRADE", "alternative": {"action": "echo"}});
        let retry = json!({"strategy": "RETRY", "delay": 5});
        vec![
            with(
                step("a", fail, json!({"code": "E1"}), &[]),
                "recovery",
                json!({"strategy": "ABORT"}),
            ),
            step("b", "echo", json!({"v": 1}), &[]),
            step("c", fail, json!({"code": "E3"}), &[]),
            with(step("d", fail, json!({"code": "E4"}), &[]), "recovery", retry),
            with(step("e", fail, json!({"code": "E5"}), &[]), "recovery", degrade),
        ]
    };
    for fail in ["fail", "fail_at_once"] {
        let report = run_at_once(set("PARALLEL", steps(fail))).await;
        assert_eq!(
            ends(&report),
            ["a FAILED E1", "b COMPLETED", "c FAILED E3", "d FAILED E4", "e FAILED E5"],
            "{fail}"
        );
        assert_eq!(report.outcome(1).unwrap().result, Some(json!({"v": 1})));
        assert_eq!(report.status(), Status::Failed);
    }
}

#[tokio::test(start_paused = true)]
async fn cp_14_call_without_client_keeps_other_results() {
    let report = run(json!({"calls": [
        {"callId": "f2", "name": "x", "parameters": {}, "runtime": "FRONTEND"},
        {"callId": "b2", "name": "echo", "parameters": {"v": 1}},
        {"callId": "b3", "name": "sleep", "parameters": {"ms": 30}},
    ], "executionMode": "CLIENT_SERVER_PARALLEL"}))
    .await;
    assert_eq!(
        ends(&report),
        ["f2 FAILED CLIENT_UNAVAILABLE", "b2 COMPLETED", "b3 SKIPPED CANCELLED"]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_11_completed_work_of_cancelled_run_is_kept() {
    let report = run_at_once(set(
        "PARALLEL",
        vec![
            step("a", "cancel", json!({}), &[]),
            step("b", "echo", json!({"v": 1}), &[]),
            step("c", "fail_at_once", json!({}), &[]),
            step("d", "never", json!({}), &[]),
            step("e", "echo", json!({}), &["d"]),
        ],
    ))
    .await;
    assert_eq!(
        ends(&report),
        ["a COMPLETED", "b COMPLETED", "c FAILED E", "d FAILED CANCELLED", "e SKIPPED CANCELLED"]
    );
    // The last action of a completed set cancels nothing.
    let report = run_at_once(set("PARALLEL", vec![step("a", "cancel", json!({}), &[])])).await;
    assert_eq!(
        (ends(&report), report.status()),
        (vec!["a COMPLETED".to_owned()], Status::Completed)
    );
}

#[tokio::test(start_paused = true)]
async fn fl_4_completed_work_is_kept_after_timeout_of_set() {
    let steps = vec![
        step("a", "slow", json!({}), &[]),
        step("b", "echo", json!({}), &[]),
        step("c", "never", json!({}), &[]),
        step("d", "echo", json!({}), &["b"]),
    ];
    let mut document = set("PARALLEL", steps.clone());
    document["timeout"] = json!(2);
    let report = run_at_once(document).await;
    assert_eq!(
        ends(&report),
        ["a COMPLETED", "b COMPLETED", "c TIMEOUT TIMEOUT", "d SKIPPED SET_TIMEOUT"]
    );
    assert_eq!(report.status(), Status::Timeout);
    let call = |id: &str, name: &str| json!({"callId": id, "name": name, "parameters": {}});
    let report = run_at_once(json!({
        "calls": [call("a", "slow"), call("b", "never")], "executionMode": "BACKEND_FIRST", "backendTimeout": 2
    }))
    .await;
    assert_eq!(ends(&report), ["a COMPLETED", "b SKIPPED SET_TIMEOUT"]);
    let reason = report.outcome(1).unwrap().reason.unwrap();
    assert_eq!(reason.message, "the timeout of the back end has passed");
}

#[tokio::test(start_paused = true)]
async fn fl_1_message_names_side_that_timed_out() {
    for (runtime, side) in [("FRONTEND", "front end"), ("BACKEND", "back end")] {
        let report = run(json!({"calls": [
            {"callId": "a", "name": "sleep", "parameters": {"ms": 9_000}, "runtime": runtime},
        ], "executionMode": "CLIENT_SERVER_PARALLEL", "frontendTimeout": 1, "backendTimeout": 1}))
        .await;
        let error = report.outcome(0).unwrap().error.unwrap();
        assert_eq!(error.message, format!("the timeout of the {side} has passed"));
    }
}

#[tokio::test(start_paused = true)]
async fn fl_2_zero_timeout_passes_at_once() {
    let quick = |action: &str| step("a", action, json!({"ms": 0}), &[]);
    for action in ["echo", "sleep", "nothing"] {
        let own = set("PARALLEL", vec![with(quick(action), "timeout", json!(0))]);
        assert_eq!(ends(&run(own).await), ["a TIMEOUT TIMEOUT"], "{action}");
        let mut whole = set("PARALLEL", vec![quick(action)]);
        whole["timeout"] = json!(0);
        let report = run(whole).await;
        assert_eq!(ends(&report), ["a SKIPPED SET_TIMEOUT"], "{action}");
        assert_eq!(report.status(), Status::Timeout);
        let side = json!({"calls": [{"callId": "a", "name": action, "parameters": {"ms": 0}}],
            "executionMode": "BACKEND_FIRST", "backendTimeout": 0});
        assert_eq!(ends(&run(side).await), ["a SKIPPED SET_TIMEOUT"], "{action}");
    }
    // An action that can't be interrupted is late all the same.
    let slow = with(step("a", "slow", json!({}), &[]), "timeout", json!(1));
    let report = run_at_once(set("PARALLEL", vec![slow])).await;
    assert_eq!(ends(&report), ["a TIMEOUT TIMEOUT"]);
    assert_eq!(report.outcome(0).unwrap().error.unwrap().message, "it took longer than 1 s");
}

#[tokio::test(start_paused = true)]
async fn fl_7_skipping_propagates_after_abort() {
    for mode in ["SEQUENTIAL", "PARALLEL"] {
        let report = run(set(
            mode,
            vec![
                step("f3", "echo", json!({}), &["b2"]),
                with(step("f1", "fail", json!({}), &[]), "recovery", json!({"strategy": "ABORT"})),
                step("b2", "echo", json!({}), &["f1"]),
                with(
                    step("named", "echo", json!({}), &["f1"]),
                    "condition",
                    "dependencies.f1.status == 'FAILED'".into(),
                ),
                step("waits", "sleep", json!({"ms": 10}), &[]),
                step("after", "echo", json!({}), &["waits"]),
            ],
        ))
        .await;
        let (waits, after) = match mode {
            "SEQUENTIAL" => ("waits SKIPPED CANCELLED", "after SKIPPED DEPENDENCY_FAILED"),
            _ => ("waits COMPLETED", "after SKIPPED CANCELLED"),
        };
        assert_eq!(
            ends(&report),
            [
                "f3 SKIPPED DEPENDENCY_FAILED",
                "f1 FAILED E",
                "b2 SKIPPED DEPENDENCY_FAILED",
                "named SKIPPED CANCELLED",
                waits,
                after,
            ],
            "{mode}"
        );
        let reason = |index: usize| report.outcome(index).unwrap().reason.unwrap().message;
        assert_eq!(reason(0), "`b2` ended SKIPPED");
        assert_eq!(reason(3), "`f1` failed, and nothing is started after that");
    }
}

#[tokio::test(start_paused = true)]
async fn fl_2_only_late_steps_are_timeout() {
    let report = run_at_once(set(
        "PARALLEL",
        vec![step("a", "fail", json!({"code": "TIMEOUT"}), &[]), step("b", "late", json!({}), &[])],
    ))
    .await;
    assert_eq!(ends(&report), ["a FAILED TIMEOUT", "b TIMEOUT TIMEOUT"]);
}

#[tokio::test(start_paused = true)]
async fn cp_18_step_waiting_for_retry_keeps_error_on_abort() {
    let retry = json!({"strategy": "RETRY", "delay": 5});
    let late = with(step("late", "never", json!({}), &[]), "timeout", json!(0.01));
    let report = run_at_once(set(
        "PARALLEL",
        vec![
            with(
                step("a", "fail", json!({"code": "E1", "message": "lost"}), &[]),
                "recovery",
                retry.clone(),
            ),
            with(late, "recovery", retry),
            step("b", "sleep", json!({"ms": 50}), &[]),
            with(step("c", "fail", json!({}), &["b"]), "recovery", json!({"strategy": "ABORT"})),
            step("d", "echo", json!({}), &["a"]),
        ],
    ))
    .await;
    assert_eq!(
        ends(&report),
        [
            "a FAILED E1",
            "late TIMEOUT TIMEOUT",
            "b COMPLETED",
            "c FAILED E",
            "d SKIPPED DEPENDENCY_FAILED"
        ]
    );
    assert_eq!(report.outcome(0).unwrap().error.unwrap().message, "lost");
}

#[tokio::test(start_paused = true)]
async fn fl_4_step_stopped_before_retry_reports_last_failure() {
    let waits = || {
        with(
            step("a", "fail", json!({"code": "E1", "message": "lost"}), &[]),
            "recovery",
            json!({"strategy": "RETRY", "delay": 5}),
        )
    };
    let mut late = set("PARALLEL", vec![waits(), step("b", "never", json!({}), &[])]);
    late["timeout"] = json!(1);
    let cancelled = set(
        "PARALLEL",
        vec![
            waits(),
            step("b", "sleep", json!({"ms": 50}), &[]),
            step("c", "cancel", json!({}), &["b"]),
            step("d", "never", json!({}), &["b"]),
        ],
    );
    let last = json!({"lastError": {"code": "E1", "message": "lost"}});
    for (document, status, code) in
        [(late, Status::Timeout, "TIMEOUT"), (cancelled, Status::Failed, "CANCELLED")]
    {
        let report = run_at_once(document).await;
        let outcome = report.outcome(0).unwrap();
        let error = outcome.error.unwrap();
        assert_eq!((outcome.status, error.code.as_str()), (status, code));
        assert_eq!(error.details.as_ref(), Some(&last));
        // The current attempt has no earlier error.
        let other = report.outcomes().last().unwrap();
        assert_eq!((other.status, other.error.unwrap().details), (status, None));
    }
}

#[tokio::test(start_paused = true)]
async fn fl_12_requests_before_run_apply_to_first_steps() {
    let begun = |mode: &str, log: &Log| {
        let all = actions(log);
        let steps = vec![
            step("a", "sleep", json!({"ms": 10}), &[]),
            step("b", "sleep", json!({"ms": 10}), &[]),
        ];
        let set = Set::from_value(set(mode, steps), &Limits::FILE).unwrap();
        let plan = check(set, &all, &Earlier::default()).unwrap();
        Run::new(plan, Arc::new(all), Options::default())
    };
    for mode in ["SEQUENTIAL", "PARALLEL"] {
        // Paused: nothing begins until the run is resumed.
        let log = Log::default();
        let run = begun(mode, &log);
        let control = run.control();
        control.pause();
        let ended = tokio::spawn(run.run());
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(log.lock().unwrap().is_empty() && !ended.is_finished(), "{mode}: {log:?}");
        control.resume();
        assert_eq!(ended.await.unwrap().status(), Status::Completed);
        assert_eq!(log.lock().unwrap().len(), 4);
        // Cancelled: nothing is run at all.
        let log = Log::default();
        let run = begun(mode, &log);
        run.control().cancel();
        let report = run.run().await;
        let statuses: Vec<_> = report.outcomes().map(|one| one.status).collect();
        assert_eq!(statuses, [Status::Skipped, Status::Skipped], "{mode}");
        assert_eq!((report.status(), log.lock().unwrap().len()), (Status::Failed, 0));
        // The cancelled step is omitted, the other is run.
        let log = Log::default();
        let run = begun(mode, &log);
        run.control().cancel_step(0);
        let report = run.run().await;
        let statuses: Vec<_> = report.outcomes().map(|one| one.status).collect();
        assert_eq!(statuses, [Status::Skipped, Status::Completed], "{mode}");
    }
}
