use super::*;

fn told(state: &mut State<'_>, name: &str) -> Vec<String> {
    let told = features::faults(state, &uri(name)).unwrap();
    each(&told["diagnostics"], "/code").into_iter().map(str::to_owned).collect()
}

#[test]
fn ty_10_faults_are_those_of_unsaved_texts() {
    let files = files(&[("lib.as", "agent Worker { func run(x) { x } }")]);
    let mut state = State::new(&files);
    open(
        &mut state,
        "main.as",
        "import agent Worker from \"lib.as\"\nmain func(x) { Worker.run(x) }",
    );
    assert_eq!(told(&mut state, "main.as"), [""; 0]);
    open(&mut state, "lib.as", "agent Worker { func go(x) { x } }");
    assert_eq!(told(&mut state, "main.as"), ["AS2007"]);
    change(&mut state, "lib.as", json!([{ "text": "agent Worker { func run(x) { x } }" }]));
    assert_eq!(state.untold(), [uri("lib.as"), uri("main.as")]);
    assert_eq!(told(&mut state, "main.as"), [""; 0]);
    state.close(&uri("lib.as"));
    assert_eq!(told(&mut state, "main.as"), [""; 0]);
}

#[test]
fn ty_10_import_of_document_that_was_never_saved_is_found() {
    let files = files(&[]);
    let mut state = State::new(&files);
    open(&mut state, "main.as", "import agent Worker from \"new.as\"\nmain func(x) { Worker(x) }");
    assert_eq!(told(&mut state, "main.as"), ["AS2013"]);
    open(&mut state, "new.as", "main agent Worker { main func(x) { x } }");
    assert_eq!(told(&mut state, "main.as"), [""; 0]);
}

#[test]
fn ty_10_changes_count_utf_16_units() {
    let files = files(&[]);
    let mut state = State::new(&files);
    open(&mut state, "main.as", "main func(x) { y = \"你😀b\"\n y }");
    // Before and after the emoji, then past the end of a line and of the text.
    let at = |line: u32, from: u32, to: u32| json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
    change(
        &mut state,
        "main.as",
        json!([
            { "range": at(0, 21, 23), "text": "z" },
            { "range": at(0, 99, u32::MAX), "text": " // 好" },
            { "range": at(u32::MAX, 0, 0), "text": "\n" },
        ]),
    );
    let text = state.view(&uri("main.as")).unwrap().document.text.clone();
    assert_eq!(text, "main func(x) { y = \"你zb\" // 好\n y }\n");
}

#[test]
fn ty_10_fault_has_place_help_and_related_place() {
    let files = files(&[]);
    let mut state = State::new(&files);
    open(&mut state, "main.as", "main func(x) {\n  \"😀\" + qestion\n}");
    let told = features::faults(&mut state, &uri("main.as")).unwrap();
    let fault = &told["diagnostics"][0];
    assert_eq!(ranges(&told["diagnostics"]), ["1:9-16"]);
    assert_eq!((&fault["code"], &fault["severity"]), (&json!("AS2001"), &json!(1)));
    open(&mut state, "main.as", "main func(x) {\n  return x\n  1\n}");
    let told = features::faults(&mut state, &uri("main.as")).unwrap();
    let fault = &told["diagnostics"][0];
    assert_eq!(
        (&fault["tags"], fault["relatedInformation"].as_array().unwrap().len()),
        (&json!([1]), 1)
    );
}

#[test]
fn ty_10_formatting_changes_only_lines_that_differ() {
    let text = "main func(x){\n  y = 1\n  z=2\n  y + z\n}\n";
    let edits = answer(text, "textDocument/formatting");
    assert_eq!(edited(text, &edits), "main func(x) {\n  y = 1\n  z = 2\n  y + z\n}\n");
    assert_eq!(ranges(&edits), ["0:0-0", "2:0-0"]);
    let part = text.replace("z=2", "¦z=2");
    let edits = answer(&part, "textDocument/rangeFormatting");
    assert_eq!(edited(text, &edits), "main func(x){\n  y = 1\n  z = 2\n  y + z\n}\n");
    assert_eq!(answer("main func(x){ (", "textDocument/formatting"), json!([]));
}

#[test]
fn ty_10_actions_repair_faults_and_add_budget() {
    let text = "main func(question) { qes¦tion }";
    let found = answer(text, "textDocument/codeAction");
    assert_eq!(each(&found, "/title"), ["did you mean `question`?"]);
    let edits = &found[0]["edit"]["changes"][uri("main.as")];
    assert_eq!(edited(&text.replace(MARK, ""), edits), "main func(question) { question }");
    let text = "main func(q) {\n  use q¦ as notes\n}";
    let found = answer(text, "textDocument/codeAction");
    assert_eq!(each(&found, "/title"), ["Add a budget: `max 2k`"]);
    let edits = &found[0]["edit"]["changes"][uri("main.as")];
    assert_eq!(
        edited(&text.replace(MARK, ""), edits),
        "main func(q) {\n  use q max 2k as notes\n}"
    );
    let only = json!({ "context": { "diagnostics": [], "only": ["quickfix"] } });
    assert_eq!(ask(&files(&[]), text, "textDocument/codeAction", only).unwrap(), json!([]));
}

