//! What the server knows: workspaces, open documents and their programs.

use crate::documents::{Analysed, Document};
use crate::protocol::{At, Changed, OpenedDocument, Position};
use crate::unsaved::{ProgramsOnly, Read, Texts, Unsaved};
use crate::workspace::{Opener, Workspace};
use contexture_diagnostic::SourceFile;
use contexture_script::codes;
use contexture_script::host::LoadedSource;
use contexture_script::program::{Program, ProgramFile, reload};
use contexture_script::semantic::symbols::Symbols;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use url::Url;

/// The greatest number of programs of a workspace in which names are searched.
const MAX_PROGRAMS: usize = 5_000;

pub(crate) struct State<'o> {
    open: &'o Opener<'o>,
    workspaces: Vec<Opened>,
    documents: BTreeMap<String, Document>,
    /// The document that was changed last: its faults are told first.
    latest: String,
    /// Messages for the person, such as why a workspace can't be opened.
    pub(crate) notes: Vec<String>,
}

struct Opened {
    files: Box<dyn Workspace>,
    read: Read,
    /// All its programs as one, for searches; absent when something has changed.
    whole: Option<Analysed>,
    /// The last one, whose trees are kept.
    previous: Program,
}

/// A document with its program as it is now.
#[derive(Clone, Copy)]
pub(crate) struct View<'s> {
    pub(crate) document: &'s Document,
    pub(crate) analysed: &'s Analysed,
    pub(crate) file: &'s ProgramFile,
    pub(crate) files: &'s dyn Workspace,
    documents: &'s BTreeMap<String, Document>,
}

impl<'s> View<'s> {
    pub(crate) const fn source(&self) -> &'s SourceFile {
        &self.file.source
    }

    pub(crate) const fn program(&self) -> &'s Program {
        &self.analysed.program
    }

    pub(crate) fn symbols(&self) -> &'s Symbols {
        self.analysed.symbols()
    }

    pub(crate) fn offset(&self, position: Option<Position>) -> u32 {
        position.map_or(0, |position| position.offset(self.source()))
    }

    /// Returns the URI of a file of the program.
    pub(crate) fn uri(&self, file: usize) -> Option<String> {
        let name = self.program().files.get(file)?.source.name();
        uri_of(self.documents, (self.document.workspace, self.files.root()), name)
    }
}

/// All programs of a workspace as one.
pub(crate) struct Whole<'s> {
    pub(crate) analysed: &'s Analysed,
    root: &'s Path,
    number: usize,
    documents: &'s BTreeMap<String, Document>,
}

impl Whole<'_> {
    pub(crate) fn uri(&self, file: usize) -> Option<String> {
        let name = self.analysed.program.files.get(file)?.source.name();
        uri_of(self.documents, (self.number, self.root), name)
    }
}

impl<'o> State<'o> {
    pub(crate) fn new(open: &'o Opener<'o>) -> Self {
        Self {
            open,
            workspaces: Vec::new(),
            documents: BTreeMap::new(),
            latest: String::new(),
            notes: Vec::new(),
        }
    }

    /// Opens a folder of the client, so that its programs are found before one is opened.
    pub(crate) fn folder(&mut self, uri: &str) {
        if let Some(folder) = path_of(uri) {
            self.workspace_of(&folder.join("x"));
        }
    }

    pub(crate) fn open(&mut self, opened: OpenedDocument) {
        let OpenedDocument { uri, version, text } = opened;
        let Some((workspace, name)) = self.place_of(&uri) else { return };
        let document = Document {
            uri: uri.clone(),
            version,
            workspace,
            name: name.clone(),
            text,
            is_stale: true,
            is_untold: true,
            analysed: Analysed::default(),
        };
        self.documents.insert(uri, document);
        self.forget(workspace);
        self.touch(workspace, &name);
    }

    /// Returns the workspace of a document and its name there. One that is not yet a file has its URI as
    /// its name, in the first workspace.
    fn place_of(&mut self, uri: &str) -> Option<(usize, String)> {
        let Some(path) = path_of(uri) else {
            let workspace = match self.workspaces.is_empty() {
                true => self.workspace_of(Path::new("./untitled.as"))?,
                false => 0,
            };
            return Some((workspace, uri.to_owned()));
        };
        let workspace = self.workspace_of(&path)?;
        let name = self.workspaces.get(workspace)?.files.name(&path);
        Some((workspace, name.unwrap_or_else(|| path.to_string_lossy().into_owned())))
    }

    pub(crate) fn change(&mut self, changed: Changed) {
        let Some(document) = self.documents.get_mut(&changed.text_document.uri) else { return };
        document.version = changed.text_document.version.unwrap_or(document.version);
        document.change(changed.content_changes);
        let (workspace, name) = (document.workspace, document.name.clone());
        self.latest = changed.text_document.uri;
        self.touch(workspace, &name);
    }

    /// Closes a document: its file counts again.
    pub(crate) fn close(&mut self, uri: &str) {
        if let Some(document) = self.documents.remove(uri) {
            self.forget(document.workspace);
            self.touch(document.workspace, &document.name);
        }
    }

    /// Reads everything again: something has changed on disk.
    pub(crate) fn changed_on_disk(&mut self) {
        for number in 0..self.workspaces.len() {
            self.forget(number);
            if let Some(opened) = self.workspaces.get_mut(number) {
                opened.files.refresh();
            }
        }
        for document in self.documents.values_mut() {
            (document.is_stale, document.is_untold) = (true, true);
        }
    }

    /// Returns the URIs of the documents whose faults have to be told, the one that was changed last
    /// first.
    pub(crate) fn untold(&self) -> Vec<String> {
        let untold = self.documents.values().filter(|document| document.is_untold);
        let mut uris: Vec<String> = untold.map(|document| document.uri.clone()).collect();
        uris.sort_by_key(|uri| *uri != self.latest);
        uris
    }

