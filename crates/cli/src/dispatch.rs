//! From the arguments of the process to its exit code.

use crate::arguments::{Cli, Command, color_of};
use crate::commands::{
    acp, answer, check, completions, context, data, docs, doctor, eval, explain, flow, fmt,
    inspect, knowledge, lock, lsp, mcp, mcp_servers, migrate, new, optimize, parse, prompt,
    recheck, reference, repl, run as run_command, runs, serve, test, token, tokens, trace, types,
    waits,
};
use crate::output::error::{Abort, CommandResult, Exit};
use crate::output::terminal::Terminal;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use contexture::diagnostic::nearest;
use std::ffi::OsString;
use std::process::ExitCode;

/// Reads the arguments, runs the command and reports its result.
pub(crate) fn main(arguments: Vec<OsString>) -> ExitCode {
    let color = color_of(&arguments);
    let terminal = Terminal::of_process(color);
    let command = Cli::command().color(color.for_clap());
    let read = command
        .try_get_matches_from(&arguments)
        .map_err(|error| suggest(error, &arguments))
        .and_then(|matches| Cli::from_arg_matches(&matches).map(|cli| (cli, wants_json(&matches))));
    match read {
        Ok((cli, json)) => {
            let exit = finish(run(cli.command, &terminal), json, &terminal);
            ExitCode::from(exit.code())
        }
        Err(error) => usage(&error, &terminal),
    }
}

fn run(command: Command, terminal: &Terminal) -> CommandResult {
    match command {
        Command::New(args) => new::run(&args, terminal),
        Command::Doctor(args) => doctor::run(&args, terminal),
        Command::Run(args) => run_command::run(&args, terminal),
        Command::Runs(args) => runs::run(&args, terminal),
        Command::Check(args) => check::run(&args, terminal),
        Command::Docs(args) => docs::run(&args, terminal),
        Command::Types(args) => types::run(&args, terminal),
        Command::Parse(args) => parse::run(&args, terminal),
        Command::Fmt(args) => fmt::run(&args, terminal),
        Command::Migrate(args) => migrate::run(&args, terminal),
        Command::Repl(args) => repl::run(&args, terminal),
        Command::Test(args) => test::run(&args, terminal),
        Command::Eval(args) => eval::run(&args, terminal),
        Command::Optimize(args) => optimize::run(&args, terminal),
        Command::Lock(args) => lock::run(&args, terminal),
        Command::Prompt(args) => prompt::run(&args, terminal),
        Command::Answer(args) => answer::run(&args, terminal),
        Command::Tokens(args) => tokens::run(&args, terminal),
        Command::Ref(args) => reference::run(&args, terminal),
        Command::Knowledge(args) => knowledge::run(&args, terminal),
        Command::McpServers(args) => mcp_servers::run(&args, terminal),
        Command::Mcp(args) => mcp::run(&args, terminal),
        Command::Serve(args) => serve::run(&args, terminal),
        Command::Acp(args) => acp::run(&args, terminal),
        Command::Lsp(args) => lsp::run(&args, terminal),
        Command::Token(args) => token::run(&args, terminal),
        Command::Waits(args) => waits::run(&args, terminal),
        Command::Context(args) => context::run(&args, terminal),
        Command::Data(args) => data::run(&args, terminal),
        Command::Flow(args) => flow::run(&args, terminal),
        Command::Trace(args) => trace::run(&args, terminal),
        Command::Recheck(args) => recheck::run(&args, terminal),
        Command::Inspect(args) => inspect::run(&args, terminal),
        Command::Explain(args) => explain::run(&args, terminal),
        Command::Completions(args) => completions::run(&args, &mut Cli::command(), terminal),
    }
}

/// Reports whether errors are printed as JSON: with `--json`, with `--format json`, and by the
/// command that prints nothing else.
fn wants_json(matches: &ArgMatches) -> bool {
    if let Some((name, inner)) = matches.subcommand() {
        return name == "read-properties" || wants_json(inner);
    }
    // The words of a command that this build leaves out are not parsed.
    let has = |id: &str, value: &str| {
        let words = matches.try_get_raw(id).ok().flatten();
        words.into_iter().flatten().any(|word| word == value)
    };
    let is_set = |id| matches.try_get_one::<bool>(id).is_ok_and(|flag| flag == Some(&true));
    is_set("json") || is_set("stream") || has("format", "json") || has("words", "--json")
}

fn finish(result: CommandResult, json: bool, terminal: &Terminal) -> Exit {
    let error = match result {
        Ok(exit) => return exit,
        Err(Abort::OutputClosed) => return Exit::Done,
        Err(Abort::Error(error)) => error,
    };
    if json {
        // When stdout fails as well, there is nowhere left to report it.
        let _ = terminal.print_json(&error.json());
    } else {
        if let Some(result) = &error.result {
            let _ = terminal.print(result);
        }
        terminal.say(&error.text(terminal.err));
    }
    error.exit
}

/// Adds the command that was meant to an error about an unknown one: clap alone knows no swapped letters.
fn suggest(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let mut group = &Cli::command();
    for argument in arguments.iter().take_while(|argument| *argument != word.as_str()) {
        group = group.find_subcommand(argument).unwrap_or(group);
    }
    let commands = group.get_subcommands().map(clap::Command::get_name);
    if let Some(meant) = nearest(word, commands) {
        let meant = ContextValue::Strings(vec![meant.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    error
}

/// Prints help, the version or a usage error.
fn usage(error: &clap::Error, terminal: &Terminal) -> ExitCode {
    let printed = error.print();
    if let Some(file) = program_as_command(error) {
        terminal.say(&format!("  {} contexture run {file}", terminal.err.cyan("did you mean:")));
    }
    if let Some(file) = answers_apart(error) {
        let tip = terminal.err.cyan("to use a file of answers, write:");
        terminal.say(&format!("  {tip} --mock={file}"));
    }
    if printed.is_err() && !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Returns the file of answers that was separated from `--mock` by a space.
fn answers_apart(error: &clap::Error) -> Option<&str> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_answers = [".json", ".jsonl"].iter().any(|end| word.ends_with(end));
    (error.kind() == ErrorKind::UnknownArgument && is_answers).then_some(word)
}

fn program_as_command(error: &clap::Error) -> Option<&str> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let is_program = error.kind() == ErrorKind::InvalidSubcommand && word.ends_with(".as");
    is_program.then_some(word)
}
