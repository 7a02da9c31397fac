//! Methods and functions of the library over a million items, beside CPython's own (TY-6).
//!
//! Both sides make the same data from the same numbers. A program has no clock: the figure is the
//! time of a program with `1 + TURNS` calls without that of one with a single call, for each call.

use crate::ours::{compiled, outcome};
use crate::{Entry, entry, timed};
use contexture_script::runtime::ScriptedHost;
use serde_json::json;
use std::cell::RefCell;
use std::process::Command;
use std::rc::Rc;

const TURNS: usize = 2;

/// What is measured; each side computes `r`, and a part of `r` that must be equal.
struct Case {
    what: &'static str,
    /// Names of `DATA` that it needs, in order.
    data: &'static [&'static str],
    ours: &'static str,
    python: &'static str,
    our_part: &'static str,
    python_part: &'static str,
}

/// Name, then how each language makes it from `x`, a random number below 2³¹.
const DATA: &[(&str, &str, &str)] = &[
    ("numbers", "x", "x"),
    ("keys", "x % 50000", "x % 50000"),
    ("words", "\"word \" + x % 50000", "'word %d' % (x % 50000)"),
    ("rows", "{ n: x, k: \"k\" + x % 1000 }", "{'n': x, 'k': 'k%d' % (x % 1000)}"),
];

