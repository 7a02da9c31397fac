//! The journals of a workspace, in files of its folder.

use super::kept::folder_of;
use contexture_core::store::journals::{JournalError, JournalLines, JournalPlace, Journals};
use contexture_llm::JournalFile;
use std::path::PathBuf;
use std::sync::Arc;

/// Journals as files in a folder, which is made with the first one.
pub(super) struct JournalFiles(pub(super) PathBuf);

impl Journals for JournalFiles {
    fn place(&self, run: &str) -> Arc<dyn JournalPlace> {
        let file = JournalFile::new(self.0.join(format!("{run}.jsonl")));
        Arc::new(InFolder { folder: self.0.clone(), file })
    }

    fn ids(&self) -> Result<Vec<String>, JournalError> {
        let entries = match std::fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(JournalError(format!("{}: {error}", self.0.display()))),
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut ids: Vec<String> =
            names.filter_map(|name| Some(name.strip_suffix(".jsonl")?.to_owned())).collect();
        ids.sort_unstable_by(|left, right| right.cmp(left));
        Ok(ids)
    }
}

/// A journal in the folder.
struct InFolder {
    folder: PathBuf,
    file: JournalFile,
}

impl JournalPlace for InFolder {
    fn name(&self) -> String {
        self.file.name()
    }

    fn exists(&self) -> bool {
        self.file.exists()
    }

    fn create(&self) -> Result<Box<dyn JournalLines>, JournalError> {
        folder_of(&self.folder)?;
        self.file.create()
    }

    fn open(&self) -> Result<(Vec<u8>, Box<dyn JournalLines>), JournalError> {
        self.file.open()
    }

    fn read(&self) -> Result<Vec<u8>, JournalError> {
        self.file.read()
    }

    fn is_open(&self) -> bool {
        self.file.is_open()
    }

    fn is_cancelled(&self) -> bool {
        self.file.is_cancelled()
    }

    fn cancel(&self) -> Result<(), JournalError> {
        self.file.cancel()
    }

    fn resume(&self) {
        self.file.resume();
    }

    fn remove(&self) {
        self.file.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    contexture_core::journals_contract!(files());

    fn files() -> impl Fn() -> Arc<dyn Journals> {
        let (folder, count) = (tempfile::tempdir().unwrap(), AtomicUsize::new(0));
        move || {
            let number = count.fetch_add(1, Ordering::Relaxed);
            Arc::new(JournalFiles(folder.path().join(number.to_string())))
        }
    }
}
