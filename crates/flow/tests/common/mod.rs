//! Actions for tests, and runs of sets written as JSON.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each test that shares this uses a part of it"
)]

use contexture_flow::Set;
use contexture_flow::action::{ActionFailure, ActionInfo, ActionKind, Registry};
use contexture_flow::check::{Earlier, Plan, Report, check};
use contexture_flow::run::{self, Options, Run};
use contexture_protocol::Limits;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The calls of actions, in order.
pub type Log = Arc<Mutex<Vec<String>>>;

pub fn step(id: &str, action: &str, parameters: Value, dependencies: &[&str]) -> Value {
    json!({"instructionId": id, "action": action, "parameters": parameters, "dependencies": dependencies})
}

pub fn set(mode: &str, steps: Vec<Value>) -> Value {
    json!({"instructions": steps, "executionMode": mode})
}

pub fn with(mut step: Value, field: &str, value: Value) -> Value {
    step[field] = value;
    step
}

pub fn actions(log: &Log) -> Registry {
    let mut all = Registry::default();
    all.add("echo", ActionInfo::of(ActionKind::Query).quick(), |call| async move {
        Ok(Value::Object(call.parameters))
    });
    let schema =
        json!({"type": "object", "properties": {"ms": {"type": "number"}}, "required": ["ms"]});
    let info = ActionInfo::of(ActionKind::Query).with_parameters(schema);
    let seen = log.clone();
    all.add("sleep", info, move |call| {
        let seen = seen.clone();
        async move {
            seen.lock().unwrap().push(format!("+{}", call.id));
            let millis = call.parameters.get("ms").and_then(Value::as_u64).unwrap_or(0);
            tokio::time::sleep(Duration::from_millis(millis)).await;
            seen.lock().unwrap().push(format!("-{}", call.id));
            Ok(json!({"ms": millis}))
        }
    });
    all.add("fail", ActionInfo::default(), |call| async move {
        let text = |name: &str| call.parameters.get(name).and_then(Value::as_str).unwrap_or("E");
        let mut failure = ActionFailure::new(text("code"), text("message"));
        failure.partial = call.parameters.get("partial").cloned();
        Err(failure)
    });
    let count = Arc::new(AtomicU32::new(0));
    all.add("fail_twice", ActionInfo::default(), move |call| {
        let before = count.fetch_add(1, Ordering::SeqCst);
        async move {
            if before < 2 {
                return Err(ActionFailure::new("BUSY", "not yet"));
            }
            Ok(json!({"attempt": call.attempt, "key": call.key}))
        }
    });
    all.add("panic", ActionInfo::default(), |call| async move {
        let id = call.id;
        panic!("oh {id}")
    });
    all.add("panic_at_once", ActionInfo::default().quick(), |call| -> std::future::Ready<_> {
        assert!(call.attempt == 0, "before the future");
        std::future::ready(Ok(Value::Null))
    });
    all.add("never", ActionInfo::default().quick(), |_| std::future::pending());
    all.add("nothing", ActionInfo::of(ActionKind::Query), |_| async { Ok(Value::Null) });
    all.add("hostile", ActionInfo::of(ActionKind::Query), |_| async {
        Ok(json!({"t": "${results.secret.result.k} $${x} ${"}))
    });
    all.add("huge", ActionInfo::default(), |_| async { Ok(json!("x".repeat(20 << 20))) });
    all.add("deep", ActionInfo::default(), |_| async {
        Ok((0..100_000).fold(json!(1), |inner, _| Value::Array(vec![inner])))
    });
    all
}

pub fn plan_with(document: &Value, earlier: &Earlier) -> Result<Plan, Report> {
    let text = document.to_string();
    let set = Set::read(text.as_bytes(), &Limits::FILE)?;
    check(set, &actions(&Log::default()), earlier)
}

pub fn plan(document: &Value) -> Plan {
    plan_with(document, &Earlier::default()).unwrap()
}

pub async fn run_with(document: Value, options: Options) -> (run::Report, Vec<String>) {
    let log = Log::default();
    let actions = Arc::new(actions(&log));
    let report = Run::new(plan(&document), actions, options).run().await;
    let log = log.lock().unwrap().clone();
    (report, log)
}

pub async fn run(document: Value) -> run::Report {
    run_with(document, Options::default()).await.0
}

/// Returns each step as `id STATUS code`.
pub fn ends(report: &run::Report) -> Vec<String> {
    let end = |outcome: contexture_protocol::content::Outcome| {
        let code = outcome.error.map(|e| e.code).or(outcome.reason.map(|r| r.code));
        let code = code.map(|code| format!(" {code}")).unwrap_or_default();
        format!("{} {}{code}", outcome.instruction_id, outcome.status)
    };
    report.outcomes().map(end).collect()
}

pub fn order(report: &run::Report) -> String {
    report.order().collect::<Vec<_>>().join(" ")
}
