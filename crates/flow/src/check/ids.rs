//! Ids: their numbers, duplicates and unknown ones.

use super::plan::{Earlier, Known};
use super::report::{Diagnostic, Report};
use crate::codes;
use crate::graph::{Edges, Marks, number};
use crate::set::Set;
use contexture_diagnostic::suggestion;
use serde_json::Value;
use std::collections::HashMap;

/// The number of names compared for suggestions, over a whole report.
const COMPARED: usize = 500_000;

/// The numbers of all ids: the steps of the set from 0, then referenced earlier outcomes.
pub(crate) struct Ids<'s> {
    numbers: HashMap<Box<str>, u32>,
    names: Vec<&'s str>,
    earlier: &'s Earlier,
    taken: Vec<(String, Value)>,
    steps: u32,
    left_to_compare: usize,
}

impl<'s> Ids<'s> {
    pub(crate) fn of(set: &Set, earlier: &'s Earlier, report: &mut Report) -> Self {
        let mut numbers: HashMap<Box<str>, u32> = HashMap::with_capacity(set.steps.len());
        for (index, step) in set.steps.iter().enumerate() {
            let first = *numbers.entry(step.id.as_str().into()).or_insert(number(index));
            if first as usize == index {
                continue;
            }
            report.add(|| {
                let path = format!("{}/{}", set.pointer_of(index), set.id_field());
                let message = format!("duplicate id `{}`", step.id);
                let place = set.pointer_of(first as usize);
                let help = format!("{place} has the same id: give each an id of its own");
                Diagnostic::new(codes::DUPLICATE_ID, path, message).with_help(help)
            });
        }
        Self {
            numbers,
            names: earlier.ids().collect(),
            earlier,
            taken: Vec::new(),
            steps: number(set.steps.len()),
            left_to_compare: COMPARED,
        }
    }

    pub(crate) fn number(&mut self, id: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(id) {
            return Some(*number);
        }
        let outcome = self.earlier.get(id)?.clone();
        let next = self.steps + number(self.taken.len());
        self.taken.push((id.to_owned(), outcome));
        self.numbers.insert(id.into(), next);
        Some(next)
    }

    pub(crate) fn is_earlier(&self, number: u32) -> bool {
        number >= self.steps
    }

    pub(crate) fn count(&self) -> usize {
        self.steps as usize + self.taken.len()
    }

    pub(crate) fn into_known(self) -> Known {
        Known { earlier: self.taken, numbers: self.numbers }
    }

    /// Returns the edges of all steps, without faulty ones.
    pub(crate) fn dependencies(&mut self, set: &Set, report: &mut Report) -> Edges {
        let mut edges = Edges::with_capacity(set.steps.len());
        let (mut targets, mut seen) = (Vec::new(), Marks::new(self.count()));
        for (index, step) in set.steps.iter().enumerate() {
            targets.clear();
            seen.next();
            for (at, id) in step.dependencies.iter().enumerate() {
                let path = || format!("{}/{}/{at}", set.pointer_of(index), set.dependency_field());
                if *id == step.id {
                    report.add(|| {
                        let message = format!("`{id}` depends on itself: {id} → {id}");
                        Diagnostic::new(codes::CYCLE, path(), message)
                            .with_help("remove the dependency")
                    });
                    continue;
                }
                match self.number(id) {
                    // The same id twice in one list is the same dependency.
                    Some(number) => targets.extend(seen.mark(number).then_some(number)),
                    None if set.has_nameless() => {}
                    None => report.add(|| self.unknown(path(), id)),
                }
            }
            edges.push(targets.iter().copied());
        }
        edges
    }

    pub(crate) fn unknown(&mut self, path: String, id: &str) -> Diagnostic {
        let fault = Diagnostic::new(codes::UNKNOWN_ID, path, format!("unknown id `{id}`"));
        let known = self.numbers.len() + self.names.len();
        if known > self.left_to_compare {
            return fault;
        }
        self.left_to_compare -= known;
        let names = self.numbers.keys().map(AsRef::as_ref).chain(self.names.iter().copied());
        match suggestion(id, names) {
            Some(help) => fault.with_help(help),
            None => {
                fault.with_help("use an id of this set, or of an earlier outcome in its context")
            }
        }
    }
}
