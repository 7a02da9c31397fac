//! New values taken into a file of tests (EV-7).
//!
//! Decision: only what `equals` expects is taken over, as it alone is a value; other expectations say
//! what a person thought. The new value is that of the record, so secrets are masked in it.

use super::edit::{Step, edited};
use super::expect::Expectation;
use super::file::Suite;
use super::record::value_of;
use super::report::{CaseReport, SuiteReport};
use super::suite::Case;
use crate::project::{self, Project};
use crate::reading::{self, ReadError};
use serde_json::Value;
use std::path::PathBuf;

/// A file of tests or of cases with new values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accepted {
    /// The file.
    pub file: PathBuf,
    /// Its text as it is.
    pub before: String,
    /// Its text with the new values.
    pub after: String,
    /// The number of new values.
    pub count: usize,
    /// What could not be taken over, a line each.
    pub left: Vec<String>,
}

/// Returns a file of tests with the values that its runs gave in place of those that `equals` expected.
/// Nothing is written.
///
/// # Errors
/// [`ReadError`] when the file can't be read.
pub fn accept(
    project: &Project,
    suite: &Suite,
    report: &SuiteReport,
) -> Result<Accepted, ReadError> {
    let file = suite.data.clone().unwrap_or_else(|| suite.path.clone());
    let before = reading::argument(&file)?;
    let mut text = Text::of(&before, suite);
    let mut reports = report.cases.as_slice();
    for (at, case) in suite.cases.iter().enumerate() {
        let (own, rest) = reports.split_at(case.variants.len().max(1).min(reports.len()));
        reports = rest;
        for (number, expectation) in case.expect.iter().enumerate() {
            if !matches!(expectation, Expectation::Equals(_)) {
                continue;
            }
            match new_value(project, own, number) {
                Ok(Some(value)) => text.change((at, case), number, &value),
                Ok(None) => {}
                Err(why) => text.leave(case, why),
            }
        }
    }
    let Text { lines, count, left, .. } = text;
    Ok(Accepted { file, before, after: lines.concat(), count, left })
}

/// Returns the value of the cells of a case, if one of them is not as an expectation says.
fn new_value(
    project: &Project,
    cells: &[CaseReport],
    number: usize,
) -> Result<Option<Value>, &'static str> {
    let verdict = |cell: &CaseReport| {
        cell.expectations.iter().filter(|it| it.name != "limits").nth(number).cloned()
    };
    if !cells.iter().filter_map(verdict).any(|verdict| !verdict.passed) {
        return Ok(None);
    }
    let mut found: Option<Value> = None;
    for cell in cells {
        let value = verdict(cell).and(cell.run.as_deref()).and_then(|run| recorded(project, run));
        let value = value.ok_or("a run of it gave no value that is kept")?;
        if found.as_ref().is_some_and(|other| *other != value) {
            return Err("its variants give different values");
        }
        found = Some(value);
    }
    Ok(found)
}

fn recorded(project: &Project, run: &str) -> Option<Value> {
    let store = project::runs(project);
    let log = store.load(&contexture_store::runs::RunId::parse(run)?).ok()?;
    value_of(crate::inspect::Kept { store: &*store, log: &log })
}

/// The text of a file, whole or line by line.
struct Text {
    lines: Vec<String>,
    /// True if each case is a line of JSON.
    is_lines: bool,
    is_csv: bool,
    count: usize,
    left: Vec<String>,
}

impl Text {
    fn of(text: &str, suite: &Suite) -> Self {
        let end = suite.data.as_ref().and_then(|data| data.extension());
        let (is_lines, is_csv) =
            (end.is_some(), end.is_some_and(|end| end.eq_ignore_ascii_case("csv")));
        let lines = match is_lines {
            true => text.split_inclusive('\n').map(str::to_owned).collect(),
            false => vec![text.to_owned()],
        };
        Self { lines, is_lines, is_csv, count: 0, left: Vec::new() }
    }

    fn leave(&mut self, case: &Case, why: &str) {
        self.left.push(format!("{}: {why}", case.name.as_deref().unwrap_or_default()));
    }

    fn change(&mut self, (at, case): (usize, &Case), number: usize, value: &Value) {
        if self.is_csv {
            return self.leave(case, "the fields of a CSV file are changed by hand");
        }
        let own = [Step::Key("expect"), Step::Index(number), Step::Key("equals")];
        let (line, path) = match self.is_lines {
            true => (case.line.saturating_sub(1), own.to_vec()),
            false => (0, [&[Step::Key("cases"), Step::Index(at)][..], &own].concat()),
        };
        let changed = self.lines.get(line).and_then(|text| edited(text, &path, value));
        match (changed, self.lines.get_mut(line)) {
            (Some(changed), Some(text)) => {
                *text = changed;
                self.count += 1;
            }
            _ => self.leave(case, "its value can't be changed in place, write it by hand"),
        }
    }
}
