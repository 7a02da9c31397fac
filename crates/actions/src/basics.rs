//! `echo`, `fail`, `sleep`, `clock`: actions to try flows out with, and the time.

use crate::failure::invalid;
use crate::settings::Clock;
use crate::shape::{Shape, text, text_if, unfit};
use contexture_flow::action::{ActionCall, ActionFailure, ActionKind, Registry};
use contexture_protocol::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The longest `sleep`: a day, in milliseconds.
const LONGEST_MS: u64 = 86_400_000;

/// The code of `fail` when it is given none.
const FAILED: &str = "FAILED";

pub(crate) fn register(registry: &mut Registry, clock: &Arc<dyn Clock>) {
    let info = Shape::new("Returns its parameters as they are.").open().of(ActionKind::Query);
    registry.add("echo", info.quick(), |call| async { Ok(Value::Object(call.parameters)) });

    let info = fail_shape().of(ActionKind::Query);
    registry.add("fail", info.quick(), |call| async move { Err(fail(&call)) });

    let info = sleep_shape().of(ActionKind::Query);
    registry.add("sleep", info, sleep);

    let clock = Arc::clone(clock);
    let info = Shape::new("Tells the time: {value, timestamp} in UTC as ISO 8601 with milliseconds, and {epochMs}, milliseconds since 1970.")
        .of(ActionKind::Query);
    registry.add("clock", info.quick(), move |_| {
        let told = tell(clock.now_ms());
        async { Ok(told) }
    });
}

fn fail_shape() -> Shape {
    Shape::new("Fails, to try out what a flow does then.")
        .takes(
            "code",
            json!({"type": "string", "minLength": 1}),
            "the code of the error; FAILED by default",
        )
        .takes("message", text(), "the message of the error")
        .takes("details", json!({}), "more about the error")
        .takes("partial", json!({}), "the result when the recovery is PARTIAL")
        .open()
}

fn fail(call: &ActionCall) -> ActionFailure {
    let words = text_if(call, "code").and_then(|code| Ok((code, text_if(call, "message")?)));
    let (code, message) = match words {
        Ok(words) => words,
        Err(failure) => return failure,
    };
    let mut failure = ActionFailure::new(
        code.unwrap_or(FAILED),
        message.unwrap_or("the flow asked to fail here"),
    );
    failure.details = call.parameters.get("details").cloned();
    failure.partial = call.parameters.get("partial").cloned();
    failure
}

fn sleep_shape() -> Shape {
    let ms = json!({"type": "number", "minimum": 0, "maximum": LONGEST_MS});
    Shape::new("Waits, then returns {ms}.").needs("ms", ms, "milliseconds, a day at most").open()
}

async fn sleep(call: ActionCall) -> Result<Value, ActionFailure> {
    let found = call.parameters.get("ms");
    let Some(ms) = found.and_then(Value::as_f64) else {
        return Err(unfit("ms", "a number of milliseconds", found));
    };
    #[expect(clippy::cast_precision_loss, reason = "it is a small number")]
    if !(0.0..=LONGEST_MS as f64).contains(&ms) {
        return Err(invalid(format!("`ms`: expected 0 to {LONGEST_MS} milliseconds, found {ms}")));
    }
    tokio::time::sleep(Duration::from_secs_f64(ms / 1_000.0)).await;
    Ok(json!({ "ms": found }))
}

fn tell(now_ms: u64) -> Value {
    let written = Timestamp::from_unix_millis(now_ms);
    json!({"value": written.as_str(), "timestamp": written.as_str(), "epochMs": now_ms})
}
