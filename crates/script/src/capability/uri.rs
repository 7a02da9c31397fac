//! What the URI of an import names.

use super::{Capability, ENV, FILE, FIND, GREP, HTTP, MEMORY, SED};
use contexture_diagnostic::nearest;

/// Why a URI can't be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UriFault {
    /// A shell, which would run anything.
    Shell,
    /// What the URI names is known but not available here: what it is, and what to do instead.
    Unavailable(&'static str, &'static str),
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
        "mcp" => Err(UriFault::Unavailable(
            "tools of MCP servers",
            "use an HTTP import of the same service, or a file tool",
        )),
        "frontend" => {
            Err(UriFault::Unavailable("front-end tools", "pass what the front end knows as input"))
        }
        _ => Err(unknown_tool(uri)),
    }
}

fn unknown_tool(uri: &str) -> UriFault {
    let known = || TOOLS.iter().map(|(known, _)| *known);
    UriFault::Unknown(match nearest(uri, known()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            let list: Vec<&str> = known().collect();
            format!("there are {} and `https://host`", list.join(", "))
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
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    !name.is_empty()
        && !host.contains(['/', '?', '#', '@', '\\'])
        && !host.contains(char::is_whitespace)
}

/// What `import memory` may name.
///
/// # Errors
/// [`UriFault`] with how to mend it.
pub fn memory(uri: &str) -> Result<Capability, UriFault> {
    let form = "write `file://lessons.jsonl` or `sqlite://lessons.db#namespace`";
    let (scheme, rest) = uri.split_once("://").unwrap_or(("", uri));
    match scheme.to_ascii_lowercase().as_str() {
        "file" if rest.ends_with(".jsonl") => Ok(MEMORY),
        "file" => Err(UriFault::Malformed("a memory in a file ends in `.jsonl`".to_owned())),
        "sqlite" => match rest.split_once('#') {
            Some((path, namespace)) if !path.is_empty() && !namespace.is_empty() => Ok(MEMORY),
            _ => Err(UriFault::Malformed(
                "name the database and a namespace: `sqlite://lessons.db#namespace`".to_owned(),
            )),
        },
        _ => Err(UriFault::Unknown(form.to_owned())),
    }
}

/// Checks what `import llm` may name (AS-24).
///
/// # Errors
/// [`UriFault`] with how to mend it.
pub fn model(uri: &str) -> Result<(), UriFault> {
    if matches!(uri, "default" | "mock" | "builtin://extractive") {
        return Ok(());
    }
    if let Some(path) = uri.strip_prefix("replay:") {
        let named = !path.trim_start_matches('/').is_empty();
        let form = "name the file with the recorded answers: `replay:answers.jsonl`";
        return if named { Ok(()) } else { Err(UriFault::Malformed(form.to_owned())) };
    }
    let (scheme, rest) = uri.split_once("://").unwrap_or(("", uri));
    match scheme {
        "openai" | "anthropic" | "ollama" if rest.is_empty() || rest.ends_with('/') => {
            Err(UriFault::Malformed(format!("name the model: `{scheme}://model`")))
        }
        "openai" | "anthropic" | "ollama" => Ok(()),
        "openai+https" | "openai+http" => match rest.split_once('/') {
            Some((host, model)) if !host.is_empty() && !model.is_empty() => Ok(()),
            _ => {
                let form = format!("name host and model: `{scheme}://host/v1/model`");
                Err(UriFault::Malformed(form))
            }
        },
        _ => Err(UriFault::Unknown(unknown_model(uri, scheme))),
    }
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
