//! The result of a run, for people, scripts and programs.

use super::args::Output;
use crate::commands::trace;
use crate::output::diagnostics::{self, refused_program};
use crate::output::text::{about, dollars, duration, plural, tokens_of};
use crate::prelude::*;
use contexture::Project;
use contexture::context::manifest::AttemptRecord;
use contexture::diagnostic::{Diagnostic, SourceFile};
use contexture::host::{CallReport, DryPrompt, DryTool};
use contexture::llm::extractive::STAND_IN;
use contexture::prompt::Usage;
use contexture::run::{RunFailure, RunReport};
use contexture::script::runtime::RunError;
use serde_json::Map;
use std::time::Duration;

/// The code of an unknown agent or function to start with.
const NO_ENTRY: &str = "AS9025";
/// The code of a value without the declared shape.
const SHAPE: &str = "AS9017";

pub(super) struct End<'a> {
    pub(super) output: &'a Output,
    pub(super) is_dry: bool,
    pub(super) project: &'a Project,
    pub(super) took: Duration,
}

impl End<'_> {
    /// Prints the value, or returns the error.
    pub(super) fn report(&self, mut report: RunReport, terminal: &Terminal) -> CommandResult {
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
                let mut error = self.failure(failure, &report, terminal);
                if let Some(summary) = self.summary(&report, terminal) {
                    let text = error.text(terminal.err);
                    error.rendered = Some(format!("{text}\n\n{summary}"));
                }
                Err(error.into())
            }
        }
    }

    fn value(&self, value: Value, report: &RunReport, terminal: &Terminal) -> Result<(), Abort> {
        if self.output.json || self.output.stream {
            self.say_stand_in(report, terminal);
            let mut object = self.siblings(report);
            if self.output.stream {
                object.insert("event".to_owned(), "result".into());
            }
            object.insert("value".to_owned(), if self.is_dry { Value::Null } else { value });
            return terminal.print_json(&Value::Object(object));
        }
        if self.is_dry {
            return terminal.print(&prompts(report, terminal));
        }
        if self.output.quiet { terminal.print_json(&value) } else { terminal.print_pretty(&value) }
    }

    /// Tells a person who reads the value as JSON that the built-in model answered (CA-9).
    fn say_stand_in(&self, report: &RunReport, terminal: &Terminal) {
        let said = |warning: &&String| warning.ends_with(STAND_IN);
        if let Some(warning) = report.warnings.iter().find(said).filter(|_| !self.output.quiet) {
            terminal.warn(warning);
        }
    }

    /// Returns the fields beside the value or the error in the JSON form.
    fn siblings(&self, report: &RunReport) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("value".to_owned(), Value::Null);
        object.insert("run".to_owned(), json!(report.run));
        if let Some(durable) = &report.durable {
            object.insert("durable".to_owned(), durable.as_str().into());
        }
        object.insert("usage".to_owned(), json!(report.usage));
        object.insert("usage_estimated".to_owned(), report.usage_estimated.into());
        object.insert("calls".to_owned(), report.calls.iter().map(call_json).collect());
        object.insert("cost".to_owned(), json!(report.cost));
        object.insert("warnings".to_owned(), json!(report.warnings));
        if self.is_dry {
            object.insert("prompts".to_owned(), json!(report.prompts));
            let total: u64 = report.prompts.iter().map(|prompt| prompt.total_tokens).sum();
            object.insert("total_tokens".to_owned(), total.into());
        }
        object
    }

    /// Returns `run ID · 1 model call, 9 requests · 512 + 90 tokens reported · 412 ms`; nothing when nothing
    /// ran. The requests that were sent are shown where they are not as many as the calls.
    fn summary(&self, report: &RunReport, terminal: &Terminal) -> Option<String> {
        let silent = self.output.quiet || self.output.json || self.output.stream || self.is_dry;
        let calls = report.calls.len();
        if silent || (report.run.is_none() && calls == 0) {
            return None;
        }
        let mut parts: Vec<String> = report.run.iter().map(|run| format!("run {run}")).collect();
        if calls > 0 {
            let requests = report.calls.iter().map(|call| call.requests).sum::<usize>();
            let told = plural(calls as u64, "model call");
            parts.push(match requests {
                same if same == calls => told,
                requests => format!("{told}, {}", plural(requests as u64, "request")),
            });
            if report.usage != Usage::default() {
                parts.push(tokens_of(&report.usage, report.usage_estimated));
            }
            parts.extend(report.cost.actual.filter(|cost| *cost > 0.0).map(dollars));
        }
        parts.push(duration(u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX)));
        Some(terminal.err.dim(&parts.join(" · ")))
    }

    /// Prints the trace as a tree for `--trace` without a file.
    fn show_tree(&self, report: &RunReport, terminal: &Terminal) {
        let (Some(None), Some(run)) = (&self.output.trace, &report.run) else { return };
        match trace::tree(self.project, run, terminal.err) {
            Ok(tree) => terminal.say(tree.trim_end()),
            Err(fault) => terminal.warn(&format!("can't show the trace: {fault}")),
        }
    }

    fn failure(
        &self,
        failure: RunFailure,
        report: &RunReport,
        terminal: &Terminal,
    ) -> CommandError {
        if self.output.json || self.output.stream {
            self.say_stand_in(report, terminal);
        }
        let error = match failure {
            RunFailure::Source(checked) => refused_program(&checked, terminal),
            RunFailure::Setup(error) => CommandError::from(error),
            RunFailure::Program { error, files } => program(&error, &files, terminal),
        };
        let mut siblings = self.siblings(report);
        siblings.extend(error.siblings.clone());
        error.siblings(siblings)
    }
}

