//! `contexture run`: a program from its path to its value (AS-31).

mod args;
mod canvas;
mod report;
mod screen;
mod signal;
mod spinner;

pub(crate) use args::Args;
pub(crate) use canvas::Canvas;
pub(crate) use report::source as refused_program;
pub(crate) use screen::{Screen, Talk, asks};
pub(crate) use signal::Signals;

use super::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::input;
use crate::terminal::Terminal;
use crate::workspace;
use contexture::Runtime;
use contexture::models::StandIn;
use contexture::run::{RunReport, RunRequest};
use contexture::{Project, servers};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The code of a run that was cancelled.
const CANCELLED: &str = "AS9059";

/// Runs `contexture run`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    if args.no_trace && args.trace == Some(None) {
        let message = "--trace shows what --no-trace does not keep";
        let help = "leave one of them out, or write the events to a file with --trace FILE";
        return Err(Complaint::refused("bad_usage", message).help(help).into());
    }
    selected_once(&args.select)?;
    let input = input_of(args, terminal)?;
    let project = workspace::of_program(args.workspace.as_deref(), &args.file)?;
    let request = request(args, input);
    let screen = Arc::new(Screen::new(*terminal, talk(args), !args.quiet));
    let began = Instant::now();
    let (report, ended_by) = drive(&project, request, &screen)?;
    screen.clear();
    let end = report::End { args, project: &project, took: began.elapsed(), calls: screen.calls() };
    end.tell(report, terminal).map_err(|stop| interrupted(stop, ended_by))
}

/// A run that a signal ended exits as shells expect it of such a process.
fn interrupted(stop: Stop, ended_by: Option<u8>) -> Stop {
    match (stop, ended_by) {
        (Stop::Complaint(mut complaint), Some(code)) if complaint.code == CANCELLED => {
            complaint.exit = Exit::Signalled(code);
            Stop::Complaint(complaint)
        }
        (stop, _) => stop,
    }
}

/// Refuses two candidates for one place.
fn selected_once(selections: &[(String, String)]) -> Result<(), Stop> {
    let mut places = BTreeMap::new();
    for (place, name) in selections {
        if let Some(other) = places.insert(place, name).filter(|other| *other != name) {
            let message = format!("--select {place} is given with both `{other}` and `{name}`");
            let help = "select one candidate for each place";
            return Err(Complaint::refused("bad_usage", message).help(help).into());
        }
    }
    Ok(())
}

/// What is said beside the value; in JSON it is part of the object.
const fn talk(args: &Args) -> Talk {
    if args.quiet || args.json {
        Talk::Quiet
    } else if args.verbose {
        Talk::Verbose
    } else {
        Talk::Normal
    }
}

fn input_of(args: &Args, terminal: &Terminal) -> Result<Value, Stop> {
    match (&args.input, &args.input_file) {
        (Some(dash), _) if dash == "-" => {
            input::json(&input::stdin("the input", terminal)?, "the input on stdin")
        }
        (Some(text), _) => input::json(text, "--input"),
        (None, Some(file)) => {
            let text = input::text(file, "the input", terminal)?;
            let name = file.display().to_string();
            input::json(&text, &name)
        }
        (None, None) => Ok(json!({})),
    }
}

fn request(args: &Args, input: Value) -> RunRequest {
    let stand_in = match (&args.replay, &args.mock) {
        (Some(recording), _) => StandIn::Replay(recording.clone()),
        (None, Some(Some(answers))) => StandIn::Answers(answers.clone()),
        (None, Some(None)) => StandIn::Mock,
        (None, None) => StandIn::None,
    };
    RunRequest {
        program: args.file.clone(),
        input,
        agent: args.agent.clone(),
        function: args.function.clone(),
        model: args.model.clone(),
        stand_in,
        record: args.record.clone(),
        dry_run: args.dry_run,
        concurrency: args.concurrency,
        trace_file: args.trace.clone().flatten(),
        forget: args.no_trace,
        selections: args.select.iter().cloned().collect(),
        allow_packs: args.allow_pack.clone(),
        servers: servers::Consent { allow: args.allow_server.clone(), ..Default::default() },
        ..RunRequest::default()
    }
}

/// Runs it; Ctrl-C ends it in order. Returns the exit code of the signal that came.
fn drive(
    project: &Project,
    request: RunRequest,
    screen: &Arc<Screen>,
) -> Result<(RunReport, Option<u8>), Stop> {
    let runtime = runtime()?;
    let signals = Signals::listen({
        let screen = Arc::clone(screen);
        move || screen.abandon()
    });
    let cancel = signals.arm();
    let observer = Arc::clone(screen);
    screen.begin();
    let run = Runtime::of(project.clone()).request(request).observer(observer).cancel(cancel);
    let report = RunReport::from(runtime.block_on(run));
    Ok((report, signals.disarm()))
}

/// The driver of effects: one thread, nothing started before it is needed.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Stop> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        Complaint::failed("no_runtime", format!("no runtime can be started: {error}")).into()
    })
}
