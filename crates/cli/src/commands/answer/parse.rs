//! `contexture answer parse`: the value of a raw answer, or what is wrong with it (AS-21).

use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::faults;
use crate::input;
use crate::terminal::Terminal;
use contexture::answer::{AnswerError, ReadOptions, Reading, Shape, read};
use contexture::context::Limits;
use contexture::diagnostic::{Severity, SourceFile};
use contexture::script::syntax;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

const EXAMPLES: &str = r#"Examples:
  echo '{ok: "true", n: "3",}' | contexture answer parse --shape '{ok boolean, n integer}'
  echo '{"ok": true}' | contexture answer parse --strict --shape '{ok boolean}'
  echo '```json
  {"state": "OPEN"}
  ```' | contexture answer parse --json --shape '{state "open" | "closed"}'

Exit code 0: the answer has the shape; 1: it has not, and the faults are listed by path."#;

/// Prints the value of an answer, or what is wrong with it by path.
///
/// Without a shape any JSON value will do.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The answer; stdin when absent.
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The shape, as in a program: '{ok boolean, items list[string]}'.
    #[arg(long, value_name = "SHAPE")]
    shape: Option<String>,
    /// Exact JSON only: nothing mended, nothing coerced, no further fields.
    #[arg(long)]
    strict: bool,
    /// Print one JSON object: value, repairs and coerced, or error.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture answer parse`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let shape = args.shape.as_deref().map(|text| shape_of(text, terminal)).transpose()?;
    let raw = input::text(&args.file, "the answer", terminal)?;
    let options = if args.strict { ReadOptions::strict() } else { ReadOptions::lenient() };
    match read(&raw, shape.as_ref(), &options) {
        Ok(reading) if args.json => terminal.print_json(&json!({
            "value": reading.value,
            "repairs": reading.repairs,
            "coerced": reading.coerced,
        }))?,
        Ok(reading) => {
            terminal.print_pretty(&reading.value)?;
            tell(&reading, terminal);
        }
        Err(error) => return Err(mismatch(&error, terminal)),
    }
    Ok(Exit::Done)
}

/// The value alone goes to stdout; what it took to read it is talk.
fn tell(reading: &Reading, terminal: &Terminal) {
    for repair in &reading.repairs {
        terminal.note(&repair.to_string());
    }
    for coercion in &reading.coerced {
        terminal.note(&coercion.to_string());
    }
}

/// The faults by path.
fn mismatch(error: &AnswerError, terminal: &Terminal) -> Stop {
    let errors = error.errors();
    let value = match error {
        AnswerError::Mismatch { value, .. } => (**value).clone(),
        _ => Value::Null,
    };
    let mut text = String::new();
    for fault in &errors {
        let path = if fault.path.is_empty() { "the answer" } else { &fault.path };
        let path = terminal.out.bold(path);
        let _ = writeln!(text, "{path}: expected {}, found {}", fault.expected, fault.found);
    }
    if let AnswerError::Mismatch { more: more @ 1.., .. } = error {
        let _ = writeln!(text, "and {more} more");
    }
    Complaint::failed("shape_mismatch", error.to_string())
        .help(error.help())
        .rendered(format!("{} {}", terminal.err.cyan("help:"), error.help()))
        .with("errors", json!(errors))
        .with("read", value)
        .on_stdout(text)
        .into()
}

/// The shape that an option writes as a program would.
fn shape_of(text: &str, terminal: &Terminal) -> Result<Shape, Stop> {
    let (tree, found) = syntax::parse_shape(text, &Limits::default());
    if let Some(first) = found.iter().find(|fault| fault.severity == Severity::Error) {
        let source = SourceFile::new("--shape", text);
        return Err(Complaint::refused(first.code, first.message.clone())
            .rendered(faults::text(&found, &[&source], terminal.err))
            .with("help", json!(first.help))
            .with("file", json!("--shape"))
            .with("span", faults::span(first, &[&source]))
            .into());
    }
    let shape = syntax::shape_of(&tree);
    let checked = shape.check().map(|()| shape);
    checked.map_err(|error| Complaint::refused("bad_shape", format!("--shape: {error}")).into())
}
