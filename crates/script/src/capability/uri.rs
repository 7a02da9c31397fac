//! What the URI of an import names.

use super::{Capability, ENV, FILE, FIND, FRONTEND, GREP, HTTP, MEMORY, SED, SERVER};
use contexture_diagnostic::nearest;

/// Why a URI can't be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UriFault {
    /// A shell, which would run anything.
    Shell,
    /// It names nothing that is known: how to mend it.
    Unknown(String),
    /// Its kind is known and the rest is not as it must be: how to write it.
    Malformed(String),
}

const TOOLS: &[(&str, Capability)] = &[
    ("sh://find", FIND),
    ("sh://grep", GREP),
    ("sh://sed", SED),
    ("sh://read-range", SED),
    ("file://workspace", FILE),
    ("env://process", ENV),
];

/// Shells by name; those that AS-25 names and their relatives.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "fish",
    "dash",
    "ksh",
    "csh",
    "tcsh",
    "ash",
    "powershell",
    "pwsh",
    "cmd",
    "cmd.exe",
];

/// What `import tool` may name.
///
/// # Errors
/// [`UriFault`] with how to mend it.
pub fn tool(uri: &str) -> Result<Capability, UriFault> {
    if let Some((_, capability)) = TOOLS.iter().find(|(known, _)| *known == uri) {
        return Ok(*capability);
    }
    if is_shell(uri) {
        return Err(UriFault::Shell);
    }
    let (scheme, rest) = uri.split_once("://").unwrap_or(("", uri));
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" if is_origin(rest) => Ok(HTTP),
        "http" | "https" => {
            Err(UriFault::Malformed("write `https://host`: scheme, host and port only".to_owned()))
        }
        "mcp" => server(uri).map(|_| SERVER),
        "frontend" => frontend(uri).map(|_| FRONTEND),
        _ => Err(unknown_tool(uri)),
    }
}

/// The longest name of a server, in bytes.
const SERVER_BYTES: usize = 64;

/// The server that a URI names, and its tool when one is named: `mcp://server/tool`. `None` when it
/// is the URI of something else.
///
/// # Errors
/// [`UriFault::Malformed`] with how to write it.
pub fn server(uri: &str) -> Result<Option<(&str, Option<&str>)>, UriFault> {
    let Some((scheme, rest)) = uri.split_once("://") else { return Ok(None) };
    if !scheme.eq_ignore_ascii_case("mcp") {
        return Ok(None);
    }
    let (name, tool) = match rest.split_once('/') {
        Some((name, tool)) => (name, Some(tool)),
        None => (rest, None),
    };
    let sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.');
    let named = (1..=SERVER_BYTES).contains(&name.len()) && name.chars().all(sign);
    let odd = |sign: char| sign.is_whitespace() || sign.is_control();
    let whole = scheme == "mcp" && tool.is_none_or(|tool| !tool.is_empty() && !tool.contains(odd));
    if named && whole {
        return Ok(Some((name, tool)));
    }
    let form = "write `mcp://server`, or `mcp://server/tool` for one tool; the server stands in contexture.toml under [mcp.servers]";
    Err(UriFault::Malformed(form.to_owned()))
}

/// The longest id of a front-end tool, in bytes.
const FRONTEND_BYTES: usize = 128;

/// The front-end tool that a URI names by its `toolId`: `frontend://tool` (CP-13). `None` when it is
/// the URI of something else.
///
/// # Errors
/// [`UriFault::Malformed`] with how to write it.
pub fn frontend(uri: &str) -> Result<Option<&str>, UriFault> {
    let Some((scheme, tool)) = uri.split_once("://") else { return Ok(None) };
    if !scheme.eq_ignore_ascii_case("frontend") {
        return Ok(None);
    }
    let odd = |sign: char| sign.is_whitespace() || sign.is_control();
    let named = (1..=FRONTEND_BYTES).contains(&tool.len()) && !tool.contains(odd);
    if scheme == "frontend" && named {
        return Ok(Some(tool));
    }
    let form = "write `frontend://tool` with the `toolId` that clients announce";
    Err(UriFault::Malformed(form.to_owned()))
}

fn unknown_tool(uri: &str) -> UriFault {
    let known = || TOOLS.iter().map(|(known, _)| *known);
    UriFault::Unknown(match nearest(uri, known()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            let list: Vec<&str> = known().collect();
            format!(
                "there are {}, `https://host`, `mcp://server` and `frontend://tool`",
                list.join(", ")
            )
        }
    })
}

fn is_shell(uri: &str) -> bool {
    let (scheme, rest) = uri.split_once("://").unwrap_or(("sh", uri));
    let name = rest.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    matches!(scheme.to_ascii_lowercase().as_str(), "sh" | "shell" | "bash" | "cmd" | "exec")
        && SHELLS.contains(&lower.as_str())
}

/// A host with an optional port; credentials, path and query are no part of an origin.
fn is_origin(rest: &str) -> bool {
    let host = rest.strip_suffix('/').unwrap_or(rest);
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port),
        _ => (host, ""),
    };
    let address = name.strip_prefix('[').map(|rest| {
        rest.strip_suffix(']').is_some_and(|bare| bare.parse::<std::net::Ipv6Addr>().is_ok())
    });
    let bad =
        |sign: char| sign.is_whitespace() || sign.is_control() || "/?#@\\:<>[]^|%".contains(sign);
    (port.is_empty() || port.parse::<u16>().is_ok())
        && address.unwrap_or(!name.is_empty() && !name.contains(bad))
}

