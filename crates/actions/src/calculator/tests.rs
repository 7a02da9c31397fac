use super::evaluate;
use proptest::prelude::*;
use serde_json::json;

fn error(expression: &str) -> String {
    evaluate(expression).unwrap_err().to_string()
}

#[test]
fn fl_3_calculator_keeps_whole_numbers_whole() {
    for (expression, value) in [
        ("2*(3+4)", json!(14)),
        ("1+1", json!(2)),
        ("6/2", json!(3)),
        ("7/2", json!(3.5)),
        ("-7/7", json!(-1)),
        ("7%3", json!(1)),
        ("-7 % 3", json!(-1)),
        ("7 % -3", json!(1)),
        ("9007199254740993 + 2", json!(9_007_199_254_740_995_i64)),
        ("9223372036854775807", json!(i64::MAX)),
        ("9223372036854775807 + 1", json!(9_223_372_036_854_775_808_u64)),
        ("2^64 - 1", json!(u64::MAX)),
        ("-2^63", json!(i64::MIN)),
        ("2^100 / 2^98", json!(4)),
        ("(2^126 - 1) % 2", json!(1)),
        ("0^0", json!(1)),
        ("(-1)^-3", json!(-1)),
        ("1^99999999999999999999", json!(1)),
        ("007", json!(7)),
    ] {
        assert_eq!(evaluate(expression), Ok(value), "{expression}");
    }
}

#[test]
fn fl_3_calculator_reads_decimals_and_exponents() {
    for (expression, value) in [
        ("1.5*2", json!(3.0)),
        (".5 + 5.", json!(5.5)),
        ("1e3", json!(1000.0)),
        ("1.5E-3", json!(0.0015)),
        ("2e+2", json!(200.0)),
        ("7.5 % 2", json!(1.5)),
        ("2^-1", json!(0.5)),
        ("2**0.5", json!(2_f64.sqrt())),
        ("-0.0", json!(0.0)),
        ("1e-400", json!(0.0)),
    ] {
        assert_eq!(evaluate(expression), Ok(value), "{expression}");
    }
}

#[test]
fn fl_3_calculator_binds_as_mathematics_does() {
    for (expression, value) in [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("10-4-3", 3),
        ("100/10/5", 2),
        ("20/2*5", 50),
        ("2^3^2", 512),
        ("2**3**2", 512),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2*-3", -6),
        ("2--3", 5),
        ("+-+4", -4),
        ("2^+3", 8),
        ("10%4*2", 4),
        (" 1\t+\n 2 ", 3),
    ] {
        assert_eq!(evaluate(expression), Ok(json!(value)), "{expression}");
    }
}

#[test]
fn fl_3_calculator_reports_where_it_failed() {
    for (expression, message) in [
        ("1/0", "division by zero at offset 1"),
        ("1 + 5%0", "division by zero at offset 5"),
        ("1/0.0", "division by zero at offset 1"),
        ("0^-1", "division by zero at offset 1"),
        ("(-8)^0.5", "there is no real number that is the result at offset 4"),
        ("1e308*10", "the result is too large at offset 5"),
        ("10^39", "the result is too large at offset 2"),
        ("2^99999999999", "the result is too large at offset 1"),
        ("1e999", "the number is too large for a 64-bit float at offset 0"),
        ("", "expected a number or `(`, found the end at offset 0"),
        ("  ", "expected a number or `(`, found the end at offset 2"),
        ("2+", "expected a number or `(`, found the end at offset 2"),
        ("*2", "expected a number or `(`, found `*` at offset 0"),
        ("2 3", "expected an operator or the end, found `3` at offset 2"),
        ("2(3)", "expected an operator or the end, found `(` at offset 1"),
        ("1,000", "expected an operator or the end, found `,` at offset 1"),
        ("1.2.3", "expected an operator or the end, found `.` at offset 3"),
        ("(1+2", "a parenthesis is not closed: the one at offset 0"),
        ("(1+2]", "expected an operator or `)`, found `]` at offset 4"),
        ("1)", "expected an operator or the end, found `)` at offset 1"),
        ("()", "expected a number or `(`, found `)` at offset 1"),
        (".", "expected digits beside the decimal point at offset 0"),
        ("1e", "expected the digits of an exponent at offset 2"),
        ("sqrt(4)", "expected a number or `(`, found `sqrt` at offset 0"),
        ("__import__('os')", "expected a number or `(`, found `_` at offset 0"),
        ("五+1", "expected a number or `(`, found `五` at offset 0"),
        ("1 \u{0} 2", "expected an operator or the end, found \\u{0} at offset 2"),
    ] {
        assert_eq!(error(expression), message, "{expression}");
    }
    assert!(error("2^64").contains("not a whole number from -2^63 to 2^64-1"), "{}", error("2^64"));
    assert!(error(&"9".repeat(50)).ends_with("than can be computed with at offset 0"));
}

#[test]
fn fl_3_calculator_has_limits() {
    let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(evaluate(&nested(128)), Ok(json!(1)));
    assert_eq!(error(&nested(129)), "the expression is nested deeper than 128 at offset 129");
    assert!(error(&"-".repeat(5_000)).contains("nested deeper than 128"));
    assert!(error(&"2^".repeat(4_000)).contains("nested deeper than 128"));
    assert!(error(&"1+".repeat(6_000)).contains("12000 bytes, the limit is 10000"));
    let sum = vec!["1"; 5_000].join("+");
    assert_eq!(evaluate(&sum), Ok(json!(5_000)));
}

/// Returns an expression and its value, computed by the test.
fn expressions() -> impl Strategy<Value = (String, i128)> {
    let leaf = (0_i128..1_000).prop_map(|number| (number.to_string(), number));
    leaf.prop_recursive(5, 40, 2, |inner| {
        (inner.clone(), 0_usize..3, inner).prop_map(|((left, a), sign, (right, b))| {
            let (sign, value) = [("+", a + b), ("-", a - b), ("*", a.saturating_mul(b))][sign];
            (format!("({left} {sign} {right})"), value)
        })
    })
}

proptest! {
    #[test]
    fn fl_3_calculator_never_panics(expression in "[0-9+*/%^().eE \\-]{0,60}|\\PC{0,40}") {
        if let Err(error) = evaluate(&expression) {
            prop_assert!(error.offset <= expression.len());
            prop_assert!(expression.is_char_boundary(error.offset));
        }
    }

    #[test]
    fn fl_3_calculator_computes_what_test_computes((expression, value) in expressions()) {
        let fits = i64::try_from(value).is_ok();
        prop_assume!(fits);
        prop_assert_eq!(evaluate(&expression), Ok(json!(value as i64)));
    }

    #[test]
    fn fl_3_calculator_reads_back_what_json_writes(number in any::<i64>()) {
        prop_assert_eq!(evaluate(&number.to_string()), Ok(json!(number)));
    }

    #[test]
    fn fl_3_calculator_reads_back_floats(number in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
        let value = evaluate(&format!("{number:e}")).unwrap().as_f64().unwrap();
        prop_assert_eq!(value, number);
    }
}
