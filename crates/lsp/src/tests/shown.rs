use super::*;

fn hover(text: &str) -> String {
    let found = answer(text, "textDocument/hover");
    found.pointer("/contents/value").and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[test]
fn ty_10_hover_shows_declaration_shape_and_documentation() {
    let text = "/// Adds one.\nfunc add(a integer) { a + 1 }\nmain func(q) { ad¦d(1) }";
    assert_eq!(hover(text), "```agentscript\nfunc add(a integer)\n```\n\nAdds one.");
    let text =
        "main func(q) {\n  r = generate({ input: \"x\" }) -> { ok boolean, why }\n  r¦.ok\n}";
    assert_eq!(hover(text), "```agentscript\nr { ok boolean, why string }\n```");
    assert_eq!(hover(&text.replace("r¦.ok", "r.o¦k")), "```agentscript\nok boolean\n```");
    assert_eq!(hover("main func(q) { // a ¦word\n 1 }"), "");
    assert!(hover("main func(q) { q.jo¦in(\",\") }").contains("join(separator)"));
    let tool =
        "import tool File from \"file://workspace\"\nmain func(q) { File.re¦ad({ path: q }) }";
    assert!(hover(tool).contains("- `path`"), "{}", hover(tool));
}

#[test]
fn ty_10_hover_of_generate_lists_what_the_model_sees() {
    let text = "use TOP as top\nmain func(q) {\n  use q max 300 as question\n  if q { use q as hidden }\n  gen¦erate({ input: \"x\" })\n  use q as late\n}";
    let shown = hover(text);
    assert_eq!(
        shown,
        "The model sees, besides the instruction:\n- `TOP`, as “top”\n- `q`, at most 300 tokens, as “question”"
    );
    let text = "main func(q) {\n  us¦e q max 2k chars\n}";
    assert_eq!(hover(text), "`q`, at most 2000 characters");
}

#[test]
fn ty_10_semantic_tokens_tell_what_words_mean() {
    let text = "func f(a) { a }\nmain func(q) {\n  x = f(q)\n  x.b.len()\n  use x as notes\n}";
    let found = whole(text, "textDocument/semanticTokens/range");
    let data: Vec<usize> = found["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| usize::try_from(one.as_u64().unwrap()).unwrap())
        .collect();
    let lines: Vec<&str> = text.lines().collect();
    let (mut line, mut start, mut shown) = (0, 0, Vec::new());
    for token in data.chunks(5) {
        start = if token[0] == 0 { start + token[1] } else { token[1] };
        line += token[0];
        shown.push(format!(
            "{} {}",
            lines[line].get(start..start + token[2]).unwrap(),
            features::capabilities()["semanticTokensProvider"]["legend"]["tokenTypes"][token[3]]
                .as_str()
                .unwrap()
        ));
    }
    let expected = [
        "func keyword",
        "f function",
        "a parameter",
        "a parameter",
        "main keyword",
        "func keyword",
        "q parameter",
        "x variable",
        "f function",
        "q parameter",
        "x variable",
        "b property",
        "len method",
        "use keyword",
        "x variable",
        "as keyword",
        "notes string",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn ty_10_folds_blocks_comments_and_imports() {
    let text = "import file A from \"a\"\nimport file B from \"b\"\n// one\n// two\nmain func(q) {\n  x = {\n    a: 1\n  }\n}\n";
    let found = answer(text, "textDocument/foldingRange");
    let shown: Vec<String> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| {
            format!(
                "{}-{} {}",
                fold["startLine"],
                fold["endLine"],
                fold["kind"].as_str().unwrap_or("")
            )
        })
        .collect();
    assert_eq!(shown, ["5-6 ", "4-7 ", "2-3 comment", "0-1 imports"]);
}

#[test]
fn ty_10_lenses_start_program_and_show_prompts() {
    let found = answer(
        "func f(q) { 1 }\nmain func(q) {\n  generate({ input: \"x\" })\n}",
        "textDocument/codeLens",
    );
    assert_eq!(
        each(&found, "/command/command"),
        ["contexture.run", "contexture.dryRun", "contexture.showPrompt"]
    );
    assert_eq!(ranges(&found), ["1:0-0", "1:0-0", "2:2-2"]);
    assert_eq!(found[2]["command"]["arguments"][0]["line"], 3);
}

#[test]
fn ty_10_inlay_hints_show_shapes() {
    let text = "main func(q) {\n  r = generate({ input: \"x\" }) -> { ok boolean }\n  s = 1\n}";
    let found = whole(text, "textDocument/inlayHint");
    assert_eq!(each(&found, "/label"), [" { ok boolean }"]);
    assert_eq!(found[0]["position"], json!({ "line": 1, "character": 3 }));
}

#[test]
fn ty_10_hover_of_reference_explains_it() {
    let workspace = MemoryWorkspace::new("/w").with_id("knowledge", "guide", "How we write.");
    let files: Open = Box::new(move |_| Ok(Box::new(workspace.clone())));
    let shown = |text: &str| ask(&files, text, "textDocument/hover", json!({})).unwrap();
    let text = "main func(q) { generate({ input: \"é: see @!knowledge://gu¦ide now\" }) }";
    let found = shown(text);
    assert_eq!(found["contents"]["value"], "```text\nHow we write.\n```");
    assert_eq!(ranges(&json!([found])), ["0:41-60"]);
    let imported = shown("import resource R from \"@!knowledge://¦guide\"");
    assert_eq!(imported["contents"]["value"], "```text\nHow we write.\n```");
    assert_eq!(shown(&text.replace(" now", " n¦ow").replace("gu¦", "gu")), Value::Null);
}

#[test]
fn ty_10_hover_shows_types_that_flow() {
    let text = "shape Issue { title string, tags list[string]? }\nfunc count(rows list[Issue]) {\n  first = rows[0]\n  titles = rows.map(title_of)\n  total = rows.length + 1\n  made = { n: total, ok: true, other: input }\n  first.title + total + titles + made.n\n}\nfunc title_of(issue Issue) { issue.title }\n";
    let shown = |place: &str, marked: &str| {
        let found = answer(&text.replacen(place, marked, 1), "textDocument/hover");
        found["contents"]["value"].as_str().unwrap_or("-").to_owned()
    };
    let declared = |of: &str| format!("```agentscript\n{of}\n```");
    assert_eq!(
        shown("first =", "fir¦st ="),
        declared("first { title string, tags? list[string] }")
    );
    assert_eq!(shown("total =", "to¦tal ="), declared("total integer"));
    assert_eq!(shown("made =", "ma¦de ="), declared("made { n integer, ok boolean, other json }"));
    assert_eq!(shown("rows[0]", "ro¦ws[0]"), declared("rows list[Issue]"));
    assert_eq!(shown("first.title", "first.ti¦tle"), declared("title string"));
    assert_eq!(shown("made.n", "made.n¦"), declared("n integer"));
}

#[test]
fn ty_10_inlay_hints_show_types_that_flow() {
    let text = "func count(rows list[{ id integer }]) {\n  total = rows.length + 1\n  for row in rows max 3 { own = row.id }\n  parts = \"a,b\".split(\",\")\n  name = \"x\"\n  unknown = json.parse(name)\n  parts + total + unknown\n}\n";
    let found = whole(text, "textDocument/inlayHint");
    assert_eq!(
        each(&found, "/label"),
        [" integer", " { id integer }", " integer", " list[string]"]
    );
}
