//! `contexture flow eval`: a condition and what it is looked at against (FL-8, FL-9).

use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::input;
use crate::terminal::Terminal;
use contexture::context::json::kind;
use contexture::flow::codes;
use contexture::flow::condition::{Condition, SyntaxError};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  contexture flow eval \"size('abc') == 3 AND NOT isEmpty('x')\"
  contexture flow eval 'dependencies.fetch.result.count > 10' \\
    --context examples/flows/outcomes.json
  echo '{\"score\":0.9}' | contexture flow eval 'score > 0.8' --context - --json

Exit code 0: it was evaluated, whatever it gave; 2: the condition or the context is wrong.";

/// Evaluates a condition and prints true or false.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The condition.
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expression: String,
    /// A JSON file with one object, whose keys are the first names of paths; `-` is stdin. A path
    /// that leads nowhere is null. [default: {}]
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    context: Option<PathBuf>,
    /// Print one JSON object: value.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture flow eval`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let condition = Condition::parse(&args.expression)
        .map_err(|fault| refuse(&fault, &args.expression, terminal))?;
    let context = match &args.context {
        Some(file) => roots(file, terminal)?,
        None => json!({}),
    };
    let value = condition.evaluate(&context);
    if args.json {
        terminal.print_json(&json!({ "value": value }))?;
    } else {
        terminal.print_line(if value { "true" } else { "false" })?;
    }
    Ok(Exit::Done)
}

fn roots(file: &Path, terminal: &Terminal) -> Result<Value, Stop> {
    let text = input::text(file, "the context", terminal)?;
    let name = if input::is_stdin(file) { "stdin".to_owned() } else { file.display().to_string() };
    let value = input::json(&text, &name)?;
    if value.is_object() {
        return Ok(value);
    }
    let message = format!("{name} holds {}, expected an object", kind(&value));
    Err(Complaint::refused("flow_context", message)
        .file(file)
        .help("its keys are the first names of paths: '{\"dependencies\":{\"a\":{\"status\":\"COMPLETED\"}}}'")
        .into())
}

fn refuse(fault: &SyntaxError, text: &str, terminal: &Terminal) -> Stop {
    let complaint = Complaint::refused(codes::CONDITION_SYNTAX.code, fault.to_string())
        .rendered(fault.render("condition", text, terminal.err.is_on()))
        .with("offset", fault.offset().into());
    match &fault.help {
        Some(help) => complaint.help(help),
        None => complaint,
    }
    .into()
}
