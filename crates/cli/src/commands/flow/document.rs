//! The file of a set: read within its limit, and what is wrong with it told with its place.

use crate::complaint::{Complaint, Stop};
use crate::input;
use crate::paint::Paint;
use crate::terminal::Terminal;
use contexture::diagnostic::Severity;
use contexture::flow::check::Report;
use contexture::reading::{self, ReadError};
use contexture::reference::syntax::cover;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal as _};
use std::path::Path;

/// The most that is read of a set, in bytes: a million instructions and more.
const BYTES: u64 = 1 << 30;
/// Faults that are shown to people; the rest is counted.
const SHOWN: usize = 50;

/// What a set was read from.
pub(super) struct Document {
    /// The name for people.
    pub(super) name: String,
    /// The text, without a byte order mark.
    pub(super) text: String,
}

impl Document {
    /// Reads a file or pipe, or stdin for `-`.
    ///
    /// # Errors
    /// A complaint when it can't be read, is too large or no UTF-8; its JSON form is that of a
    /// refused set, too.
    pub(super) fn read(path: &Path, terminal: &Terminal) -> Result<Self, Stop> {
        let (name, text) = if input::is_stdin(path) {
            ("stdin".to_owned(), stdin(terminal))
        } else {
            (path.display().to_string(), open(path))
        };
        let text = text.map_err(unreadable)?;
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        Ok(Self { name, text })
    }
}

fn open(path: &Path) -> Result<String, ReadError> {
    let fail = |error| ReadError::io(path, error);
    let file = File::open(path).map_err(fail)?;
    if file.metadata().map_err(fail)?.is_dir() {
        return Err(fail(io::Error::from(ErrorKind::IsADirectory)));
    }
    reading::stream(file, path, BYTES)
}

fn stdin(terminal: &Terminal) -> Result<String, ReadError> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        terminal.note("reading the set from the terminal; end it with Ctrl-D");
    }
    reading::stream(stdin.lock(), Path::new("stdin"), BYTES)
}

/// A file that can't be read is a fault of the set, too.
fn unreadable(error: ReadError) -> Stop {
    let fault = json!({
        "code": error.code(),
        "severity": Severity::Error.as_str(),
        "message": error.to_string(),
        "help": error.help(),
        "path": "",
    });
    match Stop::from(error) {
        Stop::Complaint(mut complaint) => {
            complaint.beside.insert("diagnostics".to_owned(), json!([fault]));
            Stop::Complaint(complaint)
        }
        stop @ Stop::Closed => stop,
    }
}

/// All faults for people: each with its place, and the text in which it lies.
pub(super) fn text(report: &Report, name: &str, paint: Paint) -> String {
    let mut text = String::new();
    for fault in report.diagnostics.iter().take(SHOWN) {
        text.push_str(&cover(&fault.render(name, paint.is_on())));
        text.push('\n');
    }
    let listed = report.diagnostics.len();
    let more = listed.saturating_sub(SHOWN).saturating_add(report.unlisted);
    if more > 0 {
        text.push_str(&format!("… and {more} more; --json lists the first {listed}\n\n"));
    }
    text.push_str(&counts(report));
    text.push('\n');
    text
}

/// `2 errors, 1 warning`
fn counts(report: &Report) -> String {
    let of = |kind: Severity| report.diagnostics.iter().filter(|d| d.severity == kind).count();
    let kinds = [
        ("error", of(Severity::Error).saturating_add(report.unlisted)),
        ("warning", of(Severity::Warning)),
    ];
    let parts = kinds
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(word, count)| crate::columns::counted(count as u64, word));
    parts.collect::<Vec<_>>().join(", ")
}

/// A refused set where it is not the list of faults that was asked for: in JSON it is
/// `{"diagnostics": […]}` alone.
pub(super) fn refuse(
    report: &Report,
    name: &str,
    json: bool,
    terminal: &Terminal,
) -> super::Outcome {
    if json {
        terminal.print_json(&report.to_value())?;
        return Ok(crate::complaint::Exit::Refused);
    }
    let first = report.diagnostics.first();
    let code = first.map_or("set_refused", |fault| fault.rule);
    let message = first.map_or_else(String::new, |fault| fault.message.clone());
    let complaint = Complaint::refused(code, message).rendered(text(report, name, terminal.err));
    let diagnostics = report.to_value().get("diagnostics").cloned().unwrap_or(Value::Null);
    let beside = [("diagnostics".to_owned(), diagnostics)];
    Err(complaint.beside(beside.into_iter().collect()).into())
}
