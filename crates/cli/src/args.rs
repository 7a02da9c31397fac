//! The command line as a whole: global options and the list of commands.

use crate::commands;
use crate::paint::ColorWhen;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};
use std::ffi::{OsStr, OsString};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const AFTER_HELP: &str = "\
Examples:
  contexture run examples/hello.as --input '{\"name\":\"Ada\"}'
  contexture check examples/*.as
  contexture run examples/summarize_file.as --input '{\"path\":\"README.md\"}' --dry-run

`contexture help COMMAND` has options and examples for each command.";

/// The context runtime for AI agents.
///
/// A program declares what a model may see; contexture gathers it, fits it into a token budget,
/// asks the model, checks the answer, and keeps a record of what the model saw and why.
#[derive(Debug, Parser)]
#[command(
    name = "contexture",
    version,
    styles = STYLES,
    after_help = AFTER_HELP,
    max_term_width = 100,
    arg_required_else_help = true,
    subcommand_required = true
)]
pub(crate) struct Cli {
    /// When to colour the output.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true
    )]
    pub(crate) color: ColorWhen,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Box<commands::run::Args>),
    Check(commands::check::Args),
    Parse(commands::parse::Args),
    Fmt(commands::fmt::Args),
    Migrate(commands::migrate::Args),
    Repl(commands::repl::Args),
    Prompt(commands::prompt::Args),
    Answer(commands::answer::Args),
    Tokens(commands::tokens::Args),
    Ref(commands::reference::Args),
    Knowledge(Box<commands::knowledge::Args>),
    McpServers(commands::mcp_servers::Args),
    Mcp(Box<commands::mcp::Args>),
    Serve(Box<commands::serve::Args>),
    Token(Box<commands::token::Args>),
    Context(Box<commands::context::Args>),
    Flow(Box<commands::flow::Args>),
    Trace(commands::trace::Args),
    Explain(commands::explain::Args),
    Completions(commands::completions::Args),
}

/// Reads how many of something.
pub(crate) fn whole_number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number from 1 is expected".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// What `--color` says, read before the arguments are: a usage error must obey it too.
pub(crate) fn color_of(arguments: &[OsString]) -> ColorWhen {
    let mut words = arguments.iter().skip(1).take_while(|word| *word != "--").peekable();
    let mut found = ColorWhen::Auto;
    while let Some(word) = words.next() {
        let value = if word == "--color" {
            words.peek().map(|value| value.as_os_str())
        } else {
            word.to_str().and_then(|word| word.strip_prefix("--color=")).map(OsStr::new)
        };
        match value.and_then(OsStr::to_str) {
            Some("always") => found = ColorWhen::Always,
            Some("never") => found = ColorWhen::Never,
            _ => {}
        }
    }
    found
}
