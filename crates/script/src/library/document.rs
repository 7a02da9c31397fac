//! The page of the library, `docs/library.md`, made from its rows.

use super::entry::{Entry, Receiver, Type};
use super::{PROPERTIES, functions, methods_of};
use std::fmt;

const HEAD: &str = "# The library

Methods and functions of [AgentScript](language.md), made from the table that the checker and the runtime read (`cargo dev generate`). Each example is run by a test.

Lists, objects and strings are not changed by a method; only `add` changes its list. Characters are Unicode code points. A result has the [trust](security.md#labels) of
what it was made of. A result beyond the limits of the run is an error and never cut. Wrong arguments are errors that `try … else` catches.
";

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::None => f.write_str("none"),
            Self::Boolean => f.write_str("boolean"),
            Self::Integer => f.write_str("integer"),
            Self::Number => f.write_str("number"),
            Self::String => f.write_str("string"),
            Self::List(Self::Any) => f.write_str("list"),
            Self::List(item) => write!(f, "list[{item}]"),
            Self::Object => f.write_str("object"),
            Self::Same => f.write_str("same"),
            Self::Item => f.write_str("item"),
            Self::Function(_) => f.write_str("function"),
            Self::Key => f.write_str("function or field"),
            Self::Returned => f.write_str("what the function gives"),
        }
    }
}

/// Returns the page.
#[must_use]
pub fn document() -> String {
    let mut page = HEAD.to_owned();
    page.push_str(
        "\n## Functions\n\nA function or variable of the program of the same name comes first.\n\n",
    );
    table(&mut page, functions());
    for (title, receiver) in
        [("Strings", Receiver::String), ("Lists", Receiver::List), ("Objects", Receiver::Object)]
    {
        page.push_str(&format!("\n## {title}\n\n"));
        table(&mut page, methods_of(receiver));
        for property in PROPERTIES.iter().filter(|one| one.receivers.contains(&receiver)) {
            let (name, result) = (property.name, property.result);
            page.push_str(&format!(
                "\n`.{name}` ({result}) is read without a call: {}.\n",
                property.summary
            ));
        }
    }
    page
}

fn table(page: &mut String, entries: &[Entry]) {
    page.push_str("| Form | Gives | | Example | Value |\n|---|---|---|---|---|\n");
    for entry in entries {
        let example = entry.example.program.replace('\n', " ");
        let value = match entry.example.value {
            "" => String::new(),
            value => format!("`{value}`"),
        };
        let mut summary = entry.summary.to_owned();
        if !entry.aliases.is_empty() {
            summary.push_str(&format!("; also `{}`", entry.aliases.join("`, `")));
        }
        page.push_str(&format!(
            "| `{}` | {} | {summary} | `{example}` | {value} |\n",
            typed(entry),
            entry.result
        ));
    }
}

/// Returns the form with the types of its parameters: `slice(from integer, to? integer)`.
fn typed(entry: &Entry) -> String {
    let parameter = |one: &super::Parameter| {
        let mark = if one.is_optional { "?" } else { "" };
        format!("{}{mark} {}", one.name, one.accepts)
    };
    let parameters: Vec<String> = entry.parameters.iter().map(parameter).collect();
    format!("{}({})", entry.name, parameters.join(", "))
}
