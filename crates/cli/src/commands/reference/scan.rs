//! `contexture ref scan`: the references of a running text (REF-6).

use crate::columns::{padded, width};
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::input;
use crate::paint::one_line;
use crate::terminal::Terminal;
use contexture::diagnostic::SourceFile;
use contexture::reference::scan::scan;
use contexture::reference::syntax::redact;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture ref scan README.md
  echo 'Read @!file://docs/a.md first.' | contexture ref scan - --json";

/// Finds the references of a text, in any language; those in code are none.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The text; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Print one JSON list, each with text, start, end, line and column; offsets are bytes.
    #[arg(long)]
    pub(super) json: bool,
}

/// A reference and where it stands.
struct Place {
    text: String,
    start: usize,
    end: usize,
    line: u32,
    column: u32,
}

/// Runs `contexture ref scan`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let text = input::text(&args.file, "the text", terminal)?;
    let source = SourceFile::new(args.file.display().to_string(), text);
    let position = |at: usize| source.position(u32::try_from(at).unwrap_or(u32::MAX));
    let mut found = Vec::new();
    for item in scan(source.text()) {
        match item {
            Ok(one) => {
                let at = position(one.start);
                found.push(Place {
                    text: redact(one.text).into_owned(),
                    start: one.start,
                    end: one.end,
                    line: at.line,
                    column: at.column,
                });
            }
            Err(wrong) => {
                let at = position(wrong.offset());
                let place = format!("{}:{}:{}", source.name(), at.line, at.column);
                let text = one_line(&wrong.error.public(wrong.text));
                terminal.warn(&format!(
                    "{place}: `{text}` is no reference: {} [{}]",
                    wrong.error.message(),
                    wrong.error.code
                ));
            }
        }
    }
    if args.json {
        terminal.print_json(&found.iter().map(Place::json).collect())?;
    } else if found.is_empty() {
        terminal.note("no reference stands in the text");
    } else {
        terminal.print(&table(&found, terminal))?;
    }
    Ok(Exit::Done)
}

impl Place {
    fn json(&self) -> Value {
        json!({
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "line": self.line,
            "column": self.column,
        })
    }
}

fn table(found: &[Place], terminal: &Terminal) -> String {
    let places: Vec<String> =
        found.iter().map(|one| format!("{}:{}", one.line, one.column)).collect();
    let wide = width(places.iter().map(String::as_str), 20);
    let mut text = String::new();
    for (one, place) in found.iter().zip(&places) {
        // Writing to a string can't fail.
        let _ =
            writeln!(text, "{}  {}", terminal.out.dim(&padded(place, wide)), one_line(&one.text));
    }
    text
}
