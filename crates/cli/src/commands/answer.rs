//! `contexture answer`: how a raw model answer is read (AS-21), to debug shapes.

use crate::output::diagnostics;
use crate::prelude::*;
use contexture::answer::{AnswerError, ReadOptions, Reading, Shape, read};
use contexture::context::Limits;
use contexture::diagnostic::{Severity, SourceFile};
use contexture::script::syntax;

const EXAMPLES: &str = r#"Examples:
  echo 'Sure! {"ok": "yes", items: [1,]}' | contexture answer parse --json
  echo '{ok: "true", n: "3",}' | contexture answer parse --shape '{ok boolean, n integer}'"#;

/// Reads a raw model answer.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Parse(ParseArgs),
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let Action::Parse(args) = &args.action;
    parse(args, terminal)
}

const PARSE_EXAMPLES: &str = r#"Examples:
  echo '{ok: "true", n: "3",}' | contexture answer parse --shape '{ok boolean, n integer}'
  echo '{"ok": true}' | contexture answer parse --strict --shape '{ok boolean}'
  echo '```json
  {"state": "OPEN"}
  ```' | contexture answer parse --json --shape '{state "open" | "closed"}'

Exit code 0: the answer has the shape; 1: it does not, and the mismatches are listed by path."#;

/// Prints the value of an answer, or its mismatches by path.
///
/// Without a shape every JSON value is accepted.
#[derive(Debug, clap::Args)]
#[command(after_help = PARSE_EXAMPLES)]
struct ParseArgs {
    /// The file with the answer [default: stdin].
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The shape, as in a program: '{ok boolean, items list[string]}'.
    #[arg(long, value_name = "SHAPE")]
    shape: Option<String>,
    /// Accept exact JSON only: no repairs, no coercions, no further fields.
    #[arg(long)]
    strict: bool,
    /// Print one JSON object: value, repairs and coerced, or error.
    #[arg(long)]
    json: bool,
}

fn parse(args: &ParseArgs, terminal: &Terminal) -> CommandResult {
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
            print_notes(&reading, terminal);
        }
        Err(error) => return Err(mismatch(&error, terminal)),
    }
    Ok(Exit::Done)
}

/// Prints the repairs and coercions to stderr; only the value goes to stdout.
fn print_notes(reading: &Reading, terminal: &Terminal) {
    for repair in &reading.repairs {
        terminal.note(&repair.to_string());
    }
    for coercion in &reading.coerced {
        terminal.note(&coercion.to_string());
    }
}

fn mismatch(error: &AnswerError, terminal: &Terminal) -> Abort {
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
    CommandError::failed("shape_mismatch", error.to_string())
        .help(error.help())
        .rendered(format!("{} {}", terminal.err.cyan("help:"), error.help()))
        .with("errors", json!(errors))
        .with("read", value)
        .on_stdout(text)
        .into()
}

/// Parses the shape of an option, which is written as in a program.
fn shape_of(text: &str, terminal: &Terminal) -> Result<Shape, Abort> {
    let (tree, found) = syntax::parse_shape(text, &Limits::default());
    if let Some(first) = found.iter().find(|fault| fault.severity == Severity::Error) {
        let source = SourceFile::new("--shape", text);
        return Err(CommandError::refused(first.code, first.message.clone())
            .rendered(diagnostics::text(&found, &[&source], terminal.err))
            .with("help", json!(first.help))
            .with("file", json!("--shape"))
            .with("span", diagnostics::span(first, &[&source]))
            .into());
    }
    let shape = syntax::shape_of(&tree);
    let checked = shape.check().map(|()| shape);
    checked.map_err(|error| CommandError::refused("bad_shape", format!("--shape: {error}")).into())
}
