//! `contexture mcp-servers accept`: takes what a server says of its tools for what it may say.

use super::show::{self, Tool};
use crate::commands::Outcome;
use crate::commands::run::{Screen, runtime};
use crate::complaint::Exit;
use crate::paint::one_line;
use crate::terminal::Terminal;
use crate::workspace;
use contexture::mcp::compare::{State, compare};
use contexture::mcp::{LOCK_FILE, Offer};
use contexture::servers;
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture mcp-servers accept packs --workspace examples/mcp

The server is started or connected to, and asked for its tools. What is new or changed is shown, for
you to look at: models will read it. The definitions are kept in contexture.lock, beside
contexture.toml; commit both. That you let it be started is remembered in your home folder, for this
project and this command line. To look without accepting, use `contexture mcp-servers list NAME`.";

/// Accepts what a server says of its tools, and shows what is new or changed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The server.
    #[arg(value_name = "NAME")]
    name: String,
    /// The project's folder; by default the nearest with a contexture.toml.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
    /// Print one JSON object: server, lock, left_out, and tools with name, state, changed, description,
    /// digest.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture mcp-servers accept`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let project = workspace::here_or(args.workspace.as_deref())?;
    let known = super::open(&project, std::slice::from_ref(&args.name), terminal)?;
    if let Some(deed) = servers::deed(&project, &args.name).filter(|_| !args.json) {
        terminal.note(&format!("asking {}, {deed}", args.name));
    }
    let runtime = runtime()?;
    let ask = async {
        let offer = known.offer(&args.name).await;
        known.close().await;
        offer
    };
    let asked = Screen::waiting(terminal, "asking the server", || runtime.block_on(ask));
    let Offer { tools: offered, left_out } = asked.map_err(|error| super::fail(&error))?;
    let left_out: Vec<String> = left_out.iter().map(|fault| one_line(&fault.to_string())).collect();
    for fault in left_out.iter().filter(|_| !args.json) {
        terminal.warn(&format!("a tool is left out: {fault}"));
    }
    let pinned = known.pinned(&args.name).unwrap_or_default();
    let compared = compare(pinned, &offered);
    let tools: Vec<Tool> = compared.iter().map(Tool::of).collect();
    if !args.json {
        let shown: String = compared.iter().map(|tool| show::change(tool, terminal.out)).collect();
        terminal.print(&shown)?;
    }
    servers::accept(&project, &args.name, offered.clone())
        .map_err(|error| super::refuse(&error))?;
    if let Err(reason) = servers::allow(&project, &args.name) {
        let flag = "each program that uses it needs --allow-server";
        terminal.warn(&format!("that it was accepted can't be remembered: {reason}; {flag}"));
    }
    if args.json {
        let all: Vec<Value> = tools.iter().map(Tool::json).collect();
        let file = servers::lock_file(&project).display().to_string();
        terminal.print_json(&json!({
            "server": args.name, "lock": file, "tools": all, "left_out": left_out,
        }))?;
    } else {
        let counts = counts(&tools);
        let done = terminal.err.green("accepted");
        terminal.say(&format!("{done} {}: {counts}; kept in {LOCK_FILE}", args.name));
    }
    Ok(Exit::Done)
}

/// `2 new, 1 changed`
fn counts(tools: &[Tool]) -> String {
    let states = [State::Same, State::New, State::Changed, State::Gone];
    let parts = states.into_iter().filter_map(|state| {
        let count = tools.iter().filter(|tool| tool.state == state).count();
        (count > 0).then(|| format!("{count} {}", state.as_str()))
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "no tools".to_owned() } else { parts.join(", ") }
}
