//! The references that templates include, loaded through their project (REF-7, REF-21).
//!
//! Decision: only what a rendering reaches is loaded. A template without references needs no
//! project, so none is opened.

use crate::output::diagnostics;
use crate::prelude::*;
use crate::support::runtime::single_threaded;
use contexture::diagnostic::{Diagnostic, Severity, SourceFile};
use contexture::prompt::{Included, PromptTemplateRegistry};
use contexture::reference::syntax::{Reference, redact};
use contexture::reference::{LoadError, Place};
use contexture::references::{Options, References};
use contexture::templates::IncludedTexts;
use std::cell::OnceCell;

pub(super) struct Loading<'a> {
    workspace: &'a Workspace,
    /// The file of the command; `None` for stdin.
    file: Option<&'a Path>,
    terminal: &'a Terminal,
    opened: OnceCell<References>,
}

/// A template.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The name in messages.
    pub(super) name: &'a str,
    /// The folder of the template; `None` for the current one.
    pub(super) folder: Option<&'a Path>,
    /// The folder of the partials.
    pub(super) partials: Option<&'a Path>,
}

impl<'a> Loading<'a> {
    pub(super) fn new(workspace: &'a Workspace, file: &'a Path, terminal: &'a Terminal) -> Self {
        let file = (!input::is_stdin(file)).then_some(file);
        Self { workspace, file, terminal, opened: OnceCell::new() }
    }

    fn open(&self) -> Result<&References, Abort> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let project = self.workspace.open_for(self.file)?;
        let references = References::open(&project, &Options::default())?;
        self.warn_about_definitions(&references);
        Ok(self.opened.get_or_init(|| references))
    }

    /// Prints the errors in definition files to stderr.
    fn warn_about_definitions(&self, references: &References) {
        let files: Vec<&SourceFile> = references.sources().iter().collect();
        let found = references.diagnostics().iter();
        let found: Vec<_> =
            found.filter(|fault| fault.severity != Severity::Hint).cloned().collect();
        let text = diagnostics::excerpts(&found, &files, self.terminal.err);
        if !text.is_empty() {
            self.terminal.say(text.trim_end());
        }
    }

    /// Loads the references that a rendering reaches.
    pub(super) fn texts(
        &self,
        wanted: Vec<Included>,
        source: Source<'_>,
    ) -> Result<IncludedTexts, Abort> {
        if wanted.is_empty() {
            return Ok(IncludedTexts::default());
        }
        let references = self.open()?;
        let places = Places::of(&wanted, source, references)?;
        for included in &wanted {
            if let Err(error) = Reference::parse(&included.reference) {
                let error = error.load_error(&included.reference);
                return Err(error_of(CommandError::refused, included, &error, source).into());
            }
        }
        let texts = IncludedTexts::load(references, wanted, |partial| places.get(partial));
        let texts = single_threaded()?.block_on(texts);
        if let Some((included, error)) = texts.failures().next() {
            return Err(error_of(CommandError::failed, included, error, source).into());
        }
        for note in texts.notes().filter(|note| note.severity != Severity::Hint) {
            self.terminal.warn(&format!("{} ({})", note.message, note.code));
        }
        Ok(texts)
    }

    /// Checks references without loading them.
    pub(super) fn check(
        &self,
        listed: &[Included],
        source: Source<'_>,
    ) -> Result<Vec<Diagnostic>, Abort> {
        if listed.is_empty() {
            return Ok(Vec::new());
        }
        let references = self.open()?;
        let places = Places::of(listed, source, references)?;
        let faults = listed.iter().filter_map(|included| {
            let start = included.span.start as usize;
            let fault = match Reference::parse(&included.reference) {
                Err(error) => error.diagnostic(start),
                Ok(reference) => {
                    let place = places.get(included.partial.as_deref());
                    let error = references.loader().route(&reference, &place).err()?;
                    let fault = Diagnostic::error(error.code, error.to_string(), included.span);
                    match error.help {
                        Some(help) => fault.with_help(help),
                        None => fault,
                    }
                }
            };
            Some(fault.in_file(included.partial.as_deref().unwrap_or(source.name)))
        });
        Ok(faults.collect())
    }
}

/// The base folders of references.
struct Places {
    template: Place,
    partials: Place,
}

impl Places {
    fn of(wanted: &[Included], source: Source<'_>, references: &References) -> Result<Self, Abort> {
        let place = |folder: Option<&Path>, held: bool| match folder {
            Some(folder) if held => {
                references.place_of(folder).ok_or_else(|| outside(folder, references))
            }
            _ => Ok(references.place_of(Path::new(".")).unwrap_or_default()),
        };
        let in_partials = wanted.iter().any(|one| one.partial.is_some());
        let in_template = wanted.iter().any(|one| one.partial.is_none());
        Ok(Self {
            template: place(source.folder, in_template)?,
            partials: place(source.partials, in_partials)?,
        })
    }

    fn get(&self, partial: Option<&str>) -> Place {
        if partial.is_some() { self.partials.clone() } else { self.template.clone() }
    }
}

fn outside(folder: &Path, references: &References) -> Abort {
    let root = references.root(0).display();
    let message = format!(
        "the templates in {} include references but are outside the workspace {root}",
        folder.display()
    );
    CommandError::refused("path_outside_workspace", message)
        .file(folder)
        .help("select a workspace that contains them with --workspace")
        .into()
}

fn error_of(
    kind: fn(&str, String) -> CommandError,
    included: &Included,
    error: &LoadError,
    source: Source<'_>,
) -> CommandError {
    let Included { partial, line, column, .. } = included;
    let partial = partial.as_ref().map(|name| format!(" of partial `{name}`")).unwrap_or_default();
    let place = format!("{}: line {line}, column {column}{partial}", source.name);
    kind(error.code, format!("{place}: {error}"))
        .with("reference", json!(error.reference))
        .maybe_help(error.help.clone())
}

/// Returns the folder of a file; `None` for stdin.
pub(super) fn folder_of(file: &Path) -> Option<&Path> {
    let parent = file.parent().filter(|_| !input::is_stdin(file))?;
    Some(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
}

/// Returns the sources of diagnostics, the template first. User info in references is masked.
pub(super) fn sources(
    name: &str,
    text: &str,
    listed: &[Included],
    registry: Option<&PromptTemplateRegistry>,
) -> Vec<SourceFile> {
    let mut sources = vec![SourceFile::new(name, masked(text, listed, None))];
    let mut names: Vec<&str> = listed.iter().filter_map(|one| one.partial.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        if let Some(partial) = registry.and_then(|registry| registry.get(name).ok()) {
            sources.push(SourceFile::new(name, masked(partial.source(), listed, Some(name))));
        }
    }
    sources
}

/// Masks the user info in the references of a text, byte by byte.
fn masked(text: &str, listed: &[Included], partial: Option<&str>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for included in listed.iter().filter(|one| one.partial.as_deref() == partial) {
        let reference = &included.reference;
        let secret = redact(reference) != *reference;
        let range = reference.find("://").zip(reference.rfind('@')).filter(|_| secret);
        if let Some((slashes, sign)) = range {
            let start = included.span.start as usize;
            if let Some(part) = bytes.get_mut(start + slashes + 3..start + sign) {
                part.fill(b'*');
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}
