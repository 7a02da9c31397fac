//! Knowledge packs in a run: asked by a program's methods, and shown to a model (KN-7 to KN-15).
//!
//! Decision: whatever reaches a model passes here, so that there is one place where packs are
//! allowed, resolved, recorded and logged. A program that asks a pack gets data with the trust of a
//! pack, and what it then shows of it stands in the general fence.

mod answer;
mod record;
mod shown;

pub(super) use answer::{Answer, of_question};
pub(super) use record::{Kept, log, of_imports, of_reference};
pub(super) use shown::{ShownPacks, shorter_file, show};

use super::errors::of_packs;
use super::run_state::{RunState, supplied};
use crate::observe::Progress;
use crate::packs::{DEFAULT_BUDGET, OnDemand};
use contexture_context::Trust;
use contexture_knowledge::guide::activate;
use contexture_knowledge::pack::Pack;
use contexture_knowledge::resolve::{Intent, Task};
use contexture_knowledge::{Finding, Grounding};
use contexture_script::capability;
use contexture_script::host::{HostError, Supplied};
use contexture_script::knowledge::KnowledgeCall;
use serde_json::{Map, Value, json};

/// Asks a pack: its guide, or its answer to a task.
pub(super) fn ask(
    run: &RunState,
    packs: &OnDemand,
    call: &KnowledgeCall,
) -> Result<Supplied, HostError> {
    run.count_tool_call()?;
    let name = format!("{}.{}", call.import.name, call.method);
    run.observer.notify(Progress::ToolCalled { name: name.clone() });
    let pack = packs.allowed(&call.import.pack).map_err(of_packs)?;
    let value = match call.method.as_str() {
        "guide" => guide(&pack)?,
        "resolve" => resolve(run, packs, call, &name)?,
        other => {
            let message = format!("`{}` has no method `{other}`", call.import.name);
            return Err(HostError::new("method_unknown", message)
                .with_help("a pack has `guide` and `resolve`"));
        }
    };
    Ok(supplied(value, Trust::Pack))
}

fn guide(pack: &Pack) -> Result<Value, HostError> {
    let guide = activate(pack).map_err(|error| of_packs(error.into()))?;
    let item = pack.item();
    let warnings: Vec<&str> = guide.warnings.iter().map(|told: &Finding| &*told.message).collect();
    let resources = guide.resources.iter();
    let resources: Vec<Value> =
        resources.map(|file| json!({ "kind": file.kind.as_str(), "path": file.path })).collect();
    let mut value = json!({
        "name": item.name,
        "status": item.status.as_str(),
        "profile": item.profile.as_str(),
        "runtime_mode": item.runtime.mode.as_str(),
        "body": guide.body,
        "resources": resources,
        "warnings": warnings,
        "text": guide.text,
    });
    if let (Some(trust), Some(fields)) = (item.trust, value.as_object_mut()) {
        fields.insert("trust".to_owned(), trust.as_str().into());
    }
    Ok(value)
}

fn resolve(
    run: &RunState,
    packs: &OnDemand,
    call: &KnowledgeCall,
    name: &str,
) -> Result<Value, HostError> {
    let task = task(&call.arguments, name)?;
    let found = packs.get().resolve(&[&call.import.pack], &task).map_err(of_packs)?;
    for warning in &found.warnings {
        run.warn(format!("{}: {warning}", call.site));
    }
    if !run.dry_run {
        log(run, packs, std::slice::from_ref(&found));
    }
    record::value_of(&found)
}

/// Returns the task that the argument of `resolve` describes; what the checker could not see is
/// checked.
fn task(arguments: &Value, name: &str) -> Result<Task, HostError> {
    let none = Map::new();
    let fields = arguments.as_object().unwrap_or(&none);
    let known = capability::KNOWLEDGE.method("resolve").map(|method| method.parameters);
    let known: Vec<&str> = known.unwrap_or_default().iter().map(|field| field.name).collect();
    if let Some(other) = fields.keys().find(|key| !known.contains(&key.as_str())) {
        let help = contexture_diagnostic::suggestion(other, known.iter().copied())
            .unwrap_or_else(|| format!("it takes {}", known.join(", ")));
        let message = format!("`{name}` has no argument `{other}`");
        return Err(HostError::new("bad_argument", message).with_help(help));
    }
    let given = |key: &str| fields.get(key).filter(|value| !value.is_null());
    let wrong = |key: &str, wanted: &str| {
        let message = format!("the argument `{key}` of `{name}` must be {wanted}");
        HostError::new("bad_argument", message).with_help(format!("give {wanted}"))
    };
    let Some(text) = given("task").and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    else {
        return Err(wrong("task", "a string that says what is to be found"));
    };
    let budget = match given("budget") {
        None => Some(DEFAULT_BUDGET),
        Some(Value::String(text)) => capability::tokens(text),
        Some(number) => whole(number),
    };
    let budget = budget.ok_or_else(|| wrong("budget", "tokens, such as 500 or \"3k\""))?;
    let evidence = given("evidence").map_or(Some(false), Value::as_bool);
    let evidence = evidence.ok_or_else(|| wrong("evidence", "true or false"))?;
    let intent = word(given("intent"), &INTENTS);
    let intent = intent.ok_or_else(|| wrong("intent", &listed(&INTENTS)))?;
    let grounding = word(given("grounding"), &GROUNDINGS);
    let grounding = grounding.ok_or_else(|| wrong("grounding", &listed(&GROUNDINGS)))?;
    Ok(Task { intent, evidence, grounding, ..Task::new(text, budget) })
}

const INTENTS: [(&str, Intent); 6] = [
    ("answer", Intent::Answer),
    ("detail", Intent::Detail),
    ("cite", Intent::Cite),
    ("verify", Intent::Verify),
    ("ingest", Intent::Ingest),
    ("dispute", Intent::Dispute),
];

const GROUNDINGS: [(&str, Grounding); 3] = [
    ("none", Grounding::None),
    ("recommended", Grounding::Recommended),
    ("required", Grounding::Required),
];

/// Returns the meaning of one of some words; `None` when it is another.
fn word<T: Copy>(given: Option<&Value>, words: &[(&str, T)]) -> Option<Option<T>> {
    let Some(given) = given else { return Some(None) };
    let found = words.iter().find(|(word, _)| given.as_str() == Some(word));
    found.map(|(_, meant)| Some(*meant))
}

fn listed<T>(words: &[(&str, T)]) -> String {
    let words: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
    format!("one of {}", words.join(", "))
}

/// Returns a whole number of at least 1; 3.0 is one.
fn whole(number: &Value) -> Option<u64> {
    let whole = number.as_u64().or_else(|| {
        let number = number.as_f64()?;
        // Beyond 2^53 a float is not an exact count.
        let exact = number.fract() == 0.0 && (1.0..9e15).contains(&number);
        exact.then(|| format!("{number:.0}").parse().ok())?
    });
    whole.filter(|number| *number > 0)
}
