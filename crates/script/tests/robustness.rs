//! Any bytes have a tree and all tokens, and nothing overflows the stack.
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
use contexture_diagnostic::{SourceFile, render};
use contexture_script::analysis::check;
use contexture_script::format::format;
use contexture_script::host::{LoadedSource, MemoryLoader};
use contexture_script::migrate::migrate;
use contexture_script::program::load;
use contexture_script::syntax::{Parsed, json, parse, parse_expression, parse_repl, parse_shape};
use proptest::prelude::*;

fn everything(text: &str) -> Parsed {
    let limits = Limits::default();
    let source = SourceFile::new("t.as", text);
    let parsed = parse(&source, &limits);
    check_tokens(text, &parsed);
    for fault in &parsed.diagnostics {
        assert!(fault.span.start <= fault.span.end);
        assert!(fault.span.end as usize <= text.len());
        let _ = render::terminal(fault, &source, true);
    }
    serde_json::to_string(&json::tree(&parsed.file, &source)).unwrap();
    assert_eq!(parsed.file.clone(), parsed.file);
    let root = LoadedSource { name: "t.as".to_owned(), text: text.to_owned() };
    let program = load(root, &MemoryLoader::new(), &limits);
    for fault in check(&program) {
        let _ = render::one_line(&fault, &source);
    }
    let _ = parse_shape(text, &limits);
    let _ = parse_expression(text, &limits);
    let _ = parse_repl(text, &limits);
    let _ = format(&source, &limits);
    let migrated = migrate(&source, &limits);
    let again = migrate(&SourceFile::new("t.as", migrated.text.as_str()), &limits);
    assert_eq!(again.changes, 0, "{text}");
    check_migration(text, &migrated.text);
    parsed
}

/// Checks that a migration removes only words of the old syntax, and adds only commas and `return`.
fn check_migration(before: &str, after: &str) {
    let dense = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let (dense_before, dense_after) = (dense(before), dense(after));
    let (mut old, mut new) = (dense_before.as_str(), dense_after.as_str());
    while !new.is_empty() {
        let rewritten = [("<", "max"), ("limit", "max_output")]
            .into_iter()
            .find_map(|(from, to)| Some((old.strip_prefix(from)?, new.strip_prefix(to)?)));
        let added = [",", "return"].into_iter().find_map(|added| {
            let added = new.strip_prefix(added).filter(|_| !old.starts_with(added))?;
            Some((old, added))
        });
        let (left, right) = (old.chars().next(), new.chars().next());
        (old, new) = rewritten.or(added).unwrap_or_else(|| {
            assert_eq!(left, right, "migrated to {after:?} from {before:?}");
            let length = left.map_or(0, char::len_utf8);
            (&old[length..], &new[length..])
        });
    }
    assert_eq!(old, "", "migrated to {after:?} from {before:?}");
}

/// Checks that tokens are in order, with only white space between them.
fn check_tokens(text: &str, parsed: &Parsed) {
    let mut at = 0;
    for token in &parsed.tokens {
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        assert!(start >= at && end > start, "{token:?}");
        assert!(blank(&text[at..start]), "lost {:?}", &text[at..start]);
        at = end;
    }
    assert!(blank(&text[at..]), "lost {:?}", &text[at..]);
}

fn blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}

const WORDS: &[&str] = &[
    "import",
    "llm",
    "tool",
    "agent",
    "main",
    "func",
    "model",
    "role",
    "use",
    "one",
    "of",
    "max",
    "keep",
    "tail",
    "priority",
    "as",
    "label",
    "if",
    "else",
    "loop",
    "until",
    "repeat",
    "for",
    "in",
    "parallel",
    "return",
    "try",
    "generate",
    "input",
    "true",
    "false",
    "none",
    "and",
    "or",
    "not",
    "string",
    "list",
    "x",
    "名",
    "1",
    "2k",
    "2.5",
    "9223372036854775808",
    "\"s\"",
    "'s",
    "\"\"\"",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ".",
    "?",
    "|",
    "->",
    "=",
    "+=",
    "-=",
    "==",
    "<",
    "<=",
    "+",
    "-",
    "*",
    "/",
    "%",
    ";",
    "&&",
    "!",
    "// c",
    "-- d",
    "/// e",
    "/*",
    "*/",
    "\n",
    "\n",
    "\n",
    "，",
    "“",
    "😀",
    "\u{feff}",
    "\r\n",
    "\t",
    "\\",
    "\0",
    "selected",
    "empty",
    "from",
    "import",
    "func f(x) {",
    "generate({",
    "use x as",
    "limit:",
    "}\n}",
    "main func(input) {\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn as_32_any_text_has_tree(text in any::<String>()) {
        everything(&text);
    }

    #[test]
    fn as_32_any_bytes_have_tree(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        everything(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn as_32_any_token_soup_has_tree(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 0..120),
        glue in any::<bool>(),
    ) {
        everything(&words.join(if glue { "" } else { " " }));
    }

    #[test]
    fn as_32_program_with_gap_has_tree(from in 0_usize..2_500, length in 0_usize..60) {
        let tour = include_str!("specimens/syntax/tour.as");
        let mut text: Vec<char> = tour.chars().collect();
        let start = from.min(text.len());
        let end = (start + length).min(text.len());
        text.drain(start..end);
        everything(&text.into_iter().collect::<String>());
    }
}

