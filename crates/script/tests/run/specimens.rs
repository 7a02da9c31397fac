//! Specimens: one file each with program, input and recorded answers; the outcome is a snapshot.
//!
//! A specimen is split by lines that begin with `=== `: `program` (or `file NAME`), `input`,
//! `answers` (a JSON value per line; `! code message` fails), `results` (`Name.method = JSON`).

use crate::support::{block_on, program_of};
use crate::trace::tree;
use contexture_context::Trust;
use contexture_script::host::{GenerateCall, HostError, Standing, Supplied};
use contexture_script::runtime::{Entry, RunOptions, RunOutcome, ScriptedHost, compile, run};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

#[derive(Default)]
struct Specimen {
    files: Vec<(String, String)>,
    input: Value,
    host: ScriptedHost,
}

fn parse(text: &str) -> Specimen {
    let mut specimen = Specimen { input: serde_json::json!({}), ..Specimen::default() };
    for part in text.split("=== ").skip(1) {
        let (head, body) = part.split_once('\n').unwrap();
        let lines = || body.lines().filter(|line| !line.trim().is_empty());
        match head.trim().split_once(' ').unwrap_or((head.trim(), "")) {
            ("program", _) => specimen.files.insert(0, ("main.as".to_owned(), body.to_owned())),
            ("file", name) => specimen.files.push((name.to_owned(), body.to_owned())),
            ("input", _) => specimen.input = serde_json::from_str(body).unwrap(),
            ("answers", _) => {
                for line in lines() {
                    specimen.host = specimen.host.with_answer_result(result(line, Trust::Model));
                }
            }
            ("results", _) => {
                for line in lines() {
                    let (name, value) = line.split_once(" = ").unwrap();
                    let trust = if name.contains('/') { Trust::Program } else { Trust::Tool };
                    specimen.host = specimen.host.with_result(name, result(value, trust));
                }
            }
            other => panic!("{other:?} is no part of a specimen"),
        }
    }
    specimen
}

fn result(line: &str, trust: Trust) -> Result<Supplied, HostError> {
    match line.strip_prefix("! ") {
        Some(fault) => {
            let (code, message) = fault.split_once(' ').unwrap();
            Err(HostError::new(code, message))
        }
        None => Ok(Supplied {
            value: serde_json::from_str(line).unwrap(),
            label: trust.into(),
            standing: Standing::Real,
            ..Supplied::default()
        }),
    }
}

fn report(source: &str, outcome: &RunOutcome, host: &ScriptedHost) -> String {
    let mut out = format!("{}\n", source.trim_end());
    match &outcome.result {
        Ok(value) => writeln!(out, "\n=== value\n{value:#}").unwrap(),
        Err(error) => {
            writeln!(out, "\n=== error\n{error}").unwrap();
            writeln!(out, "help: {}", error.help.as_deref().unwrap_or("-")).unwrap();
            for frame in &error.trace {
                writeln!(
                    out,
                    "in {} at {}:{}:{}",
                    frame.function, frame.file, frame.line, frame.column
                )
                .unwrap();
            }
        }
    }
    for warning in &outcome.warnings {
        writeln!(
            out,
            "\n=== warning\n{}:{}: {} (×{})",
            warning.file, warning.line, warning.message, warning.times
        )
        .unwrap();
    }
    for (number, call) in host.generate_calls().iter().enumerate() {
        writeln!(out, "\n=== call {number}\n{}", describe(call)).unwrap();
    }
    writeln!(out, "\n=== trace\n{}", tree(&host.events())).unwrap();
    out
}

fn describe(call: &GenerateCall) -> String {
    let mut out = format!("{:?} ({})", call.instruction, call.instruction_label.trust);
    let model = call.model.as_ref().map(|model| model.to_string());
    for (what, value) in
        [("model", &model), ("role", &call.role), ("description", &call.description)]
    {
        if let Some(value) = value {
            write!(out, "\n{what}: {value}").unwrap();
        }
    }
    if let Some(shape) = &call.shape {
        write!(out, "\nshape: {shape}").unwrap();
    }
    for item in &call.items {
        let label = item.label.as_deref().unwrap_or("-");
        write!(out, "\nitem [{label}] {} ({}): {}", item.source, item.origin.trust, item.value)
            .unwrap();
        if let Some(budget) = item.budget {
            write!(out, " max {} {:?} {:?}", budget.limit, budget.measure, budget.keep).unwrap();
        }
    }
    out
}

#[test]
fn specimens() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specimens/run");
    let mut paths: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let source = std::fs::read_to_string(&path).unwrap();
        let specimen = parse(&source);
        let files: Vec<(&str, &str)> =
            specimen.files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let program = compile(&program_of(&files));
        let (entry, options) = (Entry::default(), RunOptions::default());
        let outcome = block_on(run(&program, &entry, specimen.input, &specimen.host, &options));
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_path => folder.join("snapshots"), prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, report(&source, &outcome, &specimen.host));
        });
    }
}
