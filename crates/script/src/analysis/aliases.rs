//! Writes of a `parallel for` to what belongs to the outside, through other names and through
//! functions (AS-10).
//!
//! Decisions. Each function is walked once per change of what it calls, and summed up: which parts
//! of its parameters it may write, and which it may give back. What is certainly new is never
//! told; what depends on a value (an item at a computed index among new and old ones, a default)
//! is left to the run, which refuses every such write.

mod calls;
mod held;
mod scopes;
mod walk;

#[cfg(test)]
mod tests;

use super::Checker;
use super::declarations::{Declarations, FuncDecl};
use super::visit;
use crate::codes;
use crate::syntax::ast::ExprKind;
use contexture_diagnostic::Span;
use held::{Held, Outside, Step};
use scopes::Scopes;
use std::collections::{BTreeSet, VecDeque};
use walk::Walker;

/// Nodes looked at in a whole program; writes behind them are left to the run.
const MOST_NODES: u64 = 20_000_000;
/// How often one function is walked.
const MOST_WALKS: usize = 8;
/// Functions that the explanation of a write names.
const SHOWN: usize = 8;

/// What is known of a function.
#[derive(Debug, Clone, Default, PartialEq)]
struct Summary<'p> {
    writes: Vec<Write<'p>>,
    /// What it gives back, in terms of its parameters.
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
    /// Here, by what stands at the span.
    Here(Span),
    /// By calling a function that writes this part of this parameter.
    Call(usize, usize, Vec<Step<'p>>),
}

/// A write to the outside in a `parallel for`.
#[derive(Debug, Clone, PartialEq)]
struct Finding<'p> {
    span: Span,
    /// The variable through which it is written, if it is one.
    base: Option<&'p str>,
    outside: Outside<'p>,
    how: How<'p>,
}

/// The writes to the outside of all functions of a program.
pub(super) struct Aliases<'p> {
    summaries: Vec<Summary<'p>>,
    /// By function.
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

    /// Walks over a function; whether it is now known to do something else.
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
    visit::block_expressions(&decl.func.body, &mut |expr| {
        found |= matches!(expr.kind, ExprKind::ParallelFor(_));
    });
    found
}

impl<'p> Checker<'p, '_> {
    /// Tells the writes to the outside in this file's `parallel for`s.
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
                    "this call changes `{name}`, which belongs to the outside of the `parallel for`: {path}"
                )
            }
            (How::Here(_), Some(base)) if *base != name => format!(
                "`{base}` holds `{name}` or a part of it, which belongs to the outside: a `parallel for` can't change it"
            ),
            (How::Here(_), _) => {
                format!("a `parallel for` can't change `{name}`, which belongs to the outside")
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

    /// `note → keep → list.add (main.as:12)`.
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
