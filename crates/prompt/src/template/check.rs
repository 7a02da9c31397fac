//! Checks of a template without rendering it.

use super::compile::{self, MAX_PROBLEMS};
use super::compiled::PromptTemplate;
use super::fault::Problem;
use super::needs::{self, Requirement};
use super::ops::{Kind, Op, Program};
use super::references::{self, Included};
use super::registry::PromptTemplateRegistry;
use crate::codes;
use crate::error::PromptError;
use crate::limits::MAX_DEPTH;
use contexture_diagnostic::{Diagnostic, Severity, nearest};
use indexmap::IndexSet;
use std::collections::BTreeMap;

/// The result of [`check`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CheckReport {
    /// The faults in the order of their places, at most a hundred; spans are in the checked text.
    /// Their codes are explained in [`codes`].
    pub diagnostics: Vec<Diagnostic>,
    /// The variables that the template and its partials read, in the order of their first use.
    pub requirements: Vec<Requirement>,
    /// The partials that the template includes itself, each once, in order.
    pub partials: Vec<String>,
    /// The references that the template and its partials include.
    pub references: Vec<Included>,
}

impl CheckReport {
    /// Reports whether the template can't be used.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|fault| fault.severity == Severity::Error)
    }

    /// Returns the variables without which rendering may fail.
    #[must_use]
    pub fn variables(&self) -> Vec<String> {
        needs::required(self.requirements.clone())
    }
}

/// Checks a template: all its faults at once, and the variables it needs (PT-6). Its partials are
/// assumed to be registered elsewhere.
///
/// ```
/// let report = contexture_prompt::check("{{#if a}}{{b}}{{/each}}{{/if}} {{c d}}");
/// let codes: Vec<_> = report.diagnostics.iter().map(|fault| fault.code).collect();
/// assert_eq!(codes, ["PT1004", "PT1009"]);
/// assert_eq!(report.variables(), ["b"]);
/// ```
#[must_use]
pub fn check(text: &str) -> CheckReport {
    examine(text, None)
}

/// Checks a template together with the partials it includes from a registry.
#[must_use]
pub fn check_with(text: &str, library: &PromptTemplateRegistry) -> CheckReport {
    examine(text, Some(library))
}

fn examine(text: &str, library: Option<&PromptTemplateRegistry>) -> CheckReport {
    let (program, problems) = compile::examine(text);
    let mut diagnostics: Vec<_> = problems.iter().map(Problem::to_diagnostic).collect();
    diagnostics.extend(too_deep(&program));
    let mut partials: IndexSet<&str> = IndexSet::new();
    for (name, op) in includes(&program) {
        if !partials.insert(name) {
            continue;
        }
        if let Some(library) = library {
            diagnostics.extend(partial_fault(name, op, library).map(|fault| fault.to_diagnostic()));
        }
    }
    diagnostics.sort_by_key(|fault| fault.span.start);
    diagnostics.truncate(MAX_PROBLEMS);
    let partials = partials.into_iter().map(str::to_owned).collect();
    let template = PromptTemplate::from(program);
    let requirements = needs::requirements(&template, library);
    let references = references::all(&template, library);
    CheckReport { diagnostics, requirements, partials, references }
}

fn includes(program: &Program) -> impl Iterator<Item = (&str, &Op)> {
    program.ops.iter().filter_map(|op| match &op.kind {
        Kind::Include(name) => Some((program.slice(*name), op)),
        _ => None,
    })
}

fn partial_fault(name: &str, op: &Op, library: &PromptTemplateRegistry) -> Option<Problem> {
    let span = op.span();
    match library.get(name) {
        Ok(_) => cycle(name, library).map(|path| {
            let message = format!("partials form a cycle: {path}");
            Problem::new(codes::PARTIAL_CYCLE, span, message)
                .help("include the partial from one side only")
        }),
        Err(PromptError::PartialNotFound(_)) => {
            let message = format!("partial `{name}` is not registered");
            let help = nearest(name, library.names()).map_or_else(
                || "register it, or remove the tag".to_owned(),
                |meant| format!("did you mean `{meant}`?"),
            );
            Some(Problem::new(codes::UNKNOWN_PARTIAL, span, message).help(help))
        }
        Err(error) => {
            let message = format!("partial `{name}` does not compile: {error}");
            Some(Problem::new(codes::BROKEN_PARTIAL, span, message).help("fix the partial first"))
        }
    }
}

/// Returns the path from a partial back to itself through the registry.
fn cycle(start: &str, library: &PromptTemplateRegistry) -> Option<String> {
    // Each partial is visited once; the predecessors give the path.
    let mut from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut next = vec![library.names().find(|name| *name == start)?];
    while let Some(name) = next.pop() {
        let Ok(template) = library.get(name) else { continue };
        for (inner, _) in includes(&template.program) {
            if inner == start {
                return Some(way(start, name, &from));
            }
            if !from.contains_key(inner) {
                from.insert(inner, name);
                next.push(inner);
            }
        }
    }
    None
}

fn way(start: &str, end: &str, from: &BTreeMap<&str, &str>) -> String {
    let mut names = vec![start, end];
    let mut at = end;
    while at != start
        && let Some(before) = from.get(at)
    {
        names.push(before);
        at = before;
    }
    if end == start {
        names.truncate(2);
    }
    names.reverse();
    names.join(" -> ")
}

/// Returns the first block that is nested too deeply to be rendered, if it can be reached.
fn too_deep(program: &Program) -> Option<Diagnostic> {
    let mut ends: Vec<usize> = Vec::new();
    for (at, op) in program.ops.iter().enumerate() {
        while ends.last().is_some_and(|end| *end <= at) {
            ends.pop();
        }
        let extent = match &op.kind {
            Kind::Branch(branch) if !branch.chained => branch.extent,
            Kind::Loop(_, extent) => *extent,
            _ => continue,
        };
        ends.push(at + 1 + extent.then as usize + extent.other as usize);
        if ends.len() > usize::from(MAX_DEPTH) {
            let message = format!("this block is nested more than {MAX_DEPTH} deep");
            let fault = Diagnostic::error(codes::TOO_DEEP.code, message, op.span());
            return Some(fault.with_help("move the inner blocks out of the outer ones"));
        }
    }
    None
}
