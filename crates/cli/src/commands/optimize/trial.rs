//! `contexture optimize trial`: whether other candidates do better (EV-9).

use crate::commands::test::refused;
use crate::output::progress::ProgressDisplay;
use crate::output::text::plural;
use crate::prelude::*;
use crate::support::asking::Asking;
use crate::support::output_file::require_file;
use crate::support::runtime::multi_threaded;
use contexture::eval::{self, Proposal, Reflect, Reflection, TrialOptions, TrialReport};
use contexture::pins::{keep_measured, require_lock};
use contexture::{Project, Runtime};
use std::fs;
use std::num::NonZeroUsize;

const EXAMPLES: &str = "\
Examples:
  contexture optimize trial examples/use_one_of.as --cases examples/use_one_of.test.yaml \\
    --max-trials 4 --max-calls 40
  contexture optimize trial examples/use_one_of.as --cases examples/use_one_of.test.yaml --json
  contexture optimize trial examples/use_one_of.as --cases examples/use_one_of.test.yaml \\
    --out chosen.as
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
    /// Write the program with what was found to this file: other candidates marked, and the texts that
    /// are kept. What was measured of the candidates goes into contexture.lock.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object: best, the candidate of each site, or null; gain and its interval on the
    /// held-out cases; calls, trials, held_out and stopped; lock, what --out keeps in contexture.lock,
    /// and diff, the change of the program; failed, the runs that could not be judged, and the first
    /// error; with `--reflect` reflection, which has proposals.
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
    let before = args.out.as_deref().map(|out| writable(out, &suite.program, runtime.project()));
    let before = before.transpose()?.flatten();
    let work = || tokio.block_on(eval::trial(&runtime, &suite, &options));
    let found = ProgressDisplay::waiting(terminal, "trying candidates", work);
    let found = found.map_err(|error| refused(error, terminal))?;
    if args.json {
        terminal.print_json(&json!(found))?;
    } else {
        terminal.print(&text(&found))?;
        let proposed = found.reflection.as_ref().map(proposals);
        terminal.print(&proposed.unwrap_or_default())?;
    }
    if let Some(path) = &args.out {
        // What was measured is told first: it was paid for.
        write((path, before.as_deref()), &found, (runtime.project(), terminal))?;
    }
    Ok(Exit::Done)
}

/// Refuses a file that can't be written before anything is asked; returns its text if it is the program
/// itself.
fn writable(out: &Path, program: &Path, project: &Project) -> Result<Option<String>, Abort> {
    require_file(out)?;
    require_lock(project)?;
    let is_program = match (out.canonicalize(), program.canonicalize()) {
        (Ok(out), Ok(program)) => out == program,
        _ => false,
    };
    Ok(if is_program { fs::read_to_string(out).ok() } else { None })
}

/// Writes the program with what was found, and what was measured of it.
fn write(
    (path, before): (&Path, Option<&str>),
    found: &TrialReport,
    (project, terminal): (&Project, &Terminal),
) -> Result<(), Abort> {
    let name = path.display().to_string();
    let Some(source) = &found.source else {
        terminal.note(&format!("nothing was found, so {} is not written", one_line(&name)));
        return Ok(());
    };
    if before.is_some_and(|before| fs::read_to_string(path).ok().as_deref() != Some(before)) {
        let message =
            format!("{} was changed while it was tried, so it is not written", one_line(&name));
        let help =
            "run the trial again, or mark what was found with `contexture optimize specialize`";
        return Err(CommandError::failed("program_changed", message).help(help).into());
    }
    fs::write(path, source).map_err(|error| Abort::write(&name, &error))?;
    if let Some(measured) = found.measured.clone()
        && !keep_measured(project, path, measured)?
    {
        let place = one_line(&name);
        terminal.note(&format!(
            "{place} lies outside the project, so contexture.lock does not keep what was measured"
        ));
    }
    Ok(())
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
        None if found.held_out == 0 && found.stopped.is_some() => {
            text.push_str("nothing was measured: the limits end the trial before it\n");
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
    let counts =
        [(*held_out as u64, "held-out case"), (*trials as u64, "trial"), (*calls, "request")];
    let counts = counts.map(|(count, what)| plural(count, what)).join(" · ");
    let _ = writeln!(text, " on {counts}");
    text.extend(found.diff.iter().flat_map(|diff| ["\n", diff]));
    if let Some(limit) = found.stopped {
        let _ = writeln!(text, "stopped by {limit}");
    }
    if let Some(error) = &found.error {
        let failed = plural(found.failed as u64, "run");
        let _ = writeln!(text, "{failed} failed, the first with: {}", error.message);
    }
    text
}
