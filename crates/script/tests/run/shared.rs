//! Values that contain a part many times are small to store and endless to walk: every operation on
//! them ends soon, with the right answer or with an error that names a limit.

use crate::support::{limited, outcome_with, value};
use contexture_script::runtime::{RunOptions, ScriptedHost};
use serde_json::{Value, json};

/// Two lists and an object that would have 2^60 parts when written out.
const SHARED: &str = "a = [1] repeat * 60 { a = [a, a] } b = [1] repeat * 60 { b = [b, b] } \
                      o = { n: 1 } repeat * 60 { o = { l: o, r: o } }";

fn run(body: &str) -> Result<Value, String> {
    let deep = "list[".repeat(60) + "json" + &"]".repeat(60);
    let source = format!(
        "import memory M from \"file://m.jsonl\" import tool T from \"env://process\"
        func same(x) {{ x }} func deep(x {deep}) {{ 1 }} func flat(x list[string]) {{ 1 }}
        agent A {{ main func(x) {{ 1 }} func give(x) {{ {SHARED} a }} func typed(x {deep}) {{ 1 }} }}
        main agent {{ main func(input) {{ {SHARED} {body} }} }}"
    );
    let host = ScriptedHost::new()
        .with_answer(json!("ok"))
        .with_memory("M.add", json!({}))
        .with_tool("T.get", json!("v"));
    // Small, so that reaching it takes no time.
    let options = limited(|limits| limits.heap_bytes = 64 << 20);
    outcome_with(&source, json!({}), &host, &options).result.map_err(|error| error.code)
}

#[test]
fn as_7_shared_values_are_compared_copied_and_searched_once() {
    for (body, expected) in [
        ("a == b", json!(true)),
        ("a != b", json!(false)),
        ("a == [b, [b]]", json!(false)),
        ("o == o.l", json!(false)),
        ("c = a.summary c == a", json!(true)),
        ("p = o.summary p == o", json!(true)),
        ("[1, b].contains(a)", json!(true)),
        ("[b, 2].contains([a])", json!(false)),
        ("a.length + a.first().length + o.length", json!(6)),
        ("c = [a, b] c.add(o) c.length", json!(3)),
        ("d = a.map(same) d == b", json!(true)),
        ("d = a.filter(same) d.length", json!(2)),
        ("d = a.slice(1) d.length", json!(1)),
        ("for x in a max 5 { a.length } 1", json!(1)),
        ("r = parallel for x in a max 5 { x } r == b", json!(true)),
        ("p = o.values() p.length", json!(2)),
        ("deep(a)", json!(1)),
        ("same(a) == b", json!(true)),
        ("if a { 1 } not a", json!(false)),
    ] {
        assert_eq!(run(body), Ok(expected), "{body}");
    }
}

#[test]
fn as_9_export_of_shared_values_ends() {
    for (body, code) in [
        ("a", "AS9054"),
        ("o", "AS9054"),
        ("{ a: a.summary }", "AS9054"),
        ("use a generate({ input: \"x\" })", "AS9054"),
        ("use o max 10 as it\ngenerate({ input: \"x\" })", "AS9054"),
        ("use a.summary generate({ input: \"x\" })", "AS9054"),
        ("M.add({ kind: \"k\", text: \"t\", a: a })", "AS9054"),
        ("T.get({ name: o })", "AS9054"),
        ("A(a)", "AS9054"),
        ("A.give(1)", "AS9054"),
        ("A.typed(a)", "AS9054"),
        ("flat(a)", "AS9054"),
        ("\"\" + a", "AS9006"),
        ("a + a", "AS9054"),
        ("a.unique()", "AS9054"),
        ("[a, b, a].unique()", "AS9054"),
        ("a + 1", "AS9006"),
        ("a.sort()", "AS9006"),
        ("a.sort(same)", "AS9006"),
        ("a.join(\"\")", "AS9006"),
        ("a < b", "AS9006"),
        ("o.get(a)", "AS9006"),
        ("a.slice(b)", "AS9006"),
        ("o[a]", "AS9008"),
        ("a[b]", "AS9008"),
        ("generate({ input: a })", "AS9018"),
        ("a.add(a)", "AS9014"),
        ("b[0].add(b)", "AS9014"),
    ] {
        assert_eq!(run(body), Err(code.to_owned()), "{body}");
    }
}

#[test]
fn as_20_total_size_of_shown_items_is_limited() {
    let mut body = String::from("l = [0] repeat * 16 { l = [l, l] }\n");
    for _ in 0..100 {
        body += "use l\n";
    }
    body += "generate({ input: \"x\" })";
    assert_eq!(run(&body), Err("AS9054".to_owned()));
    let indented = "l = [0] repeat * 13 { l = [l, l] } repeat * 480 { l = [l] } use l generate({ input: \"x\" }) 1";
    assert_eq!(run(indented), Ok(json!(1)));
    let indented = indented.replace("13", "17");
    assert_eq!(run(&indented), Err("AS9054".to_owned()));
}

#[test]
fn as_28_shared_value_is_checked_against_each_shape() {
    assert_eq!(value("l = [1] o = { a: l, b: l } o.a == o.b"), json!(true));
    let source = |b: &str| {
        format!(
            "func f(o {{ a list[number], b list[{b}] }}) {{ 1 }} main func(input) {{ l = [1] f({{ a: l, b: l }}) }}"
        )
    };
    let run = |b: &str| {
        let host = ScriptedHost::new();
        let options = RunOptions::default();
        outcome_with(&source(b), json!({}), &host, &options).result.map_err(|error| error.code)
    };
    assert_eq!(run("number"), Ok(json!(1)));
    assert_eq!(run("string"), Err("AS9017".to_owned()));
}
