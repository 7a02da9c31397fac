//! `contexture flow eval`: evaluates a condition with a context (FL-8, FL-9).

use crate::prelude::*;
use contexture::context::json::kind;
use contexture::flow::codes;
use contexture::flow::condition::{Condition, SyntaxError};

const EXAMPLES: &str = "\
Examples:
  contexture flow eval \"size('abc') == 3 AND NOT isEmpty('x')\"
  contexture flow eval 'dependencies.fetch.result.count > 10' \\
    --context examples/flows/outcomes.json
  echo '{\"score\":0.9}' | contexture flow eval 'score > 0.8' --context - --json

Exit code 0: true or false; 2: the condition or the context is not valid.";

/// Evaluates a condition and prints true or false.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The condition.
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expression: String,
    /// A JSON file with one object, whose keys are the first names of paths; `-` is stdin. A path
    /// without a value is null [default: {}].
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    context: Option<PathBuf>,
    /// Print one JSON object: value.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
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

fn roots(file: &Path, terminal: &Terminal) -> Result<Value, Abort> {
    let text = input::text(file, "the context", terminal)?;
    let name = input::name_of(file);
    let value = input::json(&text, &name)?;
    if value.is_object() {
        return Ok(value);
    }
    let message = format!("{name} contains {}, expected an object", kind(&value));
    Err(CommandError::refused("flow_context", message)
        .file(file)
        .help("the keys are the first names of paths: '{\"dependencies\":{\"a\":{\"status\":\"COMPLETED\"}}}'")
        .into())
}

fn refuse(fault: &SyntaxError, text: &str, terminal: &Terminal) -> Abort {
    CommandError::refused(codes::CONDITION_SYNTAX.code, fault.to_string())
        .rendered(fault.render("condition", text, terminal.err.is_on()))
        .with("offset", fault.offset().into())
        .maybe_help(fault.help.clone())
        .into()
}
