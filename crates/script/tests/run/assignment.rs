//! AS-6: assignment, scopes, the value of a function.

use crate::support::{failure, fault, value, value_of};
use serde_json::json;

#[test]
fn as_6_assignment_updates_nearest_variable() {
    assert_eq!(value("x = 1 if true { x = 2 } x"), json!(2));
    assert_eq!(value("x = 1 if true { if true { x += 5 } x -= 1 } x"), json!(5));
}

#[test]
fn as_6_assignment_defines_in_own_block() {
    assert_eq!(fault("if true { x = 1 } x").0, "AS9001");
    assert_eq!(value("if true { x = 1 } x = 2 x"), json!(2));
    assert_eq!(fault("repeat * 2 { x = 1 } x").0, "AS9001");
}

#[test]
fn as_6_loop_body_is_fresh_scope_per_iteration() {
    let body = "seen = [] repeat * 3 { x = try { x } else e { \"new\" } seen.add(x) } seen";
    assert_eq!(value(body), json!(["new", "new", "new"]));
}

#[test]
fn as_6_variable_of_for_hides_outer_one() {
    assert_eq!(value("x = 1 for x in [5, 6] max 5 { x += 1 } x"), json!(1));
    assert_eq!(value("x = 1 try { [][0] } else x { x = 3 } x"), json!(1));
}

#[test]
fn as_6_changing_unknown_variable_is_error() {
    let error = failure("total = 1 totl += 1");
    assert_eq!((error.code.as_str(), error.line), ("AS9001", 2));
    assert_eq!(error.help.as_deref(), Some("did you mean `total`?"));
}

#[test]
fn as_6_path_sets_last_field() {
    assert_eq!(
        value("o = { a: { b: 1 } } o.a.c = 2 o.a.b += 10 o"),
        json!({ "a": { "b": 11, "c": 2 } })
    );
    assert_eq!(value("o = {} o[\"k y\"] = 1 o[\"k y\"] -= 3 o"), json!({ "k y": -2 }));
    assert_eq!(value("l = [{ n: 1 }] l[0].n = 2 l[0].m = 3 l"), json!([{ "n": 2, "m": 3 }]));
    assert_eq!(value("o = { a: \"x\" } o.a += 1 o.a"), json!("x1"));
}

#[test]
fn as_6_path_does_not_create_middle() {
    assert_eq!(fault("o = {} o.a.b = 1").0, "AS9004");
    assert_eq!(fault("o = { a: none } o.a.b = 1").0, "AS9006");
    assert_eq!(fault("o = {} o.a += 1").0, "AS9004");
    assert_eq!(fault("missing.a = 1").0, "AS9001");
}

#[test]
fn as_8_items_of_list_are_read_only() {
    let (code, message) = fault("l = [1] l[0] = 2");
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("AS9013", "the items of a list can't be assigned")
    );
    assert_eq!(fault("l = [1] l[0] += 2").0, "AS9013");
    assert_eq!(fault("s = \"a\" s.x = 2").0, "AS9006");
}

#[test]
fn as_6_lists_and_objects_are_shared_inside_agent() {
    assert_eq!(value("a = [1] b = a b.add(2) a"), json!([1, 2]));
    assert_eq!(
        value("o = { l: [] } l = o.l l.add(1) o.x = l l.add(2) o"),
        json!({ "l": [1, 2], "x": [1, 2] })
    );
    let source = "func grow(l, o) { l.add(9) o.n = 1 l = [] } main func(input) { l = [] o = {} grow(l, o)\n[l, o] }";
    assert_eq!(value_of(source), json!([[9], { "n": 1 }]));
}

#[test]
fn as_6_value_of_function_is_last_top_level_expression() {
    assert_eq!(value("1 2 3"), json!(3));
    assert_eq!(value("x = 1"), json!(null));
    assert_eq!(
        value("if true { 5 }"),
        json!(null),
        "an expression inside a block is not the value"
    );
    assert_eq!(value("for x in [1] max 1 { x }"), json!(null));
    assert_eq!(value(""), json!(null));
    assert_eq!(value("5 if false { }"), json!(null), "only the last statement counts");
}

#[test]
fn as_6_return_ends_function() {
    assert_eq!(value("return 1 2"), json!(1));
    assert_eq!(value("repeat * 10 { if true { return \"in\" } } 2"), json!("in"));
    assert_eq!(value("x = 3\nif x > 2 { return }\n5"), json!(null));
    assert_eq!(
        value_of(
            "func f(x) { for y in x max 9 { if y > 1 { return y } } 0 } main func(input) { [f([1, 2, 3]), f([])] }"
        ),
        json!([2, 0])
    );
}

