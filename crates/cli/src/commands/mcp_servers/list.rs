//! `contexture mcp-servers list`: servers, their tools, and changes since they were accepted.

use super::servers;
use super::tools::{self, Tool};
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use crate::support::runtime::single_threaded;
use contexture::mcp::compare::{State, compare};
use contexture::mcp::{McpError, Offer, Servers};

const EXAMPLES: &str = "\
Examples:
  contexture mcp-servers list
  contexture mcp-servers list packs --workspace examples/mcp
  contexture mcp-servers list --offline --json --workspace examples/mcp

Without --offline the named servers, or those that you accepted or allowed before, are started or
connected to and asked for their tools. Exit code 0: the accepted tools are unchanged; 1: a tool
changed or is gone, or a server can't be reached.";

/// Lists servers with their tools, each of which is same, new, changed or gone.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The servers [default: all].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Contact no server; show the accepted tools.
    #[arg(long)]
    offline: bool,
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object: servers, each with name, accepted, error, left_out, and tools with
    /// name, state, changed, description, digest, class, hint.
    #[arg(long)]
    json: bool,
}

struct Listed {
    name: String,
    accepted: bool,
    tools: Vec<Tool>,
    /// The tools that can't be used, with the reasons.
    left_out: Vec<String>,
    error: Option<McpError>,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.workspace.open()?;
    let servers = servers::open(&project, &args.names, terminal)?;
    let names = match args.names.as_slice() {
        [] => servers.names().map(str::to_owned).collect(),
        names => names.to_vec(),
    };
    let runtime = single_threaded()?;
    let ask_all = async {
        let mut listed = Vec::new();
        for name in names {
            listed.push(ask(&servers, name, args.offline).await);
        }
        servers.close().await;
        listed
    };
    let listed: Vec<Listed> =
        ProgressDisplay::waiting(terminal, "asking the servers", || runtime.block_on(ask_all));
    let unknown = listed.iter().find_map(|server| match &server.error {
        Some(error @ McpError::UnknownServer { .. }) => Some(error),
        _ => None,
    });
    if let Some(error) = unknown {
        return Err(error.into());
    }
    if args.json {
        let all: Vec<Value> = listed.iter().map(Listed::json).collect();
        terminal.print_json(&json!({ "servers": all }))?;
    } else {
        terminal.print(&text(&listed, terminal))?;
    }
    Ok(if listed.iter().all(Listed::is_unchanged) { Exit::Done } else { Exit::Failed })
}

async fn ask(servers: &Servers, name: String, offline: bool) -> Listed {
    let (pinned, accepted, refused) = match servers.pinned(&name) {
        Ok(pinned) => (pinned, true, None),
        Err(McpError::NotAccepted { .. }) => (&[][..], false, None),
        Err(error) => (&[][..], false, Some(error)),
    };
    let as_accepted = || Offer { tools: pinned.to_vec(), left_out: Vec::new() };
    let (offer, error) = match refused {
        Some(error) => (as_accepted(), Some(error)),
        None if offline => (as_accepted(), None),
        None => match servers.offer(&name).await {
            Ok(offer) => (offer, None),
            Err(error) => (as_accepted(), Some(error)),
        },
    };
    let class = |tool: &str| servers.given_class(&name, tool);
    let compared = compare(pinned, &offer.tools);
    let tools = compared.iter().map(|tool| Tool::of(tool, class(tool.name))).collect();
    let left_out = offer.left_out.iter().map(|fault| one_line(&fault.to_string())).collect();
    Listed { name, accepted, tools, left_out, error }
}

impl Listed {
    fn is_unchanged(&self) -> bool {
        let differs = |tool: &Tool| matches!(tool.state, State::Changed | State::Gone);
        let not_asked = matches!(self.error, Some(McpError::NotAllowed { .. }));
        let is_new = !self.accepted && not_asked;
        (self.error.is_none() || is_new) && !self.tools.iter().any(differs)
    }

    fn json(&self) -> Value {
        let error = self.error.as_ref().map(|error| {
            json!({ "code": error.code(), "message": error.to_string(), "help": error.help() })
        });
        json!({
            "name": self.name,
            "accepted": self.accepted,
            "error": error,
            "tools": self.tools.iter().map(Tool::json).collect::<Vec<_>>(),
            "left_out": self.left_out,
        })
    }
}

fn text(listed: &[Listed], terminal: &Terminal) -> String {
    let paint = terminal.out;
    if listed.is_empty() {
        return "no MCP servers; [mcp.servers.NAME] of contexture.toml configures one\n".to_owned();
    }
    let mut text = String::new();
    for Listed { name, accepted, tools, left_out, error } in listed {
        let note = if *accepted { "" } else { "  not accepted" };
        text.push_str(&format!("{}{}\n", paint.bold(name), paint.yellow(note)));
        if let Some(error) = error {
            text.push_str(&format!("  {} {}\n", paint.red("error:"), one_line(&error.to_string())));
            if let Some(help) = error.help() {
                text.push_str(&format!("  {} {}\n", paint.cyan("help:"), one_line(&help)));
            }
        }
        text.push_str(&tools::rows(tools, paint));
        for fault in left_out {
            text.push_str(&format!("  {} {fault}\n", paint.yellow("ignored:")));
        }
    }
    text
}
