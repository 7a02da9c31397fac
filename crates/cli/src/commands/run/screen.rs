//! What a person sees of a run while it goes on: notes and warnings as they come, and on a terminal
//! a line for each model call under way, with the text as it streams in (AS-23).

use super::spinner::Spinner;
use crate::paint::harmless;
use crate::terminal::Terminal;
use contexture::observe::{Observer, Progress};
use contexture::packs::Question;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How much is said beside the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    /// Nothing but prompts that the program itself wants shown.
    Quiet,
    /// Notes, warnings and progress.
    Normal,
    /// Also each model call and each tool call.
    Verbose,
}

/// Tells a person what happens.
pub(crate) struct Screen {
    terminal: Terminal,
    talk: Talk,
    spinner: Option<Spinner>,
    calls: AtomicUsize,
}

impl Screen {
    /// A screen; progress lines are drawn only where they can be taken away again.
    pub(crate) fn new(terminal: Terminal, talk: Talk, progress: bool) -> Self {
        let draws = terminal.shows_progress && progress;
        Self {
            terminal,
            talk,
            spinner: draws.then(|| Spinner::new(terminal.err)),
            calls: AtomicUsize::new(0),
        }
    }

    /// How many models were asked.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// A run begins: what takes long is shown from now on.
    pub(crate) fn begin(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.start();
        }
    }

    /// Does something; on a terminal a line says what, when it takes long.
    pub(crate) fn waiting<R>(terminal: &Terminal, what: &str, work: impl FnOnce() -> R) -> R {
        let screen = Self::new(*terminal, Talk::Normal, true);
        screen.begin();
        if let Some(spinner) = &screen.spinner {
            spinner.begin(0, what);
        }
        let done = work();
        screen.clear();
        done
    }

    /// Takes all progress lines away.
    pub(crate) fn clear(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.stop();
        }
    }

    /// Takes all progress lines away because the process ends.
    pub(crate) fn abandon(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.abandon();
        }
    }

    /// Says a line above the progress.
    fn say(&self, say: impl FnOnce(&Terminal)) {
        match &self.spinner {
            Some(spinner) => spinner.suspend(|| say(&self.terminal)),
            None => say(&self.terminal),
        }
    }

    fn say_verbosely(&self, line: impl FnOnce() -> String) {
        if self.talk == Talk::Verbose {
            self.say(|terminal| terminal.say(&terminal.err.dim(&line())));
        }
    }

    fn progress(&self, progress: &Progress) {
        let Some(spinner) = &self.spinner else { return };
        match progress {
            Progress::GenerateStarted { event, site, model, prompt_tokens } => {
                spinner.begin(*event, &format!("{site} {model} · {prompt_tokens} tokens"));
            }
            Progress::AttemptStarted { event, attempt } => spinner.attempt(*event, *attempt),
            Progress::TextDelta { event, text } => spinner.add(*event, text),
            Progress::GenerateEnded { event, .. } => spinner.end(*event),
            Progress::ToolCalled { name } => spinner.note(name),
            _ => {}
        }
    }
}

impl Observer for Screen {
    fn wants_text(&self) -> bool {
        self.spinner.is_some()
    }

    /// Asks at the terminal; whoever is not there or wants it quiet allows nothing.
    fn allows(&self, question: &Question) -> bool {
        let mut is_allowed = false;
        if self.talk != Talk::Quiet && self.terminal.is_answered() {
            // No line may be drawn over the question while it waits for its answer.
            self.say(|terminal| is_allowed = asks(question, terminal));
        }
        is_allowed
    }

    fn notify(&self, progress: Progress) {
        self.progress(&progress);
        match progress {
            Progress::GenerateStarted { site, model, prompt_tokens, .. } => {
                self.calls.fetch_add(1, Ordering::Relaxed);
                self.say_verbosely(|| format!("generate {site} {model}: {prompt_tokens} tokens"));
            }
            Progress::AttemptStarted { attempt: attempt @ 2.., .. } => {
                self.say_verbosely(|| {
                    format!("attempt {attempt}: the answer did not fit the shape")
                });
            }
            Progress::GenerateEnded { usage, ok: true, .. } => {
                self.say_verbosely(|| format!("answer: {} tokens", usage.completion_tokens));
            }
            Progress::ToolCalled { name } => self.say_verbosely(|| format!("tool {name}")),
            Progress::DebugPrompt { site, messages } => {
                self.say(|terminal| {
                    terminal.say(&prompt_text(&site.to_string(), &messages, terminal))
                });
            }
            Progress::Truncated(text) if self.talk == Talk::Verbose => {
                self.say(|terminal| terminal.warn(&text));
            }
            Progress::Warning(text) if self.talk != Talk::Quiet => {
                self.say(|terminal| terminal.warn(&text));
            }
            Progress::Note(text) if self.talk != Talk::Quiet => {
                self.say(|terminal| terminal.note(&text));
            }
            _ => {}
        }
    }
}

/// Asks a person whether a pack may be read.
pub(crate) fn asks(question: &Question, terminal: &Terminal) -> bool {
    terminal.say(&question_text(question, terminal));
    terminal.says_yes("Let this program read it? [y/N] ")
}

/// What is asked, and what there is to know before the answer.
fn question_text(question: &Question, terminal: &Terminal) -> String {
    let place = question.location.display().to_string();
    format!(
        "{} {}\n  {}\n  {}",
        terminal.err.yellow("knowledge:"),
        harmless(&question.to_string()),
        harmless(&place),
        terminal.err.dim(&question.allowance.to_string()),
    )
}

/// A whole prompt between rules that name its messages.
fn prompt_text(site: &str, messages: &[(String, String)], terminal: &Terminal) -> String {
    let mut text = terminal.err.bold(&format!("prompt of {site}"));
    for (role, message) in messages {
        text.push_str(&format!("\n{}\n{message}", terminal.err.cyan(&format!("── {role} ──"))));
    }
    text
}
