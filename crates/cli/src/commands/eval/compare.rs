//! `contexture eval compare`: what became better and worse (EV-6).

use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::eval::{Comparison, Direction, Report, compare};

const EXAMPLES: &str = "\
Examples:
  contexture test examples/hello.test.yaml --json > base.json
  contexture test examples/hello.test.yaml --json > head.json
  contexture eval compare base.json head.json --fail-on-worse

Both files are outputs of `contexture test --json` or `contexture eval --json`. Cases belong together by
file, name and variant. The test is the exact sign test at 0.05.

Exit code 0: done; 1: with --fail-on-worse, the second is worse.";

/// Compares two evals case by case: better, worse, or not told apart.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The output before a change.
    #[arg(value_name = "BASE", value_hint = clap::ValueHint::FilePath)]
    before: PathBuf,
    /// The output after it.
    #[arg(value_name = "HEAD", value_hint = clap::ValueHint::FilePath)]
    after: PathBuf,
    /// Exit with 1 when the second is worse, or when no case ran in both.
    #[arg(long)]
    fail_on_worse: bool,
    /// Print one JSON object: better, worse and same, as numbers of cases; p; interval; verdict; the
    /// names of the cases; unpaired.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let found = compare(&report(&args.before, terminal)?, &report(&args.after, terminal)?);
    if args.json {
        terminal.print_json(&json!(found))?;
    } else {
        terminal.print(&text(&found))?;
    }
    let is_nothing_told = found.better + found.worse + found.same == 0;
    if is_nothing_told {
        terminal.note("no case ran in both, so nothing is told");
    }
    let is_worse = found.verdict == Direction::Worse || is_nothing_told;
    Ok(if is_worse && args.fail_on_worse { Exit::Failed } else { Exit::Done })
}

pub(crate) fn report(path: &Path, terminal: &Terminal) -> Result<Report, Abort> {
    let text = input::text(path, "the output of an eval", terminal)?;
    let name = input::name_of(path);
    let value = input::json(&text, &name)?;
    serde_json::from_value(value).map_err(|error| {
        let message = format!("{name} is not the output of `contexture test --json`: {error}");
        let help =
            "write it with `contexture test --json > FILE` or `contexture eval --json > FILE`";
        CommandError::refused("not_a_report", message).file(path).help(help).into()
    })
}

fn text(found: &Comparison) -> String {
    let mut text = String::new();
    for (word, cases) in [("better", &found.better_cases), ("worse", &found.worse_cases)] {
        for case in cases {
            // Writing to a string can't fail.
            let _ = writeln!(text, "{word}  {}", sanitized(case));
        }
    }
    let Comparison { better, worse, same, p, .. } = found;
    let _ = write!(text, "{better} better, {worse} worse, {same} the same");
    if found.unpaired > 0 {
        let _ = write!(text, ", {} in one alone", found.unpaired);
    }
    if let Some([low, high]) = found.interval {
        let _ = write!(text, " · p {p:.3} · difference {low:+.2} to {high:+.2}");
    }
    let _ = writeln!(text, "\n{}", found.verdict.words());
    text
}
