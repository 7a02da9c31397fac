use super::*;

fn labels(text: &str) -> Vec<String> {
    let found = answer(text, "textDocument/completion");
    each(&found, "/label").into_iter().map(str::to_owned).collect()
}

fn has(text: &str, wanted: &[&str]) {
    let found = labels(text);
    for word in wanted {
        assert!(found.iter().any(|label| label == word), "{word} is not in {found:?}");
    }
}

#[test]
fn ty_10_completion_offers_names_in_scope_and_words() {
    let text = "import file NOTES from \"notes.md\"\nfunc helper(x) { y = x }\nmain func(input) {\n  draft = 1\n  ¦\n}";
    has(text, &["draft", "input", "helper", "NOTES", "use", "generate", "for"]);
    assert!(!labels(text).contains(&"y".to_owned()));
    has("imp¦", &["import", "agent", "func", "main"]);
}

#[test]
fn ty_7_completion_at_the_top_level_offers_statements_where_no_main_is_written() {
    let script = "import file NOTES from \"notes.md\"\ndraft = 1\n¦";
    has(script, &["draft", "input", "NOTES", "generate", "range", "import", "use"]);
    let found = labels(script);
    assert_eq!(found.iter().filter(|label| *label == "use").count(), 1);
    assert!(!labels("main func(input) { input }\n¦").contains(&"generate".to_owned()));
}

#[test]
fn ty_10_completion_after_dot_offers_fields_and_methods() {
    let declared = "main func(input { rows list[{ id integer }], name }) { input.¦ }";
    has(declared, &["rows", "name", "keys"]);
    let text = "main func(q) {\n  r = generate({ input: \"x\" }) -> { answer string, tags list[string] }\n  r.¦\n}";
    has(text, &["answer", "tags"]);
    has(&text.replace("r.¦", "r.tags.¦"), &["join", "length", "map"]);
    assert!(!labels(&text.replace("r.¦", "r.tags.¦")).contains(&"upper".to_owned()));
    // A text that does not parse.
    has(&text.replace("r.¦\n}", "x = (r.¦"), &["answer"]);
}

#[test]
fn ty_10_completion_offers_methods_of_tools_and_agents() {
    let text = "import tool File from \"file://workspace\"\nmain func(q) { File.¦ }";
    has(text, &["read", "write"]);
    let files = files(&[("lib.as", "agent Worker { func run(x) { x } func stop(x) { x } }")]);
    let text = "import agent Worker from \"lib.as\"\nmain func(q) { Worker.¦ }";
    let found = ask(&files, text, "textDocument/completion", json!({})).unwrap();
    assert_eq!(each(&found, "/label"), ["run", "stop"]);
}

#[test]
fn ty_10_completion_offers_options_that_are_left() {
    let text = "main func(q) { generate({ input: \"x\", ¦ }) }";
    has(text, &["max_output", "temperature", "tools"]);
    assert!(!labels(text).contains(&"input".to_owned()));
    has("main func(q) { r = generate({¦", &["input"]);
}

#[test]
fn ty_10_completion_of_use_and_import() {
    has("main func(q) {\n  use q ¦\n}", &["max", "keep", "priority", "for", "as"]);
    assert_eq!(labels("main func(q) {\n  use q max 1k keep ¦\n}"), ["head", "tail", "middle"]);
    has("import ¦", &["llm", "tool", "file", "template"]);
    assert_eq!(labels("import llm FAST ¦"), ["from"]);
    has("import llm FAST from \"¦\"", &["openai://", "ollama://"]);
    has("import llm FAST from \"openai://x\"\nmain func(q) {\n  model ¦\n}", &["FAST"]);
    has("main func(q) {\n  use q as notes\n  use q as ¦\n}", &["notes"]);
    has("main func(q) { generate({ input: \"x\" }) -> { a ¦ } }", &["string", "boolean"]);
}

