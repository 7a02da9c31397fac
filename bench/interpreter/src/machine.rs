//! What a program spends its time on beside integers: floats, fields, texts, tables, methods (GR-3).
//! The same programs in CPython and (feature `lua`) Lua.

use crate::ours::{compiled, outcome};
use crate::{Entry, entry, timed};
use contexture_script::runtime::ScriptedHost;
use serde_json::json;
use std::process::Command;

/// A program in three languages, and the value that all of them give.
struct Program {
    what: &'static str,
    ours: &'static str,
    /// The body of a function.
    python: &'static str,
    /// A chunk that returns the value.
    lua: &'static str,
    value: f64,
}

const PROGRAMS: [Program; 10] = [
    Program {
        what: "floats, 3M",
        ours: "x = 1.0 y = 2.0 repeat * 3000000 { x = x * 0.999 + y * 0.001 } x",
        python: "x = 1.0; y = 2.0\n for _ in range(3000000): x = x * 0.999 + y * 0.001\n return x",
        lua: "local x, y = 1.0, 2.0 for _ = 1, 3000000 do x = x * 0.999 + y * 0.001 end return x",
        value: 2.0,
    },
    Program {
        what: "fields, 3M",
        ours: "o = { n: 0, b: 2 } repeat * 3000000 { o.n = o.n + o.b } o.n",
        python: "o = O(); o.n = 0; o.b = 2\n for _ in range(3000000): o.n = o.n + o.b\n return o.n",
        lua: "local o = { n = 0, b = 2 } for _ = 1, 3000000 do o.n = o.n + o.b end return o.n",
        value: 6_000_000.0,
    },
    Program {
        what: "n-body, 200k",
        ours: "a = { x: 0.0, v: 0.0, m: 1.0 } b = { x: 1.0, v: 0.5, m: 0.5 }
            repeat * 200000 {
                d = b.x - a.x
                q = d * d + 0.01
                f = d / (q * q)
                a.v = a.v + f * b.m * 0.001
                b.v = b.v - f * a.m * 0.001
                a.x = a.x + a.v * 0.001
                b.x = b.x + b.v * 0.001
            }
            a.m * a.v + b.m * b.v",
        python: "a = O(); a.x = 0.0; a.v = 0.0; a.m = 1.0\n b = O(); b.x = 1.0; b.v = 0.5; b.m = 0.5
 for _ in range(200000):
  d = b.x - a.x
  q = d * d + 0.01
  f = d / (q * q)
  a.v = a.v + f * b.m * 0.001
  b.v = b.v - f * a.m * 0.001
  a.x = a.x + a.v * 0.001
  b.x = b.x + b.v * 0.001
 return a.m * a.v + b.m * b.v",
        lua: "local a = { x = 0.0, v = 0.0, m = 1.0 } local b = { x = 1.0, v = 0.5, m = 0.5 }
            for _ = 1, 200000 do
                local d = b.x - a.x
                local q = d * d + 0.01
                local f = d / (q * q)
                a.v = a.v + f * b.m * 0.001
                b.v = b.v - f * a.m * 0.001
                a.x = a.x + a.v * 0.001
                b.x = b.x + b.v * 0.001
            end
            return a.m * a.v + b.m * b.v",
        value: 0.25,
    },
    Program {
        what: "matrix, 80",
        ours: "a = [] for i in range(80) max 80 { r = [] for j in range(80) max 80 { r.add(0.5 * i + j) } a.add(r) }
            s = 0.0
            for i in range(80) max 80 { for j in range(80) max 80 {
                t = 0.0 k = 0
                repeat * 80 { t = t + a[i][k] * a[k][j] k += 1 }
                s = s + t
            } }
            s",
        python: "a = [[0.5 * i + j for j in range(80)] for i in range(80)]
 s = 0.0
 for i in range(80):
  for j in range(80):
   t = 0.0
   for k in range(80): t = t + a[i][k] * a[k][j]
   s = s + t
 return s",
        lua: "local a = {} for i = 0, 79 do a[i] = {} for j = 0, 79 do a[i][j] = 0.5 * i + j end end
            local s = 0.0
            for i = 0, 79 do for j = 0, 79 do
                local t = 0.0
                for k = 0, 79 do t = t + a[i][k] * a[k][j] end
                s = s + t
            end end
            return s",
        value: 1_933_920_000.0,
    },
    Program {
        what: "word count, 200k",
        ours: "words = \"the cat and the dog and the bird\".split(\" \") counts = {}
            repeat * 25000 { for w in words max 8 { counts[w] = counts.get(w, 0) + 1 } }
            counts.the",
        python: "words = 'the cat and the dog and the bird'.split(' '); counts = {}
 for _ in range(25000):
  for w in words: counts[w] = counts.get(w, 0) + 1
 return counts['the']",
        lua: "local words = { 'the', 'cat', 'and', 'the', 'dog', 'and', 'the', 'bird' } local counts = {}
            for _ = 1, 25000 do for _, w in ipairs(words) do counts[w] = (counts[w] or 0) + 1 end end
            return counts.the",
        value: 75_000.0,
    },
    Program {
        what: "text in field, 300k",
        ours: "o = { text: \"\" } repeat * 300000 { o.text += \"ab\" } o.text.length",
        python: "o = O(); o.text = ''\n for _ in range(300000): o.text += 'ab'\n return len(o.text)",
        lua: "local t = {} for _ = 1, 300000 do t[#t + 1] = 'ab' end return #table.concat(t)",
        value: 600_000.0,
    },
    Program {
        what: "lengths, 1M",
        ours: "s = \"文\" repeat * 15 { s += s } n = 0 repeat * 1000000 { n += s.length } n",
        python: "s = '文' * 32768; n = 0\n for _ in range(1000000): n += len(s)\n return n",
        lua: "local s = string.rep('x', 32768) local n = 0 for _ = 1, 1000000 do n = n + #s end return n",
        value: 32_768_000_000.0,
    },
    Program {
        what: "calls, 1M",
        ours: "n = 0.5 repeat * 1000000 { n = half(n) } n",
        python: "n = 0.5\n for _ in range(1000000): n = half(n)\n return n",
        lua: "local function half(x) return x * 0.5 + 0.5 end
            local n = 0.5 for _ = 1, 1000000 do n = half(n) end return n",
        value: 1.0,
    },
    Program {
        what: "methods, 500k",
        ours: "s = \"a,b,c\" n = 0 repeat * 500000 { if s.contains(\"c\") { n += 1 } } n",
        python: "s = 'a,b,c'; n = 0\n for _ in range(500000):\n  if 'c' in s: n += 1\n return n",
        lua: "local s, n = 'a,b,c', 0
            for _ = 1, 500000 do if s:find('c', 1, true) then n = n + 1 end end return n",
        value: 500_000.0,
    },
    Program {
        what: "sort by key, 100k",
        ours: "l = [] x = 1 repeat * 100000 { x = x * 16807 % 2147483647 l.add({ key: x }) }
            l.sort(\"key\")[0].key",
        python: "l = []; x = 1
 for _ in range(100000):
  x = x * 16807 % 2147483647; o = O(); o.key = x; l.append(o)
 l.sort(key=lambda o: o.key)
 return l[0].key",
        lua: "local l, x = {}, 1
            for i = 1, 100000 do x = x * 16807 % 2147483647 l[i] = { key = x } end
            table.sort(l, function(a, b) return a.key < b.key end)
            return l[1].key",
        value: 8383.0,
    },
];

pub(crate) fn entries() -> Vec<Entry> {
    PROGRAMS
        .iter()
        .flat_map(|program| {
            [own(program), python(program)].into_iter().chain(lua::entry_of(program))
        })
        .collect()
}

fn check(what: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() <= expected.abs() * 1e-6, "{what}: {found}");
}

