//! The condition language by its specimens, and its properties for every text.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed"
)]

use contexture_flow::condition::{Condition, MAX_BYTES, MAX_DEPTH};
use proptest::prelude::*;
use serde_json::{Value, json};

const SPECIMENS: &str = include_str!("condition/specimens.txt");

fn context() -> Value {
    serde_json::from_str(include_str!("condition/context.json")).unwrap()
}

fn outcome(text: &str, context: &Value) -> String {
    match Condition::parse(text) {
        Ok(condition) => condition.evaluate(context).to_string(),
        Err(fault) => format!("error {}", fault.offset()),
    }
}

fn specimens() -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    SPECIMENS.lines().enumerate().filter_map(|(number, line)| {
        let (expected, text) = line.split_once('|')?;
        let is_comment = line.starts_with('#') || line.is_empty();
        (!is_comment).then(|| (number + 1, expected.trim(), text.strip_prefix(' ').unwrap_or(text)))
    })
}

#[test]
fn fl_8_fl_9_specimens_have_expected_results() {
    let context = context();
    let mut count = 0;
    let mut wrong = Vec::new();
    for (line, expected, text) in specimens() {
        count += 1;
        let found = outcome(text, &context);
        if found != expected {
            wrong.push(format!("{line}: {text} is {found}, not {expected}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(count >= 150, "{count} specimens");
}

#[test]
fn fl_8_every_specimen_that_parses_is_same_after_printing() {
    let context = context();
    for (line, expected, text) in specimens().filter(|(_, expected, _)| !expected.starts_with('e'))
    {
        let printed = Condition::parse(text).unwrap().to_string();
        assert_eq!(Condition::parse(&printed).unwrap().to_string(), printed, "line {line}");
        assert_eq!(outcome(&printed, &context), expected, "line {line}: {printed}");
    }
}

#[test]
fn fl_8_blank_condition_is_absent() {
    assert!(Condition::optional("").unwrap().is_none());
    assert!(Condition::optional(" \t\n").unwrap().is_none());
    assert!(Condition::optional("true").unwrap().is_some());
    assert_eq!(Condition::optional("(").unwrap_err().offset(), 1);
}

#[test]
fn fl_9_fault_is_shown_with_caret() {
    let text = "dependencies.a.status = 'COMPLETED'";
    let fault = Condition::parse(text).unwrap_err();
    assert_eq!(
        fault.render("condition", text, false),
        "error[FLOW1007]: expected a comparison, found `=` at offset 22\n --> condition:1:23\n  |\n\
         1 | dependencies.a.status = 'COMPLETED'\n  |                       ^\n  = help: compare with `==`\n"
    );
    let fault = Condition::parse("isempty(a)").unwrap_err();
    assert_eq!(fault.help.as_deref(), Some("did you mean `isEmpty`?"));
    let fault = Condition::parse("a == 1 and b == 2").unwrap_err();
    assert_eq!(fault.help.as_deref(), Some("write `AND` in capitals"));
}

#[test]
fn fl_8_depth_and_length_are_limited() {
    let nested = |depth: usize| format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Condition::parse(&nested(MAX_DEPTH)).unwrap().evaluate(&Value::Null));
    assert_eq!(Condition::parse(&nested(MAX_DEPTH + 1)).unwrap_err().offset(), MAX_DEPTH + 1);
    for opening in ["(", "NOT ", "!", "contains(", "isEmpty("] {
        let fault = Condition::parse(&opening.repeat(100_000)).unwrap_err();
        assert!(fault.message.contains("nested deeper"), "{fault}");
    }
    let long = "true AND ".repeat(100_000) + "true";
    assert!(Condition::parse(&long).unwrap().evaluate(&Value::Null));
    assert!(Condition::parse(&" ".repeat(MAX_BYTES + 1)).is_err());
}

#[test]
fn fl_9_values_of_any_depth_are_compared() {
    let deep = |depth: usize| (0..depth).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    let context = json!({"a": deep(300), "b": deep(300), "c": deep(299)});
    assert!(Condition::parse("a == b AND a != c").unwrap().evaluate(&context));
}

#[test]
fn fl_8_patterns_are_linear_and_limited() {
    let fault = Condition::parse("matches(a, '(x{1000}){1000}')").unwrap_err();
    assert!(fault.message.contains("invalid regular expression"), "{fault}");
    let context = json!({"a": "a".repeat(100_000), "p": "(x{1000}){1000}"});
    assert!(!Condition::parse("matches(a, '(a|aa)+$b')").unwrap().evaluate(&context));
    assert!(!Condition::parse("matches(a, p)").unwrap().evaluate(&context));
}

#[test]
fn fl_5_paths_are_reported() {
    let text = "results.a.error.code == 'X' OR size(dependencies[\"b c\"].result) > n";
    let condition = Condition::parse(text).unwrap();
    let paths: Vec<_> =
        condition.paths().iter().map(|p| (p.outcome(), p.outcome_field())).collect();
    assert_eq!(paths, [(Some("a"), Some("error")), (Some("b c"), Some("result")), (None, None)]);
}

/// Generates texts that are conditions.
fn conditions() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("true".to_owned()),
        Just("null".to_owned()),
        "[a-c](\\.[a-c0-2]){0,2}",
        "-?[0-9]{1,3}(\\.[0-9]{1,2})?(e[0-9])?"
            .prop_filter("JSON", |t| { serde_json::from_str::<Value>(t).is_ok() }),
        "'[a-c ]{0,4}'",
        "[a-c]\\[\"[a-c .\\]]{0,3}\"\\]",
    ];
    let wrap = |text: &String| format!("({text})");
    leaf.prop_recursive(5, 40, 3, move |inner| {
        prop_oneof![
            (
                inner.clone(),
                inner.clone(),
                prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="])
            )
                .prop_map(move |(l, r, op)| format!("{} {op} {}", wrap(&l), wrap(&r))),
            (inner.clone(), inner.clone(), prop::sample::select(vec!["AND", "OR", "&&", "||"]))
                .prop_map(move |(l, r, op)| format!("{l} {op} {r}")),
            inner.clone().prop_map(move |t| format!("NOT {t}")),
            inner.clone().prop_map(move |t| wrap(&t)),
            inner.clone().prop_map(|t| format!("size({t}) > 1")),
            (inner.clone(), inner).prop_map(|(l, r)| format!("contains({l}, {r})")),
        ]
    })
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        (-3.0_f64..4.0).prop_map(Value::from),
        "[a-c ]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-c]", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn fl_8_any_text_never_panics(text in ".{0,60}", context in values()) {
        let _ = outcome(&text, &context);
    }

    #[test]
    fn fl_8_text_of_own_tokens_never_panics(
        text in "([ab.\\[\\]()'\"\\\\!<>=&|,0-9 -]|AND|OR|NOT|size\\(|\\$|é){0,30}",
        context in values(),
    ) {
        if let Ok(condition) = Condition::parse(&text) {
            let printed = condition.to_string();
            let again = Condition::parse(&printed).unwrap();
            prop_assert_eq!(again.to_string(), printed);
            prop_assert_eq!(again.evaluate(&context), condition.evaluate(&context));
        }
    }

    #[test]
    fn fl_8_printed_condition_has_same_meaning(text in conditions(), context in values()) {
        // A comparison beside a comparison is refused; everything else here is a condition.
        if let Ok(condition) = Condition::parse(&text) {
            let printed = condition.to_string();
            let again = Condition::parse(&printed).unwrap();
            prop_assert_eq!(again.to_string(), printed);
            prop_assert_eq!(again.evaluate(&context), condition.evaluate(&context));
        }
    }

    #[test]
    fn fl_9_order_and_equality_agree(left in values(), right in values()) {
        let context = json!({"l": left, "r": right});
        let is = |text: &str| Condition::parse(text).unwrap().evaluate(&context);
        prop_assert_eq!(is("l == r"), !is("l != r"));
        prop_assert_eq!(is("l < r"), is("r > l"));
        prop_assert_eq!(is("l <= r"), is("l < r OR (l == r AND l >= r)"));
        prop_assert!(is("l == l AND r == r"));
    }
}
