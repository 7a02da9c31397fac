//! `contexture ref scan`: the references in a text (REF-6).

use crate::output::text::{padded, width};
use crate::prelude::*;
use contexture::diagnostic::SourceFile;
use contexture::reference::scan::scan;
use contexture::reference::syntax::redact;

const EXAMPLES: &str = "\
Examples:
  contexture ref scan README.md
  echo 'Read @!file://docs/a.md first.' | contexture ref scan - --json";

/// Finds the references in a text of any language, except in code.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The text; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Print one JSON list, each with text, start, end, line and column; offsets are bytes.
    #[arg(long)]
    json: bool,
}

struct Place {
    text: String,
    start: usize,
    end: usize,
    line: u32,
    column: u32,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
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
                    "{place}: `{text}` is not a reference: {} [{}]",
                    wrong.error.message(),
                    wrong.error.code
                ));
            }
        }
    }
    if args.json {
        terminal.print_json(&found.iter().map(Place::json).collect::<Vec<_>>())?;
    } else if found.is_empty() {
        terminal.note("no references in the text");
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
