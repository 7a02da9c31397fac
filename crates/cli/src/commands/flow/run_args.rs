//! The arguments of `contexture flow run`.

use super::run_options::RunOptions;
use super::stored_runs::FlowLocation;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture flow run examples/flows/hello.json
  contexture flow run examples/flows/branches.json --json
  contexture flow run examples/flows/plan.as --input '{\"numbers\":[3,4,5]}'
  echo '{\"calls\":[{\"callId\":\"c\",\"name\":\"calculator\",\"parameters\":{\"expression\":\"6*7\"}}]}' \\
    | contexture flow run - --json --no-keep

The result goes to stdout, everything else to stderr. Ctrl-C cancels the run in order, a second one
ends it at once; `flow resume` continues an interrupted run. Exit code 0: COMPLETED; 1: another
status; 2: the set was refused and nothing was run; 130: cancelled by Ctrl-C.";

/// Runs a set of instructions or tool calls, and prints the outcome of each.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The set: an INSTRUCTION or TOOL_CALL_REQUEST message, {type, content}, or only its content; or
    /// a program (.as) that returns one. `-` is stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) file: Option<PathBuf>,
    /// The agent or function of the program that returns the set [default: the main one].
    #[arg(long, value_name = "NAME[.FUNCTION]", help_heading = "What to run")]
    pub(super) agent: Option<String>,
    /// The input of the program as JSON; `-` reads it from stdin [default: {}].
    #[arg(long, value_name = "JSON", allow_negative_numbers = true, help_heading = "What to run")]
    pub(super) input: Option<String>,
    /// A program whose agents the set may call as agent:Name or agent:Name.function, besides the
    /// programs in the folder of the set and in the project. May be repeated.
    #[arg(long, value_name = "APP.as", value_hint = clap::ValueHint::FilePath, help_heading = "What to run")]
    pub(super) program: Vec<PathBuf>,
    /// Allow only this action: a name, or the beginning of names with `*`. May be repeated. A set
    /// that a model contributed to needs it [default: all].
    #[arg(long, value_name = "ACTION", help_heading = "What to run")]
    pub(super) allow: Vec<String>,
    /// End the run as TIMEOUT after this time; fractions are allowed.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true, help_heading = "What to run")]
    pub(super) timeout: Option<Duration>,
    /// Resume this interrupted run; FILE is then optional, and must be the set of the run.
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = ["agent", "input", "timeout", "allow", "no_keep"],
        help_heading = "What to run"
    )]
    pub(super) resume: Option<String>,
    /// Store nothing: faster, but the run can't be resumed or shown later.
    #[arg(long, help_heading = "Output")]
    pub(super) no_keep: bool,
    #[command(flatten)]
    pub(super) location: FlowLocation,
    #[command(flatten)]
    pub(super) options: RunOptions,
    /// Print one JSON object: status, results (the outcome of each id), order (the ids in the order
    /// of their start) and run; or the diagnostics of a refused set.
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "expected a positive number of seconds, such as 30 or 0.5".to_owned())
}
