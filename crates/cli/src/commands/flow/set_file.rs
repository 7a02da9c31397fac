//! The file of a set, and the errors in it.

use crate::prelude::*;
use contexture::diagnostic::Severity;
use contexture::flow::check::Report;
use contexture::reading::{self, ReadError};
use contexture::reference::syntax::cover;
use std::fs::File;
use std::io::{self, ErrorKind};

/// The largest set that is read, in bytes: more than a million instructions.
const BYTES: u64 = 1 << 30;
/// The most errors to print; the rest is counted.
const SHOWN: usize = 50;

/// The beginning of the codes of program failures.
const FAILURE: &str = "AS9";
/// The program failures before anything runs: an unknown agent or function, and an input of the
/// wrong shape.
const REFUSALS: [&str; 2] = ["AS9025", "AS9017"];
/// The code of a program that returned no set in time.
pub(super) const LATE: &str = "flow_program_late";

pub(super) struct SetFile {
    /// The name for people.
    pub(super) name: String,
    /// The text, without a byte order mark.
    pub(super) text: String,
}

impl SetFile {
    /// Reads a file or pipe, or stdin for `-`.
    ///
    /// # Errors
    /// An error when it can't be read, is too large or is not UTF-8; its JSON form is also that of a
    /// refused set.
    pub(super) fn read(path: &Path, terminal: &Terminal) -> Result<Self, Abort> {
        let name = input::name_of(path);
        let text = if input::is_stdin(path) { stdin(terminal) } else { open(path) };
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
    input::prompt_for("the set", terminal);
    reading::stream(io::stdin().lock(), Path::new("stdin"), BYTES)
}

/// Returns the error about an unreadable file, also as a diagnostic of the set.
fn unreadable(error: ReadError) -> Abort {
    let fault = json!({
        "code": error.code(),
        "severity": Severity::Error.as_str(),
        "message": error.to_string(),
        "help": error.help(),
        "path": "",
    });
    match Abort::from(error) {
        Abort::Error(mut error) => {
            error.siblings.insert("diagnostics".to_owned(), json!([fault]));
            Abort::Error(error)
        }
        abort @ Abort::OutputClosed => abort,
    }
}

/// Renders the diagnostics of a set with their places.
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

/// Counts diagnostics by severity: `2 errors, 1 warning`.
fn counts(report: &Report) -> String {
    let of = |kind: Severity| report.diagnostics.iter().filter(|d| d.severity == kind).count();
    let kinds = [
        ("error", of(Severity::Error).saturating_add(report.unlisted)),
        ("warning", of(Severity::Warning)),
    ];
    let parts = kinds
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(word, count)| counted(count as u64, word));
    parts.collect::<Vec<_>>().join(", ")
}

pub(super) fn refuse(
    report: &Report,
    name: &str,
    json: bool,
    terminal: &Terminal,
) -> crate::output::error::CommandResult {
    if json {
        terminal.print_json(&report.to_value())?;
        return Ok(Exit::Refused);
    }
    let first = report.diagnostics.first();
    let code = first.map_or("set_refused", |fault| fault.rule);
    let message = first.map_or_else(String::new, |fault| fault.message.clone());
    let error = CommandError::refused(code, message).rendered(text(report, name, terminal.err));
    let diagnostics = report.to_value().get("diagnostics").cloned().unwrap_or(Value::Null);
    let siblings = [("diagnostics".to_owned(), diagnostics)];
    Err(error.siblings(siblings.into_iter().collect()).into())
}

/// Returns an error that prevents a run also as a diagnostic of the set, unless a program failed.
pub(super) fn not_ready(mut error: CommandError) -> CommandError {
    let is_refusal = REFUSALS.contains(&error.code.as_str());
    if error.code == LATE || (error.code.starts_with(FAILURE) && !is_refusal) {
        error.exit = Exit::Failed;
        return error;
    }
    let fault = json!({
        "code": error.code,
        "severity": Severity::Error.as_str(),
        "message": error.message,
        "help": error.help,
        "path": "",
    });
    error.siblings.insert("diagnostics".to_owned(), json!([fault]));
    error
}

/// Returns the error about a command without a set; `option` names a stored run.
pub(super) fn no_set(option: &str) -> CommandError {
    let message = format!("no set: give a FILE, `-` for stdin, or {option} for a stored run");
    CommandError::refused("bad_usage", message).help("`contexture flow list` shows the stored runs")
}

pub(super) fn is_program(file: &Path) -> bool {
    file.extension().is_some_and(|end| end.eq_ignore_ascii_case("as"))
}

/// Returns the folder of a set, whose programs it may call.
pub(super) fn folder_of(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|_| !input::is_stdin(file))?;
    let here = folder.as_os_str().is_empty();
    Some(if here { Path::new(".").to_owned() } else { folder.to_owned() })
}