const fn case(what: &'static str, data: &'static [&'static str]) -> Case {
    Case { what, data, ours: "", python: "", our_part: "", python_part: "" }
}

impl Case {
    const fn calls(self, ours: &'static str, python: &'static str) -> Self {
        Self { ours, python, ..self }
    }

    const fn gives(self, our_part: &'static str, python_part: &'static str) -> Self {
        Self { our_part, python_part, ..self }
    }
}

const CASES: &[Case] = &[
    case("range", &[])
        .calls("range(1000000)", "list(range(1000000))")
        .gives("r[999999]", "r[999999]"),
    case("sort", &["numbers"])
        .calls("numbers.sort()", "sorted(numbers)")
        .gives("[r[0], r[499999]]", "[r[0], r[499999]]"),
    case("sort, texts", &["words"])
        .calls("words.sort()", "sorted(words)")
        .gives("[r[0], r[499999]]", "[r[0], r[499999]]"),
    case("sort by field", &["rows"])
        .calls("rows.sort(\"n\")", "sorted(rows, key=operator.itemgetter('n'))")
        .gives("r[499999].n", "r[499999]['n']"),
    case("unique", &["keys"])
        .calls("keys.unique()", "list(dict.fromkeys(keys))")
        .gives("[r.length, r[9]]", "[len(r), r[9]]"),
    case("unique, texts", &["words"])
        .calls("words.unique()", "list(dict.fromkeys(words))")
        .gives("[r.length, r[9]]", "[len(r), r[9]]"),
    case("group_by", &["rows"])
        .calls("rows.group_by(\"k\")", "grouped(rows)")
        .gives("[r.length, r.k7.length]", "[len(r), len(r['k7'])]"),
    case("sum", &["numbers"]).calls("numbers.sum()", "sum(numbers)").gives("r", "r"),
    case("min", &["numbers"]).calls("numbers.min()", "min(numbers)").gives("r", "r"),
    case("reverse", &["numbers"]).calls("numbers.reverse()", "numbers[::-1]").gives("r[0]", "r[0]"),
    case("slice", &["numbers"])
        .calls("numbers.slice(1, -1)", "numbers[1:-1]")
        .gives("r[0]", "r[0]"),
    case("map", &["numbers"])
        .calls("numbers.map(half)", "list(map(half, numbers))")
        .gives("r[9]", "r[9]"),
    case("filter", &["numbers"])
        .calls("numbers.filter(even)", "list(filter(even, numbers))")
        .gives("r.length", "len(r)"),
    case("join", &["words"])
        .calls("words.join(\",\")", "','.join(words)")
        .gives("r.length", "len(r)"),
    case("split", &["words", "text"])
        .calls("text.split(\",\")", "text.split(',')")
        .gives("[r.length, r[9]]", "[len(r), r[9]]"),
    case("lines", &["words", "text"])
        .calls("lined.lines()", "lined.splitlines()")
        .gives("[r.length, r[9]]", "[len(r), r[9]]"),
    case("replace", &["words", "text"])
        .calls("text.replace(\"word\", \"a\")", "text.replace('word', 'a')")
        .gives("r.length", "len(r)"),
    case("json.print", &["words"])
        .calls("json.print(words)", "json.dumps(words, separators=(',', ':'))")
        .gives("r.length", "len(r)"),
    case("json.parse", &["words", "printed"])
        .calls("json.parse(printed)", "json.loads(printed)")
        .gives("r[9]", "r[9]"),
];

const OURS: &str = "func half(n) { n / 2 }
func even(n) { n % 2 == 0 }
";

const PYTHON: &str = "
import json, operator, time
def half(n): return n / 2
def even(n): return n % 2 == 0
def grouped(rows):
    groups = {}
    for row in rows: groups.setdefault(row['k'], []).append(row)
    return groups
";

pub(crate) fn entries() -> Vec<Entry> {
    CASES.iter().flat_map(both).collect()
}

/// One case on both sides; the first value that is seen is what the others must be.
fn both(case: &'static Case) -> [Entry; 2] {
    let seen = Rc::new(RefCell::new(None));
    let check = move |value: String| {
        let mut seen = seen.borrow_mut();
        assert_eq!(*seen.get_or_insert_with(|| value.clone()), value, "{}", case.what);
    };
    let check_theirs = check.clone();
    let host = ScriptedHost::new();
    let [once, often] = [1, 1 + TURNS].map(|calls| compiled(&our_program(case, calls)));
    let ours = move || {
        let (value, first) = timed(|| outcome(&once, json!({}), &host));
        check(value.to_string());
        let (_, all) = timed(|| outcome(&often, json!({}), &host));
        Some((all - first).max(0.0) / TURNS as f64)
    };
    let program = python_program(case);
    let theirs = move || {
        let output = Command::new("python3").args(["-c", &program]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let (value, seconds) = text.trim().rsplit_once(' ')?;
        check_theirs(value.replace(", ", ","));
        seconds.parse().ok()
    };
    let shown = |entry| Entry { scale: 1e3, unit: "ms", ..entry };
    [shown(entry(case.what, "contexture", ours)), shown(entry(case.what, "cpython", theirs))]
}

fn our_program(case: &Case, calls: usize) -> String {
    let mut text = format!("{OURS}main func(input) {{\n  x = 1\n");
    let (mut make, mut add) = (String::new(), String::new());
    for (name, ours, _) in DATA.iter().filter(|(name, ..)| case.data.contains(name)) {
        make += &format!("  {name} = []\n");
        add += &format!(" {name}.add({ours})");
    }
    if !add.is_empty() {
        text += &format!("{make}  repeat * 1000000 {{ x = x * 48271 % 2147483647{add} }}\n");
    }
    if case.data.contains(&"text") {
        text += "  text = words.join(\",\")\n  lined = words.join(\"\\n\")\n";
    }
    if case.data.contains(&"printed") {
        text += "  printed = json.print(words)\n";
    }
    text += &format!(
        "  r = none\n  repeat * {calls} {{ r = {} }}\n  {}\n}}\n",
        case.ours, case.our_part
    );
    text
}

fn python_program(case: &Case) -> String {
    let mut text = format!("{PYTHON}def program():\n    x = 1\n");
    let (mut make, mut add) = (String::new(), String::new());
    for (name, _, python) in DATA.iter().filter(|(name, ..)| case.data.contains(name)) {
        make += &format!("    {name} = []\n");
        add += &format!("; {name}.append({python})");
    }
    if !add.is_empty() {
        text += &format!("{make}    for _ in range(1000000): x = x * 48271 % 2147483647{add}\n");
    }
    if case.data.contains(&"text") {
        text += "    text = ','.join(words)\n    lined = '\\n'.join(words)\n";
    }
    if case.data.contains(&"printed") {
        text += "    printed = json.dumps(words, separators=(',', ':'))\n";
    }
    text += &format!(
        "    r = {call}\n    start = time.perf_counter()\n    for _ in range({TURNS}): r = {call}\n    \
         seconds = time.perf_counter() - start\n    print(json.dumps({part}), seconds / {TURNS})\nprogram()\n",
        call = case.python,
        part = case.python_part,
    );
    text
}
