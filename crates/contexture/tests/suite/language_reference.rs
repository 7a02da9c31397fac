//! `docs/language.md` is the reference of the language: every block of it is executed here.

use crate::common::{Allowing, Place, tokio, told};
use contexture::Runtime;
use contexture::run::RunFailure;
use contexture::turn::{Conversation, TurnRequest};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// A program of the reference, with the value that stands below it.
struct Block {
    line: usize,
    source: String,
    value: Option<Value>,
    /// Whether it answers a turn of a conversation.
    turn: bool,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<(String, usize, String)> = None;
    let mut last_was_program = false;
    for (index, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some((language.to_owned(), index + 1, String::new())),
            (Some((language, at, body)), Some("")) => {
                if language == "agentscript" || language == "agentscript turn" {
                    let turn = language.ends_with(" turn");
                    blocks.push(Block { line: *at, source: body.clone(), value: None, turn });
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

fn run_of(place: &Place) -> Result<Value, RunFailure> {
    place.run_observed(place.request("program.as", json!({})), Arc::new(Allowing)).outcome
}

fn turn_of(place: &Place) -> Result<Value, RunFailure> {
    let request = TurnRequest {
        run: place.request("program.as", json!({})),
        conversation: Conversation { text: "What is known?".to_owned(), ..Conversation::default() },
        ..TurnRequest::default()
    };
    tokio().block_on(Runtime::of(place.project()).turn(request)).outcome
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

#[test]
fn as_31_every_block_of_language_reference_runs_and_gives_its_value() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md");
    let blocks = blocks(&std::fs::read_to_string(docs).unwrap());
    assert!(blocks.len() >= 15, "only {} blocks found", blocks.len());
    let mut faults = Vec::new();
    for block in blocks {
        let readme = "# Contexture\n\nA context runtime.\n";
        let place = Place::with_examples();
        place.copy("examples/knowledge/.agents", ".agents");
        place.write("README.md", readme);
        place.write("program.as", &whole(&block.source));
        let line = block.line;
        let outcome = if block.turn { turn_of(&place) } else { run_of(&place) };
        match (outcome, block.value) {
            (Err(failure), _) => {
                faults.push(format!("docs/language.md:{line}: {}", told(&failure)));
            }
            (Ok(found), Some(expected)) if found != expected => {
                faults.push(format!("docs/language.md:{line}: expected {expected}, got {found}"));
            }
            _ => {}
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
