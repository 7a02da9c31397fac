use super::*;
use crate::host::{LoadedSource, MemoryLoader};
use crate::program::load;
use crate::semantic::Cause;
use crate::server::{Effect, ServerFacts, ToolFacts};
use contexture_context::Limits;

/// Returns a loader that knows the server `fs` with tools of several classes.
fn loader() -> MemoryLoader {
    let tool = |(name, effect): (&str, Effect)| ToolFacts {
        name: name.to_owned(),
        fields: Vec::new(),
        open: true,
        effect,
    };
    let known = [
        ("look", Effect::Fetch),
        ("put", Effect::Write),
        ("remove", Effect::Execute),
        ("stat", Effect::Execute),
    ];
    MemoryLoader::new().with_server("fs", ServerFacts { tools: known.map(tool).to_vec() })
}

pub(super) fn faults_with(text: &str, files: &[(&str, &str)]) -> Vec<Diagnostic> {
    let loader = files.iter().fold(loader(), |all, (name, text)| all.with(*name, *text));
    let root = LoadedSource { name: "main.as".to_owned(), text: text.to_owned() };
    check(&load(root, &loader, &Limits::default()))
}

pub(super) fn faults(text: &str) -> Vec<Diagnostic> {
    faults_with(text, &[])
}

/// Returns the codes of errors and warnings, without those of lints, which have tests of their own.
pub(super) fn codes_of(text: &str) -> Vec<&'static str> {
    let told = faults(text).into_iter().filter(|fault| fault.severity != Severity::Hint);
    told.map(|fault| fault.code).filter(|code| !code.starts_with("AS8")).collect()
}

/// Returns the codes for statements in a function.
pub(super) fn in_function(statements: &str) -> Vec<&'static str> {
    codes_of(&format!("{IMPORTS}{statements}\nnone\n}}\nfunc helper(x) {{ x }}\n"))
}

const IMPORTS: &str = "import tool File from \"file://workspace\"\n\
    import tool Http from \"https://api.example.com\"\n\
    import tool Env from \"env://process\"\n\
    import memory Memory from \"sqlite://m.db#a\"\n\
    import llm Model from \"mock\"\n\
    import file Notes from \"./notes.md\"\n\
    agent Worker { main func(x) { x } func write(x) { File.write({ path: x, content: x }) } }\n\
    main func(input) {\n";

#[test]
fn as_32_valid_program_has_no_diagnostics() {
    let text = r#"
import llm Q from "ollama://localhost:11434/qwen"
import tool Find from "sh://find"
import memory M from "file://m.jsonl"
import file Requirements from "./r.md"
agent Worker { func run(x) { x } }
main agent Controller {
  model Q role "a reader"
  use Requirements max 2k
  func helper(x) { x.path }
  main func(input { question string }) {
    scratch = []
    use scratch.summary max 2k as observations
    use later as later
    later = 1
    for f in Find.run({ path: ".", max: 50 }) max 10 {
      scratch.add({ fact: f })
    }
    x = parallel for f in scratch max 10 { local = [] local.add(f) Worker(f) }
    M.add({ kind: "a", text: "b", goal: 1 })
    names = scratch.map(helper)
    y = try { x[0] } else err { err.message }
    input = "Answer " + x.length + names.length + y
    generate({ input: input, max_output: 2k, think: "low", tools: [Find] }) -> { ok boolean }
  }
}
"#;
    assert_eq!(faults(text), vec![]);
}

#[test]
fn as_32_all_errors_of_all_files_at_once() {
    let told = faults_with(
        "import agent B from \"b.as\"\nmain func(input) { one B(two) use three < 4 }",
        &[("b.as", "agent B { func f(x) { four(x) } func g( { } }")],
    );
    let told: Vec<(&str, &str)> =
        told.iter().map(|fault| (fault.file.as_str(), fault.code)).collect();
    assert_eq!(
        told,
        [
            ("main.as", "AS2001"),
            ("main.as", "AS2017"),
            ("main.as", "AS2001"),
            ("main.as", "AS2001"),
            ("main.as", "AS7001"),
            ("b.as", "AS2001"),
            ("b.as", "AS1002"),
        ]
    );
}

