//! TY-6: what the library computes beyond the examples of its rows.

use crate::support::{fault, limited, main_of, outcome_with, value, value_of};
use contexture_script::runtime::ScriptedHost;
use serde_json::{Value, json};

fn code_under_limit(body: &str, change: impl FnOnce(&mut contexture_context::Limits)) -> String {
    let options = limited(change);
    let done = outcome_with(&main_of(body), json!({}), &ScriptedHost::new(), &options);
    done.result.expect_err(body).code
}

#[test]
fn ty_6_slice_of_chinese_text_and_emoji_counts_code_points() {
    assert_eq!(
        value(
            "t = \"你好，世界👋🏽!\"\n[t.slice(0, 2), t.slice(3), t.slice(-3), t.slice(1, -4), t.slice(99), t.slice(3, 1)]"
        ),
        json!(["你好", "世界👋🏽!", "👋🏽!", "好，世", "", ""])
    );
    assert_eq!(value("\"abc\".slice(-99, 2)"), json!("ab"));
}

#[test]
fn ty_6_pad_of_chinese_text_counts_code_points() {
    assert_eq!(
        value("[\"你\".pad(3), \"👋\".pad_start(2), \"abc\".pad(2), \"a\".pad(-1)]"),
        json!(["你  ", " 👋", "abc", "a"])
    );
}

#[test]
fn ty_6_pad_beyond_limit_of_strings_is_error_before_it_is_made() {
    assert_eq!(code_under_limit("\"a\".pad(9000000000000)", |_| {}), "AS9052");
    assert_eq!(
        code_under_limit("\"a\".pad_start(101)", |limits| limits.string_bytes = 100),
        "AS9052"
    );
}

#[test]
fn ty_6_negative_slice_of_list_counts_from_end() {
    assert_eq!(
        value("l = [0, 1, 2, 3]\n[l.slice(-2), l.slice(0, -1), l.slice(-9, -2)]"),
        json!([[2, 3], [0, 1, 2], [0, 1]])
    );
}

