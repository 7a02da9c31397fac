//! Every syntax error has a help that shows how to fix it (AS-32).
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
use contexture_diagnostic::{Diagnostic, SourceFile, render};
use contexture_script::analysis::check;
use contexture_script::format::format;
use contexture_script::host::{LoadedSource, MemoryLoader};
use contexture_script::program::load;
use contexture_script::syntax::{parse_expression, parse_repl, parse_shape};
use proptest::prelude::*;

fn faults(text: &str) -> Vec<Diagnostic> {
    let limits = Limits::default();
    let root = LoadedSource { name: "t.as".to_owned(), text: text.to_owned() };
    let program = load(root, &MemoryLoader::new(), &limits);
    let mut faults = check(&program);
    faults.extend(parse_shape(text, &limits).1);
    faults.extend(parse_expression(text, &limits).1);
    faults.extend(parse_repl(text, &limits).diagnostics);
    faults
}

fn every_fault_has_help(text: &str) {
    for fault in faults(text) {
        let help = fault.help.as_deref().unwrap_or_default();
        let source = SourceFile::new("t.as", text);
        assert!(!help.trim().is_empty(), "{}", render::terminal(&fault, &source, false));
    }
}

/// Returns the helps for a body of `main func(input)`.
fn helps(body: &str) -> Vec<String> {
    let text = format!("main func(input) {{\n{body}\n}}\n");
    let source = SourceFile::new("t.as", text.as_str());
    let parsed = contexture_script::syntax::parse(&source, &Limits::default());
    parsed.diagnostics.into_iter().map(|fault| fault.help.unwrap_or_default()).collect()
}

const WRONG: &[&str] = &[
    "x = }",
    "x + }",
    "x +",
    "a. }",
    "a.",
    "use }",
    "use",
    "x = {a:}",
    "x = {1:2}",
    "x = 5.",
    "x = .5",
    "x = 1..2",
    "x = 2 ** 3",
    "x = 1 === 1",
    "x = 1 !== 1",
    "x = 1 ? 2 : 3",
    "x = x => 1",
    "if {} { x = 1 }",
    "import file",
    "agent { }",
    "func { }",
    "func (x) { }",
    "parallel x in input max 3 { x }",
    "parallel for x in { }",
    "x = a <> b",
    "x++",
    "x = a ?? b",
    "x = a?.b",
    "x = a | b",
    "x = a & b",
    "x = a && b",
    "x = !a",
    "x = a << 2",
    "x -> 1",
    "x = [1,,2]",
    "x = [1 2]",
    "x = (1, 2)",
    "f(1 2)",
    "f(,)",
    "for",
    "for x",
    "for x in",
    "for x in y",
    "for x in y max",
    "for x in y max {",
    "loop",
    "loop until",
    "loop until x max { }",
    "repeat",
    "repeat *",
    "repeat 3 { }",
    "repeat * 3",
    "if",
    "if x",
    "if x { } else",
    "else { }",
    "try",
    "try {",
    "try { } else",
    "x = try { 1 }",
    "return return",
    "return }",
    "x = return 1",
    "use x max",
    "use x as",
    "use x keep",
    "use x priority",
    "use x max -1",
    "use one of",
    "use one of { }",
    "use one of { a }",
    "use one of { a: }",
    "use one of { a: x b c }",
    "generate",
    "generate()",
    "generate({)",
    "generate({ input })",
    "generate({ input: 1 }) ->",
    "generate({ input: 1 }) -> {",
    "generate({ input: 1 }) -> { a: }",
    "generate({ input: 1 }) -> { a nothing }",
    "x = \"a",
    "x = \"\"\"a",
    "x = 'a",
    "x = “a”",
    "x = `a`",
    "x = `",
    "x = \"\\q\"",
    "x = 1z",
    "x = 99999999999999999999",
    "model",
    "model 1",
    "model \"x\"",
    "role: \"x\"",
    "role x",
    "role",
    "description 5",
    "x := 1",
    "x *= 2",
    "1 = x",
    "f() = 1",
    "x = y = 1",
    "let x = 1",
    "while x { }",
    "x;",
    ";",
    ")",
    "]",
    "}",
    "import x y from \"z\"",
    "import tool T from z",
    "import tool from \"x\"",
    "main",
    "func f",
    "func f(",
    "func f(x = 1) { }",
    "func f(x, ) { }",
    "func f(1) { }",
    "x[1:2]",
    "x[",
    "x[]",
    "x.1",
    "x.(1)",
    "@x",
    "#x",
    "x = $a",
    "a b c",
    "5\n-x",
    "x = [1, 2",
    "x = { a: 1, a: 2 }",
    "x = { a 1 }",
    "x = { a = 1 }",
    "x = { a, b }",
    "x = {{}}",
    "x = { ...a }",
    "x = lambda y: y",
    "x = not",
    "x = -",
    "not",
    "and x",
    "x = * 2",
    "if x = 1 { }",
    "if x { } elif y { }",
    "x = if a { 1 } else { 2 }",
    "/* c */",
    "x，y",
    "x = ）",
];

