//! Runs of flows as lists and single views have them, in JSON (FL-12, WA-7).

use contexture_flow::journal::Entry;
use contexture_protocol::content::{Outcome, Status};
use contexture_store::flows::{Line, RunState, RunSummary};
use contexture_store::stamp::iso_time;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Returns the word for the state of a run.
#[must_use]
pub const fn word(state: RunState) -> &'static str {
    match state {
        RunState::Running => "RUNNING",
        RunState::Paused => "PAUSED",
        RunState::Interrupted => "INTERRUPTED",
        RunState::Ended(status) => status.as_str(),
    }
}

/// Returns a run as lists have it.
#[must_use]
pub fn listed(run: &RunSummary) -> Value {
    json!({
        "run": run.run,
        "name": run.name,
        "status": word(run.state),
        "context": run.context,
        "steps": run.steps,
        "done": run.done,
        "started": iso_time(run.started_us),
        "ended": run.ended_us.map(iso_time),
    })
}

/// Returns a run with its set, the outcomes of its steps and its events; `is_told` selects the events.
#[must_use]
pub fn shown(
    run: &RunSummary,
    (log, document): (&[Line], &str),
    is_told: impl Fn(&Entry) -> bool,
) -> Value {
    let history = StepHistory::of(log);
    let results: Map<String, Value> = history
        .steps
        .iter()
        .map(|(outcome, _)| (outcome.instruction_id.clone(), json!(outcome)))
        .collect();
    let mut whole = listed(run);
    if let Some(fields) = whole.as_object_mut() {
        let set = serde_json::from_str(document).unwrap_or_else(|_| document.into());
        let events = log.iter().filter(|line| is_told(&line.entry)).map(event);
        fields.insert("set".to_owned(), set);
        fields.insert("results".to_owned(), results.into());
        fields.insert("order".to_owned(), history.order.into());
        fields.insert("events".to_owned(), events.collect());
    }
    whole
}

/// Reports whether an event is for the owner of a run, and not for its operator alone: labels and
/// decisions of the policy are about the server.
#[must_use]
pub fn is_for_owner(entry: &Entry) -> bool {
    !matches!(entry, Entry::Labelled { .. } | Entry::Decided { .. })
}

/// Returns an event as JSON; the values of steps are in `results`.
fn event(line: &Line) -> Value {
    let mut event = match &line.entry {
        Entry::Started { id, action, attempt, key } => {
            json!({"event": "STARTED", "id": id, "action": action, "attempt": attempt, "key": key})
        }
        Entry::Labelled { id, label } => json!({"event": "LABELLED", "id": id, "label": label}),
        Entry::Decided { id, decision } => {
            json!({"event": "DECIDED", "id": id, "decision": decision})
        }
        Entry::Ended(outcome) => {
            json!({"event": "ENDED", "id": outcome.instruction_id, "status": outcome.status})
        }
        Entry::Paused => json!({"event": "PAUSED"}),
        Entry::Resumed => json!({"event": "RESUMED"}),
        Entry::Cancelled => json!({"event": "CANCELLED"}),
        Entry::Settled { id, verdict } => {
            json!({"event": "SETTLED", "id": id, "verdict": verdict})
        }
        Entry::Finished { status } => json!({"event": "FINISHED", "status": status}),
    };
    if let Some(fields) = event.as_object_mut() {
        fields.insert("time".to_owned(), iso_time(line.time_us).into());
    }
    event
}

/// The steps of a stored run, and the ids of the started ones in order.
#[derive(Debug, Clone, PartialEq)]
pub struct StepHistory {
    /// Each outcome with the start of the step in microseconds. A step that has not ended is running.
    pub steps: Vec<(Outcome, Option<u64>)>,
    /// The ids of the started steps, in the order of their starts.
    pub order: Vec<String>,
}

impl StepHistory {
    /// Reads the steps of a log.
    #[must_use]
    pub fn of(log: &[Line]) -> Self {
        let mut began: HashMap<&str, u64> = HashMap::new();
        let mut ended: HashSet<&str> = HashSet::new();
        let mut order = Vec::new();
        let mut steps = Vec::new();
        for line in log {
            match &line.entry {
                Entry::Started { id, .. } if !began.contains_key(id.as_str()) => {
                    began.insert(id, line.time_us);
                    order.push(id.clone());
                }
                Entry::Ended(outcome) => {
                    let id = outcome.instruction_id.as_str();
                    ended.insert(id);
                    steps.push(((**outcome).clone(), began.get(id).copied()));
                }
                _ => {}
            }
        }
        let open = order.iter().filter(|id| !ended.contains(id.as_str()));
        let running = |id: &String| Outcome::new(id.as_str(), Status::Running);
        steps.extend(open.map(|id| (running(id), began.get(id.as_str()).copied())));
        Self { steps, order }
    }
}
