//! The rules of a location (REF-16): which paths a protocol has.
//!
//! Decision: the rules are matched by Earley's algorithm, which takes every context-free grammar
//! (left recursion and ambiguity too), never recurses and never goes exponential; a step limit
//! bounds the rest. `{name}` glued to literal text is that rule once, everything else is EBNF.

mod earley;
mod lexer;
mod lower;
mod parser;
mod rules;
#[cfg(test)]
mod tests;

use super::report::Limits;
use super::report::{Report, span};
use crate::codes;
use contexture_diagnostic::nearest;
use lower::Grammar;
use rules::Rule;
use std::collections::BTreeMap;
use std::ops::Range;

pub use earley::Mismatch;

/// The start rule.
const START: &str = "location";

/// The rules that a path must follow.
#[derive(Debug, Clone)]
pub struct Location {
    grammar: Grammar,
    start: usize,
    max_steps: usize,
}

impl Location {
    /// Returns the byte of the file at which the rule `location` is written.
    #[must_use]
    pub fn start(&self) -> usize {
        self.start
    }

    /// Checks a path of the protocol that is written as one of `names`. The rules may describe the
    /// whole location (`thought://{id}`) or the path alone.
    ///
    /// # Errors
    /// The place up to which the path follows the rules, and what is expected there.
    pub fn check(&self, names: &[&str], path: &str) -> Result<(), Mismatch> {
        let mut whole = None;
        for prefix in names.iter().flat_map(|name| [format!("{name}://"), format!("@{name}://")]) {
            match earley::matches(&self.grammar, &format!("{prefix}{path}"), self.max_steps) {
                Ok(()) => return Ok(()),
                // Rules that took the prefix are meant for the whole location.
                Err(mismatch) => whole = whole.or(mismatch.behind(prefix.len())),
            }
        }
        let alone = earley::matches(&self.grammar, path, self.max_steps);
        alone.map_err(|mismatch| whole.unwrap_or(mismatch))
    }
}

/// Reads the rules out of a part of a file. Without any rule the part is documentation.
pub(super) fn read(
    source: &str,
    part: Range<usize>,
    limits: &Limits,
    report: &mut Report,
) -> Option<Location> {
    let rules = rules::split(source, part);
    let first = rules.first()?;
    let before = report.errors();
    if let Some(beyond) = rules.get(limits.rules) {
        let message = format!("a location has at most {} rules", limits.rules);
        report.say(codes::LOCATION_TOO_LARGE, beyond.name_place(), message);
        return None;
    }
    let names = names(&rules, report);
    let bodies: Vec<_> =
        rules.iter().map(|rule| parser::parse(rule, &names, limits, report)).collect();
    let Some(start) = names.get(START).copied() else {
        missing_start(first, &names, report);
        return None;
    };
    if report.errors() > before {
        return None;
    }
    let grammar = lower::lower(&rules, &bodies, start);
    if grammar.is_too_large {
        let message = format!("the rules make more than {} symbols", lower::MAX_SYMBOLS);
        report.say(codes::LOCATION_TOO_LARGE, first.name_place(), message);
        return None;
    }
    report_endless(&grammar, &rules, report);
    let start = rules.get(start).map_or(0, |rule| rule.at);
    let is_sound = report.errors() == before;
    is_sound.then_some(Location { grammar, start, max_steps: limits.match_steps })
}

/// Returns the rules by name; a name given twice is a fault.
fn names<'a>(rules: &[Rule<'a>], report: &mut Report) -> BTreeMap<&'a str, usize> {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, rule) in rules.iter().enumerate() {
        let first = *names.entry(rule.name).or_insert(index);
        if let Some(first) = rules.get(first).filter(|_| first != index) {
            let message = format!("the rule `{}` is given twice", rule.name);
            let fault = codes::DUPLICATE_RULE.at(span(rule.name_place()), message);
            report.add(
                fault
                    .with_label(span(first.name_place()), "first here")
                    .with_help("join the two with `|`"),
            );
        }
    }
    names
}

fn missing_start(first: &Rule<'_>, names: &BTreeMap<&str, usize>, report: &mut Report) {
    let message = format!("no rule is called `{START}`: nothing says where to begin");
    let near = nearest(START, names.keys().copied()).unwrap_or(first.name);
    let fault = codes::MISSING_START_RULE.at(span(first.name_place()), message);
    report.add(fault.with_help(format!("begin with `{START} ::= {near}`")));
}

fn report_endless(grammar: &Grammar, rules: &[Rule<'_>], report: &mut Report) {
    for index in grammar.endless_rules() {
        let Some(rule) = rules.get(index) else { continue };
        let message = format!("nothing fits the rule `{}`: it always needs itself", rule.name);
        let fault = codes::ENDLESS_RULE.at(span(rule.name_place()), message);
        report.add(fault.with_help("give it an alternative that ends"));
    }
}
