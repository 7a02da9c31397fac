//! Nested blocks and long rows run, on the stack of a worker thread.

use crate::support::{failure, value};
use serde_json::json;

fn in_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    thread.spawn(run).unwrap().join().unwrap();
}

fn nested(open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(1_000), close.repeat(1_000))
}

#[test]
fn as_6_one_thousand_nested_blocks_run() {
    in_small_stack(|| {
        for (open, middle, close) in [
            ("if true { ", "n = 7", " }"),
            ("if false { n = 1 } else if false { n = 2 } else { ", "n = 7", " }"),
            ("repeat * 1 { ", "n = 7", " }"),
            ("loop until n == 7 max 2 { ", "n = 7", " }"),
            ("for x in [1] max 1 { ", "n = 7", " }"),
            ("try { ", "n = 7", " } else { n = 1 }"),
            ("try { x = 1 / 0 } else e { ", "n = 7", " }"),
        ] {
            let body = format!("n = 0\n{}\nn", nested(open, middle, close));
            assert_eq!(value(&body), json!(7), "{open}");
        }
        let tried = nested("try { ", "7", " } else { 1 }");
        assert_eq!(value(&format!("n = {tried}\nn")), json!(7));
    });
}

#[test]
fn as_7_one_thousand_nested_expressions_run() {
    in_small_stack(|| {
        for (open, middle, close, result) in [
            ("(", "7", ")", json!(7)),
            ("(1 + ", "7", ")", json!(1_007)),
            ("not (", "true", ")", json!(true)),
            ("not ", "true", "", json!(true)),
            ("-(", "7", ")", json!(7)),
            ("- ", "7", "", json!(7)),
            ("[5, 6].contains(5) and (", "true", ")", json!(true)),
            ("{ a: 1 }.get(\"b\", ", "7", ")", json!(7)),
        ] {
            assert_eq!(value(&nested(open, middle, close)), result, "{open}");
        }
        assert_eq!(value(&format!("x = {}\nx.length", nested("[", "", "]"))), json!(1));
        let object = format!("x = {}\nx.keys()", nested("{ a: ", "1", " }"));
        assert_eq!(value(&object), json!(["a"]));
    });
}

#[test]
fn as_7_ten_thousand_terms_in_row_run() {
    in_small_stack(|| {
        let row = |start: &str, link: &str| value(&format!("{start}{}", link.repeat(10_000)));
        assert_eq!(row("1", " + 1"), json!(10_001));
        assert_eq!(row("true", " and true"), json!(true));
        assert_eq!(row("false", " or false"), json!(false));
        assert_eq!(row("\" a \"", ".trim()"), json!("a"));
        assert_eq!(row("\"\"", " + \"a\"").as_str().map(str::len), Some(10_000));
        let chain =
            format!("n = 0\nif n {{ }}{} else {{ n = 7 }}\nn", " else if n { }".repeat(10_000));
        assert_eq!(value(&chain), json!(7));
        assert_eq!(failure(&format!("1{}", "[0]".repeat(10_000))).code, "AS9006");
    });
}