#[test]
fn as_1_mains() {
    assert_eq!(codes_of("agent A { func a() { 1 } }"), Vec::<&str>::new());
    assert_eq!(codes_of("func only() { 1 }"), Vec::<&str>::new());
    assert_eq!(codes_of("agent A { main func() { 1 } }\nmain func() { A() }"), Vec::<&str>::new());
    assert_eq!(codes_of("agent A { func a() { 1 } }\nagent B { func b() { 1 } }"), ["AS2004"]);
    assert_eq!(codes_of("main agent { }"), ["AS2004"]);
    assert_eq!(codes_of("main agent { main func() { 1 } main func() { 2 } }"), ["AS2003"]);
    assert_eq!(
        codes_of("main agent { func a() { 1 } }\nmain agent { func b() { 1 } }"),
        ["AS2003"]
    );
}

#[test]
fn as_6_variable_is_known_from_assignment_to_end_of_block() {
    for (text, codes) in [
        ("a = 1 b = a", vec![]),
        ("b = a a = 1", vec!["AS2001"]),
        ("a = a", vec!["AS2001"]),
        ("if input { a = 1 } b = a", vec!["AS2001"]),
        ("a = 0 if input { a = 1 } b = a", vec![]),
        ("for x in input max 2 { y = x } z = x", vec!["AS2001"]),
        ("repeat * 2 { a = 1 b = a }", vec![]),
        ("a += 1", vec!["AS2001"]),
        ("a.b = 1", vec!["AS2001"]),
        ("x = try { a = 1 a } else err { err } y = err", vec!["AS2001"]),
        ("helper = helper(input) a = helper", vec![]),
    ] {
        assert_eq!(in_function(text), codes, "{text}");
    }
}

#[test]
fn as_8_lists_are_read_by_index_and_added_to() {
    for (text, codes) in [
        ("a = [1] a.add(2) b = a[0] c = a.length d = a.summary", vec![]),
        ("a = [1] a[0] = 2", vec!["AS2018"]),
        ("a = [1] a.add()", vec!["AS2016"]),
        ("a = [1] a.add(1, 2)", vec!["AS2016"]),
        ("a = [1] b = a[-1]", vec!["AS2020"]),
        ("o = { } o[\"k\"] = 1 b = o[\"k\"]", vec![]),
        ("a = input.push(1)", vec!["AS2015"]),
        ("a = input.map(helper)", vec![]),
        ("a = input.map(helper(1))", vec!["AS2016"]),
        ("a = \"x\".map(helper)", vec!["AS2015"]),
    ] {
        assert_eq!(in_function(text), codes, "{text}");
    }
}

#[test]
fn as_10_effects_in_parallel_for_are_refused() {
    for (call, refused) in [
        ("File.read({ path: x })", false),
        ("File.write({ path: x, content: x })", true),
        ("File.patch({ path: x, search: x, replace: x })", true),
        ("File.undo(x)", true),
        ("Http.get({ url: x })", false),
        ("Http.head({ url: x })", true),
        ("Http.post({ url: x })", true),
        ("Http.delete({ url: x })", true),
        ("Memory.query({ text: x })", false),
        ("Memory.add({ text: x })", true),
        ("Memory.update({ id: x })", true),
        ("Memory.delete({ id: x })", true),
        ("Env.get({ name: x })", false),
        ("Worker(x)", false),
        ("Worker.write(x)", true),
        ("[x].map(helper)", false),
        ("if x { Worker.write(x) }", true),
        ("y = { a: [Worker.write(x)] }", true),
    ] {
        let codes = in_function(&format!("parallel for x in input max 3 {{ {call} }}"));
        assert_eq!(codes, if refused { vec!["AS5003"] } else { vec![] }, "{call}");
        assert_eq!(in_function(&format!("for x in input max 3 {{ {call} }}")), Vec::<&str>::new());
    }
}

#[test]
fn as_10_effects_are_followed_through_calls_in_any_file() {
    let told = faults_with(
        "import agent Far from \"far.as\"\nfunc near(x) { Far(x) }\nmain func(input) { parallel for x in input max 3 { near(x) } }",
        &[(
            "far.as",
            "import memory M from \"file://m.jsonl\"\nagent Far { main func(x) { step(x) } func step(x) { step(x) M.add({ text: x }) } }",
        )],
    );
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].code, told[0].file.as_str()), ("AS5003", "main.as"));
    assert!(told[0].message.contains("near → Far.main func → Far.step → M.add (far.as:2)"));
}