#[test]
fn as_32_every_syntax_error_has_help() {
    for wrong in WRONG {
        for text in [
            (*wrong).to_owned(),
            format!("main func(input) {{\n{wrong}\n}}\n"),
            format!("main func(input) {{ {wrong} }}\n"),
            format!("agent A {{\n{wrong}\n}}\n"),
            format!("main func(input) {{\n{wrong}\nx = 1\nuse x\n}}\nfunc g() {{ 1 }}\n"),
            format!("main func(input) {{\nif input {{ f({wrong}) }}\n}}\n"),
        ] {
            every_fault_has_help(&text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn as_32_any_mixture_of_syntax_errors_has_helps(
        parts in proptest::collection::vec(proptest::sample::select(WRONG), 1..8),
        glue in proptest::sample::select(vec![" ", "\n", ""]),
    ) {
        every_fault_has_help(&format!("main func(input) {{\n{}\n}}\n", parts.join(glue)));
    }

    #[test]
    fn as_32_damaged_program_has_helps(
        from in 0_usize..2_500,
        length in 0_usize..12,
        put in proptest::sample::select(WRONG),
    ) {
        let tour = include_str!("specimens/syntax/tour.as");
        let mut text: Vec<char> = tour.chars().collect();
        let start = from.min(text.len());
        let end = (start + length).min(text.len());
        text.splice(start..end, put.chars());
        every_fault_has_help(&text.into_iter().collect::<String>());
    }
}

#[test]
fn as_32_syntax_of_other_languages_is_explained() {
    for (wrong, help) in [
        ("x = 1 === 1", "write `==`"),
        ("x = 1 !== 1", "write `!=`"),
        ("x = 1 <> 1", "write `!=`"),
        ("x = 2 ** 3", "no power operator: multiply"),
        ("x = a ? 1 : 2", "`if … { … } else { … }`"),
        ("x = a ?? 1", "no `??`"),
        ("x = a?.b", "no `?.`"),
        ("x = a && b", "write `and`"),
        ("x = a || b", "write `or`"),
        ("x = a | b", "write `or`"),
        ("x = !a", "write `not`"),
        ("x = y => 1", "func name(x)"),
        ("f(y => 1)", "func name(x)"),
        ("x = 1..2", "no ranges"),
        ("x = 5.", "write `5.0`"),
        ("x = .5", "`0.5`"),
        ("x++", "write `x += 1`"),
        ("x := 1", "write `=`"),
        ("x = { 1: 2 }", "in quotes"),
        ("x = { ...y }", "no `...`"),
        ("x[1:2]", "list.slice(from, to)"),
        ("parallel x in input max 2 { x }", "parallel for x in"),
        ("role x", "role \"…\""),
        ("description 5", "description \"…\""),
        ("model 5", "import llm"),
        ("use one of { a }", "`name: value max 2k`"),
    ] {
        let helps = helps(wrong);
        assert!(helps.first().is_some_and(|first| first.contains(help)), "{wrong}: {helps:?}");
    }
}

#[test]
fn as_12_bare_label_consists_of_words() {
    for words in [
        "evidence",
        "retrieved evidence",
        "top 10",
        "user's notes",
        "step-by-step notes",
        "检索 结果",
        "_x",
    ] {
        assert_eq!(helps(&format!("use input as {words}")), [] as [&str; 0], "{words}");
    }
    for signs in ["a/b", "50%", "a, b", "a.b", "what?", "a + b", "😀", "a:b", "a&b", "- a"] {
        assert_eq!(helps(&format!("use input as {signs}")), ["put the label in quotes"], "{signs}");
        assert_eq!(helps(&format!("use input as \"{signs}\"")), [] as [&str; 0], "{signs}");
    }
}

#[test]
fn as_32_one_mistake_gives_one_diagnostic() {
    for wrong in [
        "x = 1 === 1",
        "x = 2 ** 3",
        "x = a ? 1 : 2",
        "x = a?.b",
        "x = y => 1",
        "x = 1..2",
        "x = .5",
        "x = 5.",
        "x = \"\"\"never closed",
        "f([\"\"\"never closed",
        "role x",
        "description 5",
        "parallel x in input max 2 { x }",
        "x = { 1: 2 }",
        "x = { ...y }",
    ] {
        let helps = helps(wrong);
        assert_eq!(helps.len(), 1, "{wrong}: {helps:?}");
    }
}

#[test]
fn as_3_glued_minus_continues_line_above() {
    let source = SourceFile::new("t.as", "main func(input) {\n  x = 5\n  -input\n  x\n}\n");
    let told: Vec<_> = faults(source.text()).into_iter().map(|fault| fault.code).collect();
    assert!(told.contains(&"AS1029"), "{told:?}");
    let text = format(&source, &Limits::default()).unwrap();
    assert_eq!(text, "main func(input) {\n  x = 5\n    - input\n  x\n}\n");
    assert!(faults(&text).iter().all(|fault| fault.code != "AS1029"), "{text}");
    for plain in [
        "x = 5\n  - input",
        "x = 5 -\n  input",
        "x = (5\n-input)",
        "x = f(5\n-input)",
        "x = 5\n(-x)",
        "use input\n-- a comment",
        "x = 5\nx -= 1",
        "return\n-input",
    ] {
        let text = std::format!("main func(input) {{\n{plain}\n}}\nfunc f(a) {{ a }}\n");
        assert!(faults(&text).iter().all(|fault| fault.code != "AS1029"), "{plain}");
    }
}
