//! The values that conditions and references read: outcomes in place.

use super::cell::Cell;
use crate::check::Plan;
use crate::condition::{Path, Roots, Segment};
use contexture_protocol::content::Status;
use serde_json::Value;
use std::sync::LazyLock;

pub(crate) struct Outcomes<'o> {
    pub(crate) plan: &'o Plan,
    pub(crate) cells: &'o [Cell],
}

impl Outcomes<'_> {
    /// Returns the status of a step or an earlier outcome.
    pub(crate) fn status(&self, number: u32) -> Status {
        if let Some(cell) = self.cells.get(number as usize) {
            return cell.status;
        }
        let status = self.earlier(number).and_then(|(_, outcome)| outcome.get("status")?.as_str());
        status.and_then(Status::parse).unwrap_or(Status::Pending)
    }

    /// Returns the id of a step or an earlier outcome.
    pub(crate) fn id(&self, number: u32) -> &str {
        let step = self.plan.step(number).map(|step| step.id.as_str());
        step.or_else(|| self.earlier(number).map(|(id, _)| id.as_str())).unwrap_or_default()
    }

    fn earlier(&self, number: u32) -> Option<&(String, Value)> {
        self.plan.earlier.get((number as usize).checked_sub(self.cells.len())?)
    }
}

impl Roots for Outcomes<'_> {
    fn find<'v>(&'v self, path: &'v Path) -> Option<&'v Value> {
        let number = *self.plan.numbers.get(path.outcome()?)?;
        let rest = path.segments().get(1..)?;
        if number as usize >= self.cells.len() {
            return follow(&self.earlier(number)?.1, rest);
        }
        let cell = self.cells.get(number as usize)?;
        let ended = cell.ended.as_deref()?;
        let whole = || ended.whole(self.id(number), cell.status);
        let Some((field, deeper)) = rest.split_first() else { return Some(whole()) };
        match field.name() {
            "status" => follow(status_value(cell.status), deeper),
            "result" => follow(ended.result.as_ref()?, deeper),
            "error" => follow(ended.error_value()?, deeper),
            _ => follow(whole(), rest),
        }
    }
}

fn follow<'v>(value: &'v Value, segments: &[Segment]) -> Option<&'v Value> {
    segments.iter().try_fold(value, |at, segment| segment.of(at))
}

fn status_value(status: Status) -> &'static Value {
    static WORDS: LazyLock<Vec<Value>> =
        LazyLock::new(|| Status::ALL.iter().map(|status| Value::from(status.as_str())).collect());
    let at = Status::ALL.iter().position(|known| *known == status).unwrap_or_default();
    WORDS.get(at).unwrap_or(&Value::Null)
}
