//! Input of commands: files, stdin and JSON, each within a limit.

use crate::output::error::{Abort, CommandError};
use crate::output::terminal::Terminal;
use contexture::context::Limits;
use contexture::context::json::{self, JsonError, JsonText};
use contexture::reading;
use serde_json::Value;
use std::io::{self, IsTerminal};
use std::path::Path;

/// The byte order mark, which some editors write before a text.
const BOM: char = '\u{feff}';

/// Reports whether a path means stdin.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns the name of a file for people.
pub(crate) fn name_of(path: &Path) -> String {
    if is_stdin(path) { "stdin".to_owned() } else { path.display().to_string() }
}

/// Reads the text of a file or pipe, or of stdin for `-`.
pub(crate) fn text(path: &Path, what: &str, terminal: &Terminal) -> Result<String, Abort> {
    if is_stdin(path) {
        return stdin(what, terminal);
    }
    Ok(reading::argument(path)?)
}

/// Reads the text of stdin; a terminal shows what is expected.
pub(crate) fn stdin(what: &str, terminal: &Terminal) -> Result<String, Abort> {
    prompt_for(what, terminal);
    Ok(reading::stream(io::stdin().lock(), Path::new("stdin"), reading::ARGUMENT_BYTES)?)
}

/// Tells a person at the terminal that stdin is read.
pub(crate) fn prompt_for(what: &str, terminal: &Terminal) {
    if io::stdin().is_terminal() {
        terminal.note(&format!("reading {what} from the terminal; end with Ctrl-D"));
    }
}

/// Reads the JSON of an option, where `-` means stdin.
pub(crate) fn json_option(text: &str, option: &str, terminal: &Terminal) -> Result<Value, Abort> {
    if text == "-" {
        return json(&stdin("the input", terminal)?, "the input on stdin");
    }
    json(text, option)
}

/// Reads JSON; `name` is where it comes from, such as `--input`.
pub(crate) fn json(text: &str, name: &str) -> Result<Value, Abort> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    json::read(text.as_bytes()).map_err(|error| not_json(&error, name, text))
}

/// Checks JSON that stays a text, as it may be long.
pub(crate) fn json_text(mut text: String, name: &str) -> Result<JsonText, Abort> {
    if text.starts_with(BOM) {
        text.remove(0);
    }
    JsonText::read(text).map_err(|(error, text)| not_json(&error, name, &text))
}

fn not_json(error: &JsonError, name: &str, text: &str) -> Abort {
    let place = format!("(line {}, column {})", error.line(), error.column());
    let reason = error.reason();
    match error {
        JsonError::TooDeep { .. } => {
            CommandError::refused("json_too_deep", format!("{name} is {reason} {place}")).help(
                format!("make it flatter: `value_depth` is at most {}", Limits::MOST_VALUE_DEPTH),
            )
        }
        _ => CommandError::refused("not_json", format!("{name} is not JSON: {reason} {place}"))
            .help(json_help(text, name.starts_with("--"))),
    }
    .into()
}

/// Returns the help for a text that is not JSON; that of an option passed through a shell.
fn json_help(text: &str, is_option: bool) -> String {
    let text = text.trim();
    let quote = if is_option { "'" } else { "" };
    let object = format!("{quote}{{\"path\":\"README.md\"}}{quote}");
    if text.is_empty() {
        format!("it is empty; an empty object is {quote}{{}}{quote}")
    } else if text.contains('\'') && text.starts_with(['{', '[']) {
        format!("JSON uses double quotes: {object}")
    } else if !text.starts_with(['{', '[', '"']) {
        format!(
            "a string needs double quotes of its own: {quote}\"a text\"{quote}; an object looks like {object}"
        )
    } else if is_option {
        format!("in a shell, put single quotes around it: {object}")
    } else {
        format!("an object looks like {object}")
    }
}
