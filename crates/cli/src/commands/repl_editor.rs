//! The line editor of the REPL: history, completion and multi-line input.

use crate::prelude::*;
use contexture::context::Limits;
use contexture::script::syntax::{RESERVED, parse_repl};
use reedline::{
    ColumnarMenu, Completer, CompletionResult, DefaultHinter, DefaultPrompt, DefaultPromptSegment,
    Emacs, FileBackedHistory, KeyCode, KeyModifiers, MenuBuilder, Reedline, ReedlineEvent,
    ReedlineMenu, Signal, Span, Suggestion, ValidationResult, Validator, default_emacs_keybindings,
};
use std::sync::{Arc, Mutex, PoisonError};

/// The size of the history.
const HISTORY: usize = 1_000;
const MENU: &str = "completions";

/// The input of a person.
pub(super) enum Entered {
    Line(String),
    /// Ctrl-C: the line was discarded.
    Nothing,
    /// Ctrl-D.
    End,
}

pub(super) struct Editor {
    reedline: Reedline,
    prompt: DefaultPrompt,
    words: Words,
}

impl Editor {
    /// Creates an editor; without a usable history file, the history lasts for the session.
    pub(super) fn new(history: Option<PathBuf>, colour: bool) -> Self {
        let words = Words::default();
        let mut keys = default_emacs_keybindings();
        keys.add_binding(
            KeyModifiers::NONE,
            KeyCode::Tab,
            ReedlineEvent::UntilFound(vec![
                ReedlineEvent::Menu(MENU.to_owned()),
                ReedlineEvent::MenuNext,
            ]),
        );
        let menu = Box::new(ColumnarMenu::default().with_name(MENU));
        let mut reedline = Reedline::create()
            .with_validator(Box::new(Completeness))
            .with_completer(Box::new(words.clone()))
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_menu(ReedlineMenu::EngineCompleter(menu))
            .with_edit_mode(Box::new(Emacs::new(keys)))
            .with_hinter(Box::new(DefaultHinter::default()))
            .with_ansi_colors(colour);
        let kept = history.filter(|path| path.parent().is_some_and(Path::is_dir));
        let kept = kept.and_then(|path| FileBackedHistory::with_file(HISTORY, path).ok());
        if let Some(kept) = kept {
            reedline = reedline.with_history(Box::new(kept));
        }
        let left = DefaultPromptSegment::Empty;
        Self { reedline, prompt: DefaultPrompt::new(left, DefaultPromptSegment::Empty), words }
    }

    pub(super) fn set_names(&mut self, names: Vec<&str>) {
        let names = names.into_iter().chain(RESERVED.iter().copied());
        let mut known = self.words.0.lock().unwrap_or_else(PoisonError::into_inner);
        *known = names.map(str::to_owned).collect();
        known.sort();
        known.dedup();
    }

    /// Reads a line.
    pub(super) fn read(&mut self) -> Result<Entered, Abort> {
        let signal = self.reedline.read_line(&self.prompt);
        match signal.map_err(|error| Abort::read("the terminal".as_ref(), error))? {
            Signal::Success(line) => Ok(Entered::Line(line)),
            Signal::CtrlD => Ok(Entered::End),
            _ => Ok(Entered::Nothing),
        }
    }
}

/// A validator for which a line with an open bracket or block string is incomplete.
struct Completeness;

impl Validator for Completeness {
    fn validate(&self, line: &str) -> ValidationResult {
        if parse_repl(line, &Limits::default()).incomplete {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Complete
        }
    }
}

/// The words that can be completed.
#[derive(Clone, Default)]
struct Words(Arc<Mutex<Vec<String>>>);

impl Completer for Words {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let before = line.get(..pos).unwrap_or(line);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = before.trim_end_matches(is_word).len();
        let word = before.get(start..).unwrap_or_default();
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = known.iter().filter(|name| !word.is_empty() && name.starts_with(word));
        let suggestions: Vec<Suggestion> = fitting
            .map(|name| Suggestion {
                value: name.clone(),
                span: Span::new(start, pos),
                append_whitespace: false,
                ..Suggestion::default()
            })
            .collect();
        CompletionResult::fresh(suggestions)
    }
}
