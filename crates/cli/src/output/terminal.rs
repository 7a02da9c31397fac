//! Stdout and stderr: results go to one, everything else to the other.

use crate::output::error::Abort;
use crate::output::paint::{ColorWhen, Paint};
use crate::output::text::sanitized;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;
use serde_json::Value;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::Duration;
use terminal_size::{Width, terminal_size_of};

/// The time between two looks whether an answer is still wanted.
const PATIENCE: Duration = Duration::from_millis(100);

/// The two output streams of the process, with their styles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    /// Styles for results (stdout).
    pub(crate) out: Paint,
    /// Styles for messages (stderr).
    pub(crate) err: Paint,
    /// True if stderr is a terminal that can show progress.
    pub(crate) shows_progress: bool,
}

impl Terminal {
    /// Inspects the streams of this process.
    pub(crate) fn of_process(color: ColorWhen) -> Self {
        Self {
            out: Paint::new(color.applies_to(&io::stdout())),
            err: Paint::new(color.applies_to(&io::stderr())),
            shows_progress: io::stderr().is_terminal()
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    /// Returns the width of stdout in columns, at least `narrowest` and at most `widest`; `widest`
    /// when stdout is not a terminal.
    pub(crate) fn columns(narrowest: usize, widest: usize) -> usize {
        terminal_size_of(io::stdout())
            .map_or(widest, |(Width(columns), _)| usize::from(columns).clamp(narrowest, widest))
    }

    /// Writes a result as it is.
    ///
    /// # Errors
    /// [`Abort::OutputClosed`] when the reader is gone, an error when the stream can't be written.
    pub(crate) fn print(&self, text: &str) -> Result<(), Abort> {
        let mut out = io::stdout().lock();
        written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Writes a result and ends the line.
    pub(crate) fn print_line(&self, text: &str) -> Result<(), Abort> {
        self.print(&format!("{text}\n"))
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn print_json(&self, value: &impl Serialize) -> Result<(), Abort> {
        print_as(value, false)
    }

    /// Writes a value as indented JSON.
    pub(crate) fn print_pretty(&self, value: &Value) -> Result<(), Abort> {
        print_as(value, true)
    }

    /// Writes a value as JSON: indented on a terminal, else as one line, since the indentation of
    /// deeply nested values can outgrow their content.
    pub(crate) fn print_tree(&self, value: &impl Serialize) -> Result<(), Abort> {
        print_as(value, io::stdout().is_terminal())
    }

    /// Writes a message to stderr. A stderr without a reader is not an error.
    pub(crate) fn say(&self, text: &str) {
        let mut err = io::stderr().lock();
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.write_all(b"\n"));
    }

    /// Reports whether a person can be asked: question and answer both use a terminal.
    pub(crate) fn is_interactive(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a person; every answer but yes means no.
    pub(crate) fn confirm(&self, question: &str) -> bool {
        self.confirm_while(question, || true)
    }

    /// Asks a person as long as the answer is wanted; every answer but yes means no. At a terminal,
    /// what was typed before the question is not an answer to it.
    pub(crate) fn confirm_while(&self, question: &str, is_wanted: impl Fn() -> bool) -> bool {
        if !is_wanted() {
            return false;
        }
        let stdin = io::stdin();
        let mut line = String::new();
        while stdin.is_terminal() && is_readable(&stdin, Duration::ZERO) {
            if stdin.read_line(&mut line).unwrap_or_default() == 0 {
                return false;
            }
        }
        let mut err = io::stderr().lock();
        let asked = err.write_all(question.as_bytes()).and_then(|()| err.flush());
        drop(err);
        while stdin.is_terminal() && !is_readable(&stdin, PATIENCE) {
            if !is_wanted() {
                self.say("");
                return false;
            }
        }
        line.clear();
        asked.is_ok()
            && stdin.read_line(&mut line).is_ok()
            && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
    }

    /// Writes a note to stderr.
    pub(crate) fn note(&self, text: &str) {
        self.say(&format!("{} {}", self.err.cyan("note:"), sanitized(text)));
    }

    /// Writes a warning to stderr.
    pub(crate) fn warn(&self, text: &str) {
        self.say(&format!("{} {}", self.err.yellow("warning:"), sanitized(text)));
    }
}

/// Waits until a line was typed, at most so long.
fn is_readable(stdin: &io::Stdin, longest: Duration) -> bool {
    let longest = Timespec::try_from(longest).ok();
    poll(&mut [PollFd::new(stdin, PollFlags::IN)], longest.as_ref()).is_ok_and(|ready| ready > 0)
}

/// Turns the result of writing to stdout into that of a command.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Abort> {
    result.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Abort::OutputClosed,
        _ => Abort::write("stdout", &error),
    })
}

/// Writes a value to stdout as it is serialised, without its text in memory.
fn print_as(value: &impl Serialize, is_indented: bool) -> Result<(), Abort> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let result = if is_indented {
        serde_json::to_writer_pretty(&mut out, value)
    } else {
        serde_json::to_writer(&mut out, value)
    };
    let result = result.map_err(io::Error::from);
    written(result.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()))
}
