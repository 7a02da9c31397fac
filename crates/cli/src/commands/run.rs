//! `contexture run`: a program from its path to its value (AS-31).

mod args;
mod input;
mod report;

pub(crate) use args::{Args, Output, selection};

use crate::output::progress::{ProgressDisplay, Verbosity};
use crate::prelude::*;
use crate::support::asker::PersonAtTerminal;
use crate::support::options::stand_in;
use crate::support::runtime;
use crate::support::signals::Signals;
use contexture::durable::Durable;
use contexture::run::{RunReport, RunRequest};
#[cfg(feature = "otel")]
use contexture::store::runs::RunId;
use contexture::{Project, Runtime};
#[cfg(feature = "otel")]
use contexture_server::traces::Traces;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

const CANCELLED: &str = "AS9059";

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let result = ran(args, terminal);
    if !args.output.stream {
        return result;
    }
    result.map_err(|abort| match abort {
        Abort::Error(mut error) => {
            error.siblings.insert("event".to_owned(), "error".into());
            Abort::Error(error)
        }
        abort => abort,
    })
}

fn ran(args: &Args, terminal: &Terminal) -> CommandResult {
    if args.output.no_trace && args.output.trace == Some(None) {
        let message = "--trace can't show a run that --no-trace does not store";
        let help = "remove one of them, or write the events to a file with --trace FILE";
        return Err(CommandError::refused("bad_usage", message).help(help).into());
    }
    reject_double_selection(&args.select)?;
    let is_file = !crate::support::input::is_stdin(&args.file);
    let project =
        args.workspace.open_for(Some(&args.file).filter(|_| is_file).map(PathBuf::as_path))?;
    let mut request = request(args)?;
    if let Some((name, text)) = input::program(args, &project, terminal)? {
        (request.program, request.text) = (name, Some(text));
    }
    request.input = input::of(args, &project, &request, terminal)?;
    carry_out(&project, request, (&args.output, args.dry_run), terminal)
}

/// Runs what a request describes, and prints what comes of it.
pub(crate) fn carry_out(
    project: &Project,
    request: RunRequest,
    (output, is_dry): (&Output, bool),
    terminal: &Terminal,
) -> CommandResult {
    let progress = !output.quiet && !output.stream;
    let screen = ProgressDisplay::new(*terminal, verbosity(output), progress);
    let screen = Arc::new(if output.stream { screen.streaming() } else { screen });
    let began = Instant::now();
    let permission = PersonAtTerminal::of(terminal, Arc::clone(&screen) as _);
    let request = RunRequest { permission, ends_process: true, ..request };
    let (report, ended_by) = drive(project, request, &screen)?;
    screen.clear();
    let end = report::End { output, is_dry, project, took: began.elapsed() };
    let run = report.run.clone();
    let result = end.report(report, terminal).map_err(|abort| interrupted(abort, ended_by));
    if let Err(fault) = send_trace(project, run.as_deref()) {
        terminal.warn(&fault);
    }
    result
}

/// Sends the run to the collector that the environment names, if it was kept (IN-14). The value is
/// printed by then, and a collector that is away is not a failure of the run.
#[cfg(feature = "otel")]
fn send_trace(project: &Project, run: Option<&str>) -> Result<(), String> {
    let Some(run) = run.and_then(RunId::parse) else { return Ok(()) };
    let told = |fault: contexture_server::Fault| fault.message;
    if let Some(traces) = Traces::open(project).map_err(told)? {
        traces.export(&*contexture::runs(project), &run).map_err(told)?;
    }
    Ok(())
}

#[cfg(not(feature = "otel"))]
#[allow(clippy::unnecessary_wraps, reason = "what sends traces is left out")]
fn send_trace(_project: &Project, _run: Option<&str>) -> Result<(), String> {
    Ok(())
}

/// Gives a run that a signal ended the exit code that shells expect.
fn interrupted(abort: Abort, ended_by: Option<u8>) -> Abort {
    match (abort, ended_by) {
        (Abort::Error(mut error), Some(code)) if error.code == CANCELLED => {
            error.exit = Exit::Signalled(code);
            Abort::Error(error)
        }
        (abort, _) => abort,
    }
}

/// Rejects two candidates for one place.
fn reject_double_selection(selections: &[(String, String)]) -> Result<(), Abort> {
    let mut places = BTreeMap::new();
    for (place, name) in selections {
        if let Some(other) = places.insert(place, name).filter(|other| *other != name) {
            let message = format!("--select {place} selects both `{other}` and `{name}`");
            let help = "select one candidate for each place";
            return Err(CommandError::refused("bad_usage", message).help(help).into());
        }
    }
    Ok(())
}

/// Returns how much to print beside the value; with JSON it is part of the object.
const fn verbosity(output: &Output) -> Verbosity {
    if output.quiet || output.json || output.stream {
        Verbosity::Quiet
    } else if output.verbose {
        Verbosity::Verbose
    } else {
        Verbosity::Normal
    }
}

fn request(args: &Args) -> Result<RunRequest, Abort> {
    let (model, models) = args.models.chosen(false)?;
    Ok(RunRequest {
        program: args.file.clone(),
        agent: args.agent.clone(),
        function: args.function.clone(),
        model,
        models,
        stand_in: stand_in(args.replay.as_deref(), args.mock.as_ref()),
        record: args.record.clone(),
        dry_run: args.dry_run,
        concurrency: args.concurrency,
        trace_file: args.output.trace.clone().flatten(),
        forget: args.output.no_trace,
        durable: args.durable.then_some(Durable::Begin),
        selections: args.select.iter().cloned().collect(),
        allow_packs: args.permissions.allow_pack.clone(),
        servers: args.permissions.servers(),
        yes_to: args.permissions.yes_to.clone(),
        spend: args.spend.limit(),
        ..RunRequest::default()
    })
}

/// Runs the program; Ctrl-C ends it in order. Returns the exit code of a signal.
fn drive(
    project: &Project,
    request: RunRequest,
    screen: &Arc<ProgressDisplay>,
) -> Result<(RunReport, Option<u8>), Abort> {
    let runtime = runtime::single_threaded()?;
    let signals = Signals::listen({
        let screen = Arc::clone(screen);
        move || screen.abandon()
    });
    let cancel = signals.arm();
    let observer = Arc::clone(screen);
    screen.begin();
    let run = Runtime::of(project.clone()).request(request).observer(observer).cancel(cancel);
    let report = RunReport::from(runtime.block_on(run.on_this_thread()));
    Ok((report, signals.disarm()))
}
