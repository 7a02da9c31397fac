//! AS-10: `parallel for`.

use crate::support::{failure, main_of, outcome, outcome_with, value, value_of};
use contexture_script::host::HostError;
use contexture_script::runtime::{FailureKind, RunOptions, ScriptedHost};
use serde_json::json;

const ASK: &str = "main func(input) {
    parallel for x in input.items max 100 {
        use x as item
        generate({ input: \"Item \" + x })
    }
}";

/// Returns the code of the first failed iteration.
fn cause(body: &str) -> String {
    let error = failure(body);
    assert_eq!(error.code, "AS9016", "{body}");
    error.details.unwrap()[0]["code"].as_str().unwrap().to_owned()
}

fn host_of(answers: usize) -> ScriptedHost {
    (0..answers).fold(ScriptedHost::new(), |host, number| host.with_answer(json!(number)))
}

#[test]
fn as_10_results_have_order_of_list() {
    assert_eq!(value("parallel for x in [3, 1, 2] max 10 { x * 10 }"), json!([30, 10, 20]));
    assert_eq!(value("parallel for x in [] max 10 { x }"), json!([]));
    assert_eq!(value("r = parallel for x in [1, 2, 3] max 2 { y = x + 1 y } r"), json!([2, 3]));
    assert_eq!(
        value("parallel for x in [1] max 10 { y = x }"),
        json!([null]),
        "the last expression is the value"
    );
    assert_eq!(
        value("[parallel for x in [1, 2] max 9 { x }, \"after\"]"),
        json!([[1, 2], "after"])
    );
}

#[test]
fn as_10_concurrent_iterations_are_limited() {
    for (concurrency, items, expected) in
        [(1, 5, 1), (2, 5, 2), (4, 3, 3), (4, 20, 4), (100, 20, 20)]
    {
        let host = host_of(items).with_waits(3);
        let options = RunOptions { concurrency, ..RunOptions::default() };
        let list: Vec<usize> = (0..items).collect();
        let outcome = outcome_with(ASK, json!({ "items": list }), &host, &options);
        assert_eq!(outcome.result, Ok(json!(list)), "{concurrency}");
        assert_eq!(host.most_under_way(), expected, "{concurrency} of {items}");
    }
}

#[test]
fn as_10_default_concurrency_is_four_when_nested() {
    let source = "main func(input) {
        parallel for x in [1, 2, 3, 4, 5] max 9 {
            parallel for y in [1, 2, 3, 4, 5] max 9 { generate({ input: \"x\" }) }
        }
    }";
    let host = host_of(25).with_waits(2);
    let value = outcome(source, json!({}), &host).result.unwrap();
    assert_eq!(value.as_array().map(Vec::len), Some(5));
    assert_eq!(host.most_under_way(), 4);
    assert_eq!(host.generate_calls().len(), 25);
}

#[test]
fn as_10_iterations_see_enclosing_variables() {
    let source = "
        import file Notes from \"notes.md\"
        func scaled(x, factors) { x * factors[0] }
        main func(input) {
            factors = [10]
            name = \"n\"
            use name
            parallel for x in [1, 2] max 9 {
                use Notes
                text = name + scaled(x, factors)
                generate({ input: text })
            }
        }";
    let host = host_of(2).with_file("notes.md", json!("notes")).with_waits(2);
    assert_eq!(outcome(source, json!({}), &host).result, Ok(json!([0, 1])));
    let calls = host.generate_calls();
    let told: Vec<_> =
        calls.iter().map(|call| (call.instruction.as_str(), call.items.len())).collect();
    assert_eq!(told, [("n10", 2), ("n20", 2)]);
    assert_eq!(host.file_imports().len(), 1, "turns that need the same file wait for one reading");
}

#[test]
fn as_10_writes_to_outer_variables_are_refused() {
    for body in [
        "n = 0 parallel for x in [1] max 9 { n = x }",
        "n = 0 parallel for x in [1] max 9 { if x { n += x } }",
        "parallel for x in [1] max 9 { input = 2 }",
    ] {
        assert_eq!(cause(body), "AS9015", "{body}");
    }
    assert_eq!(
        value("parallel for x in [1, 2] max 9 { n = 5 n += x x += n x }"),
        json!([7, 9]),
        "its own it may write"
    );
}

#[test]
fn as_10_writes_to_outer_lists_and_objects_are_refused() {
    for body in [
        "l = [] parallel for x in [1] max 9 { l.add(x) }",
        "o = {} parallel for x in [1] max 9 { o.a = x }",
        "o = { l: [] } parallel for x in [1] max 9 { m = o.l m.add(x) }",
        "parallel for x in [{}] max 9 { x.a = 1 }",
        "o = {} parallel for x in [1] max 9 { parallel for y in [1] max 9 { o.a = 1 } }",
    ] {
        let error = failure(body);
        let cause = &error.details.as_ref().unwrap()[0];
        let inner = cause["details"].get(0).unwrap_or(cause);
        assert_eq!((error.code.as_str(), &inner["code"]), ("AS9016", &json!("AS9015")), "{body}");
    }
    let source = "func note(l, x) { l.add(x) } main func(input) { l = [] parallel for x in [1] max 9 { note(l, x) } }";
    assert_eq!(crate::support::failure_of(source).code, "AS9016");
}

#[test]
fn as_10_iteration_may_write_values_it_created() {
    let body = "
        base = [1]
        results = parallel for x in [1, 2] max 9 {
            own = base.summary
            own.add(x)
            o = { l: [] }
            o.l.add(own)
            inner = parallel for y in [5] max 9 { m = [y] m.add(own.length) m }
            inner.add(\"more\")
            o.inner = inner
            o
        }
        results.add(\"end\")
        results[0].l.add(0)
        results";
    assert_eq!(
        value(body),
        json!([
            { "l": [[1, 1], 0], "inner": [[5, 2], "more"] },
            { "l": [[1, 2]], "inner": [[5, 2], "more"] },
            "end",
        ])
    );
}

#[test]
fn as_10_one_error_lists_every_failed_index() {
    let error = failure("parallel for x in [1, 0, 2, 0] max 9 {\n  6 / x\n}");
    assert_eq!(error.code, "AS9016");
    assert_eq!(
        error.message,
        "2 of 4 items failed: [1] the right side of `/` is zero; [3] the right side of `/` is zero"
    );
    let details = error.details.unwrap();
    assert_eq!(
        details[0],
        json!({ "index": 1, "code": "AS9011", "message": "the right side of `/` is zero", "file": "main.as", "line": 3, "column": 3 })
    );
    assert_eq!(details[1]["index"], 3);
    assert_eq!((error.line, error.column), (2, 1));
}

#[test]
fn as_10_all_iterations_are_awaited() {
    let host = ScriptedHost::new()
        .with_answer_result(Err(HostError::new("timeout", "too slow")))
        .with_answer(json!("b"))
        .with_answer(json!("c"))
        .with_waits(1);
    let options = RunOptions { concurrency: 2, ..RunOptions::default() };
    let error =
        outcome_with(ASK, json!({ "items": [1, 2, 3] }), &host, &options).result.unwrap_err();
    assert_eq!(error.message, "1 of 3 items failed: [0] too slow");
    assert_eq!(host.generate_calls().len(), 3);
}

#[test]
fn as_10_failed_parallel_for_can_be_caught() {
    assert_eq!(
        value(
            "try { parallel for x in [1, 0] max 9 { 1 / x } } else err { [err.code, err.details.length, err.details[0].index] }"
        ),
        json!(["AS9016", 1, 1])
    );
    assert_eq!(
        value("parallel for x in [1, 0] max 9 { try { 1 / x } else e { \"inf\" } }"),
        json!([1, "inf"])
    );
    assert_eq!(
        value("try { parallel for x in [0] max 9 { 1 / x } \"not here\" } else e { \"outer\" }"),
        json!("outer"),
        "the handler around it is the parent's, not the turn's"
    );
}

#[test]
fn as_10_effects_on_outer_state_are_refused() {
    let source = |body: &str| {
        format!(
            "import memory M from \"file://m.jsonl\" import tool F from \"file://workspace\" import tool H from \"https://example.com\" import tool X from \"mcp://server/tool\"
            func write(x) {{ F.write({{ path: x, content: x }}) }} agent A {{ main func(input) {{ M.delete({{ id: \"1\" }}) }} }} main agent {{ main func(input) {{ parallel for x in [\"a\"] max 1 {{ {body} }} }} }}"
        )
    };
    for body in [
        "M.add({ text: x })",
        "M.update({ id: x })",
        "F.patch({ path: x, search: x, replace: x })",
        "F.undo([])",
        "H.post({ url: x })",
        "X.run({})",
        "write(x)",
        "A(x)",
        "generate({ input: x, tools: [F.write] })",
        "generate({ input: x, tools: [H.get, H.post] })",
    ] {
        let host = ScriptedHost::new();
        let error = outcome(&source(body), json!({}), &host).result.unwrap_err();
        assert_eq!(error.details.unwrap()[0]["code"], "AS9023", "{body}");
        assert!(host.tool_calls().is_empty() && host.memory_calls().is_empty(), "{body}");
    }
    let host = ScriptedHost::new()
        .with_memory("M.query", json!([1]))
        .with_tool("F.read", json!("t"))
        .with_tool("H.get", json!({ "ok": true }));
    let reads = outcome(
        &source("[M.query({ text: x }), F.read({ path: x }), H.get({ url: x })]"),
        json!({}),
        &host,
    )
    .result;
    assert_eq!(reads, Ok(json!([[[1], "t", { "ok": true }]])));
}

#[test]
fn as_10_return_cannot_leave_iteration() {
    assert_eq!(cause("parallel for x in [1] max 1 { return x }"), "AS9022");
}

#[test]
fn as_10_limit_reached_in_iteration_ends_run() {
    let mut options = RunOptions::default();
    options.limits.steps = 10_000;
    let source = "func spin() {\n  repeat * 1000000 { }\n}\n".to_owned()
        + &main_of("try { parallel for x in [1, 2] max 9 { spin() } } else e { 1 }");
    let error =
        outcome_with(&source, json!({}), &ScriptedHost::new(), &options).result.unwrap_err();
    assert_eq!((error.code.as_str(), error.kind, error.line), ("AS9051", FailureKind::Limit, 2));
    let functions: Vec<_> = error.trace.iter().map(|frame| frame.function.as_str()).collect();
    assert_eq!(functions, ["spin", "main", "main"]);
}

#[test]
fn as_10_parallel_for_in_called_function_in_loop_is_checked() {
    let source = "
        func squares(list) { parallel for x in list max 9 { x * x } }
        main func(input) {
            out = []
            for n in [1, 2] max 9 { out.add(squares([n, n + 1])) }
            [out, [squares([9]), squares([8])]]
        }";
    assert_eq!(value_of(source), json!([[[1, 4], [4, 9]], [[81], [64]]]));
}
