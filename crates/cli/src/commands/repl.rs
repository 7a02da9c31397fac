//! `contexture repl`: programs line by line (AS-31).
//!
//! Decision: on a terminal there is an editor with history and completion; from a pipe the same
//! lines are read plainly, so that a session can be scripted and tested.

mod editor;

use super::Outcome;
use super::run::{Screen, Signals, Talk, runtime};
use crate::complaint::{Complaint, Exit, Stop};
use crate::faults;
use crate::terminal::Terminal;
use crate::workspace;
use contexture::diagnostic::Diagnostic;
use contexture::knowledge::Allowance;
use contexture::models::StandIn;
use contexture::run::RunRequest;
use contexture::script::runtime::SessionError;
use contexture::servers;
use contexture::session::Session;
use editor::{Editor, Entered};
use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  contexture repl
  printf 'x = 20\\nx * 2 + 2\\n' | contexture repl

Lines build on each other: variables, functions, imports and `use` stay. `:help` shows what else
can be entered; Ctrl-C ends a line that runs, Ctrl-D the session.";

const HELP: &str = "\
An expression shows its value; assignments, functions, agents, imports and `use` stay for the lines
that follow. An open bracket goes on with the next line.

  :names   the variables so far
  :help    this text
  :quit    end the session (or Ctrl-D)";

/// Runs lines of a program one by one.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The model that `default` stands for.
    #[arg(long, value_name = "URI")]
    model: Option<String>,
    /// Ask no model: give placeholders of the right type, or the answers of a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    mock: Option<Option<PathBuf>>,
    /// The folder that files and tools are confined to; by default the nearest one with a
    /// contexture.toml, else the current one.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
    /// Let lines read this knowledge pack in this state, such as acme@sha256:0123456789ab; may be
    /// given several times.
    #[arg(long, value_name = "NAME@DIGEST")]
    allow_pack: Vec<Allowance>,
    /// Let lines use this MCP server of the project, as contexture.toml describes it now; may be
    /// given several times.
    #[arg(long, value_name = "NAME@DIGEST")]
    allow_server: Vec<Allowance>,
    /// Keep no record of this session in .contexture/.
    #[arg(long)]
    no_trace: bool,
    /// Say more: each model call and each tool call.
    #[arg(long, short)]
    verbose: bool,
}

/// Runs `contexture repl`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let project = workspace::here_or(args.workspace.as_deref())?;
    let request = RunRequest {
        model: args.model.clone(),
        stand_in: match &args.mock {
            Some(Some(answers)) => StandIn::Answers(answers.clone()),
            Some(None) => StandIn::Mock,
            None => StandIn::None,
        },
        forget: args.no_trace,
        allow_packs: args.allow_pack.clone(),
        servers: servers::Consent { allow: args.allow_server.clone(), ..Default::default() },
        ..RunRequest::default()
    };
    let talk = if args.verbose { Talk::Verbose } else { Talk::Normal };
    let screen = Arc::new(Screen::new(*terminal, talk, true));
    let observer = Arc::clone(&screen);
    let session = Session::open(&project, &request, observer).map_err(Complaint::from)?;
    let history = (!args.no_trace).then(|| project.state_folder().join("repl-history"));
    let signals = Signals::listen({
        let screen = Arc::clone(&screen);
        move || screen.abandon()
    });
    let mut repl =
        Repl { session, screen, terminal, signals, verbose: args.verbose, failed: false };
    let driver = runtime()?;
    if io::stdin().is_terminal() {
        repl.talk(&driver, history)?;
        return Ok(Exit::Done);
    }
    repl.read(&driver)?;
    Ok(if repl.failed { Exit::Failed } else { Exit::Done })
}

/// A session with somebody.
struct Repl<'t> {
    session: Session,
    screen: Arc<Screen>,
    terminal: &'t Terminal,
    signals: Signals,
    verbose: bool,
    failed: bool,
}

/// Whether the session goes on.
enum Next {
    Line,
    /// The line goes on: something is still open.
    More,
    Quit,
}

impl Repl<'_> {
    /// With a person at a terminal.
    fn talk(
        &mut self,
        driver: &tokio::runtime::Runtime,
        history: Option<PathBuf>,
    ) -> Result<(), Stop> {
        self.terminal.say("AgentScript; `:help` for help, Ctrl-D to end");
        let mut editor = Editor::new(history, self.terminal.out.is_on());
        loop {
            editor.know(self.session.variables());
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

    /// From a pipe: lines until they are complete.
    fn read(&mut self, driver: &tokio::runtime::Runtime) -> Result<(), Stop> {
        let mut entry = String::new();
        for line in io::stdin().lock().lines() {
            let line = line.map_err(|error| Stop::read("stdin".as_ref(), error))?;
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
                &Complaint::failed(
                    "incomplete",
                    "the last line is not complete: a bracket or string is open",
                )
                .text(self.terminal.err),
            );
        }
        Ok(())
    }

    fn enter(&mut self, line: &str, driver: &tokio::runtime::Runtime) -> Result<Next, Stop> {
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
                self.terminal.warn(&format!("there is no command {command}; see :help"));
                return Ok(Next::Line);
            }
            _ => {}
        }
        self.eval(line, driver)
    }

    fn eval(&mut self, line: &str, driver: &tokio::runtime::Runtime) -> Result<Next, Stop> {
        let cancel = self.signals.arm();
        self.screen.begin();
        let outcome = driver.block_on(self.session.eval(line, cancel));
        self.signals.disarm();
        self.screen.clear();
        match outcome {
            Ok(outcome) => {
                // All that a session warns of are a `max` that cut short (AS-11).
                for warning in outcome.warnings.iter().filter(|_| self.verbose) {
                    self.terminal.warn(&warning.message);
                }
                if let Some(value) = outcome.value {
                    self.terminal.print_pretty(&value)?;
                }
            }
            Err(SessionError::Incomplete) => return Ok(Next::More),
            Err(SessionError::Syntax(found)) => self.complain(&found),
            Err(SessionError::Run(error)) => self.complain(&[error.to_diagnostic()]),
            Err(other) => self.terminal.say(
                &Complaint::failed("session_failed", other.to_string()).text(self.terminal.err),
            ),
        }
        Ok(Next::Line)
    }

    fn complain(&mut self, found: &[Diagnostic]) {
        self.failed = true;
        let source = self.session.source();
        let text = faults::excerpts(found, &[&source], self.terminal.err);
        self.terminal.say(text.trim_end());
    }
}
