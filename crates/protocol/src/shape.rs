//! The pages of types in the reference, which the declarations of the types fill.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The name of a type in the reference, and the pages it adds.
pub(crate) trait Shape {
    fn shape() -> String;

    /// Adds the type and its parts, unless they are present.
    fn enter(_: &mut Pages) {}
}

/// The types added so far, in order.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    names: BTreeSet<&'static str>,
    pub(crate) list: Vec<Page>,
}

#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) name: &'static str,
    pub(crate) meaning: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) words: Vec<(&'static str, String)>,
}

#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) is_required: bool,
    pub(crate) shape: String,
    pub(crate) meaning: String,
}

impl Pages {
    pub(crate) fn is_new(&mut self, name: &'static str) -> bool {
        self.names.insert(name)
    }

    pub(crate) fn add(&mut self, name: &'static str, doc: &[&str], fields: Vec<Field>) {
        self.list.push(Page { name, meaning: prose(doc), fields, words: Vec::new() });
    }

    pub(crate) fn add_words(
        &mut self,
        name: &'static str,
        doc: &[&str],
        words: Vec<(&'static str, String)>,
    ) {
        self.list.push(Page { name, meaning: prose(doc), fields: Vec::new(), words });
    }
}

/// Returns the lines of a doc comment as one text, without section and requirement numbers, which
/// are for readers of the source.
pub(crate) fn prose(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let text = lines.join(" ");
    let mut parts = text.split(" (");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((inside, after)) if is_section(inside) => out.push_str(after),
            _ => {
                out.push_str(" (");
                out.push_str(part);
            }
        }
    }
    out
}

/// Reports whether a text is `3.2`, `CP-9` or a list of such numbers.
fn is_section(text: &str) -> bool {
    let is_one = |one: &str| {
        let number = one.strip_prefix("CP-").or(one.strip_prefix("FL-")).unwrap_or(one);
        number.starts_with(|c: char| c.is_ascii_digit())
    };
    text.split(", ").all(is_one)
}

pub(crate) fn link(name: &str) -> String {
    format!("[{name}](#type-{})", name.to_lowercase())
}

/// Implements [`Shape`] for types without a page of their own.
macro_rules! shapes {
    ($($Name:ty => $shape:literal),* $(,)?) => {$(
        impl $crate::shape::Shape for $Name {
            fn shape() -> String {
                $shape.to_owned()
            }
        }
    )*};
}

pub(crate) use shapes;

shapes! {
    String => "string",
    bool => "boolean",
    Value => "any JSON",
    Map<String, Value> => "object",
}

impl<T: Shape> Shape for Option<T> {
    fn shape() -> String {
        T::shape()
    }

    fn enter(pages: &mut Pages) {
        T::enter(pages);
    }
}

impl<T: Shape> Shape for Box<T> {
    fn shape() -> String {
        T::shape()
    }

    fn enter(pages: &mut Pages) {
        T::enter(pages);
    }
}

impl<T: Shape> Shape for Vec<T> {
    fn shape() -> String {
        format!("array of {}", T::shape())
    }

    fn enter(pages: &mut Pages) {
        T::enter(pages);
    }
}
