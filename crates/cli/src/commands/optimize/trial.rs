//! `contexture optimize trial`: whether other candidates do better (EV-9).

use crate::commands::test::refused;
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use crate::support::asking::Asking;
use crate::support::runtime::multi_threaded;
use contexture::Runtime;
use contexture::eval::{self, TrialOptions, TrialReport};

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
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object: best, the candidate of each site, or null; gain and its interval on the
    /// held-out cases; calls, trials, held_out and stopped; failed, the runs that could not be judged, and the first error.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.workspace.open_for(Some(&args.file))?;
    let suite = eval::load_cases(&project, &args.file, &args.cases);
    let suite = suite.map_err(|error| refused(error, terminal))?;
    let mut options = TrialOptions::default();
    (options.eval, options.max_trials) = (args.asking.options(false)?, args.max_trials);
    options.eval.recorded = true;
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

fn text(found: &TrialReport) -> String {
    let mut text = String::new();
    match &found.best {
        Some(best) => {
            for (site, candidate) in best {
                // Writing to a string can't fail.
                let _ = writeln!(text, "{}={}", one_line(site), one_line(candidate));
            }
        }
        None if found.gain > 0.0 => {
            let why =
                "the gain may be chance, so the program stays as it is; more cases would tell";
            let _ = writeln!(text, "{why}");
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
    if let Some(error) = &found.error {
        let _ = writeln!(text, "{} runs failed, the first with: {}", found.failed, error.message);
    }
    text
}
