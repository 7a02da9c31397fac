//! Limits are errors that name them; depth takes heap, not the native stack.

use crate::support::{block_on, failure, limited, main_of, outcome_with, value, value_of};
use contexture_diagnostic::{SourceFile, Span};
use contexture_script::program::{Program, ProgramFile};
use contexture_script::runtime::{Entry, RunOptions, ScriptedHost, compile, run};
use contexture_script::syntax::Parsed;
use contexture_script::syntax::ast::{
    Block, Expr, ExprKind, File, Func, Item, Statement, StatementKind,
};
use serde_json::json;

fn code(source: &str, options: &RunOptions) -> String {
    let host = (0..200).fold(ScriptedHost::new(), |host, _| host.with_answer(json!("ok")));
    let host = host.with_tool("T.run", json!(1));
    let outcome = outcome_with(source, json!({}), &host, options).result;
    outcome.map_err(|error| error.code).expect_err(source)
}

#[test]
fn as_9_ten_thousand_open_calls_work() {
    let source = |depth: u32| {
        format!(
            "func f(n) {{ if n == 0 {{ return 0 }} f(n - 1) + 1 }} main func(input) {{ f({depth}) }}"
        )
    };
    assert_eq!(value_of(&source(9_990)), json!(9_990));
    assert_eq!(code(&source(10_001), &RunOptions::default()), "AS9050");
    assert_eq!(code(&source(101), &limited(|limits| limits.call_depth = 100)), "AS9050");
}

#[test]
fn as_9_endless_recursion_through_agents_and_loops_is_stopped() {
    assert_eq!(
        code(
            "agent A { main func(input) { A(input) } } main func(input) { A(1) }",
            &RunOptions::default()
        ),
        "AS9050"
    );
    assert_eq!(
        code("func f(x) { [x].map(f) } main func(input) { f(1) }", &RunOptions::default()),
        "AS9050"
    );
    assert_eq!(
        code(
            "func f(n) { parallel for x in [n] max 1 { f(x + 1) } } main func(input) { f(0) }",
            &RunOptions::default()
        ),
        "AS9058"
    );
}

#[test]
fn as_6_steps_are_limited() {
    let options = limited(|limits| limits.steps = 50_000);
    assert_eq!(code(&main_of("loop until false max 1000000000 { }"), &options), "AS9051");
    assert_eq!(
        code(
            "func f(n) { if n == 0 { return 0 } f(n - 1) f(n - 1) } main func(input) { f(40) }",
            &options
        ),
        "AS9051"
    );
    let outcome =
        outcome_with(&main_of("repeat * 1000 { }"), json!({}), &ScriptedHost::new(), &options);
    assert!(outcome.result.is_ok() && (1000..10_000).contains(&outcome.steps), "{}", outcome.steps);
}

#[test]
fn as_7_strings_and_collections_are_limited() {
    let options = limited(|limits| limits.string_bytes = 1000);
    for body in [
        "s = \"x\" repeat * 30 { s += s }",
        "s = \"x\" repeat * 30 { s = s + s + \"y\" }",
        "s = \"xxxxxxxxxx\" repeat * 5 { s = s.replace(\"x\", s) }",
        "l = [] repeat * 200 { l.add(\"0123456789\") } l.join(\"\")",
        &format!("\"{}\"", "x".repeat(1_001)),
    ] {
        assert_eq!(code(&main_of(body), &options), "AS9052", "{body}");
    }
    let options = limited(|limits| limits.collection_items = 50);
    for body in [
        "l = [] repeat * 100 { l.add(1) }",
        "o = {} i = 0 repeat * 100 { o[\"k\" + i] = i i += 1 }",
        "\"a\".replace(\"a\", \"a,a,a,a,a,a,a,a,a,a\").replace(\"a\", \"a,a,a,a,a,a,a\").split(\",\")",
    ] {
        assert_eq!(code(&main_of(body), &options), "AS9053", "{body}");
    }
    let options = limited(|limits| limits.heap_bytes = 100_000);
    for body in [
        "k = [] repeat * 100000 { k.add([1, 2, 3]) }",
        "k = {} i = 0 repeat * 100000 { k[\"n\" + i] = {} i += 1 }",
        "k = [] i = 0 repeat * 100000 { k = [k, \"n\" + i] i += 1 }",
        "k = [] l = [1, 2, 3] repeat * 100000 { k.add(l.summary) }",
        // One instruction that needs more than there is, over and over.
        "k = \"a,\" repeat * 12 { k += k } repeat * 3 { k.split(\",\") }",
        "l = [1, 2] r = parallel for i in l max 200 { k = [] repeat * 100000 { k.add([1]) } k } 1",
        "l = range(50) r = parallel for i in l max 200 { \"a\".pad(4000) } 1",
    ] {
        assert_eq!(code(&main_of(body), &options), "AS9054", "{body}");
    }
}

