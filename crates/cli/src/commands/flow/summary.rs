//! The result of a run for people: a table of steps, the errors with help, and a summary line.

use super::table::{Row, Table, beginning, micros};
use crate::output::text::{duration, grouped, sanitized};
use crate::prelude::*;
use crate::support::codes;
use contexture::protocol::ErrorCode;
use contexture::protocol::content::{Outcome, Status};
use contexture::reference::syntax::redact;
use std::time::Duration;

/// The largest set of which each step gets a line; a larger one shows the unsuccessful steps.
const FEW: usize = 60;
/// The most errors to print.
const ERRORS: usize = 10;
/// The widest and the narrowest line.
const WIDEST: usize = 120;
const NARROWEST: usize = 40;

pub(super) struct FlowSummary<'a> {
    pub(super) status: Status,
    /// The outcome and action of each step in the order of the set, and the time from the start of
    /// the run to the start of the step, if known.
    pub(super) steps: Vec<(Outcome, &'a str, Option<Duration>)>,
    pub(super) took: Option<Duration>,
    /// The id of a stored run.
    pub(super) run: Option<&'a str>,
}

impl FlowSummary<'_> {
    /// Prints the table.
    pub(super) fn print(&self, terminal: &Terminal) -> Result<(), Abort> {
        let columns = Terminal::columns(NARROWEST, WIDEST);
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

    /// Returns the time that the bars span.
    fn whole(&self) -> Duration {
        let ends = self.steps.iter().filter_map(|(outcome, _, began)| {
            let took = outcome.execution_time.as_ref().map(|time| time.duration());
            Some((*began)?.saturating_add(took.unwrap_or_default()))
        });
        ends.max().unwrap_or_default().max(Duration::from_micros(1))
    }

    /// Prints the errors with their help to stderr.
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

    /// Prints `COMPLETED · 3 completed · 412 ms · run ID` to stderr.
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

/// Renders the error of a step with its help.
fn error(outcome: &Outcome, paint: Paint) -> String {
    let id = one_line(&outcome.instruction_id);
    let verb = if outcome.status == Status::Timeout { "took too long" } else { "failed" };
    let mut text = format!("{} `{id}` {verb}", paint.red(&paint.bold("error:")));
    let Some(failure) = &outcome.error else { return text };
    let message = one_line(&redact(&failure.message));
    let _ = write!(text, ": {message} [{}]", sanitized(&failure.code));
    let mut details = failure.details.clone();
    let own = details.as_mut().and_then(Value::as_object_mut).and_then(|map| map.remove("help"));
    if let Some(details) = details.filter(|details| *details != json!({})) {
        let _ = write!(text, "\n  {} {}", paint.cyan("details:"), beginning(&details));
    }
    let own = own.as_ref().and_then(Value::as_str).map(one_line);
    let help = own.or_else(|| help_for(&failure.code).map(str::to_owned));
    if let Some(help) = help.filter(|help| !message.contains(help.as_str())) {
        let _ = write!(text, "\n  {} {}", paint.cyan("help:"), redact(&help));
    }
    text
}

/// Returns the help for a code; the help of the protocol addresses clients and is replaced for people.
fn help_for(code: &str) -> Option<&'static str> {
    match ErrorCode::parse(code) {
        Some(ErrorCode::ValidationFailed) => {
            Some("fix the parameters, or the results that they use")
        }
        _ => codes::help_for(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture::protocol::content::Failure;

    fn ending(count: usize) -> FlowSummary<'static> {
        let steps = (0..count).map(|at| {
            let mut outcome = Outcome::new(format!("s{at}"), Status::Completed);
            outcome.result = Some(json!({ "n": at }));
            if at == 3 {
                outcome = Outcome::new("bad", Status::Failed);
                outcome.error = Some(Failure::new("TIMEOUT", "it took\nmore than 2 s"));
            }
            (outcome, "echo", None)
        });
        FlowSummary { status: Status::Failed, steps: steps.collect(), took: None, run: Some("r1") }
    }

    #[test]
    fn fl_12_large_set_lists_unsuccessful_steps_and_counts_others() {
        let text = ending(5).table(80, Paint::new(false));
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(text.starts_with("✓ s0   echo"), "{text}");
        let text = ending(1_200).table(80, Paint::new(false));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("✗ bad  echo"), "{text}");
        assert_eq!(lines[1..], ["… 1,199 steps more; --json has all"], "{text}");
    }

    #[test]
    fn fl_7_error_is_one_line_with_help() {
        let ending = ending(5);
        let text = error(&ending.steps[3].0, Paint::new(false));
        assert!(
            text.starts_with("error: `bad` failed: it took more than 2 s [TIMEOUT]\n  help: "),
            "{text}"
        );
    }
}
