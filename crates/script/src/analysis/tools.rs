//! Calls of tools, memories and packs: methods and arguments (AS-25, AS-26, KN-9).

use super::Checker;
use crate::capability::{self, Form, KNOWLEDGE, Kind, Method, Parameter, Signature};
use crate::codes;
use crate::server::{self, ServerImport};
use crate::syntax::ast::{Expr, ExprKind, Import, ImportKind, Name, Text, UnaryOp};
use crate::syntax::walk::strip;
use contexture_diagnostic::{Span, suggestion};

pub(super) fn capability_of(import: &Import) -> Option<Signature> {
    match import.kind {
        ImportKind::Tool => capability::tool(&import.from.value).ok(),
        ImportKind::Memory => capability::memory(&import.from.value).ok(),
        ImportKind::Knowledge => capability::pack(&import.from.value).ok().map(|_| KNOWLEDGE),
        _ => None,
    }
}

pub(super) fn frontend_of(import: &Import) -> Option<&str> {
    let uri = import.from.value.as_str();
    let found = if import.kind == ImportKind::Tool { capability::frontend(uri) } else { Ok(None) };
    found.ok().flatten()
}

impl<'p> Checker<'p, '_> {
    pub(super) fn methods_of(&self, import: &Import) -> impl Iterator<Item = &'static str> {
        let methods = capability_of(import).map_or(&[][..], |capability| capability.methods);
        methods.iter().map(|method| method.name)
    }

    pub(super) fn tool_call(
        &mut self,
        call: &'p Expr,
        import: &Import,
        name: &Name,
        arguments: &'p [Expr],
    ) {
        if import.kind == ImportKind::Llm {
            let message = format!("`{}` is a model and has no methods", import.name.text);
            let help = "a model is asked with `generate`, and chosen with `model NAME`";
            self.push(codes::NOT_CALLABLE.at(name.span, message).with_help(help));
            return;
        }
        if let Some(server) = ServerImport::of(import) {
            return self.server_call(call, (import, &server), name, arguments);
        }
        let Some(capability) = capability_of(import) else { return };
        if name.text.is_empty() {
            return;
        }
        // As with a tool of a server, its own name means `run`.
        let own = frontend_of(import).is_some_and(|tool| server::method_name(tool) == name.text);
        let called = if own { server::RUN } else { &name.text };
        let Some(method) = capability.method(called) else {
            return self.unknown_tool_method(import, &capability, name);
        };
        let full = format!("{}.{}", import.name.text, name.text);
        self.tool_arguments(&full, method, call.span, arguments);
    }

    fn unknown_tool_method(&mut self, import: &Import, capability: &Signature, name: &Name) {
        let names = || capability.methods.iter().map(|method| method.name);
        let list: Vec<&str> = names().collect();
        let help = suggestion(&name.text, names())
            .unwrap_or_else(|| format!("it has {}", list.join(", ")));
        let (own, uri) = (&import.name.text, &import.from.value);
        let message = format!("`{own}` ({uri}) has no method `{}`", name.text);
        self.push(codes::UNKNOWN_TOOL_METHOD.at(name.span, message).with_help(help));
    }

    fn tool_arguments(&mut self, full: &str, method: &Method, span: Span, arguments: &'p [Expr]) {
        let known = method.parameters;
        let needed = known.iter().any(|field| field.required);
        match arguments {
            // `Find.run()` asks for everything, which a method without required fields allows.
            [] if method.form != Form::Value && !needed => {}
            [_] if method.form == Form::Value => {}
            _ if method.form == Form::Value => {
                let message = format!("`{full}` takes the effects to undo");
                let help = format!("write `{full}(result.effects)`");
                self.push(codes::TOOL_ARGUMENTS.at(span, message).with_help(help));
            }
            [] => self.wrong_count(full, &example(method), span, 0),
            [only] if matches!(strip(only).kind, ExprKind::None) => {}
            [only]
                if is_bare(only)
                    && let Some(field) = method.only_required() =>
            {
                self.tool_field_type(full, field, only);
            }
            _ => {
                let given = self.one_object(full, &example(method), span, arguments);
                let Some((span, fields)) = given else { return };
                for (key, value) in fields {
                    match known.iter().find(|field| field.name == key.value) {
                        Some(field) => self.tool_field_type(full, field, value),
                        None if method.form == Form::Open => {}
                        None => self.unknown_argument(full, key, known.iter().map(|f| f.name)),
                    }
                }
                let needed = known.iter().filter(|field| field.required);
                let needed = needed.map(|field| (field.name, field.kind.describe()));
                self.missing_arguments(full, span, fields, needed);
            }
        }
    }

    pub(super) fn one_object(
        &mut self,
        full: &str,
        example: &str,
        span: Span,
        arguments: &'p [Expr],
    ) -> Option<(Span, &'p [(Text, Expr)])> {
        match arguments {
            [] => return Some((span, &[])),
            [only] => match &strip(only).kind {
                ExprKind::Object(fields) => return Some((only.span, fields)),
                literal if is_literal(literal) => {
                    let message = format!("`{full}` takes an object");
                    let help = format!("write `{full}{example}`");
                    self.push(codes::TOOL_ARGUMENTS.at(only.span, message).with_help(help));
                }
                _ => {}
            },
            several => self.wrong_count(full, example, span, several.len()),
        }
        None
    }

    fn wrong_count(&mut self, full: &str, example: &str, span: Span, count: usize) {
        let message = format!("`{full}` takes one object, not {count} arguments");
        let help = format!("write `{full}{example}`");
        self.push(codes::TOOL_ARGUMENTS.at(span, message).with_help(help));
    }

    pub(super) fn unknown_argument<'n>(
        &mut self,
        full: &str,
        key: &Text,
        known: impl Iterator<Item = &'n str>,
    ) {
        let known: Vec<&str> = known.collect();
        let help = suggestion(&key.value, known.iter().copied());
        let help = help.unwrap_or_else(|| match known.as_slice() {
            [] => format!("it takes none: `{full}()`"),
            known => format!("it takes {}", known.join(", ")),
        });
        let message = format!("`{full}` has no argument `{}`", key.value);
        self.push(codes::UNKNOWN_ARGUMENT.at(key.span, message).with_help(help));
    }

    pub(super) fn missing_arguments<'n>(
        &mut self,
        full: &str,
        span: Span,
        fields: &[(Text, Expr)],
        needed: impl Iterator<Item = (&'n str, String)>,
    ) {
        let given = |name: &str| fields.iter().any(|(key, _)| key.value == name);
        for (name, kind) in needed.filter(|(name, _)| !given(name)) {
            let message = format!("`{full}` needs the argument `{name}`");
            let help = format!("add `{name}: …`, {kind}");
            self.push(codes::MISSING_ARGUMENT.at(span, message).with_help(help));
        }
    }

    fn tool_field_type(&mut self, full: &str, field: &Parameter, value: &'p Expr) {
        if may_be(field.kind, value) {
            return;
        }
        let wanted = field.kind.describe();
        let message = format!("the argument `{}` of `{full}` must be {wanted}", field.name);
        let help = match (field.kind, &strip(value).kind) {
            (Kind::Choice(words), ExprKind::Str(text)) => {
                suggestion(text, words.iter().copied()).unwrap_or_else(|| format!("write {wanted}"))
            }
            _ => format!("give {wanted}"),
        };
        self.push(codes::ARGUMENT_TYPE.at(value.span, message).with_help(help));
    }
}

