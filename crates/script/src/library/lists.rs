//! Methods of lists. Only `.add` changes its list.

use super::entry::{Body, Each, Entry, Owner, Receiver, Type, optional, required};
use crate::runtime::methods::keyed::Keyed;
use crate::runtime::methods::{Run, keyed, lists as run, totals, unique};

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
    method("map", Body::Each(Each::Map, None))
        .takes(&[required("function", Type::Function(1))])
        .gives(Type::List(&Type::Returned), "the function's result for each item")
        .example("func double(n) { n * 2 }\nmain func(input) { [1, 2].map(double) }", "[2, 4]"),
    method("filter", Body::Each(Each::Filter, None))
        .takes(&[required("function", Type::Function(1))])
        .gives(Type::Same, "the items for which the function's result is true")
        .example(
            "func long(w) { w.length > 3 }\nmain func(input) { [\"one\", \"three\"].filter(long) }",
            "[\"three\"]",
        ),
    method("sort", Body::Each(Each::Keyed(Keyed::Sort), Some(run::sort)))
        .takes(&[optional("by", Type::Key)])
        .gives(
            Type::Same,
            "in ascending order of its numbers or strings, or of what `by` gives for each item: a function, or a field's name; equal ones keep their order",
        )
        .example("[{ n: 2 }, { n: 1 }].sort(\"n\")", "[{ \"n\": 1 }, { \"n\": 2 }]"),
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
            "the items from one index up to, but not including, another; negative ones count from the end",
        )
        .example("[0, 1, 2, 3].slice(1, -1)", "[1, 2]"),
    plain("contains", run::contains)
        .takes(&[required("value", Type::Any)])
        .gives(Type::Boolean, "whether an item equals the value")
        .example("[1, { a: 2 }].contains({ a: 2 })", "true"),
    plain("concat", run::concat)
        .takes(&[required("other", Type::List(&Type::Any))])
        .gives(Type::List(&Type::Any), "its items and those of the other list; `+` does the same")
        .example("[1].concat([2, 3])", "[1, 2, 3]"),
    plain("reverse", run::reverse)
        .gives(Type::Same, "the items from the last to the first")
        .example("[1, 2, 3].reverse()", "[3, 2, 1]"),
    plain("sum", totals::sum)
        .gives(Type::Number, "the sum of its numbers; 0 when empty")
        .example("[1, 2.5].sum()", "3.5"),
    plain("min", totals::min)
        .gives(Type::Item, "the least of its numbers or strings; none when empty")
        .example("[3, 1, 2].min()", "1"),
    plain("max", totals::max)
        .gives(Type::Item, "the greatest of its numbers or strings; none when empty")
        .example("[3, 1, 2].max()", "3"),
    plain("unique", unique::unique)
        .gives(Type::Same, "the first of equal items each, in order")
        .example("[1, 2, 1.0, [3], [3]].unique()", "[1, 2, [3]]"),
    method("group_by", Body::Each(Each::Keyed(Keyed::Group), Some(keyed::group_by)))
        .takes(&[required("by", Type::Key)])
        .gives(
            Type::Object,
            "an object of lists: the items for each result of `by`, a function or a field's name",
        )
        .example(
            "[{ k: \"a\" }, { k: \"b\" }, { k: \"a\" }].group_by(\"k\")",
            "{ \"a\": [{ \"k\": \"a\" }, { \"k\": \"a\" }], \"b\": [{ \"k\": \"b\" }] }",
        ),
    method("reduce", Body::Each(Each::Reduce, None))
        .takes(&[required("function", Type::Function(2)), required("start", Type::Any)])
        .gives(Type::Returned, "the last result of the function, which gets the one before (at first `start`) and an item")
        .example(
            "func longer(a, b) { if b.length > a.length { return b } a }\nmain func(input) { [\"a\", \"ccc\", \"bb\"].reduce(longer, \"\") }",
            "\"ccc\"",
        ),
    method("find", Body::Each(Each::Find, None))
        .takes(&[required("function", Type::Function(1))])
        .gives(Type::Item, "the first item for which the function's result is true; none without one")
        .example("func large(n) { n > 2 }\nmain func(input) { [1, 3, 5].find(large) }", "3"),
    method("any", Body::Each(Each::Any, None))
        .takes(&[required("function", Type::Function(1))])
        .gives(Type::Boolean, "whether the function's result is true for an item; false when empty")
        .example("func large(n) { n > 2 }\nmain func(input) { [1, 3].any(large) }", "true"),
    method("all", Body::Each(Each::All, None))
        .takes(&[required("function", Type::Function(1))])
        .gives(Type::Boolean, "whether the function's result is true for each item; true when empty")
        .example("func large(n) { n > 2 }\nmain func(input) { [1, 3].all(large) }", "false"),
    plain("zip", run::zip)
        .takes(&[required("other", Type::List(&Type::Any))])
        .gives(
            Type::List(&Type::List(&Type::Any)),
            "pairs of its items and those of the other list, as many as the shorter one has",
        )
        .example("[1, 2, 3].zip([\"a\", \"b\"])", "[[1, \"a\"], [2, \"b\"]]"),
];
