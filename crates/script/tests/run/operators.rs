//! AS-7: operators, numbers, truth.

use crate::support::{fault, value};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn as_7_precedence_from_loose_to_tight() {
    assert_eq!(value("1 + 2 * 3 - 4 / 2"), json!(5));
    assert_eq!(value("(1 + 2) * 3"), json!(9));
    assert_eq!(value("-2 * 3 + 10 % 4"), json!(-4));
    assert_eq!(value("1 + 1 == 2 and 2 < 3 or false"), json!(true));
    assert_eq!(value("false and false or true"), json!(true));
    assert_eq!(value("true or true and false"), json!(true));
    assert_eq!(value("not 1 == 2"), json!(true));
    assert_eq!(value("not false and false"), json!(false));
    assert_eq!(value("10 - 3 - 2"), json!(5));
    assert_eq!(value("100 / 10 / 2"), json!(5));
    assert_eq!(value("-[3][0] + 4"), json!(1));
}

#[test]
fn as_7_division_is_true_division() {
    assert_eq!(value("[6 / 2, 5 / 2, -7 / 2, 0 / 3, 7.5 / 2.5]"), json!([3, 2.5, -3.5, 0, 3.0]));
    assert_eq!(value("6 / 2").to_string(), "3");
    assert_eq!(value("6.0 / 2").to_string(), "3.0");
}

#[test]
fn as_7_remainder_has_sign_of_left_side() {
    assert_eq!(value("[7 % 3, -7 % 3, 7 % -3, -7 % -3, 7.5 % 2]"), json!([1, -1, 1, -1, 1.5]));
    assert_eq!(value("a = -9223372036854775807 - 1 b = -1 a % b"), json!(0));
}

#[test]
fn as_7_integers_have_64_bits_and_overflow_is_error() {
    assert_eq!(value("9223372036854775807"), json!(i64::MAX));
    assert_eq!(value("-9223372036854775807 - 1"), json!(i64::MIN));
    for body in [
        "9223372036854775807 + 1",
        "a = 9223372036854775807 b = 1 a + b",
        "-9223372036854775807 - 2",
        "a = -9223372036854775807 b = 2 a - b",
        "4611686018427387904 * 2",
        "a = -9223372036854775807 - 1 b = -a",
        "a = -9223372036854775807 - 1 a / -1",
        "a = 9223372036854775807 a += 1 a",
    ] {
        let (code, message) = fault(body);
        assert_eq!(code, "AS9010", "{body}");
        assert!(message.contains("does not fit into 64 bits"), "{body}: {message}");
    }
}

#[test]
fn as_7_division_by_zero_is_error() {
    for body in ["1 / 0", "1 % 0", "1.5 / 0", "1 / 0.0", "0 % 0.0", "z = 0 5 / z", "z = 0 5 % z"] {
        assert_eq!(fault(body).0, "AS9011", "{body}");
    }
}

#[test]
fn as_7_numbers_are_finite() {
    assert_eq!(fault("1e308 * 10").0, "AS9012");
    assert_eq!(fault("1e308 + 1e308").0, "AS9012");
    assert_eq!(fault("-1e308 - 1e308").0, "AS9012");
    assert_eq!(fault("1e308 / 1e-10").0, "AS9012");
}

#[test]
fn as_7_whole_and_other_numbers_mix() {
    assert_eq!(value("[1 + 0.5, 2 * 1.5, 3 - 0.5]"), json!([1.5, 3.0, 2.5]));
    assert_eq!(value("1 == 1.0"), json!(true));
    assert_eq!(value("9007199254740993 == 9007199254740992.0"), json!(false), "compared exactly");
    assert_eq!(value("9007199254740993 > 9007199254740992.0"), json!(true));
    assert_eq!(value("[1 < 1.5, -1 > -1.5, 2 <= 2.0, 2 >= 2.5]"), json!([true, true, true, false]));
}

#[test]
fn as_7_plus_with_string_renders_numbers_and_booleans() {
    assert_eq!(value("\"n = \" + 42"), json!("n = 42"));
    assert_eq!(value("42 + \" is n\""), json!("42 is n"));
    assert_eq!(value("\"yes: \" + true + \", \" + false"), json!("yes: true, false"));
    assert_eq!(value("\"x\" + 2.5 + 3.0 + -1"), json!("x2.53.0-1"));
    assert_eq!(value("true + \"!\""), json!("true!"));
    assert_eq!(value("s = \"a\" s += 1 s += \"b\" s"), json!("a1b"));
}