#[test]
fn as_6_if_and_else_if() {
    let grade = "func grade(n) { if n >= 90 { return \"a\" } else if n >= 70 { return \"b\" } else if n == 0 { return \"none\" } else { return \"c\" } }";
    let source = format!(
        "{grade} main func(input) {{ [grade(95), grade(90), grade(70), grade(0), grade(1)] }}"
    );
    assert_eq!(value_of(&source), json!(["a", "a", "b", "none", "c"]));
    assert_eq!(value("x = 0 if x { x = 1 } else if false { x = 2 } x"), json!(0));
}

#[test]
fn as_6_many_variables_in_one_function() {
    let mut body = String::new();
    for number in 0..2_000 {
        body.push_str(&format!("v{number} = {number}\n"));
    }
    body.push_str("v0 + v999 + v1999");
    assert_eq!(value(&body), json!(2998));
}

#[test]
fn as_6_more_variables_than_registers_is_error() {
    let mut body = String::new();
    for number in 0..70_000 {
        body.push_str(&format!("v{number} = 1\n"));
    }
    assert_eq!(failure(&body).code, "AS9027");
    // Nothing that needs several registers in a row fails at the last ones.
    body.push_str(
        "repeat * 2 { loop until true max 2 { for x in [1] max 2 { parallel for y in x max 2 { y } } } }
        try { [1].sort().slice(0, 1) } else e { [1].join(e.code) }
        use v1
        generate({ input: \"x\", attempts: v2 })",
    );
    assert_eq!(failure(&body).code, "AS9027");
}

#[test]
fn as_4_literals() {
    assert_eq!(
        value(
            "{ t: \"a\\n\", s: 'b', n: [1, 2.5, 2k, -3], w: [true, false, none], q: { \"x y\": 1, }, }"
        ),
        json!({ "t": "a\n", "s": "b", "n": [1, 2.5, 2000, -3], "w": [true, false, null], "q": { "x y": 1 } })
    );
    assert_eq!(
        value("constructor = 1 { constructor: constructor, __proto__: 2 }"),
        json!({ "constructor": 1, "__proto__": 2 })
    );
    assert_eq!(value("总数 = 40\n总数\n  + 2"), json!(42));
    assert_eq!(value("\"generate\""), json!("generate"));
}

#[test]
fn as_1_file_without_agents_needs_only_main_func() {
    assert_eq!(value_of("main func(input) { \"hello\" }"), json!("hello"));
    assert_eq!(value_of("func only() { 7 }"), json!(7));
}

#[test]
fn gr_3_addition_to_field_is_seen_by_nobody_who_read_it_before() {
    assert_eq!(
        value("o = { t: \"a\" } o.t += \"b\" p = o.t o.t += \"c\" o.t += 1\n[o.t, p]"),
        json!(["abc1", "ab"])
    );
    assert_eq!(value("o = { n: 1 } p = { o: o } p.o.n += o.n p.o.n += 0.5 o.n"), json!(2.5));
    assert_eq!(value("o = { l: [1] } p = o.l o.l += [2]\n[o.l, p]"), json!([[1, 2], [1]]));
    assert_eq!(value("o = { n: 1 } o.n += \"a\" o.n"), json!("1a"));
    assert_eq!(value("s = \"文\" n = s.length s += \"é文\"\n[n, s.length]"), json!([1, 3]));
    assert_eq!(value("o = { s: \"文\" } n = o.s.length o.s += \"é\" o.s.length"), json!(2));
}

#[test]
fn gr_3_addition_to_field_reads_it_before_what_is_added_runs() {
    let source = "func f(o) { o.t = \"changed\" \"x\" } main func(input) { o = { t: \"a\" } o.t += f(o) o.t }";
    assert_eq!(value_of(source), json!("ax"));
}

#[test]
fn gr_3_addition_to_field_fails_where_reading_and_setting_do() {
    assert_eq!(fault("o = { t: \"a\" } o.u += \"b\"").0, "AS9004");
    assert_eq!(fault("o = { t: none } o.t += \"b\"").0, "AS9006");
    assert_eq!(fault("o = 1 o.t += \"b\"").0, "AS9004");
    let outer = "o = { t: \"a\" } parallel for x in [1] max 1 { o.t += \"b\" }";
    assert_eq!(failure(outer).details.unwrap()[0]["code"], json!("AS9015"));
}
