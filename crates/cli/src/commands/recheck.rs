//! `contexture recheck`: whether the prompts of a kept run are still the same (IN-10).

use crate::output::progress::{ProgressDisplay, Verbosity};
use crate::output::text::{dollars, grouped, plural, sanitized};
use crate::prelude::*;
use crate::support::options::Spend;
use crate::support::project;
use crate::support::runtime::multi_threaded;
use crate::support::signals::Signals;
use contexture::inspect::{CallDiff, Change, ItemDiff};
use contexture::llm::SpendLimit;
use contexture::run::{
    Asked, Asking, Checked, Offer, OfferedCall, Recheck, RecheckError, RunFailure, answers, begin,
    offer, recheck,
};
use contexture::store::runs::{RunId, select};
use serde_json::Map;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  contexture recheck latest
  contexture recheck latest --program examples/use_one_of.as --json
  contexture recheck latest --ask --model builtin://extractive --yes
  contexture recheck latest --ask --max-cost 0.10 --json --yes

The program runs again on the answers in the record: models, tools and memories are not asked, and
nothing is changed. Files, local references and packs are read as they are now; a reference into the
network is not loaded, so a prompt with one counts as changed. Exit code 1 means that a prompt has
changed. The same prompt for another model has not: it is told, and the exit code stays 0.

With --ask the calls whose prompt has changed are asked, once the models and the most that they may
cost were shown and agreed to; so are later ones whose prompt the new answers change. All else keeps
its recorded answer, and no tool does anything again. The new run is kept as a part of the first.
Exit code 0 then means that it ended with a value, or that nothing has changed; 1 that it failed; 2
that nothing was asked.";

/// Checks whether a program, its files and its packs still make the prompts of a kept run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run: an id, the beginning or end of one, `latest`, or `latest~1` for the run before.
    #[arg(value_name = "RUN")]
    run: String,
    /// The program in place of the one that ran.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    program: Option<PathBuf>,
    /// Ask models for the calls whose prompt has changed, and keep that as a run of its own.
    #[arg(long)]
    ask: bool,
    /// The model to ask in place of those of the program.
    #[arg(long, value_name = "URI", requires = "ask", help_heading = "Model")]
    model: Option<String>,
    #[command(flatten)]
    spend: Spend,
    /// Ask without a question.
    #[arg(long, requires = "ask")]
    yes: bool,
    /// The project folder [default: the nearest folder with a contexture.toml, else the current
    /// one].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
    /// Print one JSON object: calls, each with site, n, changed, stale, tokens_before, tokens_after
    /// and items, and models where they differ; failure; and notes on what can't be compared. With
    /// --ask also offer, asked with the new run, its value, usage and cost, and asked of each call
    /// with model, usage and cost, or refused.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = project::here_or(args.workspace.as_deref())?;
    let store = contexture::runs(&project);
    let id = select(&*store, &args.run)?;
    let program = args.program.as_deref().map(std::path::absolute).transpose();
    let program =
        program.map_err(|error| CommandError::failed("file_unreadable", error.to_string()))?;
    let checked = Checked { program, ..Checked::default() };
    if args.ask {
        let asking = Asking { model: args.model.clone(), limit: args.spend.limit() };
        let (project, store, checked, asking) = (&project, &*store, &checked, &asking);
        return ask(args, Asked { project, store, run: &id, checked, asking }, terminal);
    }
    if args.spend.limit() != SpendLimit::default() {
        let message = "a limit needs `--ask`: without it no model is asked";
        return Err(CommandError::refused("bad_usage", message).into());
    }
    let runtime = multi_threaded()?;
    let work = recheck(&project, &*store, &id, checked);
    let found = runtime.block_on(work).map_err(|error| refused(&error))?;
    show(args, (&found, &id), Map::new(), terminal)?;
    Ok(if found.has_changed() { Exit::Failed } else { Exit::Done })
}

