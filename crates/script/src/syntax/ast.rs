//! The tree of an AgentScript file (AS-1 to AS-9).
//!
//! Every node carries the span it was parsed from. The tree keeps what the formatter needs
//! (parentheses, order of items); literals are printed from their spans. The parser always returns
//! a tree: a part that could not be parsed is an `Error` node with a diagnostic.

use contexture_diagnostic::Span;

/// A name with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its span.
    pub span: Span,
}

/// A string literal with its place (quotes included).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The value, escapes resolved and common indent removed.
    pub value: String,
    /// Its span.
    pub span: Span,
}

/// A whole file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct File {
    /// The items at the top level, in source order.
    pub items: Vec<Item>,
}

/// An item at the top level of a file or, except for imports and agents, in an agent.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// `import KIND NAME from "…"`.
    Import(Import),
    /// `agent Name { … }`, `main agent { … }`.
    Agent(Agent),
    /// `func name(…) { … }`, `main func(…) { … }`.
    Func(Func),
    /// `shape Name { … }` (TY-1).
    Shape(ShapeDecl),
    /// `model NAME`, `role "…"`, `description "…"`, `policy CLASS "…"`.
    Config(Config),
    /// An agent-level `use`.
    Use(Use),
}

impl Item {
    /// Returns the name that it declares, if any.
    #[must_use]
    pub fn name(&self) -> Option<&Name> {
        match self {
            Self::Import(import) => Some(&import.name),
            Self::Agent(agent) => agent.name.as_ref(),
            Self::Func(func) => func.name.as_ref(),
            Self::Shape(shape) => Some(&shape.name),
            Self::Config(_) | Self::Use(_) => None,
        }
    }
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
    /// A shape of another file (TY-1).
    Shape,
    /// A function of another file (TY-1).
    Func,
}

impl ImportKind {
    /// Reports whether it names a declaration of another program.
    #[must_use]
    pub const fn is_declaration(self) -> bool {
        matches!(self, Self::Agent | Self::Shape | Self::Func)
    }
}

/// `import KIND NAME from "…"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The kind of import.
    pub kind: ImportKind,
    /// The binding.
    pub name: Name,
    /// URI or path.
    pub from: Text,
    /// Further models, in the order in which they are asked (CA-3); of `import llm` alone.
    pub or: Vec<Alternative>,
    /// The whole declaration.
    pub span: Span,
}

impl Import {
    /// Returns its sources in groups: equal models stand in one.
    #[must_use]
    pub fn groups(&self) -> Vec<Vec<&Text>> {
        let mut groups = vec![vec![&self.from]];
        for other in &self.or {
            match groups.last_mut().filter(|_| other.equal) {
                Some(group) => group.push(&other.from),
                None => groups.push(vec![&other.from]),
            }
        }
        groups
    }
}

/// A further model of an import: `or "…"`, or `, "…"` in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// Its URI.
    pub from: Text,
    /// True if it is equal to the one before it, which stands in the same brackets.
    pub equal: bool,
    /// The text of the URI.
    pub span: Span,
}

/// An agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// True if it is `main`.
    pub main: bool,
    /// Its name; optional for the main one.
    pub name: Option<Name>,
    /// The shape of its value: `agent Triage -> Issue { … }` (TY-1). It is also that of the function
    /// that it starts with.
    pub result: Option<ShapeNode>,
    /// Functions, configuration and uses, in source order.
    pub items: Vec<Item>,
    /// The `///` lines above it, joined with newlines (TY-1).
    pub doc: Option<String>,
    /// The whole declaration.
    pub span: Span,
}

/// A function.
#[derive(Debug, Clone, PartialEq)]
pub struct Func {
    /// True if it is `main`.
    pub main: bool,
    /// Its name; optional for the main one.
    pub name: Option<Name>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The shape of its value: `-> Issue`, or that of its agent (TY-1).
    pub result: Option<ShapeNode>,
    /// The `///` lines above it, joined with newlines (TY-1).
    pub doc: Option<String>,
    /// Its body.
    pub body: Block,
    /// True if the statements at the top level of the file are its body, and nothing names it or its
    /// parameter `input` (TY-7).
    pub is_script: bool,
    /// The whole declaration.
    pub span: Span,
}

/// A shape with a name (TY-1).
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeDecl {
    /// Its name.
    pub name: Name,
    /// What it stands for.
    pub shape: ShapeNode,
    /// The `///` lines above it, joined with newlines.
    pub doc: Option<String>,
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
    /// Its kind.
    pub kind: StatementKind,
    /// Its span.
    pub span: Span,
}

/// The kind of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `target = value`, `+=`, `-=`.
    Assign {
        /// The assigned variable or field.
        target: Target,
        /// The operator.
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
        /// The condition, tested before each iteration.
        until: Expr,
        /// The greatest number of iterations; absent only with a diagnostic.
        max: Option<Expr>,
        /// The body.
        body: Block,
    },
    /// `repeat * n { }`.
    Repeat {
        /// The number of iterations.
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
    /// A statement that could not be parsed.
    Error,
}

/// `for` and `parallel for`.
#[derive(Debug, Clone, PartialEq)]
pub struct For {
    /// The loop variable.
    pub variable: Name,
    /// The list, evaluated once.
    pub list: Expr,
    /// The greatest number of iterations; absent only with a diagnostic.
    pub max: Option<Expr>,
    /// The body.
    pub body: Block,
}

/// The operator of an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
}

