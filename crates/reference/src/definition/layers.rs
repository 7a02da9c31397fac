//! All definitions, by layer (REF-19).

use super::element::{self, Element};
use super::registered::{EXTENSIBLE, Glob, Row};
use super::report::{Report, span};
use super::{Definition, Layer, Limits, Options, Origin, location, params, registry};
use crate::codes;
use contexture_diagnostic::{Diagnostic, SourceFile};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const BUILT_IN: [(&str, &str); 2] = [
    ("thinking.resource.md", include_str!("builtin/thinking.resource.md")),
    ("execution.resource.md", include_str!("builtin/execution.resource.md")),
];

/// The protocols that resource elements define; of each name the one of the latest layer.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    pub(super) known: BTreeMap<String, Arc<Definition>>,
    pub(super) broken: BTreeMap<String, Broken>,
    /// Elements that add a registry to a protocol of Contexture, by its name (MA-2).
    pub(super) extensions: BTreeMap<String, Arc<Definition>>,
    /// Rows of registry files, by protocol and id.
    pub(super) rows: BTreeMap<String, BTreeMap<String, Row>>,
    /// Globs of files, by protocol.
    pub(super) globs: BTreeMap<String, Glob>,
    pub(super) limits: Limits,
}

/// An element with errors: its protocol can't be used.
#[derive(Debug, Clone)]
pub(super) struct Broken {
    pub(super) origin: Origin,
    pub(super) line: u32,
}

impl Definitions {
    /// Returns those that ship with Contexture: `thinking` and `execution`.
    #[must_use]
    pub fn built_in() -> Self {
        let mut definitions = Self::default();
        for (file, text) in BUILT_IN {
            definitions.add(Origin::new(Layer::BuiltIn, file), text, &Options::default());
        }
        definitions
    }

    /// Returns the definition of a protocol; upper and lower case do not matter.
    #[must_use]
    pub fn get(&self, protocol: &str) -> Option<&Arc<Definition>> {
        self.known.get(&protocol.to_ascii_lowercase())
    }

    /// Reports whether an element defines a protocol, rightly or not; the name is in lower case.
    pub(crate) fn has(&self, protocol: &str) -> bool {
        self.known.contains_key(protocol)
            || self.broken.contains_key(protocol)
            || self.extends(protocol)
    }

    /// Returns all definitions, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.known.values()
    }

    /// Returns the names of all protocols that can be used, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let registered = self.rows.keys().chain(self.globs.keys());
        let names: BTreeSet<&str> =
            self.known.keys().chain(registered).map(String::as_str).collect();
        names.into_iter()
    }

    /// Adds the definitions of a file; returns its diagnostics, by place. Files may come
    /// in any order of their layers.
    pub fn add(&mut self, origin: Origin, text: &str, options: &Options) -> Vec<Diagnostic> {
        let limits = &options.limits;
        self.limits = *limits;
        let mut report = Report::new(limits.diagnostics);
        if text.len() > limits.file_bytes {
            let message = format!(
                "the file has {} bytes, a file of definitions has at most {}",
                text.len(),
                limits.file_bytes
            );
            report.say(codes::DEFINITION_FILE_TOO_LARGE, 0..0, message);
            return report.finish(&origin.file);
        }
        let source = SourceFile::new(origin.file.as_str(), text);
        let mut file = File { source: &source, origin: &origin, limits, report: &mut report };
        for element in element::read(text, options.examples, limits, file.report) {
            self.take(&element, &mut file);
        }
        report.finish(&origin.file)
    }

    fn take(&mut self, element: &Element, file: &mut File<'_>) {
        let name = element.protocol.to_ascii_lowercase();
        let place = span(element.place.clone());
        if RESERVED.contains(&name.as_str()) && !extends(&name, element) {
            let message = format!("`{name}` is built in and can't be redefined");
            let fault = codes::RESERVED_PROTOCOL.at(place, message);
            let help = match EXTENSIBLE.contains(&name.as_str()) {
                true => "take another name, or add ids to it: a `<registry>` and nothing else",
                false => "take another name",
            };
            file.report.add(fault.with_help(help));
            return;
        }
        let definition = file.definition(element, &name);
        // A row with an error costs the row; whatever else is wrong costs the definition.
        let Some(definition) = definition.filter(|_| element.is_sound) else {
            let line = file.line(element.place.start);
            // A protocol of ours goes on without what would extend it.
            if RESERVED.contains(&name.as_str()) {
                return;
            }
            self.mark_broken(name, Broken { origin: file.origin.clone(), line });
            return;
        };
        if RESERVED.contains(&name.as_str()) {
            let known = self.extensions.entry(name);
            let known = known.or_insert_with(|| Arc::new(definition.clone()));
            if known.origin.layer < definition.origin.layer {
                *known = Arc::new(definition);
            }
            return;
        }
        self.insert(definition, element, file);
    }

    /// Remembers the broken definition of the latest layer.
    fn mark_broken(&mut self, name: String, broken: Broken) {
        let is_later = |known: &Broken| known.origin.layer < broken.origin.layer;
        if self.broken.get(&name).is_none_or(is_later) {
            self.broken.insert(name, broken);
        }
    }

    fn insert(&mut self, definition: Definition, element: &Element, file: &mut File<'_>) {
        let place = span(element.place.clone());
        let name = definition.name.clone();
        let Some(known) = self.known.get(&name) else {
            if self.known.len() >= self.limits.definitions {
                let message = format!("there are at most {} definitions", self.limits.definitions);
                file.report.add(codes::TOO_MANY_RESOURCES.at(place, message));
                return;
            }
            self.known.insert(name, Arc::new(definition));
            return;
        };
        let (layer, other) = (definition.origin.layer, known.origin.layer);
        let there = format!("{}:{} ({other})", known.origin.file, known.line);
        if layer == other {
            let message = format!("`{name}` is defined twice: first in {there}");
            let fault = codes::DUPLICATE_PROTOCOL.at(place, message);
            file.report.add(fault.with_help("the first one stands; remove or rename this one"));
            return;
        }
        let is_above = layer > other;
        let message = match is_above {
            true => {
                format!("`{name}` of {} ({layer}) takes the place of {there}", file.origin.file)
            }
            false => format!("`{name}` of {} ({layer}) gives way to {there}", file.origin.file),
        };
        file.report.add(codes::SHADOWED_PROTOCOL.at(place, message));
        if is_above {
            self.known.insert(name, Arc::new(definition));
        }
    }
}

