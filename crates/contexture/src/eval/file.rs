//! Files of tests, read with their data (EV-1).

use super::data::{self, Row};
use super::expect::Figure;
use super::fault::{EvalError, LineFault, refusal};
use super::parse::parse;
use super::suite::{Case, Cases, TestFile, Variant};
use crate::project::Project;
use crate::reading;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The cases of a program, ready to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Suite {
    /// The file by its path in the project, or its whole path if it lies outside.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The program.
    pub program: PathBuf,
    /// The file of its cases, where it is another one.
    pub data: Option<PathBuf>,
    /// The cases, each with a name.
    pub cases: Vec<Case>,
    /// The numbers whose means the report has, by name.
    pub figures: BTreeMap<String, Figure>,
    /// The lines of a file of data that hold no case.
    pub broken: Vec<Broken>,
}

impl Suite {
    /// Returns the path of a file that is named relative to this one.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(name)
    }
}

/// A line that holds no case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Broken {
    /// The file of data.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The fault.
    pub message: String,
}

/// Returns the JSON Schema of a file of tests, as published in `schemas/`.
#[must_use]
pub fn test_schema() -> Value {
    schemars::schema_for!(TestFile).to_value()
}

/// Reads a file of tests and its data. With `skips` the lines of a file of data that hold no case are
/// left out and named; without it they are faults.
///
/// # Errors
/// [`EvalError`] with all faults of the file, each with its line.
pub fn load(project: &Project, path: &Path, skips: bool) -> Result<Suite, EvalError> {
    let text = reading::argument(path)?;
    let name = project.name_of(path);
    let file = parse(&text).map_err(|faults| refusal(&name, &text, &faults))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let program = folder.join(&file.program);
    let mut data = None;
    let (cases, broken) = match file.cases {
        Cases::Listed(cases) => {
            let mut cases: Vec<Case> = cases.into_iter().enumerate().map(named).collect();
            if cases.is_empty() {
                let at = text.lines().position(|line| line.starts_with("cases")).unwrap_or(0);
                return Err(refusal(&name, &text, &[no_case(at + 1)]));
            }
            finish(&mut cases, &file.variants).map_err(|faults| refusal(&name, &text, &faults))?;
            (cases, Vec::new())
        }
        Cases::File(name) => {
            let file_of_cases = data.insert(folder.join(name));
            read_data(project, file_of_cases, &file.variants, skips)?
        }
    };
    let (path, figures) = (path.to_owned(), file.figures);
    Ok(Suite { name, path, program, data, cases, figures, broken })
}

/// Reads the cases of a program: those of a file of tests, whichever program it names, or of a JSONL or
/// CSV file.
///
/// # Errors
/// [`EvalError`] with all faults of the file, each with its line.
pub fn load_cases(project: &Project, program: &Path, path: &Path) -> Result<Suite, EvalError> {
    let is_data = path
        .extension()
        .is_some_and(|end| ["jsonl", "csv"].iter().any(|data| end.eq_ignore_ascii_case(data)));
    if !is_data {
        return Ok(Suite { program: program.to_owned(), ..load(project, path, false)? });
    }
    let (cases, broken) = read_data(project, path, &[], false)?;
    let name = project.name_of(path);
    let (path, program, figures) = (path.to_owned(), program.to_owned(), BTreeMap::new());
    Ok(Suite { name, data: Some(path.clone()), path, program, cases, figures, broken })
}

fn read_data(
    project: &Project,
    path: &Path,
    variants: &[Variant],
    skips: bool,
) -> Result<(Vec<Case>, Vec<Broken>), EvalError> {
    let text = reading::argument(path)?;
    let name = project.name_of(path);
    let is_csv = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"));
    let rows: Vec<Row> = if is_csv { data::csv(&text) } else { data::jsonl(&text) };
    let (mut cases, mut faults) = (Vec::with_capacity(rows.len()), Vec::new());
    for (at, row) in rows.into_iter().enumerate() {
        match row {
            Ok(case) => cases.push(named((at, case))),
            Err(fault) => faults.push(fault),
        }
    }
    if cases.is_empty() && (skips || faults.is_empty()) {
        faults.insert(0, no_case(1));
        return Err(refusal(&name, &text, &faults));
    }
    let broken = if skips { std::mem::take(&mut faults) } else { Vec::new() };
    faults.extend(finish(&mut cases, variants).err().unwrap_or_default());
    if !faults.is_empty() {
        faults.sort_by_key(|fault| fault.line);
        return Err(refusal(&name, &text, &faults));
    }
    let broken = broken.into_iter();
    let broken =
        broken.map(|LineFault { line, message }| Broken { file: name.clone(), line, message });
    Ok((cases, broken.collect()))
}

