//! `RUN_INSTRUCTIONS`: a set that a result holds is run within the set.
//!
//! Decision: a result that looks like a set is data and nothing else; it is run only where a step
//! asks for it, with the actions that the step lists. The list must stand in the set itself: one
//! that came out of a result, which a model may have written, is refused. A set within a set can
//! only use what every list above it allows.
//!
//! The set within is a run of its own in the journal, so that a crash in the middle of it repeats
//! nothing: the step resumes it, and what was not certain is reported in its outcomes (FL-11).

use super::allow::Allow;
use super::catalog::Catalog;
use super::discreet::{Discreet, masked_text};
use super::error::FlowError;
use super::journal::{Head, Held, Kept};
use super::labelled::Labelled;
use super::origins::{self, of_all};
use super::program::Came;
use contexture_context::{Digest, Label, Trust};
use contexture_flow::Set;
use contexture_flow::action::{ActionCall, ActionFailure};
use contexture_flow::check::{Earlier, check};
use contexture_flow::run::{Options, Run};
use contexture_protocol::Limits;
use contexture_protocol::content::Status;
use contexture_script::runtime::Given;
use serde_json::{Value, json};
use std::sync::Arc;

/// Bytes of an id that are kept as they are.
const ID_BYTES: usize = 200;

/// The request of the step.
struct Asked {
    document: String,
    set: Set,
    /// The label of the set.
    label: Label,
    allow: Allow,
}

/// Runs the set that a step was given.
pub(super) async fn run(catalog: &Catalog, mut call: ActionCall) -> Came {
    let step = call.id.clone();
    let is_own_list = catalog.origins.is_written(&call, "allow");
    let given = catalog.origins.given(&mut call);
    let failed = |failure| (Err(failure), Label::default());
    if !is_own_list {
        let message = "`allow` must be written in the set: a result can't say what it may do";
        return failed(ActionFailure::new("PERMISSION_DENIED", message));
    }
    let decision = catalog.origins.decision(&call);
    let asked = match asked(catalog, given, decision) {
        Ok(asked) => asked,
        Err(failure) => return failed(failure),
    };
    match begun(catalog, &call, asked).await {
        Ok((run, inner, _held)) => {
            let report = run.run().await;
            let value = report.to_value();
            let label = inner.origins.all().join(&Trust::Model.into()).kept(&step, "");
            if report.status() == Status::Completed {
                return (Ok(value), label);
            }
            let message = format!("the set within ended {}", report.status());
            let failure = ActionFailure {
                details: Some(value.clone()),
                partial: Some(value),
                ..ActionFailure::new("EXECUTION_FAILED", message)
            };
            (Err(failure), label)
        }
        Err(failure) => failed(failure),
    }
}

fn asked(
    catalog: &Catalog,
    given: Vec<(String, Given)>,
    decision: Label,
) -> Result<Asked, ActionFailure> {
    let limits = &catalog.kit.request.limits;
    if catalog.depth >= limits.depth {
        let message = format!("sets run in each other {} deep, which is the limit", limits.depth);
        return Err(ActionFailure::new("TOO_LARGE", message));
    }
    let mut set = None;
    let mut allow = Vec::new();
    for (name, value) in given {
        match name.as_str() {
            "set" => set = Some(value),
            "allow" => allow = words(value),
            _ => {}
        }
    }
    let given = set.unwrap_or_else(|| Given::Value(Value::Null, Label::default()));
    let label = decision.join(&of_all(&given));
    let document = match given.to_json() {
        Value::String(text) => text,
        value => value.to_string(),
    };
    let refused = |report| not_run(&FlowError::Refused(report));
    let set = Set::parse(document.as_bytes(), &Limits::FILE).map_err(refused)?;
    if set.steps.len() > limits.nested_steps {
        let (found, most) = (set.steps.len(), limits.nested_steps);
        let message = format!("the set has {found} instructions, more than {most}");
        return Err(ActionFailure::new("TOO_LARGE", message));
    }
    let allow = catalog.allow.and(allow);
    let denied = allow.denied(&set);
    if !denied.is_empty() {
        let names: Vec<&str> = denied.into_iter().collect();
        let message = format!("the set may not use {}", names.join(", "));
        return Err(ActionFailure {
            details: Some(json!({ "actions": names })),
            ..ActionFailure::new("PERMISSION_DENIED", message)
        });
    }
    Ok(Asked { document, set, label, allow })
}

fn words(list: Given) -> Vec<String> {
    let items = origins::items(list).unwrap_or_default().into_iter();
    items.filter_map(|item| item.to_json().as_str().map(str::to_owned)).collect()
}

/// Returns the run of the set within, with its catalog and its claim.
async fn begun(
    catalog: &Catalog,
    call: &ActionCall,
    asked: Asked,
) -> Result<(Run, Arc<Catalog>, Option<Held>), ActionFailure> {
    let Asked { document, set, label, allow } = asked;
    let kit = &catalog.kit;
    let steps = set.steps.len() as u64;
    let kept = match kit.journal.clone() {
        None => Kept::nowhere(within(&catalog.run, &call.id, 1)),
        Some(journal) => {
            let (run, step) = (catalog.run.clone(), call.id.clone());
            let (owner, context) = (kit.request.owner.clone(), kit.request.run.context.clone());
            let document = masked_text(document, &kit.request.run.private);
            let begin = move || {
                let head = Head { owner, context, name: step.clone(), steps };
                Kept::within(&journal, |again| within(&run, &step, again), &document, &head)
            };
            let begun = tokio::task::spawn_blocking(begin).await;
            let broken = |_| ActionFailure::new("EXECUTION_FAILED", "the journal broke off");
            begun.map_err(broken)?.map_err(|error| not_run(&error))?
        }
    };
    let place = (label, allow, catalog.depth + 1);
    let inner = Arc::new(Catalog::new(kit, &set, kept.run.clone(), place));
    let plan = check(set, &*inner, &Earlier::default())
        .map_err(|report| not_run(&FlowError::Refused(report)))?;
    inner.ready(plan.set()).map_err(|error| not_run(&error))?;
    inner.origins.restore(kept.labels);
    let options = Options {
        run: kept.run,
        concurrency: kit.request.concurrency.unwrap_or(super::request::CONCURRENCY),
        limits: kit.request.limits.run,
        journal: Labelled::of(Discreet::of(kept.journal, &kit.request.run.private), &inner.origins),
        observer: None,
        past: kept.past,
        ..Options::default()
    };
    let run = Run::new(plan, Arc::clone(&inner) as Arc<_>, options);
    Ok((run, inner, kept.held))
}

/// Returns the id of the run of a set within: no other id has its `/`.
pub(super) fn within(run: &str, step: &str, again: u32) -> String {
    let again = if again > 1 { format!("#{again}") } else { String::new() };
    let id = format!("{run}/{step}");
    if id.len() <= ID_BYTES {
        return id + &again;
    }
    let top = run.split('/').next().unwrap_or(run);
    format!("{top}/{}{again}", Digest::of_text(&id))
}

fn not_run(error: &FlowError) -> ActionFailure {
    let details = match error {
        FlowError::Refused(report) => Some(report.to_value()),
        _ => error.help().map(|help| json!({ "help": help })),
    };
    let code = match error {
        FlowError::Refused(_) => "VALIDATION_FAILED",
        other => other.code(),
    };
    ActionFailure { details, ..ActionFailure::new(code, format!("the set is not run: {error}")) }
}
