//! Copies of all that a server keeps, from one kind of place to another (WA-11).
//!
//! Decision: the place that is filled holds all or nothing: a folder stands in its place when it is whole,
//! and a database is filled in one transaction. The audit log stays: it tells what happened at its place.

use super::{Draft, is_kept, of_flows, of_store, unusable, verify};
use crate::fault::Fault;
use crate::serve::codes;
use crate::serve::flows::journal::FLOWS_FILE;
use crate::serve::folder::{FolderLock, LOCK_FILE};
use crate::serve::place::Place;
use crate::serve::tokens::TOKENS_FILE;
use contexture::Project;
use contexture::contexts::CONTEXTS_FILE;
use contexture::database::{self, CopiedPlace};
use contexture::store::copy::{self, Copied, Counts};
use contexture::store::{flows, home};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Copies a place into another one, which is empty; the first stays as it is.
///
/// # Errors
/// A [`Fault`] when a server works on one of them, the first is damaged or holds nothing, the second holds
/// something, or one can't be used; the second holds nothing then.
pub fn transfer(project: &Project, from: &Place, to: &Place) -> Result<Counts, Fault> {
    match (&from.database, &to.database) {
        (None, None) => between_folders(&from.folder, &to.folder),
        (None, Some(to)) => into_database(project, &from.folder, to),
        (Some(from), None) => into_folder(project, from, &to.folder),
        (Some(from), Some(to)) => {
            let sides = (CopiedPlace::Database(from), CopiedPlace::Database(to));
            Ok(database::copy(project, sides, &mut Vec::new())?)
        }
    }
}

/// A folder that is copied, which no server uses meanwhile.
struct Source {
    folder: PathBuf,
    _lock: Option<FolderLock>,
}

impl Source {
    fn open(folder: &Path) -> Result<Self, Fault> {
        // A folder without the lock of a server is in no server's use; nothing is written into it.
        let lock = folder.join(LOCK_FILE).exists().then(|| FolderLock::take(folder)).transpose();
        let help = "end the server, and start it on the new place when all is copied";
        let lock = lock.map_err(|fault| fault.with_help(help))?;
        let report = verify(folder)?;
        if let Some(first) = report.findings.first() {
            let help = "`contexture context verify` lists all damage, `contexture context salvage` saves the rest";
            return Err(Fault::of(codes::DAMAGED, first.to_string()).with_help(help));
        }
        let source = Self { folder: folder.to_owned(), _lock: lock };
        let kept = [CONTEXTS_FILE, FLOWS_FILE, TOKENS_FILE];
        if !kept.iter().any(|name| source.path(name).exists()) {
            let message = format!("nothing is stored in {}", folder.display());
            let help = "name the place that a server keeps its contexts in";
            return Err(Fault::of(codes::BAD_DATA, message).with_help(help));
        }
        Ok(source)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn counts(&self) -> Result<Counts, Fault> {
        let counts = copy::counts(&self.path(CONTEXTS_FILE), &self.path(FLOWS_FILE));
        counts.map_err(|error| of_store(&error))
    }
}

fn between_folders(from: &Path, to: &Path) -> Result<Counts, Fault> {
    let (source, draft) = (Source::open(from)?, Draft::begin(to, false)?);
    let files: Vec<Copied> = [CONTEXTS_FILE, FLOWS_FILE]
        .iter()
        .map(|name| Copied { from: source.path(name), to: draft.path(name) })
        .filter(|file| file.from.exists())
        .collect();
    copy::snapshot(&files, || ()).map_err(|error| of_store(&error))?;
    let (contexts, flows) = (draft.path(CONTEXTS_FILE), draft.path(FLOWS_FILE));
    if contexts.exists() {
        copy::finish_contexts(&contexts).map_err(|error| of_store(&error))?;
    }
    if flows.exists() {
        flows::accept_loss(&flows).map_err(|error| of_flows(&error))?;
    }
    let tokens = source.path(TOKENS_FILE);
    if tokens.is_file() {
        draft.copy(&tokens, TOKENS_FILE)?;
    }
    draft.finish()?;
    source.counts()
}

fn into_database(project: &Project, from: &Path, to: &str) -> Result<Counts, Fault> {
    let source = Source::open(from)?;
    let tokens = source.path(TOKENS_FILE);
    let mut texts = Vec::new();
    if tokens.is_file() {
        let text = std::fs::read_to_string(&tokens).map_err(|error| unusable(&tokens, &error))?;
        texts.push((TOKENS_FILE.to_owned(), text));
    }
    let (contexts, flows) = (source.path(CONTEXTS_FILE), source.path(FLOWS_FILE));
    let files = CopiedPlace::Files { contexts: &contexts, flows: &flows };
    Ok(database::copy(project, (files, CopiedPlace::Database(to)), &mut texts)?)
}

fn into_folder(project: &Project, from: &str, to: &Path) -> Result<Counts, Fault> {
    let draft = Draft::begin(to, false)?;
    let (contexts, flows) = (draft.path(CONTEXTS_FILE), draft.path(FLOWS_FILE));
    let files = CopiedPlace::Files { contexts: &contexts, flows: &flows };
    let mut texts = Vec::new();
    let counts = database::copy(project, (CopiedPlace::Database(from), files), &mut texts)?;
    for (name, text) in texts.iter().filter(|(name, _)| is_kept(name)) {
        let path = draft.path(name);
        let written = || {
            let mut file = home::private_file().write(true).create_new(true).open(&path)?;
            file.write_all(text.as_bytes())
        };
        written().map_err(|error| unusable(&path, &error))?;
    }
    draft.finish()?;
    Ok(counts)
}
