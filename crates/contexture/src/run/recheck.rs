//! Which prompts of a kept run a change of the program, its packs or its files changes, without
//! asking a model (IN-10).

use super::recorded::Recorded;
use super::{RunFailure, RunRequest};
use crate::inspect::{CallDiff, InspectError, Kept, diff_of_functions};
use crate::observe::Silent;
use crate::project::Project;
use crate::recorder::inline_texts;
use contexture_context::TraceKind;
use contexture_llm::CancelToken;
use contexture_store::runs::{InMemoryRuns, RunError, RunId, RunStore};
use contexture_store::stamp;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reason why a run could not be checked again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecheckError {
    /// The record can't be read.
    #[error(transparent)]
    Record(#[from] RunError),
    /// A part of the record is missing.
    #[error(transparent)]
    Part(#[from] InspectError),
    /// The record names no program.
    #[error("the record names no program, expected the file that ran")]
    NoProgram,
    /// The program can't begin.
    #[error(transparent)]
    Refused(#[from] RunFailure),
}

/// The result of a recheck.
#[derive(Debug)]
pub struct Recheck {
    /// The calls of both, paired by their order within their function.
    pub calls: Vec<CallDiff>,
    /// The failure that ended the program, if the record does not end with it, too.
    pub failure: Option<RunFailure>,
}

/// Runs the program of a kept run again on the answers in the record, and compares the prompts.
/// Nothing is written, sent or asked.
///
/// # Errors
/// [`RecheckError`] when the record can't be read or the program can't begin.
pub async fn recheck(
    project: &Project,
    store: &dyn RunStore,
    id: &RunId,
    program: Option<&Path>,
) -> Result<Recheck, RecheckError> {
    let log = store.load(id)?;
    let kept = Kept { store, log: &log };
    let request = request(project, kept, program)?;
    let runs: Arc<dyn RunStore> = Arc::new(InMemoryRuns::new(stamp::system()));
    let mut apart = project.clone();
    apart.stores.runs = Some(Arc::clone(&runs));
    let report =
        Box::pin(super::run(&apart, request, Arc::new(Silent), CancelToken::default())).await;
    let failure = match report.outcome {
        Err(failure @ (RunFailure::Source(_) | RunFailure::Setup(_))) => return Err(failure.into()),
        Err(failure) if Some(failure.code()) == code_of(kept) => None,
        Err(failure) => Some(failure),
        Ok(_) => None,
    };
    let again = report.run.as_deref().and_then(RunId::parse).ok_or(RunError::None)?;
    let again = runs.load(&again)?;
    let calls = diff_of_functions(kept, Kept { store: &*runs, log: &again });
    Ok(Recheck { calls, failure })
}

/// Returns the code with which the run failed, if it did.
fn code_of(kept: Kept<'_>) -> Option<&str> {
    kept.log.root()?.data.pointer("/error/code")?.as_str()
}

/// Returns the request that repeats a run on its record.
fn request(
    project: &Project,
    kept: Kept<'_>,
    program: Option<&Path>,
) -> Result<RunRequest, RecheckError> {
    let root = kept.log.root().ok_or(RunError::None)?;
    let word = |name: &str| root.data.get(name).and_then(Value::as_str).map(str::to_owned);
    let program = match program {
        Some(program) => program.to_owned(),
        None => {
            project.root.join(word("program").map(PathBuf::from).ok_or(RecheckError::NoProgram)?)
        }
    };
    let input = kept.log.of_kind(TraceKind::Input).next();
    let mut input = input.and_then(|input| input.data.get("value").cloned()).unwrap_or_default();
    inline_texts(&mut input, &mut |digest| kept.text(digest).ok());
    let default = word("default_model");
    let calls = kept.calls();
    // A model that stood in for all counts the tokens again; one that the program names does so
    // by itself.
    let model = default.filter(|uri| calls.iter().all(|call| call.manifest.model.uri == *uri));
    Ok(RunRequest {
        program,
        input: input.into(),
        agent: word("agent"),
        // The main function has this name in records, whether it has one in the program or not.
        function: word("function").filter(|name| name != "main"),
        model,
        dry_run: true,
        recorded: Some(Arc::new(Recorded::of(kept))),
        // Turns of a `parallel for` take the answers in their order.
        concurrency: Some(1),
        approve_packs: true,
        ..RunRequest::default()
    })
}