#[test]
fn ty_6_match_gives_whole_and_groups_or_nothing() {
    assert_eq!(
        value(r#""Größe: 42 cm".match("(\\w+): (\\d+)(x)?")"#),
        json!(["Größe: 42", "Größe", "42", null])
    );
    assert_eq!(value(r#"m = "abc".match("\\d") if m { return 1 } m"#), json!([]));
    assert_eq!(value(r#""总价：12元".match("价：(.)")[1]"#), json!("1"));
}

#[test]
fn ty_6_pattern_of_match_that_is_invalid_or_too_large_can_be_caught() {
    let (code, message) = fault("\"a\".match(\"(\")");
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("AS9031", "the pattern of `.match` can't be used: unclosed group")
    );
    assert_eq!(
        value("try { \"a\".match(\"(a{1000}){1000}\") } else e { e.message }"),
        json!("the pattern of `.match` can't be used: it is too large")
    );
}

#[test]
fn ty_6_sum_of_large_integers_overflows_and_of_texts_is_error() {
    assert_eq!(fault("[9223372036854775807, 1].sum()").0, "AS9010");
    assert_eq!(
        fault("[1, \"2\"].sum()"),
        ("AS9006".to_owned(), "`.sum` takes a list of numbers, not of a string".to_owned())
    );
    assert_eq!(value("[].sum()"), json!(0));
}

#[test]
fn ty_6_min_and_max_compare_numbers_or_strings() {
    assert_eq!(
        value("[[2, 1.5].min(), [\"b\", \"c\"].max(), [].min(), [1, 1.0].max()]"),
        json!([1.5, "c", null, 1])
    );
    assert_eq!(fault("[1, \"a\"].min()").0, "AS9006");
}

#[test]
fn ty_6_unique_keeps_first_of_equal_values_of_any_kind() {
    assert_eq!(
        value(
            "[1, 1.0, \"1\", true, none, none, { a: 1, b: [2] }, { b: [2.0], a: 1 }, [1], [2], [1], -0.0, 0].unique()"
        ),
        json!([1, "1", true, null, { "a": 1, "b": [2] }, [1], [2], -0.0])
    );
}

#[test]
fn ty_6_group_by_function_or_field_keeps_order_of_items_and_groups() {
    let source = "
        func size(word) { word.length }
        main func(input) {
            items = [{ k: true, n: 1 }, { k: 2.5, n: 2 }, { k: true, n: 3 }]
            [[\"aa\", \"b\", \"cc\"].group_by(size), items.group_by(\"k\")]
        }";
    assert_eq!(
        value_of(source),
        json!([
            { "2": ["aa", "cc"], "1": ["b"] },
            { "true": [{ "k": true, "n": 1 }, { "k": true, "n": 3 }], "2.5": [{ "k": 2.5, "n": 2 }] }
        ])
    );
    assert_eq!(fault("[{ a: [] }].group_by(\"a\")").0, "AS9006");
    assert_eq!(fault("[{ a: 1 }].group_by(\"b\")").0, "AS9004");
    assert_eq!(fault("[1].group_by()").0, "AS9003");
}

#[test]
fn ty_6_find_any_all_stop_at_first_item_that_decides() {
    let source = "
        func one(x) { 1 / x > 0 }
        func zero(x) { 1 / x < 0 }
        main func(input) { [[1, 0].find(one), [1, 0].any(one), [1, 0].all(zero), [].any(one), [].all(one), [].find(one)] }";
    assert_eq!(value_of(source), json!([1, true, false, false, true, null]));
}

#[test]
fn ty_6_reduce_passes_last_result_and_item() {
    let source = "
        func sub(a, b) { a - b }
        func grow(all, x) { all.add(x) all }
        main func(input) { [[1, 2, 3].reduce(sub, 10), [].reduce(sub, 7), [[1].reduce(sub, 0), 5].reduce(sub, 0), [1, 2].reduce(grow, [])] }";
    assert_eq!(value_of(source), json!([4, 7, -4, [1, 2]]));
    assert_eq!(fault("[1].reduce(5, 1)").0, "AS9006");
}

#[test]
fn ty_6_lists_are_joined_by_plus_into_new_list() {
    assert_eq!(
        value("a = [1] b = a\na += [2]\n[a, b, a + b + [[3]]]"),
        json!([[1, 2], [1], [1, 2, 1, [3]]])
    );
    assert_eq!(fault("[1] + \"a\"").0, "AS9006");
    assert_eq!(
        code_under_limit("l = [1] repeat * 9 { l += l }", |limits| limits.collection_items = 100),
        "AS9053"
    );
}

#[test]
fn ty_6_merge_and_without_make_new_objects() {
    assert_eq!(
        value(
            "o = { a: 1, b: 2 } p = o.merge({ c: 3, a: 0 })\n[o, p, p.without([\"a\", \"x\"]), o.without(\"b\")]"
        ),
        json!([{ "a": 1, "b": 2 }, { "a": 0, "b": 2, "c": 3 }, { "b": 2, "c": 3 }, { "a": 1 }])
    );
    assert_eq!(fault("{ a: 1 }.merge(1)").0, "AS9006");
    assert_eq!(fault("{ a: 1 }.without(1)").0, "AS9006");
}

#[test]
fn ty_6_conversion_of_text_that_is_no_number_names_it() {
    assert_eq!(
        fault("to_number(\"x\")"),
        ("AS9028".to_owned(), "`to_number` takes a number, not the text \"x\"".to_owned())
    );
    for text in ["", " ", "1 2", "0x1", "inf", "nan", "1k", "--1", "1e", "1e999", "١", ".5", "5."]
    {
        let source = format!("try {{ to_number(\"{text}\") }} else e {{ e.code }}");
        let expected = if text == "5." { json!(5.0) } else { json!("AS9028") };
        assert_eq!(value(&source), expected, "{text}");
    }
    assert_eq!(
        value(
            "[to_number(\"-0\"), to_number(\"+7\"), to_number(\"9223372036854775808\"), to_number(\"\\n1e2 \")]"
        ),
        json!([0, 7, 9223372036854775808.0, 100.0])
    );
    assert_eq!(
        value("[to_integer(\"2.9\"), to_integer(-2.9), to_integer(\"-7\")]"),
        json!([2, -2, -7])
    );
    assert_eq!(fault("to_integer(\"1e30\")").0, "AS9010");
    assert_eq!(fault("to_number(true)").0, "AS9006");
    assert_eq!(fault("to_text(none)").0, "AS9006");
}

#[test]
fn ty_6_json_that_is_printed_is_parsed_to_the_same() {
    let body = "v = { a: [1, 2.5, none, true, \"你\\n\"], b: {} }\njson.parse(json.print(v)) == v";
    assert_eq!(value(body), json!(true));
    let (code, message) = fault("json.parse(\"{ a: 1 }\")");
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("AS9029", "the text is not JSON: key must be a string at line 1 column 3")
    );
    let deep = format!("json.parse(\"{}\")", "[".repeat(100_000));
    assert_eq!(fault(&deep).0, "AS9029");
}

#[test]
fn ty_6_own_names_come_before_functions_of_library() {
    assert_eq!(value_of("func range(x) { x + 1 } main func(input) { range(3) }"), json!(4));
    assert_eq!(value("json = { parse: 1 } json.parse"), json!(1));
    assert_eq!(fault("range = 1 range(2)").0, "AS9002");
}

#[test]
fn ty_6_range_beyond_limit_of_items_is_error_before_it_is_made() {
    assert_eq!(
        value("[range(0), range(-3), range(5, 2), range(-2, 1)]"),
        json!([[], [], [], [-2, -1, 0]])
    );
    assert_eq!(code_under_limit("range(9223372036854775807)", |_| {}), "AS9053");
    assert_eq!(
        code_under_limit("range(-9223372036854775807, 9223372036854775807)", |_| {}),
        "AS9053"
    );
    assert_eq!(fault("range(2.5)").0, "AS9006");
}

#[test]
fn ty_6_fail_has_reason_and_code_and_can_be_caught() {
    assert_eq!(fault("fail \"no orders\""), ("AS9032".to_owned(), "no orders".to_owned()));
    assert_eq!(
        fault("n = 3 fail \"only \" + n code \"E_FEW\""),
        ("E_FEW".to_owned(), "only 3".to_owned())
    );
    assert_eq!(
        value("try { fail(\"x\", \"E_\" + 1) } else e { [e.code, e.message, e.line] }"),
        json!(["E_1", "x", 2])
    );
    for code in ["", "a b", "AS9006", "é", &"x".repeat(65)] {
        let (got, message) = fault(&format!("fail \"x\" code \"{code}\""));
        assert_eq!(got, "AS9006", "{message}");
    }
    assert_eq!(value("fail = 3 code = 4\nfail + code"), json!(7));
}

#[test]
fn ty_6_million_items_are_handled() {
    let body = "l = range(1000000)
        t = l.join(\",\")
        [l.sum(), l.reverse().sort().first(), l.unique().length, t.split(\",\").length, (l + l).unique().length]";
    let expected: Value = json!([499_999_500_000_i64, 0, 1_000_000, 1_000_000, 1_000_000]);
    assert_eq!(value(body), expected);
}
