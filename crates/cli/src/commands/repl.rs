//! `contexture repl`: programs line by line (AS-31).
//!
//! Decision: a terminal gets an editor with history and completion; from a pipe the same lines are
//! read without one, so that sessions can be scripted and tested.

use super::repl_editor::{Editor, Entered};
use crate::output::diagnostics;
use crate::output::progress::{ProgressDisplay, Verbosity};
use crate::prelude::*;
use crate::support::asker::PersonAtTerminal;
use crate::support::options::{Models, Permissions, Spend, stand_in};
use crate::support::runtime;
use crate::support::signals::Signals;
use contexture::Project;
use contexture::diagnostic::Diagnostic;
use contexture::run::{RunRequest, SetupError, load_text};
use contexture::script::runtime::SessionError;
use contexture::session::Session;
use std::io::{self, BufRead, IsTerminal};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  contexture repl
  printf 'x = 20\\nx * 2 + 2\\n' | contexture repl

Variables, functions, imports and `use` of a line apply to later lines. `:help` lists the commands;
Ctrl-C ends a running line, Ctrl-D the session.";

const HELP: &str = "\
An expression prints its value; assignments, functions, agents, imports and `use` apply to later
lines. A line with an open bracket continues on the next line.

  :names   list the variables
  :help    show this text
  :quit    end the session (or Ctrl-D)";

/// Runs a program line by line.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    models: Models,
    /// Call no model: return placeholders of the right type, or the answers of a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    mock: Option<Option<PathBuf>>,
    #[command(flatten)]
    workspace: Workspace,
    #[command(flatten)]
    permissions: Permissions,
    #[command(flatten)]
    spend: Spend,
    /// Store no record of this session in .contexture/.
    #[arg(long)]
    no_trace: bool,
    /// Also print each model call and each tool call.
    #[arg(long, short)]
    verbose: bool,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.workspace.open()?;
    // What a name stands for may be imported by any line.
    let (model, models) = args.models.chosen(true)?;
    let request = RunRequest {
        model,
        models,
        stand_in: stand_in(None, args.mock.as_ref()),
        forget: args.no_trace,
        allow_packs: args.permissions.allow_pack.clone(),
        servers: args.permissions.servers(),
        yes_to: args.permissions.yes_to.clone(),
        spend: args.spend.limit(),
        ..RunRequest::default()
    };
    let talk = if args.verbose { Verbosity::Verbose } else { Verbosity::Normal };
    let screen = Arc::new(ProgressDisplay::new(*terminal, talk, true));
    let permission = PersonAtTerminal::of(terminal, Arc::clone(&screen) as _);
    let request = RunRequest { permission, ..request };
    let observer = Arc::clone(&screen);
    let session = Session::open(&project, &request, observer)?;
    let history = (!args.no_trace).then(|| project.state_folder().join("repl-history"));
    let signals = Signals::listen({
        let screen = Arc::clone(&screen);
        move || screen.abandon()
    });
    let mut repl =
        Repl { session, screen, terminal, signals, verbose: args.verbose, failed: false };
    let driver = runtime::single_threaded()?;
    if io::stdin().is_terminal() {
        repl.edit(&driver, history)?;
        if let Err(unknown) = repl.check_models(&project, &request) {
            terminal.warn(&unknown.to_string());
        }
        return Ok(Exit::Done);
    }
    repl.read(&driver)?;
    repl.check_models(&project, &request)?;
    Ok(if repl.failed { Exit::Failed } else { Exit::Done })
}

/// A session with its input and output.
struct Repl<'t> {
    session: Session,
    screen: Arc<ProgressDisplay>,
    terminal: &'t Terminal,
    signals: Signals,
    verbose: bool,
    failed: bool,
}

/// The next step of a session.
enum Next {
    Line,
    /// The line is incomplete.
    More,
    Quit,
}

impl Repl<'_> {
    /// Refuses the replacement of a model that no line has imported: any line might have.
    fn check_models(&self, project: &Project, request: &RunRequest) -> Result<(), SetupError> {
        if request.models.by_name.is_empty() {
            return Ok(());
        }
        let source = self.session.source();
        let (program, _) = load_text(project, Path::new(source.name()), source.text())?;
        request.models.check([&program])
    }

    /// Reads lines from the editor of a terminal.
    fn edit(
        &mut self,
        driver: &tokio::runtime::Runtime,
        history: Option<PathBuf>,
    ) -> Result<(), Abort> {
        self.terminal.say("AgentScript; `:help` for help, Ctrl-D to end");
        let mut editor = Editor::new(history, self.terminal.out.is_on())?;
        loop {
            editor.set_names(self.session.variables());
            match editor.read()? {
                Entered::Line(line) => {
                    if matches!(self.enter(&line, driver)?, Next::Quit) {
                        return Ok(());
                    }
                }
                Entered::Nothing => {}
                Entered::End => return Ok(()),
            }
        }
    }

    /// Reads lines from a pipe, and joins those that are incomplete.
    fn read(&mut self, driver: &tokio::runtime::Runtime) -> Result<(), Abort> {
        let mut entry = String::new();
        for line in io::stdin().lock().lines() {
            let line = line.map_err(|error| Abort::read("stdin".as_ref(), error))?;
            entry.push_str(&line);
            match self.enter(&entry, driver)? {
                Next::Quit => return Ok(()),
                Next::Line => entry.clear(),
                Next::More => entry.push('\n'),
            }
        }
        if !entry.trim().is_empty() {
            self.failed = true;
            self.terminal.say(
                &CommandError::failed(
                    "incomplete",
                    "the last line is incomplete: a bracket or string is not closed",
                )
                .text(self.terminal.err),
            );
        }
        Ok(())
    }

    fn enter(&mut self, line: &str, driver: &tokio::runtime::Runtime) -> Result<Next, Abort> {
        match line.trim() {
            "" => return Ok(Next::Line),
            ":quit" | ":q" | ":exit" => return Ok(Next::Quit),
            ":help" => {
                self.terminal.say(HELP);
                return Ok(Next::Line);
            }
            ":names" => {
                self.terminal.say(&self.session.variables().join(" "));
                return Ok(Next::Line);
            }
            command if command.starts_with(':') => {
                self.failed = true;
                self.terminal.warn(&format!("unknown command {command}; see :help"));
                return Ok(Next::Line);
            }
            _ => {}
        }
        self.eval(line, driver)
    }

    fn eval(&mut self, line: &str, driver: &tokio::runtime::Runtime) -> Result<Next, Abort> {
        let cancel = self.signals.arm();
        self.screen.begin();
        let outcome = driver.block_on(self.session.eval(line, cancel));
        self.signals.disarm();
        self.screen.clear();
        match outcome {
            Ok(outcome) => {
                // A session only warns about loops that their `max` ended (AS-11).
                for warning in outcome.warnings.iter().filter(|_| self.verbose) {
                    self.terminal.warn(&warning.message);
                }
                if let Some(value) = outcome.value {
                    self.terminal.print_pretty(&value)?;
                }
            }
            Err(SessionError::Incomplete) => return Ok(Next::More),
            Err(SessionError::Syntax(found)) => self.report(&found),
            Err(SessionError::Run(error)) => self.report(&[error.to_diagnostic()]),
            Err(other) => self.terminal.say(
                &CommandError::failed("session_failed", other.to_string()).text(self.terminal.err),
            ),
        }
        Ok(Next::Line)
    }

    fn report(&mut self, found: &[Diagnostic]) {
        self.failed = true;
        let source = self.session.source();
        let text = diagnostics::excerpts(found, &[&source], self.terminal.err);
        self.terminal.say(text.trim_end());
    }
}
