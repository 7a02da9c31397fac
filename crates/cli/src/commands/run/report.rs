//! How a run ended, for people, for scripts and for programs.

use super::args::Args;
use crate::commands::{Outcome, trace};
use crate::complaint::{Complaint, Exit, Stop};
use crate::faults;
use crate::terminal::Terminal;
use contexture::Project;
use contexture::diagnostic::{Diagnostic, SourceFile};
use contexture::host::DryPrompt;
use contexture::run::{CheckReport, RunFailure, RunReport};
use contexture::script::runtime::RunError;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The code of a start with an agent or function that is not there.
const NO_ENTRY: &str = "AS9025";
/// The code of a value that does not have the declared shape.
const SHAPE: &str = "AS9017";

/// The end of a run.
pub(super) struct End<'a> {
    pub(super) args: &'a Args,
    pub(super) project: &'a Project,
    pub(super) took: Duration,
    /// How many models were asked.
    pub(super) calls: usize,
}

impl End<'_> {
    /// Says how it ended.
    pub(super) fn tell(&self, mut report: RunReport, terminal: &Terminal) -> Outcome {
        let outcome = std::mem::replace(&mut report.outcome, Ok(Value::Null));
        self.show_tree(&report, terminal);
        match outcome {
            Ok(value) => {
                self.value(value, &report, terminal)?;
                if let Some(summary) = self.summary(&report, terminal) {
                    terminal.say(&summary);
                }
                Ok(Exit::Done)
            }
            Err(failure) => {
                let mut complaint = self.failure(failure, &report, terminal);
                if let Some(summary) = self.summary(&report, terminal) {
                    let text = complaint.text(terminal.err);
                    complaint.rendered = Some(format!("{text}\n\n{summary}"));
                }
                Err(complaint.into())
            }
        }
    }

    fn value(&self, value: Value, report: &RunReport, terminal: &Terminal) -> Result<(), Stop> {
        if self.args.json {
            let mut object = self.beside(report);
            object.insert("value".to_owned(), if self.args.dry_run { Value::Null } else { value });
            return terminal.print_json(&Value::Object(object));
        }
        if self.args.dry_run {
            return terminal.print(&prompts(report, terminal));
        }
        if self.args.quiet { terminal.print_json(&value) } else { terminal.print_pretty(&value) }
    }

    /// What stands in the JSON form beside the value or the error.
    fn beside(&self, report: &RunReport) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("value".to_owned(), Value::Null);
        object.insert("run".to_owned(), json!(report.run));
        object.insert("usage".to_owned(), json!(report.usage));
        object.insert("warnings".to_owned(), json!(report.warnings));
        if self.args.dry_run {
            object.insert("prompts".to_owned(), json!(report.prompts));
        }
        object
    }

    /// `run ID · 1 model call · 512 + 90 tokens · 412 ms`; nothing when nothing ran.
    fn summary(&self, report: &RunReport, terminal: &Terminal) -> Option<String> {
        let silent = self.args.quiet || self.args.json || self.args.dry_run;
        if silent || (report.run.is_none() && self.calls == 0) {
            return None;
        }
        let mut parts: Vec<String> = report.run.iter().map(|run| format!("run {run}")).collect();
        if self.calls > 0 {
            let usage = &report.usage;
            parts.push(trace::plural(self.calls as u64, "model call"));
            parts.push(format!("{} + {} tokens", usage.prompt_tokens, usage.completion_tokens));
        }
        parts.push(trace::duration(u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX)));
        Some(terminal.err.dim(&parts.join(" · ")))
    }

    /// `--trace` without a file: the tree of what happened.
    fn show_tree(&self, report: &RunReport, terminal: &Terminal) {
        let (Some(None), Some(run)) = (&self.args.trace, &report.run) else { return };
        match trace::tree(self.project, run, terminal.err) {
            Ok(tree) => terminal.say(tree.trim_end()),
            Err(fault) => terminal.warn(&format!("the trace can't be shown: {fault}")),
        }
    }

    fn failure(&self, failure: RunFailure, report: &RunReport, terminal: &Terminal) -> Complaint {
        let complaint = match failure {
            RunFailure::Source(checked) => source(&checked, terminal),
            RunFailure::Setup(error) => Complaint::from(error),
            RunFailure::Program { error, files } => program(&error, &files, terminal),
        };
        let mut beside = self.beside(report);
        beside.extend(complaint.beside.clone());
        complaint.beside(beside)
    }
}