fn own(program: &'static Program) -> Entry {
    let half = "func half(x) { x * 0.5 + 0.5 }";
    let compiled = compiled(&format!("{half} main func(input) {{ {} }}", program.ours));
    entry(program.what, "contexture", move || {
        let host = ScriptedHost::new();
        let (value, seconds) = timed(|| outcome(&compiled, json!({}), &host));
        check(program.what, value.as_f64().unwrap_or(f64::NAN), program.value);
        Some(seconds)
    })
}

fn python(program: &'static Program) -> Entry {
    let text = format!(
        "import time\nclass O: pass\ndef half(x): return x * 0.5 + 0.5\ndef run():\n {}\n\
         start = time.perf_counter()\nvalue = run()\nprint(value, time.perf_counter() - start)\n",
        program.python
    );
    entry(program.what, "cpython", move || {
        let output = Command::new("python3").args(["-c", &text]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let (value, seconds) = text.trim().split_once(' ')?;
        check(program.what, value.parse().unwrap_or(f64::NAN), program.value);
        seconds.parse().ok()
    })
}

#[cfg(not(feature = "lua"))]
mod lua {
    pub(super) fn entry_of(_: &'static super::Program) -> Option<crate::Entry> {
        None
    }
}

#[cfg(feature = "lua")]
mod lua {
    use super::{Program, check, entry, timed};

    pub(super) fn entry_of(program: &'static Program) -> Option<crate::Entry> {
        let lua = mlua::Lua::new();
        let chunk = lua.load(program.lua).into_function().expect("the script is valid");
        Some(entry(program.what, "lua", move || {
            // A function lives no longer than its state.
            let _state = &lua;
            let (value, seconds) = timed(|| chunk.call::<f64>(()));
            check(program.what, value.expect("the script runs"), program.value);
            Some(seconds)
        }))
    }
}
