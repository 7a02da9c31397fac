//! Effects that a `parallel for` may not have, followed through calls (AS-10).

use super::Checker;
use super::declarations::{Declarations, Global};
use super::tools::{capability_of, frontend_of};
use crate::codes;
use crate::library;
use crate::program::Program;
use crate::semantic::grant::{self, Grant};
use crate::server::ServerImport;
use crate::syntax::ast::{Expr, ExprKind, Import};
use crate::syntax::walk;
use crate::syntax::walk::strip;
use contexture_diagnostic::Span;
use std::collections::VecDeque;

#[derive(Debug, Clone)]
struct Write {
    /// A name such as `File.write`.
    name: String,
    span: Span,
}

#[derive(Debug, Clone, Default)]
struct Summary {
    write: Option<Write>,
    callees: Vec<usize>,
}

pub(super) struct Effects<'p> {
    program: &'p Program,
    /// For each function the step towards the nearest write, if there is one.
    steps: Vec<Option<Step>>,
}

#[derive(Debug, Clone)]
enum Step {
    Write(Write),
    Call(usize),
}

struct Found {
    /// The functions on the way, the called one first.
    path: Vec<usize>,
    write: Write,
}

impl<'p> Effects<'p> {
    pub(super) fn collect(program: &'p Program, declarations: &Declarations<'p>) -> Self {
        let mut summaries = Vec::with_capacity(declarations.functions.len());
        for decl in &declarations.functions {
            let mut summary = Summary::default();
            let resolver = Resolver { program, declarations, file: decl.file, agent: decl.agent };
            walk::block_expressions(&decl.func.body, &mut |expr| {
                let ExprKind::Call { callee, arguments } = &expr.kind else {
                    resolver.note_tools(expr, &mut summary);
                    return;
                };
                resolver.note(expr.span, callee, arguments, &mut summary);
            });
            summaries.push(summary);
        }
        Self { program, steps: steps(summaries) }
    }

    /// Returns the nearest write that a call of the function reaches.
    fn search(&self, function: usize) -> Option<Found> {
        let mut path = vec![function];
        let mut current = function;
        loop {
            match self.steps.get(current)?.as_ref()? {
                Step::Write(write) => return Some(Found { path, write: write.clone() }),
                Step::Call(next) => {
                    current = *next;
                    path.push(current);
                }
            }
        }
    }
}

/// Walks from the functions that write to their callers, nearest first, so that following the steps
/// always ends.
fn steps(summaries: Vec<Summary>) -> Vec<Option<Step>> {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); summaries.len()];
    for (caller, summary) in summaries.iter().enumerate() {
        for callee in &summary.callees {
            if let Some(callers) = callers.get_mut(*callee) {
                callers.push(caller);
            }
        }
    }
    let mut steps: Vec<Option<Step>> =
        summaries.into_iter().map(|summary| summary.write.map(Step::Write)).collect();
    let writers = steps.iter().enumerate().filter(|(_, step)| step.is_some());
    let mut queue: VecDeque<usize> = writers.map(|(function, _)| function).collect();
    while let Some(callee) = queue.pop_front() {
        for caller in callers.get(callee).into_iter().flatten() {
            if let Some(slot @ None) = steps.get_mut(*caller) {
                *slot = Some(Step::Call(callee));
                queue.push_back(*caller);
            }
        }
    }
    steps
}

/// A lookup of the functions that calls mean. It knows no variables: one that shadows a function
/// only makes the check look at more.
pub(super) struct Resolver<'p, 'c> {
    pub(super) program: &'p Program,
    pub(super) declarations: &'c Declarations<'p>,
    pub(super) file: usize,
    pub(super) agent: Option<usize>,
}

