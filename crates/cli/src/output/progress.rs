//! The progress of a run: notes and warnings, and on a terminal a line for each running model call
//! with the text that streams in (AS-23).

use super::spinner::Spinner;
use super::stream::Stream;
use crate::output::terminal::Terminal;
use crate::output::text::{about, sanitized};
use crate::support::asker::Screen;
use contexture::observe::{Observer, Progress};
use contexture::packs::Question;

/// The amount of output on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Only prompts that the program itself prints.
    Quiet,
    /// Notes, warnings and progress.
    Normal,
    /// Also each model call and tool call.
    Verbose,
}

/// Shows the progress of a run.
pub(crate) struct ProgressDisplay {
    terminal: Terminal,
    verbosity: Verbosity,
    spinner: Option<Spinner>,
    /// The lines on stdout, for `--stream`.
    stream: Option<Stream>,
}

impl ProgressDisplay {
    /// Creates a display; progress lines are drawn only where they can be erased again.
    pub(crate) fn new(terminal: Terminal, verbosity: Verbosity, progress: bool) -> Self {
        let draws = terminal.shows_progress && progress;
        Self {
            terminal,
            verbosity,
            spinner: draws.then(|| Spinner::new(terminal.err)),
            stream: None,
        }
    }

    /// Prints what happens on stdout, one JSON object per line.
    pub(crate) fn streaming(mut self) -> Self {
        self.stream = Some(Stream::default());
        self
    }

    /// Starts to show what takes long.
    pub(crate) fn begin(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.start();
        }
    }

    /// Runs `work`; when it takes long, a terminal shows a line with `name`.
    pub(crate) fn waiting<R>(terminal: &Terminal, name: &str, work: impl FnOnce() -> R) -> R {
        let screen = Self::new(*terminal, Verbosity::Normal, true);
        screen.begin();
        if let Some(spinner) = &screen.spinner {
            spinner.begin(0, name);
        }
        let done = work();
        screen.clear();
        done
    }

    /// Erases all progress lines.
    pub(crate) fn clear(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.stop();
        }
    }

    /// Erases all progress lines before the process exits.
    pub(crate) fn abandon(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.abandon();
        }
    }

    /// Writes above the progress lines.
    fn say(&self, say: impl FnOnce(&Terminal)) {
        match &self.spinner {
            Some(spinner) => spinner.suspend(|| say(&self.terminal)),
            None => say(&self.terminal),
        }
    }

    fn say_verbosely(&self, line: impl FnOnce() -> String) {
        if self.verbosity == Verbosity::Verbose {
            self.say(|terminal| terminal.say(&terminal.err.dim(&line())));
        }
    }

    fn progress(&self, progress: &Progress) {
        let Some(spinner) = &self.spinner else { return };
        match progress {
            Progress::GenerateStarted { event, site, model, prompt_tokens, is_exact, .. } => {
                let tokens = about(*prompt_tokens, *is_exact);
                spinner.begin(*event, &format!("{site} {model} · {tokens} tokens"));
            }
            Progress::AttemptStarted { event, attempt } => spinner.attempt(*event, *attempt),
            Progress::TextDelta { event, text } => spinner.add(*event, text),
            Progress::PartialValue { event, value } => spinner.grow(*event, value),
            Progress::Said(text) => spinner.say(text),
            Progress::GenerateEnded { event, .. } => spinner.end(*event),
            Progress::ToolCalled { name } => spinner.note(name),
            _ => {}
        }
    }
}

impl Screen for ProgressDisplay {
    fn hold(&self, is_held: bool) {
        if let Some(spinner) = &self.spinner {
            spinner.hold(is_held);
        }
    }
}

impl Observer for ProgressDisplay {
    fn wants_text(&self) -> bool {
        self.spinner.is_some() || self.stream.is_some()
    }

    fn wants_values(&self) -> bool {
        self.wants_text()
    }

    /// Asks at the terminal; without a person, and with `--quiet`, nothing is allowed.
    fn allows(&self, question: &Question) -> bool {
        let mut is_allowed = false;
        if self.verbosity != Verbosity::Quiet && self.terminal.is_interactive() {
            // No line may be drawn over a question that waits for its answer.
            self.say(|terminal| is_allowed = confirm_pack(question, terminal));
        }
        is_allowed
    }

    fn notify(&self, progress: Progress) {
        if let Some(line) = self.stream.as_ref().and_then(|stream| stream.line(&progress)) {
            // Whether stdout is still read shows at the result.
            let _ = self.terminal.print_json(&line);
        }
        self.progress(&progress);
        match progress {
            Progress::GenerateStarted { site, model, prompt_tokens, is_exact, .. } => {
                let tokens = about(prompt_tokens, is_exact);
                self.say_verbosely(|| format!("generate {site} {model}: {tokens} tokens"));
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
            Progress::Said(text) => match self.spinner {
                Some(_) => self.say_verbosely(|| sanitized(&text)),
                None if self.verbosity != Verbosity::Quiet => self.terminal.say(&sanitized(&text)),
                None => {}
            },
            Progress::Planned { site, picture, .. } if self.verbosity != Verbosity::Quiet => {
                let text = format!("plan of {site}\n{}", picture.trim_end());
                self.say(|terminal| terminal.note(&text));
            }
            Progress::DebugPrompt { site, messages } => {
                self.say(|terminal| {
                    terminal.say(&prompt_text(&site.to_string(), &messages, terminal))
                });
            }
            Progress::Truncated(text) if self.verbosity == Verbosity::Verbose => {
                self.say(|terminal| terminal.warn(&text));
            }
            Progress::Warning(text) if self.verbosity != Verbosity::Quiet => {
                self.say(|terminal| terminal.warn(&text));
            }
            Progress::Note(text) if self.verbosity != Verbosity::Quiet => {
                self.say(|terminal| terminal.note(&text));
            }
            _ => {}
        }
    }
}

/// Asks whether a program may read a knowledge pack.
pub(crate) fn confirm_pack(question: &Question, terminal: &Terminal) -> bool {
    terminal.say(&question_text(question, terminal));
    terminal.confirm("Allow this program to read it? [y/N] ")
}

/// Returns the question with the facts that help to answer it.
fn question_text(question: &Question, terminal: &Terminal) -> String {
    let place = question.location.display().to_string();
    format!(
        "{} {}\n  {}\n  {}",
        terminal.err.yellow("knowledge:"),
        sanitized(&question.to_string()),
        sanitized(&place),
        terminal.err.dim(&question.allowance.to_string()),
    )
}

/// Renders a prompt with a rule before each message.
fn prompt_text(site: &str, messages: &[(String, String)], terminal: &Terminal) -> String {
    let mut text = terminal.err.bold(&format!("prompt of {site}"));
    for (role, message) in messages {
        text.push_str(&format!("\n{}\n{message}", terminal.err.cyan(&format!("── {role} ──"))));
    }
    text
}
