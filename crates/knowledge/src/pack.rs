//! An opened pack: its files, read below its folder and nowhere else (KN-2, KN-7, KN-8).
//!
//! Decision: hidden files, version control, installed modules and inner packs are no part of a
//! pack. They are not listed, not digested and not read, so that the digest that somebody approved
//! covers all that can reach a model, save the records in `runs/` and `indexes/`.

mod content;
mod error;
mod files;

pub use error::PackError;
pub use files::{FileKind, PackFile};

use crate::item::{CatalogItem, Scope};
use crate::manifest;
use content::Content;
use contexture_context::Digest;
use std::sync::{Arc, Mutex, PoisonError};

/// The name that makes a folder a pack.
pub const GUIDE_FILE: &str = "KNOWLEDGE.md";

/// The largest guide that is read, in bytes.
pub const MAX_GUIDE_BYTES: u64 = 1 << 20;

/// The largest file that a digest is made of, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// A pack that was opened. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Pack {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    item: CatalogItem,
    scope: Scope,
    content: Content,
    /// The digest as of the files that the listing showed then.
    digest: Mutex<Option<(Vec<PackFile>, Digest)>>,
}

impl Pack {
    /// Opens the folder of a pack; what the item says of it is taken as it is.
    ///
    /// # Errors
    /// [`PackError`] when there is no such folder or it can't be opened.
    pub fn open(item: CatalogItem, scope: Scope) -> Result<Self, PackError> {
        let content = Content::folder(&item.pack_root)
            .map_err(|error| PackError::unreadable(&item.name, error))?;
        Ok(Self::new(item, scope, content))
    }

    /// A pack that is part of the program: pairs of a path and a text.
    #[must_use]
    pub fn from_static(item: CatalogItem, files: &'static [(&'static str, &'static str)]) -> Self {
        Self::new(item, Scope::BuiltIn, Content::Static(files))
    }

    fn new(item: CatalogItem, scope: Scope, content: Content) -> Self {
        Self { inner: Arc::new(Inner { item, scope, content, digest: Mutex::default() }) }
    }

    /// What is known of it from its `KNOWLEDGE.md`.
    #[must_use]
    pub fn item(&self) -> &CatalogItem {
        &self.inner.item
    }

    /// Where it was found.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.inner.scope
    }

    /// All its files, by path.
    ///
    /// # Errors
    /// [`PackError`] when a folder can't be read, or there are more files or deeper folders than
    /// can be handled.
    pub fn files(&self) -> Result<Vec<PackFile>, PackError> {
        let item = self.item();
        files::list(&self.inner.content, item.metadata.primary_document.as_deref())
            .map_err(|error| error.of(&item.name))
    }

    /// The text of a file of at most `max_bytes` bytes; `path` is relative to the pack's folder.
    ///
    /// # Errors
    /// [`PackError`] when there is no such file in the pack, it is larger, or not UTF-8.
    pub fn read(&self, path: &str, max_bytes: u64) -> Result<String, PackError> {
        let text = self.inner.content.read_text(path, max_bytes);
        text.map_err(|error| PackError::unreadable(&self.item().name, error))
    }

    /// The guide: what stands in `KNOWLEDGE.md` after the frontmatter.
    ///
    /// # Errors
    /// [`PackError`] when the file is gone, larger than [`MAX_GUIDE_BYTES`], not UTF-8, or has no
    /// frontmatter any more.
    pub fn guide_body(&self) -> Result<String, PackError> {
        let text = self.read(GUIDE_FILE, MAX_GUIDE_BYTES)?;
        match manifest::split(&text) {
            Ok(parts) => Ok(parts.body.to_owned()),
            Err(problem) => Err(PackError::Changed {
                pack: self.item().name.clone(),
                reason: problem.message(),
            }),
        }
    }

    /// The digest of what the pack says: of all files by path and content, without `runs/` and
    /// `indexes/`. A file that has the same size and time as before is not read again.
    ///
    /// # Errors
    /// [`PackError`] when a file can't be read.
    pub fn digest(&self) -> Result<Digest, PackError> {
        let mut files = self.files()?;
        files.retain(|file| !file.is_record());
        let mut known = self.inner.digest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seen, digest)) = known.as_ref()
            && *seen == files
        {
            return Ok(digest.clone());
        }
        let digest = self.digest_of(&files)?;
        *known = Some((files, digest.clone()));
        Ok(digest)
    }

    fn digest_of(&self, files: &[PackFile]) -> Result<Digest, PackError> {
        let mut lines = String::new();
        for file in files {
            let bytes = self.inner.content.read_bytes(&file.path, MAX_FILE_BYTES);
            let bytes = bytes.map_err(|error| PackError::unreadable(&self.item().name, error))?;
            // A JSON string cannot be mistaken for two lines, whatever the name.
            let path = serde_json::Value::from(file.path.as_str());
            lines.push_str(&format!("{} {path}\n", Digest::of_bytes(&bytes)));
        }
        Ok(Digest::of_text(&lines))
    }
}

#[cfg(test)]
mod tests;
