//! `contexture trace list`: the stored runs, newest first.

use super::runs::Runs;
use crate::output::text::{duration, padded, sanitized, timestamp, width};
use crate::prelude::*;
use crate::support::values::span;
use contexture::diagnostic::nearest;
use contexture::inspect::{asks_model, listed, outcome};
use contexture::store::runs::{RunEntry, RunError, RunId, RunList, RunStore};
use contexture::store::stamp::now_us;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture trace list
  contexture trace list --failed --since 2d
  contexture trace list --model gpt --since 2w --until 1w
  contexture trace list --program summarize_file.as --grep invoice
  contexture trace list --limit 3 --json";

/// Lists runs, newest first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The most runs to list.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = crate::support::values::whole_number,
        allow_negative_numbers = true
    )]
    limit: usize,
    /// List only runs that failed or were killed.
    #[arg(long)]
    failed: bool,
    /// List only runs of this program: its path, or the end of it.
    #[arg(long, value_name = "FILE")]
    program: Option<String>,
    /// List only runs that began in this span: 2d, 12h or 45m.
    #[arg(long, value_name = "SPAN", value_parser = span)]
    since: Option<Duration>,
    /// List only runs that began before this span: 2d, 12h or 45m ago.
    #[arg(long, value_name = "SPAN", value_parser = span)]
    until: Option<Duration>,
    /// List only runs that asked this model: a part of its URI.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// List only runs that have this text in their prompts, answers, values or errors.
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,
    /// Print one JSON object: runs, each with run, program, outcome, start, duration_us, model,
    /// models, calls, input and output tokens, finish, cost and error.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> CommandResult {
    let ago = |span: Option<Duration>| {
        let span = u64::try_from(span?.as_micros()).unwrap_or(u64::MAX);
        Some(now_us().saturating_sub(span))
    };
    let (since, until) = (ago(args.since), ago(args.until));
    let programs: RefCell<BTreeSet<String>> = RefCell::default();
    let fault: RefCell<Option<RunError>> = RefCell::default();
    let wanted = |entry: &RunEntry| {
        if let Some(program) = &args.program
            && !is_of(&entry.program, program)
        {
            programs.borrow_mut().insert(entry.program.clone());
            return false;
        }
        since.is_none_or(|since| entry.start_us.is_some_and(|at| at >= since))
            && until.is_none_or(|until| entry.start_us.is_some_and(|at| at < until))
            && args.model.as_deref().is_none_or(|model| asks_model(entry, model))
            && (!args.failed || entry.is_failed())
            && has_text(args, runs, entry, &fault)
    };
    let list = runs.store.list(&wanted, args.limit)?;
    for note in &list.notes {
        terminal.warn(note);
    }
    if let Some(error) = fault.take() {
        terminal.warn(&format!("not all texts are searched: {}", error.line()));
    }
    if args.json {
        let runs: Vec<Value> = list.entries.iter().map(listed).collect();
        terminal.print_json(&json!({ "runs": runs }))?;
        return Ok(Exit::Done);
    }
    terminal.print(&table(&list.entries, terminal.out))?;
    if let Some(note) = note(args, &list, &programs.borrow()) {
        terminal.note(&note);
    }
    Ok(Exit::Done)
}

/// Reports whether a run has the text that is looked for; keeps the first reason why it can't be told.
fn has_text(args: &Args, runs: &Runs, entry: &RunEntry, fault: &RefCell<Option<RunError>>) -> bool {
    let Some(text) = &args.grep else { return true };
    let Some(id) = RunId::parse(&entry.run) else { return false };
    runs.store.mentions(&id, text).unwrap_or_else(|error| {
        fault.borrow_mut().get_or_insert(error);
        false
    })
}

/// Reports whether a program is the one that is meant: by its path, the end of it, or its name.
fn is_of(program: &str, asked: &str) -> bool {
    let asked = asked.strip_prefix("./").unwrap_or(asked);
    let is_end = program.strip_suffix(asked).is_some_and(|before| before.ends_with('/'));
    let stem = Path::new(program).file_stem();
    program == asked || is_end || stem.is_some_and(|stem| stem == asked)
}

/// Returns what a person should know beside the table.
fn note(args: &Args, list: &RunList, programs: &BTreeSet<String>) -> Option<String> {
    if list.all == 0 {
        return Some("no runs are stored; `contexture run FILE` stores one".to_owned());
    }
    if list.more {
        let all = list.all;
        return Some(format!("{all} runs in total; --limit shows more"));
    }
    let asked = args.program.as_deref().filter(|_| list.entries.is_empty());
    if let Some(asked) = asked {
        let similar = nearest(asked, programs.iter().map(String::as_str));
        let similar = similar.map(|one| format!("; did you mean `{one}`?")).unwrap_or_default();
        return Some(format!("no run of `{asked}` is listed{similar}"));
    }
    list.entries.is_empty().then(|| format!("none of the {} stored runs is meant", list.all))
}

/// Formats the tokens of a run: `47 + 10`, or `~47 + 10` when they were counted here.
fn tokens(entry: &RunEntry) -> String {
    let about = if entry.estimated { "~" } else { "" };
    if entry.calls == 0 {
        String::new()
    } else {
        format!("{about}{} + {}", entry.input, entry.output)
    }
}

fn table(entries: &[RunEntry], paint: Paint) -> String {
    let all: Vec<String> = entries.iter().map(tokens).collect();
    let wide = width(all.iter().map(String::as_str), 40);
    let mut text = String::new();
    for (entry, tokens) in entries.iter().zip(&all) {
        let began = entry.start_us.map(timestamp).unwrap_or_default();
        let took = entry.duration_us.map(duration).unwrap_or_default();
        let outcome = format!("{:<9}", outcome(entry));
        let outcome = match outcome.trim_end() {
            "done" => paint.green(&outcome),
            "failed" => paint.red(&outcome),
            _ => paint.yellow(&outcome),
        };
        let (id, program) = (&entry.run, sanitized(&entry.program));
        let code = entry.code.as_ref().map(|code| format!("  {}", paint.red(&one_line(code))));
        let (tokens, code) = (padded(tokens, wide), code.unwrap_or_default());
        let _ =
            writeln!(text, "{id}  {began:19}  {took:>11}  {outcome}  {tokens}  {program}{code}");
    }
    text
}
