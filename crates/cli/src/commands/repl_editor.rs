//! The line editor of the REPL: history, completion and multi-line input.

use crate::prelude::*;
use contexture::context::Limits;
use contexture::script::syntax::{RESERVED, parse_repl};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::{Hinter, HistoryHinter};
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{ColorMode, CompletionType, Config, Context, Helper};
use std::borrow::Cow;

/// The size of the history.
const HISTORY: usize = 1_000;

/// The input of a person.
pub(super) enum Entered {
    Line(String),
    /// Ctrl-C: the line was discarded.
    Nothing,
    /// Ctrl-D.
    End,
}

pub(super) struct Editor {
    lines: rustyline::Editor<Assistant, DefaultHistory>,
    /// The file of the history, if it can be kept.
    history: Option<PathBuf>,
}

impl Editor {
    /// Creates an editor; without a usable history file, the history lasts for the session.
    pub(super) fn new(history: Option<PathBuf>, colour: bool) -> Result<Self, Abort> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .color_mode(if colour { ColorMode::Enabled } else { ColorMode::Disabled })
            .max_history_size(HISTORY)
            .map_err(terminal)?
            .build();
        let mut lines = rustyline::Editor::with_default(config).map_err(terminal)?;
        lines.set_helper(Some(Assistant { colour, ..Assistant::default() }));
        let history = history.filter(|path| path.parent().is_some_and(Path::is_dir));
        if let Some(path) = &history {
            // Nothing was entered before the first session.
            let _ = lines.load_history(path);
        }
        Ok(Self { lines, history })
    }

    pub(super) fn set_names(&mut self, names: Vec<&str>) {
        let Some(assistant) = self.lines.helper_mut() else { return };
        let names = names.into_iter().chain(RESERVED.iter().copied());
        assistant.names = names.map(str::to_owned).collect();
        assistant.names.sort();
        assistant.names.dedup();
    }

    /// Reads a line.
    pub(super) fn read(&mut self) -> Result<Entered, Abort> {
        match self.lines.readline("> ") {
            Ok(line) => {
                let is_new = self.lines.add_history_entry(&line).map_err(terminal)?;
                if let Some(path) = self.history.as_deref().filter(|_| is_new) {
                    // A history that can no longer be written lasts for the session.
                    let _ = self.lines.append_history(path);
                }
                Ok(Entered::Line(line))
            }
            Err(ReadlineError::Eof) => Ok(Entered::End),
            Err(ReadlineError::Interrupted) => Ok(Entered::Nothing),
            Err(error) => Err(terminal(error)),
        }
    }
}

fn terminal(error: ReadlineError) -> Abort {
    Abort::read("the terminal".as_ref(), std::io::Error::other(error))
}

/// The part of the editor that knows the language.
#[derive(Default)]
struct Assistant {
    /// The names that can be completed, sorted.
    names: Vec<String>,
    hinter: HistoryHinter,
    colour: bool,
}

impl Helper for Assistant {}

impl Validator for Assistant {
    /// Takes a line with an open bracket or block string as incomplete.
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let is_open = parse_repl(context.input(), &Limits::default()).incomplete;
        Ok(if is_open { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..pos).unwrap_or(line);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = before.trim_end_matches(is_word).len();
        let word = before.get(start..).unwrap_or_default();
        let fitting = self.names.iter().filter(|name| !word.is_empty() && name.starts_with(word));
        Ok((start, fitting.cloned().collect()))
    }
}

impl Hinter for Assistant {
    type Hint = String;

    fn hint(&self, line: &str, pos: usize, context: &Context<'_>) -> Option<String> {
        // Without colour a hint can't be told from what was entered.
        self.hinter.hint(line, pos, context).filter(|_| self.colour)
    }
}

impl Highlighter for Assistant {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("\x1b[2m{hint}\x1b[m"))
    }
}
