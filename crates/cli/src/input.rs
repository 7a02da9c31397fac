//! Reading what a command is given: files, stdin, JSON. Everything has a limit, and whatever can't
//! be used is named with its place.

use crate::complaint::{Complaint, Stop};
use crate::terminal::Terminal;
use contexture::context::json::{self, JsonError};
use serde_json::Value;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// The most that is read from a file or from stdin, in bytes.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Whether a path stands for stdin.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The text of a file, or of stdin for `-`.
///
/// # Errors
/// A complaint when it can't be read, is too large or no UTF-8.
pub(crate) fn text(path: &Path, what: &str, terminal: &Terminal) -> Result<String, Stop> {
    if is_stdin(path) {
        return stdin(what, terminal);
    }
    // A folder opens on Unix and fails only when read; say so at once.
    if path.is_dir() {
        return Err(Stop::read(path, &io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let file = File::open(path).map_err(|error| Stop::read(path, &error))?;
    let bytes = limited(file).map_err(|error| Stop::read(path, &error))?;
    utf8(bytes, &path.display().to_string())
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
    let bytes = limited(stdin.lock()).map_err(|error| Stop::read(Path::new("stdin"), &error))?;
    utf8(bytes, "stdin")
}

fn limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("more than {} MiB", MAX_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

fn utf8(bytes: Vec<u8>, name: &str) -> Result<String, Stop> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..valid).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let message = format!("{name} is not UTF-8 text: line {line} has a byte that is none");
        Complaint::refused("not_utf8", message).help("save it as UTF-8").into()
    })
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
