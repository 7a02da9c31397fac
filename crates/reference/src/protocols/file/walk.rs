//! The matches of a pattern: a walk from the root that enters only where a match may be (REF-13).

use super::roots::{Files, Located, failed, resource, trust};
use crate::pattern::{self, Pattern};
use contexture_core::reference::{Content, FOLDER, LoadError, Loaded, Note, Request, Resource};
use contexture_diagnostic::Severity;
use contexture_tools::paths::{Access, PathClass, PathRefusal};
use contexture_tools::{EntryKind, FileError, Workspace, WorkspacePath};
use ignore::{DirEntry, WalkBuilder};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// A pattern below one root.
struct Search<'s> {
    root: usize,
    workspace: &'s Workspace,
    pattern: Arc<Pattern>,
    /// The folder that the written pattern starts from, from the root, with a slash behind it.
    start: String,
    /// The folder before the first wildcard as it is written, and where it lies; both from the
    /// root, with a slash behind them.
    written: String,
    real: String,
}

pub(super) fn matches(files: &Files, request: Request<'_>) -> Result<Loaded, LoadError> {
    let (search, found) = searched(files, request)?;
    search.load(request, found)
}

/// Returns why a pattern matches nothing, if so.
///
/// # Errors
/// As for a load.
pub(super) fn unmatched(files: &Files, request: Request<'_>) -> Result<Option<String>, LoadError> {
    let (search, found) = searched(files, request)?;
    Ok(found.matches.is_empty().then(|| format!("the pattern {}", search.nothing())))
}

fn searched<'s>(files: &'s Files, request: Request<'_>) -> Result<(Search<'s>, Found), LoadError> {
    let mut search = search(files, request.place.root, &request.place.folder, request)?;
    let here = |search: &Search<'_>| search.is_there();
    if !here(&search) && (request.place.root != 0 || !request.place.folder.is_empty()) {
        let at_root = search_at_root(files, request)?;
        if here(&at_root) {
            search = at_root;
        }
    }
    let mut found = search.walk(request)?;
    // By segments: `a/b` stands before `a.b`.
    found.matches.sort_by_cached_key(|(path, _)| path.replace('/', "\0"));
    Ok((search, found))
}

fn search_at_root<'s>(files: &'s Files, request: Request<'_>) -> Result<Search<'s>, LoadError> {
    search(files, 0, "", request)
}

fn search<'s>(
    files: &'s Files,
    root: usize,
    folder: &str,
    request: Request<'_>,
) -> Result<Search<'s>, LoadError> {
    let (prefix, rest) = parts(request)?;
    let fail = |error: FileError| failed(request.reference, &error);
    let outside = || fail(FileError::Outside(request.path.to_owned()));
    let workspace = files.roots.get(root).ok_or_else(outside)?;
    let folder = workspace.resolve(or_here(folder)).map_err(fail)?;
    let base = workspace.resolve_from(&folder, or_here(prefix)).map_err(fail)?;
    let real = with_slash(&without_links(workspace, &base).map_err(fail)?);
    let pattern = Arc::new(Pattern::new(&format!("{real}{rest}")));
    let (start, written) = (with_slash(&folder), with_slash(&base));
    Ok(Search { root, workspace, pattern, start, written, real })
}

/// Returns where a folder lies. The walk follows no symlinks; one that is written out is meant.
fn without_links(
    workspace: &Workspace,
    folder: &WorkspacePath,
) -> Result<WorkspacePath, FileError> {
    let path = workspace.root().join(folder.as_str());
    let Ok(real) = path.canonicalize() else { return Ok(folder.clone()) };
    let leads_out = || FileError::LeadsOut(folder.to_string());
    let below = real.strip_prefix(workspace.root()).map_err(|_| leads_out())?;
    workspace.resolve(or_here(below.to_str().ok_or_else(leads_out)?))
}

