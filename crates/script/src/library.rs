//! The library of the language (AS-8, TY-6): every method and function in one table.
//!
//! Decision: one row holds everything that is known about an operation: name, parameters, types,
//! description, an example that a test runs, and the code that computes it. The runtime, the
//! checker, the documentation and the editor read these rows, so that they can't disagree.

mod document;
mod entry;
mod functions;
mod lists;
mod names;
mod objects;
mod strings;

pub use document::document;
pub(crate) use entry::{Body, Each};
pub use entry::{Entry, Example, Owner, Parameter, Property, Receiver, Type};
pub(crate) use names::other_name;

/// The kinds of values that have methods, in the order of the documentation.
pub const RECEIVERS: [Receiver; 3] = [Receiver::String, Receiver::List, Receiver::Object];

/// The properties: read without a call, `value.length`.
pub const PROPERTIES: &[Property] = &[
    Property {
        name: "length",
        receivers: &RECEIVERS,
        result: Type::Integer,
        summary: "the number of characters, items or fields",
    },
    Property {
        name: "summary",
        receivers: &[Receiver::List, Receiver::Object],
        result: Type::Same,
        summary: "a plain copy of the value, fit for JSON; it asks no model",
    },
];

/// Returns the methods of a kind of value, in the order of the documentation.
#[must_use]
pub fn methods_of(receiver: Receiver) -> &'static [Entry] {
    match receiver {
        Receiver::String => strings::METHODS,
        Receiver::List => lists::METHODS,
        Receiver::Object => objects::METHODS,
    }
}

/// Returns the functions, in the order of the documentation.
#[must_use]
pub fn functions() -> &'static [Entry] {
    functions::FUNCTIONS
}

/// Returns all methods and functions.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    RECEIVERS.iter().flat_map(|receiver| methods_of(*receiver)).chain(functions())
}

/// Returns the method that a kind of value has under a name or an alias.
#[must_use]
pub fn method(receiver: Receiver, name: &str) -> Option<&'static Entry> {
    methods_of(receiver).iter().find(|entry| entry.is_named(name))
}

/// Returns the methods under a name, one for each kind of value that has it.
#[must_use]
pub fn methods_named(name: &str) -> Vec<&'static Entry> {
    RECEIVERS.iter().filter_map(|receiver| method(*receiver, name)).collect()
}

/// Returns the function under a name: `range`.
#[must_use]
pub fn function(name: &str) -> Option<&'static Entry> {
    functions().iter().find(|entry| entry.owner == Owner::Function && entry.is_named(name))
}

/// Reports whether functions begin with a name and a dot: `json`.
#[must_use]
pub fn is_module(name: &str) -> bool {
    functions().iter().any(|entry| entry.name.split_once('.').is_some_and(|(own, _)| own == name))
}

/// Returns the number of a function that the machine calls, and its row.
pub(crate) fn called(name: &str) -> Option<(u16, &'static Entry)> {
    let mut all = (0..).zip(functions());
    all.find(|(_, entry)| entry.is_named(name) && matches!(entry.body, Body::Call(_)))
}

/// Reports whether a name is that of a property.
#[must_use]
pub fn is_property(name: &str) -> bool {
    PROPERTIES.iter().any(|property| property.name == name)
}

/// Reports whether a method of this name takes the name of a function.
#[must_use]
pub fn takes_function(name: &str) -> bool {
    methods_named(name).iter().any(|entry| entry.function_parameter().is_some())
}

/// Returns the names of all methods without their aliases, in order.
#[must_use]
pub fn method_names() -> Vec<&'static str> {
    let all = RECEIVERS.iter().flat_map(|receiver| methods_of(*receiver));
    let mut names: Vec<&str> = all.map(|entry| entry.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}
