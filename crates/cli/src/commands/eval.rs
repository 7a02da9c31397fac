//! `contexture eval`: the cases of programs asked of models, and comparisons (EV-4, EV-6).

mod accept;
mod compare;
mod record;
mod run;

pub(crate) use compare::report;

use crate::prelude::*;

const EXAMPLES: &str = "\
Examples:
  contexture eval examples/hello.test.yaml --max-calls 20 --max-cost 0.10
  contexture eval examples/hello.test.yaml --repeat 2 --json > base.json
  contexture eval compare base.json base.json --fail-on-worse

What it may take at worst is printed first. A request that would pass a limit is not sent; what was
asked is kept, and the same command goes on from there, also after a kill.

Exit code 0: all cases pass; 1: some fail; 2: a file or a program has a fault; 3: a limit stopped it.";

/// Asks models the cases of programs, within limits; compares two evals; makes cases of runs and takes
/// new values into them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    run: run::RunArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Accept(accept::Args),
    Compare(compare::Args),
    Record(record::Args),
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    match &args.action {
        Some(Action::Accept(args)) => accept::run(args, terminal),
        Some(Action::Compare(args)) => compare::run(args, terminal),
        Some(Action::Record(args)) => record::run(args, terminal),
        None => run::run(&args.run, terminal),
    }
}
