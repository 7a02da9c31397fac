//! What templates include by reference: loaded through the project they lie in (REF-7, REF-21).
//!
//! Decision: only what a rendering comes to is loaded. A template without references needs no
//! project, so none is looked for.

use crate::commands::run::runtime;
use crate::complaint::{Complaint, Stop};
use crate::faults;
use crate::input;
use crate::terminal::Terminal;
use crate::workspace;
use contexture::diagnostic::{Diagnostic, Severity, SourceFile};
use contexture::prompt::{Included, PromptTemplateRegistry};
use contexture::reference::syntax::{Reference, redact};
use contexture::reference::{LoadError, Place};
use contexture::references::{Options, References};
use contexture::templates::IncludedTexts;
use serde_json::json;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// The option of what renders templates.
#[derive(Debug, clap::Args)]
pub(super) struct Scope {
    /// The folder that references are confined to; by default the nearest one with a
    /// contexture.toml, else the current one, else that of the file.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
}

/// Loads what the templates of one command include.
pub(super) struct Loading<'a> {
    scope: &'a Scope,
    /// The file that the command was given; none for stdin.
    file: Option<&'a Path>,
    terminal: &'a Terminal,
    opened: OnceCell<References>,
}

/// A template at hand.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// What messages call it.
    pub(super) name: &'a str,
    /// The folder it lies in; the current one when it lies in none.
    pub(super) folder: Option<&'a Path>,
    /// The folder of its partials.
    pub(super) partials: Option<&'a Path>,
}

impl<'a> Loading<'a> {
    pub(super) fn new(scope: &'a Scope, file: &'a Path, terminal: &'a Terminal) -> Self {
        let file = (!input::is_stdin(file)).then_some(file);
        Self { scope, file, terminal, opened: OnceCell::new() }
    }

    fn open(&self) -> Result<&References, Stop> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let chosen = self.scope.workspace.as_deref();
        let project = match self.file {
            Some(file) => workspace::of_program(chosen, file)?,
            None => workspace::here_or(chosen)?,
        };
        let references = References::open(&project, &Options::default());
        let references = references.map_err(|error| Stop::from(Complaint::from(error)))?;
        self.say_faults(&references);
        Ok(self.opened.get_or_init(|| references))
    }

    /// What is wrong with definition files is said beside the result.
    fn say_faults(&self, references: &References) {
        let files: Vec<&SourceFile> = references.sources().iter().collect();
        let told = references.diagnostics().iter();
        let told: Vec<_> = told.filter(|fault| fault.severity != Severity::Hint).cloned().collect();
        let text = faults::excerpts(&told, &files, self.terminal.err);
        if !text.is_empty() {
            self.terminal.say(text.trim_end());
        }
    }

    /// The texts of what a rendering comes to.
    ///
    /// # Errors
    /// A complaint for the first that is no reference, lies outside the workspace, or can't be
    /// loaded.
    pub(super) fn texts(
        &self,
        wanted: Vec<Included>,
        source: Source<'_>,
    ) -> Result<IncludedTexts, Stop> {
        if wanted.is_empty() {
            return Ok(IncludedTexts::default());
        }
        let references = self.open()?;
        let places = Places::of(&wanted, source, references)?;
        for included in &wanted {
            if let Err(error) = Reference::parse(&included.reference) {
                let error = error.load_error(&included.reference);
                return Err(complaint(Complaint::refused, included, &error, source).into());
            }
        }
        let texts = IncludedTexts::load(references, wanted, |partial| places.get(partial));
        let texts = runtime()?.block_on(texts);
        if let Some((included, error)) = texts.failures().next() {
            return Err(complaint(Complaint::failed, included, error, source).into());
        }
        for note in texts.notes().filter(|note| note.severity != Severity::Hint) {
            self.terminal.warn(&format!("{} ({})", note.message, note.code));
        }
        Ok(texts)
    }

    /// What is wrong with references, as far as that is known without loading them.
    ///
    /// # Errors
    /// A complaint when the project can't be used.
    pub(super) fn check(
        &self,
        listed: &[Included],
        source: Source<'_>,
    ) -> Result<Vec<Diagnostic>, Stop> {
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

/// Where references start.
struct Places {
    template: Place,
    partials: Place,
}

impl Places {
    fn of(wanted: &[Included], source: Source<'_>, references: &References) -> Result<Self, Stop> {
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

fn outside(folder: &Path, references: &References) -> Stop {
    let root = references.root(0).display();
    let message = format!(
        "the templates in {} include references and lie outside the workspace {root}",
        folder.display()
    );
    Complaint::refused("path_outside_workspace", message)
        .file(folder)
        .help("choose a workspace that holds them with --workspace")
        .into()
}

fn complaint(
    kind: fn(&str, String) -> Complaint,
    included: &Included,
    error: &LoadError,
    source: Source<'_>,
) -> Complaint {
    let Included { partial, line, column, .. } = included;
    let partial = partial.as_ref().map(|name| format!(" of partial `{name}`")).unwrap_or_default();
    let place = format!("{}: line {line}, column {column}{partial}", source.name);
    let complaint =
        kind(error.code, format!("{place}: {error}")).with("reference", json!(error.reference));
    match &error.help {
        Some(help) => complaint.help(help),
        None => complaint,
    }
}

/// The folder of a file; the current one for stdin.
pub(super) fn folder_of(file: &Path) -> Option<&Path> {
    let parent = file.parent().filter(|_| !input::is_stdin(file))?;
    Some(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
}

/// The texts that faults are shown in, the template's first. User info in its references is masked.
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

/// A text with the user info of its references written over, byte by byte.
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