#[test]
fn as_7_string_that_grows_in_place_is_counted_once() {
    let options = limited(|limits| limits.heap_bytes = 1_000_000);
    let source = main_of("s = \"\" repeat * 100000 { s += \"ab\" } s.length");
    assert_eq!(
        outcome_with(&source, json!({}), &ScriptedHost::new(), &options).result,
        Ok(json!(200_000))
    );
}

#[test]
fn gr_4_run_that_drops_what_it_made_goes_on() {
    let options = limited(|limits| limits.heap_bytes = 100_000);
    let source = |body: &str| {
        format!(
            "import tool T from \"sh://grep\" agent A {{ main func(x) {{ y = [x, x.a + 1] y[1] }} }}
            func f(n) {{ o = {{ n: n, l: [n] }} o.l[0] }} main func(input) {{ {body} }}"
        )
    };
    for (body, expected) in [
        ("x = 0 repeat * 20000 { x = { a: 1, b: [2] } } x.b[0]", json!(2)),
        ("i = 0 x = 0 repeat * 20000 { x = \"n\" + i i += 1 } x", json!("n19999")),
        ("x = 0 l = [1, 2, 3] repeat * 20000 { x = l.summary } x", json!([1, 2, 3])),
        ("k = [] i = 0 repeat * 20000 { k = [k.length, i] i += 1 } k", json!([2, 19999])),
        ("n = 0 repeat * 20000 { n = f(n) + 1 } n", json!(20_000)),
        ("n = 0 repeat * 2000 { n = A({ a: n }) } n", json!(2_000)),
        ("x = 0 repeat * 150 { x = T.run({}) } x.text.length", json!(5_000)),
        (
            "l = range(200) r = parallel for i in l max 200 { x = \"a\".pad(4000) i } r.length",
            json!(200),
        ),
        (
            "l = [1, 2, 3] r = parallel for i in l max 200 { repeat * 9000 { x = [i] x.length } i } r",
            json!([1, 2, 3]),
        ),
        ("t = 0 s = \"a\".pad(20000) repeat * 2000 { t = s + \"b\" } t.length", json!(20_001)),
        ("t = 0 s = \"a\".pad(20000) repeat * 200 { t = s t += \"b\" } t.length", json!(20_001)),
    ] {
        let host = ScriptedHost::new().with_tool("T.run", json!({ "text": "a".repeat(5_000) }));
        let outcome = outcome_with(&source(body), json!({}), &host, &options);
        assert_eq!(outcome.result.map_err(|error| error.message), Ok(expected), "{body}");
    }
}

#[test]
fn gr_4_tool_is_not_called_again_where_its_answer_finds_no_room() {
    let options = limited(|limits| {
        limits.heap_bytes = 10_000;
        limits.tool_calls = 2;
    });
    let source = "import tool T from \"sh://grep\" main func(input) { repeat * 9 { T.run({}) } }";
    let host = ScriptedHost::new().with_tool("T.run", json!("a".repeat(20_000)));
    let error = outcome_with(source, json!({}), &host, &options).result.unwrap_err();
    assert_eq!(error.code, "AS9054");
    assert_eq!(error.message, "the run holds more than 10000 bytes of strings, lists and objects");
    let help = "keep fewer values, or raise `heap_bytes` under `[limits]` in `contexture.toml`";
    assert_eq!(error.help.as_deref(), Some(help));
}

#[test]
fn as_19_model_and_tool_calls_are_limited() {
    let options = limited(|limits| {
        limits.model_calls = 5;
        limits.tool_calls = 5;
    });
    assert_eq!(code(&main_of("repeat * 6 { generate({ input: \"x\" }) }"), &options), "AS9056");
    let source = "import tool T from \"sh://grep\" main func(input) { try { repeat * 6 { T.run({}) } } else e { 1 } }";
    assert_eq!(code(source, &options), "AS9057");
}

#[test]
fn as_9_deep_values_do_not_overflow_or_leave_run() {
    // A list nested a hundred thousand deep is created, walked one step, compared and dropped.
    assert_eq!(value("l = [] repeat * 100000 { l = [l] } l[0].length"), json!(1));
    assert_eq!(value("o = {} repeat * 100000 { o = { o: o, l: [o] } } o.length"), json!(2));
    for body in ["l", "l == m", "l.summary", "\"x\".contains(l)", "m.contains(l)"] {
        let body = format!("l = [] m = [] repeat * 1000 {{ l = [l] m = [m] }} {body}");
        let code = failure(&body).code;
        assert!(code == "AS9055" || code == "AS9006", "{body}: {code}");
    }
    assert_eq!(value("l = [] repeat * 500 { l = [l] } l == l.summary"), json!(true));
}

