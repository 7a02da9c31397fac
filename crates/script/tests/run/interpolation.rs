//! TY-6: values in strings.

use crate::support::{executable_of_any, fault, program, value, value_of};
use contexture_context::Limits;
use contexture_diagnostic::SourceFile;
use contexture_script::analysis::check;
use contexture_script::format::format;
use contexture_script::syntax::parse;
use serde_json::json;

#[test]
fn ty_6_values_are_put_into_strings_as_plus_joins_them() {
    let body = r#"
        name = "Ada" n = 2.5
        [
            "Hello \(name), \(n) \(true)!",
            '\(name)',
            "\(n)",
            "你好\(name.upper().slice(0, 1))👋",
            "\("in \("in \(n)")")",
            "\((1 + 2) * 3)",
            "\([1, 2].map(double).join(", "))",
        ]"#;
    let source = format!("func double(n) {{ n * 2 }} main func(input) {{ {body} }}");
    assert_eq!(
        value_of(&source),
        json!(["Hello Ada, 2.5 true!", "Ada", "2.5", "你好A👋", "in in 2.5", "9", "2, 4"])
    );
}

#[test]
fn ty_6_block_of_text_with_values_loses_its_indent() {
    let body = "x = 1\n    \"\"\"\n    a \\(x)\n      b \\(x + 1)\n    \"\"\"";
    assert_eq!(value(body), json!("a 1\n  b 2"));
}

#[test]
fn ty_6_value_that_is_no_text_fails_as_with_plus() {
    assert_eq!(fault("\"a \\([1])\"").0, "AS9006");
    assert_eq!(fault("\"a \\(none)\"").0, "AS9006");
}

#[test]
fn ty_6_doubled_backslash_before_bracket_is_text() {
    assert_eq!(value(r#"["\\(x)", "a(1)".match("\\((\\d)\\)")[1]]"#), json!(["\\(x)", "1"]));
}

#[test]
fn ty_6_formatter_keeps_values_in_strings() {
    let source = "main func(input) {\n  x = \"a \\( input.b )\"\n  x + '\\(x)'\n}\n";
    let file = SourceFile::new("main.as", source);
    assert_eq!(format(&file, &Limits::default()).expect("it is valid"), source);
}

#[test]
fn ty_6_faults_in_strings_have_their_places() {
    let faults = check(&program("main func(input) {\n  \"a \\(inptu)\"\n}\n"));
    let fault = faults.first().expect("a fault");
    assert_eq!((fault.code, fault.span.start, fault.span.end), ("AS2001", 26, 31));
    for (text, code) in [
        ("\"\\(1 2)\"", "AS1001"),
        ("\"\\()\"", "AS1001"),
        ("\"\\(1\"", "AS1005"),
        ("{ \"\\(1)\": 2 }", "AS1005"),
        ("\"\\(a\\)\"", "AS1008"),
    ] {
        let source = format!("main func(input) {{ a = 1\n {text}\n }}");
        let found = parse(&SourceFile::new("main.as", source.as_str()), &Limits::default());
        let codes: Vec<_> = found.diagnostics.iter().map(|fault| fault.code).collect();
        assert!(codes.contains(&code), "{text}: {codes:?}");
        // Whatever the faults, it compiles to something.
        drop(executable_of_any(&source));
    }
}
