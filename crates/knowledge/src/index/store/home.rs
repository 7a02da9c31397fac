//! The place of an index, and opening it there.
//!
//! Decision: who writes holds a lock on a file beside the index. Who only asks takes no lock: a
//! commit is one rename, and what was opened stays readable when it is replaced. Who cannot get the
//! lock in time makes an index in memory and harms nobody.

use super::write::{IndexReport, Writing};
use crate::files;
use crate::index::opened::{IndexError, Opened, Purpose, reason};
use crate::index::schema::{Area, Fields, VERSION};
use crate::index::state::{Changes, State};
use crate::pack::{Pack, PackFile};
use crate::said;
use contexture_context::Digest;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tantivy::directory::MmapDirectory;
use tantivy::schema::Schema;
use tantivy::store::Compressor;
use tantivy::{Index, IndexBuilder, IndexSettings, ReloadPolicy, TantivyError};

/// The wait for another process that writes the same index.
const PATIENCE: Duration = Duration::from_secs(3);
/// Indexes up to this size, in bytes, are checked against their checksums when they are opened.
const CHECKED_WHOLE: u64 = 64 << 20;

/// Names a pack's index by where the pack is.
pub(super) fn key(pack: &Pack) -> String {
    let item = pack.item();
    let place = format!("{}\n{}\n{:?}", item.pack_root.display(), item.name, pack.scope());
    let hex = Digest::of_text(&place).hex();
    format!("{}-{}-v{VERSION}", plain(&item.name), hex.get(..16).unwrap_or_default())
}

/// Returns a name as it can stand in the name of a folder.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(40).collect()
}

pub(super) enum Home {
    Memory,
    Folder(PathBuf),
}

impl Home {
    pub(super) fn of(cache: Option<&Path>, key: &str) -> Self {
        cache.map_or(Self::Memory, |cache| Self::Folder(cache.join(key)))
    }

    /// Opens the index and brings it up to date with the files.
    pub(super) fn bring_up(
        &self,
        pack: &Pack,
        known: Option<Arc<Opened>>,
        files: &[PackFile],
        purpose: Purpose,
    ) -> Result<(Arc<Opened>, IndexReport), IndexError> {
        if purpose == Purpose::Ask {
            if let Some(opened) = &known
                && changes(pack, &opened.state, files, purpose).is_empty()
            {
                let report = IndexReport::unchanged(pack, &opened.state, self.folder());
                return Ok((Arc::clone(opened), report));
            }
            if known.is_none()
                && let Some(folder) = self.folder()
                && let Ok(Some(opened)) = open_folder(folder)
                && changes(pack, &opened.state, files, purpose).is_empty()
            {
                let report = IndexReport::unchanged(pack, &opened.state, Some(folder));
                return Ok((Arc::new(opened), report));
            }
        }
        match self {
            Self::Memory => in_memory(pack, known, files, purpose, Vec::new()),
            Self::Folder(folder) => in_folder(folder, pack, known, files, purpose),
        }
    }

    fn folder(&self) -> Option<&Path> {
        match self {
            Self::Memory => None,
            Self::Folder(folder) => Some(folder),
        }
    }
}

fn changes(pack: &Pack, state: &State, files: &[PackFile], purpose: Purpose) -> Changes {
    let primary = pack.item().metadata.primary_document.as_deref();
    let mut changes = state.changes(files, primary);
    if purpose == Purpose::AskAgain || state.language != pack.item().language {
        let areas = files.iter().filter_map(|f| Some((f.clone(), Area::of(&f.path, primary)?)));
        changes.read = areas.collect();
    }
    changes
}

fn in_memory(
    pack: &Pack,
    known: Option<Arc<Opened>>,
    files: &[PackFile],
    purpose: Purpose,
    warnings: Vec<String>,
) -> Result<(Arc<Opened>, IndexReport), IndexError> {
    let engine = |error| IndexError::engine(pack, error);
    let known = known.filter(|opened| opened.state.is_in_memory());
    let (index, fields, state) = match known {
        Some(opened) => (opened.index.clone(), opened.fields.clone(), opened.state.clone()),
        None => {
            let (schema, fields) = Fields::schema();
            let index = builder(schema).create_in_ram().map_err(engine)?;
            Fields::prepare(&index);
            (index, fields, State::new().in_memory())
        }
    };
    let changes = changes(pack, &state, files, purpose);
    let writing = Writing { pack, index: &index, fields: &fields, folder: None, is_new: false };
    let (state, mut report) = writing.write(state, &changes).map_err(engine)?;
    report.warnings.extend(warnings);
    let opened = opened(index, fields, state).map_err(engine)?;
    Ok((Arc::new(opened), report))
}