#[test]
fn as_10_outer_writes_in_parallel_for_are_refused() {
    for (text, codes) in [
        ("o = 1 parallel for x in input max 3 { o = 2 }", vec!["AS5004"]),
        ("o = 1 parallel for x in input max 3 { o += 2 }", vec!["AS5004"]),
        ("o = [] parallel for x in input max 3 { o.add(x) }", vec!["AS5004"]),
        ("o = {} parallel for x in input max 3 { o.a.b = x }", vec!["AS5004"]),
        ("o = { list: [] } parallel for x in input max 3 { o.list.add(x) }", vec!["AS5004"]),
        ("parallel for x in input max 3 { x.a = 1 }", vec!["AS5004"]),
        ("parallel for x in input max 3 { x = { } x.a = 1 o = [] o.add(x) o }", vec![]),
        ("o = 1 parallel for x in input max 3 { y = o y }", vec![]),
        ("parallel for x in input max 3 { return x }", vec!["AS5005"]),
    ] {
        assert_eq!(in_function(text), codes, "{text}");
    }
}

#[test]
fn as_12_labels_and_their_order() {
    for (text, codes) in [
        ("use input as user", vec![]),
        ("use input as SYSTEM", vec!["AS3004"]),
        ("use input as \" Tool \"", vec!["AS3004"]),
        ("use input as tool output", vec![]),
        ("use input as evidence max 4k", vec!["AS3001"]),
        ("use input as \"evidence\" keep tail", vec!["AS3001"]),
        ("use input as \"\"", vec!["AS3005"]),
    ] {
        assert_eq!(in_function(text), codes, "{text}");
    }
}

#[test]
fn as_13_used_name_may_be_assigned_before_generate() {
    let ask = "generate({ input: \"a\" }) -> { b string }";
    for (text, codes) in [
        (format!("use a a = 1 {ask}"), vec![]),
        (format!("use a {ask} a = 1"), vec!["AS2001"]),
        (format!("use a {ask}"), vec!["AS2001"]),
        ("use a".to_owned(), vec!["AS2001"]),
        (format!("if input {{ use a }} a = 1 {ask}"), vec!["AS2001"]),
        (format!("use a if input {{ a = 1 {ask} }}"), vec!["AS2001"]),
    ] {
        assert_eq!(in_function(&text), codes, "{text}");
    }
}

#[test]
fn as_15_only_data_can_be_used() {
    for (source, code) in [
        ("input", None),
        ("input.a.b[0]", None),
        ("[input, \"text\"]", None),
        ("{ a: input }", None),
        ("\"https://example.com/page\"", None),
        ("Notes", None),
        ("Notes.title", None),
        ("File", Some("AS3002")),
        ("Model", Some("AS3002")),
        ("Memory", Some("AS3002")),
        ("Worker", Some("AS3002")),
        ("helper", Some("AS3002")),
        ("File.read", Some("AS3002")),
        ("[helper]", Some("AS3002")),
        ("\"openai://gpt-4o\"", Some("AS3002")),
        ("\"sh://bash\"", Some("AS3002")),
        ("model", Some("AS3002")),
        ("helper(input)", Some("AS3003")),
        ("input.trim()", Some("AS3003")),
        ("input + File.read({ path: \"a\" })", Some("AS3003")),
        ("generate({ input: \"a\" })", Some("AS3003")),
        ("try { input } else { none }", Some("AS3003")),
    ] {
        let codes = in_function(&format!("use {source}"));
        assert_eq!(codes, code.into_iter().collect::<Vec<_>>(), "{source}");
    }
}

#[test]
fn as_17_candidates() {
    for (text, codes) in [
        ("use one of { a: input, none: empty }", vec![]),
        ("use one of { a: input }", vec!["AS3010"]),
        ("use one of { a: input selected, b: input selected }", vec!["AS3011"]),
        ("use one of { a: input, a: input }", vec!["AS3012"]),
        ("use one of { a: File, b: helper(1) }", vec!["AS3002", "AS3003"]),
    ] {
        assert_eq!(in_function(text), codes, "{text}");
    }
}

