//! Functions. A function or variable of the program of the same name comes first.

use super::entry::{Body, Entry, Owner, Type, optional, required};
use crate::capability::{FAIL, PROGRESS, SECRET, TRUST};
use crate::runtime::methods::{Call, convert, dates};

const fn function(name: &'static str, body: Body) -> Entry {
    Entry::new(Owner::Function, name, body)
}

const fn called(name: &'static str, call: Call) -> Entry {
    function(name, Body::Call(call))
}

pub(super) static FUNCTIONS: &[Entry] = &[
    called("to_number", convert::to_number)
        .takes(&[required("value", Type::Any)])
        .gives(Type::Number, "the number that a text is, as in `-12.5` or `1e3`; a number stays what it is")
        .example("to_number(\" 2.5 \")", "2.5"),
    called("to_integer", convert::to_integer)
        .takes(&[required("value", Type::Any)])
        .gives(Type::Integer, "the whole number of a text or number; a fraction is cut off")
        .example("to_integer(\"12.7\")", "12"),
    called("to_text", convert::to_text)
        .takes(&[required("value", Type::Any)])
        .gives(Type::String, "a number or boolean as `+` writes it, a list or object as JSON")
        .example("to_text([1, true])", "\"[1,true]\""),
    called("json.parse", convert::json_parse)
        .takes(&[required("text", Type::String)])
        .gives(Type::Any, "the value that a JSON text describes")
        .example("json.parse(\"{ \\\"a\\\": [1, null] }\")", "{ \"a\": [1, null] }"),
    called("json.print", convert::json_print)
        .takes(&[required("value", Type::Any)])
        .gives(Type::String, "the JSON text of a value, on one line")
        .example("json.print({ a: [1, none] })", "\"{\\\"a\\\":[1,null]}\""),
    called("range", convert::range)
        .takes(&[required("from", Type::Integer), optional("to", Type::Integer)])
        .gives(
            Type::List(&Type::Integer),
            "the whole numbers from one up to, but not including, another; with one number, from 0 up to it",
        )
        .example("range(2, 5)", "[2, 3, 4]"),
    called("date.add", dates::add)
        .takes(&[
            required("time", Type::String),
            required("amount", Type::Integer),
            required("unit", Type::String),
        ])
        .gives(
            Type::String,
            "the time so many units later, or earlier; a unit is `second`, `minute`, `hour`, `day`, `week`, `month` or `year`",
        )
        .example("date.add(\"2024-01-31\", 1, \"month\")", "\"2024-02-29\""),
    called("date.between", dates::between)
        .takes(&[
            required("from", Type::String),
            required("to", Type::String),
            required("unit", Type::String),
        ])
        .gives(Type::Integer, "how many whole units later the second time is; negative if it is earlier")
        .example("date.between(\"2024-02-28T12:00:00Z\", \"2024-03-01\", \"day\")", "1"),
    called("date.parts", dates::parts)
        .takes(&[required("time", Type::String)])
        .gives(
            Type::Object,
            "`year`, `month`, `day`, `weekday` (1 for Monday), `hour`, `minute` and `second` of a time, in its own offset",
        )
        .example(
            "date.parts(\"2024-02-29T09:30:00+01:00\")",
            "{ \"year\": 2024, \"month\": 2, \"day\": 29, \"weekday\": 4, \"hour\": 9, \"minute\": 30, \"second\": 0 }",
        ),
    called(FAIL, convert::fail)
        .takes(&[required("reason", Type::String), optional("code", Type::String)])
        .gives(Type::None, "ends the program with a reason, unless `try … else` catches it")
        .example(
            "try { fail \"no orders\" code \"E_EMPTY\" } else err { [err.code, err.message] }",
            "[\"E_EMPTY\", \"no orders\"]",
        ),
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
