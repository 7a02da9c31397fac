//! What references mean here: workspace, definitions, and where the text stands.

use crate::complaint::{Complaint, Stop};
use crate::faults;
use crate::paint::{Paint, harmless, one_line};
use crate::terminal::Terminal;
use crate::workspace;
use contexture::diagnostic::{Diagnostic, Severity, SourceFile};
use contexture::knowledge::Allowance;
use contexture::packs;
use contexture::reference::syntax::{Reference, SyntaxError};
use contexture::reference::{LoadError, Note, Place, text};
use contexture::references::{Options, References};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The options that all commands have that look beyond the text.
#[derive(Debug, clap::Args)]
pub(super) struct Scope {
    /// The folder that files are confined to; by default the nearest one with a contexture.toml,
    /// else the current one.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
    /// A file that defines protocols, besides those of the settings; may be repeated.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    definitions: Vec<PathBuf>,
    /// Take the examples in definition files, too: elements in code fences.
    #[arg(long)]
    examples: bool,
    /// Let references read this knowledge pack in this state, such as acme@sha256:0123456789ab; may
    /// be repeated.
    #[arg(long, value_name = "NAME@DIGEST")]
    allow_pack: Vec<Allowance>,
}

/// Where relative paths start.
#[derive(Debug, clap::Args)]
pub(super) struct From {
    /// The document that the reference stands in, or its folder: relative paths start there; the
    /// current folder when absent.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    from: Option<PathBuf>,
}

impl Scope {
    /// The references of the project; `file` is the text at hand, which may lie in another one.
    ///
    /// # Errors
    /// A complaint when the project can't be used, or a file that was named can't be read.
    pub(super) fn open(&self, file: Option<&Path>) -> Result<References, Stop> {
        self.open_for(file, None)
    }

    /// The same for a reference that the command names: a knowledge pack in it may be read.
    ///
    /// # Errors
    /// As [`Scope::open`].
    pub(super) fn open_for(
        &self,
        file: Option<&Path>,
        named: Option<&str>,
    ) -> Result<References, Stop> {
        let chosen = self.workspace.as_deref();
        let project = match file {
            Some(file) => workspace::of_program(chosen, file)?,
            None => workspace::here_or(chosen)?,
        };
        // What the settings name is told as a diagnostic; what the command itself names has to be
        // there.
        for file in &self.definitions {
            std::fs::metadata(file).map_err(|error| Stop::read(file, error))?;
        }
        let allow = self.allow_pack.clone();
        let named = named.and_then(contexture::references::pack_of).into_iter().collect();
        let options = Options {
            definitions: self.definitions.clone(),
            examples: self.examples,
            packs: packs::Options { allow, named, ..packs::Options::default() },
        };
        References::open(&project, &options).map_err(|error| Complaint::from(error).into())
    }
}

impl From {
    /// The place that the options name.
    ///
    /// # Errors
    /// A complaint when it lies outside the workspace, or nothing is there.
    pub(super) fn place(&self, references: &References) -> Result<Place, Stop> {
        match &self.from {
            None => Ok(references.place_of(Path::new(".")).unwrap_or_default()),
            Some(path) => {
                let found = path.metadata().map_err(|error| Stop::read(path, error))?;
                let folder = if found.is_dir() { path.as_path() } else { folder_of(path) };
                references.place_of(folder).ok_or_else(|| outside(path))
            }
        }
    }

    /// The place of a document, unless the options name another.
    ///
    /// # Errors
    /// As [`From::place`].
    pub(super) fn place_of_document(
        &self,
        references: &References,
        file: Option<&Path>,
    ) -> Result<Place, Stop> {
        match (&self.from, file) {
            (None, Some(file)) => Ok(references.place_of(folder_of(file)).unwrap_or_default()),
            _ => self.place(references),
        }
    }
}

fn folder_of(file: &Path) -> &Path {
    let parent = file.parent().unwrap_or(file);
    if parent.as_os_str().is_empty() { Path::new(".") } else { parent }
}

