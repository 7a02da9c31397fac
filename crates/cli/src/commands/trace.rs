//! `contexture trace`: stored runs, their prompts, and differences between runs (AS-29).

mod blame;
mod data;
mod diff;
mod export;
mod line;
mod list;
mod pack_lines;
mod prompt;
mod prune;
mod ranked;
mod runs;
mod show;
mod whole;
mod why;
mod why_not;

pub(crate) use show::tree;

use crate::prelude::*;
use crate::support::project;
use clap::Subcommand;
use runs::Runs;

const EXAMPLES: &str = "\
Examples:
  contexture trace list --failed --since 2d
  contexture trace show latest
  contexture trace prompt latest 1
  contexture trace diff latest~1 latest

RUN is an id, the beginning or end of one, `latest`, or `latest~1` for the run before.";

/// Shows stored runs and what their models saw.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    /// The project folder [default: the nearest folder with a contexture.toml, else the current
    /// one].
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
    Why(why::Args),
    WhyNot(why_not::Args),
    Diff(diff::Args),
    Blame(blame::Args),
    Export(export::Args),
    Prune(prune::Args),
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let workspace = args.workspace.as_deref();
    let project = project::here_or(workspace)?;
    let runs = Runs { store: contexture::runs(&project) };
    // A list reads texts only to search them; what prints or deletes them fails by itself.
    if !matches!(args.action, Action::List(_) | Action::Prompt(_) | Action::Prune(_)) {
        runs.check(terminal);
    }
    match &args.action {
        Action::List(args) => list::run(args, &runs, terminal),
        Action::Show(args) => show::run(args, &runs, terminal),
        Action::Prompt(args) => prompt::run(args, &runs, terminal),
        Action::Why(args) => why::run(args, &runs, workspace, terminal),
        Action::WhyNot(args) => why_not::run(args, &runs, terminal),
        Action::Diff(args) => diff::run(args, &runs, terminal),
        Action::Blame(args) => blame::run(args, &runs, terminal),
        Action::Export(args) => export::run(args, &runs, &project, terminal),
        Action::Prune(args) => prune::run(args, &runs, terminal),
    }
}
