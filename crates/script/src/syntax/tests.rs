use super::ast::{
    BinaryOp, Block, ConfigKind, ExprKind, Func, ShapeKind, StatementKind, UnaryOp, Use, UseSource,
};
use super::*;
use contexture_context::{Keep, Measure};

fn parse_text(text: &str) -> Parsed {
    parse(&SourceFile::new("t.as", text), &Limits::default())
}

fn codes_of(text: &str) -> Vec<&'static str> {
    parse_text(text).diagnostics.iter().map(|fault| fault.code).collect()
}

fn valid(text: &str) -> Parsed {
    let parsed = parse_text(text);
    assert_eq!(parsed.diagnostics, vec![], "{text}");
    parsed
}

fn functions(parsed: &Parsed) -> Vec<&Func> {
    crate::program::functions_of(&parsed.file.items).collect()
}

/// Parses the statements of a function body.
fn body(text: &str) -> Block {
    let parsed = valid(&format!("func f() {{\n{text}\n}}"));
    functions(&parsed)[0].body.clone()
}

/// Returns the kinds of the statements of a body.
fn kinds(text: &str) -> Vec<String> {
    body(text).statements.iter().map(|statement| word(&statement.kind)).collect()
}

fn word(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Assign { value, .. } => format!("set {}", show(value)),
        StatementKind::Return(value) => {
            value.as_ref().map_or("return".to_owned(), |value| format!("return {}", show(value)))
        }
        StatementKind::Expr(expr) => show(expr),
        StatementKind::Use(_) => "use".to_owned(),
        StatementKind::Config(_) => "config".to_owned(),
        StatementKind::If { arms, otherwise } => {
            format!("if {}{}", arms.len(), if otherwise.is_some() { " else" } else { "" })
        }
        StatementKind::Loop { .. } => "loop".to_owned(),
        StatementKind::Repeat { .. } => "repeat".to_owned(),
        StatementKind::For(_) => "for".to_owned(),
        StatementKind::Error => "error".to_owned(),
    }
}

fn expr(text: &str) -> String {
    let (expr, faults) = parse_expression(text, &Limits::default());
    assert_eq!(faults, vec![], "{text}");
    show(&expr)
}

/// Prints an expression with every operator in parentheses.
fn show(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::None => "none".to_owned(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{value:?}"),
        ExprKind::Str(value) => format!("{value:?}"),
        ExprKind::Interpolation(parts) => {
            format!("text{:?}", parts.iter().map(show).collect::<Vec<_>>())
        }
        ExprKind::Name(name) => name.clone(),
        ExprKind::Paren(inner) => show(inner),
        ExprKind::List(items) => format!("[{}]", join(items)),
        ExprKind::Object(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{}: {}", key.value, show(value)))
                .collect();
            format!("{{{}}}", parts.join(", "))
        }
        ExprKind::Unary { op: UnaryOp::Negate, operand } => format!("(-{})", show(operand)),
        ExprKind::Unary { op: UnaryOp::Not, operand } => format!("(not {})", show(operand)),
        ExprKind::Binary { op, left, right, .. } => {
            format!("({} {} {})", show(left), sign(*op), show(right))
        }
        ExprKind::Field { base, name } => format!("{}.{}", show(base), name.text),
        ExprKind::Index { base, index } => format!("{}[{}]", show(base), show(index)),
        ExprKind::Call { callee, arguments } => format!("{}({})", show(callee), join(arguments)),
        ExprKind::Generate(generate) => format!("generate/{}", generate.options.len()),
        ExprKind::ParallelFor(_) => "parallel".to_owned(),
        ExprKind::Try { .. } => "try".to_owned(),
        ExprKind::Error => "error".to_owned(),
    }
}

fn join(items: &[Expr]) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(", ")
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "or",
        BinaryOp::And => "and",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
    }
}

