//! Every broken answer of the corpus is read as its author meant it (AS-21).

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    reason = "helpers of tests may panic like tests"
)]

mod support;

use contexture_answer::{ReadOptions, read};
use support::{Case, Expected, corpus};

fn outcome(case: &Case) -> Result<(), String> {
    let options = if case.strict { ReadOptions::strict() } else { ReadOptions::lenient() };
    match (read(&case.raw, Some(&case.shape), &options), &case.expected) {
        (Ok(reading), Expected::Value(value)) if reading.value == *value => Ok(()),
        (Err(error), Expected::Errors(paths)) => {
            let found: Vec<String> = error.errors().into_iter().map(|e| e.path).collect();
            if found == *paths {
                return Ok(());
            }
            Err(format!("expected errors {paths:?}\n   found {found:?}: {error}"))
        }
        (Ok(reading), Expected::Value(value)) => {
            Err(format!("expected {value}\n   found {}", reading.value))
        }
        (Ok(reading), Expected::Errors(paths)) => {
            Err(format!("expected errors {paths:?}\n   found {}", reading.value))
        }
        (Err(error), Expected::Value(value)) => Err(format!("expected {value}\n   found {error}")),
    }
}

#[test]
fn as_21_corpus_answers_are_read_correctly() {
    let cases = corpus();
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let reason = outcome(case).err()?;
            Some(format!("{}: {}\n{}\n   {reason}", case.file, case.name, case.raw))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} cases fail:\n\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n\n")
    );
}

#[test]
fn as_21_corpus_covers_at_least_140_answers() {
    assert!(corpus().len() >= 140);
}

#[test]
fn as_5_corpus_shapes_print_as_parsed() {
    for case in corpus() {
        assert_eq!(support::parse_shape(&case.shape.to_string()), case.shape, "{}", case.name);
    }
}