/// The target of an assignment: a name and a path of fields below it.
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
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The setting.
    pub kind: ConfigKind,
    /// The whole setting.
    pub span: Span,
}

/// A setting of a file, agent or block.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfigKind {
    /// `model NAME`: an imported model.
    Model(Name),
    /// `role "…"`: an expression that begins with a string (TY-7).
    Role(Expr),
    /// `description "…"`, likewise.
    Description(Expr),
    /// `policy write "deny"`: what the program forbids itself (GU-6).
    Policy {
        /// The class of effects.
        class: Name,
        /// The verdict.
        verdict: Text,
    },
}

impl ConfigKind {
    /// Returns the text of a role or description.
    #[must_use]
    pub fn text(&self) -> Option<&Expr> {
        match self {
            Self::Role(text) | Self::Description(text) => Some(text),
            Self::Model(_) | Self::Policy { .. } => None,
        }
    }
}

/// `use best … of … max … keep … priority … for … selected … as …` (AS-12 to AS-17, CA-16, EV-10).
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The source.
    pub source: UseSource,
    /// `best 3 of`.
    pub best: Option<BestNode>,
    /// `max 2k`, `max 1k..6k`.
    pub max: Option<BudgetNode>,
    /// `keep tail`.
    pub keep: Option<(contexture_context::Keep, Span)>,
    /// The other parts that may stay, of `keep tail | middle`.
    pub keep_or: Vec<contexture_context::Keep>,
    /// `priority 5`.
    pub priority: Option<(i64, Span)>,
    /// `for input.question`.
    pub question: Option<Box<Expr>>,
    /// `selected 2k tail`.
    pub selected: Option<SelectedNode>,
    /// The place behind the clauses, where a label may follow.
    pub clauses_end: Span,
    /// `as retrieved evidence`.
    pub label: Option<Text>,
    /// The whole statement.
    pub span: Span,
}

/// The source of a `use`.
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
    /// Its source; `None` is `empty`.
    pub source: Option<Expr>,
    /// Its budget.
    pub max: Option<BudgetNode>,
    /// The part that stays when it does not fit.
    pub keep: Option<(contexture_context::Keep, Span)>,
    /// The span of `selected`, if present.
    pub selected: Option<Span>,
    /// The whole candidate.
    pub span: Span,
}

/// A budget as written, already checked to be a positive whole number of units.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetNode {
    /// The limit: thousands resolved; of a range the greatest.
    pub limit: u64,
    /// The least limit of a range (EV-10).
    pub low: Option<u64>,
    /// The number before the unit.
    pub amount: f64,
    /// The unit.
    pub measure: contexture_context::Measure,
    /// The span, without `max`.
    pub span: Span,
}

/// The number of parts that a question selects at most, as written (EV-10).
#[derive(Debug, Clone, PartialEq)]
pub struct BestNode {
    /// The number; of a range the greatest.
    pub limit: u64,
    /// The least number of a range.
    pub low: Option<u64>,
    /// The span, from `best` to `of`.
    pub span: Span,
}

/// What is chosen of the bounds of a `use` (EV-10).
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedNode {
    /// The number of parts.
    pub best: Option<u64>,
    /// The limit of the budget.
    pub max: Option<u64>,
    /// The part that stays.
    pub keep: Option<contexture_context::Keep>,
    /// The span, with `selected`.
    pub span: Span,
}

/// An expression with its place.
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its span.
    pub span: Span,
}

/// The kind of an expression.
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
    /// A string with values in it, `"Hello \(name)"` (TY-6): its texts and expressions in order, a
    /// text first.
    Interpolation(Vec<Expr>),
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
        /// The span of the operator.
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
        /// The function, agent or method.
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
        /// The block that is tried.
        body: Block,
        /// The name of the error in the handler.
        error: Option<Name>,
        /// The block whose value is used when `body` fails.
        handler: Block,
    },
    /// An expression that could not be parsed.
    Error,
}

/// The name under which the second bound of `max_output: 800 to 3200` stands among the options of a
/// `generate`, right after the first (CA-1).
pub const MOST_OUTPUT: &str = "max_output to";

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
    /// Its kind.
    pub kind: ShapeKind,
    /// The bounds of its values, in source order (TY-1).
    pub bounds: Vec<BoundNode>,
    /// Its span, with the bounds.
    pub span: Span,
}

/// A bound of a value (TY-1).
#[derive(Debug, Clone, PartialEq)]
pub struct BoundNode {
    /// Its kind.
    pub kind: BoundKind,
    /// Its span.
    pub span: Span,
}

/// The kind of a bound.
#[derive(Debug, Clone, PartialEq)]
pub enum BoundKind {
    /// `min 1`
    Min(serde_json::Number),
    /// `max 5`
    Max(serde_json::Number),
    /// `length 80`, `length 1 to 80`
    Length(u64, u64),
    /// `pattern "…"`
    Pattern(Text),
}

/// The kind of a shape.
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
    /// The name of a shape (TY-1).
    Named(Name),
    /// A shape that could not be parsed.
    Error,
}

/// A field of a shape.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldNode {
    /// Its name.
    pub name: Name,
    /// True if a `?` follows the name or the type.
    pub optional: bool,
    /// True if the `?` follows the type, which the formatter changes.
    pub optional_type: bool,
    /// Its type; absent for a bare name, which is a string.
    pub shape: Option<ShapeNode>,
    /// The `///` lines above it, joined with newlines.
    pub description: Option<String>,
    /// The whole field.
    pub span: Span,
}
