//! Calls: functions, agents, tools, memories, methods (AS-8, AS-25, AS-26, AS-28).

use super::builder::behind;
use super::declare::Global;
use super::function::FunctionCompiler;
use super::tables::push;
use crate::capability::noun;
use crate::capability::{PROGRESS, SECRET, TRUST, is_secret_name};
use crate::host::ToolBinding;
use crate::library::{self, Entry};
use crate::runtime::code::{
    AgentSite, Constant, Op, Reg, ReleaseSite, TemplateSite, ToolKind, ToolSite,
};
use crate::runtime::error::codes;
use crate::syntax::ast::{Expr, ExprKind, ImportKind, Name};
use crate::syntax::walk::{has_block, strip};
use crate::template::TemplateImport;
use contexture_diagnostic::{Span, suggestion};
use std::sync::Arc;

/// The most records of a memory that a question selects from: the newest ones, as many as a query
/// gives.
const MOST_RECORDS: i32 = 1_000;

impl<'a> FunctionCompiler<'_, 'a> {
    pub(super) fn call(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        arguments: &'a [Expr],
        to: Reg,
    ) {
        match (&strip(callee).kind, self.global_of(callee)) {
            (_, Some(Global::Function(function))) => {
                self.function_call(function, arguments, expr.span, to);
            }
            (_, Some(Global::Agent(agent))) => {
                self.agent_call(agent, None, arguments, expr.span, to)
            }
            (_, Some(Global::Import(import, ImportKind::Template))) => {
                self.template_call(import, arguments, expr.span, to);
            }
            (ExprKind::Field { base, name }, _) => self.dotted(expr, base, name, arguments, to),
            (ExprKind::Name(name), None)
                if name == SECRET && self.scopes.variable(name).is_none() =>
            {
                self.secret(arguments, expr.span, to);
            }
            (ExprKind::Name(name), None)
                if name == TRUST && self.scopes.variable(name).is_none() =>
            {
                self.release(arguments, expr.span, to);
            }
            (ExprKind::Name(name), None)
                if name == PROGRESS && self.scopes.variable(name).is_none() =>
            {
                self.progress(arguments, expr.span, to);
            }
            (ExprKind::Name(name), None)
                if self.scopes.variable(name).is_none()
                    && let Some(function) = library::called(name) =>
            {
                self.library_call(function, arguments, expr.span, to);
            }
            (ExprKind::Name(name), None) if self.scopes.variable(name).is_none() => {
                self.at(callee.span);
                self.unknown_name(name);
            }
            _ => {
                self.at(callee.span);
                let help = "only functions, agents and methods can be called".to_owned();
                self.fail(codes::NOT_CALLABLE, "this is not a function", Some(help));
            }
        }
    }

    /// Compiles `trust(value, "reason")`.
    fn release(&mut self, arguments: &'a [Expr], span: Span, to: Reg) {
        let [value, Expr { kind: ExprKind::Str(reason), .. }] = arguments else {
            self.at(span);
            let help = Some("write `trust(value, \"the reason\")`".to_owned());
            let message = "`trust` takes a value and a reason, written out";
            return self.fail(codes::ARGUMENTS, message, help);
        };
        let at = self.code.temp();
        self.expr(value, at);
        self.at(span);
        let place = self.place(span);
        let site = ReleaseSite { place, reason: reason.clone() };
        let site = push(&mut self.tables.program.releases, site);
        self.code.emit(Op::Release { at, site });
        self.code.emit(Op::Take { to, from: at });
    }

    /// Compiles `progress "text"`; its value is the text.
    fn progress(&mut self, arguments: &'a [Expr], span: Span, to: Reg) {
        let [text] = arguments else {
            self.at(span);
            let help = Some("write `progress \"reading \" + name`".to_owned());
            return self.fail(codes::ARGUMENTS, "`progress` takes one text", help);
        };
        let at = self.code.temp();
        self.expr(text, at);
        self.at(span);
        self.code.emit(Op::Progress { at });
        self.code.emit(Op::Take { to, from: at });
    }

    /// Compiles `secret("NAME")`.
    fn secret(&mut self, arguments: &'a [Expr], span: Span, to: Reg) {
        self.at(span);
        match arguments {
            [Expr { kind: ExprKind::Str(name), .. }] if is_secret_name(name) => {
                self.constant(Constant::Secret(Arc::from(name.as_str())), to);
            }
            _ => {
                let message = "`secret` takes one name, written out";
                let help = Some("write `secret(\"NAME\")`".to_owned());
                self.fail(codes::ARGUMENTS, message, help);
            }
        }
    }

    fn dotted(
        &mut self,
        expr: &'a Expr,
        base: &'a Expr,
        name: &'a Name,
        arguments: &'a [Expr],
        to: Reg,
    ) {
        match self.global_of(base) {
            Some(Global::Agent(agent)) => {
                self.agent_call(agent, Some(name), arguments, expr.span, to);
            }
            Some(Global::Import(import, ImportKind::Tool)) => {
                self.effect_call((import, ToolKind::Tool), name, arguments, expr.span, to);
            }
            Some(Global::Import(import, ImportKind::Memory)) => {
                self.effect_call((import, ToolKind::Memory), name, arguments, expr.span, to);
            }
            Some(Global::Import(import, ImportKind::Knowledge)) => {
                self.effect_call((import, ToolKind::Knowledge), name, arguments, expr.span, to);
            }
            Some(Global::Import(import, ImportKind::Template)) if name.text == "render" => {
                self.template_call(import, arguments, expr.span, to);
            }
            Some(Global::Import(_, kind)) if kind != ImportKind::File => {
                self.at(expr.span);
                let (message, help) = match kind {
                    ImportKind::Template => (
                        format!("a template has no method `{}`", name.text),
                        Some("render it by calling it, or with `.render({ … })`".to_owned()),
                    ),
                    kind => (format!("{} has no methods", noun(kind)), None),
                };
                self.fail(codes::NOT_CALLABLE, message, help);
            }
            None if let Some(function) = self.library_function(base, name) => {
                self.library_call(function, arguments, expr.span, to);
            }
            _ => self.method(expr, base, name, arguments, to),
        }
    }

    /// Returns the function of the library that `json.parse` means, unless `json` is a variable.
    fn library_function(&self, base: &Expr, name: &Name) -> Option<(u16, &'static Entry)> {
        match &strip(base).kind {
            ExprKind::Name(own) if self.scopes.variable(own).is_none() => {
                library::called(&format!("{own}.{}", name.text))
            }
            _ => None,
        }
    }

    fn library_call(
        &mut self,
        (function, entry): (u16, &'static Entry),
        arguments: &'a [Expr],
        span: Span,
        to: Reg,
    ) {
        if arguments.len() < entry.least() || arguments.len() > entry.most() {
            self.at(span);
            let message =
                format!("`{}` is called with {}", entry.name, count(arguments.len(), "argument"));
            let help = Some(format!("write `{}`", entry.signature()));
            return self.fail(codes::ARGUMENTS, message, help);
        }
        let at = self.window(to, arguments.len());
        self.arguments(arguments, at);
        self.at(span);
        let count = u16::try_from(arguments.len()).unwrap_or(u16::MAX);
        self.code.emit(Op::CallFunction { at, count, function });
        self.result(at, to);
    }

    /// Allocates registers in a row for arguments and result; `to` itself if it is the topmost.
    fn window(&mut self, to: Reg, count: usize) -> Reg {
        let fresh = usize::from(to) + 1 == self.code.mark();
        match (fresh, count) {
            (true, 0 | 1) => to,
            (true, _) => {
                self.code.temps(count - 1);
                to
            }
            (false, _) => self.code.temps(count.max(1)),
        }
    }

    fn arguments(&mut self, arguments: &'a [Expr], at: Reg) {
        for (index, argument) in arguments.iter().enumerate() {
            self.expr(argument, behind(at, index));
        }
    }

    fn result(&mut self, at: Reg, to: Reg) {
        if at != to {
            self.code.emit(Op::Take { to, from: at });
        }
    }

    /// Reports whether the number of arguments is right; emits a failure if not.
    pub(super) fn arity(&mut self, function: u32, given: usize, span: Span) -> bool {
        let declarations = &self.context.declarations;
        let expected = declarations.function_at(function).map_or(0, |func| func.params.len());
        if expected == given {
            return true;
        }
        let label = declarations.label(function);
        self.at(span);
        let help = Some(format!("declared with {}", count(expected, "parameter")));
        let message = format!("`{label}` is called with {}", count(given, "argument"));
        self.fail(codes::ARGUMENTS, message, help);
        false
    }

    fn function_call(&mut self, function: u32, arguments: &'a [Expr], span: Span, to: Reg) {
        if !self.arity(function, arguments.len(), span) {
            return;
        }
        let at = self.window(to, arguments.len());
        self.arguments(arguments, at);
        self.at(span);
        self.note_call(function);
        self.code.emit(Op::Call { at, function });
        self.result(at, to);
    }

    pub(super) fn note_call(&mut self, function: u32) {
        if self.context.eventful.get(function as usize).copied().unwrap_or(true) {
            self.eventful += 1;
        }
    }

    fn agent_call(
        &mut self,
        agent: u32,
        name: Option<&'a Name>,
        arguments: &'a [Expr],
        span: Span,
        to: Reg,
    ) {
        let declarations = &self.context.declarations;
        let function = match name {
            Some(name) => declarations.agent_function(agent, &name.text),
            None => declarations.main_function(agent),
        };
        let Some(function) = function else {
            self.at(name.map_or(span, |name| name.span));
            return self.no_function(agent, name);
        };
        if !self.arity(function, arguments.len(), span) {
            return;
        }
        let at = self.window(to, arguments.len());
        self.arguments(arguments, at);
        self.at(span);
        self.eventful += 1;
        let count = u16::try_from(arguments.len()).unwrap_or(u16::MAX);
        let site = AgentSite { agent, function, count };
        let site = push(&mut self.tables.program.agent_sites, site);
        self.code.emit(Op::CallAgent { at, site });
        self.code.emit(Op::AgentEnd { at });
        self.result(at, to);
    }

    fn no_function(&mut self, agent: u32, name: Option<&Name>) {
        let declarations = &self.context.declarations;
        let functions = declarations.agents.get(agent as usize).map(|decl| &decl.functions);
        let functions = functions.into_iter().flatten().filter_map(|number| {
            declarations.function_at(*number)?.name.as_ref().map(|name| name.text.as_str())
        });
        let (message, help) = match name {
            Some(name) => (
                format!("the agent has no function `{}`", name.text),
                suggestion(&name.text, functions),
            ),
            None => {
                let help = "name the function: `Agent.function(…)`, or declare a `main func`";
                ("the agent has no `main func`".to_owned(), Some(help.to_owned()))
            }
        };
        self.fail(codes::NOT_CALLABLE, message, help);
    }

    /// Compiles `Tool.method(argument)`; without an argument it sends an empty object.
    fn effect_call(
        &mut self,
        import: (u32, ToolKind),
        name: &Name,
        arguments: &'a [Expr],
        span: Span,
        to: Reg,
    ) {
        let (import, kind) = import;
        let Some(binding) = self.binding(import) else { return };
        if arguments.len() > 1 {
            self.at(span);
            let message = format!("`{}.{}` takes one argument", binding.name, name.text);
            let help = Some("pass one object: `{ key: value, … }`".to_owned());
            return self.fail(codes::ARGUMENTS, message, help);
        }
        let at = self.one_argument(arguments, span, to);
        self.eventful += 1;
        let changes = super::changes::changes_outside(self.context, import, kind, &name.text);
        let bare = super::changes::only_required(self.context, import, kind, &name.text);
        let method = name.text.clone();
        let site = ToolSite { binding, kind, method, changes, bare, place: self.site(span) };
        let site = push(&mut self.tables.program.tools, site);
        self.code.emit(Op::Tool { at, site });
        self.result(at, to);
    }

    /// Compiles the query of a memory for its newest records (CA-16).
    pub(super) fn records(&mut self, import: u32, span: Span, to: Reg) {
        let Some(binding) = self.binding(import) else { return };
        let mark = self.code.mark();
        let at = self.code.temps(2);
        let limit = behind(at, 1);
        self.at(span);
        self.code.emit(Op::NewObject { to: at, capacity: 1 });
        self.code.emit(Op::LoadInt { to: limit, value: MOST_RECORDS });
        self.put_field(at, "limit", limit, true);
        self.eventful += 1;
        let method = "query".to_owned();
        let (kind, changes, bare) = (ToolKind::Memory, false, None);
        let site = ToolSite { binding, kind, method, changes, bare, place: self.site(span) };
        let site = push(&mut self.tables.program.tools, site);
        self.code.emit(Op::Tool { at, site });
        self.result(at, to);
        self.code.release(mark);
    }

    /// Compiles `T({ … })`; without an argument there are no variables.
    fn template_call(&mut self, import: u32, arguments: &'a [Expr], span: Span, to: Reg) {
        let Some(template) = self.template(import) else { return };
        if arguments.len() > 1 {
            self.at(span);
            let message = format!("`{}` takes one argument", template.name);
            let help = Some("pass one object of variables: `{ name: value, … }`".to_owned());
            return self.fail(codes::ARGUMENTS, message, help);
        }
        let at = self.one_argument(arguments, span, to);
        self.eventful += 1;
        let template = Arc::new(template);
        let site = TemplateSite { import, template, place: self.site(span) };
        let site = push(&mut self.tables.program.templates, site);
        self.code.emit(Op::Template { at, site });
        self.result(at, to);
    }

    /// Compiles the only argument of an effect into its register, or an empty object without one.
    fn one_argument(&mut self, arguments: &'a [Expr], span: Span, to: Reg) -> Reg {
        let at = self.window(to, 1);
        match arguments.first() {
            Some(argument) => self.expr(argument, at),
            None => {
                self.at(span);
                self.code.emit(Op::NewObject { to: at, capacity: 0 });
            }
        }
        self.at(span);
        at
    }

    fn template(&self, import: u32) -> Option<TemplateImport> {
        let imports = &self.context.declarations.imports;
        let (import, file) = imports.get(import as usize)?;
        let importer = self.context.units.get(*file)?.source.name();
        let names = self.context.templates.get(*file)?;
        Some(TemplateImport::new(import, importer, names))
    }

    pub(super) fn binding(&self, import: u32) -> Option<ToolBinding> {
        let (import, file) = self.context.declarations.imports.get(import as usize)?;
        let importer = self.context.units.get(*file)?.source.name().to_owned();
        Some(ToolBinding {
            name: import.name.text.clone(),
            uri: import.from.value.clone(),
            importer,
        })
    }

    fn method(
        &mut self,
        expr: &'a Expr,
        base: &'a Expr,
        name: &'a Name,
        arguments: &'a [Expr],
        to: Reg,
    ) {
        if let ("add", [argument]) = (name.text.as_str(), arguments)
            && !matches!(self.global_of(argument), Some(Global::Function(_)))
        {
            return self.add(expr, base, argument, to);
        }
        if self.each(expr, base, (name, arguments), to) {
            return;
        }
        let at = self.window(to, arguments.len() + 1);
        if let ("get", [key, default]) = (name.text.as_str(), arguments) {
            self.get_or(expr, base, (key, default), at);
            return self.result(at, to);
        }
        self.expr(base, at);
        for (index, argument) in arguments.iter().enumerate() {
            self.expr(argument, behind(at, index + 1));
        }
        self.call_method(expr.span, at, &name.text, arguments.len());
        self.result(at, to);
    }

    fn call_method(&mut self, span: Span, at: Reg, name: &str, count: usize) {
        self.at(span);
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        match self.tables.name(name) {
            Some(name) => {
                self.code.emit(Op::CallMethod { at, count, name });
            }
            None => {
                let help = "use fewer different names in one program".to_owned();
                let message = format!("unknown method `{name}`");
                self.fail(codes::NO_METHOD, message, Some(help));
            }
        }
    }

    /// Compiles `value.get(key, default)`: variables are read where they are, if that can be done.
    fn get_or(
        &mut self,
        expr: &'a Expr,
        base: &'a Expr,
        (key, default): (&'a Expr, &'a Expr),
        at: Reg,
    ) {
        let after = |count| behind(at, count);
        match (self.variable_of(base), self.variable_of(key)) {
            (Some(base), Some(key)) if !has_block(default) => {
                self.expr(default, after(2));
                self.at(expr.span);
                self.code.emit(Op::GetOr { at, base, key });
                self.code.emit(Op::Move { to: at, from: base });
                self.code.emit(Op::Move { to: after(1), from: key });
            }
            _ => {
                self.expr(base, at);
                self.expr(key, after(1));
                self.expr(default, after(2));
            }
        }
        self.call_method(expr.span, at, "get", 2);
    }

    fn add(&mut self, expr: &'a Expr, base: &'a Expr, argument: &'a Expr, to: Reg) {
        let (list, item) = self.operands(base, argument);
        self.at(expr.span);
        self.code.emit(Op::ListAdd { list, item });
        self.code.emit(Op::LoadNone { to });
    }
}

fn count(number: usize, word: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {word}{ending}")
}
