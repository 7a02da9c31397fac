//! Methods of lists. Only `.add` changes its list.

use super::entry::{Body, Entry, Owner, Receiver, Type, optional, required};
use crate::runtime::methods::{Run, lists as run};

const fn method(name: &'static str, body: Body) -> Entry {
    Entry::new(Owner::Method(Receiver::List), name, body)
}

const fn plain(name: &'static str, run: Run) -> Entry {
    method(name, Body::Run(run))
}

pub(super) static METHODS: &[Entry] = &[
    plain("length", run::length)
        .gives(Type::Integer, "the number of items")
        .example("[1, 2].length()", "2"),
    method("add", Body::Instruction)
        .takes(&[required("value", Type::Any)])
        .gives(Type::None, "appends a value to the list")
        .example("l = [1]\nl.add(2)\nl", "[1, 2]"),
    method("map", Body::Each(None))
        .takes(&[required("function", Type::Function(1))])
        .gives(Type::List(&Type::Returned), "the function's result for each item")
        .example("func double(n) { n * 2 }\nmain func(input) { [1, 2].map(double) }", "[2, 4]"),
    method("filter", Body::Each(None))
        .takes(&[required("function", Type::Function(1))])
        .gives(Type::Same, "the items for which the function's result is true")
        .example(
            "func long(w) { w.length > 3 }\nmain func(input) { [\"one\", \"three\"].filter(long) }",
            "[\"three\"]",
        ),
    method("sort", Body::Each(Some(run::sort)))
        .takes(&[optional("function", Type::Function(1))])
        .gives(
            Type::Same,
            "numbers or strings in ascending order; equal ones keep their order; with a function, by its result for each item",
        )
        .example("[3, 1, 2].sort()", "[1, 2, 3]"),
    plain("join", run::join)
        .takes(&[required("separator", Type::String)])
        .gives(Type::String, "its strings, numbers and booleans joined into one string")
        .example("[1, true, \"x\"].join(\"-\")", "\"1-true-x\""),
    plain("first", run::first)
        .gives(Type::Item, "the first item; none when empty")
        .example("[4, 5].first()", "4"),
    plain("last", run::last)
        .gives(Type::Item, "the last item; none when empty")
        .example("[4, 5].last()", "5"),
    plain("slice", run::slice)
        .takes(&[required("from", Type::Integer), optional("to", Type::Integer)])
        .gives(
            Type::Same,
            "the items from one index up to, but not including, another; indexes past the end count as the end",
        )
        .example("[0, 1, 2, 3].slice(1, 3)", "[1, 2]"),
    plain("contains", run::contains)
        .takes(&[required("value", Type::Any)])
        .gives(Type::Boolean, "whether an item equals the value")
        .example("[1, { a: 2 }].contains({ a: 2 })", "true"),
];
