//! Writes in a `parallel for` to values from outside it, through other names and through functions
//! (AS-10).
//!
//! Decisions. Each function is walked once per change of the functions it calls, and summarised:
//! which parts of its parameters it may write, and which it may return. A write to something
//! certainly new is never reported; a write that depends on a value (an item at a computed index
//! among new and old ones, a default) is left to the run, which refuses every such write.

mod calls;
mod held;
mod scopes;
mod walk;

#[cfg(test)]
mod tests;

use super::Checker;
use super::declarations::{Declarations, FuncDecl};
use crate::codes;
use crate::syntax::ast::ExprKind;
use crate::syntax::walk::block_expressions;
use contexture_diagnostic::Span;
use held::{Held, Outside, Step};
use scopes::Scopes;
use std::collections::{BTreeSet, VecDeque};
use walk::Walker;

/// The limit of nodes visited in a whole program; writes after that are left to the run.
const MOST_NODES: u64 = 20_000_000;
/// The most walks over one function.
const MOST_WALKS: usize = 8;
/// The number of functions listed in the explanation of a write.
const SHOWN: usize = 8;

#[derive(Debug, Clone, Default, PartialEq)]
struct Summary<'p> {
    writes: Vec<Write<'p>>,
    /// Its return value, in terms of its parameters.
    returns: Option<Held<'p>>,
    callees: BTreeSet<usize>,
}

/// A part of a parameter that may be written.
#[derive(Debug, Clone, PartialEq)]
struct Write<'p> {
    parameter: usize,
    steps: Vec<Step<'p>>,
    how: How<'p>,
}

#[derive(Debug, Clone, PartialEq)]
enum How<'p> {
    /// Here, at this span.
    Here(Span),
    /// By a call of a function that writes this part of this parameter.
    Call(usize, usize, Vec<Step<'p>>),
}

/// A write to an outer value in a `parallel for`.
#[derive(Debug, Clone, PartialEq)]
struct Finding<'p> {
    span: Span,
    /// The variable through which it is written, if any.
    base: Option<&'p str>,
    outside: Outside<'p>,
    how: How<'p>,
}

pub(super) struct Aliases<'p> {
    summaries: Vec<Summary<'p>>,
    findings: Vec<Vec<Finding<'p>>>,
}

impl<'p> Aliases<'p> {
    pub(super) fn collect(declarations: &Declarations<'p>) -> Self {
        let count = declarations.functions.len();
        let mut all =
            Self { summaries: vec![Summary::default(); count], findings: vec![Vec::new(); count] };
        if declarations.functions.iter().any(has_parallel_for) {
            all.walk(declarations);
        }
        all
    }

    fn walk(&mut self, declarations: &Declarations<'p>) {
        let count = self.summaries.len();
        let mut callers: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
        let mut walks = vec![0_usize; count];
        let mut waits = vec![true; count];
        let mut queue: VecDeque<usize> = (0..count).collect();
        let mut fuel = MOST_NODES;
        while let Some(number) = queue.pop_front() {
            if let Some(waits) = waits.get_mut(number) {
                *waits = false;
            }
            let Some(decl) = declarations.functions.get(number) else { continue };
            let changed = self.function(declarations, number, decl, &mut fuel);
            for callee in self.summaries.get(number).into_iter().flat_map(|found| &found.callees) {
                if let Some(callers) = callers.get_mut(*callee) {
                    callers.insert(number);
                }
            }
            if !changed {
                continue;
            }
            for caller in callers.get(number).into_iter().flatten() {
                let (Some(waits), Some(walks)) = (waits.get_mut(*caller), walks.get_mut(*caller))
                else {
                    continue;
                };
                if !*waits && *walks < MOST_WALKS {
                    *waits = true;
                    *walks += 1;
                    queue.push_back(*caller);
                }
            }
        }
    }

    /// Walks a function and reports whether its summary has changed.
    fn function(
        &mut self,
        declarations: &Declarations<'p>,
        number: usize,
        decl: &FuncDecl<'p>,
        fuel: &mut u64,
    ) -> bool {
        let mut walker = Walker {
            declarations,
            summaries: &self.summaries,
            file: decl.file,
            agent: decl.agent,
            scopes: Scopes::default(),
            summary: Summary::default(),
            findings: Vec::new(),
            fuel: *fuel,
            loops: 0,
        };
        walker.function(decl.func);
        let Walker { summary, mut findings, fuel: left, .. } = walker;
        *fuel = left;
        findings.sort_by_key(|finding| (finding.span.start, finding.span.end));
        findings.dedup_by_key(|finding| finding.span);
        if let Some(slot) = self.findings.get_mut(number) {
            *slot = findings;
        }
        match self.summaries.get_mut(number) {
            Some(slot) if *slot != summary => {
                *slot = summary;
                true
            }
            _ => false,
        }
    }
}

fn has_parallel_for(decl: &FuncDecl<'_>) -> bool {
    let mut found = false;
    block_expressions(&decl.func.body, &mut |expr| {
        found |= matches!(expr.kind, ExprKind::ParallelFor(_));
    });
    found
}

impl<'p> Checker<'p, '_> {
    pub(super) fn outer_writes(&mut self) {
        let (declarations, aliases) = (self.declarations, self.aliases);
        for (decl, findings) in declarations.functions.iter().zip(&aliases.findings) {
            if decl.file != self.file {
                continue;
            }
            for finding in findings {
                self.outer_value_write(finding);
            }
        }
    }

    fn outer_value_write(&mut self, finding: &Finding<'p>) {
        let Finding { span, base, outside, how } = finding;
        let name = outside.name;
        let message = match (how, base) {
            (How::Call(..), _) => {
                let path = self.write_path(how);
                format!(
                    "this call changes `{name}`, which is defined outside the `parallel for`: {path}"
                )
            }
            (How::Here(_), Some(base)) if *base != name => format!(
                "a `parallel for` can't change `{base}`, which holds all or part of the outer `{name}`"
            ),
            (How::Here(_), _) => {
                format!("a `parallel for` can't change `{name}`, which is defined outside it")
            }
        };
        let direct = matches!((how, base), (How::Here(_), Some(base)) if *base == name);
        let help = if direct {
            "end the body with the item's value: `results = parallel for … { … value }`"
        } else {
            "change a copy, such as `copy = value.summary`, and end the body with the item's value"
        };
        let fault = codes::OUTER_WRITE.at(*span, message);
        self.push(fault.with_label(outside.span, "defined here").with_help(help));
    }

    /// Returns a path such as `note → keep → list.add (main.as:12)`.
    fn write_path(&self, how: &How<'p>) -> String {
        let mut path: Vec<String> = Vec::new();
        let mut how = how;
        let mut file = self.file;
        while let How::Call(function, parameter, steps) = how {
            let decl = self.declarations.functions.get(*function);
            let (Some(decl), Some(summary)) = (decl, self.aliases.summaries.get(*function)) else {
                break;
            };
            path.push(decl.func.name.as_ref().map_or("main func", |name| &name.text).to_owned());
            file = decl.file;
            let same = |write: &&Write<'p>| write.parameter == *parameter && write.steps == *steps;
            let Some(write) = summary.writes.iter().find(same) else { break };
            if path.len() >= SHOWN {
                path.push("…".to_owned());
                break;
            }
            how = &write.how;
        }
        if let (How::Here(span), Some(file)) = (how, self.program.files.get(file)) {
            let text = file.source.slice(*span);
            let text = if text.contains('\n') { "a write" } else { text };
            let line = file.source.position(span.start).line;
            path.push(format!("{text} ({}:{line})", file.source.name()));
        }
        path.join(" → ")
    }
}
