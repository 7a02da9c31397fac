//! Warnings of a run, one per place however often they occur (AS-11).

use super::code::{Executable, Place};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The kind of a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WarningKind {
    /// A `max` ended a loop whose condition was still false.
    LoopTruncated,
    /// A `max` omitted items of a list.
    ListTruncated,
}

/// A behaviour of a run that its author may not have meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Its kind.
    pub kind: WarningKind,
    /// The message, in one line.
    pub message: String,
    /// The file, by its source name.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The number of occurrences at this place.
    pub times: u64,
}

/// The number of occurrences at one place that the trace reports; the summary counts all.
const TOLD: u64 = 100;

#[derive(Debug, Default)]
pub(crate) struct Warnings {
    seen: RefCell<BTreeMap<(usize, u32, u32, WarningKind), Seen>>,
}

#[derive(Debug)]
struct Seen {
    place: Place,
    first: String,
    times: u64,
}

impl Warnings {
    /// Counts a warning; returns its message as long as the trace should report it.
    pub(crate) fn note(
        &self,
        kind: WarningKind,
        place: Place,
        message: impl FnOnce() -> String,
    ) -> Option<String> {
        let key = (place.file, place.span.start, place.span.end, kind);
        let mut seen = self.seen.borrow_mut();
        if let Some(known) = seen.get_mut(&key) {
            known.times = known.times.saturating_add(1);
            return (known.times <= TOLD).then(message);
        }
        let message = message();
        seen.insert(key, Seen { place, first: message.clone(), times: 1 });
        Some(message)
    }

    pub(crate) fn list(&self, program: &Executable) -> Vec<Warning> {
        let seen = self.seen.borrow();
        let all = seen.iter().map(|((.., kind), warning)| {
            let position = program.position(warning.place);
            Warning {
                kind: *kind,
                message: warning.first.clone(),
                file: position.file,
                line: position.line,
                column: position.column,
                times: warning.times,
            }
        });
        all.collect()
    }
}
