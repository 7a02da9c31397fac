//! What a kept run got from models, tools and memories, by place: for a recheck (IN-10).
//!
//! Decision: an answer belongs to its agent, function and call, in their order, and not to a line or
//! a request. So a program that was changed gets the answers of the run before the change, and shows
//! which prompts the change reaches.

use crate::inspect::Kept;
use crate::recorder::inline_texts;
use contexture_context::manifest::Site;
use contexture_context::{TraceEvent, TraceKind};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The name under which answers of models are found.
pub(crate) const MODEL: &str = "generate";

/// The agent, the function, and the call in it: [`MODEL`], or a method as `Tool.method`.
type Place = (String, String, String);

/// The values of a kept run that no recheck asks for again.
#[derive(Default)]
pub struct Recorded {
    values: Mutex<HashMap<Place, VecDeque<Value>>>,
}

impl fmt::Debug for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorded").finish_non_exhaustive()
    }
}

impl Recorded {
    /// Takes the values of a run. Those of a `parallel for` are in the order of its turns.
    #[must_use]
    pub fn of(kept: Kept<'_>) -> Self {
        let events: HashMap<u64, &TraceEvent> =
            kept.log.events.iter().map(|event| (event.id, event)).collect();
        let mut found: BTreeMap<Vec<u64>, (Place, Value)> = BTreeMap::new();
        for event in &kept.log.events {
            let (Some(place), Some(value)) = (place_of(event), event.data.get("value")) else {
                continue;
            };
            let mut value = value.clone();
            inline_texts(&mut value, &mut |digest| kept.text(digest).ok());
            found.insert(path_of(event, &events), (place, value));
        }
        let mut values: HashMap<Place, VecDeque<Value>> = HashMap::new();
        for (place, value) in found.into_values() {
            values.entry(place).or_default().push_back(value);
        }
        Self { values: Mutex::new(values) }
    }

    /// Returns the next value of a place; `None` when the run had no more.
    pub(crate) fn next(&self, site: &Site, call: &str) -> Option<Value> {
        let text = |name: &Option<String>| name.clone().unwrap_or_default();
        let place = (text(&site.agent), text(&site.function), call.to_owned());
        self.values.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&place)?.pop_front()
    }
}

fn place_of(event: &TraceEvent) -> Option<Place> {
    let word = |name: &str| {
        event.data.get(name).and_then(Value::as_str).map(str::to_owned).unwrap_or_default()
    };
    let call = match event.kind {
        TraceKind::Generate => MODEL.to_owned(),
        TraceKind::Tool | TraceKind::Memory => format!("{}.{}", word("name"), word("method")),
        _ => return None,
    };
    Some((word("agent"), word("function"), call))
}

/// Returns the events around an event and itself, from the run on: a turn of a loop by its index,
/// anything else by its number.
fn path_of(event: &TraceEvent, events: &HashMap<u64, &TraceEvent>) -> Vec<u64> {
    let mut path = Vec::new();
    let mut next = Some(event);
    // A damaged record may have a circle.
    while let Some(event) = next.filter(|_| path.len() <= events.len()) {
        let index = match event.kind {
            TraceKind::Iteration => event.data.get("index").and_then(Value::as_u64),
            _ => None,
        };
        path.push(index.unwrap_or(event.id));
        next = event.parent.and_then(|parent| events.get(&parent)).copied();
    }
    path.reverse();
    path
}