/// Asks models for what has changed, once that was agreed to.
fn ask(args: &Args, asked: Asked<'_>, terminal: &Terminal) -> CommandResult {
    let runtime = multi_threaded()?;
    let (found, offered) = runtime.block_on(offer(asked)).map_err(|error| refused(&error))?;
    let Some(offer) = offered? else {
        let more = Map::from_iter([("asked".to_owned(), Value::Null)]);
        show(args, (&found, asked.run), more, terminal)?;
        return Ok(Exit::Done);
    };
    if !args.json {
        show(args, (&found, asked.run), Map::new(), terminal)?;
    }
    terminal.say(&offer_text(&offer));
    if !(args.yes || (terminal.is_interactive() && terminal.confirm("Ask? [y/N] "))) {
        let message = "nothing was asked: nobody has agreed to it";
        let help = "say `--yes`, or answer the question at a terminal";
        return Err(CommandError::refused("not_agreed", message).help(help).into());
    }
    let verbosity = if args.json { Verbosity::Quiet } else { Verbosity::Normal };
    let screen = Arc::new(ProgressDisplay::new(*terminal, verbosity, !args.json));
    let signals = Signals::listen({
        let screen = Arc::clone(&screen);
        move || screen.abandon()
    });
    let observer = Arc::clone(&screen) as _;
    let begun = begin(asked, &offer, observer, signals.arm()).map_err(|error| refused(&error))?;
    screen.begin();
    let report = runtime.block_on(begun.run());
    screen.clear();
    let ended_by = signals.disarm();
    let part = report.run.as_deref().and_then(RunId::parse);
    let part = part.ok_or_else(|| CommandError::failed("run_not_kept", "the run was not kept"))?;
    let mut told = answers(asked.store, asked.run, &part).map_err(|error| refused(&error))?;
    let (value, failure) = match report.outcome {
        Ok(value) => (value, None),
        Err(failure) => (Value::Null, Some(failure)),
    };
    told.failure = failure;
    if args.json {
        let asked_run = json!({
            "run": part.as_str(), "value": value, "usage": report.usage, "cost": report.cost,
        });
        let more = [("offer".to_owned(), json!(offer)), ("asked".to_owned(), asked_run)];
        show(args, (&told, asked.run), Map::from_iter(more), terminal)?;
    } else {
        terminal.print(&asked_text(&told, &part))?;
        if told.failure.is_none() {
            terminal.print_tree(&value)?;
        }
    }
    Ok(match (&told.failure, ended_by) {
        (None, _) => Exit::Done,
        (Some(_), Some(code)) => Exit::Signalled(code),
        (Some(_), None) => Exit::Failed,
    })
}

/// Prints what a recheck found, as JSON with some more fields.
fn show(
    args: &Args,
    (found, run): (&Recheck, &RunId),
    more: Map<String, Value>,
    terminal: &Terminal,
) -> Result<(), Abort> {
    if args.json {
        let mut told = found.to_json();
        if let Some(fields) = told.as_object_mut() {
            fields.insert("run".to_owned(), run.as_str().into());
            fields.extend(more);
        }
        terminal.print_json(&told)
    } else {
        for note in &found.notes {
            terminal.warn(note);
        }
        let mut text: String = found.calls.iter().map(call_text).collect();
        if let Some(failure) = &found.failure {
            let _ = writeln!(text, "the program ends earlier: {}", sanitized(&failure.to_string()));
        }
        if found.stale() > 0 {
            let answers = plural(found.stale() as u64, "later answer");
            let _ = writeln!(text, "{answers} may be stale: a prompt before has changed");
        }
        if !found.has_changed() {
            let calls = plural(found.calls.len() as u64, "prompt");
            let _ = writeln!(text, "{calls} checked, none has changed");
        }
        terminal.print(&text)
    }
}

/// Says what would be asked, and what that may take.
fn offer_text(offer: &Offer) -> String {
    let mut text = "to ask:\n".to_owned();
    for call in offer.calls.iter().filter(|call| call.changed) {
        let OfferedCall { n, site, model, tokens, .. } = call;
        let (site, model) = (sanitized(site), sanitized(model));
        let _ = writeln!(text, "  generate {n} {site}: {model}, {tokens} tokens");
    }
    let later = offer.calls.iter().filter(|call| !call.changed).count() as u64;
    if later > 0 {
        let calls = plural(later, "later call");
        let _ = writeln!(text, "  {calls}, if new answers change the prompt");
    }
    let most = match (offer.cost, offer.tokens) {
        (Some(cost), _) => format!("{cost} USD"),
        (None, Some(tokens)) => format!("{} tokens", grouped(tokens)),
        (None, None) => "what `--max-tokens` leaves".to_owned(),
    };
    let _ = write!(text, "at most {most} in all; a request beyond that is not sent");
    text
}

