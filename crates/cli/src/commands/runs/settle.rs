//! `contexture runs settle`: says what came of a call or a step in doubt (WA-4).

use super::{TargetRun, refused};
use crate::prelude::*;
use contexture::durable::{self, Settlement};

const EXAMPLES: &str = "\
Examples:
  contexture runs settle latest 2 --done '{\"ok\":true}'

A call is in doubt when the run ended in its midst: it may have been done or not. Look at the other
side. `contexture runs show RUN` lists the calls of a run. RUN may also be that of a set, by its id or a
part of it: CALL is then the step, and `contexture flow show RUN` lists the steps.";

/// Says what came of a call, or of the step of a set, whose outcome is not known.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("outcome").required(true))]
pub(super) struct Args {
    #[command(flatten)]
    asked: TargetRun,
    /// The call, as in `runs show`, or the step of a set.
    #[arg(value_name = "CALL")]
    call: String,
    /// It was done, and gave this JSON; `-` reads it from stdin.
    #[arg(long, value_name = "JSON", allow_hyphen_values = true, group = "outcome")]
    done: Option<String>,
    /// It was not done: make it again.
    #[arg(long, group = "outcome")]
    again: bool,
    /// Nobody knows: the program gets the error OUTCOME_UNCERTAIN, which it may catch; of a step, its
    /// recovery decides.
    #[arg(long, group = "outcome")]
    failed: bool,
    /// Print one JSON object: run, and the calls that are still in doubt.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let found = args.asked.find();
    let settlement = |terminal| match &args.done {
        Some(text) => {
            Ok::<_, Abort>(Settlement::Done(input::json_option(text, "--done", terminal)?))
        }
        None if args.again => Ok(Settlement::Again),
        None => Ok(Settlement::Failed),
    };
    #[cfg(feature = "flow")]
    if let (Err(_), Some(set)) = (&found, args.asked.set()) {
        let left = super::set::settle(&set, &args.call, settlement(terminal)?)?;
        let resume = format!("contexture flow resume {}", set.id());
        return report(args, set.id(), &left, (&resume, terminal));
    }
    let (project, run) = found?;
    durable::settle(&project, &run, &args.call, settlement(terminal)?).map_err(refused)?;
    let left = run.in_doubt().map(|past| past.call.key.clone()).filter(|key| *key != args.call);
    let resume = format!("contexture runs resume {}", run.id);
    report(args, &run.id, &left.collect::<Vec<_>>(), (&resume, terminal))
}

fn report(
    args: &Args,
    run: &str,
    left: &[String],
    (resume, terminal): (&str, &Terminal),
) -> CommandResult {
    if args.json {
        terminal.print_json(&json!({ "run": run, "in_doubt": left }))?;
        return Ok(Exit::Done);
    }
    terminal.note(&match left {
        [] => format!("call {} is settled; `{resume}` goes on", args.call),
        left => format!("call {} is settled; still in doubt: {}", args.call, left.join(", ")),
    });
    Ok(Exit::Done)
}