/// Reports whether an argument is written as a value and not as an object of arguments.
pub(super) fn is_bare(argument: &Expr) -> bool {
    let kind = &strip(argument).kind;
    is_literal(kind) && !matches!(kind, ExprKind::Object(_) | ExprKind::None)
}

fn example(method: &Method) -> String {
    let fields = method.parameters;
    let required = fields.iter().filter(|field| field.required).map(|field| field.name);
    let mut names: Vec<&str> = required.collect();
    if names.is_empty() {
        names.extend(fields.first().map(|field| field.name));
    }
    if names.is_empty() {
        return "()".to_owned();
    }
    let parts: Vec<String> = names.iter().map(|name| format!("{name}: …")).collect();
    format!("({{ {} }})", parts.join(", "))
}

pub(super) fn may_be(kind: Kind, value: &Expr) -> bool {
    let literal = &strip(value).kind;
    let negative = matches!(literal, ExprKind::Unary { op: UnaryOp::Negate, operand }
        if matches!(strip(operand).kind, ExprKind::Int(_) | ExprKind::Float(_)));
    match (kind, literal) {
        (Kind::Any, _) => true,
        (Kind::Text, ExprKind::Str(_)) => true,
        (Kind::Choice(words), ExprKind::Str(text)) => words.contains(&text.as_str()),
        (Kind::Count(_), ExprKind::Int(value)) => *value >= 1,
        (Kind::Count(_), ExprKind::Float(value)) => value.fract() == 0.0 && *value >= 1.0,
        (Kind::Budget, ExprKind::Str(text)) => capability::tokens(text).is_some(),
        (Kind::Budget, _) => may_be(Kind::Count(u64::MAX), value),
        (Kind::Flag, ExprKind::Bool(_)) | (Kind::Object | Kind::Fields, ExprKind::Object(_)) => {
            true
        }
        // An optional argument may be none where it is computed; written out it is a mistake.
        _ => !(is_literal(literal) || negative),
    }
}

pub(super) fn is_literal(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::List(_)
            | ExprKind::Object(_)
    )
}