/// Says what was asked, and what became of it.
fn asked_text(told: &Recheck, part: &RunId) -> String {
    let mut text = String::new();
    let mut asked: u64 = 0;
    for call in &told.calls {
        let (n, site) = (call.right.unwrap_or_default(), sanitized(&call.site).to_string());
        if let Some(error) = told.refused(call) {
            let reason = error.get("message").and_then(Value::as_str).unwrap_or_default();
            let _ = writeln!(text, "generate {n} {site}: not asked: {}", sanitized(reason));
        }
        let Some(took) = told.took(call) else { continue };
        asked += 1;
        let number = |place: &str| took.pointer(place).and_then(Value::as_u64);
        let tokens = number("/usage/total_tokens").unwrap_or_default();
        let cost = took.pointer("/cost/micros").and_then(Value::as_f64);
        let cost = cost.map_or_else(|| "no price".to_owned(), |it| dollars(it / 1_000_000.0));
        let model =
            sanitized(took.get("model").and_then(Value::as_str).unwrap_or_default()).to_string();
        let lost = number("/lost/tokens").map(|lost| {
            let requests = plural(number("/lost/requests").unwrap_or_default(), "request");
            format!(" ({requests} broke off, counted at the worst case of {lost} tokens)")
        });
        let lost = lost.unwrap_or_default();
        let _ = writeln!(text, "generate {n} {site}: asked {model}, {tokens} tokens, {cost}{lost}");
    }
    if let Some(failure) = &told.failure {
        let _ = writeln!(text, "the program fails: {}", sanitized(&failure.to_string()));
    }
    let _ = writeln!(text, "run {part}: {} asked", plural(asked, "call"));
    text
}

fn call_text(call: &CallDiff) -> String {
    let number = call.left.or(call.right).unwrap_or_default();
    let (before, after) = call.tokens;
    let head = |what: &str| {
        format!("generate {number} {}: {what}, {before} → {after} tokens\n", call.site)
    };
    let models = call.models.as_ref().map(|(before, after)| {
        format!("  the model was {}, and is {}\n", sanitized(before), sanitized(after))
    });
    let models = models.unwrap_or_default();
    match call.change {
        Change::Same if models.is_empty() => return String::new(),
        Change::Same => return head("the same prompt for another model") + &models,
        Change::Added => return head("a call more than in the record"),
        Change::Gone => return head("the call is not made any more"),
        _ => {}
    }
    let mut text = head("changed");
    for layer in &call.layers {
        let _ = writeln!(text, "  the {} differs", layer.name);
    }
    for item in call.items.iter().filter(|item| item.change != Change::Same) {
        text.push_str(&item_text(item));
    }
    text + &models
}

fn item_text(item: &ItemDiff) -> String {
    let change = json!(item.change);
    let change = change.as_str().unwrap_or_default().replace('_', " ");
    let name = sanitized(item.label.as_deref().unwrap_or(&item.source)).to_string();
    format!("  [{name}] {change}: {} → {} tokens\n", item.tokens.0, item.tokens.1)
}

fn refused(error: &RecheckError) -> Abort {
    let message = error.to_string();
    match error {
        RecheckError::Record(error) => {
            CommandError::refused(error.code(), message).help(error.help()).into()
        }
        RecheckError::Refused(RunFailure::Setup(error)) => error.clone().into(),
        RecheckError::Refused(failure) => CommandError::refused(failure.code(), message).into(),
        RecheckError::NoProgram | RecheckError::Missing { .. } => {
            CommandError::refused("program_unknown", message)
                .help("name it with `--program FILE`")
                .into()
        }
        _ => CommandError::failed("text_missing", message).into(),
    }
}
