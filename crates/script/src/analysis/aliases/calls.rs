//! Calls: the parts of their arguments that they write, and their results.

use super::super::declarations::Global;
use super::super::statements::root;
use super::How;
use super::held::{Held, Root, Step};
use super::walk::Walker;
use crate::library;
use crate::syntax::ast::{Expr, ExprKind, ImportKind, Name};
use crate::syntax::walk::strip;
use contexture_diagnostic::Span;

impl<'p> Walker<'p, '_> {
    pub(super) fn call(
        &mut self,
        call: &'p Expr,
        callee: &'p Expr,
        arguments: &'p [Expr],
    ) -> Held<'p> {
        match (&strip(callee).kind, self.global(callee)) {
            (_, Some(Global::Function(number))) => {
                let held: Vec<Held<'p>> = arguments.iter().map(|each| self.eval(each)).collect();
                let value = self.apply(number, &held, call.span);
                self.escape_arguments(number, arguments);
                value
            }
            (ExprKind::Field { base, name }, _) => match self.global(base) {
                Some(Global::Import(import)) if import.kind == ImportKind::File => {
                    self.method(call, callee, (base, name), arguments)
                }
                // Tools take their arguments as JSON, agents take a copy (AS-28).
                Some(_) => self.ignore(arguments),
                None => self.method(call, callee, (base, name), arguments),
            },
            _ => self.ignore(arguments),
        }
    }

    fn ignore(&mut self, arguments: &'p [Expr]) -> Held<'p> {
        arguments.iter().for_each(|argument| drop(self.eval(argument)));
        Held::fresh()
    }

    fn apply(&mut self, number: usize, arguments: &[Held<'p>], span: Span) -> Held<'p> {
        self.summary.callees.insert(number);
        let Some(summary) = self.summaries.get(number) else { return Held::fresh() };
        for write in &summary.writes {
            let Some(argument) = arguments.get(write.parameter) else { continue };
            let how = How::Call(number, write.parameter, write.steps.clone());
            self.write(&argument.below(&write.steps), span, None, how);
        }
        let Some(returns) = &summary.returns else { return Held::fresh() };
        returns.resolve(&|root| match root {
            Root::Parameter(number, steps) => {
                arguments.get(*number).map_or_else(Held::fresh, |held| held.below(steps))
            }
            Root::Outside(_) => Held::fresh(),
        })
    }

    /// Marks arguments as escaped: after the call, parts that the function writes or returns may
    /// hold others.
    fn escape_arguments(&mut self, number: usize, arguments: &'p [Expr]) {
        let Some(summary) = self.summaries.get(number) else { return };
        for (parameter, argument) in arguments.iter().enumerate() {
            let written = summary.writes.iter().any(|write| write.parameter == parameter);
            let returned = |held: &Held<'p>| held.mentions(parameter);
            if written || summary.returns.as_ref().is_some_and(returned) {
                self.escape(argument);
            }
        }
    }

    fn method(
        &mut self,
        call: &'p Expr,
        callee: &'p Expr,
        (base, name): (&'p Expr, &'p Name),
        arguments: &'p [Expr],
    ) -> Held<'p> {
        let held = self.eval(base);
        let name = name.text.as_str();
        if let Some(Global::Function(number)) = arguments.first().and_then(|each| self.global(each))
            && library::takes_function(name)
        {
            let item = held.part(Step::Each);
            let given = match name {
                // What a later call gets first is what an earlier one gave.
                "reduce" => self.apply(number, &[Held::fresh(), item.clone()], call.span),
                _ => self.apply(number, std::slice::from_ref(&item), call.span),
            };
            self.ignore(arguments.get(1..).unwrap_or_default());
            return match name {
                "map" => Held::list_of(given),
                "filter" | "sort" => Held::list_of(item),
                "find" => held.part(Step::Some),
                _ => Held::fresh(),
            };
        }
        match (name, arguments) {
            ("add", [item]) => {
                let item = self.value(item);
                self.write(&held, call.span, root(base), How::Here(callee.span));
                self.added(base, item);
                Held::fresh()
            }
            ("get", [key, rest @ ..]) => {
                let key = match &strip(key).kind {
                    ExprKind::Str(key) => Step::Field(key),
                    _ => Step::Some,
                };
                self.ignore(arguments);
                let default = rest.first().map(|default| &strip(default).kind);
                // The object decides which of the two it is.
                let sure = matches!(default, None | Some(ExprKind::None));
                if sure { held.part(key) } else { Held::fresh() }
            }
            ("first", []) => held.part(Step::Index(0)),
            ("last", []) => held.part(Step::Some),
            ("sort" | "values" | "reverse" | "unique", []) => Held::list_of(held.part(Step::Each)),
            ("slice" | "sort", _) => {
                self.ignore(arguments);
                Held::list_of(held.part(Step::Each))
            }
            _ => self.ignore(arguments),
        }
    }

    /// Notes a new item of a list held by a variable.
    fn added(&mut self, base: &'p Expr, item: Held<'p>) {
        let mut steps = vec![Step::Some];
        let mut at = base;
        let name = loop {
            at = match &at.kind {
                ExprKind::Name(name) => break name,
                ExprKind::Paren(inner) => inner,
                ExprKind::Field { base, name } => {
                    steps.push(Step::Field(&name.text));
                    base
                }
                ExprKind::Index { base, index } => {
                    steps.push(match &strip(index).kind {
                        ExprKind::Int(at) => Step::Index(*at),
                        ExprKind::Str(key) => Step::Field(key),
                        _ => Step::Some,
                    });
                    base
                }
                _ => return,
            };
        };
        steps.reverse();
        self.scopes.update(name, |held| held.put_below(&steps, item));
    }
}
