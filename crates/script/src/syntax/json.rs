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

use super::ast::{
    Accessor, Agent, Alternative, AssignOp, BestNode, BinaryOp, Block, BoundKind, BoundNode,
    BudgetNode, Candidate, Config, ConfigKind, Expr, ExprKind, FieldNode, File, Func, Import,
    ImportKind, Item, Name, Param, SelectedNode, ShapeDecl, ShapeKind, ShapeNode, Statement,
    StatementKind, Target, Text, UnaryOp, Use, UseSource,
};
use crate::stack::deeper;
use contexture_context::{Keep, Measure};
use contexture_diagnostic::{SourceFile, Span};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

/// The tree of a file, ready to be serialised.
#[derive(Debug, Clone, Copy)]
pub struct Tree<'a> {
    file: &'a File,
    source: &'a SourceFile,
}

/// Returns the tree of a file, ready to be serialised.
#[must_use]
pub fn tree<'a>(file: &'a File, source: &'a SourceFile) -> Tree<'a> {
    Tree { file, source }
}

/// Returns the tree of a file as a value; use [`tree`] for large ones.
#[must_use]
pub fn to_json(file: &File, source: &SourceFile) -> Value {
    serde_json::to_value(tree(file, source)).unwrap_or_default()
}

/// Returns an expression as a value.
#[must_use]
pub fn expression_to_json(expr: &Expr, source: &SourceFile) -> Value {
    serde_json::to_value(At(expr, source)).unwrap_or_default()
}

/// Returns a span as a value, in lines and columns.
#[must_use]
pub fn span_to_json(span: Span, source: &SourceFile) -> Value {
    serde_json::to_value(At(&span, source)).unwrap_or_default()
}

/// A part of the tree with its source, which serde's derives can't pass on and every span needs.
struct At<'a, T: ?Sized>(&'a T, &'a SourceFile);

macro_rules! object {
    ($out:expr, $source:expr, $($name:literal: $part:expr),+ $(,)?) => {{
        let mut map = $out.serialize_map(None)?;
        $(map.serialize_entry($name, &At($part, $source))?;)+
        map.end()
    }};
}

/// Implements [`Serialize`] for nodes that are their fields, with the value of `type` before them
/// and the span behind them.
macro_rules! nodes {
    ($($Type:ident $kind:literal { $($name:literal: $field:ident),* })*) => {$(
        impl Serialize for At<'_, $Type> {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                let At(node, source) = *self;
                object!(out, source, "type": $kind, $($name: &node.$field,)* "span": &node.span)
            }
        }
    )*};
}

nodes! {
    Name "Name" { "text": text }
    Text "Text" { "value": value }
    Import "Import" { "kind": kind, "name": name, "from": from, "or": or }
    Alternative "Alternative" { "from": from, "equal": equal }
    Agent "Agent" { "main": main, "name": name, "items": items }
    ShapeDecl "ShapeDecl" { "name": name, "shape": shape, "doc": doc }
    Target "Target" { "base": base, "path": path }
    FieldNode "Field" {
        "name": name, "optional": optional, "shape": shape, "description": description
    }
}

/// Implements [`Serialize`] for values that JSON has.
macro_rules! values {
    ($($Type:ty)*) => {$(
        impl Serialize for At<'_, $Type> {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(out)
            }
        }
    )*};
}

values! { bool u32 i64 u64 f64 str String serde_json::Number }

/// Implements [`Serialize`] for enums that are one word.
macro_rules! words {
    ($($Type:ident { $($Variant:ident $word:literal)* })*) => {$(
        impl Serialize for At<'_, $Type> {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str(match self.0 { $($Type::$Variant => $word,)* })
            }
        }
    )*};
}

