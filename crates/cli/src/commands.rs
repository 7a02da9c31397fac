//! One file per command.

pub(crate) mod answer;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod context;
pub(crate) mod explain;
pub(crate) mod family;
pub(crate) mod flow;
pub(crate) mod fmt;
pub(crate) mod knowledge;
pub(crate) mod mcp;
pub(crate) mod mcp_servers;
pub(crate) mod migrate;
pub(crate) mod parse;
pub(crate) mod prompt;
pub(crate) mod reference;
pub(crate) mod repl;
mod rewrite;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod token;
pub(crate) mod tokens;
pub(crate) mod trace;

use crate::args::{Cli, Command, color_of};
use crate::complaint::{Exit, Stop};
use crate::terminal::Terminal;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::process::ExitCode;

/// What a command gives back.
pub(crate) type Outcome = Result<Exit, Stop>;

/// Reads the arguments, runs the command, and says how it ended.
pub(crate) fn main(arguments: Vec<OsString>) -> ExitCode {
    let color = color_of(&arguments);
    let terminal = Terminal::of_process(color);
    let command = Cli::command().color(color.for_clap());
    let cli =
        command.try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    match cli {
        Ok(cli) => {
            let json = wants_json(&cli.command);
            let exit = finish(run(cli.command, &terminal), json, &terminal);
            ExitCode::from(exit.code())
        }
        Err(error) => usage(&error, &terminal),
    }
}

fn run(command: Command, terminal: &Terminal) -> Outcome {
    match command {
        Command::Run(args) => run::run(&args, terminal),
        Command::Check(args) => check::run(&args, terminal),
        Command::Parse(args) => parse::run(&args, terminal),
        Command::Fmt(args) => fmt::run(&args, terminal),
        Command::Migrate(args) => migrate::run(&args, terminal),
        Command::Repl(args) => repl::run(&args, terminal),
        Command::Prompt(args) => prompt::run(&args, terminal),
        Command::Answer(args) => answer::run(&args, terminal),
        Command::Tokens(args) => tokens::run(&args, terminal),
        Command::Ref(args) => reference::run(&args, terminal),
        Command::Knowledge(args) => knowledge::run(&args, terminal),
        Command::McpServers(args) => mcp_servers::run(&args, terminal),
        Command::Mcp(args) => mcp::run(&args, terminal),
        Command::Serve(args) => serve::run(&args, terminal),
        Command::Token(args) => token::run(&args, terminal),
        Command::Context(args) => context::run(&args, terminal),
        Command::Flow(args) => flow::run(&args, terminal),
        Command::Trace(args) => trace::run(&args, terminal),
        Command::Explain(args) => explain::run(&args, terminal),
        Command::Completions(args) => completions::run(&args, terminal),
    }
}

/// Whether the command is to say in JSON what went wrong, too.
fn wants_json(command: &Command) -> bool {
    match command {
        Command::Run(args) => args.json,
        Command::Check(args) => args.json,
        Command::Prompt(args) => prompt::wants_json(args),
        Command::Answer(args) => answer::wants_json(args),
        Command::Tokens(args) => tokens::wants_json(args),
        Command::Ref(args) => reference::wants_json(args),
        Command::Knowledge(args) => knowledge::wants_json(args),
        Command::McpServers(args) => mcp_servers::wants_json(args),
        Command::Token(args) => token::wants_json(args),
        Command::Context(args) => context::wants_json(args),
        Command::Flow(args) => flow::wants_json(args),
        Command::Trace(args) => trace::wants_json(args),
        _ => false,
    }
}

fn finish(outcome: Outcome, json: bool, terminal: &Terminal) -> Exit {
    let complaint = match outcome {
        Ok(exit) => return exit,
        Err(Stop::Closed) => return Exit::Done,
        Err(Stop::Complaint(complaint)) => complaint,
    };
    if json {
        // Nobody is left to tell when stdout fails as well.
        let _ = terminal.print_json(&complaint.json());
    } else {
        if let Some(result) = &complaint.result {
            let _ = terminal.print(result);
        }
        terminal.say(&complaint.text(terminal.err));
    }
    complaint.exit
}

/// Help, version, or what is wrong with the arguments.
fn usage(error: &clap::Error, terminal: &Terminal) -> ExitCode {
    let printed = error.print();
    if let Some(file) = program_as_command(error) {
        terminal.say(&format!("  {} contexture run {file}", terminal.err.cyan("did you mean:")));
    }
    if let Some(file) = answers_apart(error) {
        terminal.say(&format!(
            "  {} --mock={file}",
            terminal.err.cyan("a file of answers is given as")
        ));
    }
    if printed.is_err() && !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// The file, when it stands apart from `--mock` and so is no argument of anything.
fn answers_apart(error: &clap::Error) -> Option<&str> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_answers = [".json", ".jsonl"].iter().any(|end| word.ends_with(end));
    (error.kind() == ErrorKind::UnknownArgument && is_answers).then_some(word)
}

/// The file, when a program stands where the command should.
fn program_as_command(error: &clap::Error) -> Option<&str> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let is_program = error.kind() == ErrorKind::InvalidSubcommand && word.ends_with(".as");
    is_program.then_some(word)
}
