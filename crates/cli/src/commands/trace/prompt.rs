//! `contexture trace prompt`: the exact text that a model was sent.

use super::{Runs, inspect_failed};
use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::terminal::Terminal;
use contexture::inspect::SentRequest;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  contexture trace prompt
  contexture trace prompt latest 1 --role user
  contexture trace prompt latest 1 --answer
  contexture trace prompt latest 1 --json";

/// Prints what a model call was sent, to the letter.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run.
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    /// Which of its model calls, from 1.
    #[arg(value_name = "N", default_value_t = 1)]
    call: u64,
    /// Which request of the call, from 1: attempts and rounds of tools send several.
    #[arg(long, value_name = "N", default_value_t = 1)]
    request: usize,
    /// Print the messages of this role alone, without headings.
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Print the raw answer instead.
    #[arg(long, conflicts_with = "role")]
    answer: bool,
    /// Print one JSON object: run, call and requests, each with messages and answer.
    #[arg(long, conflicts_with_all = ["role", "answer", "request"])]
    pub(super) json: bool,
}

/// Runs `contexture trace prompt`.
pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> Outcome {
    let log = runs.load(&args.run, terminal)?;
    let requests = runs.kept(&log).prompt(args.call).map_err(|error| inspect_failed(&error))?;
    if args.json {
        let object = json!({ "run": log.id.as_str(), "call": args.call, "requests": requests });
        terminal.print_json(&object)?;
        return Ok(Exit::Done);
    }
    let request = args.request.checked_sub(1).and_then(|index| requests.get(index));
    let request = request.ok_or_else(|| no_request(args.request, requests.len()))?;
    if args.answer {
        let answer = request.answer.as_deref().ok_or_else(no_answer)?;
        terminal.print(answer)?;
        return Ok(Exit::Done);
    }
    terminal.print(&text(request, args.role.as_deref(), terminal))?;
    if requests.len() > 1 {
        let (number, all) = (args.request, requests.len());
        terminal.note(&format!("request {number} of {all}; see the others with --request N"));
    }
    Ok(Exit::Done)
}

fn text(request: &SentRequest, role: Option<&str>, terminal: &Terminal) -> String {
    let mut text = String::new();
    for message in &request.messages {
        match role {
            Some(role) if role == message.role => text.push_str(&message.text),
            Some(_) => {}
            None => {
                let rule = terminal.out.cyan(&format!("── {} ──", message.role));
                text.push_str(&format!("{rule}\n{}\n", message.text));
            }
        }
    }
    text
}

fn no_request(asked: usize, all: usize) -> Stop {
    let plural = if all == 1 { "" } else { "s" };
    let message = format!("the call sent {all} request{plural}, there is no request {asked}");
    Complaint::refused("no_such_request", message).into()
}

fn no_answer() -> Stop {
    Complaint::failed("no_answer", "no answer came to this request").into()
}
