//! Functions. A function or variable of the program of the same name comes first.

use super::entry::{Body, Entry, Owner, Type, required};
use crate::capability::{PROGRESS, SECRET, TRUST};

const fn function(name: &'static str, body: Body) -> Entry {
    Entry::new(Owner::Function, name, body)
}

pub(super) static FUNCTIONS: &[Entry] = &[
    function(PROGRESS, Body::Instruction)
        .takes(&[required("text", Type::String)])
        .gives(Type::String, "the text, which is shown to whoever waits for the program")
        .example("progress(\"reading\")", "\"reading\""),
    function(SECRET, Body::Instruction)
        .takes(&[required("name", Type::String)])
        .gives(Type::Any, "the handle of a secret, for the headers of an HTTP tool")
        .example("secret(\"WEB_TOKEN\")", ""),
    function(TRUST, Body::Instruction)
        .takes(&[required("value", Type::Any), required("reason", Type::String)])
        .gives(Type::Any, "a copy of the value that counts as the user's word")
        .example("trust(\"a.md\", \"checked against the list\")", "\"a.md\""),
];
