//! The tree of an AgentScript file (AS-1 to AS-9).
//!
//! Every node carries the span it was read from. The tree keeps what the formatter needs
//! (parentheses, order of items); literals are written back from their spans. The parser always
//! returns a tree: what it could not read stands as an `Error` node, with a diagnostic.

mod deep;

use contexture_diagnostic::Span;

/// A name with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A string literal with its place (quotes included).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The value, escapes resolved and common indent removed.
    pub value: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct File {
    /// What stands at the top, in source order.
    pub items: Vec<Item>,
}

/// What may stand at the top of a file or, but for imports and agents, in an agent.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// `import KIND NAME from "…"`.
    Import(Import),
    /// `agent Name { … }`, `main agent { … }`.
    Agent(Agent),
    /// `func name(…) { … }`, `main func(…) { … }`.
    Func(Func),
    /// `model NAME`, `role "…"`, `description "…"`.
    Config(Config),
    /// An agent-level `use`.
    Use(Use),
}

/// The kinds of import (AS-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportKind {
    /// A model.
    Llm,
    /// A tool.
    Tool,
    /// A memory.
    Memory,
    /// A file.
    File,
    /// An agent of another file.
    Agent,
    /// A knowledge pack.
    Knowledge,
    /// A resource reference.
    Resource,
    /// A prompt template.
    Template,
}

/// `import KIND NAME from "…"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// What is imported.
    pub kind: ImportKind,
    /// The binding.
    pub name: Name,
    /// URI or path.
    pub from: Text,
    /// The whole declaration.
    pub span: Span,
}

/// An agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// Whether it is `main`.
    pub main: bool,
    /// Its name; optional for the main one.
    pub name: Option<Name>,
    /// Functions, configuration and uses, in source order.
    pub items: Vec<Item>,
    /// The whole declaration.
    pub span: Span,
}

/// A function.
#[derive(Debug, Clone, PartialEq)]
pub struct Func {
    /// Whether it is `main`.
    pub main: bool,
    /// Its name; optional for the main one.
    pub name: Option<Name>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its body.
    pub body: Block,
    /// The whole declaration.
    pub span: Span,
}

/// A parameter, with the shape its argument must have.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// The name.
    pub name: Name,
    /// `input { question string }` or `n integer`.
    pub shape: Option<ShapeNode>,
}

/// `{ … }`.
#[derive(Default)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
    /// With the braces.
    pub span: Span,
}

/// A statement with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `target = value`, `+=`, `-=`.
    Assign {
        /// What is assigned.
        target: Target,
        /// How.
        op: AssignOp,
        /// The value.
        value: Expr,
    },
    /// `return` with a value on the same line, or without.
    Return(Option<Expr>),
    /// `if c { } else if d { } else { }`.
    If {
        /// Conditions with their blocks, in order.
        arms: Vec<(Expr, Block)>,
        /// The last `else`.
        otherwise: Option<Block>,
    },
    /// `loop until c max n { }`.
    Loop {
        /// Tested before each turn.
        until: Expr,
        /// At most so many turns; absent only with a diagnostic.
        max: Option<Expr>,
        /// The body.
        body: Block,
    },
    /// `repeat * n { }`.
    Repeat {
        /// How often.
        count: Expr,
        /// The body.
        body: Block,
    },
    /// `for x in list max n { }`.
    For(For),
    /// `use …`.
    Use(Use),
    /// `model NAME`, `role "…"`, `description "…"`.
    Config(Config),
    /// An expression; the last top-level one of a function is its value.
    Expr(Expr),
    /// What could not be read.
    Error,
}

/// `for` and `parallel for`.
#[derive(Debug, Clone, PartialEq)]
pub struct For {
    /// The loop variable.
    pub variable: Name,
    /// Evaluated once.
    pub list: Expr,
    /// At most so many turns; absent only with a diagnostic.
    pub max: Option<Expr>,
    /// The body.
    pub body: Block,
}

/// How an assignment changes its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
}

/// What can be assigned: a name and a path of fields below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// The variable.
    pub base: Name,
    /// `.a.b`, `["k"]`.
    pub path: Vec<Accessor>,
    /// The whole target.
    pub span: Span,
}

/// A step into an object.
#[derive(Debug, Clone, PartialEq)]
pub enum Accessor {
    /// `.name`
    Field(Name),
    /// `[expr]`
    Index(Expr),
}

/// Scoped configuration (AS-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// What is set.
    pub kind: ConfigKind,
    /// The whole setting.
    pub span: Span,
}