/// Returns the fault of a file that tests nothing.
fn no_case(line: usize) -> LineFault {
    LineFault::new(line, "the file holds no case")
}

/// Names a case without a name by its place in the file, from 0.
fn named((at, case): (usize, Case)) -> Case {
    Case { name: case.name.or_else(|| Some(format!("case {}", at + 1))), ..case }
}

/// Gives cases the variants of the file, and refuses two of one name.
fn finish(cases: &mut [Case], variants: &[Variant]) -> Result<(), Vec<LineFault>> {
    let (mut names, mut faults) = (BTreeMap::new(), Vec::new());
    for case in cases {
        let name = case.name.clone().unwrap_or_default();
        if let Some(first) = names.insert(name.clone(), case.line) {
            let told = format!("two cases are called `{name}`, the other one in line {first}");
            faults.push(LineFault::new(case.line, &told));
        }
        if case.variants.is_empty() {
            case.variants = variants.to_vec();
        }
        let mut known = BTreeSet::new();
        if let Some(twice) = case.variants.iter().find(|variant| !known.insert(&variant.name)) {
            let told = format!("the case `{name}` has two variants called `{}`", twice.name);
            faults.push(LineFault::new(case.line, &told));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Loads a file of tests with its file of cases; faults are their files, lines and messages.
    fn loaded(cases: &str, data: &str, skips: bool) -> Result<Suite, Vec<(String, usize, String)>> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.test.yaml");
        fs::write(&file, format!("program: a.as\ncases: {cases}\n")).unwrap();
        fs::write(folder.path().join(cases), data).ok();
        let project =
            Project::open(folder.path(), crate::environment::Environment::default()).unwrap();
        load(&project, &file, skips).map_err(|error| {
            let EvalError::Refused(report) = error else { panic!("{error}") };
            let file = &report.files[0];
            let told = report.diagnostics.iter().map(|it| {
                let line = file.position(it.span.start).line as usize;
                (it.file.clone(), line, it.message.clone())
            });
            told.collect()
        })
    }

    #[test]
    fn ev_1_case_without_name_is_counted_among_all_rows_of_the_file() {
        let names = |file: &str, data: &str| {
            let suite = loaded(file, data, true).unwrap();
            suite.cases.into_iter().filter_map(|case| case.name).collect::<Vec<_>>()
        };
        assert_eq!(names("c.jsonl", "{}\n\n{\"nme\": 1}\n{}\n"), ["case 1", "case 3"]);
        assert_eq!(names("c.csv", "input.q,name\na\nb,\nc,d\ne,\n"), ["case 2", "d", "case 4"]);
        assert_eq!(names("[{}, {name: b}, {}]", ""), ["case 1", "b", "case 3"]);
    }

    #[test]
    fn ev_1_file_without_a_case_is_refused_with_its_broken_lines() {
        let faults = |cases: &str, data: &str, skips| {
            let faults = loaded(cases, data, skips).unwrap_err();
            let fault = |(file, line, message): (String, usize, String)| {
                (file, line, message.chars().take(22).collect::<String>())
            };
            faults.into_iter().map(fault).collect::<Vec<_>>()
        };
        let fault = |file: &str, line, told: &str| (file.to_owned(), line, told.to_owned());
        let none = "the file holds no case";
        for skips in [true, false] {
            assert_eq!(faults("[]", "", skips), [fault("a.test.yaml", 2, none)]);
            for (file, data) in [("c.jsonl", ""), ("c.jsonl", "\n\n"), ("c.csv", "name,input.q\n")]
            {
                assert_eq!(faults(file, data, skips), [fault(file, 1, none)], "{data:?}");
            }
        }
        let broken = [
            fault("c.jsonl", 1, "the line is not a JSON"),
            fault("c.jsonl", 2, "unknown field `nme`, e"),
        ];
        let all = [&[fault("c.jsonl", 1, none)], &broken[..]].concat();
        assert_eq!(faults("c.jsonl", "5\n{\"nme\": 1}", true), all);
        assert_eq!(faults("c.jsonl", "5\n{\"nme\": 1}", false), broken);
    }

    #[test]
    fn ev_1_schema_takes_file_that_is_read() {
        let schema = jsonschema::validator_for(&test_schema()).unwrap();
        let example = include_str!("../../../../examples/use_one_of.test.yaml");
        let value: Value = serde_saphyr::from_str(example).unwrap();
        assert_eq!(
            schema.iter_errors(&value).map(|fault| fault.to_string()).collect::<Vec<_>>(),
            [""; 0]
        );
        let value: Value = serde_saphyr::from_str(&example.replace("expect:", "expct:")).unwrap();
        assert!(!schema.is_valid(&value));
    }
}
