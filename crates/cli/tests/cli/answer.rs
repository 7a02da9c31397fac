//! `contexture answer parse`.

use crate::support::{Done, Sandbox};
use serde_json::json;

const SHAPE: &str = "{ok boolean, items list[string]}";

fn parse(options: &[&str], answer: &str) -> Done {
    let arguments = ["answer", "parse"].iter().chain(options);
    Sandbox::new().run_with(arguments, answer)
}

#[test]
fn as_21_parse_prints_value() {
    let answer = "Sure!\n```json\n{ok: \"True\", items: ['a', \"b\",]}\n```";
    let done = parse(&["--shape", SHAPE], answer).exits(0);
    assert_eq!(done.json(), json!({ "ok": true, "items": ["a", "b"] }));
    let done = done.says("unquoted key");
    assert!(
        done.stderr.contains("ok: \"True\" read as true") || done.stderr.contains("other spelling")
    );
}

#[test]
fn as_21_parse_lists_mismatches_by_path_and_exits_1() {
    let done = parse(&["--shape", SHAPE], r#"{"ok": 1, "items": ["a", 2]}"#).exits(1);
    assert!(done.stdout.contains("ok: expected boolean"), "{}", done.stdout);
    assert!(done.stdout.contains("items[1]: expected string"), "{}", done.stdout);
}

#[test]
fn as_21_parse_json_lists_repairs_and_mismatches() {
    let good = parse(&["--json", "--shape", SHAPE], "{ok: true, items: []}").exits(0).json();
    assert_eq!(good["value"], json!({ "ok": true, "items": [] }));
    assert_eq!(good["repairs"][0]["kind"], "unquoted_key");
    let bad = parse(&["--json", "--shape", SHAPE], r#"{"ok": true, "items": [1]}"#).exits(1).json();
    assert_eq!(bad["error"]["code"], "shape_mismatch");
    assert_eq!(bad["error"]["errors"][0]["path"], "items[0]");
    assert_eq!(bad["error"]["read"], json!({ "ok": true, "items": [1] }));
}

#[test]
fn as_21_strict_neither_repairs_nor_coerces() {
    let exact = r#"{"ok": true, "items": []}"#;
    let _ = parse(&["--strict", "--shape", SHAPE], exact).exits(0);
    for answer in [
        "{ok: true, items: []}",
        r#"{"ok": "true", "items": []}"#,
        r#"{"ok":true,"items":[],"x":1}"#,
    ] {
        let _ = parse(&["--strict", "--shape", SHAPE], answer).exits(1);
    }
}

#[test]
fn as_21_invalid_shape_is_refused_with_place() {
    for shape in ["{ok bool}", "{ok boolean", "", "[string]", "{a: list[}"] {
        let done = parse(&["--shape", shape], "{}").exits(2);
        assert!(done.stderr.contains("error"), "{shape}: {}", done.stderr);
    }
    let json = parse(&["--json", "--shape", "{ok bool}"], "{}").exits(2).json();
    assert!(json["error"]["message"].is_string(), "{json}");
}

#[test]
fn as_21_parse_without_shape_accepts_any_value() {
    assert_eq!(parse(&[], "The answer is [1, 2].").exits(0).json(), json!([1, 2]));
    let _ = parse(&[], "no value here").exits(1);
}