#[test]
fn as_7_plus_with_string_refuses_lists_objects_and_none() {
    for body in [
        "\"a\" + [1]",
        "\"a\" + { x: 1 }",
        "\"a\" + none",
        "[1] + \"a\"",
        "none + \"a\"",
        "[1] + { a: 1 }",
    ] {
        let (code, message) = fault(body);
        assert_eq!(code, "AS9006", "{body}");
        assert!(message.starts_with("`+` can't be applied to "), "{body}: {message}");
    }
}

#[test]
fn as_7_arithmetic_on_other_types_is_error() {
    for body in
        ["\"a\" - 1", "\"a\" * 2", "true + 1", "none - 1", "[1] / 2", "-\"a\"", "-none", "{} % 2"]
    {
        assert_eq!(fault(body).0, "AS9006", "{body}");
    }
}

#[test]
fn as_7_failed_addition_leaves_variable_unchanged() {
    assert_eq!(value("s = \"a\" s = s + \"b\" try { s += [1] } else err { 0 } s"), json!("ab"));
}

#[test]
fn as_7_equality_is_deep_and_ignores_key_order() {
    assert_eq!(value("[1, { a: 2, b: [3] }] == [1.0, { b: [3], a: 2 }]"), json!(true));
    assert_eq!(value("{ a: 1 } == { a: 1, b: none }"), json!(false));
    assert_eq!(value("[1, 2] == [1, 2, 3]"), json!(false));
    assert_eq!(
        value("[1 == \"1\", 0 == false, none == false, \"\" == none, [] == {}]"),
        json!(vec![false; 5])
    );
    assert_eq!(
        value("[none == none, true == true, \"a\" == \"a\", \"a\" != \"b\"]"),
        json!(vec![true; 4])
    );
    assert_eq!(value("x = [1] y = x x == y"), json!(true));
}

#[test]
fn as_7_order_is_for_two_numbers_or_two_strings() {
    assert_eq!(
        value("[\"a\" < \"b\", \"b\" <= \"a\", \"Z\" < \"a\", \"ä\" > \"z\"]"),
        json!([true, false, true, true])
    );
    assert_eq!(value("a = \"x\" b = \"y\" if a < b { return 1 } 2"), json!(1));
    for body in
        ["1 < \"a\"", "[1] < [2]", "true > false", "none <= 1", "x = {} x >= 3", "if none < 1 { }"]
    {
        let (code, message) = fault(body);
        assert_eq!(code, "AS9006", "{body}");
        assert!(message.ends_with("can't be ordered"), "{body}: {message}");
    }
    for (body, told) in [
        ("[none, 1].sort()", "none and an integer can't be ordered"),
        ("[1, none].sort()", "an integer and none can't be ordered"),
        ("[none].sort()", "none and none can't be ordered"),
    ] {
        assert_eq!(fault(body).1, told, "{body}");
    }
}

