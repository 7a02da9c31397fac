//! Methods of objects.

use super::entry::{Body, Entry, Owner, Receiver, Type, optional, required};
use crate::runtime::methods::{Run, objects as run};

const fn method(name: &'static str, run: Run) -> Entry {
    Entry::new(Owner::Method(Receiver::Object), name, Body::Run(run))
}

pub(super) static METHODS: &[Entry] = &[
    method("keys", run::keys)
        .gives(Type::List(&Type::String), "its field names, in order")
        .example("{ b: 1, a: 2 }.keys()", "[\"b\", \"a\"]"),
    method("values", run::values)
        .gives(Type::List(&Type::Item), "the values of its fields, in order")
        .example("{ b: 1, a: 2 }.values()", "[1, 2]"),
    method("has", run::has)
        .takes(&[required("key", Type::String)])
        .gives(Type::Boolean, "whether it has the field")
        .example("{ a: none }.has(\"a\")", "true"),
    method("get", run::get)
        .takes(&[required("key", Type::String), optional("default", Type::Any)])
        .gives(Type::Item, "the field's value, or the default (none) when it is missing")
        .example("{ a: 1 }.get(\"b\", 0)", "0"),
    method("entries", run::entries)
        .gives(Type::List(&Type::List(&Type::Any)), "a `[key, value]` for each field, in order")
        .example("{ b: 1, a: 2 }.entries()", "[[\"b\", 1], [\"a\", 2]]"),
    method("merge", run::merge)
        .takes(&[required("other", Type::Object)])
        .gives(
            Type::Object,
            "a new object with the fields of both; those of the other replace its own",
        )
        .example("{ a: 1, b: 2 }.merge({ b: 3 })", "{ \"a\": 1, \"b\": 3 }"),
    method("without", run::without)
        .takes(&[required("keys", Type::Any)])
        .gives(Type::Object, "a new object without a field, or without those of a list of names")
        .example("{ a: 1, b: 2 }.without(\"a\")", "{ \"b\": 2 }"),
];