#[test]
fn ty_10_completion_of_paths_lists_files() {
    let files = files(&[("docs/a.md", ""), ("docs/b/c.md", ""), ("lib.as", "")]);
    let offered = |text: &str| {
        let found = ask(&files, text, "textDocument/completion", json!({})).unwrap();
        each(&found, "/label").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(offered("import file A from \"docs/¦\""), ["a.md", "b/"]);
    assert_eq!(offered("import agent A from \"¦\""), ["docs/", "lib.as"]);
    assert_eq!(offered("main func(q) { x = \"see @!file://docs/¦\" }"), ["a.md", "b/"]);
    assert_eq!(offered("main func(q) { x = \"see ¦\" }"), [""; 0]);
    // Nothing outside of the project.
    assert_eq!(offered("main func(q) { x = \"see @file://../../docs/¦\" }"), ["a.md", "b/"]);
}

#[test]
fn ty_10_completion_of_references_lists_protocols_and_packs() {
    let workspace = MemoryWorkspace::new("/w").with("docs/a.md", "");
    let workspace = workspace.with_id("knowledge", "guide", "How we write.");
    let files: Open = Box::new(move |_| Ok(Box::new(workspace.clone())));
    let offered = |written: &str| {
        let text = format!("main func(q) {{ generate({{ input: \"{written}¦\" }}) }}");
        ask(&files, &text, "textDocument/completion", json!({})).unwrap()
    };
    for begun in ["@", "see @!", "(@?", "@markdown:", "见@"] {
        assert_eq!(each(&offered(begun), "/label"), ["file://", "knowledge://"], "{begun}");
    }
    assert_eq!(each(&offered("@!file://docs/"), "/label"), ["a.md"]);
    let packs = offered("@knowledge://g");
    assert_eq!(
        (each(&packs, "/label"), each(&packs, "/detail")),
        (vec!["guide"], vec!["How we write."])
    );
    assert_eq!(packs[0]["textEdit"]["range"]["start"]["character"], 47);
    for other in ["ann@", "@file://docs/a.md and ", "@nothing://"] {
        assert_eq!(each(&offered(other), "/label"), [""; 0], "{other}");
    }
    let offered = |text: &str| {
        let found = ask(&files, text, "textDocument/completion", json!({})).unwrap();
        each(&found, "/label").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(offered("import resource R from \"@!¦\""), ["file://", "knowledge://"]);
    assert_eq!(offered("import knowledge K from \"knowledge://¦\""), ["guide"]);
}

#[test]
fn ty_10_signature_marks_argument() {
    let text = "/// Adds.\nfunc add(a integer, b { x list[string], y }) { a }\nmain func(q) { add(1, [2, 3],¦ }";
    let found = answer(text, "textDocument/signatureHelp");
    assert_eq!(found["signatures"][0]["label"], "add(a integer, b { x list[string], y })");
    let parameters = &found["signatures"][0]["parameters"];
    assert_eq!(each(parameters, "/label"), ["a integer", "b { x list[string], y }"]);
    assert_eq!(
        (&found["activeParameter"], &found["signatures"][0]["documentation"]["value"]),
        (&json!(2), &json!("Adds."))
    );
    let method = answer("main func(q) { \"a\".slice(1, ¦) }", "textDocument/signatureHelp");
    assert_eq!(method, Value::Null);
    let method = answer("main func(q) { q.slice(1, ¦) }", "textDocument/signatureHelp");
    assert_eq!(method["activeParameter"], 1);
}

#[test]
fn ty_10_completion_of_choices_lists_their_words() {
    let text = "main func(q) {\n  r = generate({ input: \"x\" }) -> { kind \"bug\" | \"idea\" }\n  if r.kind == \"¦\" { 1 }\n}";
    assert_eq!(labels(text), ["bug", "idea"]);
    assert_eq!(labels("main func(q) { generate({ input: q, on_cut: \"k¦\" }) }"), ["fail", "keep"]);
}

#[test]
fn ty_10_completion_knows_named_shapes_and_functions() {
    let text = "shape Issue { title string, tags list[string] }\nmain func(issue Issue) {\n  r = generate({ input: \"x\" }) -> Issue\n  ¦\n}";
    has(&text.replace('¦', "r.¦"), &["title", "tags"]);
    has(&text.replace('¦', "issue.¦"), &["title", "tags"]);
    has(&text.replace("-> Issue\n  ¦", "-> { i ¦ }"), &["Issue", "string"]);
    has(&text.replace("-> Issue\n  ¦", "-> ¦"), &["Issue", "string"]);
    has(text, &["progress", "range"]);
    assert!(!labels(text).contains(&"Issue".to_owned()));
    let files = files(&[(
        "lib.as",
        "shape Issue { title string }\nfunc triage(issue Issue) -> Issue { issue }",
    )]);
    let offered = |text: &str| {
        let found = ask(&files, text, "textDocument/completion", json!({})).unwrap();
        each(&found, "/label").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let text = "import shape Issue from \"lib.as\"\nimport func triage from \"lib.as\"\nmain func(issue Issue) {\n  r = triage(issue)\n  ¦\n}";
    assert!(offered(text).contains(&"triage".to_owned()));
    assert!(offered(&text.replace('¦', "r.¦")).contains(&"title".to_owned()));
    assert_eq!(offered("import func x from \"¦\""), ["lib.as"]);
}
