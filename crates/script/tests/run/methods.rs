//! AS-8: the methods of values, by their results.

use crate::support::{fault, main_of, outcome, value, value_of};
use contexture_script::runtime::ScriptedHost;
use serde_json::json;

#[test]
fn as_8_strings() {
    assert_eq!(
        value("s = \" Ünï \"\n[s.upper(), s.lower(), s.trim(), s.length, s.length()]"),
        json!([" ÜNÏ ", " ünï ", "Ünï", 5, 5])
    );
    assert_eq!(
        value(
            "[\"a,b,,c\".split(\",\"), \"你好\".split(\"\"), \"abc\".split(\"x\"), \"\".split(\",\")]"
        ),
        json!([["a", "b", "", "c"], ["你", "好"], ["abc"], [""]])
    );
    assert_eq!(value("\"a.b.c\".replace(\".\", \"$&\")"), json!("a$&b$&c"));
    assert_eq!(
        value(
            "s = \"context\"\n[s.contains(\"tex\"), s.contains(\"\"), s.startsWith(\"con\"), s.endsWith(\"con\"), s.endsWith(\"text\")]"
        ),
        json!([true, true, true, false, true])
    );
    assert_eq!(
        value("[\"1\\n2\\r\\n\\n3\\n\".lines(), \"\".lines()]"),
        json!([["1", "2", "", "3"], []])
    );
}

#[test]
fn as_8_strings_refuse_other_types() {
    for body in [
        "\"a\".split(1)",
        "\"a\".replace(\"a\", 1)",
        "\"a\".contains(none)",
        "\"a\".startsWith([])",
        "\"a\".replace(\"\", \"b\")",
    ] {
        assert_eq!(fault(body).0, "AS9006", "{body}");
    }
    assert_eq!(fault("5.upper()").0, "AS9009");
}

#[test]
fn as_8_lists() {
    assert_eq!(value("l = [3, 1, 2] s = l.sort()\n[l, s]"), json!([[3, 1, 2], [1, 2, 3]]));
    assert_eq!(value("[\"b\", \"a\", \"B\"].sort()"), json!(["B", "a", "b"]));
    assert_eq!(value("[2, 1.5, -1].sort()"), json!([-1, 1.5, 2]));
    assert_eq!(
        value("[[\"a\", 1, true, 2.5].join(\"-\"), [].join(\",\"), [\"x\"].join(\",\")]"),
        json!(["a-1-true-2.5", "", "x"])
    );
    assert_eq!(
        value("[[1, 2].first(), [1, 2].last(), [].first(), [].last()]"),
        json!([1, 2, null, null])
    );
    assert_eq!(
        value(
            "l = [0, 1, 2, 3]\n[l.slice(1, 3), l.slice(2), l.slice(9), l.slice(0, 99), l.slice(3, 1)]"
        ),
        json!([[1, 2], [2, 3], [], [0, 1, 2, 3], []])
    );
    assert_eq!(
        value(
            "l = [1, \"a\", { k: [2] }, none]\n[l.contains(1.0), l.contains(\"b\"), l.contains({ k: [2] }), l.contains(none)]"
        ),
        json!([true, false, true, true])
    );
}

#[test]
fn as_8_lists_refuse_other_types() {
    for body in [
        "[1, \"a\"].sort()",
        "[[1], [2]].sort()",
        "[none].sort()",
        "[1].join(1)",
        "[[1]].join(\"\")",
        "[none].join(\"\")",
        "[1].slice(\"a\")",
        "[1].map(5)",
        "[1].filter(\"f\")",
        "[1].sort(1)",
    ] {
        assert_eq!(fault(body).0, "AS9006", "{body}");
    }
}

