//! The cases of a file beside its variants, on a terminal (EV-5).

use crate::output::text::{one_line, padded, width};
use crate::prelude::*;
use contexture::eval::{CaseReport, Outcome, SuiteReport};

/// The most columns that a name may take.
const NAME: usize = 48;

/// The name of the column of cases without variants.
const NONE: &str = "·";

/// Returns a line for each case, a column for each variant; none where there are fewer than two.
pub(super) fn text(suite: &SuiteReport, paint: Paint) -> Option<String> {
    let column = |case: &CaseReport| case.variant.clone().unwrap_or_else(|| NONE.to_owned());
    let columns = each_once(suite.cases.iter().map(column));
    if columns.len() < 2 {
        return None;
    }
    let rows = each_once(suite.cases.iter().map(|case| case.name.clone()));
    let first = width(rows.iter().map(String::as_str), NAME);
    let mut text = format!("  {}", padded("", first));
    for name in &columns {
        // Writing to a string can't fail.
        let _ = write!(text, "  {}", padded(&one_line(name), cell_width(name)));
    }
    let mut text = format!("{}\n", text.trim_end());
    for row in &rows {
        let mut line = format!("  {}", padded(&one_line(row), first));
        for name in &columns {
            let own = |case: &&CaseReport| case.name == *row && column(case) == *name;
            let outcomes: Vec<Outcome> =
                suite.cases.iter().filter(own).map(|case| case.outcome).collect();
            let _ = write!(line, "  {}", cell(&outcomes, cell_width(name), paint));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    Some(text)
}

fn each_once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut known = std::collections::HashSet::new();
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
