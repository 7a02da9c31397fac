use super::*;

const LIB: &str = "/// Works.\nagent Worker { func run(x) { x } }";
const MAIN: &str = "import agent Worker from \"lib.as\"\nmain func(x) { Worker.run(x) }";

fn with_lib() -> Open {
    files(&[("lib.as", LIB), ("other.as", &MAIN.replace("main func", "func go"))])
}

#[test]
fn ty_10_definition_leads_to_other_file() {
    let text = MAIN.replace("Worker.run", "Worker.¦run");
    let found = ask(&with_lib(), &text, "textDocument/definition", json!({})).unwrap();
    assert_eq!(each(&found, "/uri"), [uri("lib.as")]);
    assert_eq!(ranges(&found), ["1:20-23"]);
    let text = MAIN.replace("lib.as", "lib¦.as");
    let found = ask(&with_lib(), &text, "textDocument/definition", json!({})).unwrap();
    assert_eq!(
        (each(&found, "/uri"), ranges(&found)),
        (vec![uri("lib.as").as_str()], vec!["0:0-0".to_owned()])
    );
}

#[test]
fn ty_10_definition_of_field_is_its_shape() {
    let text = "main func(q) {\n  r = generate({ input: \"x\" }) -> { ok boolean }\n  r.o¦k\n}";
    assert_eq!(ranges(&answer(text, "textDocument/definition")), ["1:36-38"]);
}

#[test]
fn ty_10_references_are_found_in_files_that_are_not_open() {
    let text = MAIN.replace("import agent Worker", "import agent Wor¦ker");
    let more = json!({ "context": { "includeDeclaration": true } });
    let found = ask(&with_lib(), &text, "textDocument/references", more).unwrap();
    let places: Vec<String> = each(&found, "/uri")
        .iter()
        .zip(ranges(&found))
        .map(|(uri, range)| format!("{} {range}", uri.trim_start_matches("file:///w/")))
        .collect();
    assert_eq!(
        places,
        [
            "lib.as 1:6-12",
            "main.as 0:13-19",
            "main.as 1:15-21",
            "other.as 0:13-19",
            "other.as 1:13-19"
        ]
    );
    let more = json!({ "context": { "includeDeclaration": false } });
    let found = ask(&with_lib(), &text, "textDocument/references", more).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 4);
}

#[test]
fn ty_10_rename_changes_all_files() {
    let text = MAIN.replace("Worker.run", "Wor¦ker.run");
    let found =
        ask(&with_lib(), &text, "textDocument/rename", json!({ "newName": "Helper" })).unwrap();
    let changes = &found["changes"];
    assert_eq!(edited(LIB, &changes[uri("lib.as")]), LIB.replace("Worker", "Helper"));
    assert_eq!(edited(MAIN, &changes[uri("main.as")]), MAIN.replace("Worker", "Helper"));
    assert_eq!(changes.as_object().unwrap().len(), 3);
}

#[test]
fn ty_10_rename_refuses_what_it_cant_keep() {
    let refused = |text: &str, new: &str| {
        ask(&files(&[]), text, "textDocument/rename", json!({ "newName": new })).unwrap_err()
    };
    let text = "func f(x) { x }\nmain func(a) { b¦ = a\n c = b\n f(c) }";
    assert!(refused(text, "c").contains("`c` means something else"));
    assert!(refused(text, "a").contains("`a` means something else"));
    assert!(refused(text, "if").contains("is not a name"));
    assert!(refused(text, "1x").contains("is not a name"));
    assert!(refused("main func(a) { ¦1 }", "x").contains("this is not a name that can be changed"));
    assert!(refused("ma¦in func(a) { a }", "x").contains("this is not a name that can be changed"));
    assert!(refused("main func(a¦) { a + }", "x").contains("syntax errors"));
    let kept = ask(&files(&[]), text, "textDocument/rename", json!({ "newName": "f_" })).unwrap();
    assert_eq!(kept["changes"][uri("main.as")].as_array().unwrap().len(), 2);
}