/// The parts of old syntax, and tokens around it in both versions.
const OLD: &[&str] = &[
    "use n",
    "use docs.summary",
    "use one of { a: n, b: m < 2k }",
    "< 5",
    "< 4k",
    "<",
    "max 3",
    "max n",
    "max = 1",
    "keep tail",
    "priority 2",
    "as few words",
    "as \"a < 2\"",
    "for x in xs",
    "loop until a",
    "until",
    "and b",
    "or not c",
    "{ b = 1 }",
    "{ 1 }",
    "{ g(x) }",
    "if a",
    "else",
    "\n",
    "\n",
    "// < 9",
    "x =",
    "generate({ input: 1 limit: 2 })",
    "{ a: 1\n limit: 2\n }",
    "[1 2]",
    ")",
    "}",
    "n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn as_31_migration_loses_nothing(
        words in proptest::collection::vec(proptest::sample::select(OLD), 0..40),
    ) {
        let text = format!("func f(x) {{\n{}\n}}\n", words.join(" "));
        let limits = Limits::default();
        let migrated = migrate(&SourceFile::new("t.as", text.as_str()), &limits);
        check_migration(&text, &migrated.text);
        let again = migrate(&SourceFile::new("t.as", migrated.text.as_str()), &limits);
        prop_assert_eq!(again.changes, 0);
    }
}

/// Runs on a stack as small as a worker thread's.
fn in_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let handle = thread.spawn(run).unwrap();
    handle.join().unwrap();
}

fn nested(open: &str, middle: &str, close: &str, depth: usize) -> String {
    format!("main func(input) {{\n{}{middle}{}\n}}\n", open.repeat(depth), close.repeat(depth))
}

const NESTS: &[(&str, &str, &str)] = &[
    ("x = (", "1", ")"),
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("{ a: ", "1", "}"),
    ("f(", "1", ")"),
    ("x[", "1", "]"),
    ("not ", "x", ""),
    ("- ", "x", ""),
    ("", "x", ".a"),
    ("", "x", "[0]"),
    ("", "x", "(1)"),
    ("", "x", " + 1"),
    ("1 + (", "x", ") + 1"),
    ("a or b and c == d + e * (", "x", ")"),
    ("if a { ", "b = 1", " }"),
    ("if a { b = 1 } else if b { c = 1 } else { ", "b = 1", " }"),
    ("repeat * 2 {\n", "b = 1", "\n}"),
    ("loop until a max 3 { ", "b = 1", " }"),
    ("for x in y max 3 { ", "b = 1", " }"),
    ("parallel for x in y max 3 { ", "b = 1", " }"),
    ("try { ", "b", " } else { c }"),
    ("x = try { ", "b", " } else e { c }"),
    ("generate({ input: ", "b", " }) -> { a string }"),
    ("use one of { a: [", "b", "], none: empty }"),
    ("generate({ input: \"a\" }) -> ", "{ a string }", ""),
    ("x = generate({ input: \"a\" }) -> { a { ", "b string", " } }"),
    ("agent A { ", "func f() { 1 }", " }"),
    ("func f() { ", "1", " }"),
];

#[test]
fn as_32_deep_nesting_is_read_or_refused_and_never_overflows() {
    in_small_stack(|| {
        for (open, middle, close) in NESTS {
            for depth in [60, 1_190, 5_000] {
                everything(&nested(open, middle, close, depth));
            }
        }
    });
}

/// Constructs that nest without a limit of their own, each without faults.
const BLOCKS: &[(&str, &str, &str)] = &[
    ("if input { ", "b = 1", " }"),
    ("if input {\n", "b = 1", "\n} else { b = 2 }"),
    ("if input { b = 1 } else if not input { c = 1 } else { ", "b = 1", " }"),
    ("repeat * 1 {\n", "b = 1", "\n}"),
    ("loop until input max 1 { ", "b = 1", " }"),
    ("for x in input max 1 { ", "b = 1", " }"),
    ("parallel for x in input max 1 { ", "x", " }"),
    ("x = parallel for x in input max 1 { ", "x", " }"),
    ("try { ", "b = 1", " } else { c = 1 }"),
    ("try { 1 } else e { ", "b = 1", " }"),
    ("x = try { ", "b = 1", " } else e { c = 1 }"),
    ("return try { ", "b = 1", " } else e { c = 1 }"),
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("[1, ", "1", ", 2]"),
    ("{ a: ", "1", " }"),
    ("1 + (", "2", ") + 1"),
    ("true or input and 1 == 2 + 3 * (", "2", ")"),
    ("not (", "input", ")"),
    ("-(", "input", ")"),
    ("input[", "0", "]"),
    ("input.get(", "0", ", 1)"),
    ("main(", "0", ")"),
    ("generate({ input: ", "input", " }) -> { a string }"),
];

