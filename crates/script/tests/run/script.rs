//! TY-7: the statements at the end of a file are its main function.

use crate::support::{block_on, failure_of, outcome, program_of, value_of};
use contexture_context::Limits;
use contexture_diagnostic::{Diagnostic, SourceFile};
use contexture_script::analysis::{check, symbols};
use contexture_script::format::format;
use contexture_script::host::{LoadedSource, MemoryLoader};
use contexture_script::program::load;
use contexture_script::runtime::{Entry, RunOptions, ScriptedHost, compile, run};
use serde_json::json;

/// Returns the faults of any text as `line: code message`.
fn faults(source: &str) -> Vec<String> {
    let root = LoadedSource { name: "main.as".to_owned(), text: source.to_owned() };
    let program = load(root, &MemoryLoader::new(), &Limits::default());
    let own = SourceFile::new("main.as", source);
    let told = |fault: Diagnostic| {
        let line = own.position(fault.span.start).line;
        format!("{line}: {} {}", fault.code, fault.message)
    };
    check(&program).into_iter().map(told).collect()
}

#[test]
fn ty_7_statements_after_declarations_are_the_program() {
    let source = "func double(x) { x * 2 }\n\ntotal = 0\nfor n in input.all max 9 { total += double(n) }\ntotal";
    let host = ScriptedHost::new();
    assert_eq!(outcome(source, json!({ "all": [1, 2, 3] }), &host).result, Ok(json!(12)));
    assert_eq!(faults(source), [""; 0]);
    assert_eq!(value_of("return 5"), json!(5));
    assert_eq!(value_of("\"你好\""), json!("你好"));
    assert_eq!(failure_of("x = 1\nfail \"No.\"").message, "No.");
}

#[test]
fn ty_7_use_before_the_statements_shows_input() {
    let source = "import llm Q from \"mock\"\nmodel Q\n\nuse input max 100\ngenerate({ input: \"Go.\" }) -> { ok boolean }";
    assert_eq!(faults(source), [""; 0]);
    let host = ScriptedHost::new().with_answer(json!({ "ok": true }));
    assert_eq!(outcome(source, json!("seen"), &host).result, Ok(json!({ "ok": true })));
    let calls = host.generate_calls();
    let shown: Vec<&str> = calls[0].items.iter().map(|item| item.source.as_str()).collect();
    let model = calls[0].model.as_ref().map(|model| model.name.as_str());
    assert_eq!((model, shown), (Some("Q"), vec!["input"]));
}

#[test]
fn ty_7_use_before_a_declaration_is_that_of_the_file() {
    let source = "import file Text from \"t.txt\"\nuse Text max 100\nfunc ask(q) { generate({ input: q }) -> { ok boolean } }\nask(input)";
    assert_eq!(faults(source), [""; 0]);
    let host =
        ScriptedHost::new().with_file("t.txt", json!("t")).with_answer(json!({ "ok": true }));
    assert!(outcome(source, json!("q"), &host).result.is_ok());
    assert_eq!(host.generate_calls()[0].items.len(), 1);
}

#[test]
fn ty_7_statements_beside_a_main_are_one_error() {
    let func = "main func(input) { input }\nx = 1\nx + input";
    assert_eq!(
        faults(func),
        ["2: AS2003 the file has a `main func` and statements at its top level"]
    );
    let agent = "main agent A { main func(input) { input } }\nx = 1\nx";
    assert_eq!(
        faults(agent),
        ["2: AS2003 the file has a `main agent` and statements at its top level"]
    );
}

#[test]
fn ty_7_statements_before_declarations_are_one_error() {
    let source = "x = 1\ny = x\nfunc f(a) { a }\nz = f(x)\nfunc g(a) { f(a) }\ng(y)";
    assert_eq!(
        faults(source),
        ["1: AS1014 a statement at the top level of a file before a declaration"]
    );
    let shape = "x = 1\nshape Kind \"a\" | \"b\"\nmain func(input Kind) { input }";
    assert_eq!(
        faults(shape),
        ["1: AS1014 a statement at the top level of a file before a declaration"]
    );
}

#[test]
fn ty_7_half_a_declaration_is_not_a_statement() {
    for (text, message) in [
        ("main func(input) { input }\nimport", "found `import`"),
        ("main func(input) { input }\nagent", "found `agent`"),
        ("class A { }\nmain func(input) { input }", "found `class`"),
    ] {
        let faults = faults(text);
        assert!(faults.len() == 1 && faults[0].ends_with(message), "{faults:?}");
    }
    assert_eq!(value_of("func = 1\nagent = 2\nfunc + agent"), json!(3));
}

#[test]
fn ty_7_input_of_statements_has_no_place_and_no_name_to_change() {
    let program = program_of(&[("main.as", "/// Adds.\nx = input.a\nx + input.b")]);
    let symbols = symbols(&program);
    let input = symbols.all().iter().position(|symbol| symbol.name == "input").unwrap();
    assert!(!symbols.get(input).unwrap().is_named);
    let places: Vec<u32> = symbols.places(input).map(|(_, place)| place.span.start).collect();
    assert_eq!(places, [14, 26]);
    let main = symbols.all().iter().find(|symbol| symbol.name == "main").unwrap();
    assert_eq!((main.is_named, main.doc.as_deref()), (false, Some("Adds.")));
    assert_eq!(symbols.in_file(0).len(), 4);
}

#[test]
fn ty_7_statements_are_formatted_without_indent() {
    let text = "import llm Q from \"mock\" model Q\n// first\nuse input max 2k\n\n\nx=1 // one\nif x{y=2}\n(x)\n// last";
    let expected = "import llm Q from \"mock\"\nmodel Q\n\n// first\nuse input max 2k\n\nx = 1 // one\nif x {\n  y = 2\n}\n(x)\n// last\n";
    let formatted = |text: &str| format(&SourceFile::new("a.as", text), &Limits::default());
    assert_eq!(formatted(text), Ok(expected.to_owned()));
    assert_eq!(formatted(expected), Ok(expected.to_owned()));
}

#[test]
fn ty_7_program_of_statements_is_an_agent_for_others() {
    let files = [
        ("main.as", "import agent Adder from \"adder.as\"\nAdder({ a: 1, b: 2 })"),
        ("adder.as", "input.a + input.b"),
    ];
    let program = program_of(&files);
    assert_eq!(check(&program), []);
    let host = ScriptedHost::new();
    let (executable, options) = (compile(&program), RunOptions::default());
    let outcome = block_on(run(&executable, &Entry::default(), json!({}), &host, &options));
    assert_eq!(outcome.result, Ok(json!(3)));
}