#[test]
fn ty_7_input_of_statements_at_the_top_level_is_read_and_not_renamed() {
    let text = "import file N from \"n.md\"\n/// Asks.\nx = inp¦ut.a\ny = input.b + x\n";
    let renamed = ask(&files(&[]), text, "textDocument/rename", json!({ "newName": "given" }));
    assert!(renamed.unwrap_err().contains("this is not a name that can be changed"));
    let found = answer(text, "textDocument/documentHighlight");
    assert_eq!(ranges(&found), ["2:4-9", "3:4-9"]);
    let renamed = ask(
        &files(&[]),
        &text.replace("inp¦ut.a\ny = input.b + x", "input.a\ny = input.b + ¦x"),
        "textDocument/rename",
        json!({ "newName": "input" }),
    );
    assert!(renamed.unwrap_err().contains("means something else"));
    let outline = answer(text, "textDocument/documentSymbol");
    assert_eq!(each(&outline, "/name"), ["N", "main"]);
    assert_eq!(ranges(&outline), ["0:0-25", "2:0-0"]);
}

#[test]
fn ty_10_highlights_tell_writes_from_reads() {
    let found =
        answer("main func(a) {\n  b = a\n  b += 1\n  ¦b\n}", "textDocument/documentHighlight");
    assert_eq!(ranges(&found), ["1:2-3", "2:2-3", "3:2-3"]);
    let kinds: Vec<u64> =
        found.as_array().unwrap().iter().map(|one| one["kind"].as_u64().unwrap()).collect();
    assert_eq!(kinds, [3, 3, 2]);
}

#[test]
fn ty_10_outline_has_functions_within_agents() {
    let text = "import file N from \"n.md\"\nagent A { func one(x) { y = x } main func(x) { x } }\nfunc two() { 1 }";
    let found = answer(text, "textDocument/documentSymbol");
    assert_eq!(each(&found, "/name"), ["N", "A", "two"]);
    assert_eq!(each(&found[1]["children"], "/name"), ["one", "main"]);
    let files = with_lib();
    let mut state = State::new(&files);
    open(&mut state, "main.as", MAIN);
    let found = features::answer(&mut state, "workspace/symbol", json!({ "query": "work" }));
    assert_eq!(each(&found.ok().unwrap(), "/name"), ["Worker"]);
}

#[test]
fn ty_10_named_shapes_are_followed_into_their_file() {
    let files = files(&[(
        "lib.as",
        "/// A fault.\nshape Issue { title string, stars integer min 1 max 5 }",
    )]);
    let text = "import shape Issue from \"lib.as\"\nmain func(issue Issue) { issue.tit¦le }";
    let found = ask(&files, text, "textDocument/definition", json!({})).unwrap();
    assert_eq!(
        (each(&found, "/uri"), ranges(&found)),
        (vec![uri("lib.as").as_str()], vec!["1:14-19".to_owned()])
    );
    let shown = |text: &str| {
        let found = ask(&files, text, "textDocument/hover", json!({})).unwrap();
        found["contents"]["value"].as_str().unwrap().to_owned()
    };
    let name = text.replace("issue.tit¦le", "is¦sue.title");
    assert_eq!(shown(&name), "```agentscript\nissue Issue\n```");
    let stars = text.replace("tit¦le", "sta¦rs");
    assert_eq!(shown(&stars), "```agentscript\nstars integer min 1 max 5\n```");
    assert!(
        shown(&text.replace("issue Issue", "issue Iss¦ue").replace("tit¦le", "title"))
            .ends_with("A fault.")
    );
    let found = ask(
        &files,
        &text.replace("lib.as", "lib¦.as").replace("tit¦le", "title"),
        "textDocument/definition",
        json!({}),
    );
    assert_eq!(each(&found.unwrap(), "/uri"), [uri("lib.as")]);
}