fn in_folder(
    folder: &Path,
    pack: &Pack,
    known: Option<Arc<Opened>>,
    files: &[PackFile],
    purpose: Purpose,
) -> Result<(Arc<Opened>, IndexReport), IndexError> {
    let lock = match lock(folder) {
        Ok(Some(lock)) => lock,
        Ok(None) => {
            let warning = "another process is writing the index; it was made anew in memory";
            return in_memory(pack, known, files, purpose, vec![warning.to_owned()]);
        }
        Err(error) => {
            let warning = format!(
                "the index can't be kept in {}: {error}; it was made in memory",
                folder.display()
            );
            return in_memory(pack, known, files, purpose, vec![said::line(&warning)]);
        }
    };
    drop(known);
    let result = written(folder, pack, files, purpose).or_else(|error| {
        // A disk that is full or a folder that was taken away must not end the task.
        let warning = format!(
            "the index in {} could not be written: {error}; it was made in memory",
            folder.display()
        );
        in_memory(pack, None, files, purpose, vec![said::line(&warning)])
    });
    drop(lock);
    result
}

/// Brings the index of a folder up to date; the lock is held.
fn written(
    folder: &Path,
    pack: &Pack,
    files: &[PackFile],
    purpose: Purpose,
) -> Result<(Arc<Opened>, IndexReport), IndexError> {
    let engine = |error| IndexError::engine(pack, error);
    let mut warnings = Vec::new();
    let found = if purpose == Purpose::Rebuild { Ok(None) } else { open_folder(folder) };
    let found = found.unwrap_or_else(|error| {
        warnings.push(said::line(&format!(
            "the index {} could not be read and was built anew ({})",
            folder.display(),
            reason(&error)
        )));
        None
    });
    let is_new = found.is_none();
    let (index, fields, state) = match found {
        Some(opened) => (opened.index, opened.fields, opened.state),
        None => {
            let (schema, fields) = Fields::schema();
            let index = create(folder, schema).map_err(engine)?;
            (index, fields, State::new())
        }
    };
    let changes = changes(pack, &state, files, purpose);
    let folder = Some(folder);
    let writing = Writing { pack, index: &index, fields: &fields, folder, is_new };
    let (state, mut report) = writing.write(state, &changes).map_err(engine)?;
    report.warnings.extend(warnings);
    let opened = opened(index, fields, state).map_err(engine)?;
    Ok((Arc::new(opened), report))
}

/// Places are small and read one by one: small blocks spare reading their neighbours. Unpacking them
/// would take longer than what a question looks for in them.
fn builder(schema: Schema) -> IndexBuilder {
    let settings = IndexSettings {
        docstore_blocksize: 2_048,
        docstore_compression: Compressor::None,
        ..IndexSettings::default()
    };
    IndexBuilder::new().schema(schema).settings(settings)
}

fn create(folder: &Path, schema: Schema) -> Result<Index, TantivyError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    fs::create_dir_all(folder)?;
    let index = builder(schema).create_in_dir(folder)?;
    Fields::prepare(&index);
    Ok(index)
}

/// Opens the index of a folder; `None` when there is none.
fn open_folder(folder: &Path) -> Result<Option<Opened>, TantivyError> {
    if !folder.join("meta.json").is_file() {
        return Ok(None);
    }
    let mut index = Index::open(MmapDirectory::open(folder)?)?;
    let (schema, fields) = Fields::schema();
    if index.schema() != schema {
        return Err(TantivyError::SchemaError("it has other fields".to_owned()));
    }
    Fields::prepare(&index);
    if size(folder) <= CHECKED_WHOLE && !index.validate_checksum()?.is_empty() {
        return Err(TantivyError::SystemError("its checksums do not agree".to_owned()));
    }
    // Another process may commit between the two looks.
    for _ in 0..5 {
        let before = index.load_metas()?;
        let state = State::parse(before.payload.as_deref())
            .ok_or_else(|| TantivyError::SystemError("its state is unreadable".to_owned()))?;
        let opened = opened(index.clone(), fields.clone(), state)?;
        if index.load_metas()?.opstamp == before.opstamp {
            return Ok(Some(opened));
        }
        index = Index::open(MmapDirectory::open(folder)?)?;
        Fields::prepare(&index);
    }
    Err(TantivyError::SystemError("it changes all the time".to_owned()))
}

fn opened(index: Index, fields: Fields, state: State) -> Result<Opened, TantivyError> {
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    let (languages, areas) = (state.languages(), state.areas());
    Ok(Opened { searcher: reader.searcher(), fields, state, index, languages, areas })
}

fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum()
}

/// Returns the right to write an index; `None` when another process keeps it.
fn lock(folder: &Path) -> io::Result<Option<File>> {
    let Some(parent) = folder.parent() else { return Err(io::ErrorKind::NotFound.into()) };
    fs::create_dir_all(parent)?;
    let mut name = folder.as_os_str().to_owned();
    name.push(".lock");
    files::lock(Path::new(&name), PATIENCE)
}
