use super::*;
use crate::Span;

fn file(text: &str) -> SourceFile {
    SourceFile::new("a.as", text)
}

#[test]
fn as_32_bom_does_not_move_mark() {
    let file = SourceFile::new("a.as", "\u{feff}x = y\n");
    let fault = Diagnostic::error("AS2001", "use of undefined name `y`", Span::new(7, 8));
    assert_eq!(
        terminal(&fault, &file, false),
        "error[AS2001]: use of undefined name `y`\n --> a.as:1:5\n  |\n1 | x = y\n  |     ^\n"
    );
}

#[test]
fn as_32_json_has_exactly_agreed_fields() {
    let source = file("x = 你 y\n");
    let fault = Diagnostic::error("AS2001", "unknown", Span::new(8, 9));
    assert_eq!(
        json(&fault, &source),
        json!({
            "code": "AS2001", "severity": "error", "message": "unknown", "help": null, "file": "a.as",
            "span": { "line": 1, "column": 7, "end_line": 1, "end_column": 8 },
            "labels": [], "notes": [], "fixes": [],
        })
    );
    let fault = Diagnostic::new("AS2010", Severity::Hint, "unused", Span::at(0))
        .with_help("go")
        .in_file("b.as");
    let value = json(&fault, &source);
    assert_eq!((&value["help"], &value["file"]), (&json!("go"), &json!("b.as")));
    assert_eq!(value["severity"], "hint");
}

#[test]
fn ty_4_json_of_fix_has_title_and_edits_in_code_points() {
    let source = file("x = 你 y\n");
    let span = Span::new(4, 7);
    let fault = Diagnostic::warning("AS1", "wrong", span)
        .with_label(Span::at(0), "this one")
        .with_note("it is so")
        .with_help("write `z`")
        .with_safe_edit(span, "z");
    let value = json(&fault, &source);
    let place = json!({ "line": 1, "column": 5, "end_line": 1, "end_column": 6 });
    assert_eq!(
        value["fixes"],
        json!([{ "title": "write `z`", "safe": true, "edits": [{ "span": place, "text": "z" }] }])
    );
    assert_eq!(value["labels"][0]["message"], "this one");
    assert_eq!(value["labels"][0]["span"]["end_column"], 1);
    assert_eq!(value["notes"], json!(["it is so"]));
    assert_eq!(value["fix"], json!([{ "span": place, "replacement": "z" }]));
    let shown = terminal(&fault, &source, false);
    assert!(shown.ends_with("  = note: it is so\n  = help: write `z`\n"), "{shown}");
}

#[test]
fn as_32_one_line_is_one_line() {
    let fault = Diagnostic::warning("AS1001", "a\nb\u{1b}[31m", Span::new(1, 2));
    assert_eq!(one_line(&fault, &file("ab")), "a.as:1:2: warning[AS1001]: a\u{fffd}b\u{fffd}[31m");
}

#[test]
fn as_32_marks_are_below_wide_characters_and_tabs() {
    let source = file("\t你好 = x\n");
    let fault = Diagnostic::error("AS2001", "unknown", Span::new(10, 11)).with_help("one\ntwo");
    let fault = fault.with_label(Span::new(1, 7), "this one");
    assert_eq!(
        terminal(&fault, &source, false),
        "error[AS2001]: unknown\n --> a.as:1:7\n  |\n1 |     你好 = x\n  |            ^\n  |     ---- this one\n  = help: one\n          two\n"
    );
}

#[test]
fn as_32_several_lines() {
    let source = file("one {\n\n\n  two\n} end");
    let fault =
        Diagnostic::error("AS1002", "open", Span::new(4, 15)).with_label(Span::at(15), "here");
    assert_eq!(
        terminal(&fault, &source, false),
        "error[AS1002]: open\n --> a.as:1:5\n  |\n1 | one {\n  |     ^ … to line 5\n ...\n5 | } end\n  |  - here\n"
    );
}

#[test]
fn as_32_long_lines_are_cut_around_mark() {
    let text = format!("{}XX{}", "你".repeat(100_000), "b".repeat(100_000));
    let source = file(&text);
    let fault = Diagnostic::error("AS1001", "long", Span::new(300_000, 300_002));
    let shown = terminal(&fault, &source, true);
    assert!(shown.len() < 2_000, "{}", shown.len());
    assert!(shown.contains("你XXb"));
    let plain = terminal(&fault, &source, false);
    let lines: Vec<&str> = plain.lines().collect();
    assert!(lines[3].ends_with('…') && lines[3].contains("| …你"), "{}", lines[3]);
    assert_eq!(lines[4].trim_start_matches(' ').trim_end(), format!("|{}^^", " ".repeat(62)));
}

#[test]
fn as_32_odd_spans_are_accepted() {
    for text in ["", "\n", "é", "a\r\nb"] {
        for (start, end) in [(0, 0), (1, 1), (0, 99), (99, 3), (99, 99)] {
            let fault = Diagnostic::error("AS1001", "odd", Span::new(start, end));
            let source = file(text);
            assert!(!terminal(&fault, &source, true).is_empty());
            assert!(json(&fault, &source)["span"]["line"].as_u64().unwrap() > 0);
        }
    }
}