/// Returns a model call as `calls` of the JSON form has it (CA-1).
fn call_json(call: &CallReport) -> Value {
    let attempts: Vec<Value> = call.attempts.iter().map(attempt_json).collect();
    json!({
        "call": call.call,
        "site": call.site,
        "model": call.model,
        "passed_over": call.passed_over,
        "finish": call.finish(),
        "requests": call.requests,
        "attempts": attempts,
    })
}

fn attempt_json(attempt: &AttemptRecord) -> Value {
    json!({
        "finish": attempt.finish_reason,
        "latency_ms": attempt.latency_ms,
        "input": attempt.prompt_tokens,
        "output": attempt.completion_tokens,
        "cached": attempt.cached_tokens,
        "estimated": attempt.estimated,
        "max_output": attempt.max_output,
        "options": attempt.options,
        "schema": attempt.schema_form,
        "requests": attempt.requests.len(),
        "retried": attempt.retried,
        "waits_ms": attempt.waits_ms,
        "failure": attempt.failure,
    })
}

fn program(error: &RunError, files: &[SourceFile], terminal: &Terminal) -> CommandError {
    let files: Vec<&SourceFile> = files.iter().collect();
    let diagnostic = error.to_diagnostic();
    let span = diagnostics::span(&diagnostic, &files);
    let refused = error.code == NO_ENTRY || is_of_input(error, &diagnostic, &files);
    let failure = if refused {
        CommandError::refused(&error.code, &error.message)
    } else {
        CommandError::failed(&error.code, &error.message)
    };
    let text = diagnostics::text(std::slice::from_ref(&diagnostic), &files, terminal.err);
    failure
        .rendered(text)
        .with("help", json!(error.help))
        .with("file", json!(error.file))
        .with("span", span)
        .with("trace", json!(error.trace))
        .with("details", json!(error.details))
}

/// Reports whether the input of the run has the wrong shape: the error is then at the parameter
/// itself, not at a call.
fn is_of_input(error: &RunError, diagnostic: &Diagnostic, files: &[&SourceFile]) -> bool {
    let file = files.iter().find(|file| file.name() == error.file);
    let parameter = file.map_or("", |file| file.slice(diagnostic.span));
    let path = error.details.as_ref().and_then(|faults| faults.get(0)?.get("path")?.as_str());
    let root = path.and_then(|path| path.split(['.', '[']).next());
    error.code == SHAPE && error.trace.len() <= 1 && root == Some(parameter)
}

/// Returns a note about the placeholders that a prompt of a dry run contains or depends on.
fn on_placeholders(prompt: &DryPrompt) -> Option<String> {
    const NAMED: usize = 3;
    if !prompt.placeholders.is_empty() {
        return Some(format!("contains placeholders: {}", prompt.placeholders.join(", ")));
    }
    let more = prompt.after.len().saturating_sub(NAMED);
    let named = prompt.after.get(..NAMED).unwrap_or(&prompt.after).join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    prompt.on_placeholders.then(|| {
        format!("depends on placeholders for {named}{more}: a real run may send another prompt")
    })
}

/// Renders the prompts of a dry run as they would be sent.
fn prompts(report: &RunReport, terminal: &Terminal) -> String {
    if report.prompts.is_empty() {
        return "the dry run reached no `generate`, so there is no prompt to show\n".to_owned();
    }
    let paint = terminal.out;
    let mut text = String::new();
    for (index, prompt) in report.prompts.iter().enumerate() {
        let number = index + 1;
        let tokens = about(prompt.total_tokens, prompt.tokens_exact);
        let head = format!("prompt {number}: {} {} · {tokens} tokens", prompt.site, prompt.model);
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
        if !prompt.tools.is_empty() {
            let _ = writeln!(text, "{}", paint.cyan("── tools ──"));
        }
        for DryTool { name, description, schema, tokens } in &prompt.tools {
            let function =
                json!({ "name": name, "description": description, "parameters": schema });
            let definition = json!({ "type": "function", "function": function });
            let _ = writeln!(text, "{name} · {}\n{definition}", plural(*tokens, "token"));
        }
        text.push('\n');
    }
    text
}
