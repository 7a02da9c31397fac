//! The two streams that a command talks through.

use crate::complaint::Stop;
use crate::paint::{ColorWhen, Paint, harmless};
use serde::Serialize;
use serde_json::Value;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Where results and talk go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    /// Styles for results (stdout).
    pub(crate) out: Paint,
    /// Styles for talk (stderr).
    pub(crate) err: Paint,
    /// Whether talk reaches a person, so that progress is worth showing.
    pub(crate) shows_progress: bool,
}

impl Terminal {
    /// Looks at the streams of this process.
    pub(crate) fn of_process(color: ColorWhen) -> Self {
        Self {
            out: Paint::new(color.applies_to(&io::stdout())),
            err: Paint::new(color.applies_to(&io::stderr())),
            shows_progress: io::stderr().is_terminal()
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    /// Writes a result as it is.
    ///
    /// # Errors
    /// [`Stop::Closed`] when the reader has gone, a complaint when the disk is full and the like.
    pub(crate) fn print(&self, text: &str) -> Result<(), Stop> {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Stop::Closed,
            _ => Stop::write("stdout", &error),
        })
    }

    /// Writes a result and ends the line.
    ///
    /// # Errors
    /// As [`Terminal::print`].
    pub(crate) fn print_line(&self, text: &str) -> Result<(), Stop> {
        self.print(&format!("{text}\n"))
    }

    /// Writes a value as one line of JSON.
    ///
    /// # Errors
    /// As [`Terminal::print`].
    pub(crate) fn print_json(&self, value: &Value) -> Result<(), Stop> {
        self.print(&format!("{value}\n"))
    }

    /// Writes a value as indented JSON.
    ///
    /// # Errors
    /// As [`Terminal::print`].
    pub(crate) fn print_pretty(&self, value: &Value) -> Result<(), Stop> {
        self.print(&format!("{value:#}\n"))
    }

    /// Writes a value as JSON while it is walked, so that a large one needs no copy: indented on a
    /// terminal, else as one line, since the indent of what is nested deep outgrows what it holds.
    ///
    /// # Errors
    /// As [`Terminal::print`].
    pub(crate) fn print_tree(&self, value: &impl Serialize) -> Result<(), Stop> {
        let stdout = io::stdout();
        let indented = stdout.is_terminal();
        let mut out = io::BufWriter::new(stdout.lock());
        let written = if indented {
            serde_json::to_writer_pretty(&mut out, value)
        } else {
            serde_json::to_writer(&mut out, value)
        };
        let written = written
            .map_err(io::Error::from)
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush());
        written.map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Stop::Closed,
            _ => Stop::write("stdout", &error),
        })
    }

    /// Says something beside the result. That nobody listens is no failure.
    pub(crate) fn say(&self, text: &str) {
        let mut err = io::stderr().lock();
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.write_all(b"\n"));
    }

    /// Whether a person is there to answer: both what is asked and the answer go over a terminal.
    pub(crate) fn is_answered(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a person; anything but a yes is a no.
    pub(crate) fn says_yes(&self, question: &str) -> bool {
        let mut err = io::stderr().lock();
        let asked = err.write_all(question.as_bytes()).and_then(|()| err.flush());
        drop(err);
        let mut answer = String::new();
        asked.is_ok()
            && io::stdin().read_line(&mut answer).is_ok()
            && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }

    /// Says a note.
    pub(crate) fn note(&self, text: &str) {
        self.say(&format!("{} {}", self.err.cyan("note:"), harmless(text)));
    }

    /// Says a warning.
    pub(crate) fn warn(&self, text: &str) {
        self.say(&format!("{} {}", self.err.yellow("warning:"), harmless(text)));
    }
}
