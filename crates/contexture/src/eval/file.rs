//! Files of tests, read with their data (EV-1).

use super::data::{self, Row};
use super::fault::{EvalError, LineFault};
use super::suite::{Case, Cases, TestFile, Variant};
use crate::project::Project;
use crate::reading;
use serde_json::Value;
use std::collections::BTreeSet;
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
    /// The cases, each with a name.
    pub cases: Vec<Case>,
    /// The lines of a file of data that hold no case.
    pub broken: Vec<Broken>,
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
/// left out and named; without it the first of them is a fault.
///
/// # Errors
/// [`EvalError`] with the fault and its line.
pub fn load(project: &Project, path: &Path, skips: bool) -> Result<Suite, EvalError> {
    let text = reading::argument(path)?;
    let name = name_in(project, path);
    let file = parse(&name, &text)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut broken = Vec::new();
    let mut cases = match file.cases {
        Cases::Listed(cases) => cases,
        Cases::File(data) => read_data(project, &folder.join(data), skips, &mut broken)?,
    };
    finish(&mut cases, &file.variants).map_err(|fault| fault.in_file(&name, &text))?;
    let program = folder.join(&file.program);
    Ok(Suite { name, path: path.to_owned(), program, cases, broken })
}

/// Reads the cases of a program: those of a file of tests, whichever program it names, or of a JSONL or
/// CSV file.
///
/// # Errors
/// [`EvalError`] with the fault and its line.
pub fn load_cases(project: &Project, program: &Path, path: &Path) -> Result<Suite, EvalError> {
    let is_data = path
        .extension()
        .is_some_and(|end| ["jsonl", "csv"].iter().any(|data| end.eq_ignore_ascii_case(data)));
    if !is_data {
        return Ok(Suite { program: program.to_owned(), ..load(project, path, false)? });
    }
    let mut cases = read_data(project, path, false, &mut Vec::new())?;
    let name = name_in(project, path);
    finish(&mut cases, &[]).map_err(|fault| fault.in_file(&name, ""))?;
    let (path, program) = (path.to_owned(), program.to_owned());
    Ok(Suite { name, path, program, cases, broken: Vec::new() })
}

/// Reads the text of a file of tests.
fn parse(name: &str, text: &str) -> Result<TestFile, EvalError> {
    serde_saphyr::from_str(text).map_err(|error| {
        let told = error.without_snippet().to_string();
        let told = told.strip_prefix("error: ").unwrap_or(&told);
        let line = error.location().and_then(|at| usize::try_from(at.line()).ok());
        LineFault::new(line.unwrap_or(1), without_place(told)).in_file(name, text)
    })
}

/// Returns a message without its line and column, which the diagnostic has.
fn without_place(told: &str) -> &str {
    told.rsplit_once(" at line ").map_or(told, |(message, _)| message)
}

fn read_data(
    project: &Project,
    path: &Path,
    skips: bool,
    broken: &mut Vec<Broken>,
) -> Result<Vec<Case>, EvalError> {
    let text = reading::argument(path)?;
    let name = name_in(project, path);
    let is_csv = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"));
    let rows: Vec<Row> = if is_csv { data::csv(&text) } else { data::jsonl(&text) };
    let mut cases = Vec::with_capacity(rows.len());
    for row in rows {
        match row {
            Ok(case) => cases.push(case),
            Err(fault) if !skips => return Err(fault.in_file(&name, &text)),
            Err(LineFault { line, message }) => {
                broken.push(Broken { file: name.clone(), line, message });
            }
        }
    }
    Ok(cases)
}

/// Names cases, gives them the variants of the file, and refuses two of one name.
fn finish(cases: &mut [Case], variants: &[Variant]) -> Result<(), LineFault> {
    let mut names = BTreeSet::new();
    for (at, case) in cases.iter_mut().enumerate() {
        let name = case.name.get_or_insert_with(|| format!("case {}", at + 1));
        if !names.insert(name.clone()) {
            let message =
                format!("two cases are called `{name}`, expected a name of its own for each");
            return Err(LineFault::new(1, &message));
        }
        if case.variants.is_empty() {
            case.variants = variants.to_vec();
        }
        let mut known = BTreeSet::new();
        if let Some(twice) = case.variants.iter().find(|variant| !known.insert(&variant.name)) {
            let message = format!("the case `{name}` has two variants called `{}`", twice.name);
            return Err(LineFault::new(1, &message));
        }
    }
    Ok(())
}

/// Returns the path of a file in the project, or its whole path if it lies outside.
fn name_in(project: &Project, path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let inside = whole.strip_prefix(&project.root).map(Path::to_owned);
    inside.unwrap_or_else(|_| path.to_owned()).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (u32, String, String) {
        let Err(EvalError::Invalid { file, diagnostic }) = parse("a.test.yaml", text) else {
            panic!("it is read")
        };
        let line = file.position(diagnostic.span.start).line;
        (line, diagnostic.message, diagnostic.help.unwrap_or_default())
    }

    #[test]
    fn ev_1_file_is_read_with_all_its_keys() {
        let text = "program: ask.as\ncases:\n  - name: 一\n    input: {q: 5}\n    answers: [{json: {a: 1}}, raw]\n    select: {facts: long}\n    variants:\n      - {name: small, model: mock, select: {facts: short}, options: {max_output: 9}}\n    limits: {max_cost: 0.1, max_calls: 3}\n    expect:\n      - equals: {a: 1}\n      - matches: {path: 'a[0].b', pattern: '^x'}\n      - where: size(value.tags) == 2\n      - near: {path: a, value: 1, within: 0.5}\n      - overlap: {path: t, with: [a], at_least: 0.6}\n      - schema: {type: object}\n      - prompt: {has_item: facts, keeps: x, max_tokens: 300, call: 1, least_trust: user}\n      - course: {calls: 1, attempts: 2, tools: [File.read]}\n      - scorer: {agent: Grader.score, at_least: 0.8}\n";
        let file = parse("a.test.yaml", text).unwrap();
        let Cases::Listed(cases) = file.cases else { panic!("a list") };
        assert_eq!(cases[0].variants[0].options.max_output, Some(9));
        assert_eq!(cases[0].limits.max_calls, Some(3));
        let names: Vec<_> = cases[0].expect.iter().map(super::super::Expectation::name).collect();
        let all = [
            "equals", "matches", "where", "near", "overlap", "schema", "prompt", "course", "scorer",
        ];
        assert_eq!(names, all);
    }

    #[test]
    fn ev_1_unknown_keys_and_names_are_faults_with_line_and_suggestion() {
        let (line, message, help) = fault("program: a.as\ncases:\n  - name: x\n    expct: []\n");
        assert_eq!((line, help.as_str()), (4, "did you mean `expect`?"), "{message}");
        let (line, message, help) =
            fault("program: a.as\ncases:\n  - name: x\n    expect:\n      - equal: 1\n");
        assert_eq!((line, help.as_str()), (5, "did you mean `equals`?"), "{message}");
        let (line, message, help) =
            fault("program: a.as\ncases:\n  - expect:\n      - where: valu.a == 1\n");
        assert_eq!(line, 4, "{message} {help}");
        assert!(message.contains("did you mean `value`?"), "{message}");
        let (line, message, _) =
            fault("program: a.as\ncases:\n  - expect:\n      - matches: {pattern: '('}\n");
        assert_eq!(line, 4, "{message}");
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
