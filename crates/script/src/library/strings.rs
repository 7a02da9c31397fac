//! Methods of strings.

use super::entry::{Body, Entry, Owner, Receiver, Type, optional, required};
use crate::runtime::methods::{Run, pattern, strings as run};

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
    method("slice", run::slice)
        .takes(&[required("from", Type::Integer), optional("to", Type::Integer)])
        .gives(
            Type::String,
            "the characters from one index up to, but not including, another; negative ones count from the end",
        )
        .example("\"你好，世界\".slice(-2)", "\"世界\""),
    method("pad", run::pad)
        .takes(&[required("width", Type::Integer)])
        .gives(Type::String, "filled with spaces on the right up to a number of characters")
        .example("\"ab\".pad(4) + \".\"", "\"ab  .\""),
    method("pad_start", run::pad_start)
        .takes(&[required("width", Type::Integer)])
        .gives(Type::String, "filled with spaces on the left up to a number of characters")
        .example("\"7\".pad_start(3)", "\"  7\""),
    method("match", pattern::find)
        .takes(&[required("pattern", Type::String)])
        .gives(
            Type::List(&Type::Any),
            "the first part that a regular expression describes, and its groups; an empty list without one",
        )
        .example("\"order A-17\".match(\"([A-Z])-(\\\\d+)\")", "[\"A-17\", \"A\", \"17\"]"),
];
