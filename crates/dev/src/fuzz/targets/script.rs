//! Programs: parsed, checked and run.

use super::{hold, shown};
use contexture_context::Limits;
use contexture_diagnostic::{Severity, SourceFile};
use contexture_script::analysis;
use contexture_script::format::format;
use contexture_script::host::{LoadedSource, MemoryLoader};
use contexture_script::migrate::migrate;
use contexture_script::program::{Program, load};
use contexture_script::runtime::{Entry, RunOptions, RunOutcome, ScriptedHost, compile, run};
use contexture_script::syntax::{json, parse, parse_expression, parse_repl, parse_shape};
use serde_json::{Value, json};
use std::task::{Context, Poll, Waker};

pub(super) const WORDS: &[&str] = &[
    "main func(input) {",
    "agent A {",
    "import tool File from \"file://workspace\"",
    "generate({",
    "use x max 2k keep tail as y",
    "use x max 2k for q",
    "use one of",
    "parallel for x in",
    "loop max 3 {",
    "until",
    "try { } else err { }",
    "-> { a string, b list[number] }",
    "if",
    "else",
    "return",
    "none",
    "\"\"\"",
    "{{",
    "${",
    "input.text",
    "and",
    "or",
    "not",
    "==",
    "+=",
    "func f(x) { f(x) }",
    "f(1)",
];

pub(super) fn program(input: &[u8]) -> Result<String, String> {
    let (text, limits) = (String::from_utf8_lossy(input), Limits::default());
    let source = SourceFile::new("input.as", text.as_ref());
    let parsed = parse(&source, &limits);
    let seen = shown(&parsed.diagnostics, &source)?;
    let tree = json::tree(&parsed.file, &source);
    let written = serde_json::to_string(&tree).map_err(|error| error.to_string())?;
    match serde_json::from_str::<Value>(&written) {
        Ok(read) => hold(read.is_object(), || "the tree is not an object".to_owned())?,
        // A tree may be higher than this reader goes.
        Err(error) => hold(error.to_string().contains("recursion limit"), || {
            format!("the tree is not read back: {error}")
        })?,
    }
    let _ = (parse_shape(&text, &limits), parse_expression(&text, &limits));
    let _ = parse_repl(&text, &limits);
    if let Ok(formatted) = format(&source, &limits) {
        let again = format(&SourceFile::new("input.as", formatted.as_str()), &limits);
        let again = again.map_err(|faults| format!("formatting breaks the program: {faults:?}"))?;
        hold(again == formatted, || {
            format!("formatting is not idempotent: {formatted:?} becomes {again:?}")
        })?;
    }
    let migrated = migrate(&source, &limits);
    let again = migrate(&SourceFile::new("input.as", migrated.text.as_str()), &limits);
    hold(again.changes == 0, || format!("migration is not idempotent: {:?}", migrated.text))?;
    Ok(seen)
}

pub(super) fn loaded(input: &[u8], limits: &Limits) -> Program {
    let text = String::from_utf8_lossy(input).into_owned();
    load(LoadedSource { name: "input.as".to_owned(), text }, &MemoryLoader::new(), limits)
}

pub(super) fn check(input: &[u8]) -> Result<String, String> {
    let program = loaded(input, &Limits::default());
    let faults = analysis::check(&program);
    hold(faults == analysis::check(&program), || "a check differs from the next one".to_owned())?;
    match program.files.first() {
        Some(file) => shown(&faults, &file.source),
        None => Err("a program has no file".to_owned()),
    }
}

/// Limits that a run reaches within milliseconds.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.call_depth = 300;
    limits.steps = 100_000;
    limits.string_bytes = 1 << 20;
    limits.collection_items = 20_000;
    limits.heap_bytes = 16 << 20;
    limits.value_depth = 100;
    limits.model_calls = 40;
    limits.tool_calls = 40;
    limits
}

pub(super) fn interpret(input: &[u8]) -> Result<String, String> {
    let program = loaded(input, &limits());
    // A program with faults compiles, too: an invalid part fails when it is reached.
    let is_sound = !analysis::check(&program).iter().any(|one| one.severity == Severity::Error);
    let executable = compile(&program);
    let once = || {
        let host = ScriptedHost::new()
            .with_answer(json!("The server listens on port 7878."))
            .with_answer(json!({ "text": "a", "ok": true, "items": [1, 2.5, null] }))
            .with_answer(json!(42));
        let options = RunOptions { limits: limits(), ..RunOptions::default() };
        let input = json!({
            "text": "word and word", "question": "Which?", "path": "README.md", "n": 7,
            "items": ["a", "b"], "messages": [{ "role": "user", "text": "hi" }], "state": {},
        });
        let entry = Entry::default();
        finished(run(&executable, &entry, input, &host, &options))
    };
    let outcome = once();
    hold(outcome == once(), || format!("a run differs from the next one: {outcome:?}"))?;
    // A step is counted where code repeats: whole loop bodies.
    hold(outcome.steps <= 2 * limits().steps, || format!("too many steps: {}", outcome.steps))?;
    match &outcome.result {
        Ok(value) => {
            let read: Result<Value, _> = serde_json::from_str(&value.to_string());
            let is_same = read.as_ref().is_ok_and(|read| read == value);
            hold(is_same, || format!("a value is not read back: {value}"))?;
            Ok(format!("{is_sound} {}", value.to_string().chars().take(6).collect::<String>()))
        }
        Err(error) => {
            let _ = error.to_diagnostic();
            Ok(format!("{is_sound} {} {}", error.code, outcome.steps.checked_ilog2().unwrap_or(0)))
        }
    }
}

/// Runs to the end: nothing of the scripted host waits.
pub(super) fn finished(running: impl Future<Output = RunOutcome>) -> RunOutcome {
    let mut running = std::pin::pin!(running);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(outcome) = running.as_mut().poll(&mut context) {
            return outcome;
        }
    }
}
