use crate::analysis::tests::{codes_of, faults, faults_with};

const FUNCTIONS: &str = "
    func push(l) { l.add(1) }
    func inner(l) { push(l) }
    func mark(o) { o.seen = true o }
    func deep(o) { o.a.items.add(1) }
    func second(a, b) { b.add(a) }
    func even(l, n) { if n == 0 { return none } odd(l, n - 1) }
    func odd(l, n) { l.add(n) even(l, n) }
    func walk(node) { node.seen = true for c in node.children max 9 { walk(c) } }
    func same(x) { x }
    func wrap(x) { { list: x, new: [] } }
    func maybe(x) { if x.length == 0 { return [] } x }
    func fresh(x) { [x] }
    func copy(x) { y = x.summary y.add(1) y }
    func read(x) { x.length + x[0] }
    func rebind(x) { x = [] x.add(1) x }
    func replace(o) { o.items = [] o.items.add(1) o }
    func each(l) { for x in l max 9 { x.a = 1 } }
    func item(x) { x.a = 1 x }
    agent Worker { main func(x) { x.add(1) } func change(x) { x.add(1) } }
";

/// Checks the codes for the body of a `parallel for` over `input`, with `outer` around it.
#[track_caller]
fn check(body: &str, refused: bool) {
    let text = format!(
        "{FUNCTIONS} main func(input) {{ outer = [[1], {{ a: [] }}] other = {{ a: {{ items: [] }} }} \
         parallel for x in input max 3 {{ {body} }} }}"
    );
    let codes = codes_of(&text);
    let expected: &[&str] = if refused { &["AS5004"] } else { &[] };
    assert_eq!(codes, expected, "{body}");
}

#[test]
fn as_10_alias_of_outer_value_cannot_be_written() {
    for body in [
        "y = outer y.add(x)",
        "y = outer z = y z.add(x)",
        "y = other.a y.items = []",
        "y = other y.a.items.add(x)",
        "y = outer[0] y.add(x)",
        "y = outer.first() y.add(x)",
        "y = outer.last() y.add(x)",
        "y = other.get(\"a\") y.b = 1",
        "y = x y.done = true",
        "y = x.tags y.add(1)",
        "y = [] if x { y = outer } y.add(1)",
        "y = [] if x { y = [] } else { y = outer } y.add(1)",
        "y = { list: outer, own: [] } y.list.add(1)",
        "y = { } y.list = outer y.list.add(1)",
        "y = [] y.add(outer) y[0].add(1)",
        "y = [[], outer] y[1].add(1)",
        "for y in outer max 2 { y.add(1) }",
        "for y in x.parts max 2 { y.a = 1 }",
        "for y in [outer] max 2 { y.add(1) }",
        "for y in outer.slice(1) max 2 { y.a = 1 }",
        "for y in outer.filter(read) max 2 { y.a = 1 }",
        "y = [] repeat * 2 { y.add(1) y = outer }",
        "y = try { outer } else { outer } y.add(1)",
        "try { outer.add(1) } else err { err.message }",
        "(outer).add(1)",
        "[outer.add(1)]",
        "outer.map(item)",
        "loop until x max 2 { outer.add(1) }",
    ] {
        check(body, true);
    }
}

#[test]
fn as_10_function_cannot_write_outer_value_through_parameter() {
    for body in [
        "push(outer)",
        "y = outer push(y)",
        "inner(outer)",
        "mark(x)",
        "mark(other).seen",
        "deep(other)",
        "deep({ a: other.a })",
        "deep({ a: { items: outer } })",
        "second([], outer)",
        "even(outer, 3)",
        "odd(outer, 3)",
        "walk(x)",
        "walk({ children: [other] })",
        "each(outer)",
        "y = [outer[0]] each(y)",
        "outer.map(mark)",
        "same(outer).add(1)",
        "y = same(same(outer)) y.add(1)",
        "y = wrap(outer) y.list.add(1)",
        "read([push(outer)])",
        "if push(outer) { 1 }",
        "generate({ input: \"\" + push(outer) }) -> { a string }",
    ] {
        check(body, true);
    }
}

