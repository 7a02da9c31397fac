//! The options that determine the meaning of references, and the errors about them.

use crate::output::diagnostics::{self, heading};
use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::diagnostic::{Diagnostic, Severity, SourceFile};
use contexture::knowledge::Allowance;
use contexture::packs;
use contexture::reference::syntax::{Reference, SyntaxError};
use contexture::reference::{LoadError, Note, Place};
use contexture::references::{Options, References};

/// The options that determine the meaning of references.
#[derive(Debug, clap::Args)]
pub(super) struct ReferenceOptions {
    #[command(flatten)]
    workspace: Workspace,
    /// A file that defines protocols, besides those of the settings. May be repeated.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    definitions: Vec<PathBuf>,
    /// Also read the examples in definition files: elements in code fences.
    #[arg(long)]
    examples: bool,
    /// Allow reading this knowledge pack in this state, such as acme@sha256:0123456789ab. May be
    /// repeated.
    #[arg(long, value_name = "NAME@DIGEST")]
    allow_pack: Vec<Allowance>,
}

/// The base of relative paths.
#[derive(Debug, clap::Args)]
pub(super) struct RelativeTo {
    /// The document of the reference, or its folder: the base of relative paths [default: the current
    /// folder].
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    from: Option<PathBuf>,
}

impl ReferenceOptions {
    /// Opens the references of the project; `file` is the text, which may belong to another project.
    pub(super) fn open(&self, file: Option<&Path>) -> Result<References, Abort> {
        self.open_for(file, None)
    }

    /// Opens them for a reference that a person named, which permits to read its knowledge pack.
    pub(super) fn open_for(
        &self,
        file: Option<&Path>,
        named: Option<&str>,
    ) -> Result<References, Abort> {
        let project = self.workspace.open_for(file)?;
        // A missing file of the settings is a diagnostic; one of the command is an error.
        for file in &self.definitions {
            std::fs::metadata(file).map_err(|error| Abort::read(file, error))?;
        }
        let allow = self.allow_pack.clone();
        let named = named.and_then(contexture::references::pack_of).into_iter().collect();
        let options = Options {
            definitions: self.definitions.clone(),
            examples: self.examples,
            packs: packs::Options { allow, named, ..packs::Options::default() },
        };
        Ok(References::open(&project, &options)?)
    }
}

impl RelativeTo {
    /// Returns the named place.
    pub(super) fn place(&self, references: &References) -> Result<Place, Abort> {
        match &self.from {
            None => Ok(references.place_of(Path::new(".")).unwrap_or_default()),
            Some(path) => {
                let found = path.metadata().map_err(|error| Abort::read(path, error))?;
                let folder = if found.is_dir() { path.as_path() } else { folder_of(path) };
                references.place_of(folder).ok_or_else(|| outside(path))
            }
        }
    }

    /// Returns the place of a document, unless the option names another.
    pub(super) fn place_of_document(
        &self,
        references: &References,
        file: Option<&Path>,
    ) -> Result<Place, Abort> {
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

fn outside(path: &Path) -> Abort {
    let message = format!("{} is outside the workspace", path.display());
    CommandError::refused("path_outside_workspace", message)
        .file(path)
        .help("name a document in the workspace, or select another one with --workspace")
        .into()
}

/// Parses a reference of the command line.
pub(super) fn reference(text: &str, paint: Paint) -> Result<Reference<'_>, Abort> {
    Reference::parse(text).map_err(|error| {
        let failure = refused(&error);
        let shown = headed(&failure, paint);
        failure.rendered(shown).into()
    })
}

/// Returns the error about a text that is not a reference, without the text.
pub(super) fn refused(error: &SyntaxError) -> CommandError {
    CommandError::refused(error.code, error.to_string())
        .help(error.help.clone())
        .with("offset", json!(error.offset))
}

pub(super) fn failed(error: &LoadError, paint: Paint) -> CommandError {
    let failure = CommandError::failed(error.code, error.to_string())
        .with("reference", json!(error.reference))
        .maybe_help(error.help.clone());
    let shown = headed(&failure, paint);
    failure.rendered(shown)
}

/// Renders an error with its code, which `contexture explain` explains.
fn headed(failure: &CommandError, paint: Paint) -> String {
    let head = paint.red(&paint.bold(&format!("error[{}]:", failure.code)));
    let help = failure.help.as_ref();
    let help = help.map(|help| format!("\n  {} {}", paint.cyan("help:"), sanitized(help)));
    format!("{head} {}{}", sanitized(&failure.message), help.unwrap_or_default())
}

/// Returns the diagnostics of definition files and loads for programs.
pub(super) fn diagnostics<'n>(
    references: &References,
    notes: impl IntoIterator<Item = &'n Note>,
) -> Vec<Value> {
    let files: Vec<&SourceFile> = references.sources().iter().collect();
    let found = references.diagnostics().iter().map(|fault| of_file(fault, &files));
    let notes = notes.into_iter().map(|note| {
        json!({
            "code": note.code,
            "severity": note.severity.as_str(),
            "message": note.message,
        })
    });
    found.chain(notes).collect()
}

fn of_file(fault: &Diagnostic, files: &[&SourceFile]) -> Value {
    json!({
        "code": fault.code,
        "severity": fault.severity.as_str(),
        "message": fault.message,
        "help": fault.help,
        "file": fault.file,
        "span": diagnostics::span(fault, files),
    })
}

/// Prints the errors in definition files to stderr.
pub(super) fn say_faults(references: &References, terminal: &Terminal) {
    let files = references.sources();
    for fault in references.diagnostics() {
        // `ref list` reports that a definition replaces another.
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

/// Prints the notes of a load to stderr.
pub(super) fn say_notes(notes: &[Note], terminal: &Terminal) {
    for note in notes {
        say(note.severity, &note.message, note.code, terminal);
    }
}

fn say(severity: Severity, message: &str, code: &str, terminal: &Terminal) {
    let head = heading(severity, code, terminal.err);
    terminal.say(&format!("{head} {}", one_line(message)));
}
