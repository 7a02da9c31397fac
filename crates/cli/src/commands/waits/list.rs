//! `contexture waits list`: what waits, the oldest first.

use super::wait_file::WaitLocation;
use crate::output::text::{padded, width};
use crate::prelude::*;
use contexture::store::flows::{WaitFilter, WaitState};
use contexture_server::serve::waits::value_of;

const EXAMPLES: &str = "\
Examples:
  contexture waits list
  contexture waits list --context ctx_1 --json";

/// Lists calls and questions that wait, the oldest first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    location: WaitLocation,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let filter = WaitFilter { state: Some(WaitState::Open), ..args.location.filter() };
    let waits = match args.location.open()? {
        Some(file) => file.list(&filter)?,
        None => Vec::new(),
    };
    let waits: Vec<Value> = waits.iter().map(value_of).collect();
    if args.location.json {
        terminal.print_json(&json!({ "waits": waits }))?;
    } else if waits.is_empty() {
        terminal.note("nothing waits");
    } else {
        terminal.print(&table(&waits))?;
    }
    Ok(Exit::Done)
}

fn table(waits: &[Value]) -> String {
    let names = ["callId", "contextId", "kind", "client", "since", "expires"];
    let text = |wait: &Value, name: &str| {
        one_line(wait.get(name).and_then(Value::as_str).unwrap_or_default())
    };
    let rows: Vec<[String; 6]> =
        waits.iter().map(|wait| names.map(|name| text(wait, name))).collect();
    let columns: [usize; 6] = std::array::from_fn(|at| {
        width(rows.iter().filter_map(|row| row.get(at)).map(String::as_str), 60)
    });
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(columns).map(|(cell, width)| padded(cell, width));
        let line = cells.collect::<Vec<_>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}
