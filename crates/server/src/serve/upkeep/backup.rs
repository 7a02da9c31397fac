//! Backups of a data folder.
//!
//! Decision: a backup is a folder that a server could be started on, with a list of digests. It holds
//! contexts, journals, tokens and the audit log as they were at one moment, while a server runs.

use super::{Draft, FolderFinding, is_kept, of_flows, of_store, unusable};
use crate::fault::Fault;
use crate::serve::codes;
use crate::serve::flows::journal::FLOWS_FILE;
use crate::serve::folder::{self, FolderLock};
use crate::serve::operations::audit::{self, AuditEvent, AuditRecord};
use crate::serve::tokens::TOKENS_FILE;
use contexture::contexts::CONTEXTS_FILE;
use contexture::store::contexts::{self, Report};
use contexture::store::copy::{self, Copied};
use contexture::store::flows;
use contexture::store::home;
use contexture::store::stamp::{iso_time, now_us};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The list of a backup.
const LIST: &str = "backup.json";
const FORMAT: &str = "contexture-backup-1";
/// The longest list, in bytes.
const LIST_BYTES: u64 = 1 << 20;

/// The list of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Backup {
    format: String,
    /// The time of the backup.
    pub created_at: String,
    /// The number of contexts.
    pub contexts: u64,
    /// The files.
    pub files: Vec<BackupFile>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BackupFile {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its digest: `sha256:` and 64 hexadecimal digits.
    pub digest: String,
}

/// The result of restoring a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// The list of the backup.
    pub backup: Backup,
    /// Where the folder is that stood in the place.
    pub earlier: Option<PathBuf>,
}

/// Copies a data folder into a new one, while a server may run.
///
/// # Errors
/// A [`Fault`] when the folder is damaged, and when the copy can't be written; nothing is left of it then.
pub fn backup(data: &Path, target: &Path) -> Result<Backup, Fault> {
    std::fs::read_dir(data).map_err(|error| unusable(data, &error))?;
    let draft = Draft::begin(target, false)?;
    contexts::acknowledged(&data.join(CONTEXTS_FILE)).map_err(|error| of_store(&error))?;
    if let Some(lost) = FolderFinding::of_flows(&data.join(FLOWS_FILE))?.first() {
        return Err(Fault::of(codes::DAMAGED, lost.to_string()));
    }
    let databases: Vec<Copied> = [CONTEXTS_FILE, FLOWS_FILE]
        .iter()
        .map(|name| Copied { from: data.join(name), to: draft.path(name) })
        .filter(|file| file.from.exists())
        .collect();
    let has_others =
        || data.join(TOKENS_FILE).is_file() || !audit::files(data).is_ok_and(|all| all.is_empty());
    if databases.is_empty() && !has_others() {
        let message = format!("nothing is stored in {}", data.display());
        return Err(Fault::of(codes::BAD_DATA, message)
            .with_help("--data DIR selects the folder of another server"));
    }
    audit::note_once(data, &AuditRecord::new(AuditEvent::BackupMade).with("by", "command line"))?;
    let others = copy::snapshot(&databases, || {
        let _held = audit::hold(data)?;
        let tokens = data.join(TOKENS_FILE);
        let rest = [tokens, audit::marks(data)].into_iter().filter(|path| path.is_file());
        let others = audit::files(data)?.into_iter().chain(rest);
        others.map(|path| Ok((std::fs::read(&path)?, path))).collect::<io::Result<Vec<_>>>()
    });
    let others =
        others.map_err(|error| of_store(&error))?.map_err(|error| unusable(data, &error))?;
    for (bytes, path) in others {
        let to =
            path.file_name().map_or_else(|| draft.folder.clone(), |name| draft.folder.join(name));
        let written = || {
            let mut file = home::private_file().write(true).create_new(true).open(&to)?;
            file.write_all(&bytes)
        };
        written().map_err(|error| unusable(&to, &error))?;
    }
    let flows = draft.path(FLOWS_FILE);
    if flows.exists() {
        flows::accept_loss(&flows).map_err(|error| of_flows(&error))?;
    }
    let contexts = match draft.path(CONTEXTS_FILE) {
        path if path.exists() => whole(&path)?.contexts,
        _ => 0,
    };
    let list = listed(&draft, contexts)?;
    let path = draft.path(LIST);
    let text = serde_json::to_string_pretty(&list).unwrap_or_default() + "\n";
    let written = || {
        let mut file = home::private_file().write(true).create_new(true).open(&path)?;
        file.write_all(text.as_bytes())
    };
    written().map_err(|error| unusable(&path, &error))?;
    draft.finish()?;
    Ok(list)
}

