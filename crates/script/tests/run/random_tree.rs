//! Random trees, including ones that no parser produces: all compile and end with a value or an
//! error.

use crate::random::{host, tight};
use crate::support::block_on;
use contexture_context::{Keep, Measure};
use contexture_diagnostic::{SourceFile, Span};
use contexture_script::program::{Program, ProgramFile};
use contexture_script::runtime::{Entry, compile, run};
use contexture_script::syntax::Parsed;
use contexture_script::syntax::ast::*;
use proptest::prelude::*;
use serde_json::json;

fn span() -> impl Strategy<Value = Span> {
    (0_u32..60, 0_u32..60).prop_map(|(start, end)| Span { start, end })
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a", "b", "T", "M", "F", "f", "A", "length", "add", "map", "run", "", "input", "tools",
    ])
    .prop_map(str::to_owned)
}

fn name() -> impl Strategy<Value = Name> {
    (word(), span()).prop_map(|(text, span)| Name { text, span })
}

fn text() -> impl Strategy<Value = Text> {
    (word(), span()).prop_map(|(value, span)| Text { value, span })
}

/// A limit, with the least one of a range or without.
fn numbers() -> impl Strategy<Value = (Option<u64>, u64)> {
    (prop::option::of(any::<u64>()), any::<u64>())
}

/// How many parts are shown, which other parts may stay, and what is selected.
fn freedom() -> impl Strategy<Value = (Option<BestNode>, Vec<Keep>, Option<SelectedNode>)> {
    let best = (numbers(), span()).prop_map(|((low, limit), span)| BestNode { limit, low, span });
    let keep = prop::sample::select(vec![Keep::Head, Keep::Tail, Keep::Middle]);
    let chosen = prop::option::of(any::<u64>());
    let selected = (chosen.clone(), chosen, prop::option::of(keep.clone()), span())
        .prop_map(|(best, max, keep, span)| SelectedNode { best, max, keep, span });
    let keeps = prop::collection::vec(keep, 0..3);
    (prop::option::of(best), keeps, prop::option::of(selected))
}

fn budget() -> impl Strategy<Value = Option<BudgetNode>> {
    let node = (numbers(), any::<f64>(), span(), any::<bool>()).prop_map(
        |((low, limit), amount, span, chars)| BudgetNode {
            limit,
            low,
            amount,
            measure: if chars { Measure::Chars } else { Measure::Tokens },
            span,
        },
    );
    prop::option::of(node)
}

fn bounds() -> impl Strategy<Value = Vec<BoundNode>> {
    let kind = prop_oneof![
        any::<i64>().prop_map(|number| BoundKind::Min(number.into())),
        any::<i64>().prop_map(|number| BoundKind::Max(number.into())),
        (0_u64..4, 0_u64..4).prop_map(|(least, most)| BoundKind::Length(least, most)),
        text().prop_map(BoundKind::Pattern),
    ];
    let bound = (kind, span()).prop_map(|(kind, span)| BoundNode { kind, span });
    prop::collection::vec(bound, 0..3)
}

fn shape() -> impl Strategy<Value = ShapeNode> {
    let kind = prop_oneof![
        Just(ShapeKind::String),
        Just(ShapeKind::Integer),
        Just(ShapeKind::Json),
        Just(ShapeKind::Error),
        Just(ShapeKind::List(None)),
        prop::collection::vec(text(), 0..3).prop_map(ShapeKind::Enum),
        name().prop_map(ShapeKind::Named),
    ];
    let leaf = (kind, span()).prop_map(|(kind, span)| ShapeNode { kind, bounds: Vec::new(), span });
    leaf.prop_recursive(3, 8, 3, |inner| {
        let field = (name(), any::<bool>(), prop::option::of(inner.clone()), span()).prop_map(
            |(name, optional, shape, span)| FieldNode {
                name,
                optional,
                optional_type: false,
                shape,
                description: None,
                span,
            },
        );
        let kind = prop_oneof![
            inner.prop_map(|item| ShapeKind::List(Some(Box::new(item)))),
            prop::collection::vec(field, 0..3).prop_map(ShapeKind::Object),
        ];
        (kind, bounds(), span()).prop_map(|(kind, bounds, span)| ShapeNode { kind, bounds, span })
    })
}

fn unary() -> impl Strategy<Value = UnaryOp> {
    prop::sample::select(vec![UnaryOp::Negate, UnaryOp::Not])
}

fn binary() -> impl Strategy<Value = BinaryOp> {
    use BinaryOp::*;
    prop::sample::select(vec![
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
    ])
}