fn or_here(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

/// Returns a folder as what stands before the names in it; nothing for the root.
fn with_slash(folder: &WorkspacePath) -> String {
    if *folder == WorkspacePath::root() { String::new() } else { format!("{folder}/") }
}

/// Returns the path before the first wildcard, which is resolved like any path, and the rest.
fn parts(request: Request<'_>) -> Result<(&str, &str), LoadError> {
    if pattern::is_excessive(request.path) {
        let message =
            format!("a group of braces has more than {} alternatives", pattern::ALTERNATIVES);
        return Err(LoadError::new("REF3041", request.reference, message)
            .with_help("write several references, or a `*` in place of the group"));
    }
    let star = request.path.find('*').unwrap_or(request.path.len());
    let head = request.path.get(..star).unwrap_or_default();
    let top = if head.starts_with('/') { "/" } else { "" };
    let (prefix, _) = head.rsplit_once('/').unwrap_or((top, head));
    let rest = request.path.get(prefix.len()..).unwrap_or_default();
    if rest.split('/').any(|segment| segment == "..") {
        let message = format!("`{}` goes up behind a wildcard", request.path);
        return Err(LoadError::new("REF3033", request.reference, message)
            .with_help("write the folder that you mean before the wildcard"));
    }
    Ok((prefix, rest.trim_start_matches('/')))
}

/// A match: its path from the root, and what it is.
type Match = (String, EntryKind);

/// The result of a walk.
#[derive(Default)]
struct Found {
    matches: Vec<Match>,
    /// Notes about entries that could not be read.
    notes: Vec<Note>,
}

/// A walk looks at so many entries for each that may match.
const LOOKED_AT: usize = 100;

impl Search<'_> {
    /// Reports whether the folder that holds all matches is there.
    fn is_there(&self) -> bool {
        let base = self.pattern.base();
        if base.is_empty() {
            return true;
        }
        let place = self.workspace.resolve(&base);
        place.is_ok_and(|place| self.workspace.kind(&place).is_ok())
    }

    /// Says that nothing matches, with the folder that was searched.
    fn nothing(&self) -> String {
        let base = self.pattern.base();
        let folder = self.workspace.root().join(&base);
        let shown = folder.display();
        if self.is_there() {
            format!("matches nothing in the folder {shown}")
        } else {
            format!("matches nothing: there is no folder {shown}")
        }
    }

    fn walk(&self, request: Request<'_>) -> Result<Found, LoadError> {
        let root = self.workspace.root();
        let mut found = Found::default();
        let most = request.max_resources.saturating_mul(LOOKED_AT);
        for (looked_at, entry) in self.entries(request).enumerate() {
            if looked_at >= most {
                return Err(too_many(request, &format!("has to look at more than {most} entries")));
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    found.notes.push(passed_over(root, &error));
                    continue;
                }
            };
            let Some(path) = relative(root, entry.path()) else {
                found.notes.push(unnamed(root, entry.path()));
                continue;
            };
            if path.is_empty() || !self.pattern.matches(&path) {
                continue;
            }
            if let Some(refused) = refused(self.workspace, &path) {
                found.notes.extend(left_out(&refused));
                continue;
            }
            if found.matches.len() == request.max_resources {
                let limit = request.max_resources;
                return Err(too_many(request, &format!("matches more than {limit} files")));
            }
            found.matches.push((path.into_owned(), self.kind(&entry)));
        }
        Ok(found)
    }

    fn entries(&self, request: Request<'_>) -> ignore::Walk {
        let workspace = self.workspace.clone();
        let pattern = Arc::clone(&self.pattern);
        let respects = request.parameters.get("ignore") != Some("false");
        WalkBuilder::new(self.workspace.root())
            .standard_filters(false)
            .git_ignore(respects)
            .require_git(false)
            .parents(false)
            .follow_links(false)
            .filter_entry(move |entry| enters(&pattern, &workspace, entry))
            .build()
    }

    fn kind(&self, entry: &DirEntry) -> EntryKind {
        match entry.file_type() {
            Some(kind) if kind.is_file() => EntryKind::File,
            Some(kind) if kind.is_dir() => EntryKind::Folder,
            Some(kind) if kind.is_symlink() => EntryKind::Symlink,
            _ => EntryKind::Special,
        }
    }

    fn load(&self, request: Request<'_>, found: Found) -> Result<Loaded, LoadError> {
        let resources = Vec::with_capacity(found.matches.len());
        let notes = found.notes;
        let mut loaded = Loaded { resources, listing: true, notes, ..Loaded::default() };
        if found.matches.is_empty() {
            let message = format!("`{}` {}", request.reference, self.nothing());
            loaded.notes.push(Note { code: "REF3037", severity: Severity::Warning, message });
        }
        let mut left = request.max_bytes;
        for (path, kind) in found.matches {
            let reference = self.reference(&path);
            match self.file(&reference, &path, kind, left) {
                Ok(resource) => {
                    let bytes = resource.bytes().map_or(0, |bytes| bytes.len() as u64);
                    left = left.saturating_sub(bytes);
                    loaded.resources.push(resource);
                }
                Err(FileError::TooLarge { .. }) => return Err(too_large(request)),
                Err(error) => {
                    loaded.notes.push(note(format!("`{reference}` is left out: {error}")));
                }
            }
        }
        Ok(loaded)
    }

    fn file(
        &self,
        reference: &str,
        path: &str,
        kind: EntryKind,
        left: u64,
    ) -> Result<Resource, FileError> {
        if kind == EntryKind::Folder {
            return Ok(listed(reference.to_owned(), self.root));
        }
        let path = self.workspace.resolve(path)?;
        // Whoever waits at the other end of a pipe is not to be woken by a pattern.
        if kind == EntryKind::Special {
            self.workspace.require_regular(&path)?;
        }
        let located = Located { root: self.root, path, fell_back: false };
        let bytes = self.workspace.read_bytes(&located.path, left);
        match bytes.map(|bytes| resource(reference, &located, bytes)) {
            // A link to a folder is listed like a folder and not entered.
            Err(FileError::IsFolder(_)) => Ok(listed(reference.to_owned(), self.root)),
            other => other,
        }
    }

    /// Returns the reference of a match, relative to what the pattern is relative to.
    fn reference(&self, path: &str) -> String {
        let path = match path.strip_prefix(&self.real) {
            Some(below) if self.real != self.written => format!("{}{below}", self.written),
            _ => path.to_owned(),
        };
        match path.strip_prefix(&self.start) {
            Some(path) => format!("@file://{path}"),
            // The pattern went up from where it starts.
            None => format!("@file://{}{path}", "../".repeat(self.start.matches('/').count())),
        }
    }
}