words! {
    ImportKind {
        Llm "llm" Tool "tool" Memory "memory" File "file" Agent "agent" Knowledge "knowledge"
        Resource "resource" Template "template" Shape "shape" Func "func"
    }
    AssignOp { Set "=" Add "+=" Subtract "-=" }
    UnaryOp { Negate "-" Not "not" }
    BinaryOp {
        Or "or" And "and" Equal "==" NotEqual "!=" Less "<" LessEqual "<=" Greater ">"
        GreaterEqual ">=" Add "+" Subtract "-" Multiply "*" Divide "/" Remainder "%"
    }
    Measure { Tokens "tokens" Chars "chars" }
    Keep { Head "head" Tail "tail" Middle "middle" }
}

impl<'a, T> Serialize for At<'a, Vec<T>>
where
    At<'a, T>: Serialize,
{
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut list = out.serialize_seq(Some(self.0.len()))?;
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
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(part) => At(part, self.1).serialize(out),
            None => out.serialize_none(),
        }
    }
}

impl<'a, T> Serialize for At<'a, Box<T>>
where
    At<'a, T>: Serialize,
{
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        At(&**self.0, self.1).serialize(out)
    }
}

/// A clause of a `use`, without its place.
impl<'a, T> Serialize for At<'a, (T, Span)>
where
    At<'a, T>: Serialize,
{
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        At(&self.0.0, self.1).serialize(out)
    }
}

impl Serialize for At<'_, Span> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let (start, end) = (self.1.position(self.0.start), self.1.position(self.0.end));
        object!(
            out, self.1, "line": &start.line, "column": &start.column, "end_line": &end.line,
            "end_column": &end.column,
        )
    }
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let end = u32::try_from(self.source.text().len()).unwrap_or(u32::MAX);
        let (items, span) = (&self.file.items, Span::new(0, end));
        object!(out, self.source, "type": "File", "items": items, "span": &span)
    }
}

impl Serialize for At<'_, Item> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Item::Import(import) => At(import, self.1).serialize(out),
            Item::Agent(agent) => At(agent, self.1).serialize(out),
            Item::Func(func) => At(func, self.1).serialize(out),
            Item::Shape(decl) => At(decl, self.1).serialize(out),
            Item::Config(config) => At(config, self.1).serialize(out),
            Item::Use(used) => At(used, self.1).serialize(out),
        }
    }
}

impl Serialize for At<'_, Param> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(Param { name, shape }, source) = *self;
        let span = name.span.to(shape.as_ref().map_or(name.span, |shape| shape.span));
        object!(out, source, "type": "Param", "name": name, "shape": shape, "span": &span)
    }
}

impl Serialize for At<'_, Config> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(Config { kind, span }, source) = *self;
        let (word, text) = match kind {
            ConfigKind::Model(name) => {
                return object!(out, source, "type": "Model", "name": name, "span": span);
            }
            ConfigKind::Policy { class, verdict } => {
                return object!(
                    out, source, "type": "Policy", "class": class, "verdict": verdict, "span": span
                );
            }
            ConfigKind::Role(text) => ("Role", text),
            ConfigKind::Description(text) => ("Description", text),
        };
        match &text.kind {
            ExprKind::Str(value) => {
                let text = Text { value: value.clone(), span: text.span };
                object!(out, source, "type": word, "text": &text, "span": span)
            }
            _ => object!(out, source, "type": word, "value": text, "span": span),
        }
    }
}

impl Serialize for At<'_, Block> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(Block { statements, span }, source) = *self;
        deeper(|| object!(out, source, "type": "Block", "statements": statements, "span": span))
    }
}

impl Serialize for At<'_, Statement> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(Statement { kind, span }, source) = *self;
        macro_rules! node {
            ($kind:literal $($part:tt)*) => {
                object!(out, source, "type": $kind, $($part)* "span": span)
            };
        }
        match kind {
            StatementKind::Assign { target, op, value } => {
                node!("Assign" "target": target, "op": op, "value": value,)
            }
            StatementKind::Return(value) => node!("Return" "value": value,),
            StatementKind::If { arms, otherwise } => {
                node!("If" "arms": arms, "else": otherwise,)
            }
            StatementKind::Loop { until, max, body } => {
                node!("Loop" "until": until, "max": max, "body": body,)
            }
            StatementKind::Repeat { count, body } => {
                node!("Repeat" "count": count, "body": body,)
            }
            StatementKind::For(each) => {
                node!("For" "variable": &each.variable, "list": &each.list, "max": &each.max,
                    "body": &each.body,)
            }
            StatementKind::Expr(value) => node!("Expression" "value": value,),
            StatementKind::Use(used) => At(used, source).serialize(out),
            StatementKind::Config(config) => At(config, source).serialize(out),
            StatementKind::Error => node!("Error"),
        }
    }
}

