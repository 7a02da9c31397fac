//! Every failure reports where it happened, what was expected and found, and how to fix it (AS-9).

use crate::support::{block_on, executable_of_any, limited};
use contexture_script::host::HostError;
use contexture_script::runtime::{Entry, RunError, RunOptions, ScriptedHost, run};
use serde_json::json;

/// Wraps a failing expression: it fails in the second line of `inner`, which `main` calls in line
/// 8.
fn program(expression: &str) -> String {
    format!(
        "import tool T from \"env://process\"\nimport file F from \"f.json\"\n\
         func same(x) {{ x }}\nfunc three(a, b, c) {{ a }}\n\
         func inner(input) {{\n  {expression}\n}}\n\
         main func(input) {{ inner(input) }}\n\
         func shaped(o {{ n integer, tags list[string] }}) {{ o.n }}\n"
    )
}

fn failing(source: &str, entry: &Entry, host: &ScriptedHost, options: &RunOptions) -> RunError {
    let input = json!({ "text": "word", "list": [1, 2], "none": null, "n": 3 });
    let outcome = block_on(run(&executable_of_any(source), entry, input, host, options));
    outcome.result.expect_err(source)
}

fn failure(expression: &str) -> RunError {
    let host = ScriptedHost::new()
        .with_answer(json!("ok"))
        .with_tool("T.get", json!("v"))
        .with_file("f.json", json!({ "a": [1] }));
    failing(&program(expression), &Entry::default(), &host, &RunOptions::default())
}

/// Failing programs, including some that the checker refuses: they must fail as clearly at run
/// time.
const FAILING: &[&str] = &[
    "missing",
    "x = 5 x.y",
    "[1].foo",
    r#""a".foo"#,
    "true.foo",
    "input.none.foo",
    "input.texd",
    "input.zzz",
    "{}.a",
    "{ a: 1 }.b",
    r#"input["nope"]"#,
    "x = 5 x[0]",
    r#""a"[0]"#,
    "[1][5]",
    "[][0]",
    "[1][0 - 1]",
    r#"[1]["a"]"#,
    "[1][1.5]",
    "{ a: 1 }[0]",
    "input.none[0]",
    r#"-"a""#,
    "-none",
    "-[1]",
    "-{ a: 1 }",
    "1 + [1]",
    "[1] + 1",
    r#""a" + [1]"#,
    r#""a" + none"#,
    "{ a: 1 } + { a: 2 }",
    "none + 1",
    r#""a" - 1"#,
    "[1] * 2",
    "true + 1",
    "1 / 0",
    "1 % 0",
    "1.5 / 0",
    "9223372036854775807 + 1",
    "-9223372036854775807 - 2",
    "1e308 * 10",
    r#"1 < "a""#,
    "[1] < [2]",
    "none < 1",
    r#"[1, "a"].sort()"#,
    "[{ a: 1 }].sort()",
    "[1].join(1)",
    r#"["a"].join(none)"#,
    r#"[[1]].join("")"#,
    r#"[{ a: 1 }].join("")"#,
    r#"[none].join("")"#,
    r#""a".split(1)"#,
    r#""a".split(["b"])"#,
    r#""a".replace("", "b")"#,
    r#""a".replace(1, "b")"#,
    r#""a".replace("a", 2)"#,
    r#""a".contains(1)"#,
    r#""a".contains(none)"#,
    r#""a".startsWith({ a: 1 })"#,
    r#""a".endsWith(1)"#,
    r#"[1].slice("a")"#,
    "[1].slice(0.5)",
    "[1].slice(1.5)",
    "[1].slice([1])",
    "{ a: 1 }.get(1)",
    "{ a: 1 }.has(1)",
    "input.text.push(1)",
    "input.list.push(1)",
    "input.list.ad(1)",
    "input.n.foo()",
    "input.none.foo()",
    "input.text.summary()",
    "input.text.trim(1)",
    "input.list.add()",
    "input.list.map(1)",
    "input.text.map(same)",
    "input.list.map(three)",
    "input.none.map(same)",
    "l = [1] l[0] = 2",
    "x = 5 x.a = 1",
    r#"x = "a" x["b"] = 1"#,
    "o = {} o[1] = 2",
    "l = [] l.add(l)",
    "o = {} o.o = { a: o }",
    "F.a.add(2)",
    "F.b = 1",
    "same(1, 2)",
    "three(1)",
    "nothing(1)",
    "x = 1 x(2)",
    "1(2)",
    "T.get(1, 2)",
    "T.nope",
    "x = same",
    "x = T",
    "for x in 3 max 1 { }",
    "for x in input.text max 1 { }",
    "for x in input max 1 { }",
    "for x in [1] max input.text { }",
    "for x in [1] max 0 { }",
    "repeat * input.text { }",
    "repeat * 1.5 { }",
    "loop until false max none { }",
    "parallel for x in [0] max 1 { 1 / x }",
    "parallel for x in [0] max 1 { input.list.add(x) }",
    "parallel for x in [0] max 1 { T.nope({}) }",
    "parallel for x in 3 max 1 { x }",
    r#"shaped({ n: "a" })"#,
    "shaped({ n: 1, tags: [1] })",
    "shaped(1)",
    "generate({ input: 1 })",
    "generate({ input: none })",
    r#"generate({ input: "a", attempts: 0 })"#,
    r#"generate({ input: "a", max_output: "many" })"#,
    r#"generate({ input: "a", temperature: "hot" })"#,
    r#"generate({ input: "a", temperature: 0 - 1 })"#,
    r#"generate({ input: "a", think: "deep" })"#,
    r#"generate({ input: "a", strict: 1 })"#,
    r#"generate({ input: "a", timeout: 1.5 })"#,
    r#"generate({ input: "a", attempts: 5000000000 })"#,
    r#"generate({ input: "a", nope: 1 })"#,
    "generate({ max_output: 1 })",
    r#"generate({ input: "a", tools: input })"#,
    r#"generate({ input: "a", tools: [same] })"#,
    "x = )",
];