#[test]
fn as_19_options() {
    for (options, code) in [
        ("input: input", None),
        ("input: \"a\", max_output: 2k, max_input: input.n, attempts: 3, temperature: 0", None),
        (
            "input: \"a\", think: \"auto\", strict: true, debug: false, cache: true, timeout: 100",
            None,
        ),
        ("input: \"a\", tools: [File.read, Http.post]", None),
        ("input: \"a\", tools: [File]", Some("AS4008")),
        ("input: \"a\", tools: [Http]", Some("AS4008")),
        ("input: \"a\", tools: [File.raed]", Some("AS6004")),
        ("input: \"a\", tools: [Worker.run]", Some("AS4006")),
        ("input: \"a\", tools: [Memory.add]", Some("AS4006")),
        ("input: \"a\", tools: [File.read({ path: \"a\" })]", Some("AS4006")),
        ("max_output: 5", Some("AS4002")),
        ("input: 5", Some("AS4003")),
        ("input: \"a\", attempts: 0", Some("AS4003")),
        ("input: \"a\", max_output: 1.5", Some("AS4003")),
        ("input: \"a\", think: \"deep\"", Some("AS4003")),
        ("input: \"a\", strict: 1", Some("AS4003")),
        ("input: \"a\", limit: 5", Some("AS7004")),
        ("input: \"a\", retries: 5", Some("AS4001")),
        ("input: \"a\", tools: input", Some("AS4006")),
        ("input: \"a\", tools: [Worker]", Some("AS4006")),
        ("input: \"a\", tools: [File.read, Memory]", Some("AS4006")),
        ("input: \"a\", tools: [Notes]", Some("AS4006")),
        ("input: \"a\", tools: [Model]", Some("AS4006")),
    ] {
        let codes = in_function(&format!("generate({{ {options} }}) -> {{ a string }}"));
        assert_eq!(codes, code.into_iter().collect::<Vec<_>>(), "{options}");
    }
    let memory = "import memory M from \"file://m.jsonl\" main func(input) { generate({ input: \"a\", tools: [M] }) -> { a string } }";
    let told = faults(memory);
    assert_eq!(told[0].message, "`M` is a memory, and a model can only be given tools");
    assert!(told[0].help.as_deref().is_some_and(|help| help.contains("M.query")));
    let hints = faults("main func(input) { generate({ input: \"a\" }) }");
    assert_eq!((hints[0].code, hints[0].severity), ("AS4004", Severity::Hint));
}

#[test]
fn as_25_methods_and_arguments_of_tools() {
    for (call, codes) in [
        ("File.read({ path: \"a\" })", vec![]),
        ("File.raed({ path: \"a\" })", vec!["AS6004"]),
        ("File.read({ paht: \"a\" })", vec!["AS6006", "AS6005"]),
        ("File.read({ path: 1 })", vec!["AS6007"]),
        ("File.read(\"a\")", vec![]),
        ("File.read([1])", vec!["AS6007"]),
        ("File.write(\"a\")", vec!["AS6008"]),
        ("File.list({})", vec![]),
        ("File.list()", vec![]),
        ("Http.get({ url: \"/a\", headers: { A: \"b\" }, timeout: 1000 })", vec![]),
        ("Http.get({ url: \"/a\", body: 1 })", vec!["AS6005"]),
        ("Memory.query({ kind: \"a\", where: { b: 1 }, limit: 5 })", vec![]),
        ("Memory.add({ whatever: 1 })", vec![]),
        ("Memory.update({ whatever: 1 })", vec!["AS6006"]),
    ] {
        assert_eq!(in_function(&format!("x = {call}")), codes, "{call}");
    }
}

#[test]
fn as_28_agents_are_called_with_declared_arguments() {
    for (call, codes) in [
        ("Worker(input)", vec![]),
        ("Worker()", vec!["AS2005"]),
        ("Worker.write(input)", vec![]),
        ("Worker.wirte(input)", vec!["AS2007"]),
        ("Worker.helper(input)", vec![]),
        ("helper(1, 2)", vec!["AS2005"]),
        ("Wroker(input)", vec!["AS2001"]),
    ] {
        assert_eq!(in_function(&format!("x = {call}")), codes, "{call}");
    }
}

