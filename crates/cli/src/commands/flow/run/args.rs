//! The arguments of `contexture flow run`.

use crate::commands::flow::means::Means;
use crate::commands::flow::place::Place;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture flow run examples/flows/hello.json
  contexture flow run examples/flows/branches.json --json
  contexture flow run examples/flows/plan.as --input '{\"numbers\":[3,4,5]}'
  echo '{\"calls\":[{\"callId\":\"c\",\"name\":\"calculator\",\"parameters\":{\"expression\":\"6*7\"}}]}' \\
    | contexture flow run - --json --no-keep

The result goes to stdout, all else to stderr. Ctrl-C cancels the run in order, a second one ends
it at once; `flow resume` goes on with a run that was broken off. Exit code 0: COMPLETED; 1: it
ended otherwise; 2: the set was refused and nothing was run; 130: cancelled by Ctrl-C.";

/// Runs a set of instructions or tool calls, and prints what became of each.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The set: an INSTRUCTION or TOOL_CALL_REQUEST message, {type, content}, or the content alone;
    /// or a program (.as) whose function returns one. `-` is stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) file: Option<PathBuf>,
    /// The agent of the program, or its function, that returns the set; by default the main one.
    #[arg(long, value_name = "NAME[.FUNCTION]", help_heading = "What to run")]
    pub(super) agent: Option<String>,
    /// The input of the program as JSON, `{}` when absent; `-` reads it from stdin.
    #[arg(long, value_name = "JSON", allow_negative_numbers = true, help_heading = "What to run")]
    pub(super) input: Option<String>,
    /// A program whose agents the set may call as agent:Name or agent:Name.function; those beside the
    /// set and in the project may be called anyway. May be given several times.
    #[arg(long, value_name = "APP.as", value_hint = clap::ValueHint::FilePath, help_heading = "What to run")]
    pub(super) program: Vec<PathBuf>,
    /// The only actions that the set may use: a name, or the beginning of names with `*`. May be
    /// given several times. [default: all; a set in which a model had a part needs it]
    #[arg(long, value_name = "ACTION", help_heading = "What to run")]
    pub(super) allow: Vec<String>,
    /// End it as TIMEOUT after so many seconds; fractions are allowed.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true, help_heading = "What to run")]
    pub(super) timeout: Option<Duration>,
    /// Go on with this run, which was broken off; FILE may be left out, and must else be its set.
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = ["agent", "input", "timeout", "allow", "no_keep"],
        help_heading = "What to run"
    )]
    pub(super) resume: Option<String>,
    /// Keep nothing of the run: it is faster, and can't be gone on with or shown afterwards.
    #[arg(long, help_heading = "Output")]
    pub(super) no_keep: bool,
    #[command(flatten)]
    pub(super) place: Place,
    #[command(flatten)]
    pub(super) means: Means,
    /// Print one JSON object: status, results (the outcome of each id), order (the ids as they were
    /// started) and run; or the diagnostics of a set that is refused.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "seconds above 0 are expected, such as 30 or 0.5".to_owned())
}
