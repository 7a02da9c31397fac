//! Statements as JSON.

use super::Writer;
use crate::syntax::ast::{
    Accessor, AssignOp, Block, BudgetNode, Candidate, For, Statement, StatementKind, Target, Use,
    UseSource,
};
use contexture_context::{Keep, Measure};
use contexture_diagnostic::Span;
use serde_json::{Value, json};

impl Writer<'_> {
    pub(super) fn block(&self, block: &Block) -> Value {
        let statements: Vec<Value> = block.statements.iter().map(|one| self.statement(one)).collect();
        self.node("Block", block.span, json!({ "statements": statements }))
    }

    fn statement(&self, statement: &Statement) -> Value {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Assign { target, op, value } => {
                let op = match op {
                    AssignOp::Set => "=",
                    AssignOp::Add => "+=",
                    AssignOp::Subtract => "-=",
                };
                let (target, value) = (self.target(target), self.expr(value));
                self.node("Assign", span, json!({ "target": target, "op": op, "value": value }))
            }
            StatementKind::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(value));
                self.node("Return", span, json!({ "value": value }))
            }
            StatementKind::If { arms, otherwise } => {
                let arms: Vec<Value> = arms
                    .iter()
                    .map(|(condition, block)| {
                        json!({ "condition": self.expr(condition), "block": self.block(block) })
                    })
                    .collect();
                let otherwise = otherwise.as_ref().map(|block| self.block(block));
                self.node("If", span, json!({ "arms": arms, "else": otherwise }))
            }
            StatementKind::Loop { until, max, body } => {
                let max = max.as_ref().map(|max| self.expr(max));
                let (until, body) = (self.expr(until), self.block(body));
                self.node("Loop", span, json!({ "until": until, "max": max, "body": body }))
            }
            StatementKind::Repeat { count, body } => {
                let (count, body) = (self.expr(count), self.block(body));
                self.node("Repeat", span, json!({ "count": count, "body": body }))
            }
            StatementKind::For(node) => self.for_loop("For", node, span),
            StatementKind::Use(node) => self.used(node),
            StatementKind::Config(config) => self.config(config),
            StatementKind::Expr(expr) => {
                self.node("Expression", span, json!({ "value": self.expr(expr) }))
            }
            StatementKind::Error => self.node("Error", span, json!({})),
        }
    }

    pub(super) fn for_loop(&self, kind: &str, node: &For, span: Span) -> Value {
        let parts = json!({
            "variable": self.name(&node.variable),
            "list": self.expr(&node.list),
            "max": node.max.as_ref().map(|max| self.expr(max)),
            "body": self.block(&node.body),
        });
        self.node(kind, span, parts)
    }

    fn target(&self, target: &Target) -> Value {
        let path: Vec<Value> = target
            .path
            .iter()
            .map(|step| match step {
                Accessor::Field(name) => json!({ "field": self.name(name) }),
                Accessor::Index(index) => json!({ "index": self.expr(index) }),
            })
            .collect();
        let parts = json!({ "base": self.name(&target.base), "path": path });
        self.node("Target", target.span, parts)
    }

    pub(super) fn used(&self, node: &Use) -> Value {
        let (expr, candidates) = match &node.source {
            UseSource::Expr(expr) => (Some(self.expr(expr)), None),
            UseSource::OneOf(candidates) => {
                let all: Vec<Value> = candidates.iter().map(|one| self.candidate(one)).collect();
                (None, Some(all))
            }
        };
        let parts = json!({
            "source": expr,
            "one_of": candidates,
            "max": node.max.as_ref().map(|budget| self.budget(budget)),
            "keep": node.keep.map(|(keep, _)| keep_word(keep)),
            "priority": node.priority.map(|(value, _)| value),
            "label": node.label.as_ref().map(|label| self.text(label)),
        });
        self.node("Use", node.span, parts)
    }

    fn candidate(&self, node: &Candidate) -> Value {
        let parts = json!({
            "name": self.name(&node.name),
            "source": node.source.as_ref().map(|source| self.expr(source)),
            "max": node.max.as_ref().map(|budget| self.budget(budget)),
            "keep": node.keep.map(|(keep, _)| keep_word(keep)),
            "selected": node.selected.is_some(),
        });
        self.node("Candidate", node.span, parts)
    }

    fn budget(&self, node: &BudgetNode) -> Value {
        let measure = match node.measure {
            Measure::Tokens => "tokens",
            Measure::Chars => "chars",
        };
        self.node("Budget", node.span, json!({ "limit": node.limit, "measure": measure }))
    }
}

const fn keep_word(keep: Keep) -> &'static str {
    match keep {
        Keep::Head => "head",
        Keep::Tail => "tail",
        Keep::Middle => "middle",
    }
}
