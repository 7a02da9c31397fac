//! `contexture doctor`: whether a project is ready to run (CA-12).
//!
//! Decision: it opens a connection to the servers of models and sends nothing, so that it costs nothing and
//! shows no key to anybody. MCP servers are asked for their tools, if a person has accepted or allowed them.

use crate::prelude::*;
use contexture::Project;
use contexture::llm::ModelUri;
use contexture::models::{DefaultModel, default_model, provider_settings};
use std::fs;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture doctor
  contexture doctor --offline
  contexture doctor --json --workspace examples

Exit code 0: ready; 1: something is wrong.";

/// The longest wait for a server of models.
const PATIENCE: Duration = Duration::from_secs(3);
/// The longest wait for an MCP server, which may have to be installed first.
#[cfg(feature = "mcp")]
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Checks settings, keys, the servers of models and of MCP, the store and versions.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    workspace: Workspace,
    /// Connect to no server and start none.
    #[arg(long)]
    offline: bool,
    /// Only ask whether the server at this `http://` address accepts messages, such as for the health
    /// check of a container.
    #[cfg(feature = "server")]
    #[arg(long, value_name = "URL", conflicts_with_all = ["offline", "workspace"])]
    server: Option<String>,
    /// Print one JSON object: ok, and checks, each with name, status (ok, warning, error), message
    /// and help.
    #[arg(long)]
    json: bool,
}

/// One finding.
struct Finding {
    name: String,
    status: &'static str,
    message: String,
    help: Option<String>,
}

fn ok(name: impl Into<String>, message: impl Into<String>) -> Finding {
    Finding { name: name.into(), status: "ok", message: message.into(), help: None }
}

