//! The values that a kept run got from models, tools and memories, by place: for a recheck (IN-10).
//!
//! Decision: an answer belongs to its agent, function and call, in their order, and not to a line or
//! a request. So a program that was changed gets the answers of the run before the change, and shows
//! which prompts the change reaches.

use crate::inspect::{Call, Kept, is_same_prompt};
use crate::recorder::inline_texts;
use contexture_context::manifest::Site;
use contexture_context::{Label, Manifest, TraceEvent, TraceKind};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The name under which answers of models are found.
pub(crate) const MODEL: &str = "generate";

/// The agent, the function, and the call in it: [`MODEL`], or a method as `Tool.method`.
type Place = (String, String, String);

/// A value, with the prompt that a model gave it to.
struct Entry {
    value: Value,
    manifest: Option<Manifest>,
}

/// The values of a kept run that no recheck asks for again.
pub struct Recorded {
    run: String,
    values: Mutex<HashMap<Place, VecDeque<Entry>>>,
    /// The results that models got from tools, by the calls as records name them.
    results: HashMap<String, (String, Label)>,
    /// The prompts so far by the numbers of their calls: true for one that has changed.
    prompts: Mutex<BTreeMap<u64, bool>>,
    /// What the record lacks of changed prompts, by the numbers of their calls.
    lacking: Mutex<BTreeMap<u64, String>>,
    asking: Option<Option<String>>,
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
        let mut found: BTreeMap<Vec<u64>, (Place, Entry)> = BTreeMap::new();
        let mut results = HashMap::new();
        for event in &kept.log.events {
            let (Some(place), Some(value)) = (place_of(event), event.data.get("value")) else {
                continue;
            };
            let mut value = value.clone();
            inline_texts(&mut value, &mut |digest| kept.text(digest).ok());
            let manifest = Call::of(event).map(|call| call.manifest);
            for item in manifest.iter().flat_map(|manifest| &manifest.items) {
                if let Ok(text) = kept.text(&item.value) {
                    let label = Label { sources: item.sources.clone(), ..item.trust.into() };
                    results.entry(item.source.clone()).or_insert((text, label));
                }
            }
            found.insert(path_of(event, &events), (place, Entry { value, manifest }));
        }
        let mut values: HashMap<Place, VecDeque<Entry>> = HashMap::new();
        for (place, entry) in found.into_values() {
            values.entry(place).or_default().push_back(entry);
        }
        Self {
            run: kept.log.id.to_string(),
            values: Mutex::new(values),
            results,
            prompts: Mutex::default(),
            lacking: Mutex::default(),
            asking: None,
        }
    }

    /// Asks for the calls whose prompt has changed: a model, or those of the program.
    pub(crate) fn asking(mut self, model: Option<String>) -> Self {
        self.asking = Some(model);
        self
    }

    /// Reports whether calls whose prompt has changed are asked.
    pub(crate) const fn asks(&self) -> bool {
        self.asking.is_some()
    }

    /// Returns the model in place of those of the program, for calls that are asked.
    pub(crate) fn model(&self) -> Option<&str> {
        self.asking.as_ref()?.as_deref()
    }

    /// Returns the run.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// Returns the calls whose prompt was compared so far: true for one that has changed.
    pub(crate) fn prompts(&self) -> BTreeMap<u64, bool> {
        locked(&self.prompts).clone()
    }

    /// Notes what the record lacks, so that a changed prompt contains a placeholder.
    pub(crate) fn note_lacking(&self, call: u64, what: String) {
        locked(&self.lacking).insert(call, what);
    }

    /// Returns what the record lacks of changed prompts, by the numbers of their calls.
    pub(crate) fn lacking(&self) -> BTreeMap<u64, String> {
        locked(&self.lacking).clone()
    }

    /// Reports whether a prompt is another one than that of the value which the record has next for
    /// its place. The value of one that has changed is passed over when it is asked for.
    pub(crate) fn is_changed(&self, manifest: &Manifest) -> bool {
        let mut prompts = locked(&self.prompts);
        if let Some(known) = prompts.get(&manifest.call) {
            return *known;
        }
        let mut values = locked(&self.values);
        let next = values.get_mut(&place(&manifest.site, MODEL));
        let before = next.as_ref().and_then(|next| next.front()?.manifest.as_ref());
        let is_changed = before.is_none_or(|before| !is_same_prompt(before, manifest));
        if is_changed && self.asks() {
            next.and_then(VecDeque::pop_front);
        }
        prompts.insert(manifest.call, is_changed);
        is_changed
    }

    /// Returns what a model got from a tool, by the call as records name it.
    pub(crate) fn result(&self, source: &str) -> Option<(String, Label)> {
        self.results.get(source).cloned()
    }

    /// Returns the next value of a place; `None` when the run had no more.
    pub(crate) fn next(&self, site: &Site, call: &str) -> Option<Value> {
        Some(locked(&self.values).get_mut(&place(site, call))?.pop_front()?.value)
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn place(site: &Site, call: &str) -> Place {
    let text = |name: &Option<String>| name.clone().unwrap_or_default();
    (text(&site.agent), text(&site.function), call.to_owned())
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
