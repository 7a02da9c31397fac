//! The arguments of `contexture run`.

use contexture::knowledge::Allowance;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture run examples/hello.as --input '{\"name\":\"Ada\"}'
  contexture run examples/summarize_file.as --input '{\"path\":\"README.md\"}' --quiet
  contexture run examples/summarize_file.as --input '{\"path\":\"README.md\"}' --dry-run
  contexture run examples/summarize_file.as --input '{\"path\":\"README.md\"}' --record answers.jsonl
  contexture run examples/use_one_of.as --select evidence=overview \\
    --input '{\"question\":\"What does the cache store?\"}'
  echo '{\"name\":\"Ada\"}' | contexture run examples/hello.as --input - --json

The value goes to stdout, all else to stderr. Exit code 0: done; 1: the program failed; 2: the
source, the input or the usage is wrong and nothing was run.";

/// Runs a program and prints its value as JSON.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The program.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// The input as JSON, `{}` when absent; `-` reads it from stdin.
    #[arg(
        long,
        value_name = "JSON",
        allow_negative_numbers = true,
        conflicts_with = "input_file",
        help_heading = "What to run"
    )]
    pub(crate) input: Option<String>,
    /// The input from a JSON file.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "What to run")]
    pub(crate) input_file: Option<PathBuf>,
    /// Run this agent instead of the main one.
    #[arg(long, value_name = "NAME", help_heading = "What to run")]
    pub(crate) agent: Option<String>,
    /// Run this function instead of the main one.
    #[arg(long, value_name = "NAME", help_heading = "What to run")]
    pub(crate) function: Option<String>,
    /// Take this candidate of a `use one of`, which is named by its label or by file:line:column;
    /// may be given several times.
    #[arg(
        long,
        value_name = "PLACE=CANDIDATE",
        value_parser = selection,
        help_heading = "What to run"
    )]
    pub(crate) select: Vec<(String, String)>,
    /// The folder that files and tools are confined to; by default the nearest one with a
    /// contexture.toml, else the current one.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "What to run")]
    pub(crate) workspace: Option<PathBuf>,

    /// The model that `default` stands for, such as openai://gpt-4o-mini, ollama://localhost:11434/llama3.2
    /// or builtin://extractive.
    #[arg(long, value_name = "URI", help_heading = "Model")]
    pub(crate) model: Option<String>,
    /// Ask no model: give placeholders of the right type, or the answers of a file, in order, one
    /// per line: a JSON string, or an object such as {"json": …} or {"error": …}.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "replay", help_heading = "Model")]
    pub(crate) mock: Option<Option<PathBuf>>,
    /// Let the program read this knowledge pack in this state, such as
    /// acme@sha256:0123456789ab; a refusal names it. May be given several times.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "What to run")]
    pub(crate) allow_pack: Vec<Allowance>,
    /// Let the program use this MCP server of the project, as contexture.toml describes it now, such
    /// as fs@sha256:0123456789ab; a refusal names it. May be given several times.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "What to run")]
    pub(crate) allow_server: Vec<Allowance>,
    /// Ask no model, change nothing, reach no network; show the prompts that would be sent.
    #[arg(long, conflicts_with_all = ["record", "replay", "trace"], help_heading = "Model")]
    pub(crate) dry_run: bool,
    /// Keep all answers of the model in a file, for --replay.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "replay", help_heading = "Model")]
    pub(crate) record: Option<PathBuf>,
    /// Answer from a recorded file; a request that is not in it is an error.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Model")]
    pub(crate) replay: Option<PathBuf>,
    /// How many turns of a `parallel for` run at the same time [default: 4].
    #[arg(long, value_name = "N", value_parser = crate::args::whole_number, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) concurrency: Option<usize>,

    /// Print the tree of what happened, or write its events to a file as JSON lines.
    #[arg(long, value_name = "FILE", num_args = 0..=1, value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    pub(crate) trace: Option<Option<PathBuf>>,
    /// Keep no record of this run in .contexture/.
    #[arg(long, help_heading = "Output")]
    pub(crate) no_trace: bool,
    /// Say more: each model call, each tool call, each `max` that cut a loop short.
    #[arg(long, short, conflicts_with = "quiet", help_heading = "Output")]
    pub(crate) verbose: bool,
    /// Print the value alone, as JSON on one line.
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Print one JSON object: value, run, usage and warnings, or what failed.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

fn selection(text: &str) -> Result<(String, String), String> {
    match text.rsplit_once('=').map(|(place, name)| (place.trim(), name.trim())) {
        Some((place, name)) if !place.is_empty() && !name.is_empty() => {
            Ok((place.to_owned(), name.to_owned()))
        }
        _ => Err("a place and a candidate are expected, such as evidence=brief".to_owned()),
    }
}
