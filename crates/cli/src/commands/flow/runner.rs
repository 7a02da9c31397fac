//! The execution of a set, from its request to its report.

use super::live_board::LiveBoard;
use super::program;
use super::report_json::ReportJson;
use super::set_file::{not_ready, refuse, text};
use super::summary::FlowSummary;
use crate::output::diagnostics::refused_program;
use crate::output::progress::Verbosity;
use crate::prelude::*;
use crate::support::runtime::multi_threaded;
use crate::support::signals::Signals;
use contexture::Project;
use contexture::flow::check::Report as Checked;
use contexture::flow::run::Report;
use contexture::flows::{Entry, Flow, FlowError, FlowRequest, StepTrace, check_models};
use contexture::llm::CancelToken;
use contexture::protocol::content::Status;
use std::time::Duration;
use tokio::runtime::Runtime;

/// The most traces of agents to print.
const TRACES: usize = 5;

/// The execution and display of a run.
pub(super) struct FlowRunner<'a> {
    pub(super) project: &'a Project,
    pub(super) board: &'a LiveBoard,
    pub(super) verbosity: Verbosity,
    pub(super) is_json: bool,
    pub(super) is_quiet: bool,
    pub(super) timeout: Option<Duration>,
    /// The number of steps that ended before the run was interrupted.
    pub(super) before: usize,
}

struct Ended {
    report: Report,
    /// The id of a stored run.
    run: Option<String>,
    traces: Vec<StepTrace>,
    warnings: Checked,
}

impl FlowRunner<'_> {
    /// Runs the program that returns the set, if any, then the set, and reports the result.
    pub(super) fn run(
        &self,
        request: FlowRequest,
        entry: Option<Entry>,
        terminal: &Terminal,
    ) -> CommandResult {
        let name = request.name.clone();
        let runtime = multi_threaded()?;
        let signals = Signals::listen({
            let board = self.board.clone();
            move || board.abandon()
        });
        let cancel = signals.arm();
        let came = self.perform(request, entry, (&runtime, &cancel), terminal);
        self.board.clear();
        let ended_by = signals.disarm();
        // Blocking system calls can't be cancelled and are not waited for.
        runtime.shutdown_background();
        match came {
            Ok(ended) => self.report(&ended, ended_by, terminal),
            Err(error) => self.fail(error, &name, ended_by, terminal),
        }
    }

    fn perform(
        &self,
        mut request: FlowRequest,
        entry: Option<Entry>,
        (runtime, cancel): (&Runtime, &CancelToken),
        terminal: &Terminal,
    ) -> Result<Ended, FlowError> {
        check_models(self.project, &request)?;
        if let Some(entry) = entry {
            let context = (runtime, cancel, self.verbosity, terminal);
            request = program::returned(self.project, entry, request, self.timeout, context)?;
        }
        if let Some(timeout) = self.timeout {
            request.document = program::limited(request.document, timeout);
        }
        let (name, is_kept) = (request.name.clone(), !request.run.forget);
        let flow = Flow::prepare(self.project, request)?;
        let warnings = flow.warnings().clone();
        if !warnings.diagnostics.is_empty() && self.verbosity != Verbosity::Quiet {
            terminal.say(text(&warnings, &name, terminal.err).trim_end());
        }
        let run = is_kept.then(|| flow.run_id().to_owned());
        let traces = flow.traces();
        self.board.begin(flow.set(), self.before);
        let control = flow.control();
        runtime.spawn({
            let (cancel, board) = (cancel.clone(), self.board.clone());
            async move {
                cancel.cancelled().await;
                board.cancel();
                control.cancel();
            }
        });
        let report = runtime.block_on(flow.run());
        Ok(Ended { report, run, traces: traces.get(), warnings })
    }

    fn report(&self, ended: &Ended, ended_by: Option<u8>, terminal: &Terminal) -> CommandResult {
        let Ended { report, run, traces, warnings } = ended;
        let run = run.as_deref();
        if self.is_json {
            let listed = warnings.to_value().get("diagnostics").cloned();
            terminal.print_tree(&ReportJson {
                report,
                run,
                traces: traces.iter().map(trace).collect(),
                warnings: listed.filter(|list| *list != json!([])),
            })?;
        } else {
            let set = report.plan().set();
            let steps = report.outcomes().zip(&set.steps).enumerate();
            let summary = FlowSummary {
                status: report.status(),
                steps: steps
                    .map(|(at, (outcome, step))| {
                        (outcome, step.action.as_str(), report.step_began(at))
                    })
                    .collect(),
                took: Some(report.took()),
                run,
            };
            summary.print(terminal)?;
            summary.say_errors(terminal);
            if !self.is_quiet {
                summary.say_summary(terminal);
                say_traces(traces, terminal);
            }
        }
        if let Some(fault) = report.fault().filter(|_| !self.is_json) {
            terminal.warn(&fault.to_string());
        }
        Ok(match (report.status(), ended_by) {
            (Status::Completed, _) => Exit::Done,
            (_, Some(code)) => Exit::Signalled(code),
            (_, None) => Exit::Failed,
        })
    }

    fn fail(
        &self,
        error: FlowError,
        name: &str,
        ended_by: Option<u8>,
        terminal: &Terminal,
    ) -> CommandResult {
        let mut error = match error {
            FlowError::Refused(report) => return refuse(&report, name, self.is_json, terminal),
            FlowError::Program(checked) => refused_program(&checked, terminal),
            FlowError::Setup(error) => {
                let error = CommandError::from(error);
                not_ready(if is_storage_error(&error.code) { unstorable(error) } else { error })
            }
        };
        if let Some(code) = ended_by.filter(|_| error.exit == Exit::Failed) {
            error.exit = Exit::Signalled(code);
        }
        Err(error.into())
    }
}

/// Reports whether a code is about the file of runs.
fn is_storage_error(code: &str) -> bool {
    code.starts_with("flows_") || code == "disk_full"
}

/// Returns the error about a run that can't be stored.
fn unstorable(error: CommandError) -> CommandError {
    let message = format!("can't store the run: {}", error.message);
    let help = error.help.as_ref().map(|help| format!("{help}; ")).unwrap_or_default();
    CommandError { message, ..error }.help(format!("{help}`--no-keep` runs without storing"))
}

/// Prints the commands that show the traces of agents and generations.
fn say_traces(traces: &[StepTrace], terminal: &Terminal) {
    for trace in traces.iter().take(TRACES) {
        let text = format!("  {}: contexture trace show {}", one_line(&trace.step), trace.run);
        terminal.say(&terminal.err.dim(&text));
    }
}

fn trace(trace: &StepTrace) -> Value {
    json!({ "step": trace.step, "attempt": trace.attempt, "run": trace.run })
}
