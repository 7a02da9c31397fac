//! `contexture runs resume`: takes a run up again from its journal.

use super::{TargetRun, refused};
use crate::commands::run::{Output, carry_out};
use crate::prelude::*;
use crate::support::options::Spend;
use contexture::durable::{Changes, wish};
use contexture::llm::SpendLimit;
use contexture::ports::policy::Class;

const EXAMPLES: &str = "\
Examples:
  contexture runs resume latest --max-tokens 200k

What has ended is not done again: its outcomes come from the journal. A model whose answer was not
written down is asked again. A call that changes something and whose outcome is not known has to be
settled first: see `contexture runs settle --help`. The limits are those of the
whole run, with what it has taken already. Exit codes are those of `run`.

A turn under `contexture serve` is taken up by the server that runs on the folder, or by the next one:
the command asks it, and takes no options.";

/// Takes a run up again from its journal.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    asked: TargetRun,
    /// The input of the run, as JSON, where its journal does not keep it because it held a secret;
    /// `-` reads it from stdin.
    #[arg(short, long, value_name = "JSON", allow_negative_numbers = true)]
    input: Option<String>,
    /// Go on although the program has changed, or has failed. It ends where it does something else
    /// than it did.
    #[arg(long)]
    changed: bool,
    /// Allow effects of these classes, as `contexture run` does.
    #[arg(long, value_name = "CLASSES", value_delimiter = ',', value_parser = crate::support::options::class)]
    yes_to: Vec<Class>,
    #[command(flatten)]
    spend: Spend,
    #[command(flatten)]
    output: Output,
}

impl Args {
    /// Reports whether nothing is to be different from the run's first life.
    fn is_plain(&self) -> bool {
        let is_same = self.input.is_none() && !self.changed && self.yes_to.is_empty();
        is_same && self.spend.limit() == SpendLimit::default()
    }
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let found = args.asked.find();
    #[cfg(feature = "flow")]
    if let (Err(_), Some(set)) = (&found, args.asked.set()) {
        return Err(super::set::resumed_elsewhere(&set).into());
    }
    let (project, run) = found?;
    if run.turn().is_some() && args.is_plain() {
        wish(&project, &run).map_err(refused)?;
        terminal.note(&format!(
            "the server that runs on this folder, or the next one, goes on with {id}; if it can't, its log \
             says why (turn_not_resumed), and `contexture runs cancel {id}` ends the run",
            id = run.id
        ));
        return Ok(Exit::Done);
    }
    let input = args.input.as_deref();
    let input = input.map(|text| input::json_option(text, "--input", terminal)).transpose()?;
    let changes = Changes {
        input,
        spend: args.spend.limit(),
        program: args.changed,
        yes_to: args.yes_to.clone(),
    };
    let mut request = run.request(&project, changes).map_err(refused)?;
    request.trace_file = args.output.trace.clone().flatten();
    request.forget |= args.output.no_trace;
    carry_out(&project, request, (&args.output, false), terminal)
}
