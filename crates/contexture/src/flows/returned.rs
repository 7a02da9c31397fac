//! Sets that programs return.
//!
//! A function whose value is an INSTRUCTION or TOOL_CALL_REQUEST message, `{type, content}`, or the
//! content alone (`{instructions: […]}`), as an object or as its JSON text, is a plan: it is run
//! where a person asks for that, through [`from_program`], or where a step of another set does,
//! through `RUN_INSTRUCTIONS`. A value that merely looks like a set is never run by itself.

use super::error::FlowError;
use super::request::FlowRequest;
use crate::observe::{Observer, Silent};
use crate::project::Project;
use crate::run::{Ready, RunFailure, RunRequest, SetupError};
use crate::turn::{TurnError, told};
use contexture_context::Trust;
use contexture_flow::Set;
use contexture_llm::CancelToken;
use contexture_protocol::Limits;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// The function that is to return a set.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    /// The program.
    pub program: PathBuf,
    /// The agent; the main one when absent.
    pub agent: Option<String>,
    /// Its function; the main one when absent.
    pub function: Option<String>,
    /// Its input.
    pub input: Value,
}

/// The set that a function returned.
#[derive(Debug, Clone)]
pub struct Returned {
    /// The set, for [`FlowRequest::document`].
    pub document: Vec<u8>,
    /// Its trust level, for [`FlowRequest::trust`]: [`Trust::User`] or better if only the program
    /// and its input made it.
    pub trust: Trust,
    /// The run under which the program's trace is kept.
    pub run: Option<String>,
}

impl Returned {
    /// Puts the set into a request.
    #[must_use]
    pub fn into_request(self, request: FlowRequest) -> FlowRequest {
        FlowRequest { document: self.document, trust: self.trust.max(Trust::User), ..request }
    }
}

/// Runs a function with the models, packs, servers and front end of `request`, and takes the set
/// that it returns. Needs a tokio runtime with time and I/O; the future stays on its thread.
///
/// # Errors
/// [`FlowError`] when the program can't be run, fails, or returns no set.
pub async fn from_program(
    project: &Project,
    entry: Entry,
    request: &FlowRequest,
    cancel: CancelToken,
) -> Result<Returned, FlowError> {
    let mut run = RunRequest {
        input: entry.input.into(),
        program: entry.program,
        agent: entry.agent,
        function: entry.function,
        ..request.of_program()
    };
    let observer: Arc<dyn Observer> = request.progress.clone().unwrap_or_else(|| Arc::new(Silent));
    let ready = Ready::new(project, &run, observer, cancel).map_err(failed)?;
    let input = std::mem::take(&mut run.input);
    let report = ready.run(run, input).await;
    let document = match report.outcome.map_err(failed)? {
        Value::String(text) => text,
        value => value.to_string(),
    };
    // A value that is not a set is reported here, with its faults.
    Set::parse(document.as_bytes(), &Limits::FILE).map_err(FlowError::Refused)?;
    Ok(Returned { document: document.into_bytes(), trust: report.label.trust, run: report.run })
}

fn failed(failure: RunFailure) -> FlowError {
    match failure {
        RunFailure::Source(checked) => FlowError::Program(checked),
        failure => {
            let TurnError { code, message, help, .. } = told(&failure);
            FlowError::Setup(SetupError { code, message, help })
        }
    }
}
