//! One run of the target with other candidates chosen.

use super::Live;
use super::target::{Placed, Selection, Target, refused};
use crate::project;
use crate::run::{Run, RunRequest};
use crate::runtime::Runtime;
use contexture_context::{TraceEvent, TraceKind};
use contexture_core::profile::COST_LIMIT;
use contexture_core::tool::ToolFailure;
use contexture_prompt::Usage;
use contexture_store::runs::RunId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::Instant;

/// What is tried.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Trial {
    /// The program, by its path in the workspace.
    target: String,
    /// Its input.
    #[serde(default)]
    input: Map<String, Value>,
    /// The candidates, by the ids of their sites; the others stay.
    #[serde(default)]
    selection: Selection,
    /// The agent and function to start; the main ones when absent.
    entry: Option<Entry>,
    /// The `snapshot_id` of `inspect`: a warning tells that the program has changed since.
    snapshot_id: Option<String>,
    /// How much of the run's record is returned; its id by default.
    #[serde(default)]
    trace: Trace,
}

/// Where a program starts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Entry {
    agent: Option<String>,
    func: Option<String>,
}

/// How much of a run's record is returned.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Trace {
    /// The id under which the run is kept.
    #[default]
    Summary,
    /// The id and all events.
    Full,
    /// Nothing.
    None,
}

/// Runs the target once.
pub(super) async fn trial(live: &Live, wish: Trial) -> Result<Value, ToolFailure> {
    let target = match Target::read(live, &wish.target)? {
        Ok(target) => target,
        Err(refusal) => return Ok(refusal),
    };
    if let Err(refusal) = target.check(&wish.selection) {
        return Ok(refusal);
    }
    let mut warnings = Vec::new();
    if wish.snapshot_id.as_ref().is_some_and(|known| *known != target.snapshot) {
        let message = "the program has changed since it was inspected";
        warnings.push(json!({ "code": "snapshot_mismatch", "message": message }));
    }
    let runtime = Runtime::of(live.project.clone());
    let began = Instant::now();
    let run = match runtime.request(request(live, &wish, &target)).await {
        Ok(run) => run,
        // Limits end the program that tries, whatever it makes of refusals.
        Err(error) if error.code() == COST_LIMIT => {
            return Err(ToolFailure::new(error.code(), error.to_string()));
        }
        Err(error) => {
            let usage = usage(&error.usage(), error.calls().len(), began);
            let more = json!({ "usage": usage, "trace_ref": error.id() });
            return Ok(refused(error.code(), &error.to_string(), more));
        }
    };
    let used = usage(&run.usage, run.calls.len(), began);
    Ok(told(live, &wish, (&target, &run), used, warnings))
}

fn request(live: &Live, wish: &Trial, target: &Target) -> RunRequest {
    let entry = wish.entry.as_ref();
    let site = |(id, candidate): (&String, &String)| {
        let placed = target.sites.iter().find(|placed| placed.id == *id)?;
        Some((place(placed), candidate.clone()))
    };
    RunRequest {
        program: target.path.clone(),
        input: Value::Object(wish.input.clone()).into(),
        agent: entry.and_then(|entry| entry.agent.clone()),
        function: entry.and_then(|entry| entry.func.clone()),
        selections: wish.selection.iter().filter_map(site).collect(),
        ..live.request.clone()
    }
}

fn place(placed: &Placed) -> String {
    format!("{}:{}", placed.file, placed.site.line)
}

fn usage(usage: &Usage, calls: usize, began: Instant) -> Value {
    json!({
        "prompt_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "llm_calls": calls,
        "latency_ms": u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

/// Returns what came of a run, with what its record says about its choices.
fn told(
    live: &Live,
    wish: &Trial,
    (target, run): (&Target, &Run),
    usage: Value,
    mut warnings: Vec<Value>,
) -> Value {
    let id = run.id.as_deref().and_then(RunId::parse);
    let log = id.and_then(|id| project::runs(&live.project).load(&id).ok());
    let (mut picked, mut unreached) = (None, None);
    match &log {
        Some(log) => {
            let uses: Vec<&TraceEvent> = log.of_kind(TraceKind::Use).collect();
            let found = picks(target, wish, &uses);
            let missing = wish.selection.keys().filter(|id| !found.contains_key(*id));
            unreached = Some(missing.cloned().collect::<Vec<_>>());
            picked = Some(found);
        }
        None => {
            let message = "the run has no record, so what it picked is not known";
            warnings.push(json!({ "code": "no_record", "message": message }));
        }
    }
    let events = log.as_ref().filter(|_| wish.trace == Trace::Full).map(|log| &log.events);
    let reference = run.id.as_ref().filter(|_| wish.trace != Trace::None);
    json!({
        "ok": true,
        "result": run.value,
        "usage": usage,
        "picked": picked,
        "unreached_selection": unreached,
        "warnings": warnings,
        "trace": events,
        "trace_ref": reference,
    })
}

/// Returns what was shown at each site that the run came to.
fn picks(target: &Target, wish: &Trial, uses: &[&TraceEvent]) -> Map<String, Value> {
    let mut found = Map::new();
    for placed in &target.sites {
        let at = |event: &&&TraceEvent| {
            event.data.get("file").and_then(Value::as_str) == Some(&placed.file)
                && event.data.get("line") == Some(&json!(placed.site.line))
        };
        let chosen = uses.iter().find(at).and_then(|event| event.data.get("chosen")?.as_str());
        let Some(chosen) = chosen else { continue };
        let site = &placed.site;
        let reason = match wish.selection.contains_key(&placed.id) {
            true => "trial",
            false if site.candidates.iter().any(|one| one.mark.is_some()) => "selected",
            false => "first",
        };
        let is_empty = site.candidates.iter().any(|one| one.name == chosen && one.is_empty);
        let pick = json!({ "variant": chosen, "reason": reason, "empty": is_empty });
        found.insert(placed.id.clone(), pick);
    }
    found
}
