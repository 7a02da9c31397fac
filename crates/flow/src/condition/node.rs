use super::function::Function;
use super::path::Path;
use regex::Regex;
use serde_json::Value;

#[derive(Debug, Clone)]
pub(crate) enum Node {
    Literal(Value),
    Path(Path),
    Compare(Box<Comparison>),
    Not(Box<Self>),
    All(Box<[Self]>),
    Any(Box<[Self]>),
    Call(Box<Call>),
}

#[derive(Debug, Clone)]
pub(crate) struct Comparison {
    pub(crate) operator: Operator,
    pub(crate) left: Node,
    pub(crate) right: Node,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) function: Function,
    pub(crate) arguments: Box<[Node]>,
    /// The compiled pattern of `matches`, if it is a literal.
    pub(crate) pattern: Option<Regex>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operator {
    /// All operators, the longer ones first, so that `<=` is not taken for `<`.
    pub(crate) const ALL: [Self; 6] = [
        Self::Equal,
        Self::NotEqual,
        Self::LessOrEqual,
        Self::GreaterOrEqual,
        Self::Less,
        Self::Greater,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

impl Node {
    /// Visits every part, from the front.
    pub(crate) fn visit<'n>(&'n self, see: &mut impl FnMut(&'n Self)) {
        see(self);
        match self {
            Self::Literal(_) | Self::Path(_) => {}
            Self::Compare(comparison) => {
                comparison.left.visit(see);
                comparison.right.visit(see);
            }
            Self::Not(inner) => inner.visit(see),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.visit(see)),
            Self::Call(call) => call.arguments.iter().for_each(|part| part.visit(see)),
        }
    }
}
