//! Which prompts of a kept run a change of the program, its packs or its files changes, without
//! asking a model (IN-10).

use super::asked::Asking;
use super::recorded::Recorded;
use super::{RunFailure, RunRequest};
use crate::editor::Editor;
use crate::inspect::{CallDiff, Change, InspectError, Kept, diff_of_functions};
use crate::models::Replacements;
use crate::observe::Silent;
use crate::project::Project;
use crate::recorder::inline_texts;
use contexture_context::{Manifest, TraceKind};
use contexture_llm::CancelToken;
use contexture_script::host::LoadedSource;
use contexture_store::runs::{InMemoryRuns, RunError, RunId, RunStore};
use contexture_store::stamp;
use serde_json::{Value, json};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::path::PathBuf;
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
    /// The program is not a text of the project any more.
    #[error("there is no text {program} in the project, expected the program that ran")]
    Missing {
        /// Its name in the record.
        program: String,
    },
    /// The program can't begin.
    #[error(transparent)]
    Refused(#[from] RunFailure),
}

/// The program of a recheck: what ran, as it is now, unless another one is named.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// The file in place of the one that ran.
    pub program: Option<PathBuf>,
    /// The text in place of that of the file.
    pub text: Option<String>,
    /// Ends the dry run before its end; what is found until then counts.
    pub cancel: CancelToken,
}

/// The result of a recheck.
#[derive(Debug)]
pub struct Recheck {
    /// The calls of both, paired by their order within their function.
    pub calls: Vec<CallDiff>,
    /// The failure that ended the program, if the record does not end with it, too.
    pub failure: Option<RunFailure>,
    /// What was asked, by the numbers of the calls in the second run; `None` when nothing is.
    pub(super) asked: Option<BTreeMap<u64, Value>>,
}

impl Recheck {
    /// Reports whether a prompt has changed, or the program ends earlier.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.failure.is_some() || self.calls.iter().any(|call| call.change != Change::Same)
    }

    /// Returns how many answers of the record are to prompts that are the same, but come after one that
    /// has changed: the model might say something else now.
    #[must_use]
    pub fn stale(&self) -> usize {
        if self.asked.is_some() {
            return 0;
        }
        let is_same = |call: &&CallDiff| call.change == Change::Same;
        self.calls.iter().skip_while(is_same).filter(is_same).count()
    }

    /// Returns the usage and the cost of a call that was asked.
    #[must_use]
    pub fn took(&self, call: &CallDiff) -> Option<&Value> {
        self.asked.as_ref()?.get(&call.right?)
    }

    /// Returns the result as JSON: `{calls, failure}`. An answer of the record is stale when its own
    /// prompt or one before it has changed: the model might say something else now. Where models were
    /// asked no answer is, and each call has `asked`: null, or `{model, usage, cost}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut is_stale = false;
        let calls: Vec<Value> = self
            .calls
            .iter()
            .map(|call| {
                let changed = call.change != Change::Same;
                is_stale |= changed && self.asked.is_none();
                let mut told = json!({
                    "site": call.site,
                    "n": call.left.or(call.right),
                    "change": call.change,
                    "changed": changed,
                    "stale": is_stale,
                    "tokens_before": call.tokens.0,
                    "tokens_after": call.tokens.1,
                    "layers": call.layers,
                    "items": call.items,
                });
                if let (Some(fields), true) = (told.as_object_mut(), self.asked.is_some()) {
                    fields.insert("asked".to_owned(), json!(self.took(call)));
                }
                told
            })
            .collect();
        let failure = self.failure.as_ref();
        let failure = failure
            .map(|failure| json!({ "code": failure.code(), "message": failure.to_string() }));
        json!({ "calls": calls, "failure": failure })
    }
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
    checked: Checked,
) -> Result<Recheck, RecheckError> {
    let log = store.load(id)?;
    let kept = Kept { store, log: &log };
    let cancel = checked.cancel.clone();
    let request = request(project, kept, checked, None)?;
    Ok(dry(project, kept, request, cancel).await?.0)
}