#[test]
fn as_7_none_false_zero_and_empty_values_are_false() {
    let body = "
        falsy = [none, false, 0, 0.0, \"\", []]
        truthy = [true, 1, -1, 0.5, \" \", [none], {}, { a: none }]
        out = []
        for x in falsy max 10 { if x { out.add(\"wrong\") } out.add(not x) }
        for x in truthy max 10 { if not x { out.add(\"wrong\") } out.add(x and true) }
        out";
    assert_eq!(value(body), json!(vec![true; 14]));
}

#[test]
fn as_7_and_or_short_circuit_and_give_booleans() {
    assert_eq!(value("none or \"x\""), json!(true));
    assert_eq!(value("1 and \"x\""), json!(true));
    assert_eq!(value("0 and missing_is_not_reached()").as_bool(), Some(false));
    assert_eq!(value("1 or 1 / 0"), json!(true));
    assert_eq!(value("x = 0 and 1 / 0 x"), json!(false));
    assert_eq!(fault("1 and 1 / 0").0, "AS9011");
    let calls = "
        func note(seen, x) { seen.add(x) x }
        main func(input) {
            seen = []
            a = note(seen, 0) and note(seen, 1)
            b = note(seen, 2) or note(seen, 3)
            c = note(seen, 0) or note(seen, 0) or note(seen, 4) or note(seen, 5)
            d = not (note(seen, 6) and note(seen, 0))
            { a: a, b: b, c: c, d: d, seen: seen }
        }";
    assert_eq!(
        crate::support::value_of(calls),
        json!({ "a": false, "b": true, "c": true, "d": true, "seen": [0, 2, 0, 0, 4, 6, 0] })
    );
}

#[test]
fn as_7_conditions_of_every_form() {
    let forms = [
        ("a == 1", true),
        ("a != 1", false),
        ("a < 2", true),
        ("a <= 1", true),
        ("a > 0", true),
        ("a >= 2", false),
        ("1 == a", true),
        ("2 > a", true),
        ("1 >= a", true),
        ("2 < a", false),
        ("a == b", false),
        ("a != b", true),
        ("a < b", true),
        ("b <= a", false),
        ("b > a", true),
        ("a >= b", false),
        ("f == 1.5", true),
        ("f > 1", true),
        ("1 < f", true),
        ("f <= 1", false),
        ("not a == 1", false),
        ("not (a < b and b < c)", false),
        ("a < b and b < c or none", true),
        ("s == \"x\"", true),
        ("s != \"x\"", false),
        ("s < \"y\"", true),
        ("l", false),
        ("not l", true),
        ("s == 1", false),
        ("s != 1", true),
        ("100000 > a", true),
        ("a < 100000", true),
    ];
    for (form, expected) in forms {
        let names = "a = 1 b = 2 c = 3 f = 1.5 s = \"x\" l = []";
        let as_branch = format!("{names} if {form} {{ return true }} false");
        assert_eq!(value(&as_branch), json!(expected), "if {form}");
        assert_eq!(value(&format!("{names} x = {form} not not x")), json!(expected), "x = {form}");
        let as_else = format!("{names} if not ({form}) {{ return false }} else {{ return true }}");
        assert_eq!(value(&as_else), json!(expected), "if not ({form})");
    }
}

#[test]
fn as_7_operands_are_read_from_left_to_right() {
    assert_eq!(value("x = 1 y = x + try { x = 10 x } else e { 0 }\n[x, y]"), json!([10, 11]));
    assert_eq!(value("x = 1 x += try { x = 10 5 } else e { 0 } x"), json!(6));
    assert_eq!(value("x = 1 y = [x, try { x = 2 x } else e { 0 }, x] y"), json!([1, 2, 2]));
}

/// Returns the result of an operator by 128-bit arithmetic; `None` is an error.
fn reference(op: &str, left: i64, right: i64) -> Option<Value> {
    let (wide_left, wide_right) = (i128::from(left), i128::from(right));
    let wide = match op {
        "+" => wide_left + wide_right,
        "-" => wide_left - wide_right,
        "*" => wide_left * wide_right,
        _ if right == 0 => return None,
        "%" => wide_left % wide_right,
        _ if wide_left % wide_right == 0 => wide_left / wide_right,
        _ => return Some(json!(left as f64 / right as f64)),
    };
    i64::try_from(wide).ok().map(Value::from)
}

fn integer() -> impl Strategy<Value = i64> {
    prop_oneof![
        any::<i64>(),
        -70_000_i64..70_000,
        -3_i64..4,
        Just(i64::MAX),
        Just(i64::MIN),
        Just(i64::MIN + 1),
        (0_u32..63).prop_map(|bit| 1_i64 << bit),
    ]
}

fn literal(number: i64) -> String {
    match number {
        i64::MIN => "(-9223372036854775807 - 1)".to_owned(),
        number => format!("({number})"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn as_7_integer_arithmetic_agrees_with_128_bits(left in integer(), right in integer()) {
        for op in ["+", "-", "*", "/", "%"] {
            let expected = reference(op, left, right);
            let (l, r) = (literal(left), literal(right));
            // With literals, with variables, and changing a variable: three forms of instructions.
            let mut bodies = vec![format!("{l} {op} {r}"), format!("a = {l} b = {r} a {op} b"), format!("a = {l} a {op} {r}")];
            if op == "+" || op == "-" {
                bodies.push(format!("a = {l} a {op}= {r} a"));
            }
            for body in bodies {
                let source = crate::support::main_of(&body);
                let host = contexture_script::runtime::ScriptedHost::new();
                let found = crate::support::outcome(&source, json!({}), &host).result.ok();
                prop_assert_eq!(found, expected.clone(), "{}", body);
            }
        }
    }

    #[test]
    fn as_7_order_of_numbers_is_exact(left in integer(), right in integer(), fraction in -8_i32..8) {
        let float = right as f64 + f64::from(fraction) / 8.0;
        prop_assume!(float.abs() < 9.2e18);
        let body = format!("a = {} b = input.b\n[a < b, a == b, a > b]", literal(left));
        let host = contexture_script::runtime::ScriptedHost::new();
        let source = crate::support::main_of(&body);
        let found = crate::support::outcome(&source, json!({ "b": float }), &host).result.ok();
        // A float below 2^63 is a fraction over a power of two: compare in 128 bits, scaled by 8.
        let scaled = (float * 8.0) as i128;
        let order = (i128::from(left) * 8).cmp(&scaled);
        prop_assert_eq!(found, Some(json!([order.is_lt(), order.is_eq(), order.is_gt()])));
    }
}