#[test]
fn as_1_items_in_any_order() {
    let parsed = valid(
        "func f() { 1 }\nmain agent { role \"a\" description 'b' main func(input) { input } }\n\
         import llm Q from \"mock\"\nmodel Q\nagent B { use x as b }\nuse input",
    );
    let kinds: Vec<&str> = parsed
        .file
        .items
        .iter()
        .map(|item| match item {
            Item::Import(_) => "import",
            Item::Agent(agent) if agent.main => "main agent",
            Item::Agent(_) => "agent",
            Item::Func(_) => "func",
            Item::Config(_) => "config",
            Item::Use(_) => "use",
            Item::Shape(_) => "shape",
        })
        .collect();
    assert_eq!(kinds, ["func", "main agent", "import", "config", "agent", "use"]);
}

#[test]
fn as_1_configuration_shares_line() {
    let block = body("role \"a\" description \"\"\"\n  b\n  \"\"\" model Q x = 1");
    let words: Vec<String> = block.statements.iter().map(|one| word(&one.kind)).collect();
    assert_eq!(words, ["config", "config", "config", "set 1"]);
    let StatementKind::Config(config) = &block.statements[1].kind else { panic!() };
    assert!(matches!(&config.kind, ConfigKind::Description(text) if show(text) == "\"b\""));
}

#[test]
fn as_3_lines_separate_nothing_by_themselves() {
    assert_eq!(kinds("a = 1 b = 2"), ["set 1", "set 2"]);
    assert_eq!(kinds("a = b\n  .c\n  + 1\nd"), ["set (b.c + 1)", "d"]);
    assert_eq!(kinds("a = b\n- c"), ["set (b - c)"]);
    assert_eq!(kinds("a = b\nand c\nor d"), ["set ((b and c) or d)"]);
    assert_eq!(kinds("a = b +\n c *\n d"), ["set (b + (c * d))"]);
    assert_eq!(kinds("a = b\n(c)"), ["set b", "c"]);
    assert_eq!(kinds("a = b\n[c]"), ["set b", "[c]"]);
    assert_eq!(kinds("a = b(c)[d]"), ["set b(c)[d]"]);
    assert_eq!(kinds("return\n1"), ["return", "1"]);
    assert_eq!(kinds("return 1\n+ 2"), ["return (1 + 2)"]);
}

#[test]
fn as_3_comments_go_to_end_of_line() {
    assert_eq!(kinds("a = 1 // b = 2\nc = 3 -- d\n-- e\n/// f\nb"), ["set 1", "set 3", "b"]);
    assert_eq!(kinds("a = \"// no -- comment\""), ["set \"// no -- comment\""]);
    assert_eq!(kinds("a = 1 --2"), ["set 1"]);
    assert_eq!(kinds("a = 1 - -2"), ["set (1 - (-2))"]);
}

#[test]
fn as_3_keywords_are_names_where_they_do_not_matter() {
    for name in [
        "input",
        "act",
        "reason",
        "observe",
        "reflect",
        "answer",
        "scratch",
        "done",
        "task",
        "output",
        "context",
        "repair",
        "max",
        "keep",
        "priority",
        "as",
        "one",
        "of",
        "in",
        "until",
        "model",
        "role",
        "description",
        "agent",
        "func",
        "import",
        "main",
        "tool",
        "memory",
        "file",
        "llm",
        "from",
        "empty",
        "selected",
        "string",
        "list",
        "loop",
        "repeat",
        "parallel",
        "try",
        "检索",
        "été",
        "नमस्ते",
        "_x",
        "x1",
        "constructor",
        "__proto__",
    ] {
        assert_eq!(
            kinds(&format!("{name} = 1 y = {name} + 1")),
            ["set 1", &format!("set ({name} + 1)")]
        );
    }
    for word in RESERVED {
        assert_eq!(expr(&format!("{{ {word}: a.{word} }}")), format!("{{{word}: a.{word}}}"));
        valid(&format!("func f(x {{ {word} string }}) {{ use x as {word} }}"));
    }
}

#[test]
fn as_4_literals() {
    assert_eq!(
        expr("[1, 2k, 1.5, 1e3, \"a\", 'b', true, false, none,]"),
        "[1, 2000, 1.5, 1000.0, \"a\", \"b\", true, false, none]"
    );
    assert_eq!(expr("{ a: 1, \"b c\": {}, 名: [], }"), "{a: 1, b c: {}, 名: []}");
    assert_eq!(expr("-9223372036854775808"), "-9223372036854775808");
    assert_eq!(expr("\"\"\"\n    a\n      b\n    \"\"\""), "\"a\\n  b\"");
    assert_eq!(expr("'''a \"b\" '''"), "\"a \\\"b\\\" \"");
}

