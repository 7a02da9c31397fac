//! AS-19: the options of `generate`, and the contents of a call.

use crate::support::{failure_of, main_of, outcome};
use contexture_answer::{Field, Shape};
use contexture_context::{Keep, Trust};
use contexture_script::host::{
    GenerateCall, GenerateOptions, HostError, Standing, Supplied, Think,
};
use contexture_script::runtime::{FailureKind, ScriptedHost};
use serde_json::{Value, json};

fn call(body: &str) -> GenerateCall {
    let host = ScriptedHost::new().with_answer(json!("ok"));
    let source = format!(
        "import tool Grep from \"sh://grep\" import tool File from \"file://workspace\" {}",
        main_of(body)
    );
    let outcome = outcome(&source, json!({}), &host);
    assert!(outcome.result.is_ok(), "{body}: {:?}", outcome.result);
    host.generate_calls().remove(0)
}

fn methods(options: &GenerateOptions, tool: &str) -> Vec<String> {
    let granted = options.tools.iter().filter(|grant| grant.tool.name == tool);
    let methods = granted.flat_map(|grant| &grant.methods);
    methods.map(|method| format!("{} {}", method.name, method.class)).collect()
}

fn refused(options: &str) -> String {
    let error = failure_of(&main_of(&format!("generate({{ {options} }})")));
    assert_eq!(error.code, "AS9018", "{options}: {error}");
    error.message
}

#[test]
fn as_19_defaults() {
    let call = call("generate({ input: \"Do it.\" })");
    assert_eq!(call.instruction, "Do it.");
    assert_eq!(call.instruction_label.trust, Trust::Program);
    assert_eq!(call.options, GenerateOptions::default());
    assert_eq!(call.options.attempts, 1);
    assert_eq!((call.shape, call.model, call.role, call.description), (None, None, None, None));
    assert!(!call.on_placeholders);
    assert_eq!(
        (call.site.position.file.as_str(), call.site.position.line, call.site.position.column),
        ("main.as", 2, 1)
    );
    assert_eq!((call.site.agent, call.site.function.as_deref()), (None, Some("main")));
}

#[test]
fn ca_1_range_of_output_and_what_to_do_with_cut_answer_are_passed_on() {
    let call = call(
        "least = 100 generate({ input: \"a\", max_output: least to least * 4, on_cut: \"keep\" })",
    );
    let options = call.options;
    assert_eq!((options.max_output, options.most_output), (Some(100), Some(400)));
    assert!(options.keep_cut);
}

#[test]
fn as_19_every_option() {
    let call = call(
        "n = 2
        generate({
            input: \"a\" + n, max_output: 2k, max_input: n * 1000, attempts: n + 1, temperature: 0.5,
            think: \"auto\", strict: true, debug: n == 2, cache: true, timeout: 1500, tools: [Grep, File],
        })",
    );
    assert_eq!(call.instruction, "a2");
    let options = call.options;
    assert_eq!(
        (options.max_output, options.max_input, options.attempts),
        (Some(2000), Some(2000), 3)
    );
    assert_eq!((options.temperature, options.think), (Some(0.5), Some(Think::Auto)));
    assert_eq!(
        (options.strict, options.debug, options.cache, options.timeout_ms),
        (true, true, true, Some(1500))
    );
    let tools: Vec<_> = options
        .tools
        .iter()
        .map(|grant| {
            (grant.tool.name.as_str(), grant.tool.uri.as_str(), grant.tool.importer.as_str())
        })
        .collect();
    assert_eq!(tools, [("Grep", "sh://grep", "main.as"), ("File", "file://workspace", "main.as")]);
    assert_eq!(methods(&options, "Grep"), ["run read"]);
    assert_eq!(methods(&options, "File"), ["read read", "list read"], "a whole tool only reads");
}

