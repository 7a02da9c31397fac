//! Which prompts of a kept run a change of the program, its packs or its files changes, without
//! asking a model (IN-10).

use super::asked::Asking;
use super::recorded::Recorded;
use super::{RunFailure, RunRequest};
use crate::diff::unified;
use crate::editor::Editor;
use crate::inspect::{Call, CallDiff, Change, InspectError, Kept, diff_of_functions};
use crate::models::Replacements;
use crate::observe::Silent;
use crate::project::Project;
use crate::recorder::inline_texts;
use contexture_context::{Manifest, TraceKind};
use contexture_llm::CancelToken;
use contexture_script::host::LoadedSource;
use contexture_store::masker::MASK;
use contexture_store::runs::{InMemoryRuns, RunError, RunId, RunStore};
use contexture_store::stamp;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The field of a run that asked for changed prompts with the text of its program.
pub(super) const PROGRAM_TEXT: &str = "program_text";

/// The most names in a note.
const MOST_NAMES: usize = 5;

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
    /// What could not be compared, and why; one line each.
    pub notes: Vec<String>,
    /// The calls of the second run whose prompt shows a masked value of the input.
    pub(super) masked: BTreeSet<u64>,
    /// What was asked, by the numbers of the calls in the second run; `None` when nothing is.
    pub(super) asked: Option<BTreeMap<u64, Value>>,
    /// The errors of calls of the second run for which nothing was sent.
    pub(super) refused: BTreeMap<u64, Value>,
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

    /// Returns the error of a call that was to be asked, and for which nothing was sent.
    #[must_use]
    pub fn refused(&self, call: &CallDiff) -> Option<&Value> {
        self.refused.get(&call.right?)
    }

    /// Returns the result as JSON: `{calls, failure, notes}`. An answer of the record is stale when its
    /// own prompt or one before it has changed: the model might say something else now. Where models
    /// were asked no answer is, and each call has `asked`: null, or `{model, usage, cost}`, with `lost`
    /// where a request broke off and counts at its worst case; and `refused`, the error of one for
    /// which nothing was sent. `models` has both, where they differ.
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
                let Some(fields) = told.as_object_mut() else { return told };
                if let Some(models) = &call.models {
                    fields.insert("models".to_owned(), json!(models));
                }
                if self.asked.is_some() {
                    fields.insert("asked".to_owned(), json!(self.took(call)));
                }
                if let Some(error) = self.refused(call) {
                    fields.insert("refused".to_owned(), error.clone());
                }
                told
            })
            .collect();
        let failure = self.failure.as_ref();
        let failure = failure
            .map(|failure| json!({ "code": failure.code(), "message": failure.to_string() }));
        json!({ "calls": calls, "failure": failure, "notes": self.notes })
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
    let mut calls = diff_of_functions(kept, again);
    let prompts = again.calls().into_iter().map(|call| call.manifest).collect();
    let (mut notes, names) = (kept.log.notes.clone(), masked_of(kept));
    notes.extend(missing_of(kept));
    let mut masked = BTreeSet::new();
    if !names.is_empty() {
        masked = calls.iter_mut().filter_map(unmask).collect();
    }
    if !masked.is_empty() {
        let names = names.join(", ");
        notes.push(format!("{names} is masked in the record: prompts that show it are compared with the masked form"));
    }
    let (asked, refused) = (None, BTreeMap::new());
    Ok((Recheck { calls, failure, notes, masked, asked, refused }, prompts))
}

/// Returns the input of a run as its record has it.
fn input_of(kept: Kept<'_>) -> Value {
    let input = kept.log.of_kind(TraceKind::Input).next();
    let mut input = input.and_then(|input| input.data.get("value").cloned()).unwrap_or_default();
    inline_texts(&mut input, &mut |digest| kept.text(digest).ok());
    input
}

/// Says of which values the record lacks the texts, as prompts that are made of them can't be compared.
fn missing_of(kept: Kept<'_>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for event in &kept.log.events {
        let word = |name: &str| event.data.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = match event.kind {
            TraceKind::Input => "the input".to_owned(),
            TraceKind::Generate => match Call::of(event) {
                Some(call) => format!("generate {}", call.manifest.call),
                None => continue,
            },
            TraceKind::Tool | TraceKind::Memory => format!("{}.{}", word("name"), word("method")),
            _ => continue,
        };
        let mut value = event.data.get("value").cloned().unwrap_or_default();
        let mut is_missing = false;
        inline_texts(&mut value, &mut |digest| {
            let text = kept.text(digest).ok();
            is_missing |= text.is_none();
            text
        });
        if is_missing && !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let names = names.join(", ");
    (!names.is_empty()).then(|| {
        format!("the record lacks texts of {names}: prompts made of these can't be compared, and may be told as changed")
    })
}

