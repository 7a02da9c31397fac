//! Calls: the types of their results, and arguments that are certain not to fit.

use super::flow::{FunctionTypes, MAX_NESTED, is_deep};
use super::{Kind, Type};
use crate::analysis::declarations::Global;
use crate::analysis::tools::{capability_of, is_literal};
use crate::capability::{self, Kind as ParameterKind, TRUST};
use crate::codes;
use crate::library::{self, Entry, Receiver, Type as LibraryType};
use crate::server::{FieldType, ServerImport};
use crate::syntax::ast::{Expr, ExprKind, Import, ImportKind, Name, Text};
use crate::syntax::walk::strip;
use contexture_diagnostic::Span;
use std::rc::Rc;

impl<'p> FunctionTypes<'p, '_> {
    /// Returns the type of a call's value.
    pub(super) fn call(
        &mut self,
        call: &'p Expr,
        callee: &'p Expr,
        arguments: &'p [Expr],
    ) -> Type<'p> {
        match &strip(callee).kind {
            ExprKind::Name(name) => self.named_call(name, arguments),
            ExprKind::Field { base, name } => self.method_call(call.span, base, name, arguments),
            _ => {
                self.expr(callee);
                self.evaluate(arguments);
                Type::Unknown
            }
        }
    }

    fn evaluate(&mut self, arguments: &'p [Expr]) -> Vec<Type<'p>> {
        arguments.iter().map(|argument| self.expr(argument)).collect()
    }

    /// Returns the type of an expression without reporting anything.
    pub(super) fn quietly(&mut self, expr: &'p Expr) -> Type<'p> {
        self.tries += 1;
        let of = self.expr(expr);
        self.tries -= 1;
        of
    }

    fn global(&self, name: &str) -> Option<Global<'p>> {
        if self.is_variable(name) {
            return None;
        }
        self.types.declarations.global(self.file, self.agent, name)
    }

    fn named_call(&mut self, name: &'p str, arguments: &'p [Expr]) -> Type<'p> {
        let given = self.evaluate(arguments);
        match self.global(name) {
            Some(Global::Function(number)) => self.function_call(name, number, arguments, &given),
            Some(Global::Agent(Some(agent))) => match self.types.declarations.entry(agent) {
                Some(number) => self.function_call(name, number, arguments, &given),
                None => Type::Unknown,
            },
            Some(Global::Import(import)) if import.kind == ImportKind::Template => Type::Text,
            Some(_) => Type::Unknown,
            None if self.is_variable(name) => Type::Unknown,
            None if name == TRUST => given.into_iter().next().unwrap_or(Type::Unknown),
            None => match library::function(name) {
                Some(entry) => self.of_library(entry, &Type::Unknown, arguments),
                None => Type::Unknown,
            },
        }
    }

    fn function_call(
        &mut self,
        name: &str,
        number: usize,
        arguments: &'p [Expr],
        given: &[Type<'p>],
    ) -> Type<'p> {
        let Some(decl) = self.types.declarations.functions.get(number) else {
            return Type::Unknown;
        };
        if self.is_reporting() && decl.func.params.len() == arguments.len() {
            for ((param, argument), of) in decl.func.params.iter().zip(arguments).zip(given) {
                let Some(shape) = &param.shape else { continue };
                let Some(misfit) = self.misfit(argument, of, decl.file, shape) else { continue };
                let own = &param.name.text;
                let message = format!("the argument `{own}` of `{name}`: {}", misfit.message);
                let fault = codes::WRONG_ARGUMENT.at(misfit.span, message).with_help(misfit.help);
                let fault = match decl.file == self.file {
                    true => fault.with_label(param.name.span, "declared here"),
                    false => fault,
                };
                self.report(fault);
            }
        }
        self.types.result_of(number)
    }

    fn method_call(
        &mut self,
        span: Span,
        base: &'p Expr,
        name: &'p Name,
        arguments: &'p [Expr],
    ) -> Type<'p> {
        let own = match &strip(base).kind {
            ExprKind::Name(own) => self.global(own).map(|global| (own.as_str(), global)),
            _ => None,
        };
        match own {
            Some((own, Global::Agent(Some(agent)))) => {
                let given = self.evaluate(arguments);
                let full = format!("{own}.{}", name.text);
                match self.types.declarations.function_of(agent, &name.text) {
                    Some(number) => self.function_call(&full, number, arguments, &given),
                    None => Type::Unknown,
                }
            }
            Some((_, Global::Import(import))) if import.kind == ImportKind::File => {
                self.evaluate(arguments);
                Type::Unknown
            }
            Some((_, Global::Import(import))) if import.kind == ImportKind::Template => {
                self.evaluate(arguments);
                Type::Text
            }
            Some((_, Global::Import(import))) => {
                self.evaluate(arguments);
                self.tool_call(import, name, arguments);
                Type::Unknown
            }
            Some(_) => {
                self.evaluate(arguments);
                Type::Unknown
            }
            None => match self.module_function(base, name) {
                Some(entry) => {
                    self.evaluate(arguments);
                    self.of_library(entry, &Type::Unknown, arguments)
                }
                None => self.value_method(span, base, name, arguments),
            },
        }
    }

    /// Returns the function of the library that `json.print` means, unless `json` is a variable.
    fn module_function(&self, base: &Expr, name: &Name) -> Option<&'static Entry> {
        match &strip(base).kind {
            ExprKind::Name(own) if !self.is_variable(own) => {
                library::function(&format!("{own}.{}", name.text))
            }
            _ => None,
        }
    }

    fn value_method(
        &mut self,
        span: Span,
        base: &'p Expr,
        name: &'p Name,
        arguments: &'p [Expr],
    ) -> Type<'p> {
        let of = self.expr(base);
        self.evaluate(arguments);
        self.used(base, &of);
        let Some(kind) = self.types.kind(&of) else { return Type::Unknown };
        let receiver = match kind {
            Kind::Text => Receiver::String,
            Kind::List => Receiver::List,
            Kind::Object => Receiver::Object,
            Kind::Number | Kind::Boolean => {
                self.no_method(span, kind, base, name);
                return Type::Unknown;
            }
            Kind::None => return Type::Unknown,
        };
        match library::method(receiver, &name.text) {
            Some(entry) => self.of_library(entry, &of, arguments),
            None => {
                self.no_method(span, kind, base, name);
                Type::Unknown
            }
        }
    }

    /// Reports a method that values of other kinds have. One that none has, and one of a literal,
    /// the checker reports.
    fn no_method(&mut self, span: Span, kind: Kind, base: &Expr, name: &Name) {
        let others = library::methods_named(&name.text);
        if others.is_empty() || is_literal(&strip(base).kind) || !self.is_reporting() {
            return;
        }
        let owners: Vec<&str> = library::RECEIVERS
            .iter()
            .filter(|receiver| library::method(**receiver, &name.text).is_some())
            .map(|receiver| receiver.noun())
            .collect();
        let message = format!("{} has no method `{}`", kind.noun(), name.text);
        let help = format!("it is a method of {}", owners.join(" and "));
        let at = if name.span.is_empty() { span } else { name.span };
        self.report(codes::UNKNOWN_VALUE_METHOD.at(at, message).with_help(help));
    }

    fn of_library(&self, entry: &Entry, base: &Type<'p>, arguments: &'p [Expr]) -> Type<'p> {
        self.library_type(entry.result, entry, base, arguments)
    }

    fn library_type(
        &self,
        result: LibraryType,
        entry: &Entry,
        base: &Type<'p>,
        arguments: &'p [Expr],
    ) -> Type<'p> {
        match result {
            LibraryType::Boolean => Type::Boolean,
            LibraryType::Integer => Type::Integer,
            LibraryType::Number => Type::Number,
            LibraryType::String => Type::Text,
            LibraryType::List(item) => {
                let item = self.library_type(*item, entry, base, arguments);
                let is_known = !matches!(item, Type::Unknown) && !is_deep(&item, MAX_NESTED);
                Type::List(is_known.then(|| Rc::new(item)))
            }
            LibraryType::Same => match base {
                Type::Word(_) => Type::Text,
                base => base.clone(),
            },
            LibraryType::Item => self.types.item(base),
            LibraryType::Returned => {
                let at = entry.function_parameter().map(|(at, _)| at);
                let argument = at.and_then(|at| arguments.get(at)).map(|one| &strip(one).kind);
                match argument {
                    Some(ExprKind::Name(name)) => match self.global(name) {
                        Some(Global::Function(number)) => self.types.result_of(number),
                        _ => Type::Unknown,
                    },
                    _ => Type::Unknown,
                }
            }
            _ => Type::Unknown,
        }
    }

    /// Reports computed arguments of a tool that have the wrong kind; the checker judges those that
    /// are written out.
    fn tool_call(&mut self, import: &'p Import, name: &Name, arguments: &'p [Expr]) {
        let [only] = arguments else { return };
        let ExprKind::Object(fields) = &strip(only).kind else { return };
        if !self.is_reporting() {
            return;
        }
        let full = format!("{}.{}", import.name.text, name.text);
        for (key, value) in fields.iter().filter(|(_, value)| !is_literal(&strip(value).kind)) {
            let of = self.quietly(value);
            let Some(kind) = self.types.kind(&of).filter(|kind| *kind != Kind::None) else {
                continue;
            };
            if let Some(wanted) = self.refused(import, name, key, kind) {
                let message = format!(
                    "the argument `{}` of `{full}` must be {wanted}, not {}",
                    key.value,
                    kind.noun()
                );
                let help = format!("give {wanted}");
                self.report(codes::ARGUMENT_TYPE.at(value.span, message).with_help(help));
            }
        }
    }

    /// Returns what an argument must be, if values of a kind are refused.
    fn refused(&self, import: &Import, name: &Name, key: &Text, kind: Kind) -> Option<String> {
        if let Some(server) = ServerImport::of(import) {
            let facts = self.types.program.server(self.file, &import.name.text)?;
            let tool = server.tool(facts.tools.iter().map(|tool| &*tool.name), &name.text)?;
            let tool = facts.tools.iter().find(|known| known.name == tool)?;
            let field = tool.fields.iter().find(|field| field.name == key.value)?;
            let fits = field.types.is_empty() || field.types.iter().any(|own| is_of(*own, kind));
            return (!fits).then(|| field.describe());
        }
        let method = capability_of(import)?.method(&name.text)?;
        let field = method.parameters.iter().find(|field| field.name == key.value)?;
        (!takes(field.kind, kind)).then(|| field.kind.describe())
    }
}

const fn is_of(wanted: FieldType, kind: Kind) -> bool {
    match wanted {
        FieldType::Text => matches!(kind, Kind::Text),
        FieldType::Number | FieldType::Whole => matches!(kind, Kind::Number),
        FieldType::Flag => matches!(kind, Kind::Boolean),
        FieldType::Object => matches!(kind, Kind::Object),
        FieldType::List => matches!(kind, Kind::List),
        FieldType::Null => matches!(kind, Kind::None),
    }
}

const fn takes(wanted: capability::Kind, kind: Kind) -> bool {
    match wanted {
        ParameterKind::Text | ParameterKind::Choice(_) => matches!(kind, Kind::Text),
        ParameterKind::Count(_) => matches!(kind, Kind::Number),
        ParameterKind::Budget => matches!(kind, Kind::Number | Kind::Text),
        ParameterKind::Flag => matches!(kind, Kind::Boolean),
        ParameterKind::Fields | ParameterKind::Object => matches!(kind, Kind::Object),
        ParameterKind::Any => true,
    }
}
