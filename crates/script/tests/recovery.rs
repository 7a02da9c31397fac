//! One fault gives few errors (TY-5): every token of every sound program is left out once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed"
)]

use contexture_context::Limits;
use contexture_diagnostic::{Severity, SourceFile};
use contexture_script::analysis::check;
use contexture_script::host::{LoadedSource, MemoryLoader};
use contexture_script::program::load;
use contexture_script::syntax::parse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All programs of the repository that have no errors by themselves.
fn programs() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("examples"), root().join("crates/script/tests/specimens")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "as") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.file_name().unwrap().to_string_lossy().into_owned(), text));
            }
        }
    }
    found.retain(|(_, text)| text.len() < 20_000 && errors(text) == 0);
    found.sort();
    found
}

fn errors(text: &str) -> usize {
    let root = LoadedSource { name: "t.as".to_owned(), text: text.to_owned() };
    let faults = check(&load(root, &MemoryLoader::new(), &Limits::default()));
    faults.iter().filter(|fault| fault.severity == Severity::Error).count()
}

/// Returns the number of errors without each token, with the token and its place.
fn without_each(name: &str, text: &str) -> Vec<(usize, String)> {
    let source = SourceFile::new(name, text);
    let parsed = parse(&source, &Limits::default());
    let tokens = parsed.tokens.iter().filter(|token| !token.is_comment());
    let count = |span: contexture_diagnostic::Span| {
        let range = span.range();
        // The tokens around it stay two.
        let rest = [&text[..range.start], " ", &text[range.end..]].concat();
        let line = source.position(span.start).line;
        let token: String = source.slice(span).chars().take(20).collect();
        (errors(&rest), format!("{name}:{line} {token}"))
    };
    tokens.map(|token| count(token.span)).collect()
}

#[test]
fn ty_5_program_without_one_token_has_three_errors_at_the_95th_percentile() {
    let programs = programs();
    assert!(programs.len() > 30, "{} programs", programs.len());
    let mut all: Vec<(usize, String)> =
        programs.iter().flat_map(|(name, text)| without_each(name, text)).collect();
    all.sort();
    let mut by_count: BTreeMap<usize, usize> = BTreeMap::new();
    for (count, _) in &all {
        *by_count.entry(*count).or_default() += 1;
    }
    let at = all[all.len() * 95 / 100].0;
    println!("{} deletions, errors: {by_count:?}, 95th percentile: {at}", all.len());
    for (count, place) in all.iter().rev().take(60) {
        println!("{count:3} {place}");
    }
    assert!(at <= 3);
}

/// Returns `line: message` of each error, with the help.
fn told(text: &str) -> Vec<String> {
    let root = LoadedSource { name: "t.as".to_owned(), text: text.to_owned() };
    let program = load(root, &MemoryLoader::new(), &Limits::default());
    let faults = check(&program);
    let told = faults.iter().filter(|fault| fault.severity == Severity::Error).map(|fault| {
        let line = program.source(&fault.file).unwrap().position(fault.span.start).line;
        format!("{line}: {}; {}", fault.message, fault.help.as_deref().unwrap_or_default())
    });
    told.collect()
}

#[test]
fn ty_5_misspelt_keyword_is_one_error_with_a_suggestion() {
    for (body, word, meant) in [
        ("retrun 5", "retrun", "return"),
        ("x = genrate({ input: \"a\" }) -> { b string }\nx.b", "genrate", "generate"),
        ("use input mx 4k\ngenerate({ input: \"a\" }) -> { b string }", "mx", "max"),
        ("use input prority 4\ngenerate({ input: \"a\" }) -> { b string }", "prority", "priority"),
        ("use input max 4k kep tail\ngenerate({ input: \"a\" }) -> { b string }", "kep", "keep"),
        ("ues input max 4k\ngenerate({ input: \"a\" }) -> { b string }", "ues", "use"),
        ("if input { 1 } esle { 2 }\ninput", "esle", "else"),
        ("loop untill input max 3 { }\ninput", "untill", "until"),
        ("loop until input mx 3 { }\ninput", "mx", "max"),
        ("fro x in input max 3 { x.add(1) }\ninput", "fro", "for"),
        ("repaet * 3 { }\ninput", "repaet", "repeat"),
        ("parralel for x in input max 3 { x }", "parralel", "parallel"),
        ("tyr { input } else { 1 }", "tyr", "try"),
        ("if input adn true { }\ninput", "adn", "and"),
    ] {
        let told = told(&format!("main func(input) {{\n{body}\n}}"));
        let expected = format!("2: `{word}` is not a keyword; did you mean `{meant}`?");
        assert_eq!(told, [expected], "{body}");
    }
    let file = "fucn f(x) { x }\nimprot llm Q from \"mock\"\nagnet A { main func(x) { f(x) } }\nmian func(input) { A(input) }\nmodel Q\n";
    let expected = [
        "1: `fucn` is not a keyword; did you mean `func`?",
        "2: `improt` is not a keyword; did you mean `import`?",
        "3: `agnet` is not a keyword; did you mean `agent`?",
        "4: `mian` is not a keyword; did you mean `main`?",
    ];
    assert_eq!(told(file), expected);
}

