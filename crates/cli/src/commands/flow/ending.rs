//! How a run ended, for people: a table of its steps, the errors with their help, and a last line.

use super::table::{Row, Table, beginning, micros};
use crate::columns::{counted, grouped};
use crate::commands::explain;
use crate::commands::trace::duration;
use crate::complaint::Stop;
use crate::paint::{Paint, harmless, one_line};
use crate::terminal::Terminal;
use contexture::protocol::ErrorCode;
use contexture::protocol::content::{Outcome, Status};
use contexture::reference::syntax::redact;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io;
use std::time::Duration;
use terminal_size::{Width, terminal_size_of};

/// Steps of a set whose every step gets a line; of a larger one those that did not go well do.
const FEW: usize = 60;
/// Errors that are shown with their help.
const ERRORS: usize = 10;
/// A line is not longer, however wide the terminal is.
const WIDEST: usize = 120;
const NARROWEST: usize = 40;

/// A run, as far as its end is told.
pub(super) struct Ending<'a> {
    pub(super) status: Status,
    /// One for each step, in the order of the set, with the time from the start of the run at which
    /// it began where that is known.
    pub(super) steps: Vec<(Outcome, &'a str, Option<Duration>)>,
    pub(super) took: Option<Duration>,
    /// Its id, where it is kept.
    pub(super) run: Option<&'a str>,
}

impl Ending<'_> {
    /// Prints the table.
    ///
    /// # Errors
    /// When stdout can't be written.
    pub(super) fn print(&self, terminal: &Terminal) -> Result<(), Stop> {
        let columns = terminal_size_of(io::stdout())
            .map_or(WIDEST, |(Width(columns), _)| usize::from(columns).clamp(NARROWEST, WIDEST));
        terminal.print(&self.table(columns, terminal.out))
    }

    fn table(&self, columns: usize, paint: Paint) -> String {
        let is_large = self.steps.len() > FEW;
        let is_shown = |status: Status| !is_large || status != Status::Completed;
        let rows: Vec<Row> = self
            .steps
            .iter()
            .filter(|(outcome, ..)| is_shown(outcome.status))
            .take(FEW)
            .map(|(outcome, action, began)| Row::of(outcome, action, *began))
            .collect();
        let table = Table::of(rows.iter(), self.whole(), columns, paint);
        let mut text = String::new();
        for row in &rows {
            let _ = writeln!(text, "{}", table.line(row));
        }
        let more = self.steps.len().saturating_sub(rows.len());
        if more > 0 {
            let more = format!("… {} more; --json has all", counted(more as u64, "step"));
            let _ = writeln!(text, "{}", paint.dim(&more));
        }
        text
    }

    /// How long the bars go.
    fn whole(&self) -> Duration {
        let ends = self.steps.iter().filter_map(|(outcome, _, began)| {
            let took = outcome.execution_time.as_ref().map(|time| time.duration());
            Some((*began)?.saturating_add(took.unwrap_or_default()))
        });
        ends.max().unwrap_or_default().max(Duration::from_micros(1))
    }

    /// Says the errors with their help.
    pub(super) fn say_errors(&self, terminal: &Terminal) {
        let is_error = |status| matches!(status, Status::Failed | Status::Timeout);
        let failed = self.steps.iter().map(|(outcome, ..)| outcome);
        let failed: Vec<&Outcome> = failed.filter(|outcome| is_error(outcome.status)).collect();
        for outcome in failed.iter().take(ERRORS) {
            terminal.say(&error(outcome, terminal.err));
        }
        if let Some(more) = failed.len().checked_sub(ERRORS).filter(|more| *more > 0) {
            terminal.say(&format!("… and {} more failed", grouped(more as u64)));
        }
    }

    /// Says `COMPLETED · 3 completed · 412 ms · run ID`.
    pub(super) fn say_summary(&self, terminal: &Terminal) {
        let paint = terminal.err;
        let word = match self.status {
            Status::Completed => paint.green(self.status.as_str()),
            Status::Failed => paint.red(self.status.as_str()),
            _ => paint.yellow(self.status.as_str()),
        };
        let mut parts = Vec::new();
        for (status, name) in [
            (Status::Completed, "completed"),
            (Status::Failed, "failed"),
            (Status::Timeout, "timed out"),
            (Status::Skipped, "skipped"),
            (Status::Running, "running"),
            (Status::Pending, "waiting"),
        ] {
            let count = self.steps.iter().filter(|(outcome, ..)| outcome.status == status).count();
            if count > 0 {
                parts.push(format!("{} {name}", grouped(count as u64)));
            }
        }
        parts.extend(self.took.map(|took| duration(micros(took))));
        parts.extend(self.run.map(|run| format!("run {run}")));
        let rest: String = parts.iter().map(|part| format!(" · {part}")).collect();
        terminal.say(&format!("{word}{}", paint.dim(&rest)));
    }
}

