//! `docs/language.md` is the reference of the language: every block of it is executed here.

use contexture::observe::Silent;
use contexture::run::{RunFailure, RunRequest, run};
use contexture::{Environment, Project};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// A program of the reference, with the value that stands below it.
struct Block {
    line: usize,
    source: String,
    value: Option<Value>,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<(String, usize, String)> = None;
    let mut last_was_program = false;
    for (index, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some((language.to_owned(), index + 1, String::new())),
            (Some((language, at, body)), Some("")) => {
                if language == "agentscript" {
                    blocks.push(Block { line: *at, source: body.clone(), value: None });
                    last_was_program = true;
                } else if language == "json" && last_was_program {
                    let value = serde_json::from_str(body).unwrap();
                    blocks.last_mut().unwrap().value = Some(value);
                    last_was_program = false;
                }
                open = None;
            }
            (Some((_, _, body)), _) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// A block that is no whole program is the body of a function.
fn whole(source: &str) -> String {
    let declares = |line: &str| {
        ["import ", "agent ", "main ", "func "].iter().any(|word| line.starts_with(word))
    };
    if source.lines().any(declares) {
        source.to_owned()
    } else {
        format!("main func(input) {{\n{source}}}\n")
    }
}

fn execute(folder: &Path, source: &str) -> Result<Value, String> {
    std::fs::write(folder.join("program.as"), whole(source)).unwrap();
    let project = Project::open(folder, Environment::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let request = RunRequest {
        program: folder.join("program.as"),
        input: serde_json::json!({}),
        ..RunRequest::default()
    };
    let report =
        runtime.block_on(run(&project, request, Arc::new(Silent), Default::default()));
    report.outcome.map_err(|failure| match failure {
        RunFailure::Source(checked) => format!("{:#?}", checked.diagnostics),
        RunFailure::Setup(error) => error.to_string(),
        RunFailure::Program { error, .. } => error.to_string(),
    })
}

#[test]
fn as_31_every_block_of_the_language_reference_runs_and_gives_its_value() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md");
    let blocks = blocks(&std::fs::read_to_string(docs).unwrap());
    assert!(blocks.len() >= 15, "only {} blocks found", blocks.len());
    let mut faults = Vec::new();
    for block in blocks {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("README.md"), "# Contexture\n\nA context runtime.\n")
            .unwrap();
        let line = block.line;
        match (execute(folder.path(), &block.source), block.value) {
            (Err(fault), _) => faults.push(format!("docs/language.md:{line}: {fault}")),
            (Ok(found), Some(expected)) if found != expected => {
                faults.push(format!("docs/language.md:{line}: expected {expected}, got {found}"));
            }
            _ => {}
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