fn outside(path: &Path) -> Stop {
    let message = format!("{} lies outside the workspace", path.display());
    Complaint::refused("path_outside_workspace", message)
        .file(path)
        .help("name a document of the workspace, or another workspace with --workspace")
        .into()
}

/// Reads a reference that was given as an argument.
///
/// # Errors
/// A complaint that does not repeat user info.
pub(super) fn reference(text: &str, paint: Paint) -> Result<Reference<'_>, Stop> {
    Reference::parse(text).map_err(|error| {
        let complaint = refused(&error);
        let shown = headed(&complaint, paint);
        complaint.rendered(shown).into()
    })
}

/// The complaint about a text that is no reference, without the text.
pub(super) fn refused(error: &SyntaxError) -> Complaint {
    Complaint::refused(error.code, error.to_string())
        .help(error.help.clone())
        .with("offset", json!(error.offset))
}

/// The complaint about a load that failed.
pub(super) fn failed(error: &LoadError, paint: Paint) -> Complaint {
    let complaint =
        Complaint::failed(error.code, error.to_string()).with("reference", json!(error.reference));
    let complaint = Complaint { help: error.help.clone(), ..complaint };
    let shown = headed(&complaint, paint);
    complaint.rendered(shown)
}

/// The text for people, with the code: `contexture explain` tells more about it.
fn headed(complaint: &Complaint, paint: Paint) -> String {
    let head = paint.red(&paint.bold(&format!("error[{}]:", complaint.code)));
    let help = complaint.help.as_ref();
    let help = help.map(|help| format!("\n  {} {}", paint.cyan("help:"), harmless(help)));
    format!("{head} {}{}", harmless(&complaint.message), help.unwrap_or_default())
}

/// Reads a number of tokens.
pub(crate) fn tokens(text: &str) -> Result<u64, String> {
    text::budget(text).ok_or_else(|| format!("`{text}` is no budget; write `500` or `2k` tokens"))
}

/// What is to be said about definition files and loads, for programs.
pub(super) fn diagnostics<'n>(
    references: &References,
    notes: impl IntoIterator<Item = &'n Note>,
) -> Vec<Value> {
    let files: Vec<&SourceFile> = references.sources().iter().collect();
    let told = references.diagnostics().iter().map(|fault| of_file(fault, &files));
    let notes = notes.into_iter().map(|note| {
        json!({
            "code": note.code,
            "severity": note.severity.as_str(),
            "message": note.message,
        })
    });
    told.chain(notes).collect()
}

fn of_file(fault: &Diagnostic, files: &[&SourceFile]) -> Value {
    json!({
        "code": fault.code,
        "severity": fault.severity.as_str(),
        "message": fault.message,
        "help": fault.help,
        "file": fault.file,
        "span": faults::span(fault, files),
    })
}

/// Says what is wrong with definition files, beside the result.
pub(super) fn say_faults(references: &References, terminal: &Terminal) {
    let files = references.sources();
    for fault in references.diagnostics() {
        // That a definition takes the place of another is worth a line where they are listed.
        if fault.severity == Severity::Hint {
            continue;
        }
        let file = files.iter().find(|file| file.name() == fault.file);
        let place = file.map(|file| file.position(fault.span.start));
        let place = place.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
        say(
            fault.severity,
            &format!("{}{place}: {}", fault.file, fault.message),
            fault.code,
            terminal,
        );
    }
}

/// Says what a load has to say, beside the result.
pub(super) fn say_notes(notes: &[Note], terminal: &Terminal) {
    for note in notes {
        say(note.severity, &note.message, note.code, terminal);
    }
}

fn say(severity: Severity, message: &str, code: &str, terminal: &Terminal) {
    let head = format!("{}[{code}]:", severity.as_str());
    let head = match severity {
        Severity::Error => terminal.err.red(&head),
        Severity::Warning => terminal.err.yellow(&head),
        Severity::Hint => terminal.err.cyan(&head),
    };
    terminal.say(&format!("{head} {}", one_line(message)));
}