/// Finishes the copy of a file of contexts, which has to be whole.
fn whole(path: &Path) -> Result<Report, Fault> {
    let report = copy::finish_contexts(path).map_err(|error| of_store(&error))?;
    match report.findings.first() {
        None => Ok(report),
        Some(first) => Err(Fault::of(codes::DAMAGED, format!("the contexts are damaged: {first}"))
            .with_help("`contexture context verify` lists all damage, `contexture context salvage` saves the rest")),
    }
}

fn listed(draft: &Draft, contexts: u64) -> Result<Backup, Fault> {
    let failed = |error: io::Error| unusable(&draft.folder, &error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&draft.folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if is_kept(&name) {
            let (bytes, digest) = digest(&path).map_err(failed)?;
            files.push(BackupFile { name, bytes, digest });
        }
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(Backup { format: FORMAT.to_owned(), created_at: iso_time(now_us()), contexts, files })
}

fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut bytes = 0;
    let mut part = vec![0; 64 << 10];
    loop {
        let count = file.read(&mut part)?;
        if count == 0 {
            break;
        }
        bytes += count as u64;
        digest.update(part.get(..count).unwrap_or_default());
    }
    let mut text = "sha256:".to_owned();
    for byte in digest.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    Ok((bytes, text))
}

/// Puts a backup into the place of a data folder, which no server may use. Only with `replaces` it takes
/// the place of one that holds something, which is kept beside it.
///
/// # Errors
/// A [`Fault`] when a file of the backup is missing or is not as it was written, and when the folder is in
/// use or not empty; the folder is as it was then.
pub fn restore(source: &Path, data: &Path, replaces: bool) -> Result<Restored, Fault> {
    let list = read(source)?;
    let _lock = data.exists().then(|| FolderLock::take(data)).transpose()?;
    let is_only_lock = is_only_lock(data);
    let draft = Draft::begin(data, replaces || is_only_lock).map_err(|fault| match fault.help {
        Some(_) => {
            fault.with_help("--force puts the backup there and keeps the earlier folder beside it")
        }
        None => fault,
    })?;
    for file in &list.files {
        let refused = |reason: &str| {
            let message = format!("the backup can't be used: `{}` {reason}", file.name);
            Err(Fault::of(codes::DAMAGED, message))
        };
        if !is_kept(&file.name) {
            return refused("is not a file of a backup");
        }
        let from = source.join(&file.name);
        if !from.is_file() {
            return refused("is missing");
        }
        draft.copy(&from, &file.name)?;
        let copied = draft.path(&file.name);
        let found = digest(&copied).map_err(|error| unusable(&copied, &error))?;
        if found != (file.bytes, file.digest.clone()) {
            return refused("is not as it was written");
        }
    }
    let contexts = draft.path(CONTEXTS_FILE);
    if contexts.exists() {
        whole(&contexts)?;
    }
    let earlier = draft.finish()?;
    let earlier = match earlier {
        Some(earlier) if is_only_lock => {
            drop(std::fs::remove_dir_all(earlier));
            None
        }
        earlier => earlier,
    };
    let record = AuditRecord::new(AuditEvent::BackupRestored).with("by", "command line");
    audit::note_once(data, &record.with("createdAt", list.created_at.as_str()))?;
    Ok(Restored { backup: list, earlier })
}

/// Reports whether a folder holds nothing but the lock that was taken.
fn is_only_lock(data: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(data) else { return false };
    entries.flatten().all(|entry| entry.file_name() == folder::LOCK_FILE)
}

fn read(source: &Path) -> Result<Backup, Fault> {
    let path = source.join(LIST);
    let mut text = String::new();
    let read = File::open(&path).and_then(|file| file.take(LIST_BYTES).read_to_string(&mut text));
    read.map_err(|error| unusable(&path, &error))?;
    let wrong = |reason: &str| {
        let message = format!("{} is not the list of a backup: {reason}", path.display());
        Fault::of(codes::BAD_DATA, message)
    };
    let list: Backup = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
    if list.format != FORMAT {
        return Err(wrong(&format!("expected the format {FORMAT}, found {:?}", list.format)));
    }
    Ok(list)
}
