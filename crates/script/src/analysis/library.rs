//! The methods of values (AS-8), for the checker: names, receivers and numbers of arguments.

/// What a method may be called on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receiver {
    /// A string.
    String,
    /// A list.
    List,
    /// An object.
    Object,
}

/// A method of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LibraryMethod {
    /// Its name.
    pub name: &'static str,
    /// What it may be called on.
    pub receivers: &'static [Receiver],
    /// The fewest arguments.
    pub least: usize,
    /// The most arguments.
    pub most: usize,
    /// Whether the first argument may be the name of a function.
    pub takes_function: bool,
}

const fn method(
    name: &'static str,
    receivers: &'static [Receiver],
    (least, most): (usize, usize),
) -> LibraryMethod {
    LibraryMethod { name, receivers, least, most, takes_function: false }
}

const fn higher(name: &'static str, least: usize) -> LibraryMethod {
    LibraryMethod { name, receivers: LIST, least, most: 1, takes_function: true }
}

const STRING: &[Receiver] = &[Receiver::String];
const LIST: &[Receiver] = &[Receiver::List];
const OBJECT: &[Receiver] = &[Receiver::Object];
const STRING_OR_LIST: &[Receiver] = &[Receiver::String, Receiver::List];

/// All methods of values.
pub const LIBRARY: &[LibraryMethod] = &[
    method("add", LIST, (1, 1)),
    method("contains", STRING_OR_LIST, (1, 1)),
    method("endsWith", STRING, (1, 1)),
    higher("filter", 1),
    method("first", LIST, (0, 0)),
    method("get", OBJECT, (1, 2)),
    method("has", OBJECT, (1, 1)),
    method("join", LIST, (1, 1)),
    method("keys", OBJECT, (0, 0)),
    method("last", LIST, (0, 0)),
    method("length", STRING_OR_LIST, (0, 0)),
    method("lines", STRING, (0, 0)),
    method("lower", STRING, (0, 0)),
    higher("map", 1),
    method("replace", STRING, (2, 2)),
    method("slice", LIST, (1, 2)),
    higher("sort", 0),
    method("split", STRING, (1, 1)),
    method("startsWith", STRING, (1, 1)),
    method("trim", STRING, (0, 0)),
    method("upper", STRING, (0, 0)),
    method("values", OBJECT, (0, 0)),
];

/// What is read without a call.
pub(super) const PROPERTIES: &[&str] = &["length", "summary"];

pub(super) fn find(name: &str) -> Option<&'static LibraryMethod> {
    LIBRARY.iter().find(|method| method.name == name)
}

/// What other languages call a method.
pub(super) fn other_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "push" | "append" | "push_back" | "insert" => "add",
        "includes" | "include" => "contains",
        "has_key" | "hasKey" | "hasOwnProperty" => "has",
        "toUpperCase" | "to_upper" | "upcase" | "uppercase" => "upper",
        "toLowerCase" | "to_lower" | "downcase" | "lowercase" => "lower",
        "strip" => "trim",
        "starts_with" | "startswith" => "startsWith",
        "ends_with" | "endswith" => "endsWith",
        "substring" | "substr" => "slice",
        "sorted" | "sort_by" | "sortBy" => "sort",
        _ => return None,
    })
}
