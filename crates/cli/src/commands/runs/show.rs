//! `contexture runs show`: a run with its calls.

use super::{TargetRun, state, to_json};
use crate::output::text::{sanitized, timestamp};
use crate::prelude::*;
use contexture::durable::StoredRun;
use contexture::llm::Past;

const EXAMPLES: &str = "\
Examples:
  contexture runs show latest
  contexture runs show latest --json";

/// Shows a run with a journal, and its calls.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    asked: TargetRun,
    /// Print one JSON object: the fields of `runs list`, the calls, each with call, name, state, site
    /// and arguments, and the value.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (_, run) = args.asked.find()?;
    if args.json {
        let mut object = to_json(&run);
        if let Value::Object(fields) = &mut object {
            fields.insert("calls".to_owned(), run.calls.iter().map(call_json).collect());
            fields.insert("value".to_owned(), run.end.get("value").cloned().unwrap_or_default());
        }
        terminal.print_json(&object)?;
        return Ok(Exit::Done);
    }
    terminal.print(&text(&run, terminal.out))?;
    Ok(Exit::Done)
}

/// Returns the word for what is known of a call.
fn known(past: &Past) -> &'static str {
    let is_failure = past.value().is_some_and(|kept| kept.get("failure").is_some());
    match past.is_open() {
        true if past.is_model => "asked",
        true => "in_doubt",
        false if is_failure || past.is_failed_answer() => "failed",
        false => "done",
    }
}

fn call_json(past: &Past) -> Value {
    let request = &past.call.request;
    let arguments = request.get("arguments").filter(|_| !past.is_model);
    json!({
        "call": past.call.key,
        "name": past.call.name,
        "state": known(past),
        "model": past.is_model,
        "site": request.get("site"),
        "arguments": arguments,
    })
}

fn text(run: &StoredRun, paint: Paint) -> String {
    let mut text = String::new();
    let (id, began, program) = (&run.id, timestamp(run.began_us), sanitized(&run.program()));
    let _ = writeln!(text, "{id}  {began}  {}  {program}", state(run, paint).trim_end());
    for past in &run.calls {
        let word = format!("{:<8}", known(past));
        let word = match word.trim_end() {
            "done" => word,
            "failed" => paint.red(&word),
            _ => paint.yellow(&word),
        };
        let site = past.call.request.get("site").and_then(Value::as_str).unwrap_or_default();
        let (key, name) = (sanitized(&past.call.key), sanitized(&past.call.name));
        let _ = writeln!(text, "  {key:<8}  {word}  {name}  {}", paint.dim(&sanitized(site)));
    }
    if let Some(message) = run.end.get("message").and_then(Value::as_str) {
        let _ = writeln!(text, "{}", one_line(message));
    }
    text
}
