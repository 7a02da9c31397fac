//! `contexture trace prompt`: the exact text that was sent to a model.

use super::runs::Runs;
use super::why;
use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::context::manifest::ItemRecord;
use contexture::inspect::{SentCall, SentMessage, SentRequest};
use contexture::store::runs::RunHead;

const EXAMPLES: &str = "\
Examples:
  contexture trace prompt
  contexture trace prompt latest 1 --role user
  contexture trace prompt latest 1 --answer
  contexture trace prompt latest 1 --items
  contexture trace prompt latest 1 --json";

/// Prints the exact messages of a model call.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run.
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    /// The number of the model call, from 1.
    #[arg(value_name = "N", default_value_t = 1)]
    call: u64,
    /// Print only this request of the call, from 1; attempts and tool rounds send several.
    #[arg(long, value_name = "N")]
    request: Option<usize>,
    /// Print only the messages of this role, without headings.
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Print the raw answer instead.
    #[arg(long, conflicts_with = "role")]
    answer: bool,
    /// Print instead what the prompt was made of, with trust levels and sources, and what was decided
    /// about the effects of the model.
    #[arg(long, conflicts_with_all = ["role", "answer", "request"])]
    items: bool,
    /// Print one JSON object: run, call, requests with their messages and answers, items, effects.
    #[arg(long, conflicts_with_all = ["role", "answer", "request"])]
    json: bool,
}

pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> CommandResult {
    let RunHead { log, calls, .. } = runs.head(&args.run, args.call..=args.call, terminal)?;
    let found = runs.kept(&log).prompt(args.call);
    // Only the call itself was read.
    let requests = found.map_err(|error| error.counted(calls))?;
    if args.json || args.items {
        let calls = runs.kept(&log).calls();
        let call = calls.iter().find(|call| call.manifest.call == args.call);
        let effects = call.map(|call| why::effects(&log, Some(call.event.id))).unwrap_or_default();
        let items = call.map(|call| call.manifest.items.as_slice()).unwrap_or_default();
        if args.json {
            let items: Vec<Value> = items.iter().map(item).collect();
            let (run, call) = (log.id.as_str(), args.call);
            terminal.print_json(&json!({
                "run": run, "call": call, "requests": requests, "items": items, "effects": effects,
            }))?;
        } else {
            terminal.print(&made_of(items, &effects, terminal.out))?;
        }
        return Ok(Exit::Done);
    }
    if let ([_, _, ..], None, None, false) = (&*requests, args.request, &args.role, args.answer) {
        terminal.print(&all(&requests, terminal.out))?;
        return Ok(Exit::Done);
    }
    let number = args.request.unwrap_or(1);
    let request = number.checked_sub(1).and_then(|index| requests.get(index));
    let request = request.ok_or_else(|| no_request(number, requests.len()))?;
    if args.answer {
        terminal.print(request.answer.as_deref().ok_or_else(no_answer)?)?;
        if let Some(kept) = request.kept {
            terminal.note(&format!("the answer is kept from the {kept}: no model was asked"));
        }
    } else if let Some(role) = &args.role {
        let texts = request.messages.iter().filter(|one| one.role == *role);
        terminal.print(&texts.map(|one| one.text.as_str()).collect::<String>())?;
    } else {
        let text = messages(&request.messages, terminal.out);
        terminal.print(&(text + &tools(&request.tools, terminal.out)))?;
    }
    Ok(Exit::Done)
}

/// Returns an item as JSON, with what decides about its use.
fn item(item: &ItemRecord) -> Value {
    json!({
        "label": item.label, "source": item.source, "trust": item.trust, "sources": item.sources,
        "tokens": item.tokens, "clipped": item.clipped,
    })
}

/// Renders the items of a prompt with their trust levels and sources, and what the model caused.
fn made_of(items: &[ItemRecord], effects: &[Value], paint: Paint) -> String {
    let mut text = String::new();
    for item in items {
        let name = sanitized(item.label.as_deref().unwrap_or(&item.source)).to_string();
        let _ = writeln!(text, "{} ({})", paint.bold(&name), item.trust);
        let ways = item.sources.iter().map(|source| (source.to_string(), source.trust));
        for (way, trust) in ways.filter(|(way, _)| *way != name) {
            let _ = writeln!(text, "   {} ({trust})", sanitized(&way));
        }
    }
    if !effects.is_empty() {
        text.push_str(&why::text(effects, paint));
    }
    if text.is_empty() {
        text.push_str("the prompt has no items, and its model caused nothing\n");
    }
    text
}

/// Renders messages, each below a rule with its role.
fn messages(messages: &[SentMessage], paint: Paint) -> String {
    let block = |one: &SentMessage| {
        let calls: String = one.calls.iter().map(called).collect();
        let text = if one.text.is_empty() { calls } else { format!("{}\n{calls}", one.text) };
        format!("{}\n{text}", rule(&one.role, paint))
    };
    messages.iter().map(block).collect()
}

fn called(SentCall { function, arguments }: &SentCall) -> String {
    format!("{function}({arguments})\n")
}

/// Renders the definitions of functions, each on a line.
fn tools(definitions: &[Value], paint: Paint) -> String {
    let lines = definitions.iter().map(|one| format!("{one}\n"));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("{}\n{lines}", rule("tools", paint)) }
}

fn rule(name: &str, paint: Paint) -> String {
    paint.cyan(&format!("── {name} ──"))
}

/// Renders all requests of a call: the first whole, the others with their new messages, each with
/// its answer and the errors in it.
fn all(requests: &[SentRequest], paint: Paint) -> String {
    let mut text = String::new();
    let mut sent = 0;
    for (index, request) in requests.iter().enumerate() {
        let head = format!("request {}, attempt {}", index + 1, request.attempt);
        let _ = writeln!(text, "{}", paint.bold(&head));
        let added = request.messages.get(sent..).unwrap_or(&request.messages);
        text.push_str(&messages(added, paint));
        if index == 0 {
            text.push_str(&tools(&request.tools, paint));
        }
        sent = request.messages.len();
        if let Some(answer) = &request.answer {
            let _ = writeln!(text, "{}\n{answer}", rule("answer", paint));
        }
        for fault in request.errors.iter().filter_map(Value::as_array).flatten() {
            let _ = writeln!(text, "{}", paint.red(&fault_text(fault)));
        }
        text.push('\n');
    }
    text
}

/// Formats an error in an answer: `items[1]: expected string, found number 2`.
fn fault_text(fault: &Value) -> String {
    let word = |name: &str| fault.get(name).and_then(Value::as_str).unwrap_or_default();
    match (word("path"), word("expected"), word("found")) {
        (_, "", "") => one_line(&fault.to_string()),
        ("", expected, found) => one_line(&format!("expected {expected}, found {found}")),
        (path, expected, found) => one_line(&format!("{path}: expected {expected}, found {found}")),
    }
}

fn no_request(asked: usize, all: usize) -> Abort {
    let plural = if all == 1 { "" } else { "s" };
    let message = format!("the call has {all} request{plural}, not {asked}");
    CommandError::refused("no_such_request", message).into()
}

fn no_answer() -> Abort {
    CommandError::failed("no_answer", "the request has no answer").into()
}
