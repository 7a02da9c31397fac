//! Labels follow every value (GU-3): whatever a low value goes into gives a low one.

mod rows;

use crate::support::outcome;
use contexture_context::{Label, TraceKind, Trust};
use contexture_script::host::{Standing, Supplied};
use contexture_script::library::{Receiver, functions, methods_of};
use contexture_script::runtime::ScriptedHost;
use contexture_script::syntax::ast::{BinaryOp, UnaryOp};
use serde_json::json;

/// Values from a page. Of `hl` and `ho` only the choice is low: which list, which object it is.
const LOW: &str = "
    page = Http.get({ url: \"/\" })
    n = page.n  f = page.f  t = page.t  b = page.b  l = page.l  o = page.o  nothing = page.nothing
    hl = [[4, 5], [1]][n - 3]
    ho = [{ k: 2, j: [1] }, {}][n - 3]
    held = [n, 7]  holds = { k: n, j: 7 }  words = [\"x\", t]  items = [{ v: n }, { v: 7 }]
    pair = [{ x: 0 }, { x: 0 }]  first = pair[0]";

/// Returns the label of what statements leave in `got`.
fn label(statements: &str) -> Label {
    let source = format!(
        "import tool Http from \"https://a.b\" import memory Notes from \"file://n.jsonl\"
        func same(x) {{ x }} func negative(x) {{ -x }} func big(x) {{ x > 1 }} func v(x) {{ x.v }} func one(x) {{ 1 }}
        func larger(a, b) {{ if b > a {{ return b }} a }} func second(a, b) {{ b }} func text(x) {{ to_text(x) }}
        func set(x) {{ x.x = 1 }} func put(x) {{ x.add(1) }}
        func early(x) {{ if x {{ return 1 }} 2 }} func nested(x) {{ early(x) }}
        agent A {{ main func(input) {{ input }} func two(a, b) {{ b }} }}
        main agent {{ main func(input) {{{LOW}\n{statements}\nNotes.add({{ kind: \"k\", got: got }}) }} }}"
    );
    let page = json!({
        "n": 3, "f": 2.5, "t": "a,b", "b": true, "l": [3, 1, 2], "o": { "k": 1 }, "nothing": null
    });
    let page = Supplied {
        value: page,
        label: Label::of("https://a.b", Trust::Web),
        standing: Standing::Real,
        ..Supplied::default()
    };
    let host =
        ScriptedHost::new().with_result("Http.get", Ok(page)).with_memory("Notes.add", json!({}));
    let done = outcome(&source, json!({}), &host);
    assert!(done.result.is_ok(), "{statements}: {:?}", done.result);
    let call = &host.memory_calls()[0];
    let got = call.influence.arguments.iter().find(|(name, _)| name == "got");
    got.map(|(_, label)| label.clone()).unwrap_or_default()
}

/// Asserts that each expression or body gives a value with the label of the page.
#[track_caller]
fn assert_low(bodies: &[&str]) {
    let body =
        |one: &str| if one.contains("got =") { one.to_owned() } else { format!("got = {one}") };
    let low = Label::of("https://a.b", Trust::Web);
    let washed: Vec<&&str> = bodies.iter().filter(|one| label(&body(one)) != low).collect();
    assert!(washed.is_empty(), "not low: {washed:#?}");
}

#[test]
fn gu_3_result_of_each_method_on_low_value_is_low() {
    for receiver in [Receiver::String, Receiver::List, Receiver::Object] {
        for method in methods_of(receiver) {
            let rows = rows::of(receiver, method.name);
            let rows = rows.unwrap_or_else(|| panic!("give {} a row", method.name));
            assert!(rows.iter().any(|row| row.contains(method.name)), "{}", method.name);
            assert_low(rows);
        }
    }
}

#[test]
fn ty_6_result_of_each_function_on_low_value_is_low() {
    let rows = |name: &str| -> Option<&'static [&'static str]> {
        Some(match name {
            "to_number" => &["to_number(n)", "to_number(\"\" + n)"],
            "to_integer" => &["to_integer(f)", "to_integer(\"\" + n)"],
            "to_text" => &["to_text(n)", "to_text(t)", "to_text(l)", "to_text([n])", "to_text(hl)"],
            "json.parse" => &["json.parse(json.print(l))", "json.parse(\"\" + n)"],
            "json.print" => &["json.print(l)", "json.print([[n]])", "json.print(hl)"],
            "date.add" => &[
                "date.add(\"2024-01-01\" + t.slice(0, 0), 1, \"day\")",
                "date.add(\"2024-01-01\", n, \"day\")",
            ],
            "date.between" => {
                &["date.between(\"2024-01-01\", \"2024-01-02\" + t.slice(0, 0), \"day\")"]
            }
            "date.parts" => &[
                "date.parts(\"2024-01-01\" + t.slice(0, 0))",
                "date.parts(\"2024-01-01\" + t.slice(0, 0)).day",
            ],
            "range" => &["range(n)", "range(n)[0]", "range(1, n).length", "range(n, 9)"],
            "fail" => &[
                "try { fail(t) } else e { e.message }",
                "try { fail(\"x\", t.slice(0, 1)) } else e { e.code }",
            ],
            "progress" => &["progress(t)"],
            // What a secret is, and what the program lets up, is told by tests of their own.
            "secret" | "trust" => &[],
            _ => return None,
        })
    };
    for entry in functions() {
        let rows = rows(entry.name);
        assert_low(rows.unwrap_or_else(|| panic!("give {} a row", entry.name)));
    }
}

#[test]
fn gu_3_result_of_each_operator_on_low_value_is_low() {
    use BinaryOp::{
        Add, And, Divide, Equal, Greater, GreaterEqual, Less, LessEqual, Multiply, NotEqual, Or,
        Remainder, Subtract,
    };
    // A match without a wildcard: an operator that is added needs a row.
    let word = |op: BinaryOp| match op {
        Or => "or",
        And => "and",
        Equal => "==",
        NotEqual => "!=",
        Less => "<",
        LessEqual => "<=",
        Greater => ">",
        GreaterEqual => ">=",
        Add => "+",
        Subtract => "-",
        Multiply => "*",
        Divide => "/",
        Remainder => "%",
    };
    let all = [
        Or,
        And,
        Equal,
        NotEqual,
        Less,
        LessEqual,
        Greater,
        GreaterEqual,
        Add,
        Subtract,
        Multiply,
        Divide,
        Remainder,
    ];
    for op in all {
        let word = word(op);
        let pairs = [("n", "2"), ("2", "n"), ("f", "2"), ("n", "n"), ("f", "1.5"), ("1.5", "n")];
        let sums = pairs.map(|(left, right)| format!("{left} {word} {right}"));
        // What `or` and `and` skip has no influence.
        let lazy = [
            format!("n {word} 2"),
            format!("(n == 3) {word} false"),
            format!("(n == 4) {word} true"),
        ];
        let rows = if matches!(op, Or | And) { lazy.to_vec() } else { sums.to_vec() };
        assert_low(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    }
    for op in [UnaryOp::Negate, UnaryOp::Not] {
        assert_low(match op {
            UnaryOp::Negate => &["-n", "-f", "-(-n)", "got = n got -= 1", "got = 1 got += n"],
            UnaryOp::Not => &["not n", "not hl", "not nothing"],
        });
    }
    assert_low(&[
        "t + \"x\"",
        "\"x\" + t",
        "\"\" + n",
        "\"a \\(t)\"",
        "\"\\(n) b\"",
        "\"\" + b",
        "hl == [1]",
        "[1] == hl",
        "ho == { k: 1 }",
        "held == [3, 7]",
        "nothing == none",
        "t == \"x\"",
        "t < \"x\"",
        "hl != hl",
    ]);
}

#[test]
fn gu_3_low_part_choice_and_copy_are_low() {
    assert_low(&[
        "n",
        "nothing",
        "b",
        "[n]",
        "{ a: n }",
        "{ a: [n] }.a",
        "hl[0]",
        "[1, 2, 3, 4][n]",
        "ho.k",
        "ho[\"k\"]",
        "{ a: 1, \"a,b\": 2 }[t]",
        "got = {} got[t] = 1",
        "got = {} got.a = n",
        // Copies keep what their handle knows.
        "hl.summary",
        "hl.summary[0]",
        "ho.summary",
        "ho.summary.j",
        "A(hl)",
        "A(ho)",
        "A(ho).j[0]",
        "A.two(1, hl)",
        "[hl].summary[0][0]",
        "A({ a: hl }).a[0]",
        "s = { a: hl, b: hl }.summary got = s.b[0]",
        "twin = [1] mixed = [twin, twin] if b { mixed = [[2], twin] } got = mixed.summary[1][0]",
        // What is written through a low choice.
        "c = pair[n - 3] c.x = 1 got = first.x",
        "c = pair[n - 3] c[\"x\"] = 1 got = first",
        "set(pair[n - 3]) got = first.x",
        "m = [] k = [m, []] c = k[n - 3] c.add(1) got = m.length",
        "m = [] k = [m, []] put(k[n - 3]) got = m[0]",
    ]);
}

#[test]
fn gu_3_what_low_value_chose_outside_is_low() {
    let trusted = |value| Supplied { value, label: Trust::User.into(), ..Supplied::default() };
    let source = "import tool Http from \"https://a.b\" import tool File from \"file://workspace\" \
         import memory Notes from \"file://n.jsonl\"\nmain func(input) { page = Http.get({ url: \"/\" })\n\
         got = [File.read({ path: page }), Notes.query({ text: page })[0]]\nNotes.add({ file: got[0], note: got[1] }) }";
    let page = Supplied { label: Label::of("p", Trust::Web), ..trusted(json!("a.md")) };
    let host = ScriptedHost::new()
        .with_result("Http.get", Ok(page))
        .with_result("File.read", Ok(trusted(json!("text"))))
        .with_result("Notes.query", Ok(trusted(json!(["note"]))))
        .with_memory("Notes.add", json!({}));
    assert!(outcome(source, json!({}), &host).result.is_ok());
    let call = &host.memory_calls()[1];
    for (name, label) in &call.influence.arguments {
        assert_eq!(label, &Label::of("p", Trust::Web), "{name}");
    }
    assert_eq!(call.influence.arguments.len(), 2);
}

#[test]
fn gu_3_what_low_value_decides_is_low() {
    assert_low(&[
        "got = 0 if b { got = 1 }",
        "got = 0 if not b { got = 1 }",
        "got = 0 if n > 5 { got = 1 } else { 2 }",
        "got = 0 repeat * n { got = got + 1 }",
        "got = 0 for x in hl max 9 { got = got + 1 }",
        "got = 0 for x in [1, 2, 3, 4] max n { got = x }",
        "got = 0 loop until got > n max 9 { got = got + 1 }",
        "early(b)",
        "nested(b)",
        "early(n - 3)",
        "got = [] if b { got.add(1) }",
        "got = [] if not b { got.add(1) }",
        "got = {} if b { got.x = 1 }",
        "got = {} if not b { got.x = 1 }",
        "got = (parallel for x in hl max 9 { 1 })",
        "got = (parallel for x in [1, 2] max 9 { x + n })[0]",
        "got = (parallel for x in hl.sort() max 9 { x })[0]",
        "got = 0 if b { try { [][0] } else e { got = 1 } }",
    ]);
}

#[test]
fn gu_3_handler_of_operation_that_failed_on_low_value_is_low() {
    assert_low(&[
        "got = 0 try { x = 1 / (n - 3) } else e { got = 1 }",
        "got = 0 try { x = [1][n] } else e { got = 1 }",
        "got = 0 try { x = -t } else e { got = 1 }",
        "got = 0 try { x = nothing.z } else e { got = 1 }",
        "got = 0 try { x = ho.z } else e { got = 1 }",
        "got = 0 try { x = [1, t].sort() } else e { got = 1 }",
        "got = 0 try { for x in t max 9 { 1 } } else e { got = 1 }",
        "got = 0 try { early(1 / (n - 3)) } else e { got = 1 }",
        "got = 0 try { parallel for x in [1] max 9 { 1 / (n - 3) } } else e { got = 1 }",
        "try { 1 / (n - 3) } else e { e.message }",
        "try { 1 / (n - 3) } else e { e.code }",
        "try { 1 / (n - 3) } else e { 1 }",
        // It did not come to the second assignment.
        "got = 1 try { got = 2 x = 1 / (n - 3) got = 3 } else e { 0 }",
        "got = [] try { got.add(1) x = 1 / (n - 3) got.add(2) } else e { 0 }",
    ]);
}

#[test]
fn gu_4_value_that_program_trusts_is_up_with_its_sources_and_reason() {
    let way = "https://a.b → trust(\"checked\")";
    for body in [
        "got = trust(t, \"checked\")",
        "got = trust(n, \"checked\") + 1",
        "got = trust(o, \"checked\").k",
        "got = trust(hl, \"checked\")[0]",
        "got = 0 if trust(b, \"checked\") { got = 1 }",
        "got = trust({ a: [t, { b: l }] }, \"checked\").a[1].b[0]",
    ] {
        let up = label(body);
        let sources: Vec<String> = up.sources.iter().map(ToString::to_string).collect();
        assert_eq!((up.trust, sources), (Trust::User, vec![way.to_owned()]), "{body}");
    }
    // The value itself stays what it is, and so does what it decided.
    assert_low(&[
        "x = trust(o, \"checked\") got = o.k",
        "x = trust(l, \"checked\") got = l",
        "[trust(t, \"checked\"), t][1]",
    ]);
    assert!(label("got = 0 if b { got = trust(1, \"checked\") }").is_below_user());
}

/// Returns the label of what a program makes of an answer to a prompt with a page, and the events.
fn of_answer(options: &str, body: &str) -> (Label, Vec<serde_json::Value>) {
    let source = format!(
        "import tool Http from \"https://a.b\" import memory Notes from \"file://n.jsonl\"
        main func(input) {{ page = Http.get({{ url: \"/\" }}) use page as page
        r = generate({{ input: \"Read.\"{options} }}) -> {{ ok boolean, kind \"in\" | \"out\", text string, near {{ is boolean }}, more? boolean }}
        {body}
        Notes.add({{ kind: \"k\", got: got }}) }}"
    );
    let low = |value| Supplied { value, label: Label::of("p", Trust::Web), ..Supplied::default() };
    let answer = json!({ "ok": true, "kind": "in", "text": "in", "near": { "is": false } });
    let host = ScriptedHost::new()
        .with_result("Http.get", Ok(low(json!("page"))))
        .with_answer_result(Ok(low(answer)))
        .with_memory("Notes.add", json!({}));
    let done = outcome(&source, json!({}), &host);
    assert!(done.result.is_ok(), "{body}: {:?}", done.result);
    let call = &host.memory_calls()[0];
    let got = call.influence.arguments.iter().find(|(name, _)| name == "got");
    let released = host.events().into_iter().filter(|event| event.kind == TraceKind::Release);
    (got.unwrap().1.clone(), released.map(|event| event.data).collect())
}

/// Returns the trust level of what a program makes of an answer to a prompt with a page.
fn of_bounded(release: &str, answer: &serde_json::Value) -> Trust {
    let name = answer.as_object().unwrap().keys().next().unwrap();
    let source = format!(
        "import tool Http from \"https://a.b\" import memory Notes from \"file://n.jsonl\"
        main func(input) {{ page = Http.get({{ url: \"/\" }}) use page as page
        r = generate({{ input: \"Read.\", release: {{ reason: \"an order\", {release} }} }}) -> {{ n? number, i? integer, t? string }}
        Notes.add({{ kind: \"k\", got: r.{name} }}) }}"
    );
    let low = |value| Supplied { value, label: Label::of("p", Trust::Web), ..Supplied::default() };
    let host = ScriptedHost::new()
        .with_result("Http.get", Ok(low(json!("page"))))
        .with_answer_result(Ok(low(answer.clone())))
        .with_memory("Notes.add", json!({}));
    let input = json!({ "known": ["A-1", 7] });
    let done = outcome(&source, input, &host);
    assert!(done.result.is_ok(), "{release}: {:?}", done.result);
    let call = &host.memory_calls()[0];
    call.influence.arguments.iter().find(|(name, _)| name == "got").unwrap().1.trust
}

#[test]
fn gu_4_bounded_numbers_days_and_known_ids_are_up_when_program_releases_them() {
    let up = |release: &str, answer| of_bounded(release, &answer) == Trust::Model;
    let (numbers, ids) = ("numbers: [1, 9.5]", "ids: input.known");
    let dates = "dates: [\"2026-01-31\", \"2026-12-31\"]";
    assert!(up(numbers, json!({ "n": 9.5 })) && up(numbers, json!({ "i": 1 })));
    for answer in [json!({ "n": 9.6 }), json!({ "i": 0 }), json!({ "t": "5" })] {
        assert!(!up(numbers, answer.clone()), "{answer}");
    }
    assert!(up(ids, json!({ "t": "A-1" })) && up(ids, json!({ "i": 7 })));
    for answer in [json!({ "t": "A-12" }), json!({ "t": "7" }), json!({ "n": 7.5 })] {
        assert!(!up(ids, answer.clone()), "{answer}");
    }
    assert!(up(dates, json!({ "t": "2026-01-31" })) && up(dates, json!({ "t": "2026-11-30" })));
    for day in
        ["2026-01-30", "2027-01-01", "2026-11-31", "2026-02-29", "2026-06-01T", "2026-6-01", "6"]
    {
        assert!(!up(dates, json!({ "t": day })), "{day}");
    }
    assert!(!up("ids: [page]", json!({ "t": "page" })), "a page can't say what is known");
    assert!(!up("ids: [\"A-1\", page]", json!({ "t": "A-1" })));
}

#[test]
fn gu_4_closed_parts_of_answer_are_up_when_program_releases_them() {
    let release = ", release: \"two drawers\"";
    for body in [
        "got = r.ok",
        "got = r.kind",
        "got = r.near.is",
        "got = 0 if r.ok { got = 1 }",
        "got = r.more",
    ] {
        let (up, events) = of_answer(release, body);
        assert_eq!(up.trust, Trust::Model, "{body}");
        assert_eq!(events.len(), 1);
        assert_eq!(events[0]["parts"], json!(["ok", "kind", "near.is"]));
        assert_eq!(events[0]["reason"], "two drawers");
        let (low, events) = of_answer("", body);
        assert_eq!((low.trust, events.len()), (Trust::Web, 0), "{body}");
    }
    for body in
        ["got = r.text", "got = r", "got = r.kind + r.text", "got = 0 if r.text { got = 1 }"]
    {
        assert_eq!(of_answer(release, body).0.trust, Trust::Web, "{body}");
    }
}