    pub(crate) fn told(&mut self, uri: &str) {
        if let Some(document) = self.documents.get_mut(uri) {
            document.is_untold = false;
        }
    }

    fn forget(&mut self, workspace: usize) {
        if let Some(opened) = self.workspaces.get_mut(workspace) {
            opened.read.borrow_mut().clear();
        }
    }

    /// Marks the documents whose program has a file.
    fn touch(&mut self, workspace: usize, name: &str) {
        for document in self.documents.values_mut().filter(|one| one.workspace == workspace) {
            let files = &document.analysed.program.files;
            let imports = files.iter().any(|file| file.source.name() == name)
                || document
                    .analysed
                    .program
                    .faults
                    .iter()
                    .any(|fault| fault.code == codes::IMPORT_FAILED.code);
            if document.name == name || imports {
                (document.is_stale, document.is_untold) = (true, true);
            }
        }
        if let Some(opened) = self.workspaces.get_mut(workspace)
            && let Some(whole) = opened.whole.take()
        {
            opened.previous = whole.program;
        }
    }

    fn workspace_of(&mut self, path: &Path) -> Option<usize> {
        let own = |opened: &Opened| opened.files.name(path).is_some();
        if let Some(known) = self.workspaces.iter().position(own) {
            return Some(known);
        }
        let folder = path.parent().unwrap_or(path);
        match (self.open)(folder) {
            Ok(files) => {
                let same = |opened: &Opened| opened.files.root() == files.root();
                if let Some(known) = self.workspaces.iter().position(same) {
                    return Some(known);
                }
                let read = Read::default();
                self.workspaces.push(Opened {
                    files,
                    read,
                    whole: None,
                    previous: Program::default(),
                });
                Some(self.workspaces.len() - 1)
            }
            Err(fault) => {
                self.notes.push(format!("{}: {fault}", folder.display()));
                None
            }
        }
    }

    /// Returns a document with its program as it is now.
    pub(crate) fn view(&mut self, uri: &str) -> Option<View<'_>> {
        self.refresh(uri);
        let document = self.documents.get(uri)?;
        let files = &*self.workspaces.get(document.workspace)?.files;
        let file = document.analysed.program.files.first()?;
        let (analysed, documents) = (&document.analysed, &self.documents);
        Some(View { document, analysed, file, files, documents })
    }

    pub(crate) fn at(&mut self, at: &At) -> Option<View<'_>> {
        self.view(&at.text_document.uri)
    }

    fn refresh(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri).filter(|one| one.is_stale) else { return };
        let previous = std::mem::take(&mut document.analysed).program;
        let root = LoadedSource { name: document.name.clone(), text: document.text.clone() };
        let number = document.workspace;
        let Some(opened) = self.workspaces.get(number) else { return };
        let texts = texts(&self.documents, number);
        let loader = Unsaved { disk: opened.files.loader(), texts: &texts, read: &opened.read };
        let program = reload(previous, vec![root], &loader, opened.files.limits());
        if let Some(document) = self.documents.get_mut(uri) {
            document.analysed = Analysed::new(program);
            document.is_stale = false;
        }
    }

    /// Returns all programs of a document's workspace as one; unsaved texts stand for files.
    pub(crate) fn whole(&mut self, uri: &str) -> Option<Whole<'_>> {
        self.whole_of(self.documents.get(uri)?.workspace)
    }

    pub(crate) const fn workspaces(&self) -> usize {
        self.workspaces.len()
    }

    pub(crate) fn whole_of(&mut self, number: usize) -> Option<Whole<'_>> {
        let texts = texts(&self.documents, number);
        let opened = self.workspaces.get_mut(number)?;
        if opened.whole.is_none() {
            let previous = std::mem::take(&mut opened.previous);
            opened.whole = Some(Analysed::new(search(opened, &texts, previous)));
        }
        let opened = self.workspaces.get(number)?;
        let (analysed, root) = (opened.whole.as_ref()?, opened.files.root());
        Some(Whole { analysed, root, number, documents: &self.documents })
    }
}

fn texts(documents: &BTreeMap<String, Document>, workspace: usize) -> Texts<'_> {
    let own = documents.values().filter(|one| one.workspace == workspace);
    own.map(|document| (document.name.as_str(), document.text.as_str())).collect()
}

/// Loads all programs of a workspace as one.
fn search(opened: &Opened, texts: &Texts<'_>, previous: Program) -> Program {
    let mut limits = opened.files.limits().clone();
    limits.source_files = MAX_PROGRAMS;
    let mut names = opened.files.programs(MAX_PROGRAMS);
    names.extend(texts.keys().map(|name| (*name).to_owned()));
    names.sort_unstable();
    names.dedup();
    let roots = names.into_iter().filter_map(|name| match texts.get(name.as_str()) {
        Some(text) => Some(LoadedSource { text: (*text).to_owned(), name }),
        None => opened.files.read(&name),
    });
    let loader = Unsaved { disk: opened.files.loader(), texts, read: &opened.read };
    reload(previous, roots.collect(), &ProgramsOnly(&loader), &limits)
}

pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    Url::parse(uri).ok()?.to_file_path().ok()
}

/// Returns the URI of a file: of an open document the client's own, which may be written otherwise.
fn uri_of(
    documents: &BTreeMap<String, Document>,
    (workspace, root): (usize, &Path),
    name: &str,
) -> Option<String> {
    let mut own = documents.values().filter(|one| one.workspace == workspace && one.name == name);
    let open = own.next().map(|document| document.uri.clone());
    open.or_else(|| Url::from_file_path(root.join(name)).ok().map(String::from))
}
