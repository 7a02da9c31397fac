//! `contexture eval FILE…`: cases asked of models within limits (EV-3, EV-4).

use crate::commands::test::{Printed, files_of, refused, show};
use crate::output::progress::ProgressDisplay;
use crate::output::text::grouped;
use crate::prelude::*;
use crate::support::asking::Asking;
use crate::support::runtime::multi_threaded;
use contexture::eval::{self, Estimate, EvalError, EvalOptions, Report, Suite, SuiteReport};
use contexture::llm::Ledger;
use contexture::{Project, Runtime};
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, clap::Args)]
pub(super) struct RunArgs {
    /// Files of tests [default: every `*.test.yaml` of the project].
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    asking: Asking,
    /// Ask each case this many times.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Leave out the lines of a file of cases that hold no case; they are named, and skipped.
    #[arg(long)]
    skip_broken: bool,
    #[command(flatten)]
    workspace: Workspace,
    #[command(flatten)]
    printed: Printed,
}

/// What all files gave.
struct Done {
    suites: Vec<SuiteReport>,
    stopped: Option<&'static str>,
}

pub(super) fn run(args: &RunArgs, terminal: &Terminal) -> CommandResult {
    args.printed.require_writable()?;
    let suites = files_of(&args.files, &args.workspace, args.skip_broken, terminal)?;
    let mut options = args.asking.options(true)?;
    options.repeat = args.repeat;
    let estimate = estimate(&suites, &options).map_err(|error| refused(error, terminal))?;
    if !args.printed.json {
        terminal.note(&at_most(&estimate));
    }
    let tokio = multi_threaded()?;
    let work = || tokio.block_on(asked(suites, options));
    let done = ProgressDisplay::waiting(terminal, "asking models", work);
    let done = done.map_err(|error| refused(error, terminal))?;
    let report = Report::new(done.suites);
    let more = json!({ "estimate": estimate, "stopped": done.stopped });
    show(&args.printed, &report, more, terminal)?;
    let cases = report.suites.iter().flat_map(|suite| &suite.cases);
    let earlier = cases.filter(|case| case.earlier).count();
    if earlier > 0 {
        let runs = if earlier == 1 { "run was" } else { "runs were" };
        terminal.note(&format!("{earlier} {runs} taken over from an eval that was stopped"));
    }
    if let Some(limit) = done.stopped {
        let is_unpriced = limit == "max_cost" && estimate.cost.is_none();
        let what = match is_unpriced {
            true => {
                "a model has no price, so its requests can't be held within a cost; give it one under `[profiles]` of contexture.toml, or bound them by --max-tokens"
            }
            false => "the same command goes on with what is left",
        };
        terminal.note(&format!("stopped by {limit}; {what}"));
        return Ok(Exit::Stopped);
    }
    Ok(if report.failed == 0 { Exit::Done } else { Exit::Failed })
}

fn estimate(suites: &[(Project, Suite)], options: &EvalOptions) -> Result<Estimate, EvalError> {
    let mut all: Option<Estimate> = None;
    for (project, suite) in suites {
        let one = eval::estimate(&Runtime::of(project.clone()), suite, options)?;
        all = Some(all.map_or(one, |all| all.plus(one)));
    }
    Ok(all.unwrap_or_default())
}

/// Asks the cases of all files, one file after the other, from one account.
async fn asked(suites: Vec<(Project, Suite)>, options: EvalOptions) -> Result<Done, EvalError> {
    let ledger = Arc::new(Ledger::new(options.limit, None));
    let began = Instant::now();
    let mut done = Done { suites: Vec::new(), stopped: None };
    for (project, suite) in suites {
        let mut options = options.clone();
        options.time = options.time.map(|time| time.saturating_sub(began.elapsed()));
        options.stopped = done.stopped;
        let runtime = Runtime::of(project);
        let (report, stopped) = eval::eval(&runtime, &suite, &options, Arc::clone(&ledger)).await?;
        done.suites.push(report);
        done.stopped = done.stopped.or(stopped);
    }
    Ok(done)
}

/// Tells the most that an eval may take: `6 runs, at most 12 requests, 9,000 tokens, $0.01`.
fn at_most(estimate: &Estimate) -> String {
    let number = |number: Option<u64>, what: &str| match number {
        Some(number) => format!("{} {what}", grouped(number)),
        None => format!("{what} without a bound"),
    };
    let cost = match estimate.cost {
        Some(cost) => format!("{cost:.4} USD"),
        None => "a cost that is not known".to_owned(),
    };
    let (calls, tokens) = (number(estimate.calls, "requests"), number(estimate.tokens, "tokens"));
    format!("{} runs: at most {calls}, {tokens}, {cost}", grouped(estimate.cells as u64))
}