#[test]
fn as_8_map_filter_and_sort_take_named_function() {
    let source = "
        func double(x) { x * 2 }
        func long(word) { word.length > 3 }
        func size(word) { word.length }
        main func(input) {
            words = [\"three\", \"one\", \"four\", \"ten\"]
            { m: [1, 2].map(double), f: words.filter(long), s: words.sort(size), e: [].map(double), all: words }
        }";
    assert_eq!(
        value_of(source),
        json!({
            "m": [2, 4],
            "f": ["three", "four"],
            "s": ["one", "ten", "four", "three"],
            "e": [],
            "all": ["three", "one", "four", "ten"],
        })
    );
}

#[test]
fn as_8_mapped_function_may_have_effects() {
    let source = "
        func ask(x) { use x as question
 generate({ input: \"Answer.\" }) }
        main func(input) { [\"a\", \"b\"].map(ask) }";
    let host = ScriptedHost::new().with_answer(json!("1")).with_answer(json!("2"));
    assert_eq!(outcome(source, json!({}), &host).result, Ok(json!(["1", "2"])));
    assert_eq!(host.generate_calls()[1].items[0].value, json!("b"));
}

#[test]
fn as_8_functions_are_not_values() {
    let source = |body: &str| {
        format!(
            "func f(x) {{ x }} agent A {{ func g(x) {{ x }} }} {}",
            main_of(body).replacen("main func", "main agent { main func", 1) + "}"
        )
    };
    for body in [
        "x = f",
        "[f]",
        "[1].add(f)",
        "f.x",
        "{ a: f }",
        "g = A",
        "return f",
        "\"a\" + f",
        "[1].contains(f)",
    ] {
        let error = crate::support::failure_of(&source(body));
        assert_eq!(error.code, "AS9020", "{body}: {error}");
    }
    assert_eq!(crate::support::failure_of(&source("x = 1 x(2)")).code, "AS9002");
    assert_eq!(crate::support::failure_of(&source("[1].map(f, f)")).code, "AS9020");
    assert_eq!(crate::support::failure_of(&source("\"a\".map(f)")).code, "AS9009");
    assert_eq!(crate::support::failure_of(&source("A.nope(1)")).code, "AS9002");
    assert_eq!(crate::support::failure_of(&source("nope(1)")).code, "AS9001");
}

#[test]
fn as_8_sort_is_stable() {
    let source = "
        func key(o) { o.k }
        main func(input) { [{ k: 2, n: 1 }, { k: 1, n: 2 }, { k: 2, n: 3 }, { k: 1, n: 4 }].sort(key) }";
    let order: Vec<_> =
        value_of(source).as_array().unwrap().iter().map(|o| o["n"].clone()).collect();
    assert_eq!(order, [json!(2), json!(4), json!(1), json!(3)]);
}

#[test]
fn as_8_objects() {
    assert_eq!(
        value(
            "o = { b: 1, a: [2] }\n[o.keys(), o.values(), o.has(\"a\"), o.has(\"z\"), o.get(\"b\"), o.get(\"z\"), o.get(\"z\", 7), o.get(\"b\", 7)]"
        ),
        json!([["b", "a"], [1, [2]], true, false, 1, null, 7, 1])
    );
    assert_eq!(fault("{}.has(1)").0, "AS9006");
    assert_eq!(fault("{}.get(none)").0, "AS9006");
}

#[test]
fn gr_3_get_with_default_reads_variables_where_they_are() {
    let source = "words = [\"the\", \"cat\", \"the\"] counts = {}
        for w in words max 3 { counts[w] = counts.get(w, 0) + 1 }
        missing = \"文\"
        [counts, counts.get(missing, [1]), counts.get(missing, { a: 2 }).a]";
    assert_eq!(value(source), json!([{ "the": 2, "cat": 1 }, [1], 2]));
}

#[test]
fn gr_3_get_with_default_of_other_values_is_error() {
    assert_eq!(fault("counts = [1] key = \"a\" counts.get(key, 0)").0, "AS9009");
    assert_eq!(fault("counts = {} key = 1 counts.get(key, 0)").0, "AS9006");
}
