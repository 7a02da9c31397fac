//! Calls of functions, agents and methods.

use super::Checker;
use super::declarations::Global;
use crate::capability::{PROGRESS, SECRET, TRUST, is_secret_name, noun};
use crate::codes;
use crate::library;
use crate::program::AgentId;
use crate::syntax::ast::{Expr, ExprKind, Func, ImportKind, Name};
use crate::syntax::walk::strip;
use contexture_diagnostic::{Span, suggestion};

impl<'p> Checker<'p, '_> {
    pub(super) fn call(&mut self, call: &'p Expr, callee: &'p Expr, arguments: &'p [Expr]) {
        match &strip(callee).kind {
            ExprKind::Name(name) => {
                self.arguments(arguments);
                self.call_name(name, callee.span, call.span, arguments);
            }
            ExprKind::Field { base, name } => self.call_field(call, base, name, arguments),
            ExprKind::Error => self.arguments(arguments),
            _ => {
                self.expr(callee);
                self.arguments(arguments);
                let message = "call of a value";
                let help = "call a function, agent or method by its name";
                self.push(codes::NOT_CALLABLE.at(callee.span, message).with_help(help));
            }
        }
        if self.scopes.in_parallel() {
            self.effects_of_call(call.span, callee, arguments);
        }
    }

    fn arguments(&mut self, arguments: &'p [Expr]) {
        arguments.iter().for_each(|argument| self.expr(argument));
    }

    fn call_name(&mut self, name: &'p str, place: Span, span: Span, arguments: &'p [Expr]) {
        if self.scopes.is_variable(name) {
            let message = format!("call of the variable `{name}`");
            let fault = codes::NOT_CALLABLE.at(place, message);
            let help = match self.global(name) {
                Some(Global::Function(_) | Global::Agent(_)) => {
                    "rename the variable: it shadows a declaration of the same name"
                }
                _ => "call a function, agent or method by its name",
            };
            self.push(fault.with_help(help));
            return;
        }
        match self.global(name) {
            None if name == SECRET => self.secret(span, arguments),
            None if name == TRUST => self.release(span, arguments),
            None if name == PROGRESS => self.progress(span, arguments),
            None => match library::called(name) {
                Some((_, entry)) => self.library_arity(entry, span, arguments.len()),
                None => self.unknown_function(name, place),
            },
            Some(Global::Function(number)) => {
                if let Some(decl) = self.declarations.functions.get(number) {
                    self.arity(name, decl.func, span, arguments.len());
                }
            }
            Some(Global::Agent(Some(agent))) => {
                self.call_agent(name, agent, place, span, arguments.len())
            }
            Some(Global::Agent(None)) => {}
            Some(Global::Shape) => {
                let message = format!("`{name}` is a shape and can't be called");
                let help = format!("write it where a type is expected: `-> {name}`");
                self.push(codes::NOT_CALLABLE.at(place, message).with_help(help));
            }
            Some(Global::Import(import)) if import.kind == ImportKind::Template => {
                self.template_call(import, span, arguments);
            }
            Some(Global::Import(import)) => {
                let what = noun(import.kind);
                let help = match import.kind {
                    ImportKind::Tool | ImportKind::Memory => {
                        let method = self.first_method(import);
                        format!("call one of its methods, as in `{name}.{method}({{ … }})`")
                    }
                    ImportKind::Llm => "call a model with `generate`".to_owned(),
                    ImportKind::File => "use the file as a value, without a call".to_owned(),
                    ImportKind::Resource => super::expressions::shown(name),
                    ImportKind::Knowledge => super::expressions::asked(name),
                    _ => return,
                };
                let message = format!("`{name}` is {what} and can't be called");
                self.push(codes::NOT_CALLABLE.at(place, message).with_help(help));
            }
        }
    }

    /// Checks `trust(value, "reason")`.
    fn release(&mut self, span: Span, arguments: &'p [Expr]) {
        let is_reason = |text: &str| !text.trim().is_empty();
        if !matches!(arguments, [_, Expr { kind: ExprKind::Str(text), .. }] if is_reason(text)) {
            let message = "`trust` takes a value, and the reason as a string written out";
            let help = "write `trust(value, \"checked against the list of customers\")`";
            self.push(codes::BAD_RELEASE.at(span, message).with_help(help));
        }
    }

    /// Checks `progress "text"`.
    fn progress(&mut self, span: Span, arguments: &'p [Expr]) {
        if arguments.len() != 1 {
            let message = format!("`progress` takes one text, not {}", arguments.len());
            let help = "write `progress \"reading \" + name`";
            self.push(codes::WRONG_ARITY.at(span, message).with_help(help));
        }
    }

    /// Checks `secret("NAME")`.
    fn secret(&mut self, span: Span, arguments: &'p [Expr]) {
        let name = match arguments {
            [Expr { kind: ExprKind::Str(name), .. }] if is_secret_name(name) => name,
            _ => {
                let message = "`secret` takes one name, written out as a string";
                let help = "write `secret(\"NAME\")`, with letters, digits and `_`";
                self.push(codes::BAD_SECRET.at(span, message).with_help(help));
                return;
            }
        };
        let known = self.program.secrets.as_ref();
        if known.is_some_and(|known| !known.contains(&**name)) {
            let message = format!("the secret `{name}` has no value here");
            let help = format!(
                "set the variable `{name}` of the environment, or describe it as `[secrets.{name}]` in contexture.toml"
            );
            self.push(codes::UNKNOWN_SECRET.at(span, message).with_help(help));
        }
    }

    fn unknown_function(&mut self, name: &str, place: Span) {
        let known = match name {
            "len" | "length" | "size" | "count" => Some("write `value.length`"),
            "print" | "println" | "log" | "echo" | "puts" => {
                Some("a program's only output is its value: return what should be shown")
            }
            "str" | "string" | "String" | "to_string" => Some("write `to_text(value)`"),
            "int" | "parseInt" => Some("write `to_integer(value)`"),
            "float" | "number" | "parseFloat" => Some("write `to_number(value)`"),
            "throw" | "raise" | "panic" | "error" => Some("write `fail \"the reason\"`"),
            _ => None,
        };
        match known {
            Some(help) => {
                let message = format!("call of undefined function `{name}`");
                self.push(codes::UNKNOWN_NAME.at(place, message).with_help(help));
            }
            None => self.unknown_name(name, place),
        }
    }

    fn call_agent(&mut self, name: &str, agent: AgentId, place: Span, span: Span, given: usize) {
        let entry = self.declarations.entry(agent);
        match entry.and_then(|number| self.declarations.functions.get(number)) {
            Some(decl) => self.arity(name, decl.func, span, given),
            None if self.is_full() => {}
            None => {
                let functions = self.program.functions(agent);
                let names: Vec<&str> = functions
                    .iter()
                    .filter_map(|func| func.name.as_ref().map(|name| name.text.as_str()))
                    .collect();
                let message = if names.is_empty() {
                    format!("the agent `{name}` has no functions")
                } else {
                    format!("the agent `{name}` has several functions and no `main func`")
                };
                let help = match names.first() {
                    Some(first) => format!("call one by name, as in `{name}.{first}(…)`"),
                    None => "give it a `main func(input) { … }`".to_owned(),
                };
                self.push(codes::NO_ENTRY.at(place, message).with_help(help));
            }
        }
    }

    fn arity(&mut self, name: &str, func: &Func, span: Span, given: usize) {
        let wanted = func.params.len();
        if wanted == given {
            return;
        }
        let arguments = |count: usize| {
            if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") }
        };
        let message = format!("`{name}` takes {}, not {given}", arguments(wanted));
        let params: Vec<&str> = func.params.iter().map(|param| param.name.text.as_str()).collect();
        let help = format!("it is declared as `{name}({})`", params.join(", "));
        self.push(codes::WRONG_ARITY.at(span, message).with_help(help));
    }

    fn call_field(
        &mut self,
        call: &'p Expr,
        base: &'p Expr,
        name: &'p Name,
        arguments: &'p [Expr],
    ) {
        let own = self.global_name(base);
        match own.and_then(|own| self.global(own)) {
            Some(Global::Agent(agent)) => {
                self.arguments(arguments);
                if let Some(agent) = agent {
                    self.call_agent_function(
                        own.unwrap_or_default(),
                        agent,
                        name,
                        call.span,
                        arguments.len(),
                    );
                }
            }
            Some(Global::Import(import)) if import.kind == ImportKind::Template => {
                self.arguments(arguments);
                self.template_method(import, name, call.span, arguments);
            }
            Some(Global::Import(import)) if import.kind == ImportKind::Resource => {
                self.arguments(arguments);
                self.field(base, &name.text, call.span);
            }
            Some(Global::Import(import)) if import.kind != ImportKind::File => {
                self.arguments(arguments);
                self.tool_call(call, import, name, arguments);
            }
            None if let Some(module) = own.filter(|own| library::is_module(own)) => {
                self.arguments(arguments);
                self.module_call(module, name, call.span, arguments.len());
            }
            _ => {
                self.expr(base);
                self.method_arguments(name, arguments);
                self.method(name, call.span, base, arguments.len());
            }
        }
    }

    fn call_agent_function(
        &mut self,
        own: &str,
        agent: AgentId,
        name: &Name,
        span: Span,
        given: usize,
    ) {
        if name.text.is_empty() {
            return;
        }
        let found = self.declarations.function_of(agent, &name.text);
        match found.and_then(|number| self.declarations.functions.get(number)) {
            Some(decl) => {
                let full = format!("{own}.{}", name.text);
                self.arity(&full, decl.func, span, given);
            }
            None if self.is_full() => {}
            None => {
                let names = self.declarations.functions_of(agent);
                let help = suggestion(&name.text, names.iter().copied()).unwrap_or_else(|| {
                    if names.is_empty() {
                        format!("`{own}` has none; call it as `{own}(input)`")
                    } else {
                        format!("it has {}", listed(&names))
                    }
                });
                let message = format!("the agent `{own}` has no function `{}`", name.text);
                self.push(codes::UNKNOWN_FUNCTION.at(name.span, message).with_help(help));
            }
        }
    }
}

/// Returns the first of some names, each once, for a message.
pub(super) fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    const SHOWN: usize = 12;
    let mut shown = String::new();
    let mut known: Vec<S> = Vec::new();
    for name in names {
        if known.iter().any(|one| one.as_ref() == name.as_ref()) {
            continue;
        }
        if known.len() == SHOWN {
            return shown + " …";
        }
        shown.push_str(if known.is_empty() { "" } else { ", " });
        shown.push_str(name.as_ref());
        known.push(name);
    }
    shown
}