/// A program that was refused.
pub(crate) fn source(checked: &CheckReport, terminal: &Terminal) -> Complaint {
    let files: Vec<&SourceFile> = checked.files.iter().collect();
    let all = faults::json(&checked.diagnostics, &files);
    let is_error = |fault: &&Value| fault.get("severity").is_some_and(|word| word == "error");
    let list = all.as_array().map_or(&[][..], Vec::as_slice);
    let first = list.iter().find(is_error).or(list.first());
    let field = |name: &str| first.and_then(|first| first.get(name)).cloned().unwrap_or_default();
    let words = |name: &str| field(name).as_str().unwrap_or_default().to_owned();
    let mut complaint = Complaint::refused(&words("code"), words("message"))
        .rendered(faults::text(&checked.diagnostics, &files, terminal.err))
        .with("file", field("file"))
        .with("span", field("span"))
        .with("help", field("help"));
    complaint.beside.insert("diagnostics".to_owned(), all);
    complaint
}

/// A program that failed.
fn program(error: &RunError, files: &[SourceFile], terminal: &Terminal) -> Complaint {
    let files: Vec<&SourceFile> = files.iter().collect();
    let diagnostic = error.to_diagnostic();
    let span = faults::span(&diagnostic, &files);
    let refused = error.code == NO_ENTRY || is_of_input(error, &diagnostic, &files);
    let complaint = if refused {
        Complaint::refused(&error.code, &error.message)
    } else {
        Complaint::failed(&error.code, &error.message)
    };
    let text = faults::text(std::slice::from_ref(&diagnostic), &files, terminal.err);
    complaint
        .rendered(text)
        .with("help", json!(error.help))
        .with("file", json!(error.file))
        .with("span", span)
        .with("trace", json!(error.trace))
        .with("details", json!(error.details))
}

/// Whether it is the input of the run that does not have its shape: the failure then stands at
/// the parameter itself, and not at a call.
fn is_of_input(error: &RunError, diagnostic: &Diagnostic, files: &[&SourceFile]) -> bool {
    let file = files.iter().find(|file| file.name() == error.file);
    let parameter = file.map_or("", |file| file.slice(diagnostic.span));
    let path = error.details.as_ref().and_then(|faults| faults.get(0)?.get("path")?.as_str());
    let root = path.and_then(|path| path.split(['.', '[']).next());
    error.code == SHAPE && error.trace.len() <= 1 && root == Some(parameter)
}

/// What in a prompt, or before it, a dry run has placeholders for.
fn on_placeholders(prompt: &DryPrompt) -> Option<String> {
    const NAMED: usize = 3;
    if !prompt.placeholders.is_empty() {
        return Some(format!("built on placeholders: {}", prompt.placeholders.join(", ")));
    }
    let more = prompt.after.len().saturating_sub(NAMED);
    let named = prompt.after.get(..NAMED).unwrap_or(&prompt.after).join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    prompt.on_placeholders.then(|| {
        format!("comes after placeholders for {named}{more}: a real run may ask otherwise here")
    })
}

/// The prompts of a dry run, as they would be sent.
fn prompts(report: &RunReport, terminal: &Terminal) -> String {
    if report.prompts.is_empty() {
        return "no prompt can be built without running: no `generate` was reached\n".to_owned();
    }
    let paint = terminal.out;
    let mut text = String::new();
    for (index, prompt) in report.prompts.iter().enumerate() {
        let number = index + 1;
        let head =
            format!("prompt {number}: {} {} · {} tokens", prompt.site, prompt.model, prompt.tokens);
        text.push_str(&paint.bold(&head));
        text.push('\n');
        if let Some(note) = on_placeholders(prompt) {
            text.push_str(&paint.yellow(&note));
            text.push('\n');
        }
        for (role, message) in [("system", prompt.system.as_deref()), ("user", Some(&prompt.user))]
        {
            if let Some(message) = message {
                let rule = paint.cyan(&format!("── {role} ──"));
                text.push_str(&format!("{rule}\n{}\n", message.trim_end_matches('\n')));
            }
        }
        text.push('\n');
    }
    text
}