fn block_of(statement: impl Strategy<Value = Statement> + 'static) -> impl Strategy<Value = Block> {
    (prop::collection::vec(statement, 0..4), span())
        .prop_map(|(statements, span)| Block { statements, span })
}

fn simple_block(
    expr: impl Strategy<Value = Expr> + Clone + 'static,
) -> impl Strategy<Value = Block> {
    let kind = prop_oneof![
        expr.clone().prop_map(StatementKind::Expr),
        prop::option::of(expr.clone()).prop_map(StatementKind::Return),
        (name(), expr).prop_map(|(base, value)| StatementKind::Assign {
            target: Target { span: base.span, base, path: Vec::new() },
            op: AssignOp::Set,
            value,
        }),
    ];
    block_of((kind, span()).prop_map(|(kind, span)| Statement { kind, span }))
}

fn expr() -> impl Strategy<Value = Expr> + Clone {
    let kind = prop_oneof![
        Just(ExprKind::None),
        any::<bool>().prop_map(ExprKind::Bool),
        any::<i64>().prop_map(ExprKind::Int),
        (-2_i64..4).prop_map(ExprKind::Int),
        any::<f64>().prop_map(ExprKind::Float),
        word().prop_map(ExprKind::Str),
        word().prop_map(ExprKind::Name),
        Just(ExprKind::Error),
    ];
    let leaf = (kind, span()).prop_map(|(kind, span)| Expr { kind, span });
    leaf.prop_recursive(4, 20, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let generate = (
            prop::collection::vec((text(), inner.clone()), 0..3),
            prop::option::of(shape()),
            inner.clone(),
        )
            .prop_map(|(mut options, shape, input)| {
                options.push((Text { value: "input".to_owned(), span: input.span }, input));
                ExprKind::Generate(Box::new(Generate { options, shape }))
            });
        let each =
            (name(), inner.clone(), prop::option::of(inner.clone()), simple_block(inner.clone()))
                .prop_map(|(variable, list, max, body)| {
                    ExprKind::ParallelFor(Box::new(For { variable, list, max, body }))
                });
        let kind = prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(ExprKind::List),
            prop::collection::vec((text(), inner.clone()), 0..3).prop_map(ExprKind::Object),
            boxed.clone().prop_map(ExprKind::Paren),
            (unary(), boxed.clone()).prop_map(|(op, operand)| ExprKind::Unary { op, operand }),
            (binary(), span(), boxed.clone(), boxed.clone()).prop_map(
                |(op, op_span, left, right)| ExprKind::Binary { op, op_span, left, right }
            ),
            (boxed.clone(), name()).prop_map(|(base, name)| ExprKind::Field { base, name }),
            (boxed.clone(), boxed.clone())
                .prop_map(|(base, index)| ExprKind::Index { base, index }),
            (boxed, prop::collection::vec(inner.clone(), 0..3))
                .prop_map(|(callee, arguments)| ExprKind::Call { callee, arguments }),
            generate,
            each,
            (simple_block(inner.clone()), prop::option::of(name()), simple_block(inner))
                .prop_map(|(body, error, handler)| ExprKind::Try { body, error, handler }),
        ];
        (kind, span()).prop_map(|(kind, span)| Expr { kind, span })
    })
}

fn use_() -> impl Strategy<Value = Use> {
    let candidate = (name(), prop::option::of(expr()), budget(), prop::option::of(span()), span())
        .prop_map(|(name, source, max, selected, span)| Candidate {
            name,
            source,
            max,
            keep: Some((Keep::Middle, span)),
            selected,
            span,
        });
    let source = prop_oneof![
        expr().prop_map(UseSource::Expr),
        prop::collection::vec(candidate, 0..4).prop_map(UseSource::OneOf)
    ];
    let question = prop::option::of(expr());
    (source, budget(), freedom(), question, prop::option::of(text()), span()).prop_map(
        |(source, max, (best, keep_or, selected), question, label, span)| Use {
            source,
            best,
            max,
            keep: (!keep_or.is_empty()).then_some((Keep::Tail, span)),
            keep_or,
            priority: Some((-1, span)),
            question: question.map(Box::new),
            selected,
            clauses_end: span,
            label,
            span,
        },
    )
}

fn written(text: Text) -> Expr {
    Expr { kind: ExprKind::Str(text.value), span: text.span }
}

fn config() -> impl Strategy<Value = Config> {
    let kind = prop_oneof![
        name().prop_map(ConfigKind::Model),
        text().prop_map(|text| ConfigKind::Role(written(text))),
        text().prop_map(|text| ConfigKind::Description(written(text))),
        (name(), text()).prop_map(|(class, verdict)| ConfigKind::Policy { class, verdict })
    ];
    (kind, span()).prop_map(|(kind, span)| Config { kind, span })
}