#[test]
fn as_19_think_accepts_all_forms() {
    for (written, expected) in [
        ("false", Think::Off),
        ("true", Think::On),
        ("\"auto\"", Think::Auto),
        ("\"low\"", Think::Low),
        ("\"medium\"", Think::Medium),
        ("\"high\"", Think::High),
    ] {
        assert_eq!(
            call(&format!("generate({{ input: \"x\", think: {written} }})")).options.think,
            Some(expected)
        );
    }
}

#[test]
fn as_19_option_that_is_none_is_not_given() {
    let call = call(
        "t = none generate({ input: \"x\", temperature: t, max_output: t, attempts: t, think: t })",
    );
    assert_eq!(call.options, GenerateOptions::default());
}

#[test]
fn as_19_options_are_checked_when_they_are_evaluated() {
    assert_eq!(refused("max_output: 5"), "missing option `input` of `generate`");
    assert_eq!(refused("input: 5"), "`input` of `generate` must be a string, not 5");
    assert_eq!(refused("input: [\"a\"]"), "`input` of `generate` must be a string, not a list");
    assert_eq!(refused("input: none"), "`input` of `generate` must be a string, not none");
    for (option, expected) in [
        ("max_output: 0", "a whole number above 0, not 0"),
        ("max_output: -5", "a whole number above 0, not -5"),
        ("max_output: 1.5", "a whole number above 0, not 1.5"),
        ("max_input: \"2k\"", "a whole number above 0, not a string"),
        ("attempts: 0", "a whole number above 0, not 0"),
        ("attempts: 4294967296", "a whole number below 4294967296, not 4294967296"),
        ("temperature: \"hot\"", "a number from 0, not a string"),
        ("temperature: -0.5", "a number from 0, not -0.5"),
        ("think: \"much\"", "false, true, \"auto\", \"low\", \"medium\" or \"high\", not a string"),
        ("think: 1", "false, true, \"auto\", \"low\", \"medium\" or \"high\", not 1"),
        ("strict: 1", "true or false, not 1"),
        ("debug: \"yes\"", "true or false, not a string"),
        ("cache: []", "true or false, not a list"),
        ("timeout: 0", "a whole number above 0, not 0"),
    ] {
        let name = option.split(':').next().unwrap_or_default();
        // A variable hides the value from the checker.
        let (_, written) = option.split_once(": ").unwrap();
        let error = failure_of(&main_of(&format!(
            "v = {written}\ngenerate({{ input: \"x\", {name}: v }})"
        )));
        assert_eq!(
            (error.code.as_str(), error.message),
            ("AS9018", format!("`{name}` of `generate` must be {expected}"))
        );
    }
}

#[test]
fn as_19_unknown_options_are_refused() {
    let error = failure_of(&main_of("generate({ input: \"x\", max_ouput: 5 })"));
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("AS9018", "unknown option `max_ouput` of `generate`")
    );
    assert_eq!(error.help.as_deref(), Some("did you mean `max_output`?"));
    assert_eq!(refused("input: \"x\", tools: 5"), "`tools` must be a list of imported tools");
    assert_eq!(
        refused("input: \"x\", tools: [Missing]"),
        "`tools` must be a list of imported tools"
    );
}

#[test]
fn gu_2_named_methods_are_granted_and_no_others() {
    for (tools, grep, file) in [
        ("[File.write]", vec![], vec!["write write"]),
        ("[File.read, Grep.run, File.write]", vec!["run read"], vec!["read read", "write write"]),
        ("[File, File.write, File.read]", vec![], vec!["read read", "list read", "write write"]),
        ("[(File).undo]", vec![], vec!["undo write"]),
    ] {
        let options = call(&format!("generate({{ input: \"x\", tools: {tools} }})")).options;
        assert_eq!(methods(&options, "Grep"), grep, "{tools}");
        assert_eq!(methods(&options, "File"), file, "{tools}");
    }
    let tool = "import tool File from \"file://workspace\" ";
    let unknown = main_of("generate({ input: \"x\", tools: [File.wirte] })");
    let error = failure_of(&format!("{tool}{unknown}"));
    assert_eq!(error.message, "`File` has no method `wirte`");
    assert_eq!(error.help.as_deref(), Some("did you mean `write`?"));
}