#[test]
fn ty_5_word_that_the_file_binds_is_no_misspelt_keyword() {
    for body in [
        "uses = 1 uses x = 2 x",
        "retrun = 1 retrun 2",
        "max = 1 input max 5",
        "in = 2 input in",
        "as = 2 x = 1 input as x",
        "for returns in input max 2 { returns }",
    ] {
        assert_eq!(told(&format!("main func(input) {{ {body} }}")), [""; 0], "{body}");
    }
}

#[test]
fn ty_5_missing_closer_is_one_error_at_its_opener() {
    let call =
        "main func(input) {\n  x = generate({\n    input: \"a\"\n  } -> { b string }\n  x.b\n}";
    assert_eq!(told(call), ["2: unclosed `(`; add `)`"]);
    let block = "main agent A {\n  main func(input) {\n    if input.a {\n      x = 1\n      input.b.add(x)\n    y = 2\n    y\n  }\n  func other(z) { z }\n}";
    assert_eq!(told(block), ["3: unclosed `{`; add `}`"]);
    let list = "main func(input) {\n  x = [1, 2\n  y = 3\n  x.add(y)\n}";
    assert_eq!(told(list), ["2: unclosed `[`; add `]`"]);
    let func = "func a(x) {\n  if x { return 1 }\n  2\n\nmain func(input) {\n  a(input)\n}";
    assert_eq!(told(func), ["1: unclosed `{`; add `}`"]);
}

#[test]
fn ty_5_misindented_program_whose_brackets_match_has_no_errors() {
    let text = "main func(input) {\n      x = {\n  a: 1,\n b: [\n1,\n2]\n}\n if x.a > 0 {\nx.c = 2\n}\nx\n }";
    assert_eq!(told(text), [""; 0]);
}

#[test]
fn ty_5_declaration_of_another_language_is_one_error() {
    for text in ["enum A { a, b }", "type A = { a string }", "test \"a\" {\n  f(1)\n}"] {
        let told = told(&format!("{text}\nmain func(input) {{ input }}"));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("1: expected an import, an agent or a function"), "{told:?}");
    }
}

#[test]
fn ty_5_error_of_structure_hides_what_follows_from_it_and_nothing_else() {
    let text = "func a(x) {\n  y = one\n  z = [1, 2\n  two\n}\nfunc b(x) { three }\nmain func(input) { a(input) b(input) }";
    let told = told(text);
    let starts: Vec<&str> = told.iter().map(|line| line.split(';').next().unwrap()).collect();
    assert_eq!(
        starts,
        ["2: use of undefined name `one`", "3: unclosed `[`", "6: use of undefined name `three`"]
    );
}

#[test]
fn ty_5_text_cut_off_in_a_shape_is_one_error() {
    let programs = [
        "/// One.\nshape Issue {\n  /// What.\n  title string length 1 to 80,\n  tags list[string]?,\n  kind \"bug\" | \"idea\"\n  parts list[{ a integer min 1 max 5, b { c } }]\n",
        "main func(input { question string, rows list[{ id integer, name? string }] }, n integer) -> Issue",
        "main func(q) {\n  r = generate({ input: q }) -> {\n    a string pattern \"x\",\n    b list[{ c number }]?\n    d \"x\" | \"y\"\n",
        "agent A -> { a string, b list[Issue] ",
    ];
    for text in programs {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let told = told(&text[..end]);
            if told.len() > 1 {
                println!("{:?}: {told:#?}", &text[..end]);
            }
        }
    }
}

#[test]
fn ty_5_missing_comma_before_the_end_of_the_text_is_an_error() {
    let missing = ["2: missing comma between fields on one line; add a comma, or start a new line"];
    assert_eq!(
        told("main func(input) {\n generate({ input: \"a\" }) -> { a string b }\n}"),
        missing
    );
}