fn listed(reference: String, root: usize) -> Resource {
    let content = Content::Listed { bytes: 0 };
    let media_type = FOLDER.to_owned();
    Resource { reference, media_type, content, trust: trust(root), place: None }
}

fn enters(pattern: &Pattern, workspace: &Workspace, entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if entry.depth() == 0 || !is_folder {
        return true;
    }
    relative(workspace.root(), entry.path()).is_some_and(|path| {
        let is_private =
            || refused(workspace, &path).is_some_and(|it| it.class == PathClass::Private);
        (pattern.may_enter(&path) || pattern.matches(&path)) && !is_private()
    })
}

/// Returns why a place is not to be read, if so.
fn refused(workspace: &Workspace, path: &str) -> Option<PathRefusal> {
    let place = workspace.resolve(path).ok()?;
    match workspace.permit(&place, Access::Read) {
        Err(FileError::Refused(refused)) => Some(refused),
        _ => None,
    }
}

/// Returns the note about a place that a pattern names and that is not to be read; a private place is not
/// mentioned.
fn left_out(refused: &PathRefusal) -> Option<Note> {
    (refused.class != PathClass::Private).then(|| note(format!("left out: {refused}")))
}

/// Returns the path below the root, with `/`; `None` when it is not UTF-8.
fn relative<'p>(root: &Path, path: &'p Path) -> Option<Cow<'p, str>> {
    if std::path::MAIN_SEPARATOR != '/' {
        let below = path.strip_prefix(root).ok()?.to_str()?;
        return Some(Cow::Owned(below.replace('\\', "/")));
    }
    // A walk puts names behind the root as it was given: no need to look at its parts.
    let below = path.to_str()?.strip_prefix(root.to_str()?)?;
    Some(Cow::Borrowed(below.trim_start_matches('/')))
}

fn too_large(request: Request<'_>) -> LoadError {
    let message = format!("its matches have more than {} bytes together", request.max_bytes);
    let help = "write a narrower pattern, or raise `file_bytes` under [limits] in contexture.toml";
    LoadError::new("REF3013", request.reference, message).with_help(help)
}

fn too_many(request: Request<'_>, what: &str) -> LoadError {
    LoadError::new("REF3036", request.reference, format!("the pattern {what}"))
        .with_help("write a narrower pattern")
}

/// Returns a folder that can't be entered, or is gone by now: the rest is still worth having.
fn passed_over(root: &Path, error: &ignore::Error) -> Note {
    let cause = error.io_error().map_or_else(|| "it can't be read".to_owned(), ToString::to_string);
    let place = place_of(error).map_or(Cow::Borrowed("a folder"), |path| shown(root, path));
    note(format!("`{place}` is passed over: {cause}"))
}

fn place_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            place_of(err)
        }
        _ => None,
    }
}

fn unnamed(root: &Path, path: &Path) -> Note {
    let place = shown(root, path);
    note(format!("`{place}` is passed over: its name is not UTF-8 text"))
}

/// Returns a path without the root, for messages.
fn shown<'p>(root: &Path, path: &'p Path) -> Cow<'p, str> {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy()
}

fn note(message: String) -> Note {
    Note { code: "REF3038", severity: Severity::Warning, message }
}
