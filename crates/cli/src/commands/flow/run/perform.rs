//! A run from its request to its end.

use super::document;
use crate::commands::Outcome;
use crate::commands::flow::board::Board;
use crate::commands::flow::document::{refuse, text};
use crate::commands::flow::ending::Ending;
use crate::commands::flow::report::Whole;
use crate::commands::run::{Signals, Talk, refused_program};
use crate::complaint::{Complaint, Exit, Stop};
use crate::paint::one_line;
use crate::terminal::Terminal;
use contexture::Project;
use contexture::flow::check::Report as Checked;
use contexture::flow::run::Report;
use contexture::flows::{Entry, Flow, FlowError, FlowRequest, StepTrace};
use contexture::llm::CancelToken;
use contexture::protocol::content::Status;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::runtime::Runtime;

/// What failures of a program begin with.
const FAILURE: &str = "AS9";
/// Those among them that come before anything of it is run: no such agent or function, and an input
/// that does not have its shape.
const REFUSALS: [&str; 2] = ["AS9025", "AS9017"];

/// Traces of agents that people are pointed to.
const TRACES: usize = 5;

/// How a run is done and shown.
pub(in crate::commands::flow) struct Performance<'a> {
    pub(in crate::commands::flow) project: &'a Project,
    pub(in crate::commands::flow) board: &'a Board,
    pub(in crate::commands::flow) talk: Talk,
    pub(in crate::commands::flow) is_json: bool,
    pub(in crate::commands::flow) is_quiet: bool,
    pub(in crate::commands::flow) timeout: Option<Duration>,
    /// Steps that had ended before the run was broken off.
    pub(in crate::commands::flow) before: usize,
}

/// What is known of a run when it has ended.
struct Ended {
    report: Report,
    /// Its id, where it is kept.
    run: Option<String>,
    traces: Vec<StepTrace>,
    warnings: Checked,
}

impl Performance<'_> {
    /// Runs it, after the program that returns its set, and tells how it ended.
    pub(in crate::commands::flow) fn run(
        &self,
        request: FlowRequest,
        entry: Option<Entry>,
        terminal: &Terminal,
    ) -> Outcome {
        let name = request.name.clone();
        let runtime = runtime()?;
        let signals = Signals::listen({
            let board = self.board.clone();
            move || board.abandon()
        });
        let cancel = signals.arm();
        let came = self.perform(request, entry, (&runtime, &cancel), terminal);
        self.board.clear();
        let ended_by = signals.disarm();
        // What can't be cancelled, as a call of the system, is not waited for.
        runtime.shutdown_background();
        match came {
            Ok(ended) => self.tell(&ended, ended_by, terminal),
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
        if let Some(entry) = entry {
            let shown = (runtime, cancel, self.talk, terminal);
            request = document::returned(self.project, entry, request, self.timeout, shown)?;
        }
        if let Some(timeout) = self.timeout {
            request.document = document::limited(request.document, timeout);
        }
        let (name, is_kept) = (request.name.clone(), !request.forget);
        let flow = Flow::prepare(self.project, request)?;
        let warnings = flow.warnings().clone();
        if !warnings.diagnostics.is_empty() && self.talk != Talk::Quiet {
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

    fn tell(&self, ended: &Ended, ended_by: Option<u8>, terminal: &Terminal) -> Outcome {
        let Ended { report, run, traces, warnings } = ended;
        let run = run.as_deref();
        if self.is_json {
            let listed = warnings.to_value().get("diagnostics").cloned();
            terminal.print_tree(&Whole {
                report,
                run,
                traces: traces.iter().map(trace).collect(),
                warnings: listed.filter(|list| *list != json!([])),
            })?;
        } else {
            let set = report.plan().set();
            let steps = report.outcomes().zip(&set.steps).enumerate();
            let ending = Ending {
                status: report.status(),
                steps: steps
                    .map(|(at, (outcome, step))| {
                        (outcome, step.action.as_str(), report.step_began(at))
                    })
                    .collect(),
                took: Some(report.took()),
                run,
            };
            ending.print(terminal)?;
            ending.say_errors(terminal);
            if !self.is_quiet {
                ending.say_summary(terminal);
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
    ) -> Outcome {
        let mut complaint = match error {
            FlowError::Refused(report) => return refuse(&report, name, self.is_json, terminal),
            FlowError::Program(checked) => refused_program(&checked, terminal),
            FlowError::Setup(error) => {
                let complaint = Complaint::from(error);
                unready(if is_of_the_journal(&complaint.code) {
                    unkept(complaint)
                } else {
                    complaint
                })
            }
        };
        if let Some(code) = ended_by.filter(|_| complaint.exit == Exit::Failed) {
            complaint.exit = Exit::Signalled(code);
        }
        Err(complaint.into())
    }
}

/// Whether it is the file of runs that can't be used, whatever run is meant.
fn is_of_the_journal(code: &str) -> bool {
    code.starts_with("flows_") || code == "disk_full"
}

/// A run that can't be kept can be done all the same.
fn unkept(complaint: Complaint) -> Complaint {
    let message = format!("the run can't be kept: {}", complaint.message);
    let help = complaint.help.as_ref().map(|help| format!("{help}; ")).unwrap_or_default();
    Complaint { message, ..complaint }
        .help(format!("{help}`--no-keep` runs it without keeping anything"))
}

/// What a run needs is missing: told as a fault of the set, too, unless a program failed.
pub(in crate::commands::flow) fn unready(mut complaint: Complaint) -> Complaint {
    let is_refusal = REFUSALS.contains(&complaint.code.as_str());
    let is_late = complaint.code == document::LATE;
    if is_late || (complaint.code.starts_with(FAILURE) && !is_refusal) {
        complaint.exit = Exit::Failed;
        return complaint;
    }
    let fault = json!({
        "code": complaint.code,
        "severity": "error",
        "message": complaint.message,
        "help": complaint.help,
        "path": "",
    });
    complaint.beside.insert("diagnostics".to_owned(), json!([fault]));
    complaint
}

/// Says where it can be seen what agents and generations were shown.
fn say_traces(traces: &[StepTrace], terminal: &Terminal) {
    for trace in traces.iter().take(TRACES) {
        let text = format!("  {}: contexture trace show {}", one_line(&trace.step), trace.run);
        terminal.say(&terminal.err.dim(&text));
    }
}

fn trace(trace: &StepTrace) -> Value {
    json!({ "step": trace.step, "attempt": trace.attempt, "run": trace.run })
}

/// Threads for what runs at the same time.
pub(in crate::commands::flow) fn runtime() -> Result<Runtime, Stop> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        Complaint::failed("no_runtime", format!("no runtime can be started: {error}")).into()
    })
}