fn statement() -> impl Strategy<Value = Statement> {
    let accessor = prop_oneof![name().prop_map(Accessor::Field), expr().prop_map(Accessor::Index)];
    let target = (name(), prop::collection::vec(accessor, 0..3), span())
        .prop_map(|(base, path, span)| Target { base, path, span });
    let op = prop::sample::select(vec![AssignOp::Set, AssignOp::Add, AssignOp::Subtract]);
    let kind = prop_oneof![
        (target, op, expr()).prop_map(|(target, op, value)| StatementKind::Assign {
            target,
            op,
            value
        }),
        prop::option::of(expr()).prop_map(StatementKind::Return),
        use_().prop_map(StatementKind::Use),
        config().prop_map(StatementKind::Config),
        expr().prop_map(StatementKind::Expr),
        Just(StatementKind::Error),
    ];
    let leaf = (kind, span()).prop_map(|(kind, span)| Statement { kind, span });
    leaf.prop_recursive(3, 12, 3, |inner| {
        let block = || block_of(inner.clone());
        let kind = prop_oneof![
            (prop::collection::vec((expr(), block()), 0..3), prop::option::of(block()))
                .prop_map(|(arms, otherwise)| StatementKind::If { arms, otherwise }),
            (expr(), prop::option::of(expr()), block())
                .prop_map(|(until, max, body)| StatementKind::Loop { until, max, body }),
            (expr(), block()).prop_map(|(count, body)| StatementKind::Repeat { count, body }),
            (name(), expr(), prop::option::of(expr()), block()).prop_map(
                |(variable, list, max, body)| StatementKind::For(For { variable, list, max, body })
            ),
        ];
        (kind, span()).prop_map(|(kind, span)| Statement { kind, span })
    })
}

fn func(main: bool) -> impl Strategy<Value = Func> {
    let param = (name(), prop::option::of(shape())).prop_map(|(name, shape)| Param { name, shape });
    let params = prop::collection::vec(param, 0..3);
    (prop::option::of(name()), params, prop::option::of(shape()), block_of(statement()), span())
        .prop_map(move |(name, params, result, body, span)| Func {
            main,
            name,
            params,
            result,
            doc: None,
            body,
            is_script: false,
            span,
        })
}

fn import() -> impl Strategy<Value = Import> {
    use ImportKind::*;
    let kind = prop::sample::select(vec![
        Llm,
        Tool,
        Memory,
        ImportKind::File,
        ImportKind::Agent,
        Knowledge,
        Resource,
        Template,
        ImportKind::Shape,
        ImportKind::Func,
    ]);
    (kind, name(), text(), span()).prop_map(|(kind, name, from, span)| Import {
        kind,
        name,
        from,
        or: Vec::new(),
        span,
    })
}

fn item() -> impl Strategy<Value = Item> {
    let inner = prop_oneof![
        func(false).prop_map(Item::Func),
        config().prop_map(Item::Config),
        use_().prop_map(Item::Use),
        import().prop_map(Item::Import)
    ];
    let agent =
        (any::<bool>(), prop::option::of(name()), prop::collection::vec(inner, 0..3), span())
            .prop_map(|(main, name, items, span)| {
                Item::Agent(contexture_script::syntax::ast::Agent {
                    main,
                    name,
                    result: None,
                    items,
                    doc: None,
                    span,
                })
            });
    let declaration = (name(), shape(), span())
        .prop_map(|(name, shape, span)| Item::Shape(ShapeDecl { name, shape, doc: None, span }));
    prop_oneof![
        agent,
        declaration,
        import().prop_map(Item::Import),
        func(false).prop_map(Item::Func),
        config().prop_map(Item::Config),
        use_().prop_map(Item::Use)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn as_9_random_trees_end(main in func(true), items in prop::collection::vec(item(), 0..4), links in prop::collection::vec((word(), 0_usize..3), 0..2)) {
        let mut items = items;
        items.push(Item::Func(main));
        let parsed = Parsed { file: contexture_script::syntax::ast::File { items }, ..Parsed::default() };
        let source = SourceFile::new("main.as", "0123456789\n0123456789\n012345678901234567890123456789");
        let program = Program { files: vec![ProgramFile { source, parsed, links, templates: Vec::new(), servers: Vec::new() }], faults: Vec::new(), model_schemes: Vec::new(), secrets: None };
        let program = compile(&program);
        let outcome = block_on(run(&program, &Entry::default(), json!({ "a": [1, "x"] }), &host(), &tight()));
        if let Err(error) = outcome.result {
            prop_assert!(!error.code.is_empty());
            prop_assert_ne!(error.message, "the compiled program is damaged");
        }
    }
}