#[test]
fn as_4_bom_and_any_line_ends_are_accepted() {
    for ending in ["\n", "\r\n", "\r"] {
        let text = format!(
            "\u{feff}func f() {{{ending}  a = \"\"\"{ending}  x{ending}  y{ending}  \"\"\"{ending}  b{ending}}}{ending}"
        );
        let parsed = valid(&text);
        let words: Vec<String> =
            functions(&parsed)[0].body.statements.iter().map(|one| word(&one.kind)).collect();
        assert_eq!(words, ["set \"x\\ny\"", "b"]);
    }
}

fn shape(text: &str) -> String {
    let (node, faults) = parse_shape(text, &Limits::default());
    assert_eq!(faults, vec![], "{text}");
    shape_of(&node).to_string()
}

#[test]
fn as_5_shapes() {
    assert_eq!(
        shape(
            "{ ok boolean\n text: string, bare\n n?: number, l list, j json\n k \"a\" | 'b', i? integer }"
        ),
        "{ ok boolean, text string, bare string, n?: number, l list, j json, k \"a\" | \"b\", i?: integer }"
    );
    assert_eq!(
        shape("list[{ a { b list[list[number]] } }]"),
        "list[{ a { b list[list[number]] } }]"
    );
    assert_eq!(
        shape("{ string string, list list[string], json }"),
        "{ string string, list list[string], json string }"
    );
    assert_eq!(shape("{ \"two words\" boolean }"), "{ \"two words\" boolean }");
    assert_eq!(shape("{ok boolean, items list[string]}"), "{ ok boolean, items list[string] }");
    assert_eq!(shape("{}"), "{}");
    for bad in ["", "bool", "{ a b }", "list[", "{ a string b string }", "string number", "\"a\" |"]
    {
        assert!(!parse_shape(bad, &Limits::default()).1.is_empty(), "{bad}");
    }
}

#[test]
fn as_5_comments_above_field_describe_it() {
    let text = "{ /// first\n/// line\n// not this\n/// One.\n  /// Two.\n  a string /// behind\n  b number, /// behind too\n  c json }";
    let (node, _) = parse_shape(text, &Limits::default());
    let ShapeKind::Object(fields) = &node.kind else { panic!() };
    let told: Vec<Option<&str>> = fields.iter().map(|field| field.description.as_deref()).collect();
    assert_eq!(told, [Some("One.\nTwo."), None, None]);
    let (node, _) = parse_shape("{ /// inside\n a }", &Limits::default());
    let ShapeKind::Object(fields) = &node.kind else { panic!() };
    assert_eq!(fields[0].description.as_deref(), Some("inside"));
}

#[test]
fn as_6_statements() {
    assert_eq!(
        kinds(
            "if a { } else if b { } else { }\nif a { }\nloop until a max 3 { }\nrepeat * n + 1 { }\n\
             for x in xs max 3 { }\nx.a[\"b\"].c += 1\ny = parallel for x in xs max n { x }"
        ),
        ["if 2 else", "if 1", "loop", "repeat", "for", "set 1", "set parallel"]
    );
    let block = body("o.a[i].b = 1");
    let StatementKind::Assign { target, .. } = &block.statements[0].kind else { panic!() };
    assert_eq!((target.base.text.as_str(), target.path.len()), ("o", 3));
}

#[test]
fn as_7_operators_by_precedence() {
    assert_eq!(
        expr("a or b and not c == d + e * -f.g[0](h)"),
        "(a or (b and (not (c == (d + (e * (-f.g[0](h))))))))"
    );
    assert_eq!(expr("not a == b"), "(not (a == b))");
    assert_eq!(expr("a == not b and c"), "((a == (not b)) and c)");
    assert_eq!(expr("a - b - c"), "((a - b) - c)");
    assert_eq!(expr("a / b * c % d"), "(((a / b) * c) % d)");
    assert_eq!(expr("a < b and c >= d"), "((a < b) and (c >= d))");
    assert_eq!(expr("(a or b) and c"), "((a or b) and c)");
    assert_eq!(expr("- - a"), "(-(-a))");
    assert_eq!(expr("-a.b"), "(-a.b)");
}