/// Reports whether an element adds ids to a protocol of Contexture and changes nothing else of it.
fn extends(name: &str, element: &Element) -> bool {
    let body = &element.body;
    EXTENSIBLE.contains(&name)
        && body.registry.is_some()
        && body.location.is_none()
        && body.params.is_none()
}

struct File<'a> {
    source: &'a SourceFile,
    origin: &'a Origin,
    limits: &'a Limits,
    report: &'a mut Report,
}

impl File<'_> {
    fn line(&self, at: usize) -> u32 {
        self.source.position(u32::try_from(at).unwrap_or(u32::MAX)).line
    }

    /// Returns what an element defines; none when its rules are wrong.
    fn definition(&mut self, element: &Element, name: &str) -> Option<Definition> {
        let text = self.source.text();
        let body = &element.body;
        let before = self.report.errors();
        let part = body.location.clone();
        let location = part.and_then(|part| location::read(text, part, self.limits, self.report));
        let is_wrong = self.report.errors() > before;
        let rows = self.limits.rows;
        let parameters = body.params.clone();
        let parameters =
            parameters.map(|part| params::read(text, part, rows, self.report)).unwrap_or_default();
        let registry = body.registry.clone().map(|part| {
            let source = self.source;
            let line_of = |at| source.position(u32::try_from(at).unwrap_or(u32::MAX)).line;
            registry::read(text, part, name, rows, line_of, self.report)
        });
        let definition = Definition {
            name: name.to_owned(),
            written: element.protocol.clone(),
            origin: self.origin.clone(),
            line: self.line(element.place.start),
            description: body.description.clone(),
            location_line: location.as_ref().map(|location| self.line(location.start())),
            location,
            parameters,
            registry,
        };
        self.check_ids(&definition);
        (!is_wrong).then_some(definition)
    }

    /// Ids that the rules of the location do not allow can never be named.
    fn check_ids(&mut self, definition: &Definition) {
        let rows = definition.registry.iter().flat_map(|registry| registry.entries());
        for (id, entry) in rows.filter(|(_, entry)| !entry.is_pattern()) {
            if let Err(mismatch) = definition.check_path(id) {
                let message = format!("`{id}` does not follow the location: {mismatch}");
                self.report.say(codes::ID_OUTSIDE_LOCATION, entry.start..entry.start, message);
            }
        }
    }
}

/// The protocols and processors that are built in; no definition can take their place (REF-19).
pub const RESERVED: &[&str] = &[
    "base64",
    "context",
    "env",
    "expand",
    "file",
    "ftp",
    "http",
    "https",
    "json",
    "knowledge",
    "lines",
    "markdown",
    "memory",
    "sftp",
    "ssh",
    "template",
    "text",
    "yaml",
];
