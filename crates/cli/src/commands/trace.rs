//! `contexture trace`: what runs did, what each model call saw, and how two runs differ (AS-29).

mod diff;
mod export;
mod line;
mod list;
mod prompt;
mod show;

pub(crate) use show::tree;

use super::Outcome;
use crate::complaint::{Complaint, Stop};
use crate::terminal::Terminal;
use crate::workspace;
use clap::Subcommand;
use contexture::inspect::{InspectError, Kept};
use contexture::store::runs::{FolderStore, RunError, RunId, RunLog, RunStore, select};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture trace list
  contexture trace show latest
  contexture trace prompt latest 1
  contexture trace diff latest~1 latest

A run is named by its id, by the beginning or end of it, by `latest`, or by `latest~1` for the one
before.";

/// Shows what runs did and what the model saw.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    /// The folder whose runs are meant; by default the nearest one with a contexture.toml, else
    /// the current one.
    #[arg(long, global = true, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::Args),
    Show(show::Args),
    Prompt(prompt::Args),
    Diff(diff::Args),
    Export(export::Args),
}

/// Whether the command was asked for JSON.
pub(crate) fn wants_json(args: &Args) -> bool {
    match &args.action {
        Action::List(args) => args.json,
        Action::Show(args) => args.json,
        Action::Prompt(args) => args.json,
        Action::Diff(args) => args.json,
        Action::Export(args) => args.json,
    }
}

/// Runs `contexture trace`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let project = workspace::here_or(args.workspace.as_deref())?;
    let runs = Runs { store: contexture::runs(&project) };
    match &args.action {
        Action::List(args) => list::run(args, &runs, terminal),
        Action::Show(args) => show::run(args, &runs, terminal),
        Action::Prompt(args) => prompt::run(args, &runs, terminal),
        Action::Diff(args) => diff::run(args, &runs, terminal),
        Action::Export(args) => export::run(args, &runs, terminal),
    }
}

/// The runs of a workspace.
struct Runs {
    store: FolderStore,
}

impl Runs {
    /// The run that a person means.
    fn find(&self, asked: &str) -> Result<RunId, Stop> {
        select(&self.store, asked).map_err(|error| refuse(&error))
    }

    /// Its trace; what could not be read of it is said.
    fn load(&self, asked: &str, terminal: &Terminal) -> Result<RunLog, Stop> {
        let log = self.store.load(&self.find(asked)?).map_err(|error| refuse(&error))?;
        for note in &log.notes {
            terminal.warn(&format!("run {}: {note}", log.id));
        }
        Ok(log)
    }

    /// The run with its texts.
    fn kept<'a>(&'a self, log: &'a RunLog) -> Kept<'a> {
        Kept { store: &self.store, log }
    }
}

fn refuse(error: &RunError) -> Stop {
    Complaint::refused(error.code(), error.to_string()).help(error.help()).into()
}

fn inspect_failed(error: &InspectError) -> Stop {
    let complaint = match error {
        InspectError::NoSuchCall { calls: 0, .. } => {
            Complaint::refused("no_such_call", error.to_string()).help("the run asked no model")
        }
        InspectError::NoSuchCall { calls, .. } => {
            Complaint::refused("no_such_call", error.to_string())
                .help(format!("calls are counted from 1 to {calls}"))
        }
        _ => Complaint::failed("text_missing", error.to_string()),
    };
    complaint.into()
}

/// `1 token`, `2 tokens`
pub(crate) fn plural(count: u64, word: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {word}{end}")
}

/// `90 µs`, `412 ms`, `1.2 s`, `3 min 5 s`
pub(crate) fn duration(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{} ms", us / 1_000),
        1_000_000..60_000_000 => format!("{}.{} s", us / 1_000_000, us / 100_000 % 10),
        _ => format!("{} min {} s", us / 60_000_000, us / 1_000_000 % 60),
    }
}