/// Runs what a request repeats in a dry run, and returns its prompts, too.
pub(super) async fn dry(
    project: &Project,
    kept: Kept<'_>,
    request: RunRequest,
    cancel: CancelToken,
) -> Result<(Recheck, Vec<Manifest>), RecheckError> {
    let runs: Arc<dyn RunStore> = Arc::new(InMemoryRuns::new(stamp::system()));
    let mut apart = project.clone();
    apart.stores.runs = Some(Arc::clone(&runs));
    let report = Box::pin(super::run(&apart, request, Arc::new(Silent), cancel)).await;
    let failure = match report.outcome {
        Err(failure @ (RunFailure::Source(_) | RunFailure::Setup(_))) => return Err(failure.into()),
        Err(failure) if Some(failure.code()) == code_of(kept) => None,
        Err(failure) => Some(failure),
        Ok(_) => None,
    };
    let again = report.run.as_deref().and_then(RunId::parse).ok_or(RunError::None)?;
    let again = runs.load(&again)?;
    let again = Kept { store: &*runs, log: &again };
    let calls = diff_of_functions(kept, again);
    let prompts = again.calls().into_iter().map(|call| call.manifest).collect();
    Ok((Recheck { calls, failure, asked: None }, prompts))
}

/// Reads the program of a kept run as it is now, by its name in the record.
///
/// # Errors
/// [`RecheckError`] when the record can't be read, or names no program that is there.
pub fn program_of(
    project: &Project,
    store: &dyn RunStore,
    id: &RunId,
) -> Result<LoadedSource, RecheckError> {
    let log = store.head(id, 0..=0)?.log;
    let named = log.root().and_then(|root| root.data.get("program")).and_then(Value::as_str);
    let name = named.ok_or(RecheckError::NoProgram)?;
    let editor = Editor::open(project.clone()).map_err(RunFailure::from)?;
    editor.read(name).ok_or_else(|| RecheckError::Missing { program: name.to_owned() })
}

/// Returns the change of a program as a patch, as `git apply` and `patch -p1` take it; nothing where
/// both texts are the same.
#[must_use]
pub fn patch(name: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}

/// Returns the code with which the run failed, if it did.
fn code_of(kept: Kept<'_>) -> Option<&str> {
    kept.log.root()?.data.pointer("/error/code")?.as_str()
}

/// Returns the request that repeats a run on its record; `asking` names how models are asked, if
/// they are.
pub(super) fn request(
    project: &Project,
    kept: Kept<'_>,
    Checked { program, text, .. }: Checked,
    asking: Option<&Asking>,
) -> Result<RunRequest, RecheckError> {
    let root = kept.log.root().ok_or(RunError::None)?;
    let word = |name: &str| root.data.get(name).and_then(Value::as_str).map(str::to_owned);
    let program = match program {
        Some(program) => program,
        None => {
            let name = PathBuf::from(word("program").ok_or(RecheckError::NoProgram)?);
            // A text is named as in records; a file is read where it is.
            if text.is_some() { name } else { project.root.join(name) }
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
    let mut recorded = Recorded::of(kept);
    if let Some(Asking { model, .. }) = asking {
        recorded = recorded.asking(model.clone());
    }
    let chosen = |name: &str| root.data.get(name).cloned().unwrap_or_default();
    let by_name = serde_json::from_value(chosen("models")).unwrap_or_default();
    Ok(RunRequest {
        program,
        text,
        input: input.into(),
        agent: word("agent"),
        // The main function has this name in records, whether it has one in the program or not.
        function: word("function").filter(|name| name != "main"),
        model,
        // A changed program need not import all of them any more.
        models: Replacements { by_name, of_several: true },
        selections: serde_json::from_value(chosen("selections")).unwrap_or_default(),
        overrides: serde_json::from_value(chosen("overrides")).unwrap_or_default(),
        dry_run: true,
        recorded: Some(Arc::new(recorded)),
        // Turns of a `parallel for` take the answers in their order.
        concurrency: Some(1),
        approve_packs: true,
        ..RunRequest::default()
    })
}

#[cfg(test)]
mod tests {
    use super::patch;

    #[test]
    fn in_10_patch_names_file_and_has_changed_lines_with_those_around() {
        let before = "one\ntwo\n三\nfour\nfive\n";
        let after = before.replace("三", "3");
        assert_eq!(
            patch("a/p.as", before, &after),
            "--- a/a/p.as\n+++ b/a/p.as\n@@ -1,5 +1,5 @@\n one\n two\n-三\n+3\n four\n five\n"
        );
        assert_eq!(patch("p.as", before, before), "");
        assert!(patch("p.as", "x", "y").contains("\\ No newline at end of file"));
    }
}
