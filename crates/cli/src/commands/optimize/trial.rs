//! `contexture optimize trial`: whether other candidates do better (EV-9).

use crate::commands::test::refused;
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use crate::support::options::{Models, Spend, stand_in};
use crate::support::runtime::multi_threaded;
use contexture::Runtime;
use contexture::eval::{self, TrialOptions, TrialReport};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture optimize trial examples/use_one_of.as --cases examples/use_one_of.test.yaml \\
    --max-trials 4 --max-calls 40
  contexture optimize trial examples/use_one_of.as --cases examples/use_one_of.test.yaml --json

Half of the cases compare the candidates, the others measure the gain of the best ones. Cases with
recorded answers take these. The program is not changed: `contexture optimize specialize` marks what
was found.";

/// Tries other candidates of a program on cases, and measures the gain of the best ones.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The program.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The cases: a file of tests, or a JSONL or CSV file.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    cases: PathBuf,
    /// Try at most this many combinations of candidates beside the program as it is.
    #[arg(long, value_name = "N", default_value_t = 64)]
    max_trials: usize,
    /// Send at most this many requests to models.
    #[arg(long, value_name = "N", help_heading = "Model")]
    max_calls: Option<u64>,
    /// Begin nothing after this many seconds, and end what is under way.
    #[arg(long, value_name = "N", help_heading = "Model")]
    max_seconds: Option<u64>,
    #[command(flatten)]
    spend: Spend,
    #[command(flatten)]
    models: Models,
    /// Call no model: return placeholders of the right type, or the answers of a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Model")]
    mock: Option<Option<PathBuf>>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object: best, the candidate of each site, or null; gain and its interval on the
    /// held-out cases; calls, trials, held_out and stopped.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.workspace.open_for(Some(&args.file))?;
    let suite = eval::load_cases(&project, &args.file, &args.cases);
    let suite = suite.map_err(|error| refused(error, terminal))?;
    let options = options(args)?;
    let (tokio, runtime) = (multi_threaded()?, Runtime::of(project));
    let work = || tokio.block_on(eval::trial(&runtime, &suite, &options));
    let found = ProgressDisplay::waiting(terminal, "trying candidates", work);
    let found = found.map_err(|error| refused(error, terminal))?;
    if args.json {
        terminal.print_json(&json!(found))?;
    } else {
        terminal.print(&text(&found))?;
    }
    Ok(Exit::Done)
}

fn options(args: &Args) -> Result<TrialOptions, Abort> {
    let (model, models) = args.models.chosen(false)?;
    let mut options = TrialOptions::default();
    (options.eval.model, options.eval.models) = (model, models);
    options.eval.stand_in = stand_in(None, args.mock.as_ref());
    options.eval.limit = args.spend.limit();
    options.eval.limit.calls = args.max_calls;
    options.eval.time = args.max_seconds.map(Duration::from_secs);
    options.eval.recorded = true;
    options.max_trials = args.max_trials;
    Ok(options)
}

fn text(found: &TrialReport) -> String {
    let mut text = String::new();
    match &found.best {
        Some(best) => {
            for (site, candidate) in best {
                // Writing to a string can't fail.
                let _ = writeln!(text, "{}={}", one_line(site), one_line(candidate));
            }
        }
        None => text.push_str("no gain: the program stays as it is\n"),
    }
    let TrialReport { gain, calls, trials, held_out, .. } = found;
    let _ = write!(text, "gain {gain:+.2}");
    if let Some([low, high]) = found.interval {
        let _ = write!(text, " ({low:+.2} to {high:+.2})");
    }
    let _ = writeln!(text, " on {held_out} held-out cases · {trials} trials · {calls} requests");
    if let Some(limit) = found.stopped {
        let _ = writeln!(text, "stopped by {limit}");
    }
    text
}
