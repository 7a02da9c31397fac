//! Reading what a command is given: files, stdin, JSON. Everything has a limit, and whatever can't
//! be used is named with its place.

use crate::complaint::{Complaint, Stop};
use crate::terminal::Terminal;
use contexture::context::json::{self, JsonError};
use contexture::reading;
use serde_json::Value;
use std::io::{self, IsTerminal};
use std::path::Path;

/// Whether a path stands for stdin.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The text of a file or pipe, or of stdin for `-`.
///
/// # Errors
/// A complaint when it can't be read, is too large or no UTF-8.
pub(crate) fn text(path: &Path, what: &str, terminal: &Terminal) -> Result<String, Stop> {
    if is_stdin(path) {
        return stdin(what, terminal);
    }
    Ok(reading::argument(path)?)
}

/// The text of stdin; a person at a terminal is told that it is waited for.
///
/// # Errors
/// As [`text`].
pub(crate) fn stdin(what: &str, terminal: &Terminal) -> Result<String, Stop> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        terminal.note(&format!("reading {what} from the terminal; end it with Ctrl-D"));
    }
    Ok(reading::stream(stdin.lock(), Path::new("stdin"), reading::ARGUMENT_BYTES)?)
}

/// Reads JSON; `name` says where it is from, such as `--input`.
///
/// # Errors
/// A complaint with line and column when it is none.
pub(crate) fn json(text: &str, name: &str) -> Result<Value, Stop> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    json::read(text.as_bytes()).map_err(|error| {
        let place = format!("(line {}, column {})", error.line(), error.column());
        let fault = error.reason();
        let complaint = match error {
            JsonError::TooDeep { .. } => {
                Complaint::refused("json_too_deep", format!("{name} is {fault} {place}"))
                    .help("make it flatter")
            }
            _ => Complaint::refused("not_json", format!("{name} is not JSON: {fault} {place}"))
                .help(json_help(text)),
        };
        complaint.into()
    })
}

fn json_help(text: &str) -> &'static str {
    let text = text.trim();
    if text.is_empty() {
        "it is empty; the empty object is '{}'"
    } else if text.contains('\'') && text.starts_with(['{', '[']) {
        "JSON has double quotes only: '{\"path\":\"README.md\"}'"
    } else if text.starts_with(['{', '[', '"']) {
        "in a shell, put single quotes around it: '{\"path\":\"README.md\"}'"
    } else {
        "a text needs its own double quotes: '\"a text\"'; an object looks like '{\"path\":\"README.md\"}'"
    }
}
