use super::*;

fn formatted(text: &str) -> String {
    let source = SourceFile::new("t.as", text);
    let once = format(&source, &Limits::default()).unwrap();
    let again = format(&SourceFile::new("t.as", once.as_str()), &Limits::default()).unwrap();
    assert_eq!(once, again);
    once
}

fn body(text: &str) -> String {
    let all = formatted(&format!("func f(x) {{\n{text}\nnone}}"));
    let inner = all.strip_prefix("func f(x) {\n").unwrap().strip_suffix("  none\n}\n").unwrap();
    inner.lines().map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line))).collect()
}

#[test]
fn as_31_statements_are_on_lines_of_their_own() {
    assert_eq!(body("a=1 b = a+2*3   c.d = b"), "a = 1\nb = a + 2 * 3\nc.d = b\n");
    assert_eq!(
        body("if a{b=1}else if c{d=1}else{e=1}"),
        "if a {\n  b = 1\n} else if c {\n  d = 1\n} else {\n  e = 1\n}\n"
    );
    assert_eq!(body("x = -1 - -2 - (- -y)"), "x = -1 - -2 - (- -y)\n");
    assert_eq!(
        body("use x   max 2k keep tail priority -3 as   two   words"),
        "use x max 2k keep tail priority -3 as two words\n"
    );
}

#[test]
fn as_31_comments_stay() {
    assert_eq!(
        body(
            "// own\na = 1 // behind\n\n\n-- other\n\nb = [ // open\n1, // one\n// before two\n2 // two\n// last\n]"
        ),
        "// own\na = 1 // behind\n\n-- other\n\nb = [ // open\n  1, // one\n  // before two\n  2 // two\n  // last\n]\n"
    );
    assert_eq!(body("a = { b: 1 // one\n, c: 2 }"), "a = {\n  b: 1, // one\n  c: 2\n}\n");
    assert_eq!(
        body("if a { // why\n}\n// before else\nelse { }"),
        "if a { // why\n}\n// before else\nelse {}\n"
    );
    assert_eq!(formatted("// only\n"), "// only\n");
    assert_eq!(formatted(""), "");
}

#[test]
fn as_31_comment_above_a_list_does_not_break_it() {
    let done = "f(\n  none, // c\n  // d\n  { a: none, \"k\": [1] },\n  2\n)\n";
    assert_eq!(body("f(\nnone // c\n, // d\n{a: none, \"k\": [1]}, 2)"), done);
    assert_eq!(body(done.trim_end()), done);
}

#[test]
fn as_31_groups_break_where_they_were_broken_or_too_long() {
    assert_eq!(body("a = {b:1,c:[1,2,],}"), "a = { b: 1, c: [1, 2] }\n");
    assert_eq!(body("a = {\nb:1,c:[1,2,],}"), "a = {\n  b: 1,\n  c: [1, 2]\n}\n");
    let long = "x".repeat(60);
    assert_eq!(
        body(&format!("a = f({{ one: {long}, two: {long} }})")),
        format!("a = f({{\n  one: {long},\n  two: {long}\n}})\n")
    );
    assert_eq!(
        body("g = generate({input:\"a\",debug:true})->{ok boolean\ntext string}"),
        "g = generate({ input: \"a\", debug: true }) -> { ok boolean, text string }\n"
    );
    assert_eq!(
        body("g = generate({input:\"a\"})->{\n/// what\nok boolean,text string}"),
        "g = generate({ input: \"a\" }) -> {\n  /// what\n  ok boolean\n  text string\n}\n"
    );
}

#[test]
fn as_31_group_before_a_block_counts_its_brace() {
    // The line with its brace is 101 characters wide.
    let name = "x".repeat(71);
    assert_eq!(
        formatted(&format!("main func(input {{ {name} string }}) {{ p }}")),
        format!("main func(input {{\n  {name} string\n}}) {{ p }}\n")
    );
}

#[test]
fn as_31_line_breaks_at_operators_stay() {
    assert_eq!(body("a = b +\nc\n- d\n.e\n.f(1)"), "a = b\n  + c\n  - d\n    .e\n    .f(1)\n");
}

#[test]
fn as_31_long_texts_are_unchanged() {
    assert_eq!(
        body("a = g({ input: \"\"\"\n      one\r\n    two\"\"\" })"),
        "a = g({\n  input: \"\"\"\n      one\n    two\"\"\"\n})\n"
            .replace("      one\n    two", "    one\n  two")
    );
}
