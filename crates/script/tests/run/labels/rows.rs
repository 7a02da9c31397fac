//! Programs in which each method gets a low value.

use contexture_script::library::Receiver;

pub(super) type Rows = &'static [&'static str];

/// Returns the rows of a method.
pub(super) fn of(receiver: Receiver, name: &str) -> Option<Rows> {
    match receiver {
        Receiver::String => of_strings(name),
        Receiver::List => of_lists(name).or_else(|| of_more_lists(name)),
        Receiver::Object => of_objects(name),
    }
}

/// Returns the rows of methods of strings.
fn of_strings(name: &str) -> Option<Rows> {
    Some(match name {
        "length" => &["t.length()", "t.length"],
        "upper" => &["t.upper()"],
        "lower" => &["t.lower()"],
        "trim" => &["t.trim()"],
        "split" => {
            &["t.split(\",\")", "t.split(\"\")[0]", "\"x,y\".split(t)", "t.split(\",\").length"]
        }
        "replace" => {
            &["t.replace(\"a\", \"b\")", "\"x\".replace(t, \"\")", "\"x\".replace(\"y\", t)"]
        }
        "contains" => &["t.contains(\"a\")", "\"x\".contains(t)"],
        "starts_with" => &["t.starts_with(\"a\")", "\"x\".starts_with(t)"],
        "ends_with" => &["t.ends_with(\"a\")", "\"x\".ends_with(t)"],
        "lines" => &["t.lines()", "t.lines()[0]", "t.lines().length"],
        "slice" => &["t.slice(1)", "\"abc\".slice(n - 2)", "\"abc\".slice(0, n)"],
        "pad" => &["t.pad(9)", "\"a\".pad(n)"],
        "pad_start" => &["t.pad_start(9)", "\"a\".pad_start(n)"],
        "match" => &[
            "t.match(\"a\")",
            "t.match(\"a\")[0]",
            "t.match(\"a(z)?\")[1]",
            "t.match(\"z\")",
            "\"a,b\".match(t)[0]",
            "\"x\".match(t).length",
        ],
        _ => return None,
    })
}

/// Returns the rows of the first methods of lists.
fn of_lists(name: &str) -> Option<Rows> {
    Some(match name {
        "length" => &["l.length()", "l.length", "hl.length", "hl.length()"],
        "add" => &[
            "m = [] m.add(n) got = m",
            "m = [] m.add(hl) got = m[0][0]",
            "l.add(1) got = l[0]",
            "hl.add(1) got = hl",
        ],
        "map" => {
            &["l.map(same)", "hl.map(same)", "hl.map(one)[0]", "held.map(negative)", "items.map(v)"]
        }
        "filter" => &[
            "l.filter(big)",
            "hl.filter(big)",
            "held.filter(big).length",
            "got = 0 for x in hl.filter(big) max 9 { got = x }",
        ],
        "sort" => &[
            "l.sort()",
            "hl.sort()",
            "hl.sort()[0]",
            "held.sort()[1]",
            "items.sort(v)[1]",
            "hl.sort(one)[0]",
        ],
        "join" => &[
            "l.join(\",\")",
            "[1, 2].join(t)",
            "[].join(t)",
            "hl.join(\",\")",
            "held.join(\"\")",
            "words.join(\"\")",
        ],
        "first" => &["l.first()", "hl.first()", "held.first()"],
        "last" => &["l.last()", "hl.last()"],
        "slice" => &[
            "l.slice(1)",
            "hl.slice(1)",
            "hl.slice(1)[0]",
            "[1, 2, 3, 4].slice(n)",
            "[1, 2, 3, 4].slice(0, n)",
            "[1, 2, 3, 4].slice(0, n)[0]",
        ],
        _ => return None,
    })
}

/// Returns the rows of the other methods of lists.
fn of_more_lists(name: &str) -> Option<Rows> {
    Some(match name {
        "contains" => &[
            "l.contains(1)",
            "hl.contains(1)",
            "[1].contains(n)",
            "held.contains(3)",
            "[[1]].contains(hl)",
        ],
        "concat" => &[
            "l.concat([1])",
            "[1].concat(l)[0]",
            "[1].concat(hl)",
            "[1].concat(hl).length",
            "hl.concat([1])[0]",
            "l + [1]",
            "[1] + hl",
            "got = [1] got += hl",
        ],
        "reverse" => &["l.reverse()", "hl.reverse()[0]", "held.reverse()[1]"],
        "sum" => &["l.sum()", "hl.sum()", "held.sum()"],
        "min" => &["l.min()", "hl.min()", "held.min()", "[9, n].min()"],
        "max" => &["l.max()", "hl.max()", "held.max()", "[9, n].max()"],
        "unique" => &[
            "l.unique()",
            "hl.unique()[0]",
            "held.unique()",
            "held.unique()[1]",
            "[[n], [3]].unique().length",
        ],
        "group_by" => &[
            "l.group_by(same)",
            "hl.group_by(one)",
            "items.group_by(\"v\")",
            "items.group_by(\"v\").keys()[1]",
            "items.group_by(v).length",
            "items.group_by(v)[\"7\"]",
            "pair.group_by(t.slice(0, 0) + \"x\")",
        ],
        "reduce" => &[
            "l.reduce(larger, 0)",
            "hl.reduce(larger, 0)",
            "held.reduce(larger, 0)",
            "[1].reduce(larger, n)",
            "hl.reduce(second, 0)",
        ],
        "find" => &["l.find(big)", "hl.find(big)", "held.find(big)"],
        "any" => &["l.any(big)", "hl.any(big)", "held.any(big)"],
        "all" => &["l.all(big)", "hl.all(big)", "held.all(big)"],
        "zip" => &["l.zip([1])", "[1].zip(l)[0][1]", "[1].zip(hl).length", "hl.zip([1])[0]"],
        _ => return None,
    })
}

/// Returns the rows of methods of objects.
fn of_objects(name: &str) -> Option<Rows> {
    Some(match name {
        "keys" => &["o.keys()", "o.keys()[0]", "ho.keys()", "ho.keys()[0]"],
        "values" => &["o.values()", "ho.values()[0]", "holds.values()[0]"],
        "has" => &["o.has(\"k\")", "ho.has(\"k\")", "{ a: 1 }.has(t)"],
        "get" => &[
            "o.get(\"k\")",
            "ho.get(\"z\")",
            "ho.get(\"z\", 1)",
            "{ a: 1 }.get(t)",
            "{ a: 1 }.get(t, 2)",
            "{ b: 1 }.get(\"a\", n)",
            "k = \"k\" got = o.get(k, 1)",
            "k = \"z\" got = ho.get(k, 1)",
            "c = { a: 1 } got = c.get(t, 2)",
            "c = { a: 1 } k = \"a\" got = c.get(k, n)",
            "c = { a: 1 } k = \"b\" got = c.get(k, n)",
            "c = { a: n } k = \"a\" got = c.get(k, 2)",
        ],
        "entries" => &["o.entries()", "ho.entries()[0][0]", "holds.entries()[0][1]"],
        "merge" => &[
            "o.merge({ a: 1 })",
            "{ a: 1 }.merge(o).k",
            "{ a: 1 }.merge(ho)",
            "{ a: 1 }.merge(ho).keys()[0]",
            "ho.merge({ a: 1 }).a",
        ],
        "without" => &[
            "o.without(\"z\")",
            "ho.without(\"k\")",
            "{ a: 1 }.without(t)",
            "{ a: 1 }.without([t]).a",
            "{ a: 1 }.without(hl.map(text)).a",
        ],
        _ => return None,
    })
}
