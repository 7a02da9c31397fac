//! `match`: the first place in a text that a regular expression describes.
//!
//! Decision: the `regex` crate, which the product has anyway. It takes time linear in the text for
//! any pattern, without look-around and back references.

use super::arguments::{list_of, text};
use super::strings::{made, own};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::{Header, Value, unknown};
use regex::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::collections::HashMap;

/// The greatest size of a compiled pattern.
const COMPILED_BYTES: usize = 1 << 20;
/// The number of compiled patterns that a run keeps.
const KEPT: usize = 64;
/// The bytes of text per counted step.
const BYTES_PER_STEP: usize = 64;

/// The patterns that a run has compiled.
#[derive(Debug, Default)]
pub(crate) struct Patterns(RefCell<HashMap<String, Regex>>);

impl Patterns {
    fn get(&self, pattern: &str) -> Checked<Regex> {
        let mut known = self.0.borrow_mut();
        if let Some(regex) = known.get(pattern) {
            return Ok(regex.clone());
        }
        let built = RegexBuilder::new(pattern).size_limit(COMPILED_BYTES).build();
        let regex = built.map_err(|error| bad_pattern(&error))?;
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(pattern.to_owned(), regex.clone());
        Ok(regex)
    }
}

/// Returns the whole match and its groups; an empty list when nothing matches.
pub(crate) fn find(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let regex = machine.patterns.get(text("match", arguments, 0)?)?;
    if unknown::is(value) {
        return Ok(value.clone());
    }
    let (whole, tag) = own(value);
    let steps = whole.len() / BYTES_PER_STEP;
    machine.meter.spend(i64::try_from(steps).unwrap_or(i64::MAX))?;
    let mut groups = Vec::new();
    for group in regex.captures(whole).iter().flat_map(regex::Captures::iter) {
        groups.push(match group {
            Some(group) => made(machine, group.as_str().to_owned(), tag)?,
            None => Value::None(tag),
        });
    }
    list_of(machine, groups, &Header::tagged(machine.epoch(), tag))
}

#[cold]
fn bad_pattern(error: &regex::Error) -> Box<Fault> {
    let reason = match error {
        regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        }
    };
    let message = format!("the pattern of `.match` can't be used: {reason}");
    Fault::new(codes::BAD_PATTERN, message).help(
        "in a string a backslash is written twice, as in `\"\\\\d+\"`; look-around and back references are not supported",
    )
}