#[test]
fn as_9_every_failure_has_place_reason_and_help() {
    let mut told = String::new();
    for expression in FAILING {
        let error = failure(expression);
        let help = error.help.clone().unwrap_or_default();
        assert!(!help.is_empty() && !error.message.is_empty(), "{expression}: {error}");
        assert_eq!(error.line, 6, "{expression}: {error}");
        let trace: Vec<(&str, u32, u32)> = error
            .trace
            .iter()
            .map(|frame| (frame.function.as_str(), frame.line, frame.column))
            .collect();
        assert_eq!(trace, [("inner", 6, error.column), ("main", 8, 20)], "{expression}");
        let (code, column, message) = (&error.code, error.column, &error.message);
        told += &format!("{expression}\n    {column}: {code}: {message}\n    help: {help}\n");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn as_9_limits_and_failed_effects_have_help_too() {
    let limits: [(&str, RunOptions); 6] = [
        ("repeat * 100000 { }", limited(|limits| limits.steps = 1_000)),
        ("s = \"x\" repeat * 30 { s += s }", limited(|limits| limits.string_bytes = 100)),
        ("l = [] repeat * 30 { l.add(1) }", limited(|limits| limits.collection_items = 10)),
        ("x = [] repeat * 10000 { x.add([1]) }", limited(|limits| limits.heap_bytes = 20_000)),
        ("repeat * 3 { T.get({}) }", limited(|limits| limits.tool_calls = 2)),
        ("generate({ input: \"a\" })", limited(|limits| limits.model_calls = 0)),
    ];
    for (expression, options) in limits {
        let host = ScriptedHost::new().with_tool("T.get", json!("v")).with_answer(json!("a"));
        let error = failing(&program(expression), &Entry::default(), &host, &options);
        assert!(error.help.is_some_and(|help| !help.is_empty()), "{expression}");
        assert_eq!((error.line, error.trace.len()), (6, 2), "{expression}");
    }
    let refused = || HostError::new("file_not_found", "there is no file");
    let host = ScriptedHost::new().with_result("T.get", Err(refused()));
    let options = RunOptions::default();
    let error = failing(&program("T.get({})"), &Entry::default(), &host, &options);
    assert_eq!(
        error.help.as_deref(),
        Some("handle it with `try { … } else err { … }`; `err.code` names the failure")
    );
    let host = ScriptedHost::new().with_result("T.get", Err(refused().with_help("look twice")));
    let error = failing(&program("T.get({})"), &Entry::default(), &host, &options);
    assert_eq!(error.help.as_deref(), Some("look twice"));
}

#[test]
fn as_9_unknown_entry_suggests_another() {
    let none = || Entry::default();
    let agent = |name: &str| Entry { agent: Some(name.to_owned()), ..none() };
    let function = |name: &str| Entry { function: Some(name.to_owned()), ..none() };
    let two = "agent Reader { func read(x) { x } } agent Writer { func write(x) { x } }";
    for (source, entry, help) in [
        (two, agent("Raeder"), "did you mean `Reader`?"),
        (two, agent("Zzz"), "the agents are Reader, Writer"),
        (two, none(), "write `main func(input) { … }`, or mark an agent as `main`"),
        ("func help(x) { x }", function("zzz"), "the functions are help"),
        ("main func(x) { x }", agent("Zzz"), "it has no agents with a name"),
        ("main func(x) { x }", function("zzz"), "it has no functions with a name"),
        ("main func(a, b) { a }", none(), "give an input object with a field for each"),
    ] {
        let host = ScriptedHost::new();
        let error = failing(source, &entry, &host, &RunOptions::default());
        let mending = error.help.unwrap_or_default();
        assert!(mending.contains(help), "{source}: {mending}");
    }
}
