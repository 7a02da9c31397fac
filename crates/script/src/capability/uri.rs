//! The URIs of imports.

use contexture_core::signature::Signature;
use contexture_core::signature::tables::{
    ENV, FILE, FIND, FRONTEND, GREP, HTTP, MEMORY, NATIVE, SED, SERVER,
};
use contexture_core::{ModelUri, UriError};
use contexture_diagnostic::nearest;

/// The reason why a URI can't be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UriFault {
    /// A shell, which could run any command.
    Shell,
    /// An unknown target, with the way to fix it.
    Unknown(String),
    /// A known kind with a malformed rest, with the right form.
    Malformed(String),
}

const TOOLS: &[(&str, Signature)] = &[
    ("sh://find", FIND),
    ("sh://grep", GREP),
    ("sh://sed", SED),
    ("sh://read-range", SED),
    ("file://workspace", FILE),
    ("env://process", ENV),
];

/// The scheme of tools that Contexture adds to programs that work on programs.
const HOST: &str = "host";

/// The tool that inspects, tries and rewrites the choices of programs (AS-33).
pub const OPTIMIZER: &str = "host://optimizer";

/// Names of shells: those of AS-25 and similar ones.
const SHELLS: &str = "sh bash zsh fish dash ksh csh tcsh ash powershell pwsh cmd cmd.exe";

/// Returns the methods of the tool of a URI in `import tool`.
///
/// # Errors
/// [`UriFault`] with the way to fix it.
pub fn tool(uri: &str) -> Result<Signature, UriFault> {
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
        "rust" | "host" => native(uri).map(|_| NATIVE),
        _ => Err(unknown_tool(uri)),
    }
}

/// The longest name of a server, in bytes.
const SERVER_BYTES: usize = 64;

/// A server's name, and a tool of it when one is named.
type Named<'u> = (&'u str, Option<&'u str>);

/// Returns the server that a URI names, and its tool when one is named: `mcp://server/tool`. `None`
/// for the URI of something else.
///
/// # Errors
/// [`UriFault::Malformed`] with how to write it.
pub fn server(uri: &str) -> Result<Option<Named<'_>>, UriFault> {
    let form = "write `mcp://server`, or `mcp://server/tool` for one tool; the server stands in contexture.toml under [mcp.servers]";
    named(uri, "mcp", form)
}

/// Returns the tool of the application that a URI names, and its method when one is named:
/// `rust://tool/method` (HO-2). [`OPTIMIZER`] is the tool of that name that Contexture adds. `None` for
/// the URI of something else.
///
/// # Errors
/// [`UriFault::Malformed`] with how to write it.
pub fn native(uri: &str) -> Result<Option<Named<'_>>, UriFault> {
    if let Some((HOST, name)) = uri.split_once("://") {
        return match uri {
            OPTIMIZER => Ok(Some((name, None))),
            _ => Err(UriFault::Malformed(format!("the tool of this scheme is `{OPTIMIZER}`"))),
        };
    }
    let form = "write `rust://tool`, or `rust://tool/method` for one method; the application that runs the program adds the tool";
    named(uri, contexture_core::tool::SCHEME, form)
}

fn named<'u>(uri: &'u str, wanted: &str, form: &str) -> Result<Option<Named<'u>>, UriFault> {
    let Some((scheme, rest)) = uri.split_once("://") else { return Ok(None) };
    if !scheme.eq_ignore_ascii_case(wanted) {
        return Ok(None);
    }
    let (name, tool) = match rest.split_once('/') {
        Some((name, tool)) => (name, Some(tool)),
        None => (rest, None),
    };
    let sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.');
    let named = (1..=SERVER_BYTES).contains(&name.len()) && name.chars().all(sign);
    let odd = |sign: char| sign.is_whitespace() || sign.is_control();
    let whole = scheme == wanted && tool.is_none_or(|tool| !tool.is_empty() && !tool.contains(odd));
    if named && whole {
        return Ok(Some((name, tool)));
    }
    Err(UriFault::Malformed(form.to_owned()))
}

/// The longest id of a front-end tool, in bytes.
const FRONTEND_BYTES: usize = 128;

/// Returns the front-end tool that a URI names by its `toolId`: `frontend://tool` (CP-13). `None`
/// for another kind of URI.
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
        && SHELLS.split(' ').any(|shell| shell == lower)
}

/// Reports whether it is a host with an optional port, without credentials, path and query.
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

/// Returns the methods of the memory of a URI in `import memory`.
///
/// # Errors
/// [`UriFault`] with the way to fix it.
pub fn memory(uri: &str) -> Result<Signature, UriFault> {
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

/// Checks the URI of `import llm` (AS-24); `schemes` are those of the providers that the
/// application adds.
///
/// # Errors
/// [`UriFault`] with the way to fix it.
pub fn model(uri: &str, schemes: &[String]) -> Result<(), UriFault> {
    let parsed = ModelUri::parse_with(uri, schemes.iter().map(String::as_str));
    parsed.map(|_| ()).map_err(|error| {
        let help = error.help().unwrap_or_default();
        match error {
            UriError::Malformed { .. } => UriFault::Malformed(help),
            _ => UriFault::Unknown(help),
        }
    })
}
