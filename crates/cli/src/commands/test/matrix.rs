//! The cases of a file beside its variants, on a terminal (EV-5).

use crate::output::text::{one_line, padded, width};
use crate::prelude::*;
use contexture::eval::{CaseReport, Outcome, SuiteReport, VariantReport, rounded};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The most columns that a name may take.
const NAME: usize = 48;

/// The name of the line of the cells that passed.
const PASSED: &str = "passed";

/// The name of the column of cases without variants.
const NONE: &str = "·";

/// Returns a line for each case, a column for each variant; none where there are fewer than two, and no
/// figures.
pub(super) fn text(suite: &SuiteReport, paint: Paint) -> Option<String> {
    let column = |case: &CaseReport| case.variant.clone().unwrap_or_else(|| NONE.to_owned());
    let columns = each_once(suite.cases.iter().map(column));
    let means = suite.variants.iter().flat_map(|variant| variant.figures.keys());
    let means: BTreeSet<&str> = means.map(String::as_str).collect();
    if columns.len() < 2 && means.is_empty() {
        return None;
    }
    let rows = each_once(suite.cases.iter().map(|case| case.name.clone()));
    let names = rows.iter().map(String::as_str).chain([PASSED]).chain(means.iter().copied());
    let first = width(names, NAME);
    let mut text = format!("  {}", padded("", first));
    for name in &columns {
        // Writing to a string can't fail.
        let _ = write!(text, "  {}", padded(&one_line(name), cell_width(name)));
    }
    let mut text = format!("{}\n", text.trim_end());
    let mut cells: HashMap<(&str, String), Vec<Outcome>> = HashMap::new();
    for case in &suite.cases {
        cells.entry((&case.name, column(case))).or_default().push(case.outcome);
    }
    for row in &rows {
        let mut line = format!("  {}", padded(&one_line(row), first));
        for name in &columns {
            let outcomes = cells.get(&(row.as_str(), name.clone()));
            let outcomes = outcomes.map(Vec::as_slice).unwrap_or_default();
            let _ = write!(line, "  {}", cell(outcomes, cell_width(name), paint));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for name in std::iter::once(PASSED).chain(means) {
        let mut line = format!("  {}", padded(&one_line(name), first));
        for column in &columns {
            let is_own = |it: &&VariantReport| it.name.as_deref().unwrap_or(NONE) == column;
            let variant = suite.variants.iter().find(is_own);
            let mean = variant.map(|it| mean(it, name)).unwrap_or_default();
            let _ = write!(line, "  {}", padded(&mean, cell_width(column)));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    Some(text)
}

/// Returns the mean of a figure of a variant, or how many of its cells passed.
fn mean(variant: &VariantReport, name: &str) -> String {
    match variant.figures.get(name) {
        Some(mean) => rounded(*mean),
        None if name == PASSED => format!("{} of {}", variant.passed, variant.cells),
        None => String::new(),
    }
}

fn each_once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for name in names {
        if known.insert(name.clone()) {
            all.push(name);
        }
    }
    all
}

/// Returns the width of a column: that of its name, and of the longest word of an outcome.
fn cell_width(name: &str) -> usize {
    width([name, Outcome::Skipped.word()], NAME)
}

/// Returns the outcome of a case in a variant; of several runs how many passed.
fn cell(outcomes: &[Outcome], width: usize, paint: Paint) -> String {
    let passed = outcomes.iter().filter(|outcome| **outcome == Outcome::Passed).count();
    let word = match outcomes {
        [] => String::new(),
        [only] => only.word().to_owned(),
        all => format!("{passed} of {}", all.len()),
    };
    let word = padded(&word, width);
    match outcomes {
        [] | [Outcome::Skipped] => paint.dim(&word),
        all if passed == all.len() => paint.green(&word),
        _ => paint.red(&word),
    }
}
