//! Methods of strings.

use super::entry::{Body, Entry, Owner, Receiver, Type, required};
use crate::runtime::methods::{Run, strings as run};

const fn method(name: &'static str, run: Run) -> Entry {
    Entry::new(Owner::Method(Receiver::String), name, Body::Run(run))
}

pub(super) static METHODS: &[Entry] = &[
    method("length", run::length)
        .gives(Type::Integer, "the number of characters (Unicode scalar values)")
        .example("\"añ你\".length()", "3"),
    method("upper", run::upper)
        .gives(Type::String, "in upper case")
        .example("\"añ\".upper()", "\"AÑ\""),
    method("lower", run::lower)
        .gives(Type::String, "in lower case")
        .example("\"AÑ\".lower()", "\"añ\""),
    method("trim", run::trim)
        .gives(Type::String, "without white space at either end")
        .example("\"  x \".trim()", "\"x\""),
    method("split", run::split)
        .takes(&[required("separator", Type::String)])
        .gives(
            Type::List(&Type::String),
            "the parts between separators; an empty separator splits into characters",
        )
        .example("\"a,b\".split(\",\")", "[\"a\", \"b\"]"),
    method("replace", run::replace)
        .takes(&[required("from", Type::String), required("to", Type::String)])
        .gives(Type::String, "with every `from` replaced literally")
        .example("\"a-b-c\".replace(\"-\", \"+\")", "\"a+b+c\""),
    method("contains", run::contains)
        .takes(&[required("part", Type::String)])
        .gives(Type::Boolean, "whether it contains the part")
        .example("\"context\".contains(\"tex\")", "true"),
    method("starts_with", run::starts_with)
        .also(&["startsWith"])
        .takes(&[required("part", Type::String)])
        .gives(Type::Boolean, "whether it begins with the part")
        .example("\"context\".starts_with(\"con\")", "true"),
    method("ends_with", run::ends_with)
        .also(&["endsWith"])
        .takes(&[required("part", Type::String)])
        .gives(Type::Boolean, "whether it ends with the part")
        .example("\"context\".ends_with(\"text\")", "true"),
    method("lines", run::lines)
        .gives(Type::List(&Type::String), "its lines without their ends")
        .example("\"1\\n2\".lines()", "[\"1\", \"2\"]"),
];