impl<'p> Resolver<'p, '_> {
    fn global(&self, expr: &Expr) -> Option<Global<'p>> {
        match &strip(expr).kind {
            ExprKind::Name(name) => self.declarations.global(self.file, self.agent, name),
            _ => None,
        }
    }

    fn note(&self, span: Span, callee: &Expr, arguments: &[Expr], summary: &mut Summary) {
        if let Some(name) = self.written(callee) {
            summary.write = summary.write.take().or(Some(Write { name, span }));
        }
        summary.callees.extend(self.callees(callee, arguments));
    }

    /// Notes the writes that `generate({ tools: [File.write] })` lets a model perform.
    fn note_tools(&self, expr: &Expr, summary: &mut Summary) {
        let ExprKind::Generate(generate) = &expr.kind else { return };
        let tools = generate.options.iter().filter(|(key, _)| key.value == "tools");
        for (_, value) in tools {
            let ExprKind::List(items) = &strip(value).kind else { continue };
            for item in items {
                let (tool, method) = grant::parts(item);
                let Some(Global::Import(import)) = self.global(tool) else { continue };
                let facts = self.program.server(self.file, &import.name.text);
                let named = method.map(|name| name.text.as_str());
                let Ok(Grant { granted, .. }) = grant::grant(import, facts, named) else {
                    continue;
                };
                let changes = granted.into_iter().find(|method| !method.runs_in_parallel);
                if let Some(method) = changes {
                    let name = format!("{}.{}", import.name.text, method.name);
                    summary.write = summary.write.take().or(Some(Write { name, span: item.span }));
                }
            }
        }
    }

    fn written(&self, callee: &Expr) -> Option<String> {
        let ExprKind::Field { base, name } = &strip(callee).kind else { return None };
        match self.global(base)? {
            Global::Import(import) if self.writes(import, &name.text) => {
                Some(format!("{}.{}", import.name.text, name.text))
            }
            _ => None,
        }
    }

    /// Returns the functions that a call means.
    pub(super) fn callees(&self, callee: &Expr, arguments: &[Expr]) -> Vec<usize> {
        match &strip(callee).kind {
            ExprKind::Name(_) => match self.global(callee) {
                Some(Global::Function(number)) => vec![number],
                Some(Global::Agent(Some(agent))) => {
                    self.declarations.entry(agent).into_iter().collect()
                }
                _ => Vec::new(),
            },
            ExprKind::Field { base, name } => match self.global(base) {
                Some(Global::Agent(Some(agent))) => {
                    self.declarations.function_of(agent, &name.text).into_iter().collect()
                }
                _ if library::takes_function(&name.text) => {
                    arguments.iter().filter_map(|argument| self.function(argument)).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn function(&self, expr: &Expr) -> Option<usize> {
        match self.global(expr) {
            Some(Global::Function(number)) => Some(number),
            _ => None,
        }
    }

    fn writes(&self, import: &Import, method: &str) -> bool {
        if let Some(server) = ServerImport::of(import) {
            let facts = self.program.server(self.file, &import.name.text);
            return facts.is_none_or(|facts| facts.writes(&server, method));
        }
        // The effects of a client's tool are unknown here.
        let found = capability_of(import);
        let method = found.as_ref().and_then(|signature| signature.method(method));
        frontend_of(import).is_some() || method.is_some_and(|method| !method.runs_in_parallel())
    }
}

impl<'p> Checker<'p, '_> {
    pub(super) fn effects_of_call(&mut self, span: Span, callee: &'p Expr, arguments: &'p [Expr]) {
        if self.is_full() {
            return;
        }
        if self.is_variable_call(callee) && !self.maps(callee) {
            return;
        }
        let resolver = Resolver {
            program: self.program,
            declarations: self.declarations,
            file: self.file,
            agent: self.agent,
        };
        if let Some(name) = resolver.written(callee) {
            self.report_effect(span, &name, None);
            return;
        }
        let called = resolver.callees(callee, arguments);
        let found = called.into_iter().find_map(|function| self.effects.search(function));
        if let Some(found) = found {
            let name = found.write.name.clone();
            self.report_effect(span, &name, Some(&found));
        }
    }

    /// Reports whether a call is made on a variable, which shadows everything else of its name.
    fn is_variable_call(&self, callee: &Expr) -> bool {
        let base = match &strip(callee).kind {
            ExprKind::Field { base, .. } => base,
            _ => callee,
        };
        match &strip(base).kind {
            ExprKind::Name(name) => self.scopes.is_variable(name),
            _ => true,
        }
    }

    fn maps(&self, callee: &Expr) -> bool {
        match &strip(callee).kind {
            ExprKind::Field { name, .. } => library::takes_function(&name.text),
            _ => false,
        }
    }

    fn report_effect(&mut self, span: Span, write: &str, found: Option<&Found>) {
        let message = match found {
            None => format!("`{write}` has an effect and can't run in a `parallel for`"),
            Some(found) => {
                let path = self.effect_path(found);
                format!(
                    "this calls `{write}`, which has an effect and can't run in a `parallel for`: {path}"
                )
            }
        };
        let help = "collect the values in the `parallel for`, and write them in a `for` after it";
        self.push(codes::PARALLEL_EFFECT.at(span, message).with_help(help));
    }

    /// Returns a path such as `save → store → File.write (main.as:12)`.
    fn effect_path(&self, found: &Found) -> String {
        const SHOWN: usize = 8;
        let mut steps: Vec<String> = Vec::new();
        for function in found.path.iter().take(SHOWN) {
            let Some(decl) = self.declarations.functions.get(*function) else { continue };
            let own = decl.func.name.as_ref().map_or("main func", |name| name.text.as_str());
            let agent = decl.agent.and_then(|item| {
                let id = crate::program::AgentId { file: decl.file, item: Some(item) };
                self.effects.program.agent(id)?.name.as_ref()
            });
            steps.push(match agent {
                Some(agent) => format!("{}.{own}", agent.text),
                None => own.to_owned(),
            });
        }
        if found.path.len() > SHOWN {
            steps.push("…".to_owned());
        }
        let file = found.path.last().and_then(|last| self.declarations.functions.get(*last));
        let place = file.and_then(|decl| self.program.files.get(decl.file)).map(|file| {
            let line = file.source.position(found.write.span.start).line;
            format!(" ({}:{line})", file.source.name())
        });
        steps.push(format!("{}{}", found.write.name, place.unwrap_or_default()));
        steps.join(" → ")
    }
}
