//! `contexture doctor`: whether a project is ready to run (CA-12).
//!
//! Decision: it opens a connection to the server of the default model and sends nothing, so that it costs nothing
//! and shows no key to anybody.

use crate::prelude::*;
use contexture::Project;
use contexture::llm::ModelUri;
use contexture::models::{default_model, provider_settings};
use std::fs;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture doctor
  contexture doctor --json --workspace examples

Exit code 0: ready; 1: something is wrong.";

/// The longest wait for a server.
const PATIENCE: Duration = Duration::from_secs(3);

/// Checks settings, keys, the server of the default model, the store and versions.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object: ok, and checks, each with name, status (ok, warning, error), message
    /// and help.
    #[arg(long)]
    json: bool,
}

/// One finding.
struct Finding {
    name: &'static str,
    status: &'static str,
    message: String,
    help: Option<String>,
}

fn ok(name: &'static str, message: impl Into<String>) -> Finding {
    Finding { name, status: "ok", message: message.into(), help: None }
}

fn wrong(name: &'static str, message: impl Into<String>, help: impl Into<String>) -> Finding {
    Finding { name, status: "error", message: message.into(), help: Some(help.into()) }
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let mut findings = vec![version()];
    match args.workspace.open() {
        Ok(project) => {
            findings.push(settings(&project));
            findings.push(keys(&project));
            findings.push(model(&project));
            findings.push(store(&project));
        }
        Err(Abort::Error(error)) => {
            let help = error.help.clone().unwrap_or_else(|| "fix the settings".to_owned());
            findings.push(wrong("settings", error.message.clone(), help));
        }
        Err(abort) => return Err(abort),
    }
    let is_ready = findings.iter().all(|one| one.status != "error");
    if args.json {
        let checks: Vec<Value> = findings.iter().map(to_json).collect();
        terminal.print_json(&json!({ "ok": is_ready, "checks": checks }))?;
    } else {
        for Finding { name, status, message, help } in &findings {
            terminal.print_line(&one_line(&format!("{status:7} {name}: {message}")))?;
            if let Some(help) = help {
                terminal.print_line(&one_line(&format!("        help: {help}")))?;
            }
        }
    }
    Ok(if is_ready { Exit::Done } else { Exit::Failed })
}

fn to_json(Finding { name, status, message, help }: &Finding) -> Value {
    json!({ "name": name, "status": status, "message": message, "help": help })
}

fn version() -> Finding {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    ok("version", format!("contexture {} on {os} {arch}", env!("CARGO_PKG_VERSION")))
}

fn settings(project: &Project) -> Finding {
    let file = project.root.join("contexture.toml");
    let message = if file.is_file() {
        format!("{} is valid", file.display())
    } else {
        format!("no contexture.toml in {}: all settings are the defaults", project.root.display())
    };
    ok("settings", message)
}

/// Tells which keys are set, and whether the default model lacks its own.
fn keys(project: &Project) -> Finding {
    let names = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];
    let has = |name: &str| project.environment.get(name).is_some();
    let set: Vec<&str> = names.into_iter().filter(|name| has(name)).collect();
    let told = if set.is_empty() { "none is set".to_owned() } else { set.join(", ") };
    let lacks = match default_model(project, None).uri.parse() {
        Ok(ModelUri::OpenAi { .. }) if provider_settings(project).openai_base_url.is_none() => {
            (!has("OPENAI_API_KEY")).then_some("OPENAI_API_KEY")
        }
        Ok(ModelUri::Anthropic { .. }) => (!has("ANTHROPIC_API_KEY")
            && !has("ANTHROPIC_AUTH_TOKEN"))
        .then_some("ANTHROPIC_API_KEY"),
        _ => None,
    };
    match lacks {
        Some(name) => wrong(
            "keys",
            format!("the default model needs {name}, which is not set"),
            format!("set {name}, or write it into .env"),
        ),
        None => ok("keys", told),
    }
}

/// Tells the default model, and whether its server can be reached.
fn model(project: &Project) -> Finding {
    let model = default_model(project, None);
    let parsed = match model.uri.parse::<ModelUri>() {
        Ok(parsed) => parsed,
        Err(error) => {
            let help = error.help().unwrap_or_else(|| "name another model".to_owned());
            return wrong("model", error.to_string(), help);
        }
    };
    let settings = provider_settings(project);
    let base = match &parsed {
        ModelUri::OpenAi { .. } => {
            settings.openai_base_url.unwrap_or_else(|| "https://api.openai.com/v1".to_owned())
        }
        ModelUri::Anthropic { .. } => {
            settings.anthropic_base_url.unwrap_or_else(|| "https://api.anthropic.com".to_owned())
        }
        ModelUri::Ollama { host: Some(host), .. } => format!("http://{host}"),
        ModelUri::Ollama { host: None, .. } => {
            settings.ollama_base_url.unwrap_or_else(|| "http://localhost:11434".to_owned())
        }
        ModelUri::Compatible { base, .. } => base.clone(),
        _ if model.chosen => return ok("model", format!("{} needs no server", model.uri)),
        _ => {
            let message = format!("no model is set: {} stands in", model.uri);
            let help = "set `model` in contexture.toml, or give `--model`";
            let status = "warning";
            return Finding { name: "model", status, message, help: Some(help.to_owned()) };
        }
    };
    match reach(&base) {
        Ok(()) => ok("model", format!("{}: its server can be reached", model.uri)),
        Err(reason) => wrong(
            "model",
            format!("{}: its server can't be reached: {reason}", model.uri),
            "start the server, or fix the address",
        ),
    }
}

/// Connects to the host of a URL.
fn reach(url: &str) -> Result<(), String> {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let has_port = host.rsplit(':').next().is_some_and(|port| port.parse::<u16>().is_ok())
        && host.contains(':');
    let port = if scheme.ends_with("https") { 443 } else { 80 };
    let address = if has_port { host.to_owned() } else { format!("{host}:{port}") };
    let found = address.to_socket_addrs().map_err(|error| format!("{address}: {error}"))?;
    let mut last = format!("{address} has no address");
    for one in found {
        match TcpStream::connect_timeout(&one, PATIENCE) {
            Ok(_) => return Ok(()),
            Err(error) => last = format!("{address}: {error}"),
        }
    }
    Err(last)
}

/// Tells whether runs can be kept, by writing a file beside them.
fn store(project: &Project) -> Finding {
    let folder = project.state_folder();
    if !folder.exists() {
        return ok("store", "no run is kept yet");
    }
    let probe = folder.join(format!(".doctor.{}", std::process::id()));
    let written = fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe));
    match written {
        Ok(()) => ok("store", format!("{} can be written", folder.display())),
        Err(error) => wrong(
            "store",
            format!("{} can't be written: {error}", folder.display()),
            "make the folder writable, or run with --no-trace",
        ),
    }
}
