//! The same programs in CPython, Rhai and Lua.

use crate::{Entry, entry, timed};
use std::process::Command;

const SUM: i64 = 16_666_668_333_333;
const FIB_27: i64 = 196_418;

const PYTHON: &str = "
import sys, time
def whiles():
    s = 0; i = 0
    while i < 10000000:
        if i % 3 == 0: s += i
        i += 1
    return s
def fors():
    s = 0
    for i in range(10000000):
        if i % 3 == 0: s += i
    return s
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
run = {'while': whiles, 'for': fors, 'fib': lambda: fib(27)}[sys.argv[1]]
start = time.perf_counter()
value = run()
print(value, time.perf_counter() - start)
";

const RHAI_WHILE: &str =
    "let s = 0; let i = 0; while i < 10000000 { if i % 3 == 0 { s += i; } i += 1; } s";
const RHAI_FOR: &str = "let s = 0; for i in 0..10000000 { if i % 3 == 0 { s += i; } } s";
const RHAI_FIB: &str = "fn fib(n) { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } } fib(27)";

pub(crate) fn entries() -> Vec<Entry> {
    let mut entries = vec![
        python("while 10M", "while", SUM),
        python("for 10M", "for", SUM),
        python("fib(27)", "fib", FIB_27),
        rhai("while 10M", RHAI_WHILE, SUM),
        rhai("for 10M", RHAI_FOR, SUM),
        rhai("fib(27)", RHAI_FIB, FIB_27),
    ];
    entries.extend(lua::entries());
    entries
}

/// The time that the interpreter itself takes, without its start.
fn python(what: &'static str, name: &'static str, expected: i64) -> Entry {
    entry(what, "cpython", move || {
        let output = Command::new("python3").args(["-c", PYTHON, name]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let (value, seconds) = text.trim().split_once(' ')?;
        assert_eq!(value.parse(), Ok(expected), "{what}");
        seconds.parse().ok()
    })
}

fn rhai(what: &'static str, source: &'static str, expected: i64) -> Entry {
    let engine = rhai::Engine::new();
    let ast = engine.compile(source).expect("the script is valid");
    entry(what, "rhai", move || {
        let (value, seconds) = timed(|| engine.eval_ast::<i64>(&ast));
        assert_eq!(value.expect("the script runs"), expected, "{what}");
        Some(seconds)
    })
}

#[cfg(not(feature = "lua"))]
mod lua {
    pub(super) fn entries() -> Vec<crate::Entry> {
        Vec::new()
    }
}

#[cfg(feature = "lua")]
mod lua {
    use super::{Entry, FIB_27, SUM, entry, timed};

    const WHILE: &str = "local s, i = 0, 0 while i < 10000000 do if i % 3 == 0 then s = s + i end i = i + 1 end return s";
    const FOR: &str =
        "local s = 0 for i = 0, 9999999 do if i % 3 == 0 then s = s + i end end return s";
    const FIB: &str = "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end return fib(27)";

    pub(super) fn entries() -> Vec<Entry> {
        vec![lua("while 10M", WHILE, SUM), lua("for 10M", FOR, SUM), lua("fib(27)", FIB, FIB_27)]
    }

    fn lua(what: &'static str, source: &'static str, expected: i64) -> Entry {
        let lua = mlua::Lua::new();
        let chunk = lua.load(source).into_function().expect("the script is valid");
        entry(what, "lua", move || {
            // A function lives no longer than its state.
            let _state = &lua;
            let (value, seconds) = timed(|| chunk.call::<i64>(()));
            assert_eq!(value.expect("the script runs"), expected, "{what}");
            Some(seconds)
        })
    }
}
