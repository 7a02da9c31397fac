//! Every code has a program that shows it.

use crate::support::{block_on, executable_of_any, limited};
use contexture_script::codes as checker;
use contexture_script::runtime::error::codes::{CODES, Code};
use contexture_script::runtime::{Entry, RunOptions, ScriptedHost, run};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Returns the options that an example needs besides its source.
fn options(code: &str) -> RunOptions {
    let mut options = match code {
        "AS9051" => limited(|limits| limits.steps = 1000),
        "AS9052" => limited(|limits| limits.string_bytes = 1000),
        "AS9053" => limited(|limits| limits.collection_items = 50),
        "AS9054" => limited(|limits| limits.heap_bytes = 100_000),
        "AS9056" => limited(|limits| limits.model_calls = 10),
        "AS9057" => limited(|limits| limits.tool_calls = 10),
        _ => RunOptions::default(),
    };
    if code == "AS9026" {
        options.selections.insert("main.as:1:20".to_owned(), "c".to_owned());
    }
    options
}

fn host(code: &str) -> ScriptedHost {
    let host = (0..200).fold(ScriptedHost::new(), |host, _| host.with_answer(json!("ok")));
    match code {
        "AS9059" => {
            host.cancel();
            host
        }
        "AS9030" => host,
        _ => host.with_tool("T.get", json!("value")),
    }
}

fn input(code: &str) -> Value {
    match code {
        "AS9017" => json!({ "n": "one" }),
        _ => json!({}),
    }
}

fn found(code: &Code) -> String {
    let entry =
        Entry { function: (code.code == "AS9025").then(|| "nope".to_owned()), ..Entry::default() };
    let (host, options) = (host(code.code), options(code.code));
    // The parser refuses some examples; here they run all the same.
    let program = executable_of_any(code.example);
    let error = block_on(run(&program, &entry, input(code.code), &host, &options)).result;
    let error = error.expect_err(code.example);
    // A failure inside an iteration is reported as a cause of the whole `parallel for`.
    match &error.details {
        Some(details) if error.code == "AS9016" && code.code != "AS9016" => {
            details[0]["code"].as_str().unwrap_or_default().to_owned()
        }
        _ if code.code == "AS9030" => error.to_diagnostic().code.to_owned(),
        _ => error.code,
    }
}

#[test]
fn as_9_every_code_has_example_that_fails_with_it() {
    for code in CODES.iter().filter(|code| !code.example.is_empty()) {
        assert_eq!(found(code), code.code, "{}", code.example);
    }
}

#[test]
fn as_32_runtime_codes_are_unique_ordered_and_distinct_from_checker_codes() {
    let codes: Vec<&str> = CODES.iter().map(|code| code.code).collect();
    let sorted: BTreeSet<&str> = codes.iter().copied().collect();
    assert_eq!(codes, sorted.into_iter().collect::<Vec<_>>());
    for code in CODES {
        assert!(code.code.starts_with("AS9") && code.meaning.ends_with('.'), "{}", code.code);
        assert!(checker::find(code.code).is_none(), "{}", code.code);
    }
}
