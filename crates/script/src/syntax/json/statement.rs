//! Statements as JSON.

use super::Writer;
use super::expression::put;
use crate::syntax::ast::{
    Accessor, AssignOp, Block, BudgetNode, Candidate, Expr, For, Statement, StatementKind, Target,
    Use, UseSource,
};
use contexture_context::{Keep, Measure};
use serde_json::{Map, Value, json};

type Node = Map<String, Value>;

impl Writer<'_> {
    pub(super) fn block(&self, block: &Block) -> Value {
        let mut node = Node::new();
        let statements = block.statements.iter().map(|one| self.statement(one)).collect();
        put(&mut node, "", "statements", Value::Array(statements));
        self.finish("Block", block.span, node)
    }

    fn statement(&self, statement: &Statement) -> Value {
        match &statement.kind {
            StatementKind::Use(used) => return self.used(used),
            StatementKind::Config(config) => return self.config(config),
            _ => {}
        }
        let mut node = Node::new();
        let kind = self.statement_parts(&statement.kind, &mut node);
        self.finish(kind, statement.span, node)
    }

    fn statement_parts(&self, statement: &StatementKind, node: &mut Node) -> &'static str {
        match statement {
            StatementKind::Assign { target, op, value } => self.assign(node, target, *op, value),
            StatementKind::Return(value) => {
                put(node, "Return", "value", self.maybe(value.as_ref()))
            }
            StatementKind::If { arms, otherwise } => self.if_else(node, arms, otherwise.as_ref()),
            StatementKind::Loop { until, max, body } => {
                put(node, "", "until", self.expr(until));
                put(node, "", "max", self.maybe(max.as_ref()));
                put(node, "Loop", "body", self.block(body))
            }
            StatementKind::Repeat { count, body } => {
                put(node, "", "count", self.expr(count));
                put(node, "Repeat", "body", self.block(body))
            }
            StatementKind::For(each) => self.for_parts(node, "For", each),
            StatementKind::Expr(expr) => put(node, "Expression", "value", self.expr(expr)),
            StatementKind::Use(_) | StatementKind::Config(_) | StatementKind::Error => "Error",
        }
    }

    fn maybe(&self, expr: Option<&Expr>) -> Value {
        expr.map_or(Value::Null, |expr| self.expr(expr))
    }

    fn assign(&self, node: &mut Node, target: &Target, op: AssignOp, value: &Expr) -> &'static str {
        let op = match op {
            AssignOp::Set => "=",
            AssignOp::Add => "+=",
            AssignOp::Subtract => "-=",
        };
        put(node, "", "target", self.target(target));
        put(node, "", "op", Value::from(op));
        put(node, "Assign", "value", self.expr(value))
    }

    fn if_else(
        &self,
        node: &mut Node,
        arms: &[(Expr, Block)],
        otherwise: Option<&Block>,
    ) -> &'static str {
        let arms = arms.iter().map(|arm| self.arm(arm)).collect();
        put(node, "", "arms", Value::Array(arms));
        put(node, "If", "else", otherwise.map_or(Value::Null, |block| self.block(block)))
    }

    fn arm(&self, (condition, block): &(Expr, Block)) -> Value {
        let mut arm = Node::new();
        put(&mut arm, "", "condition", self.expr(condition));
        put(&mut arm, "", "block", self.block(block));
        Value::Object(arm)
    }

    pub(super) fn for_parts(
        &self,
        node: &mut Node,
        kind: &'static str,
        each: &For,
    ) -> &'static str {
        put(node, "", "variable", self.name(&each.variable));
        put(node, "", "list", self.expr(&each.list));
        put(node, "", "max", self.maybe(each.max.as_ref()));
        put(node, kind, "body", self.block(&each.body))
    }

    fn target(&self, target: &Target) -> Value {
        let mut node = Node::new();
        put(&mut node, "", "base", self.name(&target.base));
        let path = target.path.iter().map(|step| self.step(step)).collect();
        put(&mut node, "", "path", Value::Array(path));
        self.finish("Target", target.span, node)
    }

    fn step(&self, step: &Accessor) -> Value {
        let mut node = Node::new();
        match step {
            Accessor::Field(name) => put(&mut node, "", "field", self.name(name)),
            Accessor::Index(index) => put(&mut node, "", "index", self.expr(index)),
        };
        Value::Object(node)
    }

    pub(super) fn used(&self, used: &Use) -> Value {
        let mut node = Node::new();
        let (source, one_of) = match &used.source {
            UseSource::Expr(expr) => (self.expr(expr), Value::Null),
            UseSource::OneOf(candidates) => {
                let all = candidates.iter().map(|one| self.candidate(one)).collect();
                (Value::Null, Value::Array(all))
            }
        };
        put(&mut node, "", "source", source);
        put(&mut node, "", "one_of", one_of);
        put(&mut node, "", "max", self.maybe_budget(used.max.as_ref()));
        put(&mut node, "", "keep", keep_word(used.keep.map(|(keep, _)| keep)));
        put(
            &mut node,
            "",
            "priority",
            used.priority.map_or(Value::Null, |(value, _)| value.into()),
        );
        put(
            &mut node,
            "",
            "label",
            used.label.as_ref().map_or(Value::Null, |label| self.text(label)),
        );
        self.finish("Use", used.span, node)
    }

    fn candidate(&self, candidate: &Candidate) -> Value {
        let mut node = Node::new();
        put(&mut node, "", "name", self.name(&candidate.name));
        put(&mut node, "", "source", self.maybe(candidate.source.as_ref()));
        put(&mut node, "", "max", self.maybe_budget(candidate.max.as_ref()));
        put(&mut node, "", "keep", keep_word(candidate.keep.map(|(keep, _)| keep)));
        put(&mut node, "", "selected", candidate.selected.is_some().into());
        self.finish("Candidate", candidate.span, node)
    }

    fn maybe_budget(&self, budget: Option<&BudgetNode>) -> Value {
        let Some(budget) = budget else { return Value::Null };
        let measure = match budget.measure {
            Measure::Tokens => "tokens",
            Measure::Chars => "chars",
        };
        self.node("Budget", budget.span, json!({ "limit": budget.limit, "measure": measure }))
    }
}

fn keep_word(keep: Option<Keep>) -> Value {
    match keep {
        None => Value::Null,
        Some(Keep::Head) => "head".into(),
        Some(Keep::Tail) => "tail".into(),
        Some(Keep::Middle) => "middle".into(),
    }
}
