//! An offered program, and its run for a call.

use super::input::Input;
use super::person::{PersonAtClient, hand_on};
use super::progress;
use super::runner::Runner;
use crate::fault::Fault;
use crate::mcp::arguments::Arguments;
use crate::mcp::client::Client;
use crate::mcp::codes;
use crate::mcp::operator::{RUN, WARNINGS};
use crate::mcp::tool::{Call, CallFuture, Given, Tool};
use contexture::Runtime;
use contexture::diagnostic::{SourceFile, render};
use contexture::llm::CancelToken;
use contexture::permission::Permission;
use contexture::run::{RunFailure, RunReport, RunRequest};
use contexture::script::runtime::RunError;
use rmcp::model::Tool as Definition;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The time for progress messages to reach the client.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct Program {
    pub(super) definition: Definition,
    pub(super) file: PathBuf,
    pub(super) arguments: Arguments,
    pub(super) input: Input,
    /// The names under which it imports models.
    pub(crate) models: Vec<String>,
    pub(super) runner: Arc<Runner>,
}

impl Tool for Program {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn call(&self, call: Call) -> CallFuture<'_> {
        Box::pin(async move {
            self.arguments.check(&self.definition.name, &call.arguments)?;
            let input = self.input.of(call.arguments);
            run(&self.runner, &self.file, input, (&call.client, call.is_remote)).await
        })
    }

    fn is_long(&self) -> bool {
        true
    }
}

async fn run(
    runner: &Runner,
    file: &Path,
    input: Value,
    (client, is_remote): (&Client, bool),
) -> Result<Given, Fault> {
    let cancelled = || Fault::of(codes::CANCELLED, "the call was cancelled");
    let permit = tokio::select! {
        permit = Arc::clone(&runner.permits).acquire_owned() => permit.map_err(|_| cancelled())?,
        () = unwanted(runner, client) => return Err(cancelled()),
    };
    let cancel = CancelToken::new();
    let (person, questions) = PersonAtClient::new();
    let permission = client.can_be_asked().then(|| Arc::new(person) as Arc<dyn Permission>);
    let request = RunRequest {
        program: file.to_owned(),
        input: input.into(),
        model: runner.model.clone(),
        models: runner.models.clone(),
        allow_packs: runner.packs.allow.clone(),
        approve_packs: runner.packs.approve_project,
        servers: runner.servers.clone(),
        yes_to: runner.yes_to.clone(),
        permission,
        ..RunRequest::default()
    };
    let (observer, forwarding) = progress::observer(client, is_remote);
    let runtime = Runtime::of(runner.project.clone());
    let mut run = runtime.request(request).observer(observer).cancel(cancel.clone());
    let ended = tokio::select! {
        ended = &mut run => ended,
        never = hand_on(client, questions) => match never {},
        () = unwanted(runner, client) => {
            cancel.cancel();
            // It ends in order, with its trace.
            run.await
        }
    };
    drop(permit);
    if let Some(forwarding) = forwarding {
        // A client that does not read does not delay the answer.
        let _ = tokio::time::timeout(PATIENCE, forwarding).await;
    }
    answer(ended.into())
}

/// Waits until the client cancels its call, or the server ends.
async fn unwanted(runner: &Runner, client: &Client) {
    tokio::select! {
        () = client.gone() => {}
        () = runner.stopped() => {}
    }
}

/// Converts a report to the answer of the call.
fn answer(report: RunReport) -> Result<Given, Fault> {
    let mut meta = Map::new();
    if let Some(run) = report.run {
        meta.insert(RUN.to_owned(), run.into());
    }
    if !report.warnings.is_empty() {
        meta.insert(WARNINGS.to_owned(), report.warnings.into());
    }
    match report.outcome {
        Ok(value) => {
            let text = match &value {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            Ok(Given { text, structured: Some(value).filter(Value::is_object), meta })
        }
        Err(failure) => {
            let mut fault = match failure {
                RunFailure::Setup(error) => error.into(),
                RunFailure::Source(checked) => refused(&checked.files, &checked.diagnostics),
                RunFailure::Program { error, files } => failed(&error, &files),
            };
            fault.details.extend(meta);
            Err(fault)
        }
    }
}

/// Creates the error about a program that was changed and is refused now.
fn refused(files: &[SourceFile], diagnostics: &[contexture::diagnostic::Diagnostic]) -> Fault {
    let line = |fault: &contexture::diagnostic::Diagnostic| {
        let file = files.iter().find(|file| file.name() == fault.file).or(files.first())?;
        Some(render::one_line(fault, file))
    };
    let lines: Vec<String> = diagnostics.iter().filter_map(line).take(20).collect();
    Fault::of(codes::REFUSED_NOW, format!("the program is refused:\n{}", lines.join("\n")))
        .with_help("`contexture check` shows all faults")
}

fn failed(error: &RunError, files: &[SourceFile]) -> Fault {
    let diagnostic = error.to_diagnostic();
    let source = files.iter().find(|file| file.name() == error.file).or(files.first());
    let message = match source {
        Some(source) => {
            format!("{} at {}:{}:{}", error.message, source.name(), error.line, error.column)
        }
        None => error.message.clone(),
    };
    let fault = Fault::new(&error.code, message)
        .with("file", error.file.clone())
        .with("line", error.line)
        .with("column", error.column)
        .with("trace", json!(error.trace))
        .with("details", json!(error.details));
    Fault { help: diagnostic.help.or_else(|| error.help.clone()), ..fault }
}
