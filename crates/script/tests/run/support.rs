//! Runs sources and bodies against a scripted host.

use contexture_context::Limits;
use contexture_diagnostic::Severity;
use contexture_script::host::{LoadedSource, MemoryLoader};
use contexture_script::program::{Program, load};
use contexture_script::runtime::{
    Entry, Executable, RunError, RunOptions, RunOutcome, ScriptedHost, compile, run,
};
use futures_util::task::noop_waker_ref;
use serde_json::{Value, json};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll};

/// Polls a future until it is ready; the scripted host wakes itself.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(noop_waker_ref());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Parses a program that must have no faults.
pub(crate) fn program(source: &str) -> Program {
    program_of(&[("main.as", source)])
}

/// Parses a program of several files, the first its own. The templates and the server that it
/// imports exist, without known facts.
pub(crate) fn program_of(files: &[(&str, &str)]) -> Program {
    let known = |loader: MemoryLoader, path: &str| loader.with_template(path, Ok(<_>::default()));
    let loader = MemoryLoader::new().with_server("server", <_>::default());
    program_with(["t.hbs", "parts/other.hbs"].into_iter().fold(loader, known), files)
}

/// Parses a program of several files over a loader.
pub(crate) fn program_with(loader: MemoryLoader, files: &[(&str, &str)]) -> Program {
    let loader = files.iter().fold(loader, |loader, (name, text)| loader.with(*name, *text));
    let (name, text) = files[0];
    let root = LoadedSource { name: name.to_owned(), text: text.to_owned() };
    let program = load(root, &loader, &Limits::default());
    let all = program.files.iter().flat_map(|file| &file.parsed.diagnostics);
    let faults: Vec<_> = all.filter(|fault| fault.severity == Severity::Error).collect();
    assert!(
        faults.is_empty() && program.faults.is_empty(),
        "{source:?}: {faults:#?}",
        source = text
    );
    program
}

/// Compiles a program that must have no faults.
pub(crate) fn executable(source: &str) -> Executable {
    compile(&program(source))
}

/// Compiles a program with whatever faults it has.
pub(crate) fn executable_of_any(source: &str) -> Executable {
    let root = LoadedSource { name: "main.as".to_owned(), text: source.to_owned() };
    compile(&load(root, &MemoryLoader::new(), &Limits::default()))
}

/// Runs a program to its end.
pub(crate) fn outcome(source: &str, input: Value, host: &ScriptedHost) -> RunOutcome {
    outcome_with(source, input, host, &RunOptions::default())
}

/// Runs a program to its end with options.
pub(crate) fn outcome_with(
    source: &str,
    input: Value,
    host: &ScriptedHost,
    options: &RunOptions,
) -> RunOutcome {
    block_on(run(&executable(source), &Entry::default(), input, host, options))
}

/// Wraps a body in a `main func`, between declarations and end.
pub(crate) fn main_of(body: &str) -> String {
    format!("main func(input) {{\n{body}\n}}\n")
}

/// Returns the value of a whole program.
#[track_caller]
pub(crate) fn value_of(source: &str) -> Value {
    outcome(source, json!({}), &ScriptedHost::new())
        .result
        .unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// Returns the value of a body of `main func(input)`.
#[track_caller]
pub(crate) fn value(body: &str) -> Value {
    value_of(&main_of(body))
}

/// Returns the failure of a whole program.
#[track_caller]
pub(crate) fn failure_of(source: &str) -> RunError {
    match outcome(source, json!({}), &ScriptedHost::new()).result {
        Ok(value) => panic!("it gives {value}\n{source}"),
        Err(error) => error,
    }
}

/// Returns the failure of a body of `main func(input)`.
#[track_caller]
pub(crate) fn failure(body: &str) -> RunError {
    failure_of(&main_of(body))
}

/// Returns the code and message of the failure of a body.
#[track_caller]
pub(crate) fn fault(body: &str) -> (String, String) {
    let error = failure(body);
    (error.code, error.message)
}

/// Returns limits with one change.
pub(crate) fn limited(change: impl FnOnce(&mut Limits)) -> RunOptions {
    let mut options = RunOptions::default();
    change(&mut options.limits);
    options
}
