//! Moves a tree that was parsed to another place of the text.
//!
//! The patterns name every field, so that a new one does not compile until it is listed here.

use super::ast::{
    Accessor, Agent, Alternative, BestNode, Block, BoundKind, BoundNode, BudgetNode, Candidate,
    Config, ConfigKind, Expr, ExprKind, FieldNode, For, Func, Generate, Import, Item, Name, Param,
    SelectedNode, ShapeDecl, ShapeKind, ShapeNode, Statement, StatementKind, Target, Text, Use,
    UseSource,
};
use super::token::Token;
use crate::stack::deeper;
use contexture_diagnostic::Span;

/// What has a place in a text.
pub(super) trait Shift {
    /// Moves it by a number of bytes.
    fn shift(&mut self, by: i64);
}

impl Shift for Span {
    fn shift(&mut self, by: i64) {
        let moved = |at: u32| u32::try_from(i64::from(at).saturating_add(by)).unwrap_or(u32::MAX);
        *self = Self::new(moved(self.start), moved(self.end));
    }
}

impl<T: Shift> Shift for Vec<T> {
    fn shift(&mut self, by: i64) {
        self.iter_mut().for_each(|part| part.shift(by));
    }
}

impl<T: Shift> Shift for Option<T> {
    fn shift(&mut self, by: i64) {
        if let Some(part) = self {
            part.shift(by);
        }
    }
}

impl<T: Shift> Shift for Box<T> {
    fn shift(&mut self, by: i64) {
        (**self).shift(by);
    }
}

impl<A: Shift, B: Shift> Shift for (A, B) {
    fn shift(&mut self, by: i64) {
        self.0.shift(by);
        self.1.shift(by);
    }
}

/// What has no place.
macro_rules! placeless {
    ($($kind:ty),*) => { $(impl Shift for $kind { fn shift(&mut self, _: i64) {} })* };
}

placeless!(contexture_context::Keep, i64);

macro_rules! shift {
    ($kind:ident { $($part:ident),* } $(without { $($other:ident),* })?) => {
        impl Shift for $kind {
            fn shift(&mut self, by: i64) {
                let Self { $($part,)* $($($other: _,)*)? } = self;
                $($part.shift(by);)*
            }
        }
    };
}

shift!(Token { span } without { kind, starts_line, flawed });
shift!(Name { span } without { text });
shift!(Text { span } without { value });
shift!(Import { name, from, or, span } without { kind });
shift!(Alternative { from, span } without { equal });
shift!(Agent { name, result, items, span } without { main, doc });
shift!(Func { name, params, result, body, span } without { main, doc, is_script });
shift!(ShapeDecl { name, shape, span } without { doc });
shift!(Param { name, shape });
shift!(Statement { kind, span });
shift!(For { variable, list, max, body });
shift!(Target { base, path, span });
shift!(Config { kind, span });
shift!(Use { source, best, max, keep, priority, question, selected, clauses_end, label, span } without { keep_or });
shift!(BestNode { span } without { limit, low });
shift!(SelectedNode { span } without { best, max, keep });
shift!(Candidate { name, source, max, keep, selected, span });
shift!(BudgetNode { span } without { limit, low, amount, measure });
shift!(Generate { options, shape });
shift!(ShapeNode { kind, bounds, span });
shift!(BoundNode { kind, span });
shift!(FieldNode { name, shape, span } without { optional, optional_type, description });

impl Shift for Block {
    fn shift(&mut self, by: i64) {
        self.span.shift(by);
        deeper(|| self.statements.shift(by));
    }
}

impl Shift for Expr {
    fn shift(&mut self, by: i64) {
        self.span.shift(by);
        self.kind.shift(by);
    }
}

impl Shift for Item {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Import(import) => import.shift(by),
            Self::Agent(agent) => agent.shift(by),
            Self::Func(func) => func.shift(by),
            Self::Shape(shape) => shape.shift(by),
            Self::Config(config) => config.shift(by),
            Self::Use(used) => used.shift(by),
        }
    }
}

impl Shift for StatementKind {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Assign { target, op: _, value } => {
                target.shift(by);
                value.shift(by);
            }
            Self::Return(value) => value.shift(by),
            Self::If { arms, otherwise } => {
                arms.shift(by);
                otherwise.shift(by);
            }
            Self::Loop { until, max, body } => {
                until.shift(by);
                max.shift(by);
                body.shift(by);
            }
            Self::Repeat { count, body } => {
                count.shift(by);
                body.shift(by);
            }
            Self::For(each) => each.shift(by),
            Self::Use(used) => used.shift(by),
            Self::Config(config) => config.shift(by),
            Self::Expr(expr) => expr.shift(by),
            Self::Error => {}
        }
    }
}

impl Shift for ExprKind {
    fn shift(&mut self, by: i64) {
        match self {
            Self::None | Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Str(_) => {}
            Self::Name(_) | Self::Error => {}
            Self::Interpolation(parts) | Self::List(parts) => deeper(|| parts.shift(by)),
            Self::Object(fields) => deeper(|| fields.shift(by)),
            Self::Paren(inner) => deeper(|| inner.shift(by)),
            Self::Unary { op: _, operand } => deeper(|| operand.shift(by)),
            Self::Binary { op: _, op_span, left, right } => deeper(|| {
                op_span.shift(by);
                left.shift(by);
                right.shift(by);
            }),
            Self::Field { base, name } => deeper(|| {
                base.shift(by);
                name.shift(by);
            }),
            Self::Index { base, index } => deeper(|| {
                base.shift(by);
                index.shift(by);
            }),
            Self::Call { callee, arguments } => deeper(|| {
                callee.shift(by);
                arguments.shift(by);
            }),
            Self::Generate(generate) => deeper(|| generate.shift(by)),
            Self::ParallelFor(each) => deeper(|| each.shift(by)),
            Self::Try { body, error, handler } => {
                body.shift(by);
                error.shift(by);
                handler.shift(by);
            }
        }
    }
}

impl Shift for Accessor {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Field(name) => name.shift(by),
            Self::Index(index) => index.shift(by),
        }
    }
}

impl Shift for ConfigKind {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Model(name) => name.shift(by),
            Self::Role(text) | Self::Description(text) => text.shift(by),
            Self::Policy { class, verdict } => {
                class.shift(by);
                verdict.shift(by);
            }
        }
    }
}

impl Shift for UseSource {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Expr(expr) => expr.shift(by),
            Self::OneOf(candidates) => candidates.shift(by),
        }
    }
}

impl Shift for ShapeKind {
    fn shift(&mut self, by: i64) {
        match self {
            Self::String | Self::Number | Self::Integer | Self::Boolean | Self::Json => {}
            Self::Error => {}
            Self::List(item) => deeper(|| item.shift(by)),
            Self::Object(fields) => deeper(|| fields.shift(by)),
            Self::Enum(words) => words.shift(by),
            Self::Named(name) => name.shift(by),
        }
    }
}

impl Shift for BoundKind {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Min(_) | Self::Max(_) | Self::Length(..) => {}
            Self::Pattern(text) => text.shift(by),
        }
    }
}