#[test]
fn as_32_thousand_nested_blocks_of_every_kind_work() {
    in_small_stack(|| {
        for (open, middle, close) in BLOCKS {
            let text = nested(open, middle, close, 1_000);
            let parsed = everything(&text);
            assert_eq!(parsed.diagnostics, [], "{open}");
            let limits = Limits::default();
            let source = SourceFile::new("t.as", text.as_str());
            let laid_out = format(&source, &limits).unwrap();
            let again = format(&SourceFile::new("t.as", laid_out.as_str()), &limits).unwrap();
            assert!(laid_out == again, "{open} is not laid out once for all");
        }
    });
}

#[test]
fn as_32_beyond_limit_there_is_one_clear_error() {
    in_small_stack(|| {
        for (open, middle, close) in BLOCKS {
            for depth in [1_300, 20_000] {
                let source = SourceFile::new("t.as", nested(open, middle, close, depth));
                let parsed = parse(&source, &Limits::default());
                let codes: Vec<&str> = parsed.diagnostics.iter().map(|fault| fault.code).collect();
                assert_eq!(codes, ["AS1013"], "{open}");
                let fault = &parsed.diagnostics[0];
                assert!(fault.message.contains("1200 levels"), "{}", fault.message);
                assert!(fault.help.is_some());
            }
        }
    });
}

/// Constructs that repeat in a row and do not nest.
const ROWS: &[(&str, &str, &str)] = &[
    ("x = 1", " + 1", ""),
    ("x = 1", "\n  - 1", ""),
    ("x = input", " and input", ""),
    ("x = input", " or input", ""),
    ("x = input", " == input", ""),
    ("x = \"a\"", ".trim()", ""),
    ("x = input", ".a", ""),
    ("x = input", "[0]", ""),
    ("x = ", "not ", "input"),
    ("x = ", "- ", "1"),
    ("if input { }", " else if input { }", ""),
    ("x = [0", ", 0", "]"),
    ("", "x = 1\n", ""),
];

#[test]
fn as_7_ten_thousand_consecutive_terms_do_not_count_as_nesting() {
    in_small_stack(|| {
        for (start, link, end) in ROWS {
            let text = format!("main func(input) {{\n{start}{}{end}\n}}\n", link.repeat(10_000));
            let parsed = everything(&text);
            assert_eq!(parsed.diagnostics, [], "{start}{link}");
            let source = SourceFile::new("t.as", text.as_str());
            let laid_out = format(&source, &Limits::default()).unwrap();
            let again = format(&SourceFile::new("t.as", laid_out.as_str()), &Limits::default());
            assert!(again.as_ref() == Ok(&laid_out), "{start}{link}");
        }
    });
}

#[test]
fn as_7_row_without_end_is_one_clear_error() {
    in_small_stack(|| {
        for (start, link, end) in ROWS.iter().take(10) {
            let text = format!("main func(input) {{\n{start}{}{end}\n}}\n", link.repeat(100_000));
            let source = SourceFile::new("t.as", text.as_str());
            let parsed = parse(&source, &Limits::default());
            let codes: Vec<&str> = parsed.diagnostics.iter().map(|fault| fault.code).collect();
            assert_eq!(codes, ["AS1013"], "{start}{link}");
            assert!(parsed.diagnostics[0].message.contains("in a row"));
            assert!(parsed.diagnostics[0].help.is_some());
        }
    });
}

#[test]
fn as_32_nesting_without_end_takes_linear_time() {
    for (open, middle, close) in NESTS {
        let text = nested(open, middle, close, 100_000);
        let source = SourceFile::new("t.as", text.as_str());
        let parsed = parse(&source, &Limits::default());
        assert!(!parsed.is_valid(), "{open}{middle}{close}");
        assert!(parsed.diagnostics.len() <= 1_000);
    }
}

#[test]
fn as_32_deep_shapes_are_refused_and_never_overflow() {
    in_small_stack(|| {
        for depth in [10, 31, 64, 1_000, 50_000] {
            for (open, close) in [("list[", "]"), ("{ a ", " }"), ("{ a: list[", "] }")] {
                let shape = format!("{}string{}", open.repeat(depth), close.repeat(depth));
                everything(&format!("main func(input {shape}) {{ input }}"));
                let (_, faults) = parse_shape(&shape, &Limits::default());
                assert_eq!(faults.is_empty(), depth <= 31, "{open} {depth}");
            }
        }
    });
}

#[test]
fn as_32_odd_names_are_names() {
    let text = "main func(input) {\n  constructor = 1\n  __proto__ = { constructor: 2, toString: 3 }\n  generated = \"generate\"\n  检索 = __proto__.constructor\n  max = 1 keep = 2 as = 3 one = 4 model = 5 role = 6 loop = 7 repeat = 8 try = 9 parallel = 10\n  agent = 11 func = 12 main = 13 import = 14 tool = 15 in = 16 until = 17\n  input = act = 1\n}";
    let source = SourceFile::new("t.as", text);
    let parsed = parse(&source, &Limits::default());
    let codes: Vec<&str> = parsed.diagnostics.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, ["AS1016"], "{:#?}", parsed.diagnostics);
}
