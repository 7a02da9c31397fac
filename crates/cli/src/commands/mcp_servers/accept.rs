//! `contexture mcp-servers accept`: accepts the tool definitions of a server.

use super::classes::{self, GivenClass};
use super::servers as listed;
use super::tools::{self, Tool};
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use crate::support::runtime::single_threaded;
use contexture::mcp::compare::{State, compare};
use contexture::mcp::{LOCK_FILE, Offer};
use contexture::servers;

const EXAMPLES: &str = "\
Examples:
  contexture mcp-servers accept packs --workspace examples/mcp
  contexture mcp-servers accept packs --class read=load_resource --workspace examples/mcp

The server is started or connected to and asked for its tools. New and changed definitions are shown
for review, as models will read them. They are stored in contexture.lock beside contexture.toml;
commit both. Your permission to start the server is stored in your home folder, for this project and
this command line. `contexture mcp-servers list NAME` shows definitions without accepting them.

The class of a tool (read, write, send or execute) says what its calls may do. A server's own word
about it is shown and not taken; a tool without a class counts as execute.";

/// Accepts the tool definitions of a server, and shows the new and changed ones.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The server.
    #[arg(value_name = "NAME")]
    name: String,
    /// Give tools a class: read, write, send or execute. A class is kept until the tool's definition
    /// changes. Repeatable.
    #[arg(long, value_name = "CLASS=TOOL,…", value_parser = classes::parse)]
    class: Vec<GivenClass>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object: server, lock, left_out, and tools with name, state, changed, description,
    /// digest, class, hint.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.workspace.open()?;
    let known = listed::open(&project, std::slice::from_ref(&args.name), terminal)?;
    if let Some(deed) = servers::deed(&project, &args.name).filter(|_| !args.json) {
        terminal.note(&format!("asking {}, {deed}", args.name));
    }
    let runtime = single_threaded()?;
    let ask = async {
        let offer = known.offer(&args.name).await;
        known.close().await;
        offer
    };
    let asked = ProgressDisplay::waiting(terminal, "asking the server", || runtime.block_on(ask));
    let Offer { tools: offered, left_out } = asked.map_err(|error| Abort::from(&error))?;
    let left_out: Vec<String> = left_out.iter().map(|fault| one_line(&fault.to_string())).collect();
    for fault in left_out.iter().filter(|_| !args.json) {
        terminal.warn(&format!("tool ignored: {fault}"));
    }
    let given = classes::of_tools(&args.class, &offered)?;
    let pinned = known.pinned(&args.name).unwrap_or_default();
    let compared = compare(pinned, &offered);
    if !args.json {
        let shown: String = compared.iter().map(|tool| tools::change(tool, terminal.out)).collect();
        terminal.print(&shown)?;
    }
    let lock = servers::accept(&project, &args.name, offered.clone(), &given)?;
    let class = |tool: &str| lock.class(&args.name, tool);
    let all: Vec<Tool> = compared.iter().map(|tool| Tool::of(tool, class(tool.name))).collect();
    if let Err(reason) = servers::allow(&project, &args.name) {
        let help = "programs that use it need --allow-server";
        terminal.warn(&format!("can't store the permission: {reason}; {help}"));
    }
    if args.json {
        let tools: Vec<Value> = all.iter().map(Tool::json).collect();
        let file = servers::lock_file(&project).display().to_string();
        terminal.print_json(&json!({
            "server": args.name, "lock": file, "tools": tools, "left_out": left_out,
        }))?;
    } else {
        let counts = counts(&all);
        let done = terminal.err.green("accepted");
        terminal.say(&format!("{done} {}: {counts}; stored in {LOCK_FILE}", args.name));
        if let Some(note) = tools::without_class(&all) {
            terminal.note(&note);
        }
    }
    Ok(Exit::Done)
}

/// Counts tools by state: `2 new, 1 changed`.
fn counts(tools: &[Tool]) -> String {
    let states = [State::Same, State::New, State::Changed, State::Gone];
    let parts = states.into_iter().filter_map(|state| {
        let count = tools.iter().filter(|tool| tool.state == state).count();
        (count > 0).then(|| format!("{count} {}", state.as_str()))
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "no tools".to_owned() } else { parts.join(", ") }
}