#[test]
fn as_2_path_outside_workspace_is_reported_before_run() {
    for (import, code) in [
        ("file Secret from \"../secret.md\"", Some("AS2013")),
        ("file Secret from \"notes/../../secret.md\"", Some("AS2013")),
        ("file Secret from \"./notes/../secret.md\"", None),
        ("file Secret from \"..notes/secret.md\"", None),
        ("memory Secret from \"file://../m.jsonl\"", Some("AS2013")),
        ("memory Secret from \"sqlite://a/../../m.db#n\"", Some("AS2013")),
        ("memory Secret from \"sqlite://a/../m.db#..\"", None),
    ] {
        let told = codes_of(&format!("import {import}\nmain func(input) {{ 1 }}"));
        assert_eq!(told, code.into_iter().collect::<Vec<_>>(), "{import}");
    }
    let child = "import file Notes from \"../notes.md\"\nimport file Secret from \"../../secret.md\"\n\
        main agent Child { main func(x) { [Notes, Secret] } }\n";
    let text = "import agent Child from \"lib/child.as\"\nmain func(input) { Child(1) }\n";
    let told = faults_with(text, &[("lib/child.as", child)]);
    let told: Vec<&str> = told.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(told, ["`../../secret.md` is outside the workspace"]);
}

fn causes(source: &str) -> Vec<Vec<String>> {
    let root = LoadedSource { name: "main.as".to_owned(), text: source.to_owned() };
    let program = load(root, &loader(), &Limits::default());
    let model = super::analyze(&program);
    let cause = |cause: &Cause| format!("{}.{} {}", cause.tool, cause.method, cause.class);
    model.generates.iter().map(|facts| facts.can.iter().map(cause).collect()).collect()
}

#[test]
fn gu_2_each_generate_has_methods_that_model_may_call() {
    let source = r#"
import tool File from "file://workspace"
import tool Web from "https://a.example"
import tool Page from "frontend://Confirm"
import tool Fs from "mcp://fs"
import tool Stat from "mcp://fs/stat"
func twice(x) { generate({ input: generate({ input: x, tools: [Web.post] }), tools: [File] }) }
main func(input) {
  generate({ input: "a" })
  generate({ input: "a", tools: [File, File.write, File.read, Web, Page, Fs, Stat] })
  try { generate({ input: "a", tools: [Fs.remove] }) } else { none }
}
"#;
    let found = causes(source);
    let of_whole = ["File.read read", "File.list read"];
    assert_eq!(found[0], of_whole);
    assert_eq!(found[1], ["Web.post send"]);
    assert!(found[2].is_empty());
    assert_eq!(
        found[3],
        [
            "File.read read",
            "File.list read",
            "File.write write",
            "Web.get read",
            "Web.head read",
            "Page.run execute",
            "Fs.look read",
            "Stat.run execute"
        ]
    );
    assert_eq!(found[4], ["Fs.remove execute"]);
    assert_eq!(found.len(), 5, "each once");
}

#[test]
fn gu_2_fix_of_whole_tool_names_granted_methods_and_widens_nothing() {
    let text = "import tool File from \"file://workspace\"\nmain func(input) { generate({ input: \"a\", tools: [File] }) -> { a string } }";
    let fault = faults(text).remove(0);
    assert_eq!((fault.code, fault.severity), ("AS4008", Severity::Warning));
    assert_eq!(
        fault.message,
        "`File` grants only what reads, not `File.write`, `File.patch`, `File.undo`"
    );
    let [edit] = fault.fix.as_slice() else { panic!("{:?}", fault.fix) };
    let mut fixed = text.to_owned();
    fixed.replace_range(edit.span.range(), &edit.replacement);
    assert!(fixed.contains("tools: [File.read, File.list]"), "{fixed}");
    assert_eq!(causes(&fixed), causes(text));
    assert!(faults(&fixed).is_empty());
    let unknown = "import tool Fs from \"mcp://fs\"\nmain func(input) { generate({ input: \"a\", tools: [Fs.lok] }) -> { a string } }";
    assert_eq!(faults(unknown)[0].help.as_deref(), Some("did you mean `look`?"));
}

#[test]
fn ca_3_import_of_kind_model_is_one_fault() {
    let text = "import model Fast from \"openai://a\" or [\"openai://b\", \"mock\"]\nmodel Fast\n\
                main func(input) { generate({ input: \"a\" }) -> { a string } }";
    let told = faults(text);
    let codes: Vec<_> = told.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, ["AS1024"]);
    assert_eq!(told[0].help.as_deref(), Some("import a model with `import llm`"));
}