/// What a configuration sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigKind {
    /// `model NAME`: an imported model.
    Model(Name),
    /// `role "…"`.
    Role(Text),
    /// `description "…"`.
    Description(Text),
}

/// `use … max … keep … priority … as …` (AS-12 to AS-17).
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// What is shown.
    pub source: UseSource,
    /// `max 2k`.
    pub max: Option<BudgetNode>,
    /// `keep tail`.
    pub keep: Option<(contexture_context::Keep, Span)>,
    /// `priority 5`.
    pub priority: Option<(i64, Span)>,
    /// `as retrieved evidence`.
    pub label: Option<Text>,
    /// The whole statement.
    pub span: Span,
}

/// What a `use` shows.
#[derive(Debug, Clone, PartialEq)]
pub enum UseSource {
    /// One expression.
    Expr(Expr),
    /// `one of { … }` (AS-17).
    OneOf(Vec<Candidate>),
}

/// A candidate of `use one of`.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its name.
    pub name: Name,
    /// What it shows; `None` is `empty`.
    pub source: Option<Expr>,
    /// Its budget.
    pub max: Option<BudgetNode>,
    /// What stays when it does not fit.
    pub keep: Option<(contexture_context::Keep, Span)>,
    /// Where `selected` stands, if it does.
    pub selected: Option<Span>,
    /// The whole candidate.
    pub span: Span,
}

/// A budget as written, already checked to be a positive whole number of units.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetNode {
    /// The limit: thousands resolved.
    pub limit: u64,
    /// The number before the unit.
    pub amount: f64,
    /// What it counts.
    pub measure: contexture_context::Measure,
    /// Where it stands, without `max`.
    pub span: Span,
}

/// An expression with its place.
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `none`
    None,
    /// `true`, `false`
    Bool(bool),
    /// `42`, `2k`
    Int(i64),
    /// `2.5`
    Float(f64),
    /// `"text"`
    Str(String),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{ key: value }`
    Object(Vec<(Text, Expr)>),
    /// A variable, function, agent or import.
    Name(String),
    /// `(e)`
    Paren(Box<Expr>),
    /// `-e`, `not e`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `a + b`
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Where the operator stands.
        op_span: Span,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `base.name`
    Field {
        /// The object.
        base: Box<Expr>,
        /// The field.
        name: Name,
    },
    /// `base[index]`
    Index {
        /// The list or object.
        base: Box<Expr>,
        /// Index or key.
        index: Box<Expr>,
    },
    /// `callee(arguments)`: a function, an agent, `Agent.func`, `Tool.method`, or a value's method.
    Call {
        /// What is called.
        callee: Box<Expr>,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `generate({ … }) -> { … }`
    Generate(Box<Generate>),
    /// `parallel for x in list max n { … }`
    ParallelFor(Box<For>),
    /// `try { … } else err { … }`
    Try {
        /// Tried.
        body: Block,
        /// What the failure is called in the handler.
        error: Option<Name>,
        /// Its value when `body` fails.
        handler: Block,
    },
    /// What could not be read.
    Error,
}

/// `generate({ … }) -> { … }` (AS-19).
#[derive(Debug, Clone, PartialEq)]
pub struct Generate {
    /// The options, in source order.
    pub options: Vec<(Text, Expr)>,
    /// The shape of the answer.
    pub shape: Option<ShapeNode>,
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `not`
    Not,
}

/// Infix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `or`
    Or,
    /// `and`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

/// A shape with its place (AS-5).
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeNode {
    /// What it is.
    pub kind: ShapeKind,
    /// Where it stands.
    pub span: Span,
}

/// What a shape is.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeKind {
    /// `string`
    String,
    /// `number`
    Number,
    /// `integer`
    Integer,
    /// `boolean`
    Boolean,
    /// `json`
    Json,
    /// `list`, `list[T]`
    List(Option<Box<ShapeNode>>),
    /// `{ … }`
    Object(Vec<FieldNode>),
    /// `"a" | "b"`
    Enum(Vec<Text>),
    /// What could not be read.
    Error,
}

/// A field of a shape.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldNode {
    /// Its name.
    pub name: Name,
    /// Whether `?` stands after the name.
    pub optional: bool,
    /// Its type; absent for a bare name, which is a string.
    pub shape: Option<ShapeNode>,
    /// The `///` lines above it, joined with newlines.
    pub description: Option<String>,
    /// The whole field.
    pub span: Span,
}