fn wrong(name: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Finding {
    Finding { name: name.into(), status: "error", message: message.into(), help: Some(help.into()) }
}

fn warning(name: impl Into<String>, message: String, help: impl Into<String>) -> Finding {
    Finding { status: "warning", ..wrong(name, message, help) }
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    #[cfg(feature = "server")]
    if let Some(url) = &args.server {
        return print(args, terminal, &[server(url)?]);
    }
    let mut findings = vec![version()];
    match args.workspace.open() {
        Ok(project) => {
            findings.push(settings(&project));
            findings.extend(rules(&project));
            findings.push(keys(&project));
            findings.extend(models(&project, args.offline));
            findings.extend(mcp_servers(&project, args.offline)?);
            #[cfg(feature = "flow")]
            findings.extend(named_tools(&project));
            findings.push(store(&project));
        }
        Err(Abort::Error(error)) => {
            let help = error.help.clone().unwrap_or_else(|| "fix the settings".to_owned());
            findings.push(wrong("settings", error.message.clone(), help));
        }
        Err(abort) => return Err(abort),
    }
    print(args, terminal, &findings)
}

/// Asks a running server whether it accepts messages.
#[cfg(feature = "server")]
fn server(url: &str) -> Result<Finding, Abort> {
    let asked = contexture_server::serve::probe::ready(url);
    let asked = crate::support::runtime::single_threaded()?.block_on(asked);
    Ok(match asked {
        Ok(()) => ok("server", format!("{url} accepts messages")),
        Err(reason) => {
            wrong("server", format!("{url} does not accept messages: {reason}"), reason.help())
        }
    })
}

fn print(args: &Args, terminal: &Terminal, findings: &[Finding]) -> CommandResult {
    let is_ready = findings.iter().all(|one| one.status != "error");
    if args.json {
        let checks: Vec<Value> = findings.iter().map(to_json).collect();
        terminal.print_json(&json!({ "ok": is_ready, "checks": checks }))?;
    } else {
        for Finding { name, status, message, help } in findings {
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

/// Tells which rule of the policy names nothing.
fn rules(project: &Project) -> Option<Finding> {
    let error = contexture::policy::check_rules(project).err()?;
    Some(wrong("policy", error.message, error.help.unwrap_or_else(|| "fix the rule".to_owned())))
}

/// Returns the default model and those of `[models]`, each with the name of its finding.
fn named(project: &Project) -> Vec<(String, DefaultModel)> {
    let named = project.config.models.iter().filter(|(_, uri)| uri.trim() != "default");
    let named = named.map(|(name, uri)| {
        (format!("models.{name}"), DefaultModel { uri: uri.trim().to_owned(), chosen: true })
    });
    std::iter::once(("model".to_owned(), default_model(project, None))).chain(named).collect()
}

/// Tells which keys are set, and which models lack theirs.
fn keys(project: &Project) -> Finding {
    let names = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];
    let has = |name: &str| project.environment.get(name).is_some();
    let set: Vec<&str> = names.into_iter().filter(|name| has(name)).collect();
    let told = if set.is_empty() { "none is set".to_owned() } else { set.join(", ") };
    let lacks = |uri: &str| match uri.parse() {
        Ok(ModelUri::OpenAi { .. }) if provider_settings(project).openai_base_url.is_none() => {
            (!has("OPENAI_API_KEY")).then_some("OPENAI_API_KEY")
        }
        Ok(ModelUri::Anthropic { .. }) => (!has("ANTHROPIC_API_KEY")
            && !has("ANTHROPIC_AUTH_TOKEN"))
        .then_some("ANTHROPIC_API_KEY"),
        _ => None,
    };
    let models = named(project);
    match models.iter().find_map(|(_, model)| Some((&model.uri, lacks(&model.uri)?))) {
        Some((uri, name)) => wrong(
            "keys",
            format!("{uri} needs {name}, which is not set"),
            format!("set {name}, or write it into .env"),
        ),
        None => ok("keys", told),
    }
}

/// Tells the models of the settings, and whether their servers can be reached.
fn models(project: &Project, is_offline: bool) -> Vec<Finding> {
    let models = named(project);
    std::thread::scope(|scope| {
        let look = |(name, model): (String, DefaultModel)| {
            scope.spawn(move || self::model(project, &name, &model, is_offline))
        };
        let looks: Vec<_> = models.into_iter().map(look).collect();
        looks.into_iter().filter_map(|look| look.join().ok()).collect()
    })
}

fn model(project: &Project, name: &str, model: &DefaultModel, is_offline: bool) -> Finding {
    let parsed = match model.uri.parse::<ModelUri>() {
        Ok(parsed) => parsed,
        Err(error) => {
            let help = error.help().unwrap_or_else(|| "name another model".to_owned());
            return wrong(name, error.to_string(), help);
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
        _ if model.chosen => return ok(name, format!("{} needs no server", model.uri)),
        _ => {
            let message = format!("no model is set: {} stands in", model.uri);
            return warning(name, message, "set `model` in contexture.toml, or give `--model`");
        }
    };
    if is_offline {
        return ok(name, format!("{}: its server was not looked for", model.uri));
    }
    match reach(&base) {
        Ok(()) => ok(name, format!("{}: its server can be reached", model.uri)),
        Err(reason) => wrong(
            name,
            format!("{}: its server can't be reached: {reason}", model.uri),
            "start the server, or fix the address; `--offline` does not look for servers",
        ),
    }
}

/// Tells which tools of `[serve.tools]` can't be served. The agents of programs elsewhere are known to
/// `contexture serve` alone.
#[cfg(feature = "flow")]
fn named_tools(project: &Project) -> Vec<Finding> {
    let tools = &project.config.serve.tools;
    let faults = match contexture::flows::check_tools(project, Vec::new(), Default::default()) {
        Ok(faults) => faults,
        Err(error) => {
            let help = error.help().unwrap_or_else(|| "fix the settings".to_owned());
            return vec![wrong("serve.tools", error.to_string(), help)];
        }
    };
    let found = faults.into_iter().map(|fault| {
        let elsewhere =
            "name the program of the agent to `contexture serve`, or put it beside contexture.toml";
        let help = fault.help.unwrap_or_else(|| "fix the settings".to_owned());
        let name = format!("serve.tools.{}", fault.name);
        let is_agent = tools.get(&fault.name).is_some_and(|tool| tool.is_agent());
        match fault.is_warning {
            true => warning(name, format!("{}: calls will be refused", fault.message), help),
            false if is_agent && fault.is_unknown => {
                warning(name, fault.message, format!("{help}; {elsewhere}"))
            }
            false => wrong(name, fault.message, help),
        }
    });
    let found: Vec<Finding> = found.collect();
    match tools.iter().count() {
        count if found.is_empty() && count > 0 => {
            vec![ok("serve.tools", format!("{count} can be served"))]
        }
        _ => found,
    }
}

/// Tells whether the MCP servers of the settings answer; one that nobody accepted is not started.
#[cfg(feature = "mcp")]
fn mcp_servers(project: &Project, is_offline: bool) -> Result<Vec<Finding>, Abort> {
    let consent = contexture::servers::Consent::default();
    let (servers, faults) = contexture::servers::review(project, consent)?;
    let mut findings: Vec<Finding> = faults
        .iter()
        .map(|fault| wrong("mcp", fault.to_string(), "`contexture mcp-servers accept` renews it"))
        .collect();
    let names: Vec<String> = servers.names().map(str::to_owned).collect();
    if names.is_empty() || is_offline {
        let told = |name| ok(format!("mcp.{name}"), "was not started");
        findings.extend(names.iter().map(told));
        return Ok(findings);
    }
    let asked = crate::support::runtime::single_threaded()?.block_on(async {
        let mut asked = Vec::new();
        for name in names {
            let offer = tokio::time::timeout(HANDSHAKE, servers.offer(&name)).await;
            asked.push(answered(&name, offer.ok()));
        }
        servers.close().await;
        asked
    });
    findings.extend(asked);
    Ok(findings)
}

#[cfg(not(feature = "mcp"))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature with the feature")]
fn mcp_servers(_: &Project, _: bool) -> Result<Vec<Finding>, Abort> {
    Ok(Vec::new())
}

/// Tells what came of a server's handshake; `None` when it took too long.
#[cfg(feature = "mcp")]
fn answered(
    server: &str,
    offer: Option<Result<contexture::mcp::Offer, contexture::mcp::McpError>>,
) -> Finding {
    use contexture::mcp::McpError;
    let name = format!("mcp.{server}");
    let skip = "`--offline` starts no server";
    match offer {
        Some(Ok(offer)) => ok(name, format!("answers, and offers {} tools", offer.tools.len())),
        Some(Err(error @ (McpError::NotAllowed { .. } | McpError::NotAccepted { .. }))) => {
            let help = format!("`contexture mcp-servers accept {server}` starts and accepts it");
            warning(name, format!("was not started: {error}"), help)
        }
        Some(Err(error)) => {
            let help =
                error.help().map_or_else(|| skip.to_owned(), |help| format!("{help}; {skip}"));
            wrong(name, error.to_string(), help)
        }
        None => {
            let message = format!("does not answer within {} s", HANDSHAKE.as_secs());
            wrong(name, message, format!("start it by hand to see why; {skip}"))
        }
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
        Ok(()) => match contexture::runs(project).check() {
            Ok(()) => ok("store", format!("{} can be written", folder.display())),
            Err(error) => wrong("store", error.to_string(), error.help()),
        },
        Err(error) => wrong(
            "store",
            format!("{} can't be written: {error}", folder.display()),
            "make the folder writable, or run with --no-trace",
        ),
    }
}
