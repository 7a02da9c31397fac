//! Ids beside resource elements: registries in JSON files, and globs with a name rule (MA-2).
//!
//! Decision: they add to what a resource element registers and never take its place. An id is looked
//! up in the registry of the protocol's element, then in the files, then by the glob. A protocol of
//! Contexture that can be extended is asked first.

use super::error::ResolveError;
use super::report::{Report, span};
use super::{Definitions, Origin, RESERVED};
use crate::codes;
use crate::syntax::{Reference, ReferenceBuf};
use contexture_diagnostic::{Diagnostic, Severity, SourceFile};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

/// The built-in protocols to which a workspace may add ids: they answer first.
pub const EXTENSIBLE: &[&str] = &["knowledge", "memory"];

/// What stands for the id in a glob.
const ID: &str = "{id}";

/// A row of a registry file.
#[derive(Debug, Clone)]
pub struct Row {
    /// The registered reference; `None` when the row has an error.
    pub reference: Option<ReferenceBuf>,
    /// The file.
    pub origin: Origin,
    /// The line of its reference, from 1.
    pub line: u32,
}

/// A pattern of files, one of which an id names: `**/{id}.thought.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    pattern: String,
}

impl OnlyMatch {
    /// Returns the path of the files that any id names.
    pub(crate) fn any(&self) -> String {
        self.glob.replace(ID, "*")
    }

    /// Returns the id that names a file by the glob, where it stands in one of the last segments.
    pub(crate) fn id_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (before, after) = self.glob.split_once(ID)?;
        let (end, deeper) =
            after.split_once('/').map_or((after, None), |(end, rest)| (end, Some(rest)));
        let below = deeper.map_or(0, |deeper| deeper.split('/').count());
        let segment = path.rsplit('/').nth(below)?;
        let start = before.rsplit('/').next().unwrap_or(before);
        segment.strip_prefix(start)?.strip_suffix(end)
    }
}

/// The reason why a text is not a glob of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// The name of the protocol can't be a name.
    #[error("this can't name a protocol: letters, digits, `_` and `-` follow a letter")]
    Name,
    /// A built-in protocol that can't be extended.
    #[error("this protocol is built in and can't be extended")]
    Reserved,
    /// The id stands nowhere.
    #[error("the glob has no `{{id}}`, which stands for the id: `**/{{id}}.thought.md`")]
    NoId,
    /// Braces behind `*.` choose among endings.
    #[error("`{{id}}` can't follow `*.`, where braces choose among endings")]
    AfterStar,
    /// Not the path of a reference.
    #[error("the glob is not a path from the workspace: `**/{{id}}.thought.md`")]
    Path,
}

impl Glob {
    /// Reads a glob.
    ///
    /// # Errors
    /// [`GlobError`] when it names no id, or is not a path below the workspace.
    pub fn parse(pattern: &str) -> Result<Self, GlobError> {
        if !pattern.contains(ID) {
            return Err(GlobError::NoId);
        }
        if pattern.contains("*.{id}") {
            return Err(GlobError::AfterStar);
        }
        let is_below = !pattern.starts_with('/') && pattern.split('/').all(|name| name != "..");
        let glob = Self { pattern: pattern.to_owned() };
        let reference =
            Reference::parse(&glob.text("a")).is_ok_and(|one| one.raw_query().is_none());
        if is_below && reference { Ok(glob) } else { Err(GlobError::Path) }
    }

    /// Returns the glob as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.pattern
    }

    /// Returns the files that an id names; `None` for an id that is not one segment of a path.
    fn of(&self, id: &str) -> Option<ReferenceBuf> {
        let is_segment = !id.contains(['/', '*']) && !matches!(id, "." | "..");
        ReferenceBuf::parse(is_segment.then(|| self.text(id))?).ok()
    }

    fn text(&self, id: &str) -> String {
        format!("@file://{}", self.pattern.replace(ID, id))
    }
}

/// The glob that led to a reference: one file alone may match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnlyMatch {
    /// The protocol of the id, in lower case.
    pub protocol: String,
    /// The id.
    pub id: String,
    /// The glob.
    pub glob: String,
}

/// A file with a registry, in the form of PromptX: `{"resources": [{"id", "protocol", "reference"}]}`.
#[derive(Deserialize)]
struct RegistryFile {
    resources: Vec<Value>,
}

#[derive(Deserialize)]
struct RegistryRow {
    id: String,
    protocol: String,
    reference: String,
}

impl Definitions {
    /// Adds the rows of a registry in JSON; returns its diagnostics. Of several rows for an id the
    /// first one stands.
    pub fn add_registry(&mut self, origin: &Origin, text: &str) -> Vec<Diagnostic> {
        let mut report = Report::new(self.limits.diagnostics);
        if text.len() > self.limits.file_bytes {
            let limit = self.limits.file_bytes;
            let message = format!("the file has {} bytes, a registry at most {limit}", text.len());
            report.say(codes::DEFINITION_FILE_TOO_LARGE, 0..0, message);
            return report.finish(&origin.file);
        }
        let read: RegistryFile = match serde_json::from_str(text) {
            Ok(read) => read,
            Err(error) => {
                let fault = codes::BAD_REGISTRY_FILE.at(span(0..0), error.to_string());
                report.add(fault.with_help(
                    "write {\"resources\": [{\"id\": …, \"protocol\": …, \"reference\": \"@file://…\"}]}",
                ));
                return report.finish(&origin.file);
            }
        };
        let source = SourceFile::new(origin.file.as_str(), text);
        let mut from = 0;
        for (index, row) in read.resources.into_iter().enumerate() {
            match RegistryRow::deserialize(&row) {
                Ok(row) => {
                    let at = place_of(text, from, &row.reference);
                    from = at.unwrap_or(from);
                    self.add_row(origin, row, (at.unwrap_or(0), &source), &mut report);
                }
                Err(error) => {
                    let written = ["reference", "id", "protocol"].iter().find_map(|name| {
                        place_of(text, from, row.get(name).and_then(Value::as_str)?)
                    });
                    from = written.unwrap_or(from);
                    let message = format!("row {} is left out: {error}", index + 1);
                    let fault = codes::BAD_REGISTRY_FILE.at(span(from..from), message);
                    report.add(Diagnostic { severity: Severity::Warning, ..fault });
                }
            }
        }
        report.finish(&origin.file)
    }

