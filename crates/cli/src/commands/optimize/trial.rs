//! `contexture optimize trial`: whether other candidates do better (EV-9).

use crate::commands::test::refused;
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use crate::support::asking::Asking;
use crate::support::runtime::multi_threaded;
use contexture::Runtime;
use contexture::eval::{self, Proposal, Reflect, Reflection, TrialOptions, TrialReport};
use std::fs;
use std::num::NonZeroUsize;

const EXAMPLES: &str = "\
Examples:
  contexture optimize trial examples/use_one_of.as --cases examples/use_one_of.test.yaml \\
    --max-trials 4 --max-calls 40
  contexture optimize trial examples/use_one_of.as --cases examples/use_one_of.test.yaml --json
  contexture optimize trial task.as --cases cases.jsonl --mock \\
    --reflect openai://gpt-5-mini --max-calls 40 --out reviewed.as

Half of the cases compare the candidates, the others measure the gain of the best ones. Cases with
recorded answers take these. The program is not changed: `contexture optimize specialize` marks what
was found. With `--reflect` a model proposes other texts from the cases of the first half that fail;
what passes a case that no candidate passes is written as one more candidate, which nothing selects.";

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
    /// Ask this model for other texts in place of candidates that are texts, from cases that fail.
    #[arg(long, value_name = "MODEL")]
    reflect: Option<String>,
    /// Ask for at most this many texts.
    #[arg(long, value_name = "N", default_value = "3", requires = "reflect")]
    proposals: NonZeroUsize,
    /// Write the program with the texts that are kept to this file.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "reflect")]
    out: Option<PathBuf>,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object: best, the candidate of each site, or null; gain and its interval on the
    /// held-out cases; calls, trials, held_out and stopped; failed, the runs that could not be judged,
    /// and the first error; with `--reflect` reflection, which has proposals.
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
    options.reflect = args.reflect.clone().map(|model| Reflect::new(model, args.proposals.get()));
    let (tokio, runtime) = (multi_threaded()?, Runtime::of(project));
    let work = || tokio.block_on(eval::trial(&runtime, &suite, &options));
    let found = ProgressDisplay::waiting(terminal, "trying candidates", work);
    let found = found.map_err(|error| refused(error, terminal))?;
    if let Some((path, reflection)) = args.out.as_ref().zip(found.reflection.as_ref()) {
        let name = path.display().to_string();
        match &reflection.source {
            Some(source) => fs::write(path, source).map_err(|error| Abort::write(&name, &error))?,
            None => {
                terminal.note(&format!("no text is kept, so {} is not written", one_line(&name)))
            }
        }
    }
    if args.json {
        terminal.print_json(&json!(found))?;
        return Ok(Exit::Done);
    }
    terminal.print(&text(&found))?;
    if let Some(reflection) = &found.reflection {
        terminal.print(&proposals(reflection))?;
    }
    Ok(Exit::Done)
}

/// Formats proposals: `task.proposal_1 from plain: 4 of 5 train cases pass, 2 with plain`, the
/// reason and the text.
fn proposals(reflection: &Reflection) -> String {
    let mut text = String::new();
    for one in &reflection.proposals {
        let Proposal { site, parent, passed, parent_passed, cases, .. } = one;
        let name = one.name.as_deref().unwrap_or("(dropped)");
        let (site, parent) = (one_line(site), one_line(parent));
        // Writing to a string can't fail.
        let _ =
            write!(text, "\n{site}.{name} from {parent}: {passed} of {cases} train cases pass, ");
        let _ = writeln!(text, "{parent_passed} with {parent}");
        let lines = [&one.reason, &one.text].into_iter().chain(&one.dropped);
        for line in lines.filter(|line| !line.is_empty()) {
            let _ = writeln!(text, "  {}", one_line(line));
        }
    }
    if reflection.proposals.is_empty() {
        text.push_str("nothing was proposed: no case fails, or a limit was met\n");
    }
    text
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
