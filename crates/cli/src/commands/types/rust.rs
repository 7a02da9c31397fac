//! Clients in Rust.
//!
//! Decision: how JSON is sent is left to the caller, so that a client needs serde and `serde_json`
//! alone, and goes with every library for HTTP.

use super::model::{Argument, Call, Model, Style, TypeDef};
use super::names::{Names, comment, pascal};
use crate::prelude::*;
use contexture::answer::{Field, Shape};
use contexture::script::semantic::interface::Interface;

const STYLE: Style = Style {
    types: &[
        "Box",
        "CallError",
        "Client",
        "Deserialize",
        "Err",
        "Error",
        "Fn",
        "FnMut",
        "From",
        "None",
        "Ok",
        "Option",
        "Result",
        "Self",
        "Serialize",
        "Some",
        "String",
        "Value",
        "Vec",
        "bool",
        "f64",
        "i64",
        "str",
        "u64",
    ],
    calls: RESERVED,
    is_snake: true,
    names_words: true,
};

/// The reserved words of the language.
const RESERVED: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "call", "const",
    "continue", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for",
    "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "new",
    "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while",
    "yield",
];

const DERIVE: &str = "#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]\n";

pub(super) fn client(interface: &Interface, file: &str) -> String {
    let model = Model::of(interface, &STYLE);
    let mut text = format!("// A client of {file}, written by `contexture types`.\n");
    text.push_str("use serde::{Deserialize, Serialize};\nuse serde_json::{Value, json};\n");
    model.types.iter().for_each(|own| text.push_str(&definition(own)));
    text.push_str(include_str!("client.rs.txt"));
    model.calls.iter().for_each(|call| text.push_str(&method(call)));
    text + "}\n"
}

fn definition(own: &TypeDef) -> String {
    let head = format!("\n{}{DERIVE}", comment(own.doc.as_deref(), "///"));
    let name = &own.name;
    match &own.shape {
        Shape::Object(fields) => {
            let mut names = Names::new(RESERVED);
            let fields: String = fields.iter().map(|own| field(own, &mut names)).collect();
            format!("{head}pub struct {name} {{\n{fields}}}\n")
        }
        Shape::Enum(words) => {
            let mut names = Names::new(RESERVED);
            let variant = |word: &String| {
                let own = names.take(&pascal(word));
                format!("    #[serde(rename = {word:?})]\n    {own},\n")
            };
            let variants: String = words.iter().map(variant).collect();
            format!("{head}pub enum {name} {{\n{variants}}}\n")
        }
        // Not an alias: it may contain itself.
        plain => format!("{head}#[serde(transparent)]\npub struct {name}(pub {});\n", of(plain)),
    }
}

fn field(field: &Field, names: &mut Names) -> String {
    let name = names.take(&field.name);
    let mut text = comment(field.description.as_deref(), "    ///");
    if name != field.name {
        let _ = writeln!(text, "    #[serde(rename = {:?})]", field.name);
    }
    let mut own = of(&field.shape);
    if field.optional {
        // In a box, since it may contain the object.
        let boxed = matches!(field.shape, Shape::Named(_));
        own = if boxed { format!("Option<Box<{own}>>") } else { format!("Option<{own}>") };
        text.push_str("    #[serde(default, skip_serializing_if = \"Option::is_none\")]\n");
    }
    text + &format!("    pub {name}: {own},\n")
}

fn method(call: &Call) -> String {
    let taken = |own: &Argument| format!(", {}: &{}", own.name, borrowed(&own.shape));
    let taken: String = call.arguments.iter().map(taken).collect();
    let given = match call.arguments.first().filter(|_| call.is_whole) {
        Some(whole) => format!("json!({})", whole.name),
        None => {
            let given = call.arguments.iter().map(|own| format!("{:?}: {}", own.key, own.name));
            format!("json!({{ {} }})", given.collect::<Vec<_>>().join(", "))
        }
    };
    let result = of(&call.result);
    let result = if call.may_be_none { format!("Option<{result}>") } else { result };
    format!(
        "\n{}    pub fn {}(&mut self{taken}) -> Result<{result}, CallError> {{\n        self.call({:?}, {given})\n    }}\n",
        comment(call.doc.as_deref(), "    ///"),
        call.name,
        call.action,
    )
}

fn borrowed(shape: &Shape) -> String {
    match shape {
        Shape::String => "str".to_owned(),
        Shape::List(None) => "[Value]".to_owned(),
        Shape::List(Some(item)) => format!("[{}]", of(item)),
        plain => of(plain),
    }
}

fn of(shape: &Shape) -> String {
    match shape {
        Shape::String => "String".to_owned(),
        Shape::Number => "f64".to_owned(),
        Shape::Integer => "i64".to_owned(),
        Shape::Boolean => "bool".to_owned(),
        Shape::List(None) => "Vec<Value>".to_owned(),
        Shape::List(Some(item)) => format!("Vec<{}>", of(item)),
        Shape::Named(name) => name.clone(),
        _ => "Value".to_owned(),
    }
}