    fn add_row(
        &mut self,
        origin: &Origin,
        row: RegistryRow,
        (at, source): (usize, &SourceFile),
        report: &mut Report,
    ) {
        let protocol = row.protocol.to_ascii_lowercase();
        if let Err(error) = extensible(&protocol) {
            let message = format!("`{}` of `{}`: {error}", row.protocol, row.id);
            report.say(codes::BAD_REGISTRY_FILE, at..at, message);
            return;
        }
        let rows: usize = self.rows.values().map(BTreeMap::len).sum();
        if rows >= self.limits.rows {
            let message = format!("registries have at most {} rows together", self.limits.rows);
            report.say(codes::TOO_MANY_ROWS, at..at, message);
            return;
        }
        let reference = ReferenceBuf::parse(row.reference.as_str());
        if let Err(error) = &reference {
            let message = format!("`{}`: {error}", row.id);
            report.say(codes::BAD_REGISTERED_REFERENCE, at..at, message);
        }
        let line = source.position(u32::try_from(at).unwrap_or(u32::MAX)).line;
        match self.rows.entry(protocol).or_default().entry(row.id) {
            Slot::Vacant(free) => {
                let (reference, origin) = (reference.ok(), origin.clone());
                free.insert(Row { reference, origin, line });
            }
            Slot::Occupied(known) => {
                let first = known.get();
                let (id, there) = (known.key(), format!("{}:{}", first.origin.file, first.line));
                let message = format!("`{id}` is registered twice: {there} stands");
                report.say(codes::REPEATED_REGISTRY_ID, at..at, message);
            }
        }
    }

    /// Lets the ids of a protocol name files by a glob.
    ///
    /// # Errors
    /// [`GlobError`] for a name that can't be a protocol, or can't be extended.
    pub fn add_glob(&mut self, protocol: &str, glob: Glob) -> Result<(), GlobError> {
        let protocol = protocol.to_ascii_lowercase();
        extensible(&protocol)?;
        self.globs.insert(protocol, glob);
        Ok(())
    }

    /// Returns the globs of ids, by protocol.
    pub fn globs(&self) -> impl Iterator<Item = (&str, &Glob)> {
        self.globs.iter().map(|(protocol, glob)| (protocol.as_str(), glob))
    }

    /// Returns the rows of registry files, by protocol and id.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &str, &Row)> {
        self.rows.iter().flat_map(|(protocol, rows)| {
            rows.iter().map(move |(id, row)| (protocol.as_str(), id.as_str(), row))
        })
    }

    /// Reports whether ids of a protocol are found beside elements; the name is in lower case.
    pub(crate) fn extends(&self, protocol: &str) -> bool {
        self.rows.contains_key(protocol)
            || self.globs.contains_key(protocol)
            || self.extensions.contains_key(protocol)
    }

    /// Returns the files that the glob of a protocol names for an id.
    pub(super) fn by_glob(&self, protocol: &str, id: &str) -> Option<(ReferenceBuf, OnlyMatch)> {
        let glob = self.globs.get(protocol)?;
        let reference = glob.of(id)?;
        let (protocol, id, glob) = (protocol.to_owned(), id.to_owned(), glob.pattern.clone());
        Some((reference, OnlyMatch { protocol, id, glob }))
    }

    /// Returns the error of an id that neither a registry file nor a glob has.
    pub(super) fn unregistered(&self, protocol: &str, current: &Reference<'_>) -> ResolveError {
        let rows = self.rows.get(protocol);
        let file = match (rows.and_then(|rows| rows.values().next()), self.globs.get(protocol)) {
            (Some(row), _) => row.origin.file.clone(),
            (None, Some(glob)) => format!("the glob `{}`, whose id is one segment", glob.pattern),
            (None, None) => String::new(),
        };
        let ids = rows.iter().flat_map(|rows| rows.keys()).map(String::as_str);
        let help = match (rows, self.globs.get(protocol)) {
            (None, Some(glob)) => {
                format!("write one segment, which stands for `{ID}` in `{}`", glob.pattern)
            }
            _ => super::error::near_ids(current.path(), ids),
        };
        ResolveError::UnknownId {
            reference: current.public(),
            protocol: protocol.to_owned(),
            id: current.path().to_owned(),
            file,
            help,
        }
    }
}

/// Returns where a text stands in a JSON file, as a string, from an offset on.
fn place_of(text: &str, from: usize, value: &str) -> Option<usize> {
    let written = serde_json::to_string(value).ok()?;
    Some(from + text.get(from..)?.find(&written)?)
}

/// Checks that ids may be added to a protocol.
fn extensible(protocol: &str) -> Result<(), GlobError> {
    if !super::element::is_protocol(protocol) {
        return Err(GlobError::Name);
    }
    let is_free = !RESERVED.contains(&protocol) || EXTENSIBLE.contains(&protocol);
    if is_free { Ok(()) } else { Err(GlobError::Reserved) }
}