#[test]
fn as_9_value_depth_is_at_most_900() {
    let options = limited(|limits| limits.value_depth = 1_000_000);
    let body = |depth: usize| {
        let change = "agent A { main func(input { l list }) { input } }";
        let main =
            format!("l = [] repeat * {depth} {{ l = [l] }} r = A({{ l: l }}) r == {{ l: l }}");
        format!("{change} {}", main_of(&main))
    };
    let run = |depth| outcome_with(&body(depth), json!({}), &ScriptedHost::new(), &options).result;
    assert_eq!(run(895), Ok(json!(true)));
    let mixed = main_of("l = [] repeat * 440 { l = [{ a: l }] } [l.summary == l, l]");
    let mixed = outcome_with(&mixed, json!({}), &ScriptedHost::new(), &options).result;
    assert_eq!(mixed.map(|value| value[0].clone()), Ok(json!(true)));
    let error = run(901).unwrap_err();
    let help = "make it flatter: `value_depth` can't be raised above 900";
    assert_eq!((error.code.as_str(), error.help.as_deref()), ("AS9055", Some(help)));
}

#[test]
fn as_13_code_for_many_uses_does_not_grow_without_bound() {
    let mut source = String::from("v = 1\n");
    for _ in 0..3_000 {
        source.push_str("use v\n");
    }
    for _ in 0..6_000 {
        source.push_str("generate({ input: \"x\" })\n");
    }
    assert_eq!(code(&main_of(&source), &RunOptions::default()), "AS9027");
}

#[test]
fn an_executable_may_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<contexture_script::runtime::Executable>();
    shared::<contexture_script::runtime::RunError>();
}

#[test]
fn as_28_deep_values_do_not_cross_agents() {
    let source = "agent A { main func(input) { 1 } } main func(input) { l = [] repeat * 1000 { l = [l] } A(l) }";
    assert_eq!(code(source, &RunOptions::default()), "AS9055");
}

#[test]
fn as_9_exported_shared_value_is_limited() {
    let options = limited(|limits| limits.heap_bytes = 10_000_000);
    assert_eq!(code(&main_of("l = [1] repeat * 40 { l = [l, l] } l"), &options), "AS9054");
}

fn nested(depth: usize) -> Block {
    let value = Expr { kind: ExprKind::Bool(true), span: Span::default() };
    let mut block = Block::default();
    for _ in 0..depth {
        let kind = StatementKind::If { arms: vec![(value.clone(), block)], otherwise: None };
        block = Block {
            statements: vec![Statement { kind, span: Span::default() }],
            span: Span::default(),
        };
    }
    block
}

fn tree(body: Block) -> Program {
    let (result, doc) = (None, None);
    let (params, span) = (Vec::new(), Span::default());
    let func = Func { main: true, name: None, params, result, doc, body, is_script: false, span };
    let file = File { items: vec![Item::Func(func)] };
    let parsed = Parsed { file, ..Parsed::default() };
    let file = ProgramFile {
        source: SourceFile::new("main.as", ""),
        parsed,
        links: Vec::new(),
        templates: Vec::new(),
        servers: Vec::new(),
    };
    Program { files: vec![file], faults: Vec::new(), model_schemes: Vec::new(), secrets: None }
}

#[test]
fn as_6_tree_of_any_height_is_compiled_and_dropped() {
    let run = |depth: usize| {
        let program = compile(&tree(nested(depth)));
        block_on(run(
            &program,
            &Entry::default(),
            json!({}),
            &ScriptedHost::new(),
            &RunOptions::default(),
        ))
        .result
    };
    assert_eq!(run(1_000), Ok(json!(null)));
    assert_eq!(run(30_000), Ok(json!(null)));
}

#[test]
fn as_7_comparison_of_shared_values_ends() {
    let shared = |name: &str| format!("{name} = [1] repeat * 45 {{ {name} = [{name}, {name}] }}");
    let compared = format!("{} {} x == y", shared("x"), shared("y"));
    assert_eq!(value(&compared), json!(true));
    let returned = format!("{} x", shared("x"));
    assert_eq!(code(&main_of(&returned), &RunOptions::default()), "AS9054");
}

#[test]
fn as_9_imported_values_have_same_depth_limit() {
    let deep = |levels: usize| (1..levels).fold(json!([]), |inner, _| json!([inner]));
    let source = "import tool T from \"env://process\" import memory M from \"file://m.jsonl\" import file F from \"f.json\"
        agent A { main func(x) { x } }
        main func(input) { [T.get({}), M.query({}), F, generate({ input: \"x\" }), input.deep].map(one) }
        func one(x) { [x == x.summary, A([x.length]).length] }";
    let run = |levels: usize, outside: usize| {
        let host = ScriptedHost::new()
            .with_tool("T.get", deep(levels))
            .with_memory("M.query", deep(levels))
            .with_file("f.json", deep(levels))
            .with_answer(deep(levels));
        let input = json!({ "deep": deep(outside) });
        let outcome = outcome_with(source, input, &host, &RunOptions::default());
        outcome.result.map_err(|error| error.code)
    };
    assert_eq!(run(512, 511), Ok(json!([[true, 1], [true, 1], [true, 1], [true, 1], [true, 1]])));
    assert_eq!(run(513, 1), Err("AS9055".to_owned()));
    assert_eq!(run(1, 512), Err("AS9055".to_owned()));
}
