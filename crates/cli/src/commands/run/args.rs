//! The arguments of `contexture run`.

use crate::prelude::*;
use crate::support::options::{Models, Permissions, Spend};

const EXAMPLES: &str = "\
Examples:
  contexture run examples/hello.as --input '{\"name\":\"Ada\"}'
  contexture run examples/summarize_file.as -i path=README.md --quiet
  contexture run examples/summarize_file.as --input '{\"path\":\"README.md\"}' --dry-run
  contexture run examples/summarize_file.as --input '{\"path\":\"README.md\"}' --record answers.jsonl
  contexture run examples/use_one_of.as --select evidence=overview \\
    --input '{\"question\":\"What does the cache store?\"}'
  contexture run examples/hello.as --input '{\"name\":\"Ada\"}' --stream
  contexture run examples/hello.as --input '{\"name\":\"Ada\"}' --durable
  echo '{\"name\":\"Ada\"}' | contexture run examples/hello.as --input - --json

The value goes to stdout, everything else to stderr. Exit code 0: done; 1: the program failed; 2:
wrong source, input or usage, and nothing was run.";

/// Runs a program and prints its value as JSON.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The program; `-` reads it from stdin. With --workspace it may lie outside.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// The input as JSON, or a field as KEY=VALUE, typed by the program, or KEY=@FILE with the text
    /// of a file, which may be repeated; `-` reads it from stdin: JSON, or the raw text where the
    /// program takes one string [default: {}].
    #[arg(
        short,
        long,
        value_name = "JSON|KEY=VALUE",
        allow_negative_numbers = true,
        conflicts_with = "input_file",
        help_heading = "What to run"
    )]
    pub(crate) input: Vec<String>,
    /// A JSON file with the input.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "What to run")]
    pub(crate) input_file: Option<PathBuf>,
    /// Run this agent instead of the main one.
    #[arg(long, value_name = "NAME", help_heading = "What to run")]
    pub(crate) agent: Option<String>,
    /// Run this function instead of the main one.
    #[arg(long, value_name = "NAME", help_heading = "What to run")]
    pub(crate) function: Option<String>,
    /// Select this candidate of a `use one of`, which is named by its label or by
    /// file:line:column. May be repeated.
    #[arg(
        long,
        value_name = "PLACE=CANDIDATE",
        value_parser = selection,
        help_heading = "What to run"
    )]
    pub(crate) select: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) workspace: Workspace,
    #[command(flatten)]
    pub(crate) permissions: Permissions,

    #[command(flatten)]
    pub(crate) models: Models,
    /// Call no model: return placeholders of the right type, or the answers of a file in order, one
    /// per line: a JSON string, or an object such as {"json": …} or {"error": …}.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "replay", help_heading = "Model")]
    pub(crate) mock: Option<Option<PathBuf>>,
    /// Call no model, change nothing, use no network; show the prompts that would be sent.
    #[arg(long, conflicts_with_all = ["record", "replay", "trace"], help_heading = "Model")]
    pub(crate) dry_run: bool,
    /// Record all model answers in a file, for --replay.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "replay", help_heading = "Model")]
    pub(crate) record: Option<PathBuf>,
    /// Answer from a recorded file; a request that it does not contain is an error.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Model")]
    pub(crate) replay: Option<PathBuf>,
    /// The number of concurrent iterations of a `parallel for` [default: 4].
    #[arg(long, value_name = "N", value_parser = crate::support::values::whole_number, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) concurrency: Option<usize>,

    #[command(flatten)]
    pub(crate) spend: Spend,

    /// Keep a journal of the run, so that `contexture runs resume` takes it up again after it was
    /// killed, cancelled or stopped by a limit.
    #[arg(long, conflicts_with = "dry_run", help_heading = "Output")]
    pub(crate) durable: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// What is shown and kept of a run.
#[derive(Debug, clap::Args)]
pub(crate) struct Output {
    /// Print the trace as a tree, or write its events to a file as JSON lines.
    #[arg(long, value_name = "FILE", num_args = 0..=1, value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    pub(crate) trace: Option<Option<PathBuf>>,
    /// Store no record of this run in .contexture/.
    #[arg(long, help_heading = "Output")]
    pub(crate) no_trace: bool,
    /// Also print each model call, each tool call, and each loop that its `max` ended.
    #[arg(long, short, conflicts_with = "quiet", help_heading = "Output")]
    pub(crate) verbose: bool,
    /// Print only the value, as JSON on one line.
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Print one JSON object: value, run, usage, cost and warnings, or the error.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Print JSON lines as it happens: `token`, `partial` and `progress` events, and `result` or
    /// `error` at the end.
    #[arg(long, conflicts_with = "quiet", help_heading = "Output")]
    pub(crate) stream: bool,
}

pub(crate) fn selection(text: &str) -> Result<(String, String), String> {
    match text.rsplit_once('=').map(|(place, name)| (place.trim(), name.trim())) {
        Some((place, name)) if !place.is_empty() && !name.is_empty() => {
            Ok((place.to_owned(), name.to_owned()))
        }
        _ => Err("expected a place and a candidate, such as evidence=brief".to_owned()),
    }
}
