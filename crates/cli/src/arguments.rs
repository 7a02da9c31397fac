//! The root of the command line: global options and the list of commands.

use crate::commands;
use crate::output::paint::ColorWhen;
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

`contexture help COMMAND` shows the options and examples of a command.";

/// The context runtime for AI agents.
///
/// A program declares what a model may see; Contexture gathers it, fits it into a token budget,
/// asks the model, checks the answer, and records what the model saw and why.
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
    /// When to use colour.
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

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    New(commands::new::Args),
    Doctor(commands::doctor::Args),
    Run(Box<commands::run::Args>),
    Runs(commands::runs::Args),
    Check(commands::check::Args),
    Docs(commands::docs::Args),
    Types(commands::types::Args),
    Parse(commands::parse::Args),
    Fmt(commands::fmt::Args),
    Migrate(commands::migrate::Args),
    Repl(commands::repl::Args),
    Test(commands::test::Args),
    Eval(Box<commands::eval::Args>),
    Optimize(Box<commands::optimize::Args>),
    Lock(commands::lock::Args),
    Prompt(commands::prompt::Args),
    Answer(commands::answer::Args),
    Tokens(commands::tokens::Args),
    Ref(commands::reference::Args),
    Knowledge(Box<commands::knowledge::Args>),
    McpServers(commands::mcp_servers::Args),
    Mcp(Box<commands::mcp::Args>),
    Serve(Box<commands::serve::Args>),
    Acp(Box<commands::acp::Args>),
    Lsp(commands::lsp::Args),
    Token(Box<commands::token::Args>),
    Context(Box<commands::context::Args>),
    Data(Box<commands::data::Args>),
    Waits(Box<commands::waits::Args>),
    Flow(Box<commands::flow::Args>),
    Trace(commands::trace::Args),
    Inspect(commands::inspect::Args),
    Recheck(commands::recheck::Args),
    Explain(commands::explain::Args),
    Completions(commands::completions::Args),
}

/// Returns the value of `--color` before the arguments are parsed: usage errors obey it, too.
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