#[test]
fn as_10_value_created_in_iteration_may_be_written() {
    for body in [
        "y = [] y.add(x) push(y) y",
        "y = { a: 1 } y.b = outer mark(y)",
        "y = outer y = [] y.add(x)",
        "y = [outer, x] y.add(1)",
        "y = { list: [], own: outer } y.list.add(1)",
        "y = { list: outer } y.list = [] y.list.add(1)",
        "y = [outer, []] y[1].add(1)",
        "y = [outer, []] y[x.n].add(1)",
        "y = outer.summary y.add(1)",
        "y = maybe(outer) y.add(1)",
        "y = fresh(outer) y.add(1)",
        "y = wrap(outer) y.new.add(1) y.more = 1",
        "y = copy(outer) y.add(1)",
        "copy(outer) read(outer) rebind(outer) replace({ items: outer })",
        "y = outer.map(fresh) y.add(1) y.first().add(2)",
        "y = outer.filter(read) y.add(1)",
        "y = outer.sort() y.add(1)",
        "y = \"a,b\".split(\",\") y.add(1)",
        "Worker(outer) Worker.change(outer)",
        "y = Worker(outer) y.add(1)",
        "y = generate({ input: \"a\" }) -> { l list } y.l.add(1)",
        "walk({ children: [{ children: [] }] })",
        "each([{ a: 1 }])",
        "y = x + 1 y += 1 y",
        "x = { } x.a = 1 push([x])",
        "y = parallel for z in [1] max 1 { w = [z] w.add(1) w } y.add(2) y[0].add(3)",
        "if x { y = [] y.add(1) } for z in [1, 2] max 2 { w = { } w.a = z }",
    ] {
        check(body, false);
    }
}

#[test]
fn as_10_plain_loop_may_write_outer_values() {
    let text = format!(
        "{FUNCTIONS} main func(input) {{ outer = [] y = outer push(y) for x in [1] max 1 {{ y.add(x) mark({{}}) }} \
         r = parallel for x in [1] max 1 {{ [x] }} r.add(1) r[0].add(1) push(r) }}"
    );
    assert_eq!(codes_of(&text), Vec::<&str>::new());
}

#[test]
fn as_10_nested_iteration_has_own_outer_values() {
    for (body, refused) in [
        ("own = [] parallel for z in [1] max 1 { own.add(z) }", true),
        ("own = [] parallel for z in [1] max 1 { y = own y.add(z) }", true),
        ("own = [] parallel for z in [1] max 1 { push(own) }", true),
        ("own = [] r = parallel for z in [1] max 1 { own } r[0].add(1)", false),
        ("r = parallel for z in [1] max 1 { outer } r[0].add(1)", true),
        ("r = parallel for z in outer max 1 { z } r[0].add(1)", true),
        ("own = [[1]] r = parallel for z in own max 1 { z } r[0].add(1)", false),
    ] {
        check(body, refused);
    }
}

#[test]
fn as_10_diagnostic_points_at_call_and_names_path_to_write() {
    let text = "func note(log, x) {\n  log.add(x)\n}\nfunc run(log, x) { note(log, x) }\n\
                main func(input) {\n  log = []\n  parallel for x in input max 3 {\n    run(log, x)\n  }\n}\n";
    let told = faults(text);
    let [fault] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(fault.code, "AS5004");
    assert_eq!(text.get(fault.span.start as usize..fault.span.end as usize), Some("run(log, x)"));
    assert_eq!(
        fault.message,
        "this call changes `log`, which is defined outside the `parallel for`: run → note → log.add (main.as:2)"
    );
    let alias =
        faults("main func(input) { o = [] parallel for x in input max 3 { y = o y.add(x) } }");
    assert_eq!(
        alias[0].message,
        "a `parallel for` can't change `y`, which holds all or part of the outer `o`"
    );
    assert!(alias.iter().chain(&told).all(|fault| fault.help.is_some()));
}

#[test]
fn as_10_writes_are_followed_into_other_files() {
    let told = faults_with(
        "import agent Far from \"far.as\"\nmain func(input) { Far(input) }",
        &[(
            "far.as",
            "func keep(o, x) { o.last = x }\nagent Far { main func(x) { state = {} parallel for i in x max 3 { keep(state, i) } } }",
        )],
    );
    let told: Vec<(&str, &str)> =
        told.iter().map(|fault| (fault.file.as_str(), fault.code)).collect();
    assert_eq!(told, [("far.as", "AS5004")]);
}

#[test]
fn as_10_many_functions_and_deep_loops_are_checked_quickly() {
    let mut text = String::from("func f0(l) { l.add(1) }\n");
    for number in 1..2_000 {
        text += &format!("func f{number}(l) {{ f{}(l) f{}(l) }}\n", number - 1, number / 2);
    }
    text += "main func(input) { o = [] parallel for x in input max 3 { f1999(o) } }";
    assert_eq!(codes_of(&text), ["AS5004"]);

    let (mut open, mut close) = (String::new(), String::new());
    for _ in 0..150 {
        open += "repeat * 2 { a = b b = c ";
        close += "}";
    }
    let text = format!(
        "main func(input) {{ o = [] parallel for x in input max 3 {{ a = [] b = [] c = o {open} {close} a.add(1) }} }}"
    );
    assert_eq!(codes_of(&text), ["AS5004"]);
}
