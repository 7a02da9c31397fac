use super::*;

fn migrated(text: &str) -> Migrated {
    let once = migrate(&SourceFile::new("t.as", text), &Limits::default());
    let again = migrate(&SourceFile::new("t.as", once.text.as_str()), &Limits::default());
    assert_eq!(once.text, again.text);
    assert_eq!(again.changes, 0);
    once
}

fn body(text: &str) -> String {
    let all = migrated(&format!("func f(input) {{\n{text}\nnone\n}}\n")).text;
    all.strip_prefix("func f(input) {\n").unwrap().strip_suffix("\nnone\n}\n").unwrap().to_owned()
}

#[test]
fn as_31_limits_become_max() {
    for (old, new) in [
        ("use input.question", "use input.question"),
        ("use Notes < 4k", "use Notes max 4k"),
        ("use lessons<2k", "use lessons max 2k"),
        ("use docs.summary < 4k as evidence // < 5", "use docs.summary max 4k as evidence // < 5"),
        ("use a < 800 use b<1.5k", "use a max 800 use b max 1.5k"),
        ("loop until done < 6 { x = a < 2 }", "loop until done max 6 { x = a < 2 }"),
        ("loop until not done<6{ }", "loop until not done max 6{ }"),
        ("loop until a < b max 6 { }", "loop until a < b max 6 { }"),
        ("for s in plan.steps < 12 { }", "for s in plan.steps max 12 { }"),
        ("for s in plan.steps < count { }", "for s in plan.steps max count { }"),
        ("if a < 6 { }", "if a < 6 { }"),
        ("use n < 5 max 3", "use n < 5 max 3"),
        ("use n < 5 keep tail max 3 as few", "use n < 5 keep tail max 3 as few"),
        ("use n < 5\nmax = 3", "use n max 5\nmax = 3"),
        (
            "use one of { a: n < 5 max 3, b: m < 2k, c: empty }",
            "use one of { a: n < 5 max 3, b: m max 2k, c: empty }",
        ),
        ("for x in input.a < 12 max 3 { }", "for x in input.a < 12 max 3 { }"),
        ("for x in a and b < 12 max n { }", "for x in a and b < 12 max n { }"),
        ("x = \"use a < 4k\"", "x = \"use a < 4k\""),
    ] {
        assert_eq!(body(old), new);
    }
}

#[test]
fn as_31_limit_is_renamed_inside_generate_only() {
    assert_eq!(
        body(
            "p = M.query({ limit: 5 })\ng = generate({ input: \"limit: 1\", limit: 2k }) -> { limit integer }"
        ),
        "p = M.query({ limit: 5 })\ng = generate({ input: \"limit: 1\", max_output: 2k }) -> { limit integer }"
    );
}

#[test]
fn as_31_commas_are_added_before_comments() {
    assert_eq!(
        body("x = {\n  a: 1 // one\n  \"b\": [\n    1 -- first\n    { c: 2 }\n  ]\n  d: f(1)\n}"),
        "x = {\n  a: 1, // one\n  \"b\": [\n    1, -- first\n    { c: 2 }\n  ],\n  d: f(1)\n}"
    );
}

#[test]
fn as_31_blocks_return() {
    let old = "func f(x) {\n  if x {\n    \"a\" // first\n  } else if y {\n    g(x)\n  } else {\n    if z { { b: 1 } } else { return 2 }\n  }\n}\n";
    let new = "func f(x) {\n  if x {\n    return \"a\" // first\n  } else if y {\n    return g(x)\n  } else {\n    if z { return { b: 1 } } else { return 2 }\n  }\n}\n";
    assert_eq!(migrated(old).text, new);
    let asks = "func f(x) {\n  if x { generate({ input: x }) -> { a string } }\n}\n";
    assert_eq!(migrated(asks).text, asks);
    let no_else = "func f(x) {\n  if x { x.a }\n}\n";
    assert_eq!(migrated(no_else).text, no_else.replace("x.a", "return x.a"));
    let mixed = "func f(x) {\n  if x { y = 1 } else if y { g(x) } else { { a: 1 } }\n}\n";
    assert_eq!(migrated(mixed).text, mixed.replace("{ {", "{ return {"));
    let acts = "func f(x) {\n  if x { x.add(1) } else { g(x) }\n}\n";
    assert_eq!(migrated(acts).text, acts);
}

#[test]
fn as_31_rest_stays_byte_for_byte() {
    let text = "\u{feff}// 你好\r\nfunc f(x) {\r\n\tuse x < 2k\r\n  y = [ 1,2 ]   \r\n}\r\n\r\n";
    assert_eq!(migrated(text).text, text.replace("x < 2k", "x max 2k"));
    let broken = "func f(x) { use x < 2k = ) } } //";
    assert!(migrated(broken).text.ends_with("= ) } } //"));
}

#[test]
fn ty_8_shape_of_the_oldest_form_is_moved_behind_an_arrow() {
    let old = "main func(input) {\n  use input.text < 2k\n  r = generate({ input: \"x\" }) { return { answer string } }\n  r.answer\n}\n";
    let new = migrated(old);
    assert_eq!(
        new.text,
        "main func(input) {\n  use input.text max 2k\n  r = generate({ input: \"x\" }) -> { answer string }\n  r.answer\n}\n"
    );
    assert_eq!(new.diagnostics.iter().map(|fault| fault.code).collect::<Vec<_>>(), [""; 0]);
}
