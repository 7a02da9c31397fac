//! Random programs, as text: all end with a value or an error.

use crate::support::{block_on, executable_of_any, limited, main_of};
use contexture_script::runtime::{Entry, RunOptions, ScriptedHost, run};
use proptest::prelude::*;
use serde_json::json;

pub(crate) fn tight() -> RunOptions {
    limited(|limits| {
        limits.steps = 20_000;
        limits.call_depth = 60;
        limits.string_bytes = 5_000;
        limits.collection_items = 200;
        limits.heap_bytes = 2_000_000;
        limits.value_depth = 30;
        limits.model_calls = 20;
        limits.tool_calls = 20;
    })
}

pub(crate) fn host() -> ScriptedHost {
    let host = (0..20)
        .fold(ScriptedHost::new(), |host, n| host.with_answer(json!({ "a": n, "l": ["x"] })));
    host.with_tool("T.run", json!([1, { "a": "x" }]))
        .with_memory("M.query", json!([{ "a": 1 }]))
        .with_file("f.json", json!({ "a": [1] }))
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "input", "l", "o", "F", "T", "M", "f", "g", "A"])
        .prop_map(str::to_owned)
}

fn field() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "length", "summary", "keys", "code"])
        .prop_map(str::to_owned)
}

fn method() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "add", "map", "filter", "sort", "join", "first", "last", "slice", "contains", "keys",
        "values", "has", "get", "upper", "split", "replace", "lines", "length", "nope", "run",
        "query", "g",
    ])
    .prop_map(str::to_owned)
}

fn expr() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("none".to_owned()),
        Just("true".to_owned()),
        Just("[]".to_owned()),
        Just("\"s\"".to_owned()),
        Just("{}".to_owned()),
        Just("9223372036854775807".to_owned()),
        (-3_i32..12).prop_map(|n| n.to_string()),
        Just("0.5".to_owned()),
        name(),
        name(),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let op = prop::sample::select(vec!["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"]);
        prop_oneof![
            4 => (inner.clone(), op, inner.clone()).prop_map(|(l, op, r)| format!("({l} {op} {r})")),
            1 => inner.clone().prop_map(|e| format!("(not {e})")),
            1 => inner.clone().prop_map(|e| format!("(-({e}))")),
            2 => prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            2 => prop::collection::btree_map(field(), inner.clone(), 0..3)
                .prop_map(|fields| format!("{{ {} }}", fields.into_iter().map(|(k, v)| format!("{k}: {v}")).collect::<Vec<_>>().join(", "))),
            2 => (inner.clone(), field()).prop_map(|(e, f)| format!("({e}).{f}")),
            2 => (inner.clone(), inner.clone()).prop_map(|(e, i)| format!("({e})[{i}]")),
            3 => (inner.clone(), method(), prop::collection::vec(inner.clone(), 0..3))
                .prop_map(|(e, m, args)| format!("{e}.{m}({})", args.join(", "))),
            2 => (name(), prop::collection::vec(inner.clone(), 0..3)).prop_map(|(n, args)| format!("{n}({})", args.join(", "))),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("try {{ a = {a} a }} else err {{ b = err {b} }}")),
            1 => (inner.clone(), inner.clone()).prop_map(|(l, b)| format!("parallel for c in {l} max 3 {{ d = c {b} }}")),
            1 => inner.clone().prop_map(|i| format!("generate({{ input: \"x\", attempts: {i} }}) -> {{ a?: number }}")),
        ]
    })
}

fn statements() -> impl Strategy<Value = String> {
    let simple = prop_oneof![
        3 => (name(), prop::sample::select(vec!["=", "+=", "-="]), expr()).prop_map(|(n, op, e)| format!("{n} {op} {e}\n")),
        1 => (name(), field(), expr()).prop_map(|(n, f, e)| format!("{n}.{f} = {e}\n")),
        1 => (name(), expr(), expr()).prop_map(|(n, i, e)| format!("{n}[{i}] = {e}\n")),
        2 => expr().prop_map(|e| format!("{e}\n")),
        1 => name().prop_map(|n| format!("use {n} max 2k as label\n")),
        1 => expr().prop_map(|e| format!("return {e}\n")),
    ];
    let block = prop::collection::vec(simple, 1..4).prop_map(|lines| lines.concat());
    block.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            (expr(), inner.clone(), inner.clone())
                .prop_map(|(c, a, b)| format!("if {c} {{ {a} }} else {{ {b} }}\n")),
            (expr(), inner.clone()).prop_map(|(c, a)| format!("loop until {c} max 4 {{ {a} }}\n")),
            (expr(), inner.clone()).prop_map(|(l, a)| format!("for a in {l} max 4 {{ {a} }}\n")),
            (expr(), inner.clone()).prop_map(|(n, a)| format!("repeat * {n} {{ {a} }}\n")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + &b),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn as_9_random_programs_end(main in statements(), f in statements(), g in statements()) {
        let source = format!(
            "import tool T from \"sh://grep\"\nimport memory M from \"file://m.jsonl\"\nimport file F from \"f.json\"\n\
             func f(a) {{ b = 1 {f} }}\nagent A {{ func g(c) {{ a = [] {g} }} }}\nmain agent {{ {} }}",
            main_of(&format!("a = 1 l = [1, 2] o = {{ a: l }}\n{main}"))
        );
        let program = executable_of_any(&source);
        let outcome = block_on(run(&program, &Entry::default(), json!({ "a": [1, "x"] }), &host().with_waits(1), &tight()));
        if let Err(error) = outcome.result {
            prop_assert!(!error.code.is_empty() && !error.message.is_empty());
            prop_assert_ne!(error.message, "the compiled program is damaged");
        }
    }
}
