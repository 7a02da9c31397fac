//! The tree as JSON, for `contexture parse` and for tools in other languages (AS-31).
//!
//! Every node is an object with a `type`, its parts by name and a `span` with `line`, `column`,
//! `end_line` and `end_column`, counted from 1, columns in characters.

mod expression;
mod statement;

use super::ast::{
    Agent, Config, ConfigKind, File, Func, Import, ImportKind, Item, Name, Param, ShapeKind,
    ShapeNode, Text,
};
use contexture_diagnostic::{SourceFile, Span};
use expression::put;
use serde_json::{Map, Value, json};

/// The tree of a file as JSON.
#[must_use]
pub fn to_json(file: &File, source: &SourceFile) -> Value {
    let writer = Writer { source };
    let end = u32::try_from(source.text().len()).unwrap_or(u32::MAX);
    let items = writer.items(&file.items);
    writer.node("File", Span::new(0, end), json!({ "items": items }))
}

/// An expression as JSON.
#[must_use]
pub fn expression_to_json(expr: &super::ast::Expr, source: &SourceFile) -> Value {
    Writer { source }.expr(expr)
}

/// A span as JSON, in lines and columns.
#[must_use]
pub fn span_to_json(span: Span, source: &SourceFile) -> Value {
    let (start, end) = (source.position(span.start), source.position(span.end));
    json!({
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    })
}

struct Writer<'a> {
    source: &'a SourceFile,
}

impl Writer<'_> {
    /// `parts` must be an object; `type` goes before and `span` behind them.
    fn node(&self, kind: &str, span: Span, parts: Value) -> Value {
        let parts = if let Value::Object(parts) = parts { parts } else { Map::new() };
        self.finish(kind, span, parts)
    }

    fn finish(&self, kind: &str, span: Span, parts: Map<String, Value>) -> Value {
        let mut node = Map::with_capacity(parts.len() + 2);
        node.insert("type".to_owned(), kind.into());
        node.extend(parts);
        node.insert("span".to_owned(), span_to_json(span, self.source));
        Value::Object(node)
    }

    fn name(&self, name: &Name) -> Value {
        self.node("Name", name.span, json!({ "text": name.text }))
    }

    fn text(&self, text: &Text) -> Value {
        self.node("Text", text.span, json!({ "value": text.value }))
    }

    fn items(&self, items: &[Item]) -> Vec<Value> {
        items.iter().map(|item| self.item(item)).collect()
    }

    fn item(&self, item: &Item) -> Value {
        match item {
            Item::Import(import) => self.import(import),
            Item::Agent(agent) => self.agent(agent),
            Item::Func(func) => self.func(func),
            Item::Config(config) => self.config(config),
            Item::Use(used) => self.used(used),
        }
    }

    fn import(&self, import: &Import) -> Value {
        let kind = match import.kind {
            ImportKind::Llm => "llm",
            ImportKind::Tool => "tool",
            ImportKind::Memory => "memory",
            ImportKind::File => "file",
            ImportKind::Agent => "agent",
            ImportKind::Knowledge => "knowledge",
            ImportKind::Resource => "resource",
            ImportKind::Template => "template",
        };
        let (name, from) = (self.name(&import.name), self.text(&import.from));
        self.node("Import", import.span, json!({ "kind": kind, "name": name, "from": from }))
    }

    fn agent(&self, agent: &Agent) -> Value {
        let name = agent.name.as_ref().map(|name| self.name(name));
        let items = self.items(&agent.items);
        self.node("Agent", agent.span, json!({ "main": agent.main, "name": name, "items": items }))
    }

    fn func(&self, func: &Func) -> Value {
        let name = func.name.as_ref().map(|name| self.name(name));
        let params: Vec<Value> = func.params.iter().map(|param| self.param(param)).collect();
        let body = self.block(&func.body);
        let parts = json!({ "main": func.main, "name": name, "params": params, "body": body });
        self.node("Func", func.span, parts)
    }

    fn param(&self, param: &Param) -> Value {
        let shape = param.shape.as_ref().map(|shape| self.shape(shape));
        let end = param.shape.as_ref().map_or(param.name.span, |shape| shape.span);
        let parts = json!({ "name": self.name(&param.name), "shape": shape });
        self.node("Param", param.name.span.to(end), parts)
    }

    fn config(&self, config: &Config) -> Value {
        match &config.kind {
            ConfigKind::Model(name) => {
                self.node("Model", config.span, json!({ "name": self.name(name) }))
            }
            ConfigKind::Role(text) => {
                self.node("Role", config.span, json!({ "text": self.text(text) }))
            }
            ConfigKind::Description(text) => {
                self.node("Description", config.span, json!({ "text": self.text(text) }))
            }
        }
    }

    fn shape(&self, shape: &ShapeNode) -> Value {
        let mut node = Map::new();
        let kind = match &shape.kind {
            ShapeKind::String => "string",
            ShapeKind::Number => "number",
            ShapeKind::Integer => "integer",
            ShapeKind::Boolean => "boolean",
            ShapeKind::Json => "json",
            ShapeKind::Error => "error",
            ShapeKind::List(_) => "list",
            ShapeKind::Object(_) => "object",
            ShapeKind::Enum(_) => "enum",
        };
        put(&mut node, "", "shape", kind.into());
        self.shape_parts(&shape.kind, &mut node);
        self.finish("Shape", shape.span, node)
    }

    fn shape_parts(&self, kind: &ShapeKind, node: &mut Map<String, Value>) {
        match kind {
            ShapeKind::List(item) => {
                let item = item.as_ref().map_or(Value::Null, |item| self.shape(item));
                put(node, "", "item", item);
            }
            ShapeKind::Object(fields) => {
                let fields = fields.iter().map(|field| self.shape_field(field)).collect();
                put(node, "", "fields", Value::Array(fields));
            }
            ShapeKind::Enum(values) => {
                let values = values.iter().map(|text| text.value.as_str().into()).collect();
                put(node, "", "values", Value::Array(values));
            }
            _ => {}
        }
    }

    fn shape_field(&self, field: &super::ast::FieldNode) -> Value {
        let mut node = Map::new();
        put(&mut node, "", "name", self.name(&field.name));
        put(&mut node, "", "optional", field.optional.into());
        put(
            &mut node,
            "",
            "shape",
            field.shape.as_ref().map_or(Value::Null, |shape| self.shape(shape)),
        );
        put(&mut node, "", "description", field.description.as_deref().into());
        self.finish("Field", field.span, node)
    }
}