/// A branch of an `if`.
impl Serialize for At<'_, (Expr, Block)> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        object!(out, self.1, "condition": &self.0.0, "block": &self.0.1)
    }
}

impl Serialize for At<'_, Accessor> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Accessor::Field(name) => object!(out, self.1, "field": name),
            Accessor::Index(index) => object!(out, self.1, "index": index),
        }
    }
}

impl Serialize for At<'_, Use> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(used, source) = *self;
        let mut map = out.serialize_map(None)?;
        map.serialize_entry("type", "Use")?;
        let (expr, candidates) = match &used.source {
            UseSource::Expr(expr) => (Some(At(expr, source)), None),
            UseSource::OneOf(candidates) => (None, Some(At(candidates, source))),
        };
        map.serialize_entry("source", &expr)?;
        map.serialize_entry("one_of", &candidates)?;
        if let Some(best) = &used.best {
            map.serialize_entry("best", &At(best, source))?;
        }
        map.serialize_entry("max", &At(&used.max, source))?;
        map.serialize_entry("keep", &At(&used.keep, source))?;
        if !used.keep_or.is_empty() {
            map.serialize_entry("keep_or", &used.keep_or)?;
        }
        map.serialize_entry("priority", &At(&used.priority, source))?;
        let question = used.question.as_deref().map(|question| At(question, source));
        map.serialize_entry("for", &question)?;
        if let Some(selected) = &used.selected {
            map.serialize_entry("selected", &At(selected, source))?;
        }
        map.serialize_entry("label", &At(&used.label, source))?;
        map.serialize_entry("span", &At(&used.span, source))?;
        map.end()
    }
}

impl Serialize for At<'_, BestNode> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(BestNode { limit, low, span }, source) = *self;
        object!(out, source, "type": "Best", "low": low, "limit": limit, "span": span)
    }
}

impl Serialize for At<'_, SelectedNode> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(SelectedNode { best, max, keep, span }, source) = *self;
        object!(out, source, "type": "Selected", "best": best, "max": max, "keep": keep, "span": span)
    }
}

impl Serialize for At<'_, BudgetNode> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(BudgetNode { limit, low, measure, span, .. }, source) = *self;
        let mut map = out.serialize_map(None)?;
        map.serialize_entry("type", "Budget")?;
        if let Some(low) = low {
            map.serialize_entry("low", low)?;
        }
        map.serialize_entry("limit", limit)?;
        map.serialize_entry("measure", &At(measure, source))?;
        map.serialize_entry("span", &At(span, source))?;
        map.end()
    }
}

impl Serialize for At<'_, Candidate> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(Candidate { name, source: shown, max, keep, selected, span }, source) = *self;
        object!(
            out, source, "type": "Candidate", "name": name, "source": shown, "max": max,
            "keep": keep, "selected": &selected.is_some(), "span": span,
        )
    }
}

impl Serialize for At<'_, Expr> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        deeper(|| expression(self, out))
    }
}

