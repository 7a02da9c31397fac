//! Registries (REF-18): a table of ids and the references they stand for.

use super::report::{Report, span};
use super::table::{self, Row};
use super::variables::{IdPattern, filled, variables};
use crate::codes;
use crate::syntax::{Reference, ReferenceBuf, SyntaxError};
use std::collections::BTreeMap;
use std::ops::Range;

/// The ids of a protocol.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    entries: BTreeMap<String, Entry>,
    /// The ids in the order of their rows.
    order: Vec<String>,
}

/// The target of an id.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The registered reference; `None` when the row has an error.
    pub reference: Option<ReferenceBuf>,
    /// The first byte of the row in its file.
    pub start: usize,
    /// The line of the row, from 1.
    pub line: u32,
    /// The variables of the id, which its reference takes up (MA-2).
    pattern: Option<IdPattern>,
}

impl Entry {
    /// Reports whether its id has variables, as `{path}` has.
    #[must_use]
    pub const fn is_pattern(&self) -> bool {
        self.pattern.is_some()
    }

    /// Returns the reference that an id stands for; `None` when the row has an error.
    ///
    /// # Errors
    /// [`SyntaxError`] when the target with what the id passes on is not a reference.
    pub(super) fn target(&self, id: &str) -> Result<Option<ReferenceBuf>, SyntaxError> {
        let Some(reference) = &self.reference else { return Ok(None) };
        match self.pattern.as_ref().and_then(|pattern| pattern.matched(id)) {
            Some(values) => ReferenceBuf::parse(filled(reference.as_str(), &values)).map(Some),
            None => Ok(Some(reference.clone())),
        }
    }
}

impl Registry {
    /// Returns the entry of an id: its own row, or else the first one whose variables fit it.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Entry> {
        let fits = |(_, entry): &(&str, &Entry)| {
            entry.pattern.as_ref().is_some_and(|pattern| pattern.matched(id).is_some())
        };
        self.entries.get(id).or_else(|| self.entries().find(fits).map(|(_, entry)| entry))
    }

    /// Returns all entries in the order of their rows.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.order.iter().filter_map(|id| {
            let (id, entry) = self.entries.get_key_value(id)?;
            Some((id.as_str(), entry))
        })
    }

    /// Returns the ids that can be used.
    pub(super) fn usable_ids(&self) -> impl Iterator<Item = &str> + Clone {
        self.order
            .iter()
            .map(String::as_str)
            .filter(|id| self.entries.get(*id).is_some_and(|entry| entry.reference.is_some()))
    }
}

/// Reads the registry of the protocol `name`. `line_of` returns the line of a byte.
pub(super) fn read(
    source: &str,
    part: Range<usize>,
    name: &str,
    max_rows: usize,
    line_of: impl Fn(usize) -> u32,
    report: &mut Report,
) -> Registry {
    let mut registry = Registry::default();
    let before = report.errors();
    let Some(table) = table::read(source, part.clone(), max_rows, report) else {
        if report.errors() == before {
            let message = format!("the registry of `{name}` has no table");
            report.say(codes::REGISTRY_WITHOUT_TABLE, part, message);
        }
        return registry;
    };
    if table.header.len() < 2 {
        let place = table.header.first().map_or(part, |cell| cell.place.clone());
        report.say(codes::FEW_COLUMNS, place, "a registry has two columns: id and reference");
        return registry;
    }
    for row in &table.rows {
        let Some(id) = id(row, name, report) else { continue };
        if let Some(first) = registry.entries.get(&id) {
            let message = format!("`{id}` is registered twice; the first row stands");
            let fault = codes::DUPLICATE_REGISTRY_ID.at(span(row.place.clone()), message);
            report.add(fault.with_label(span(first.start..first.start), "first here"));
            continue;
        }
        let (start, pattern) = (row.place.start, IdPattern::read(&id));
        let reference = reference(row, &id, report);
        let reference = reference.filter(|target| is_bound(row, target, pattern.as_ref(), report));
        let entry = Entry { reference, start, line: line_of(start), pattern };
        registry.order.push(id.clone());
        registry.entries.insert(id, entry);
    }
    registry
}

/// Returns the id of a row, if a reference can hold it.
fn id(row: &Row, name: &str, report: &mut Report) -> Option<String> {
    let cell = row.cells.first()?;
    let written = format!("@{name}://{}", cell.text);
    let fits = Reference::parse(&written)
        .is_ok_and(|reference| reference.path() == cell.text && reference.raw_query().is_none());
    if !fits || cell.text.contains(char::is_whitespace) {
        let message = match cell.text.as_str() {
            "" => "the row has no id".to_owned(),
            text => format!("`{text}` can't be the id of a reference `@{name}://…`"),
        };
        let place = if cell.text.is_empty() { row.place.clone() } else { cell.place.clone() };
        report.say(codes::BAD_REGISTRY_ID, place, message);
        return None;
    }
    Some(cell.text.clone())
}

/// Checks that the id has the variables that its target takes up. Without variables in the id,
/// braces in the target mean themselves.
fn is_bound(
    row: &Row,
    target: &ReferenceBuf,
    pattern: Option<&IdPattern>,
    report: &mut Report,
) -> bool {
    let Some(pattern) = pattern else { return true };
    let Some((free, _)) = variables(target.as_str()).find(|(name, _)| !pattern.has(name)) else {
        return true;
    };
    let place = row.cells.get(1).map_or(row.place.clone(), |cell| cell.place.clone());
    let known: Vec<String> = pattern.names().map(|name| format!("`{{{name}}}`")).collect();
    let message = format!("`{{{free}}}` stands for nothing: the id has {}", known.join(", "));
    let fault = codes::UNBOUND_VARIABLE.at(span(place), message);
    report.add(fault.with_help("use a variable of the id, or add this one to it"));
    false
}

fn reference(row: &Row, id: &str, report: &mut Report) -> Option<ReferenceBuf> {
    let cell = row.cells.get(1)?;
    if cell.text.is_empty() {
        let message = format!("`{id}` has no reference");
        report.say(codes::BAD_REGISTERED_REFERENCE, row.place.clone(), message);
        return None;
    }
    match Reference::parse(&cell.text) {
        Ok(reference) => Some(reference.to_owned()),
        Err(error) => {
            // Backticks and escaped marks move the text; then the cell as a whole is meant.
            let is_verbatim = cell.place.len() == cell.text.len();
            let at = if is_verbatim { cell.place.start + error.offset } else { cell.place.start };
            let fault = codes::BAD_REGISTERED_REFERENCE
                .at(span(at.min(cell.place.end)..cell.place.end), format!("`{id}`: {error}"));
            let help = match cell.text.starts_with('@') {
                true => "write a whole reference, such as `@file://notes/a.md`".to_owned(),
                false => format!("write the protocol too, such as `@file://{}`", cell.text),
            };
            report.add(fault.with_help(help));
            None
        }
    }
}
