//! What passes through the engine: the requests to a run, and the attempts of its steps.

use bytes::Bytes;
use contexture::context::Label;
use contexture_flow::action::{ActionCall, ActionFailure};
use contexture_flow::check::Plan;
use contexture_flow::run::Request;
use contexture_protocol::ErrorCode;
use contexture_protocol::content::Runtime;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The largest attempt, in bytes of JSON. The engine takes messages of 32 MB by default.
const LARGEST: usize = 16 << 20;

/// The begin of a run at the engine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Begin {
    /// The number of entries in its journal by then: of an earlier part that this engine did not drive.
    pub(super) entries: usize,
    /// The steps that waited for a person by then.
    pub(super) waiting: Vec<String>,
    /// The time that the earlier part took, in microseconds.
    pub(super) elapsed_us: u64,
    pub(super) at_us: u64,
    /// The hosting that began it.
    pub(super) host: u64,
}

/// A request to a run, or news for it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Letter {
    /// One that is sent again has the same.
    pub(super) id: String,
    pub(super) at_us: u64,
    pub(super) content: Content,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum Content {
    Pause,
    Resume,
    Cancel,
    CancelStep(u32),
    /// A server hosts the run again, by the number of its hosting: what waits may go on.
    Hosted(u64),
}

impl Content {
    /// Returns a request of a client; `None` for one that is not for the engine.
    pub(super) fn of(request: Request) -> Option<Self> {
        use contexture::store::flows::Ask;
        match request {
            Request::Ask(Ask::Pause) => Some(Self::Pause),
            Request::Ask(Ask::Resume) => Some(Self::Resume),
            Request::Ask(Ask::Cancel) => Some(Self::Cancel),
            Request::CancelStep(step) => Some(Self::CancelStep(step)),
            Request::Suspend => None,
        }
    }
}

/// An attempt of a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Attempt {
    pub(super) run: String,
    pub(super) step: u32,
    pub(super) name: String,
    pub(super) parameters: Map<String, Value>,
    pub(super) attempt: u32,
    pub(super) key: String,
    pub(super) runtime: Option<Runtime>,
}

impl Attempt {
    pub(super) fn new(run: &str, step: u32, call: &ActionCall) -> Self {
        Self {
            run: run.to_owned(),
            step,
            name: call.name.clone(),
            parameters: call.parameters.clone(),
            attempt: call.attempt,
            key: call.key.clone(),
            runtime: call.runtime,
        }
    }

    /// Returns its form for the engine.
    ///
    /// # Errors
    /// TOO_LARGE if the engine may not take it.
    pub(super) fn to_bytes(&self) -> Result<Bytes, ActionFailure> {
        let too_large = || {
            let message = format!("the parameters are larger than {LARGEST} bytes");
            ActionFailure::new(ErrorCode::TooLarge.as_str(), message)
        };
        let bytes = serde_json::to_vec(self).map_err(|_| too_large())?;
        if bytes.len() > LARGEST { Err(too_large()) } else { Ok(bytes.into()) }
    }

    /// Returns its place: the step and the number of the attempt.
    pub(super) fn place(&self) -> (u32, u32) {
        (self.step, self.attempt)
    }

    /// Returns the call; `None` if the set has no such step.
    pub(super) fn into_call(self, plan: &Plan) -> Option<ActionCall> {
        let planned = plan.set().steps.get(self.step as usize)?;
        Some(ActionCall {
            id: planned.id.clone(),
            name: self.name,
            parameters: self.parameters,
            attempt: self.attempt,
            key: self.key,
            runtime: self.runtime,
            frontend: planned.frontend.clone(),
        })
    }
}

/// The end of an attempt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum End {
    Completed {
        value: Value,
        /// Its approximate size in bytes of JSON.
        size: usize,
        label: Option<Label>,
        at_us: u64,
    },
    Failed {
        failure: Failed,
        at_us: u64,
    },
    /// It waits for a person, before any effect; that hosting was left.
    Parked(u64),
    /// It was stopped, or was not to begin any more.
    Aborted,
    /// Its start could not be journalled: it did not begin.
    Unkept,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Failed {
    code: String,
    message: String,
    details: Option<Value>,
    partial: Option<Value>,
    is_late: bool,
}

impl From<ActionFailure> for Failed {
    fn from(failure: ActionFailure) -> Self {
        let ActionFailure { code, message, details, partial, is_late } = failure;
        Self { code, message, details, partial, is_late }
    }
}

impl From<Failed> for ActionFailure {
    fn from(failed: Failed) -> Self {
        let Failed { code, message, details, partial, is_late } = failed;
        Self { code, message, details, partial, is_late }
    }
}

impl End {
    pub(super) fn of(
        result: Result<(Value, usize), Box<ActionFailure>>,
        label: Option<Label>,
    ) -> Self {
        let at_us = now_us();
        match result {
            Ok((value, size)) => Self::Completed { value, size, label, at_us },
            Err(failure) => Self::Failed { failure: (*failure).into(), at_us },
        }
    }
}

/// Returns the time in microseconds since 1970-01-01 UTC.
pub(super) fn now_us() -> u64 {
    micros(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