#[test]
fn as_9_try_is_expression() {
    assert_eq!(kinds("x = try { a } else err { b }\ntry { a } else { b }"), ["set try", "try"]);
}

fn used(text: &str) -> Use {
    let block = body(text);
    match &block.statements[0].kind {
        StatementKind::Use(used) => used.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn as_12_parts_of_use() {
    let all = used("use docs.summary max 4k keep tail priority -3 as retrieved  evidence // note");
    let max = all.max.unwrap();
    assert_eq!((max.limit, max.amount, max.measure), (4000, 4.0, Measure::Tokens));
    assert_eq!(all.keep.unwrap().0, Keep::Tail);
    assert_eq!(all.priority.unwrap().0, -3);
    assert_eq!(all.label.unwrap().value, "retrieved evidence");
    let plain = used("use input");
    assert!(plain.max.is_none() && plain.keep.is_none() && plain.label.is_none());
}

#[test]
fn ca_16_question_of_use_stands_in_its_line() {
    for (text, question, label) in [
        ("use Docs max 4k for input.question", "input.question", None),
        ("use Docs for input.question max 4k as docs", "input.question", Some("docs")),
        ("use Docs max 4k for \"Why?\" as docs for people", "\"Why?\"", Some("docs for people")),
        ("use Docs max 4k for (a + \" \" + b) keep tail", "(a + \" \" + b)", None),
        ("use one of { a: x max 2k, b: empty } for q as evidence", "q", Some("evidence")),
    ] {
        let found = used(text);
        // The text stands in the body of a function.
        let span = found.question.unwrap().span;
        let start = span.start as usize - found.span.start as usize;
        let written = text.get(start..start + (span.end - span.start) as usize);
        assert_eq!(written, Some(question), "{text}");
        assert_eq!(found.label.map(|label| label.value).as_deref(), label, "{text}");
    }
    assert!(used("use Docs max 4k").question.is_none());
}

#[test]
fn ca_16_loop_behind_use_stays_loop() {
    assert_eq!(kinds("use Docs max 4k\nfor x in xs max 3 { y }"), ["use", "for"]);
    assert_eq!(kinds("use Docs max 4k for x in xs max 3 { y }"), ["use", "for"]);
    assert_eq!(kinds("use Docs\n  max 4k\nfor x in xs max 3 { y }"), ["use", "for"]);
    assert_eq!(kinds("use Docs max 4k for q for x in xs max 3 { y }"), ["use", "for"]);
    assert_eq!(kinds("use Docs as \"a\" for x in xs max 3 { y }"), ["use", "for"]);
}

#[test]
fn as_12_labels_end_at_line_comment_or_brace() {
    for (text, label) in [
        ("use x as user question", "user question"),
        ("use x as evidence -- note", "evidence"),
        ("use x as evidence// note", "evidence"),
        ("use x as what's left", "what's left"),
        ("use x as 检索 证据", "检索 证据"),
        ("use x as state-of-the-art 2024", "state-of-the-art 2024"),
        ("use x as \"max 4k // no comment }\"", "max 4k // no comment }"),
        ("use x as 'a' y = 1", "a"),
    ] {
        assert_eq!(used(text).label.unwrap().value, label, "{text}");
    }
    let parsed = valid("func f(x) { if x { use x as last } use x as \"b\" }");
    assert_eq!(functions(&parsed)[0].body.statements.len(), 2);
    assert_eq!(kinds("use x\nas = 1"), ["use", "set 1"]);
    assert_eq!(kinds("use x\nmax = 1"), ["use", "set 1"]);
    assert_eq!(kinds("use x\n  max 2k\n  as y"), ["use"]);
}

#[test]
fn as_16_budgets() {
    for (text, limit, measure) in [
        ("use x max 800", 800, Measure::Tokens),
        ("use x max 1.5k", 1500, Measure::Tokens),
        ("use x max 8k chars", 8000, Measure::Chars),
        ("use x max 100 tokens as y", 100, Measure::Tokens),
        ("use x max 1e3", 1000, Measure::Tokens),
    ] {
        let max = used(text).max.unwrap();
        assert_eq!((max.limit, max.measure), (limit, measure), "{text}");
    }
    assert_eq!(kinds("use x max 2k y = 1"), ["use", "set 1"]);
    assert_eq!(kinds("use x max 2k words = 1"), ["use", "set 1"]);
}

#[test]
fn as_17_one_of() {
    let found = used(
        "use one of {\n  short: x.a max 500 chars selected\n  long: [x, y] max 2k keep middle, none: empty\n} priority 2 as evidence",
    );
    let UseSource::OneOf(candidates) = &found.source else { panic!() };
    let told: Vec<(&str, bool, bool, Option<u64>)> = candidates
        .iter()
        .map(|one| {
            let max = one.max.as_ref().map(|max| max.limit);
            (one.name.text.as_str(), one.source.is_some(), one.selected.is_some(), max)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("short", true, true, Some(500)),
            ("long", true, false, Some(2000)),
            ("none", false, false, None)
        ]
    );
    assert_eq!(found.priority.unwrap().0, 2);
    assert!(matches!(used("use one").source, UseSource::Expr(_)));
    assert!(matches!(used("use one.of").source, UseSource::Expr(_)));
}

#[test]
fn as_19_generate() {
    let block =
        body("x = generate({ input: \"a\", limit_of: 1 })\n  -> list[string]\ngenerate({}).a");
    let words: Vec<String> = block.statements.iter().map(|one| word(&one.kind)).collect();
    assert_eq!(words, ["set generate/2", "generate/0.a"]);
    assert_eq!(
        kinds("x = \"generate\" y = { generate: 1 }"),
        ["set \"generate\"", "set {generate: 1}"]
    );
}

#[test]
fn as_32_old_syntax_has_code_per_kind() {
    let text = r#"func f(input) {
  use docs < 4k
  use docs.summary < 2k as evidence
  loop until done < 6 { x = 1 }
  for x in xs < 12 { y = 1 }
  generate({
    input: "a"
    limit: 800
  }) -> { ok boolean }
}"#;
    assert_eq!(codes_of(text), ["AS7001", "AS7001", "AS7002", "AS7003", "AS7005", "AS7004"]);
}

#[test]
fn as_32_fault_in_one_function_hides_none_in_another() {
    let text = "func a() {\n  x = [1, 2\n}\nfunc b() {\n  y = )\n}\nagent C {\n  func c( {\n    z = 1 +\n  }\n  func d() { \"open }\n}\nfunc e() { f(1 2) }\n";
    let parsed = parse_text(text);
    let lines: Vec<u32> = {
        let source = SourceFile::new("t.as", text);
        parsed.diagnostics.iter().map(|fault| source.position(fault.span.start).line).collect()
    };
    // The brace of `d` is in its text: its line gives that away.
    assert_eq!(lines, [2, 5, 8, 10, 11, 11, 13]);
    assert_eq!(functions(&parsed).len(), 3);
}

#[test]
fn as_31_repl_takes_items_and_statements() {
    let input = parse_repl(
        "x = 1\nfunc f(a) { a }\nf(x) use x as y\nimport tool T from \"sh://find\"",
        &Limits::default(),
    );
    assert_eq!(input.diagnostics, vec![]);
    assert_eq!((input.items.len(), input.statements.len(), input.incomplete), (2, 3, false));
    for open in ["if x {", "f(1,", "x = [", "x = \"\"\"a", "func f(", "generate({ input: \"}\""] {
        assert!(parse_repl(open, &Limits::default()).incomplete, "{open}");
    }
    for closed in ["if x { }", "x = )", "}", "x = \"open", ""] {
        assert!(!parse_repl(closed, &Limits::default()).incomplete, "{closed}");
    }
}

#[test]
fn as_32_limits_are_reported() {
    let mut limits = Limits::default();
    limits.source_bytes = 10;
    let parsed = parse(&SourceFile::new("t.as", "main func(input) { }"), &limits);
    assert_eq!(parsed.diagnostics[0].code, "AS1023");
    assert!(parsed.tokens.is_empty());
}
