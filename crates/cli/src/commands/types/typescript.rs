//! Clients in TypeScript.

use super::model::{Call, Model, Style, TypeDef};
use super::names::{comment, quoted};
use crate::prelude::*;
use contexture::answer::Shape;
use contexture::script::semantic::interface::Interface;

const STYLE: Style = Style {
    types: &[
        "Array",
        "CallError",
        "Client",
        "Error",
        "Options",
        "Promise",
        "any",
        "boolean",
        "never",
        "null",
        "number",
        "object",
        "string",
        "symbol",
        "undefined",
        "unknown",
        "void",
        "bigint",
    ],
    calls: &[
        "arguments",
        "await",
        "break",
        "call",
        "case",
        "catch",
        "class",
        "const",
        "constructor",
        "continue",
        "contextId",
        "debugger",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "eval",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "function",
        "if",
        "implements",
        "import",
        "in",
        "instanceof",
        "interface",
        "let",
        "new",
        "null",
        "options",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "static",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "var",
        "void",
        "while",
        "with",
        "yield",
    ],
    is_snake: false,
    names_words: false,
};

pub(super) fn client(interface: &Interface, file: &str) -> String {
    let model = Model::of(interface, &STYLE);
    let mut text = format!("// A client of {file}, written by `contexture types`.\n");
    model.types.iter().for_each(|own| text.push_str(&definition(own)));
    text.push_str(include_str!("client.ts"));
    model.calls.iter().for_each(|call| text.push_str(&method(call)));
    text + "}\n"
}

fn definition(own: &TypeDef) -> String {
    let doc = doc(own.doc.as_deref(), "");
    let Shape::Object(fields) = &own.shape else {
        return format!("\n{doc}export type {} = {};\n", own.name, of(&own.shape));
    };
    let mut text = format!("\n{doc}export interface {} {{\n", own.name);
    for field in fields {
        text.push_str(&self::doc(field.description.as_deref(), "  "));
        let (mark, none) = if field.optional { ("?", " | null") } else { ("", "") };
        let _ = writeln!(text, "  {}{mark}: {}{none};", quoted(&field.name), of(&field.shape));
    }
    text + "}\n"
}

fn method(call: &Call) -> String {
    let arguments = call.arguments.iter();
    let taken = arguments.map(|own| format!("{}: {}", own.name, of(&own.shape)));
    let taken: Vec<String> = taken.collect();
    let given = match call.arguments.first().filter(|_| call.is_whole) {
        Some(whole) => whole.name.clone(),
        None => {
            let given =
                call.arguments.iter().map(|own| format!("{}: {}", quoted(&own.key), own.name));
            format!("{{ {} }}", given.collect::<Vec<_>>().join(", "))
        }
    };
    let none = if call.may_be_none { " | null" } else { "" };
    let result = of(&call.result) + none;
    format!(
        "\n{}  async {}({}): Promise<{result}> {{\n    return (await this.call({}, {given})) as {result};\n  }}\n",
        doc(call.doc.as_deref(), "  "),
        call.name,
        taken.join(", "),
        quoted(&call.action),
    )
}

fn doc(doc: Option<&str>, indent: &str) -> String {
    match doc {
        Some(_) => format!("{indent}/**\n{}{indent} */\n", comment(doc, &format!("{indent} *"))),
        None => String::new(),
    }
}

fn of(shape: &Shape) -> String {
    match shape {
        Shape::String => "string".to_owned(),
        Shape::Number | Shape::Integer => "number".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::List(None) => "Array<unknown>".to_owned(),
        Shape::List(Some(item)) => format!("Array<{}>", of(item)),
        Shape::Enum(words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" | "),
        Shape::Named(name) => name.clone(),
        _ => "unknown".to_owned(),
    }
}