/// Returns the masked values of the input by their paths.
fn masked_of(kept: Kept<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![("input".to_owned(), input_of(kept))];
    while let Some((path, value)) = waiting.pop() {
        match value {
            Value::String(text) if text.contains(MASK) => found.push(format!("`{path}`")),
            Value::Array(items) => waiting.extend(
                items
                    .into_iter()
                    .enumerate()
                    .map(|(index, item)| (format!("{path}[{index}]"), item)),
            ),
            Value::Object(fields) => waiting
                .extend(fields.into_iter().map(|(name, field)| (format!("{path}.{name}"), field))),
            _ => {}
        }
    }
    found.sort();
    found.truncate(MOST_NAMES);
    found
}

/// Compares what shows a masked value with its masked form: what is the same but for that has not
/// changed. Returns the number of the call in the second run if it shows one.
fn unmask(call: &mut CallDiff) -> Option<u64> {
    let shows = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains(MASK));
    if !call.items.iter().any(|item| shows(&item.right))
        && !call.layers.iter().any(|layer| shows(&layer.right))
    {
        return None;
    }
    let is_form = |left: &Option<String>, right: &Option<String>| {
        left.as_ref().zip(right.as_ref()).is_some_and(|(left, right)| is_masked_form(left, right))
    };
    call.layers.retain(|layer| !is_form(&layer.left, &layer.right));
    for item in call.items.iter_mut().filter(|item| is_form(&item.left, &item.right)) {
        (item.change, item.left, item.right) = (Change::Same, None, None);
    }
    let is_same = call.layers.is_empty() && call.items.iter().all(|it| it.change == Change::Same);
    if is_same && call.change == Change::Changed {
        call.change = Change::Same;
    }
    call.right
}

/// Reports whether a text is another one with something of it masked.
fn is_masked_form(plain: &str, masked: &str) -> bool {
    let Some((first, rest)) = masked.split_once(MASK) else { return false };
    let Some(mut plain) = plain.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split(MASK).collect();
    let Some(last) = parts.pop() else { return false };
    for part in parts {
        let Some((_, after)) = plain.split_once(part) else { return false };
        plain = after;
    }
    plain.ends_with(last)
}

/// Reads the program of a kept run: as the record has it, which it does for a run that asked for
/// changed prompts, else as it is now, by its name in the record.
///
/// # Errors
/// [`RecheckError`] when the record can't be read, or names no program that is there.
pub fn program_of(
    project: &Project,
    store: &dyn RunStore,
    id: &RunId,
) -> Result<LoadedSource, RecheckError> {
    let log = store.head(id, 0..=0)?.log;
    let field = |name: &str| log.root().and_then(|root| root.data.get(name));
    let name = field("program").and_then(Value::as_str).ok_or(RecheckError::NoProgram)?;
    let mut text = field(PROGRAM_TEXT).cloned().unwrap_or_default();
    inline_texts(&mut text, &mut |digest| store.text(id, digest).ok().flatten());
    if let Value::String(text) = text {
        return Ok(LoadedSource { name: name.to_owned(), text });
    }
    let editor = Editor::open(project.clone()).map_err(RunFailure::from)?;
    editor.read(name).ok_or_else(|| RecheckError::Missing { program: name.to_owned() })
}

/// Returns the change of a program as a patch, as `git apply` and `patch -p1` take it; nothing where
/// both texts are the same.
#[must_use]
pub fn patch(name: &str, before: &str, after: &str) -> String {
    unified((&format!("a/{name}"), &format!("b/{name}")), before, after)
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
        input: input_of(kept).into(),
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
    fn in_10_text_is_compared_with_its_masked_form() {
        let is_form = super::is_masked_form;
        assert!(is_form("Use abc and def.", "Use ••• and •••."));
        assert!(is_form("abc", "•••") && is_form("", "•••"));
        assert!(!is_form("Use abc and def.", "Take ••• and •••."));
        assert!(!is_form("Use abc and def!", "Use ••• and •••."));
        assert!(!is_form("Use abc.", "Use ••• and •••."));
        assert!(!is_form("Use abc.", "Use abc."), "nothing is masked");
        assert!(!is_form("ab", "ab•••b"), "no part stands for two");
    }

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
