//! Clients in Python.

use super::model::{Call, Model, Style, TypeDef};
use super::names::{comment, quoted};
use crate::prelude::*;
use contexture::answer::Shape;
use contexture::script::semantic::interface::Interface;

const STYLE: Style = Style {
    types: &[
        "Any",
        "CallError",
        "Client",
        "Exception",
        "False",
        "List",
        "Literal",
        "None",
        "NotRequired",
        "Optional",
        "True",
        "TypedDict",
        "bool",
        "cast",
        "datetime",
        "float",
        "int",
        "json",
        "str",
        "timezone",
        "urllib",
        "uuid4",
    ],
    calls: &[
        "False",
        "None",
        "True",
        "_call",
        "and",
        "as",
        "assert",
        "async",
        "await",
        "break",
        "call",
        "cast",
        "class",
        "context_id",
        "continue",
        "def",
        "del",
        "elif",
        "else",
        "except",
        "finally",
        "for",
        "from",
        "global",
        "if",
        "import",
        "in",
        "is",
        "lambda",
        "nonlocal",
        "not",
        "or",
        "pass",
        "raise",
        "return",
        "self",
        "timeout",
        "token",
        "try",
        "url",
        "while",
        "with",
        "yield",
    ],
    is_snake: true,
    names_words: false,
};

pub(super) fn client(interface: &Interface, file: &str) -> String {
    let model = Model::of(interface, &STYLE);
    let mut text = format!("# A client of {file}, written by `contexture types`.\n");
    text.push_str(include_str!("imports.py"));
    model.types.iter().for_each(|own| text.push_str(&definition(own)));
    text.push_str(include_str!("client.py"));
    model.calls.iter().for_each(|call| text.push_str(&method(call)));
    text
}

/// Returns the definition of a type. Types in it stand in quotes, since they may follow.
fn definition(own: &TypeDef) -> String {
    let doc = comment(own.doc.as_deref(), "#");
    let name = &own.name;
    let Shape::Object(fields) = &own.shape else {
        return format!("\n{doc}{name} = {}\n", of(&own.shape, true));
    };
    let mut text = format!("\n{doc}{name} = TypedDict({}, {{\n", quoted(name));
    for field in fields {
        text.push_str(&comment(field.description.as_deref(), "    #"));
        let own = of(&field.shape, true);
        let own = if field.optional { format!("NotRequired[Optional[{own}]]") } else { own };
        let _ = writeln!(text, "    {}: {own},", quoted(&field.name));
    }
    text + "})\n"
}

fn method(call: &Call) -> String {
    let mut taken = vec!["self".to_owned()];
    let arguments = call.arguments.iter();
    taken.extend(arguments.map(|own| format!("{}: {}", own.name, of(&own.shape, false))));
    let given = match call.arguments.first().filter(|_| call.is_whole) {
        Some(whole) => whole.name.clone(),
        None => {
            let given =
                call.arguments.iter().map(|own| format!("{}: {}", quoted(&own.key), own.name));
            format!("{{{}}}", given.collect::<Vec<_>>().join(", "))
        }
    };
    let result = of(&call.result, false);
    let result = if call.may_be_none { format!("Optional[{result}]") } else { result };
    format!(
        "\n    def {}({}) -> {result}:\n{}        return cast({}, self._call({}, {given}))\n",
        call.name,
        taken.join(", "),
        comment(call.doc.as_deref(), "        #"),
        quoted(&result),
        quoted(&call.action),
    )
}

fn of(shape: &Shape, in_quotes: bool) -> String {
    match shape {
        Shape::String => "str".to_owned(),
        Shape::Number => "float".to_owned(),
        Shape::Integer => "int".to_owned(),
        Shape::Boolean => "bool".to_owned(),
        Shape::List(None) => "List[Any]".to_owned(),
        Shape::List(Some(item)) => format!("List[{}]", of(item, in_quotes)),
        Shape::Enum(words) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            format!("Literal[{}]", words.join(", "))
        }
        Shape::Named(name) if in_quotes => quoted(name),
        Shape::Named(name) => name.clone(),
        _ => "Any".to_owned(),
    }
}
