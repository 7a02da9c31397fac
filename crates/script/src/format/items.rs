//! Items: imports, agents, functions, configuration; and shapes.

use super::build::{Builder, Op};
use crate::syntax::ast::{
    Agent, BoundNode, Config, ConfigKind, ExprKind, File, Func, Import, Item, Param, ShapeKind,
    ShapeNode,
};
use crate::syntax::token::TokenKind;

impl Builder<'_> {
    pub(super) fn file(&mut self, file: &File) {
        self.items(&file.items);
    }

    fn items(&mut self, items: &[Item]) {
        let stands_alone =
            |item: &Item| matches!(item, Item::Agent(_) | Item::Func(_) | Item::Shape(_));
        let mut before: Option<&Item> = None;
        for item in items {
            let apart = |before| stands_alone(item) || stands_alone(before);
            let blank = before.is_some_and(|before| apart(before) || self.blank_before());
            self.push(Op::Line { blank });
            self.item(item);
            before = Some(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Import(import) => self.import(import),
            Item::Agent(agent) => self.agent(agent),
            Item::Func(func) if func.is_script => self.statements(&func.body),
            Item::Func(func) => self.func(func),
            Item::Shape(decl) => {
                self.token();
                self.spaced();
                self.space();
                self.shape(&decl.shape);
            }
            Item::Config(config) => self.config(config),
            Item::Use(used) => self.used(used),
        }
    }

    fn import(&mut self, import: &Import) {
        self.token();
        for _ in 0..3 {
            self.spaced();
        }
        self.space();
        self.begin(false);
        for (number, group) in import.groups().iter().enumerate() {
            if number > 0 {
                self.push(Op::Indent);
                self.push(Op::Soft { blank: false });
                self.token();
                self.space();
            }
            if self.at(TokenKind::OpenBracket) {
                self.bracketed(false, group, |builder, _| builder.token());
            } else {
                self.token();
            }
            if number > 0 {
                self.push(Op::Dedent);
            }
        }
        self.end();
    }

    pub(super) fn config(&mut self, config: &Config) {
        self.token();
        if let Some(text) = config.kind.text().filter(|text| text.kind != ExprKind::Error) {
            self.space();
            return self.expr(text);
        }
        self.spaced();
        if matches!(config.kind, ConfigKind::Policy { .. }) {
            self.spaced();
        }
    }

    fn agent(&mut self, agent: &Agent) {
        self.token();
        if agent.main {
            self.spaced();
        }
        if agent.name.is_some() {
            self.spaced();
        }
        self.result(agent.result.as_ref());
        self.space();
        if self.empty_group() {
            return;
        }
        self.token();
        self.push(Op::Indent);
        self.items(&agent.items);
        self.dedent();
        self.push(Op::Line { blank: false });
        self.token();
    }

    fn func(&mut self, func: &Func) {
        self.token();
        if func.main {
            self.spaced();
        }
        if func.name.is_some() {
            self.spaced();
        }
        match func.params.as_slice() {
            // The shape of a single parameter is broken, not the list around it.
            [only] => {
                self.token();
                self.param(only);
                self.skip_comma();
                self.token();
            }
            params => self.bracketed(false, params, Self::param),
        }
        // That of its agent stands there.
        self.result(func.result.as_ref().filter(|result| result.span.start >= func.span.start));
        self.space();
        self.value_block(&func.body);
    }

    fn result(&mut self, result: Option<&ShapeNode>) {
        if let Some(result) = result {
            self.spaced();
            self.space();
            self.shape(result);
        }
    }

    fn param(&mut self, param: &Param) {
        self.token();
        if let Some(shape) = &param.shape {
            if self.at(TokenKind::Colon) {
                self.token();
            }
            self.space();
            self.shape(shape);
        }
    }

    pub(super) fn shape(&mut self, shape: &ShapeNode) {
        match &shape.kind {
            ShapeKind::Object(fields) => self.by_lines(fields, |builder, field| {
                builder.token();
                if field.optional_type {
                    builder.push(Op::Optional);
                    builder.skip_colon();
                } else if field.optional {
                    builder.token();
                }
                if builder.at(TokenKind::Colon) {
                    builder.token();
                }
                if let Some(shape) = &field.shape {
                    builder.space();
                    builder.shape(shape);
                }
                if field.optional_type {
                    builder.skip();
                }
            }),
            ShapeKind::List(Some(item)) => {
                self.token();
                self.token();
                self.shape(item);
                self.token();
            }
            ShapeKind::Enum(values) => self.enumeration(values.len()),
            ShapeKind::String
            | ShapeKind::Number
            | ShapeKind::Integer
            | ShapeKind::Boolean
            | ShapeKind::Json
            | ShapeKind::List(None)
            | ShapeKind::Named(_)
            | ShapeKind::Error => self.token(),
        }
        for bound in &shape.bounds {
            self.bound(bound);
        }
    }

    fn bound(&mut self, bound: &BoundNode) {
        self.spaced();
        self.space();
        while self.next_start() < bound.span.end {
            let is_sign = self.at(TokenKind::Minus);
            self.token();
            if !is_sign && self.next_start() < bound.span.end {
                self.space();
            }
        }
    }

    fn enumeration(&mut self, count: usize) {
        self.begin(false);
        self.token();
        self.push(Op::Indent);
        for _ in 1..count {
            self.push(Op::Soft { blank: false });
            self.token();
            self.spaced();
        }
        self.push(Op::Dedent);
        self.end();
    }
}
