//! The worst case of programs, for people and for programs (CA-5).

use crate::output::text::{dollars, mark, plural, sanitized};
use crate::prelude::*;
use contexture::diagnostic::SourceFile;
use contexture::script::semantic::ceiling::{Ceiling, CostFacts, SiteCost, Unbounded};

/// The worst case of one program.
pub(super) struct ProgramCost {
    facts: CostFacts,
    files: Vec<SourceFile>,
}

impl ProgramCost {
    pub(super) const fn new(facts: CostFacts, files: Vec<SourceFile>) -> Self {
        Self { facts, files }
    }

    fn place(&self, file: &str, at: u32) -> (u32, u32) {
        let source = self.files.iter().find(|source| source.name() == file);
        source.map(|source| source.position(at)).map_or((0, 0), |at| (at.line, at.column))
    }

    fn unbounded(&self) -> impl Iterator<Item = Value> {
        self.facts.unbounded.iter().map(|Unbounded { file, span, reason }| {
            let (line, column) = self.place(file, span.start);
            json!({ "file": file, "line": line, "column": column, "reason": reason })
        })
    }

    fn sites(&self) -> impl Iterator<Item = Value> {
        self.facts.sites.iter().map(|site| {
            let (line, column) = self.place(&site.file, site.span.start);
            let mut shown = site.each.json();
            let about = json!({
                "file": site.file, "line": line, "column": column, "model": site.model,
                "times": site.times, "priced": site.is_priced, "exact": site.is_exact,
            });
            if let (Value::Object(shown), Value::Object(about)) = (&mut shown, about) {
                shown.extend(about);
            }
            shown
        })
    }
}

fn total(all: &[ProgramCost]) -> Ceiling {
    all.iter().fold(Ceiling::ZERO, |sum, one| sum.plus(one.facts.total))
}

/// Returns the fields `cost` and `sites`; several programs are added up. Of a program with errors
/// nothing is known, and so nothing of the sum.
pub(super) fn json(all: &[ProgramCost], has_errors: bool) -> [(&'static str, Value); 2] {
    let mut cost = if has_errors { Value::Null } else { total(all).json() };
    let unbounded: Vec<Value> = all.iter().flat_map(ProgramCost::unbounded).collect();
    let is_exact = all.iter().flat_map(|one| &one.facts.sites).all(|site| site.is_exact);
    if let Value::Object(cost) = &mut cost {
        cost.insert("currency".to_owned(), contexture::ports::profile::CURRENCY.into());
        cost.insert("exact".to_owned(), is_exact.into());
        cost.insert("unbounded".to_owned(), unbounded.into());
    }
    let sites: Vec<Value> = all.iter().flat_map(ProgramCost::sites).collect();
    [("cost", cost), ("sites", sites.into())]
}

/// Renders the worst case, a line for each model call, and what is unbounded.
pub(super) fn text(all: &[ProgramCost], has_errors: bool, paint: Paint) -> String {
    let is_exact = all.iter().flat_map(|one| &one.facts.sites).all(|site| site.is_exact);
    let total = match has_errors {
        true => "not known, because of the errors".to_owned(),
        false => amounts(&total(all), is_exact),
    };
    let mut text = format!("worst case: {total}\n");
    for one in all {
        for site in &one.facts.sites {
            let SiteCost { file, span, model, each, times, is_priced, is_exact } = site;
            let (line, column) = one.place(file, span.start);
            let place = paint.bold(&format!("{}:{line}:{column}", sanitized(file)));
            let times = times.map_or("any number of times".to_owned(), |n| plural(n, "time"));
            let price = if *is_priced { "" } else { " · its price is not known" };
            let each = amounts(each, *is_exact);
            // Writing to a string can't fail.
            let _ = writeln!(text, "{place} {} · {times}, each {each}{price}", sanitized(model));
        }
        for Unbounded { file, span, reason } in &one.facts.unbounded {
            let (line, column) = one.place(file, span.start);
            let place = format!("{}:{line}:{column}", sanitized(file));
            let reason = sanitized(reason);
            let _ = writeln!(text, "{} {place}: {reason}", paint.yellow("unbounded:"));
        }
    }
    text
}

/// Formats `3 calls · 3000 + 300 tokens · 0.0090 USD`.
fn amounts(ceiling: &Ceiling, is_exact: bool) -> String {
    let number = |number: Option<u64>| match number {
        Some(number) => format!("{}{number}", mark(is_exact || number == 0)),
        None => "unbounded".to_owned(),
    };
    let calls = ceiling.calls.map_or("unbounded calls".to_owned(), |calls| plural(calls, "call"));
    let money = ceiling.money.map(|money| format!(" · {}", dollars(money.dollars())));
    let (input, output) = (number(ceiling.input), number(ceiling.output));
    format!("{calls} · {input} + {output} tokens{}", money.unwrap_or_default())
}