fn expression<S: Serializer>(expr: &At<'_, Expr>, out: S) -> Result<S::Ok, S::Error> {
    let At(Expr { kind, span }, source) = *expr;
    macro_rules! node {
        ($kind:literal $($part:tt)*) => {
            object!(out, source, "type": $kind, $($part)* "span": span)
        };
    }
    match kind {
        ExprKind::None => node!("None"),
        ExprKind::Bool(value) => node!("Bool" "value": value,),
        ExprKind::Int(value) => node!("Int" "value": value,),
        ExprKind::Float(value) => node!("Float" "value": value,),
        ExprKind::Str(value) => node!("Str" "value": value,),
        ExprKind::Interpolation(parts) => node!("Interpolation" "parts": parts,),
        ExprKind::List(items) => node!("List" "items": items,),
        ExprKind::Object(fields) => node!("Object" "fields": fields,),
        ExprKind::Name(name) => node!("Variable" "name": name,),
        ExprKind::Paren(inner) => node!("Paren" "inner": inner,),
        ExprKind::Unary { op, operand } => node!("Unary" "op": op, "operand": operand,),
        ExprKind::Binary { op, left, right, .. } => {
            node!("Binary" "op": op, "left": left, "right": right,)
        }
        ExprKind::Field { base, name } => node!("Field" "base": base, "name": name,),
        ExprKind::Index { base, index } => node!("Index" "base": base, "index": index,),
        ExprKind::Call { callee, arguments } => {
            node!("Call" "callee": callee, "arguments": arguments,)
        }
        ExprKind::Generate(call) => {
            node!("Generate" "options": &call.options, "shape": &call.shape,)
        }
        ExprKind::ParallelFor(each) => {
            node!("ParallelFor" "variable": &each.variable, "list": &each.list,
                "max": &each.max, "body": &each.body,)
        }
        ExprKind::Try { body, error, handler } => {
            node!("Try" "body": body, "error": error, "else": handler,)
        }
        ExprKind::Error => node!("Error"),
    }
}

/// A field of an object.
impl Serialize for At<'_, (Text, Expr)> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        object!(out, self.1, "key": &self.0.0, "value": &self.0.1)
    }
}

/// A function; the shape of its result only where one is declared.
impl Serialize for At<'_, Func> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(Func { main, name, params, result, body, span, doc: _, is_script: _ }, source) =
            *self;
        if result.is_some() {
            object!(out, source, "type": "Func", "main": main, "name": name, "params": params,
                "result": result, "body": body, "span": span)
        } else {
            object!(out, source, "type": "Func", "main": main, "name": name, "params": params,
                "body": body, "span": span)
        }
    }
}

impl Serialize for At<'_, BoundNode> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(BoundNode { kind, span }, source) = *self;
        match kind {
            BoundKind::Min(number) => {
                object!(out, source, "bound": "min", "value": number, "span": span)
            }
            BoundKind::Max(number) => {
                object!(out, source, "bound": "max", "value": number, "span": span)
            }
            BoundKind::Length(least, most) => {
                object!(out, source, "bound": "length", "least": least, "most": most, "span": span)
            }
            BoundKind::Pattern(text) => {
                object!(out, source, "bound": "pattern", "value": &text.value, "span": span)
            }
        }
    }
}

impl Serialize for At<'_, ShapeNode> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let At(ShapeNode { kind, bounds, span }, source) = *self;
        macro_rules! node {
            ($kind:literal $($part:tt)*) => {
                if bounds.is_empty() {
                    object!(out, source, "type": "Shape", "shape": $kind, $($part)* "span": span)
                } else {
                    object!(out, source, "type": "Shape", "shape": $kind, $($part)*
                        "bounds": bounds, "span": span)
                }
            };
        }
        match kind {
            ShapeKind::String => node!("string"),
            ShapeKind::Number => node!("number"),
            ShapeKind::Integer => node!("integer"),
            ShapeKind::Boolean => node!("boolean"),
            ShapeKind::Json => node!("json"),
            ShapeKind::List(item) => node!("list" "item": item,),
            ShapeKind::Object(fields) => node!("object" "fields": fields,),
            ShapeKind::Enum(values) => {
                let words: Vec<String> = values.iter().map(|text| text.value.clone()).collect();
                node!("enum" "values": &words,)
            }
            ShapeKind::Named(name) => node!("named" "name": &name.text,),
            ShapeKind::Error => node!("error"),
        }
    }
}
