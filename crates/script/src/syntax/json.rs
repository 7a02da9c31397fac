//! The tree as JSON, for `contexture parse` and for tools in other languages (AS-31).
//!
//! Every node is an object with a `type`, its parts by name and a `span` with `line`, `column`,
//! `end_line` and `end_column`, counted from 1, columns in characters.
//!
//! Decision: the tree is serialised as it is walked, so that a tree of megabytes can be written
//! without a second one in memory; [`to_json`] makes a value of it where that is wanted.
//!
//! ```
//! use contexture_context::Limits;
//! use contexture_diagnostic::SourceFile;
//! use contexture_script::syntax::{json, parse};
//!
//! let source = SourceFile::new("a.as", "role \"a reader\"");
//! let parsed = parse(&source, &Limits::default());
//! let text = serde_json::to_string(&json::tree(&parsed.file, &source)).unwrap();
//! assert!(text.starts_with(r#"{"type":"File","items":[{"type":"Role","text":"#));
//! ```

mod expression;
mod shape;
mod statement;

use super::ast::{
    Agent, Config, ConfigKind, Expr, File, Func, Import, ImportKind, Item, Name, Param, Text,
};
use contexture_diagnostic::{SourceFile, Span};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

/// The tree of a file, ready to be serialised.
#[derive(Debug, Clone, Copy)]
pub struct Tree<'a> {
    file: &'a File,
    source: &'a SourceFile,
}

/// The tree of a file, ready to be serialised.
#[must_use]
pub fn tree<'a>(file: &'a File, source: &'a SourceFile) -> Tree<'a> {
    Tree { file, source }
}

/// The tree of a file as a value; see [`tree`] for large ones.
#[must_use]
pub fn to_json(file: &File, source: &SourceFile) -> Value {
    serde_json::to_value(tree(file, source)).unwrap_or_default()
}

/// An expression as a value.
#[must_use]
pub fn expression_to_json(expr: &Expr, source: &SourceFile) -> Value {
    serde_json::to_value(At(expr, source)).unwrap_or_default()
}

/// A span as a value, in lines and columns.
#[must_use]
pub fn span_to_json(span: Span, source: &SourceFile) -> Value {
    serde_json::to_value(At(&span, source)).unwrap_or_default()
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let end = u32::try_from(self.source.text().len()).unwrap_or(u32::MAX);
        let mut map = begin(serializer, "File")?;
        map.serialize_entry("items", &At(self.file.items.as_slice(), self.source))?;
        finish(map, Span::new(0, end), self.source)
    }
}

/// A part of the tree with the source that its places are in.
struct At<'a, T: ?Sized>(&'a T, &'a SourceFile);

fn begin<S: Serializer>(serializer: S, kind: &str) -> Result<S::SerializeMap, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("type", kind)?;
    Ok(map)
}

fn finish<M: SerializeMap>(mut map: M, span: Span, source: &SourceFile) -> Result<M::Ok, M::Error> {
    map.serialize_entry("span", &At(&span, source))?;
    map.end()
}

impl Serialize for At<'_, Span> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (start, end) = (self.1.position(self.0.start), self.1.position(self.0.end));
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("line", &start.line)?;
        map.serialize_entry("column", &start.column)?;
        map.serialize_entry("end_line", &end.line)?;
        map.serialize_entry("end_column", &end.column)?;
        map.end()
    }
}

impl<'a, T> Serialize for At<'a, [T]>
where
    At<'a, T>: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for item in self.0 {
            list.serialize_element(&At(item, self.1))?;
        }
        list.end()
    }
}

impl<'a, T> Serialize for At<'a, Option<T>>
where
    At<'a, T>: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(part) => At(part, self.1).serialize(serializer),
            None => serializer.serialize_none(),
        }
    }
}

impl Serialize for At<'_, Name> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, "Name")?;
        map.serialize_entry("text", &self.0.text)?;
        finish(map, self.0.span, self.1)
    }
}

impl Serialize for At<'_, Text> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, "Text")?;
        map.serialize_entry("value", &self.0.value)?;
        finish(map, self.0.span, self.1)
    }
}

impl Serialize for At<'_, Item> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Item::Import(import) => At(import, self.1).serialize(serializer),
            Item::Agent(agent) => At(agent, self.1).serialize(serializer),
            Item::Func(func) => At(func, self.1).serialize(serializer),
            Item::Config(config) => At(config, self.1).serialize(serializer),
            Item::Use(used) => At(used, self.1).serialize(serializer),
        }
    }
}

impl Serialize for At<'_, Import> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kind = match self.0.kind {
            ImportKind::Llm => "llm",
            ImportKind::Tool => "tool",
            ImportKind::Memory => "memory",
            ImportKind::File => "file",
            ImportKind::Agent => "agent",
            ImportKind::Knowledge => "knowledge",
            ImportKind::Resource => "resource",
            ImportKind::Template => "template",
        };
        let mut map = begin(serializer, "Import")?;
        map.serialize_entry("kind", kind)?;
        map.serialize_entry("name", &At(&self.0.name, self.1))?;
        map.serialize_entry("from", &At(&self.0.from, self.1))?;
        finish(map, self.0.span, self.1)
    }
}

impl Serialize for At<'_, Agent> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, "Agent")?;
        map.serialize_entry("main", &self.0.main)?;
        map.serialize_entry("name", &At(&self.0.name, self.1))?;
        map.serialize_entry("items", &At(self.0.items.as_slice(), self.1))?;
        finish(map, self.0.span, self.1)
    }
}

impl Serialize for At<'_, Func> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, "Func")?;
        map.serialize_entry("main", &self.0.main)?;
        map.serialize_entry("name", &At(&self.0.name, self.1))?;
        map.serialize_entry("params", &At(self.0.params.as_slice(), self.1))?;
        map.serialize_entry("body", &At(&self.0.body, self.1))?;
        finish(map, self.0.span, self.1)
    }
}

impl Serialize for At<'_, Param> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = self.0.name.span;
        let end = self.0.shape.as_ref().map_or(own, |shape| shape.span);
        let mut map = begin(serializer, "Param")?;
        map.serialize_entry("name", &At(&self.0.name, self.1))?;
        map.serialize_entry("shape", &At(&self.0.shape, self.1))?;
        finish(map, own.to(end), self.1)
    }
}

impl Serialize for At<'_, Config> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kind = match &self.0.kind {
            ConfigKind::Model(_) => "Model",
            ConfigKind::Role(_) => "Role",
            ConfigKind::Description(_) => "Description",
        };
        let mut map = begin(serializer, kind)?;
        match &self.0.kind {
            ConfigKind::Model(name) => map.serialize_entry("name", &At(name, self.1))?,
            ConfigKind::Role(text) | ConfigKind::Description(text) => {
                map.serialize_entry("text", &At(text, self.1))?;
            }
        }
        finish(map, self.0.span, self.1)
    }
}
