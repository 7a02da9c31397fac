//! Blocks of AgentScript.

use crate::blocks::Block;
use crate::support::{Done, Sandbox};
use serde_json::Value;

const FILE: &str = "program.as";

/// Checks a program and, when the document shows its value, runs it.
pub(crate) fn check(block: &Block) -> Result<(), String> {
    let sandbox = Sandbox::with_examples();
    sandbox.write(FILE, whole(&block.text));
    // The packs of the example are those of the workspace.
    let packs = sandbox.path("examples/knowledge/.agents");
    std::fs::rename(packs, sandbox.path(".agents")).map_err(|error| error.to_string())?;
    let done = sandbox.run(["check", FILE, "--json"]);
    if let Some(code) = block.mark("error") {
        return finds(&done, code);
    }
    if done.code != Some(0) {
        return Err(format!("{}{}", done.stdout, done.stderr));
    }
    block.value.as_deref().map_or(Ok(()), |value| gives(&sandbox, value))
}

fn finds(done: &Done, code: &str) -> Result<(), String> {
    let report = done.json();
    let found = report["diagnostics"].as_array().into_iter().flatten();
    let codes: Vec<&str> = found.filter_map(|fault| fault["code"].as_str()).collect();
    if codes.contains(&code) { Ok(()) } else { Err(format!("{code} expected, found {codes:?}")) }
}

fn gives(sandbox: &Sandbox, value: &str) -> Result<(), String> {
    let expected: Value =
        serde_json::from_str(value).map_err(|error| format!("the value shown: {error}"))?;
    let command = ["run", FILE, "--quiet", "--model", "builtin://extractive"];
    let mut done = sandbox.run(command);
    // A pack is allowed as the refusal says.
    if let Some((_, allowance)) = done.stderr.split_once("--allow-pack ") {
        let allowance = allowance.split(['`', ' ']).next().unwrap_or_default().to_owned();
        done = sandbox.run(command.into_iter().chain(["--allow-pack", &*allowance]));
    }
    if done.code != Some(0) {
        return Err(done.stderr);
    }
    let given = done.json();
    if given == expected { Ok(()) } else { Err(format!("expected {expected:#}\ngiven {given:#}")) }
}

/// The block as a program: the body of a main function, unless it is whole.
fn whole(text: &str) -> String {
    let heads = ["import ", "agent ", "main ", "func "];
    if text.lines().any(|line| heads.iter().any(|head| line.starts_with(head))) {
        return text.to_owned();
    }
    format!("main func(input) {{\n{text}}}\n")
}
