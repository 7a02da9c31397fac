//! The work of an attempt.

use super::inbox::{Inbox, Letter};
use super::profile;
use crate::action::{ActionCall, ActionFailure, Actions};
use crate::machine::{Input, Limits, failure, too_late};
use crate::measure::{Size, dismantle, measure};
use contexture_protocol::ErrorCode;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::any::Any;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What an attempt needs besides its call.
pub(super) struct Work {
    pub(super) actions: Arc<dyn Actions>,
    pub(super) inbox: Arc<Inbox>,
    pub(super) limits: Limits,
    pub(super) step: u32,
    /// The timeout, and when it has passed.
    pub(super) time: Option<(Duration, Instant)>,
}

impl Work {
    /// Runs the call and reports its end. A watched one runs in a task of its own.
    pub(super) async fn run(self, call: ActionCall, is_watched: bool) {
        let Self { actions, inbox, limits, step, time } = self;
        let number = call.attempt;
        let (began, mut looks) = (is_watched.then(Instant::now), 0_u32);
        let mut acting = pin!(attempt(actions, call, limits, time));
        let acted = poll_fn(|context| {
            looks = looks.saturating_add(1);
            acting.as_mut().poll(context)
        });
        let result = acted.await;
        let was_prompt = began.map(|began| profile::was_prompt(looks, began.elapsed()));
        let input = Input::Done { step, attempt: number, result };
        inbox.put_letter(Letter { input, was_prompt });
    }
}

/// Runs an attempt, whatever its action does: it may panic, hang, be late and return too much. `time`
/// is its timeout, and when it has passed. Returns its result with the approximate size in bytes of
/// JSON, for [`Input::Done`].
///
/// # Errors
/// The failure of the action.
pub async fn attempt(
    actions: Arc<dyn Actions>,
    call: ActionCall,
    limits: Limits,
    time: Option<(Duration, Instant)>,
) -> Result<(Value, usize), Box<ActionFailure>> {
    // The call itself may panic before it returns a future.
    let acted = AssertUnwindSafe(async { actions.call(call).await }).catch_unwind().await;
    // An action that never waits is not interrupted by its timeout, but it is late all the same.
    let late = time.filter(|(_, end)| Instant::now() >= *end);
    let acted = match (late, acted) {
        (Some((time, _)), acted) => {
            if let Ok(Ok(value)) = acted {
                dismantle(value);
            }
            Ok(Err(too_late(time)))
        }
        (None, acted) => acted,
    };
    match acted {
        Ok(Ok(value)) => sized(value, &limits),
        Ok(Err(mut failure)) => {
            failure.details = failure.details.and_then(|value| bounded(value, &limits));
            // A partial result that is too large is dropped.
            failure.partial = failure
                .partial
                .and_then(|value| sized(value, &limits).ok().map(|(value, _)| value));
            Err(Box::new(failure))
        }
        Err(panic) => {
            let message = format!("the action panicked: {}", words_of(&*panic));
            Err(Box::new(failure(ErrorCode::ExecutionFailed, message)))
        }
    }
}

fn sized(value: Value, limits: &Limits) -> Result<(Value, usize), Box<ActionFailure>> {
    let message = match measure(&value, limits.result_bytes, limits.result_depth) {
        Size::Within(bytes) => return Ok((value, bytes)),
        Size::TooLarge => {
            format!("the result is larger than {} bytes", limits.result_bytes)
        }
        Size::TooDeep => {
            format!("the result is nested deeper than {} lists and objects", limits.result_depth)
        }
    };
    dismantle(value);
    Err(Box::new(failure(ErrorCode::TooLarge, message)))
}

fn bounded(value: Value, limits: &Limits) -> Option<Value> {
    if matches!(measure(&value, limits.result_bytes, limits.result_depth), Size::Within(_)) {
        return Some(value);
    }
    dismantle(value);
    Some(json!({"omitted": "larger or deeper than a result may be"}))
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let words = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    words.chars().take(1_000).collect()
}