#[test]
fn as_19_shape_is_passed_with_call() {
    let call = call(
        "generate({ input: \"x\" }) -> { ok boolean\n/// The parts.\nparts list[string], note?: \"a\" | \"b\", bare }",
    );
    assert_eq!(
        call.shape,
        Some(Shape::Object(vec![
            Field::new("ok", Shape::Boolean),
            Field::new("parts", Shape::list(Shape::String)).describe("The parts."),
            Field::new("note", Shape::one_of(["a", "b"])).optional(),
            Field::new("bare", Shape::String),
        ]))
    );
}

#[test]
fn as_28_optional_field_of_answer_reads_as_none() {
    let source = main_of(
        "a = generate({ input: \"x\" }) -> { title string, note?: string, of { deep?: number } }\n[a, a.note, a.of.deep]",
    );
    let host = ScriptedHost::new().with_answer(json!({ "title": "t", "of": {}, "extra": 1 }));
    let value = outcome(&source, json!({}), &host).result;
    assert_eq!(
        value,
        Ok(json!([{ "title": "t", "of": {}, "extra": 1 }, null, null])),
        "the keys stay absent"
    );
}

#[test]
fn as_22_failed_call_can_be_caught() {
    let error = HostError {
        details: Some(json!([{ "path": "ok", "expected": "boolean" }])),
        ..HostError::new("shape_mismatch", "the answer has not its shape")
            .with_help("allow more attempts")
    };
    let host = ScriptedHost::new().with_answer_result(Err(error.clone()));
    let source = main_of(
        "try { generate({ input: \"x\" }) } else err { [err.code, err.message, err.details[0].path, err.line, err.column, err.file] }",
    );
    let value = outcome(&source, json!({}), &host).result;
    assert_eq!(
        value,
        Ok(json!(["shape_mismatch", "the answer has not its shape", "ok", 2, 7, "main.as"]))
    );

    let host = ScriptedHost::new().with_answer_result(Err(error));
    let error =
        outcome(&main_of("generate({ input: \"x\" })"), json!({}), &host).result.unwrap_err();
    assert_eq!(
        (error.code.as_str(), error.kind, error.help.as_deref()),
        ("shape_mismatch", FailureKind::Effect, Some("allow more attempts"))
    );
    let diagnostic = error.to_diagnostic();
    assert_eq!(
        (diagnostic.code, diagnostic.message.as_str()),
        ("AS9030", "the answer has not its shape (shape_mismatch)")
    );
}

#[test]
fn as_31_effects_after_placeholder_are_marked() {
    let placeholder = |value: Value| {
        Ok(Supplied {
            value,
            label: Trust::Model.into(),
            standing: Standing::Placeholder,
            ..Supplied::default()
        })
    };
    let host = ScriptedHost::new()
        .with_answer_result(placeholder(json!({ "t": "…" })))
        .with_answer_result(placeholder(json!("…")));
    let source = main_of(
        "a = generate({ input: \"1\" }) -> { t string }\nuse a.t\ngenerate({ input: \"2\" })",
    );
    assert!(outcome(&source, json!({}), &host).result.is_ok());
    let marks: Vec<bool> = host.generate_calls().iter().map(|call| call.on_placeholders).collect();
    assert_eq!(marks, [false, true]);
}

/// Returns a program whose tool answers with unknowns, as in a dry run.
fn dry_run(body: &str) -> (Vec<GenerateCall>, Value) {
    let source = format!("import tool T from \"https://api.test\"\nmain func(input) {{ {body} }}");
    let json = Value::from("⟨T.get.json⟩");
    let supplied = Supplied {
        value: json,
        label: Trust::Web.into(),
        standing: Standing::Unknown,
        ..Supplied::default()
    };
    let answer = || Supplied {
        value: "mock".into(),
        label: Trust::Model.into(),
        standing: Standing::Placeholder,
        ..Supplied::default()
    };
    let host = ScriptedHost::new()
        .with_result("T.get", Ok(supplied))
        .with_answer_result(Ok(answer()))
        .with_answer_result(Ok(answer()));
    let value = outcome(&source, json!({}), &host).result.unwrap();
    (host.generate_calls(), value)
}

