//! Expressions: names and their fields.

use super::Checker;
use super::declarations::Global;
use super::scope::Assigned;
use crate::capability::noun;
use crate::codes;
use crate::stack::deeper;
use crate::syntax::ast::{Expr, ExprKind, ImportKind, UnaryOp};
use crate::syntax::walk::strip;
use contexture_diagnostic::{Span, suggestion};

impl<'p> Checker<'p, '_> {
    pub(super) fn expr(&mut self, expr: &'p Expr) {
        deeper(|| self.expr_kind(expr));
    }

    fn expr_kind(&mut self, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Error => {}
            ExprKind::List(items) | ExprKind::Interpolation(items) => {
                items.iter().for_each(|item| self.expr(item));
            }
            ExprKind::Object(fields) => fields.iter().for_each(|(_, value)| self.expr(value)),
            ExprKind::Name(name) => self.name_as_value(name, expr.span),
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Field { base, name } => self.field(base, &name.text, expr.span),
            ExprKind::Index { base, index } => {
                self.expr(base);
                self.index(index);
            }
            ExprKind::Call { callee, arguments } => self.call(expr, callee, arguments),
            ExprKind::Generate(generate) => self.generate(expr, generate),
            ExprKind::ParallelFor(each) => self.parallel_for(each),
            ExprKind::Try { body, error, handler } => {
                self.block(body);
                self.scopes.enter();
                if let Some(error) = error {
                    self.scopes.define(&error.text, error.span);
                }
                self.block_body(handler);
                self.leave();
            }
        }
    }

    pub(super) fn index(&mut self, index: &'p Expr) {
        let wrong = match &strip(index).kind {
            ExprKind::Unary { op: UnaryOp::Negate, operand } => {
                matches!(strip(operand).kind, ExprKind::Int(_) | ExprKind::Float(_))
            }
            ExprKind::Int(value) => *value < 0,
            ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::None
            | ExprKind::List(_)
            | ExprKind::Object(_) => true,
            _ => false,
        };
        if wrong {
            let message = "an index must be a whole number from 0 or the key of an object";
            let help = "the last item of a list is `list.last()`";
            self.push(codes::BAD_INDEX.at(index.span, message).with_help(help));
        }
        self.expr(index);
    }

    fn name_as_value(&mut self, name: &'p str, span: Span) {
        if self.scopes.is_variable(name) {
            return;
        }
        match self.global(name) {
            None => self.unknown_name(name, span),
            Some(Global::Import(import)) => match import.kind {
                ImportKind::Llm
                | ImportKind::Tool
                | ImportKind::Memory
                | ImportKind::Template
                | ImportKind::Knowledge
                | ImportKind::Resource => {
                    let what = noun(import.kind);
                    let help = match import.kind {
                        ImportKind::Llm => format!("set it with `model {name}`"),
                        ImportKind::Template => format!("render it: `{name}({{ … }})`"),
                        ImportKind::Resource => shown(name),
                        ImportKind::Knowledge => asked(name),
                        _ => format!("call one of its methods, as in `{name}.method({{ … }})`"),
                    };
                    self.not_a_value(name, what, help, span);
                }
                _ => {}
            },
            Some(Global::Shape) => {
                let help = format!("write it where a type is expected: `-> {name}`");
                self.not_a_value(name, "a shape", help, span);
            }
            Some(Global::Agent(_)) => {
                self.not_a_value(name, "an agent", format!("call it: `{name}(input)`"), span);
            }
            Some(Global::Function(_)) => {
                let help = format!(
                    "call it: `{name}(…)`; only methods of lists such as `map` take a function by name"
                );
                self.not_a_value(name, "a function", help, span);
            }
        }
    }

    fn not_a_value(&mut self, name: &str, what: &str, help: String, span: Span) {
        let message = format!("`{name}` is {what}, not a value");
        self.push(codes::NOT_A_VALUE.at(span, message).with_help(help));
    }

    pub(super) fn field(&mut self, base: &'p Expr, name: &str, span: Span) {
        let Some(own) = self.global_name(base) else { return self.expr(base) };
        match self.global(own) {
            Some(Global::Import(import))
                if matches!(import.kind, ImportKind::Tool | ImportKind::Memory) =>
            {
                let help = format!("call it: `{own}.{name}({{ … }})`");
                self.not_a_value(&format!("{own}.{name}"), "a method", help, span);
            }
            Some(Global::Import(import)) if import.kind == ImportKind::Knowledge => {
                self.field_of_pack(own, name, span);
            }
            Some(Global::Import(import)) if import.kind == ImportKind::Template => {
                let help = format!("render it: `{own}({{ … }})`");
                self.not_a_value(own, noun(import.kind), help, span);
            }
            Some(Global::Import(import)) if import.kind == ImportKind::Resource => {
                self.not_a_value(own, noun(import.kind), shown(own), span);
            }
            Some(Global::Agent(_)) => {
                let help = format!("call it: `{own}.{name}(…)`");
                self.not_a_value(&format!("{own}.{name}"), "a function", help, span);
            }
            _ => self.expr(base),
        }
    }

    /// Checks `Pack.name` that is not called: a method, or something that its guide describes.
    fn field_of_pack(&mut self, own: &'p str, name: &str, span: Span) {
        match name {
            "guide" => {
                let help = format!("call it: `{own}.guide()`");
                self.not_a_value(&format!("{own}.guide"), "a method", help, span);
            }
            "resolve" => {
                let help = format!("call it: `{own}.resolve({{ task: … }})`");
                self.not_a_value(&format!("{own}.resolve"), "a method", help, span);
            }
            _ => self.not_a_value(own, noun(ImportKind::Knowledge), asked(own), span),
        }
    }

    pub(super) fn global_name(&self, expr: &'p Expr) -> Option<&'p str> {
        match &strip(expr).kind {
            ExprKind::Name(name) if !self.scopes.is_variable(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn unknown_name(&mut self, name: &str, span: Span) {
        if self.is_full() {
            self.push(codes::UNKNOWN_NAME.at(span, name));
            return;
        }
        let fault = codes::UNKNOWN_NAME.at(span, format!("use of undefined name `{name}`"));
        if let Some(help) = other_language(name) {
            self.push(fault.with_help(help));
            return;
        }
        let assigned = self.scopes.assigned_elsewhere(name);
        if let Some(Assigned { name: place, statement }) =
            assigned.filter(|assigned| assigned.name != span)
        {
            let line = self.line(place);
            let help = if place.start > span.start {
                "assign it before it is read".to_owned()
            } else if span.end <= statement.end {
                "it is read while its first value is computed; assign it in an earlier statement"
                    .to_owned()
            } else {
                format!(
                    "line {line} defines it only inside its block; assign it before that block too"
                )
            };
            self.push(fault.with_label(place, "assigned here").with_help(help));
            return;
        }
        let mut names = self.scopes.names();
        names.extend(self.declarations.visible(self.file, self.agent));
        names.extend(["true", "false", "none", "generate", "return"]);
        let help = suggestion(name, names).unwrap_or_else(|| {
            "assign it before it is read, in this block or an enclosing one".to_owned()
        });
        self.push(fault.with_help(help));
    }
}

/// Explains how to show a resource to a model, for one that is used as a value.
pub(super) fn shown(name: &str) -> String {
    format!("show it to the model: `use {name} max 4k`; `import file` gives a value")
}

/// Explains how to use a pack, for one that is used as a value.
pub(super) fn asked(name: &str) -> String {
    format!(
        "show it to the model: `use {name} max 3k`; `{name}.resolve({{ task: … }})` and `{name}.guide()` give values"
    )
}

/// Explains the counterpart of a word of another language.
fn other_language(name: &str) -> Option<&'static str> {
    Some(match name {
        "null" | "nil" | "None" | "undefined" | "NULL" | "Null" => "write `none`",
        "True" | "TRUE" => "write `true`",
        "False" | "FALSE" => "write `false`",
        "this" | "self" => "a function sees its parameters and the names that it assigns",
        _ => return None,
    })
}
