//! AS-28: agents, imports of agents, by value and by reference.

use crate::support::{block_on, failure_of, outcome, program_of, value_of};
use contexture_script::runtime::{Entry, RunOptions, ScriptedHost, compile, run};
use serde_json::{Value, json};

#[test]
fn as_28_agent_is_called_by_name() {
    let source = "
        agent Doubler { main func(input { n integer }) { input.n * 2 } func twice(n) { helper(n) * 2 } func helper(n) { n + 1 } }
        agent Single { func only(x) { x + 1 } }
        main agent Boss { main func(input) { [Doubler({ n: 4 }), Doubler.twice(4), Single(1), Single.only(2)] } }";
    assert_eq!(value_of(source), json!([8, 10, 2, 3]));
}

#[test]
fn gr_3_long_lists_that_both_agents_add_to_are_apart() {
    let source = "
agent Adder {
  main func add(it) {
    n = it.n
    n.add(n.length)
    [n.length, n[n.length - 1]]
  }
}
main agent Boss {
  main func() {
    q = []
    repeat * 40 { q.add(\"q\") }
    first = Adder({ n: q })
    q.add(\"own\")
    second = Adder({ n: q })
    q.add({ k: 1 })
    q[41].k = 2
    third = Adder({ n: q })
    [first, second, third, q.length, q[40], q[41].k]
  }
}";
    assert_eq!(value_of(source), json!([[41, 40], [42, 41], [43, 42], 42, "own", 2]));
}

#[test]
fn as_28_arguments_go_by_value_across_agents() {
    let source = "
        agent Changer {
            main func(input) { input.list.add(9) input.o.x = 1 input }
            func two(a, b) { a.add(1)
 [a, b] }
        }
        main agent { main func(input) {
            o = { list: [1], o: {} }
            result = Changer(o)
            l = []
            pair = Changer.two(l, l)
            result.list.add(10)
            [o, result, l, pair]
        } }";
    assert_eq!(
        value_of(source),
        json!([
            { "list": [1], "o": {} },
            { "list": [1, 9, 10], "o": { "x": 1 } },
            [],
            [[1], []],
        ])
    );
}

#[test]
fn as_28_file_functions_are_shared_by_agents_of_file() {
    let source = "
        func shared(x) { x + helper() }
        func helper() { 1 }
        agent A { func helper() { 100 } main func(input) { shared(input) + helper() } }
        main agent { main func(input) { [A(1), shared(5), A.shared(7)] } }";
    assert_eq!(value_of(source), json!([102, 6, 8]));
}

#[test]
fn as_28_agents_of_other_files() {
    let main = "import agent Worker from \"./lib/worker.as\"\nimport agent Helper from \"./lib/worker.as\"\nimport agent Any from \"./other.as\"\nmain func(input) { [Worker(1), Helper.h(2), Any(3)] }";
    let worker = "import agent Deep from \"../deep.as\"\nfunc shared(x) { x * 10 }\nagent Worker { main func(input) { shared(input) + Deep(1) } }\nagent Helper { func h(x) { shared(x) } }";
    let program = program_of(&[
        ("main.as", main),
        ("lib/worker.as", worker),
        ("other.as", "main func(input) { input + 0.5 }"),
        ("deep.as", "main agent Anything { main func(input) { input + 1 } }"),
    ]);
    let outcome = block_on(run(
        &compile(&program),
        &Entry::default(),
        json!({}),
        &ScriptedHost::new(),
        &RunOptions::default(),
    ));
    assert_eq!(outcome.result, Ok(json!([12, 20, 3.5])));
}

#[test]
fn as_28_files_may_import_each_other() {
    let program = program_of(&[
        (
            "main.as",
            "import agent B from \"b.as\"\nagent A { func down(n) { if n == 0 { return \"done\" } B.down(n - 1) } }\nmain func(input) { A.down(5) }",
        ),
        (
            "b.as",
            "import agent A from \"main.as\"\nagent B { func down(n) { if n == 0 { return \"done in b\" } A.down(n - 1) } }",
        ),
    ]);
    let outcome = block_on(run(
        &compile(&program),
        &Entry::default(),
        json!({}),
        &ScriptedHost::new(),
        &RunOptions::default(),
    ));
    assert_eq!(outcome.result, Ok(json!("done in b")));
}

#[test]
fn as_28_failure_in_another_file_names_it() {
    let program = program_of(&[
        ("main.as", "import agent B from \"b.as\"\nmain func(input) { B(input) }"),
        ("b.as", "agent B {\n  main func(input) { input.nope }\n}"),
    ]);
    let outcome = block_on(run(
        &compile(&program),
        &Entry::default(),
        json!({}),
        &ScriptedHost::new(),
        &RunOptions::default(),
    ));
    let error = outcome.result.unwrap_err();
    assert_eq!((error.file.as_str(), error.line, error.column), ("b.as", 2, 22));
    assert_eq!(error.trace[1].file, "main.as");
}

fn run_entry(
    source: &str,
    agent: Option<&str>,
    function: Option<&str>,
    input: Value,
) -> Result<Value, (String, Option<String>)> {
    let program = program_of(&[("main.as", source)]);
    let entry = Entry { agent: agent.map(str::to_owned), function: function.map(str::to_owned) };
    let outcome = block_on(run(
        &compile(&program),
        &entry,
        input,
        &ScriptedHost::new(),
        &RunOptions::default(),
    ));
    outcome.result.map_err(|error| (error.code, error.help))
}

#[test]
fn as_31_run_may_start_at_any_agent_and_function() {
    let source = "
        func pure(a, b) { [a, b] }
        func nothing() { \"n\" }
        agent Side { func run(x) { x } }
        main agent Boss { main func(input) { \"boss\" } func extra(x) { [x, \"extra\"] } }";
    assert_eq!(run_entry(source, None, None, json!(1)), Ok(json!("boss")));
    assert_eq!(
        run_entry(source, None, Some("extra"), json!({ "a": 1 })),
        Ok(json!([{ "a": 1 }, "extra"]))
    );
    assert_eq!(run_entry(source, Some("Side"), None, json!(5)), Ok(json!(5)));
    assert_eq!(run_entry(source, Some("Side"), Some("run"), json!(6)), Ok(json!(6)));
    assert_eq!(run_entry(source, None, Some("pure"), json!({ "b": 2, "a": 1 })), Ok(json!([1, 2])));
    assert_eq!(run_entry(source, None, Some("nothing"), json!({ "ignored": 1 })), Ok(json!("n")));
    let missing = run_entry(source, Some("Sid"), None, json!(5)).unwrap_err();
    assert_eq!(missing, ("AS9025".to_owned(), Some("did you mean `Side`?".to_owned())));
    let missing = run_entry(source, None, Some("extr"), json!(5)).unwrap_err();
    assert_eq!(missing.0, "AS9025");
    assert_eq!(run_entry(source, None, Some("pure"), json!({ "a": 1 })).unwrap_err().0, "AS9003");
    assert_eq!(run_entry(source, None, Some("pure"), json!([1, 2])).unwrap_err().0, "AS9003");
}

#[test]
fn as_1_program_without_start_is_error() {
    assert_eq!(run_entry("", None, None, json!({})).unwrap_err().0, "AS9025");
    assert_eq!(
        run_entry("func a() { 1 } func b() { 2 }", None, None, json!({})).unwrap_err().0,
        "AS9025"
    );
    assert_eq!(
        run_entry("func a() { 1 } func b() { 2 }", None, Some("b"), json!({})),
        Ok(json!(2))
    );
    assert_eq!(
        run_entry("agent A { func x() { 1 } } agent B { func y() { 1 } }", None, None, json!({}))
            .unwrap_err()
            .0,
        "AS9025"
    );
    assert_eq!(
        run_entry("agent A { func x() { 1 } }", None, None, json!({})),
        Ok(json!(1)),
        "one agent alone is the main one"
    );
}

#[test]
fn as_1_main_func_beside_agents_starts_program() {
    let source = "agent A { main func(input) { input + 1 } } main func(input) { A(41) }";
    assert_eq!(value_of(source), json!(42));
}

#[test]
fn as_28_recursion_within_and_across_agents() {
    let source = "
        agent Even { func is(n) { if n == 0 { return true } Odd.is(n - 1) } }
        agent Odd { func is(n) { if n == 0 { return false } Even.is(n - 1) } }
        func fib(n) { if n < 2 { return n } fib(n - 1) + fib(n - 2) }
        main agent { main func(input) { [Even.is(100), Odd.is(100), fib(15)] } }";
    assert_eq!(value_of(source), json!([true, false, 610]));
}

#[test]
fn as_25_tools_and_memories_receive_their_argument() {
    let source = "
        import tool File from \"file://workspace\"
        import memory Notes from \"file://notes.jsonl\"
        main func(input) {
            text = File.read({ path: \"a\" + \".md\" })
            File.undo([{ id: 1 }])
            past = Notes.query()
            [text, past]
        }";
    let host = ScriptedHost::new()
        .with_tool("File.read", json!("text"))
        .with_tool("File.undo", json!({ "ok": true }))
        .with_memory("Notes.query", json!([]));
    assert_eq!(outcome(source, json!({}), &host).result, Ok(json!(["text", []])));
    let calls = host.tool_calls();
    assert_eq!(
        (calls[0].method.as_str(), &calls[0].arguments),
        ("read", &json!({ "path": "a.md" }))
    );
    assert_eq!(
        (calls[0].tool.uri.as_str(), calls[0].tool.importer.as_str()),
        ("file://workspace", "main.as")
    );
    assert_eq!((calls[1].method.as_str(), &calls[1].arguments), ("undo", &json!([{ "id": 1 }])));
    assert_eq!(calls[0].site.position.line, 5);
    assert_eq!(host.memory_calls()[0].arguments, json!({}));
    let error = failure_of(
        "import tool File from \"file://workspace\" main func(input) { File.read(\"a\", \"b\") }",
    );
    assert_eq!(error.code, "AS9003");
}
