//! The report of tests: for programs, for CI and for pull requests (EV-5).

mod junit;
mod markdown;
mod variants;

pub use junit::junit;
pub use markdown::markdown;
pub use variants::VariantReport;

use super::file::Broken;
use super::judge::Verdict;
use super::suite::{Case, Variant};
use crate::run::{RunError, SetupError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What became of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Outcome {
    /// All that was expected is met.
    Passed,
    /// Something that was expected is not met.
    Failed,
    /// The run, or what judges it, ended with an error.
    Error,
    /// It did not run.
    Skipped,
}

impl Outcome {
    /// Returns its word in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }
}

/// The report of a case in one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CaseReport {
    /// The name of the case.
    pub name: String,
    /// The variant, if it has variants.
    pub variant: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// What was expected, in the order of the file.
    pub expectations: Vec<Verdict>,
    /// The id under which the run is kept.
    pub run: Option<String>,
    /// The tokens that models took.
    pub tokens: u64,
    /// Dollars; absent when a model that answered has no price.
    pub cost: Option<f64>,
    /// True if its value is that of an earlier eval, which was stopped.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub earlier: bool,
    /// The figures of the file, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub figures: BTreeMap<String, f64>,
    /// Why it could not be judged.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<Failure>,
}

/// The reason why a cell could not be judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// Stable code.
    pub code: String,
    /// The message.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
}

impl Failure {
    pub(super) fn of_run(error: &RunError) -> Self {
        let help = error.help().map(str::to_owned);
        Self { code: error.code().to_owned(), message: error.to_string(), help }
    }

    pub(super) fn of_setup(error: &SetupError) -> Self {
        let SetupError { code, message, help } = error.clone();
        Self { code, message, help }
    }
}

impl CaseReport {
    pub(super) fn of(case: &Case, variant: Option<&Variant>) -> Self {
        Self {
            name: case.name.clone().unwrap_or_default(),
            variant: variant.map(|variant| variant.name.clone()),
            outcome: Outcome::Passed,
            expectations: Vec::new(),
            run: None,
            tokens: 0,
            cost: None,
            earlier: false,
            figures: BTreeMap::new(),
            error: None,
        }
    }

    /// Returns its name with that of its variant.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{} · {variant}", self.name),
            None => self.name.clone(),
        }
    }

    /// Returns all that is wrong with it, a line each.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let failed = self.expectations.iter().filter(|verdict| !verdict.passed);
        let mut faults: Vec<String> = failed
            .map(|verdict| {
                format!("{}: {}", verdict.name, verdict.detail.as_deref().unwrap_or_default())
            })
            .collect();
        let is_new = |error: &&Failure| !faults.iter().any(|told| told.contains(&error.message));
        let error = self.error.as_ref().filter(is_new);
        faults.extend(error.map(|error| match &error.help {
            Some(help) => format!("{} ({help})", error.message),
            None => error.message.clone(),
        }));
        faults
    }
}

impl From<&Broken> for CaseReport {
    /// Makes the report of a line that holds no case.
    fn from(Broken { file, line, message }: &Broken) -> Self {
        let code = super::fault::CODE.to_owned();
        Self {
            name: format!("{file}:{line}"),
            variant: None,
            outcome: Outcome::Skipped,
            expectations: Vec::new(),
            run: None,
            tokens: 0,
            cost: None,
            earlier: false,
            figures: BTreeMap::new(),
            error: Some(Failure { code, message: message.clone(), help: None }),
        }
    }
}

/// The report of a file of tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SuiteReport {
    /// The file, by its path in the project.
    pub file: String,
    /// Its cases, each in each of its variants.
    pub cases: Vec<CaseReport>,
    /// What the cells of each variant came to together.
    #[serde(default)]
    pub variants: Vec<VariantReport>,
}

impl SuiteReport {
    /// Makes the report of a file.
    #[must_use]
    pub fn new(file: String, cases: Vec<CaseReport>) -> Self {
        let variants = variants::variants(&cases);
        Self { file, cases, variants }
    }
}

/// Returns a mean with as many digits as tell something: `0.85`, `706`.
#[must_use]
pub fn rounded(mean: f64) -> String {
    if mean.abs() < 100.0 { format!("{mean:.2}") } else { format!("{mean:.0}") }
}

/// The report of all files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The files.
    pub suites: Vec<SuiteReport>,
    /// The number of cells that passed.
    #[serde(default)]
    pub passed: usize,
    /// The number of those that failed, with an error or without.
    #[serde(default)]
    pub failed: usize,
    /// The number of those that did not run.
    #[serde(default)]
    pub skipped: usize,
}

impl Report {
    /// Counts the outcomes of suites.
    #[must_use]
    pub fn new(suites: Vec<SuiteReport>) -> Self {
        let number = |wanted: &[Outcome]| {
            let cases = suites.iter().flat_map(|suite| &suite.cases);
            cases.filter(|case| wanted.contains(&case.outcome)).count()
        };
        let passed = number(&[Outcome::Passed]);
        let failed = number(&[Outcome::Failed, Outcome::Error]);
        let skipped = number(&[Outcome::Skipped]);
        Self { suites, passed, failed, skipped }
    }
}
