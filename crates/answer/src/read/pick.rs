//! Choice among several values: the last that matches the shape, or else the nearest.

use crate::coerce::{Coercion, coerce};
use crate::error::AnswerError;
use crate::lenient::{Found, Source};
use crate::options::Limits;
use crate::repair::Notes;
use crate::shape::Shape;
use crate::validate::{Extra, Faults, fits, validate};
use serde_json::Value;

/// A value that matches the shape.
pub(super) struct Picked {
    pub(super) value: Value,
    pub(super) notes: Notes,
    pub(super) coerced: Vec<Coercion>,
    pub(super) start: usize,
    /// True if something other than its closer ended it.
    pub(super) cut: bool,
    /// True for a lone number or word in brackets amid prose, like a reference to a source.
    citation: bool,
}

/// A value that does not match the shape.
struct Missed {
    value: Value,
    faults: Faults,
    /// True if it is at least an object for an object, or a list for a list.
    near: bool,
}

impl Missed {
    fn rank(&self) -> (bool, std::cmp::Reverse<usize>) {
        let count = self.faults.errors.len() + self.faults.more;
        (self.near, std::cmp::Reverse(count))
    }
}

/// The values found in one kind of place.
#[derive(Default)]
struct Group {
    picked: Option<Picked>,
    missed: Option<Missed>,
}

pub(super) struct Picker<'a> {
    shape: Option<&'a Shape>,
    limits: &'a Limits,
    answer: Group,
    thought: Group,
    offered: usize,
}

impl<'a> Picker<'a> {
    pub(super) fn new(shape: Option<&'a Shape>, limits: &'a Limits) -> Self {
        Self { shape, limits, answer: Group::default(), thought: Group::default(), offered: 0 }
    }

    /// Takes a value into account; returns whether it matches the shape.
    pub(super) fn offer(&mut self, mut found: Found) -> bool {
        self.offered += 1;
        let outcome = match self.shape {
            Some(shape) => conform(&mut found.value, shape, self.limits.max_errors),
            None => Ok(Vec::new()),
        };
        let group = match found.source {
            Source::Answer => &mut self.answer,
            Source::Thought => &mut self.thought,
        };
        match outcome {
            Ok(coerced) => group.pick(Picked {
                citation: found.inline && is_citation(&found.value),
                value: found.value,
                notes: found.notes,
                coerced,
                start: found.start,
                cut: found.cut,
            }),
            Err(faults) => {
                let near = self.shape.is_some_and(|shape| is_near(&found.value, shape));
                group.miss(Missed { value: found.value, faults, near });
                return false;
            }
        }
        true
    }

    pub(super) fn forget(&mut self) {
        let drafts = std::mem::take(&mut self.answer);
        if let Some(picked) = drafts.picked {
            self.thought.pick(picked);
        }
        if let Some(missed) = drafts.missed {
            self.thought.miss(missed);
        }
    }

    pub(super) fn offered(&self) -> usize {
        self.offered
    }

    /// Reports whether the answer, except thinking, contains a value of the shape.
    pub(super) fn has_answer(&self) -> bool {
        self.answer.picked.is_some()
    }

    /// Reports whether the answer contains a value that was meant to match the shape.
    pub(super) fn has_near_miss(&self) -> bool {
        self.answer.missed.as_ref().is_some_and(|missed| missed.near)
    }

    /// Returns the value to use. A draft from the thinking counts only if the answer made no
    /// attempt.
    pub(super) fn take(&mut self) -> Option<Picked> {
        let draft = !self.has_near_miss();
        let answer = self.answer.picked.take();
        answer.or_else(|| self.thought.picked.take().filter(|_| draft))
    }

    /// Returns the faults of the nearest value.
    pub(super) fn error(&mut self) -> Option<AnswerError> {
        let missed = self.answer.missed.take().or_else(|| self.thought.missed.take())?;
        Some(AnswerError::Mismatch {
            errors: missed.faults.errors,
            more: missed.faults.more,
            value: Box::new(missed.value),
        })
    }
}

impl Group {
    fn pick(&mut self, picked: Picked) {
        // A value that was not closed may be a part of one: a whole one before it counts.
        let better = self
            .picked
            .as_ref()
            .is_none_or(|known| known.citation || !(picked.citation || picked.cut && !known.cut));
        if better {
            self.picked = Some(picked);
        }
    }

    fn miss(&mut self, missed: Missed) {
        let better = self.missed.as_ref().is_none_or(|known| missed.rank() >= known.rank());
        if better {
            self.missed = Some(missed);
        }
    }
}

/// Coerces a value if necessary, and checks it.
pub(super) fn conform(
    value: &mut Value,
    shape: &Shape,
    max_errors: usize,
) -> Result<Vec<Coercion>, Faults> {
    if fits(value, shape) {
        return Ok(Vec::new());
    }
    let coerced = coerce(value, shape);
    let faults = validate(value, shape, Extra::Kept, max_errors);
    if faults.is_empty() { Ok(coerced) } else { Err(faults) }
}

fn is_near(value: &Value, shape: &Shape) -> bool {
    match shape.plain() {
        Shape::Object(_) => value.is_object(),
        Shape::List(_) => value.is_array(),
        _ => true,
    }
}

fn is_citation(value: &Value) -> bool {
    match value.as_array().map(Vec::as_slice) {
        Some([]) => true,
        Some([only]) => only.is_number(),
        _ => false,
    }
}