/// An error of a step, with what it means and how to mend it.
fn error(outcome: &Outcome, paint: Paint) -> String {
    let id = one_line(&outcome.instruction_id);
    let verb = if outcome.status == Status::Timeout { "took too long" } else { "failed" };
    let mut text = format!("{} `{id}` {verb}", paint.red(&paint.bold("error:")));
    let Some(failure) = &outcome.error else { return text };
    let message = one_line(&redact(&failure.message));
    let _ = write!(text, ": {message} [{}]", harmless(&failure.code));
    let mut details = failure.details.clone();
    let told = details.as_mut().and_then(Value::as_object_mut).and_then(|map| map.remove("help"));
    if let Some(details) = details.filter(|details| *details != json!({})) {
        let _ = write!(text, "\n  {} {}", paint.cyan("details:"), beginning(&details));
    }
    let told = told.as_ref().and_then(Value::as_str).map(one_line);
    let help = told.or_else(|| help_for(&failure.code).map(str::to_owned));
    if let Some(help) = help.filter(|help| !message.contains(help.as_str())) {
        let _ = write!(text, "\n  {} {}", paint.cyan("help:"), redact(&help));
    }
    text
}

/// The protocol's help is for clients; where that is of no use to a person, it is said otherwise.
fn help_for(code: &str) -> Option<&'static str> {
    match ErrorCode::parse(code) {
        Some(ErrorCode::ValidationFailed) => {
            Some("mend the parameters, or the results that they are made of")
        }
        _ => explain::help_for(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture::protocol::content::Failure;

    fn ending(count: usize) -> Ending<'static> {
        let steps = (0..count).map(|at| {
            let mut outcome = Outcome::new(format!("s{at}"), Status::Completed);
            outcome.result = Some(json!({ "n": at }));
            if at == 3 {
                outcome = Outcome::new("bad", Status::Failed);
                outcome.error = Some(Failure::new("TIMEOUT", "it took\nmore than 2 s"));
            }
            (outcome, "echo", None)
        });
        Ending { status: Status::Failed, steps: steps.collect(), took: None, run: Some("r1") }
    }

    #[test]
    fn fl_12_of_a_large_set_the_steps_that_went_wrong_are_listed_and_the_others_counted() {
        let text = ending(5).table(80, Paint::new(false));
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(text.starts_with("✓ s0   echo"), "{text}");
        let text = ending(1_200).table(80, Paint::new(false));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("✗ bad  echo"), "{text}");
        assert_eq!(lines[1..], ["… 1,199 steps more; --json has all"], "{text}");
    }

    #[test]
    fn fl_7_an_error_is_told_on_one_line_with_its_help() {
        let ending = ending(5);
        let text = error(&ending.steps[3].0, Paint::new(false));
        assert!(
            text.starts_with("error: `bad` failed: it took more than 2 s [TIMEOUT]\n  help: "),
            "{text}"
        );
    }
}