#[test]
fn ty_10_old_syntax_is_replaced() {
    let text = "main func(q) {\n  use q¦ < 2k\n  generate({ input: \"x\" }) -> { a }\n}";
    let found = answer(text, "textDocument/codeAction");
    assert!(each(&found, "/kind").contains(&"source.fixAll"), "{found}");
    let all = found.as_array().unwrap().iter().find(|one| one["kind"] == "source.fixAll").unwrap();
    let edits = &all["edit"]["changes"][uri("main.as")];
    assert!(edited(&text.replace(MARK, ""), edits).contains("use q max 2k"));
}

#[test]
fn ty_10_document_that_is_no_file_has_faults_under_its_uri() {
    let files = files(&[]);
    let mut state = State::new(&files);
    let uri = "untitled:Untitled-1";
    let text = "main func(x) { y }".to_owned();
    state.open(OpenedDocument { uri: uri.to_owned(), version: 1, text });
    let told = features::faults(&mut state, uri).unwrap();
    assert_eq!((&told["uri"], each(&told["diagnostics"], "/code")), (&json!(uri), vec!["AS2001"]));
}

#[test]
fn ty_10_faults_of_changed_document_are_told_first() {
    let files = files(&[("lib.as", "agent Worker { func run(x) { x } }")]);
    let mut state = State::new(&files);
    open(&mut state, "a.as", "import agent Worker from \"lib.as\"\nmain func(x) { Worker.run(x) }");
    open(&mut state, "lib.as", "agent Worker { func run(x) { x } }");
    state.untold().iter().for_each(|uri| state.told(uri));
    assert!(features::faults(&mut state, &uri("a.as")).is_some());
    change(&mut state, "lib.as", json!([{ "text": "agent Worker { func run() { 1 } }" }]));
    assert_eq!(state.untold(), [uri("lib.as"), uri("a.as")]);
}

/// Extracts the shape at the marked place of a text, and returns the new text.
fn extracted(text: &str) -> Option<String> {
    let only = json!({ "context": { "diagnostics": [], "only": ["refactor.extract"] } });
    let found = ask(&files(&[]), text, "textDocument/codeAction", only).unwrap();
    let edits = found.get(0)?.pointer("/edit/changes")?.get(uri("main.as"))?.clone();
    Some(edited(&text.replace(MARK, ""), &edits))
}

#[test]
fn ty_10_extracted_shape_is_declared_above_its_function() {
    let text = "import file A from \"a.md\"\n\n// Plain.\n\n/// Sorts.\nfunc sort(issue) {\n  found_kind = generate({ input: issue }) -> ¦{ kind \"bug\" | \"idea\", tags? list[string] }\n  found_kind\n}\n";
    let wanted = "import file A from \"a.md\"\n\n// Plain.\n\nshape FoundKind { kind \"bug\" | \"idea\", tags? list[string] }\n\n/// Sorts.\nfunc sort(issue) {\n  found_kind = generate({ input: issue }) -> FoundKind\n  found_kind\n}\n";
    assert_eq!(extracted(text).as_deref(), Some(wanted));
}

#[test]
fn ty_10_extracted_shape_checks_and_is_laid_out() {
    let broken = "main agent {\n  main func(input) {\n    r = generate({\n      input: input.text,\n      max_output: 200\n    }) -> {\n      /// How sure.\n      sure number min 0 max 1 // always\n      parts list[{\n        a string\n      }]\n¦    }\n    r\n  }\n}\n";
    let texts = [
        broken,
        "func Answer(x) { x }\n\nmain func(input) {\n  Answer(generate({ input: input.q }) -> \"ja\" | \"¦nein\")\n}\n",
        "main func(输入) {\n  答案 = generate({ input: 输入.问 }) -> {¦ 答 string }\n  答案.答\n}\n",
    ];
    for text in texts {
        let new = extracted(text).unwrap();
        assert!(new.starts_with("shape ") || new.contains("\n\nshape "), "{new}");
        assert_eq!(answer(&new, "textDocument/formatting"), json!([]), "{new}");
        let files = files(&[]);
        let mut state = State::new(&files);
        open(&mut state, "main.as", &text.replace(MARK, ""));
        let before = told(&mut state, "main.as");
        open(&mut state, "main.as", &new);
        assert_eq!(told(&mut state, "main.as"), before, "{new}");
        assert_eq!(extracted(&new.replace("-> ", "-> ¦")), None, "{new}");
    }
}

#[test]
fn ty_10_shape_without_parts_or_in_broken_text_is_not_extracted() {
    let offered = |shape: &str| {
        extracted(&format!("main func(q) {{ generate({{ input: q }}) -> ¦{shape} }}")).is_some()
    };
    assert_eq!(
        ["{ a }", "{}", "string", "list[string]", "{ a", "{ a } )"].map(offered),
        [true, false, false, false, false, false]
    );
}
