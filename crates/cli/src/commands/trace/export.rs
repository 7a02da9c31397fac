//! `contexture trace export`: a run with all its texts, readable without the store (AS-29, IN-14).

use super::runs::{Runs, tell_lost};
#[cfg(feature = "otel")]
use crate::output::text::plural;
use crate::prelude::*;
use contexture::Project;
use contexture::inspect::{Exported, export};
#[cfg(feature = "otel")]
use contexture_server::traces::Traces;

const EXAMPLES: &str = "\
Examples:
  contexture trace export latest --json > run.json
  contexture trace export latest > run.jsonl
  contexture trace export latest --html > run.html

The page of `--html` is that of `contexture inspect`, for this run alone: it needs no server, asks
nothing of the network and sends nothing. It holds all texts of the run's prompts. `--otlp` sends to
the address in OTEL_EXPORTER_OTLP_ENDPOINT, such as http://localhost:4318.";

/// Prints a run with all its texts: one JSON line per event, one JSON object, or a page.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run.
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    /// Print one JSON object instead of one line per event.
    #[arg(long)]
    json: bool,
    /// Print one page for a browser, as `contexture inspect` shows the run.
    #[cfg(feature = "server")]
    #[arg(long, conflicts_with = "json")]
    html: bool,
    /// Send the run to the OpenTelemetry collector that the environment names, and print the number of
    /// spans.
    #[cfg(feature = "otel")]
    #[arg(long, conflicts_with_all = ["json", "html"])]
    otlp: bool,
}

#[cfg_attr(not(feature = "otel"), allow(unused_variables, reason = "nothing sends traces"))]
pub(super) fn run(
    args: &Args,
    runs: &Runs,
    project: &Project,
    terminal: &Terminal,
) -> CommandResult {
    #[cfg(feature = "otel")]
    if args.otlp {
        return send(&args.run, runs, project, terminal);
    }
    #[cfg(feature = "server")]
    if args.html {
        let log = runs.load(&args.run, terminal)?;
        terminal.print(&contexture_server::inspect::run_file(&*runs.store, &log.id)?)?;
        return Ok(whole(&export(runs.kept(&log)), terminal));
    }
    let log = runs.load(&args.run, terminal)?;
    let mut exported = export(runs.kept(&log));
    if args.json {
        terminal.print_json(&exported.run)?;
    } else {
        let events = exported.run.get_mut("events").and_then(Value::as_array_mut);
        for event in events.into_iter().flatten() {
            // The first line says which run it is, as the object does.
            if event.get("kind").and_then(Value::as_str) == Some("run")
                && let Some(fields) = event.as_object_mut()
            {
                fields.insert("run".to_owned(), log.id.as_str().into());
            }
            terminal.print_json(event)?;
        }
    }
    Ok(whole(&exported, terminal))
}

/// Fails for a run that lost texts, or all of its events.
fn whole(exported: &Exported, terminal: &Terminal) -> Exit {
    tell_lost(exported, terminal);
    let events = exported.run.get("events").and_then(Value::as_array);
    let is_whole = exported.lost.is_empty() && events.is_some_and(|events| !events.is_empty());
    if is_whole { Exit::Done } else { Exit::Failed }
}

/// Sends a run to a collector (IN-14).
#[cfg(feature = "otel")]
fn send(run: &str, runs: &Runs, project: &Project, terminal: &Terminal) -> CommandResult {
    let Some(traces) = Traces::open(project)? else {
        let message = "the environment names no collector";
        let help = "set OTEL_EXPORTER_OTLP_ENDPOINT, such as to `http://localhost:4318`";
        return Err(CommandError::refused("bad_usage", message).help(help).into());
    };
    let sent = traces.export(&*runs.store, &runs.find(run)?);
    let spans = sent
        .map_err(|fault| CommandError::failed(&fault.code, fault.message).maybe_help(fault.help))?;
    terminal.print(&format!("{} sent\n", plural(spans as u64, "span")))?;
    Ok(Exit::Done)
}
