//! A checked set, with everything that a run needs.

use super::report::Report;
use crate::action::{ActionInfo, Actions};
use crate::condition::Condition;
use crate::graph::{Edges, Order, number};
use crate::set::{Mode, Set, Step};
use contexture_protocol::content::{Outcome, Runtime};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Outcomes that ended before in the same context (FL-6), by their ids.
#[derive(Debug, Clone, Default)]
pub struct Earlier {
    outcomes: HashMap<String, Value>,
}

impl Earlier {
    /// Adds an outcome.
    pub fn add(&mut self, outcome: &Outcome) {
        let value = json!(outcome);
        self.outcomes.insert(outcome.instruction_id.clone(), value);
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Value> {
        self.outcomes.get(id)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.outcomes.keys().map(String::as_str)
    }
}

/// The condition of a step.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) condition: Condition,
    /// The direct dependencies whose `.status` or `.error` the condition names (FL-7), in order.
    pub(crate) excused: Box<[u32]>,
}

/// Returns why a value is not a JSON Schema that parameters can be checked with. References to other
/// documents are not followed.
#[must_use]
pub fn schema_fault(schema: &Value) -> Option<String> {
    jsonschema::validator_for(schema).err().map(|error| error.to_string())
}

#[derive(Debug)]
pub(crate) struct PlannedAction {
    pub(crate) info: Option<ActionInfo>,
    pub(crate) validator: Option<jsonschema::Validator>,
}

impl PlannedAction {
    pub(crate) fn new(info: Option<ActionInfo>) -> Self {
        let schema = info.as_ref().and_then(|info| info.parameters.as_ref());
        // An invalid schema checks nothing: it is a fault of the registration, not of the set.
        let validator = schema.and_then(|schema| jsonschema::validator_for(schema).ok());
        Self { info, validator }
    }
}

/// The actions of a set, each looked up once.
pub(crate) struct Planned {
    pub(crate) actions: Vec<PlannedAction>,
    pub(crate) numbers: HashMap<String, u32>,
    pub(crate) of_step: Vec<u32>,
}

impl Planned {
    pub(super) fn number(&mut self, name: &str, actions: &dyn Actions) -> u32 {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let next = number(self.actions.len());
        self.actions.push(PlannedAction::new(actions.describe(name)));
        self.numbers.insert(name.to_owned(), next);
        next
    }

    pub(super) fn get(&self, number: u32) -> Option<&PlannedAction> {
        self.actions.get(number as usize)
    }

    pub(super) fn is_frontend(&self, index: usize, step: &Step) -> bool {
        let action = self.of_step.get(index).and_then(|number| self.get(*number));
        let registered = action.and_then(|action| action.info.as_ref()?.runtime);
        step.runtime.or(registered) == Some(Runtime::Frontend)
    }
}

pub(crate) struct Known {
    /// The referenced outcomes that ended before; their numbers follow those of the steps.
    pub(crate) earlier: Vec<(String, Value)>,
    pub(crate) numbers: HashMap<Box<str>, u32>,
}

/// A set without faults, ready to run.
#[derive(Debug)]
pub struct Plan {
    pub(crate) set: Set,
    pub(crate) dependencies: Edges,
    pub(crate) dependents: Edges,
    pub(crate) layers: Vec<u32>,
    pub(crate) guards: Vec<Option<Box<Guard>>>,
    pub(crate) is_expanded: Vec<bool>,
    pub(crate) actions: Vec<PlannedAction>,
    pub(crate) action_numbers: HashMap<String, u32>,
    pub(crate) action_of: Vec<u32>,
    /// The outcomes that ended before; their numbers follow those of the steps.
    pub(crate) earlier: Vec<(String, Value)>,
    pub(crate) numbers: HashMap<Box<str>, u32>,
    warnings: Report,
}

impl Plan {
    #[expect(clippy::too_many_arguments, reason = "it is called in one place")]
    pub(crate) fn new(
        set: Set,
        dependencies: Edges,
        dependents: Edges,
        order: Order,
        guards: Vec<Option<Box<Guard>>>,
        is_expanded: Vec<bool>,
        planned: Planned,
        known: Known,
        warnings: Report,
    ) -> Self {
        Self {
            set,
            dependencies,
            dependents,
            layers: order.layers,
            guards,
            is_expanded,
            actions: planned.actions,
            action_numbers: planned.numbers,
            action_of: planned.of_step,
            earlier: known.earlier,
            numbers: known.numbers,
            warnings,
        }
    }

    /// Returns the set.
    #[must_use]
    pub fn set(&self) -> &Set {
        &self.set
    }

    /// Returns the warnings of the check.
    #[must_use]
    pub fn warnings(&self) -> &Report {
        &self.warnings
    }

    /// Returns the number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.set.steps.len()
    }

    /// Reports whether there are no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.set.steps.is_empty()
    }

    /// Returns the number of layers of steps, each depending on the one before.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.layers.iter().max().map_or(0, |deepest| *deepest as usize + 1)
    }

    pub(crate) fn step(&self, number: u32) -> Option<&Step> {
        self.set.steps.get(number as usize)
    }

    pub(crate) fn action(&self, number: u32) -> Option<&PlannedAction> {
        self.actions.get(*self.action_of.get(number as usize)? as usize)
    }

    pub(crate) fn action_named(&self, name: &str) -> Option<&PlannedAction> {
        self.actions.get(*self.action_numbers.get(name)? as usize)
    }

    /// Reports whether a step runs in a client.
    pub(crate) fn is_frontend(&self, number: u32) -> bool {
        let marked = self.step(number).and_then(|step| step.runtime);
        let registered = || self.action(number)?.info.as_ref()?.runtime;
        marked.or_else(registered) == Some(Runtime::Frontend)
    }

    pub(crate) fn mode(&self) -> Mode {
        self.set.mode
    }
}