#[test]
fn as_31_parts_of_unknown_are_unknown() {
    for (body, expected) in [
        ("r.items[0].title", json!("⟨T.get.json.items[0].title⟩")),
        ("r[\"a b\"]", json!("⟨T.get.json.a b⟩")),
        ("r.items.length > 3", json!(false)),
        ("r.count > 3", json!(true)),
        ("(1 + r.count) / 2", json!("⟨T.get.json.count⟩")),
        ("return -r.count", json!("⟨T.get.json.count⟩")),
        ("\"n: \" + r.name", json!("n: ⟨T.get.json.name⟩")),
        ("r.items.first().id", json!("⟨T.get.json.items[0].id⟩")),
        ("r.get(\"a\", 1)", json!("⟨T.get.json.a⟩")),
        ("r.items.slice(0, 5).length", json!(1)),
        ("[1, 2][r.at]", json!("⟨T.get.json.at⟩")),
        ("r.a.trim().b", json!("⟨T.get.json.a.b⟩")),
        ("r.has(\"a\")", json!(true)),
        ("r.keys()", json!(["⟨T.get.json.keys[0]⟩"])),
        ("parallel for x in r.items max 9 { x.id }", json!(["⟨T.get.json.items[0].id⟩"])),
    ] {
        assert_eq!(dry_run(&format!("r = T.get({{ url: \"/\" }})\n{body}")).1, expected, "{body}");
    }
    let loops = "r = T.get({ url: \"/\" })\nr.seen = true\nr.list.add(1)\nn = 0\n\
                 for x in r.items max 9 { n += x.price }\nrepeat * r.times { n += 1 }\nn";
    assert_eq!(dry_run(loops).1, json!("⟨T.get.json.items[0].price⟩"));
}

#[test]
fn as_31_names_of_unknowns_stay_short() {
    let (_, value) = dry_run("r = T.get({ url: \"/\" })\nrepeat * 5000 { r = r.next }\nr");
    assert!(value.as_str().unwrap().len() < 300);
}

#[test]
fn as_31_items_with_placeholder_text_are_named() {
    let (calls, _) = dry_run(
        "r = T.get({ url: \"/\" })\nif true { use r.items as news\nuse \"x\" as fixed\n\
         generate({ input: \"About \" + r.name, max_output: r.most }) }\ngenerate({ input: \"plain\" })",
    );
    assert_eq!(calls[0].placeholders, ["[news]", "the instruction"]);
    assert_eq!(calls[0].options.max_output, None);
    assert_eq!((calls[1].placeholders.len(), calls[1].on_placeholders), (0, true));
}

#[test]
fn as_16_keep_without_budget_is_accepted() {
    let call = call("use \"log\" keep tail as log\ngenerate({ input: \"x\", max_input: 1k })");
    assert_eq!((call.items[0].budget, call.items[0].keep), (None, Keep::Tail));
}

#[test]
fn wa_3_call_has_key_of_its_place_whatever_the_order_of_turns() {
    let body = "generate({ input: \"a\" })\nb = parallel for x in [1, 2] max 2 {\n\
                generate({ input: \"b\" })\ngenerate({ input: \"c\" })\n}\ngenerate({ input: \"d\" })";
    for waits in [0, 3] {
        let host = (0..6).fold(ScriptedHost::new(), |host, _| host.with_answer(json!("ok")));
        let host = host.with_waits(waits);
        let done = outcome(&main_of(body), json!({}), &host);
        assert!(done.result.is_ok(), "{:?}", done.result);
        let mut keys: Vec<String> =
            host.generate_calls().iter().map(|call| call.key.to_string()).collect();
        keys.sort();
        assert_eq!(keys, ["1", "2.0.1", "2.0.2", "2.1.1", "2.1.2", "3"]);
    }
}