/// The longest namespace of a memory, in bytes.
const NAMESPACE_BYTES: usize = 200;

/// What `import memory` may name.
///
/// # Errors
/// [`UriFault`] with how to mend it.
pub fn memory(uri: &str) -> Result<Capability, UriFault> {
    let form = "write `file://lessons.jsonl` or `sqlite://lessons.db#namespace`";
    let (scheme, rest) = uri.split_once("://").unwrap_or(("", uri));
    match scheme {
        "file" => match rest.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() && ending.eq_ignore_ascii_case("jsonl") => {
                Ok(MEMORY)
            }
            _ => Err(UriFault::Malformed("a memory in a file ends in `.jsonl`".to_owned())),
        },
        "sqlite" => {
            let (path, namespace) = rest.split_once('#').unwrap_or((rest, ""));
            let named = !path.is_empty() && (1..=NAMESPACE_BYTES).contains(&namespace.len());
            let form = "name the database and a namespace: `sqlite://lessons.db#namespace`";
            if named { Ok(MEMORY) } else { Err(UriFault::Malformed(form.to_owned())) }
        }
        _ => Err(UriFault::Unknown(form.to_owned())),
    }
}

/// Checks what `import llm` may name (AS-24).
///
/// # Errors
/// [`UriFault`] with how to mend it.
pub fn model(uri: &str) -> Result<(), UriFault> {
    let uri = uri.trim();
    if matches!(uri, "default" | "mock" | "builtin://extractive") {
        return Ok(());
    }
    if let Some(path) = uri.strip_prefix("replay:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        let named = !path.is_empty() && !path.contains(char::is_control);
        let form = "name the file with the recorded answers: `replay:answers.jsonl`";
        return if named { Ok(()) } else { Err(UriFault::Malformed(form.to_owned())) };
    }
    let (scheme, rest) = uri.split_once("://").unwrap_or(("", uri));
    match scheme {
        "openai" | "anthropic" | "ollama" => {
            let name = if scheme == "ollama" { behind_host(rest) } else { rest };
            let form = format!("name the model: `{scheme}://model`");
            if is_model_name(name) { Ok(()) } else { Err(UriFault::Malformed(form)) }
        }
        "openai+https" | "openai+http" => {
            let form = format!("name host and model: `{scheme}://host/v1/model`");
            if is_compatible(rest) { Ok(()) } else { Err(UriFault::Malformed(form)) }
        }
        _ => Err(UriFault::Unknown(unknown_model(uri, scheme))),
    }
}

/// A name of a model, as providers know it.
fn is_model_name(name: &str) -> bool {
    let name = name.trim_matches('/');
    let bad = |sign: char| sign.is_whitespace() || sign.is_control() || matches!(sign, '?' | '#');
    !name.is_empty() && !name.contains(bad)
}

/// `host:port/model` → `model`; what is no host is part of the model's name.
fn behind_host(rest: &str) -> &str {
    match rest.split_once('/') {
        Some((host, name)) if host.is_empty() || is_machine(host) => name,
        None if is_machine(rest) && !rest.contains(':') => "",
        _ => rest,
    }
}

fn is_machine(text: &str) -> bool {
    let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    port.is_some_and(|(_, port)| port.parse::<u16>().is_ok())
        || text == "localhost"
        || bare.parse::<std::net::IpAddr>().is_ok()
}

/// `host/v1/model`: behind a version, or behind an `openai` after it, the model's name must come.
fn is_compatible(rest: &str) -> bool {
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let bad = |sign: char| sign.is_whitespace() || matches!(sign, '?' | '#' | '\\' | '@');
    if host.is_empty() || host.contains(bad) {
        return false;
    }
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let is_version = |segment: &&str| {
        segment.strip_prefix('v').is_some_and(|rest| {
            rest.starts_with(|first: char| first.is_ascii_digit())
                && rest.chars().all(|sign| sign.is_ascii_alphanumeric())
        })
    };
    let base = match segments.iter().position(is_version) {
        Some(at) if segments.get(at + 1) == Some(&"openai") && segments.len() > at + 2 => at + 2,
        Some(at) => at + 1,
        None => segments.len().saturating_sub(1),
    };
    let name = segments.get(base..).unwrap_or_default().join("/");
    is_model_name(&name)
}

fn unknown_model(uri: &str, scheme: &str) -> String {
    const SCHEMES: [&str; 5] = ["openai", "anthropic", "ollama", "openai+https", "builtin"];
    let whole = nearest(uri, ["default", "mock", "builtin://extractive"]);
    if let Some(meant) = whole {
        return format!("did you mean `{meant}`?");
    }
    if let Some(meant) = nearest(scheme, SCHEMES) {
        return format!("did you mean `{meant}://`?");
    }
    if scheme.is_empty() && uri.starts_with("gpt") {
        return format!("did you mean `openai://{uri}`?");
    }
    if scheme.is_empty() && uri.starts_with("claude") {
        return format!("did you mean `anthropic://{uri}`?");
    }
    "write `openai://model`, `anthropic://model`, `ollama://host:port/model`, \
     `openai+https://host/v1/model`, `builtin://extractive`, `mock`, `replay:file` or `default`"
        .to_owned()
}
