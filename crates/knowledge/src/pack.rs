//! An opened pack: its files, read below its folder and nowhere else (KN-2, KN-7, KN-8).
//!
//! Decision: hidden files, version control, installed modules and inner packs are not part of a
//! pack. They are not listed, not digested and not read, so that the digest that somebody approved
//! covers all that is selected for a model: the source map and what runs found, too. The log of its
//! use, which each use changes, and indexes of other tools are left out.

mod content;
mod error;
mod files;

pub(crate) use content::is_left_out;
pub use error::PackError;
pub(crate) use files::{FOLDERS, SCRIPTS};
pub use files::{FileKind, LeftOut, LeftOutKind, Listing, PackFile};

pub use crate::item::{GUIDE_FILE, MAX_GUIDE_BYTES};

use crate::item::{CatalogItem, Scope};
use crate::manifest;
use content::Content;
use contexture_context::Digest;
use contexture_tools::FileError;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

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

/// Returns a text as its sections are found and shown: without a mark of its byte order, and with
/// lines where an old system ended them with CR alone.
pub(crate) fn plain_text(text: String) -> String {
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    if has_old_line_ends(&text) { text.replace('\r', "\n") } else { text }
}

/// Reports whether [`plain_text`] leaves a text as it is.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.starts_with('\u{feff}') && !has_old_line_ends(text)
}

fn has_old_line_ends(text: &str) -> bool {
    // Nearly all texts have a line that ends, early on.
    !text.contains('\n') && text.contains('\r')
}

impl Pack {
    /// Opens the folder of a pack; the item is taken as it is.
    ///
    /// # Errors
    /// [`PackError`] when there is no such folder or it can't be opened.
    pub fn open(item: CatalogItem, scope: Scope) -> Result<Self, PackError> {
        let content = Content::folder(&item.pack_root)
            .map_err(|error| PackError::unreadable(&item.name, error))?;
        Ok(Self::new(item, scope, content))
    }

    /// Returns a pack that is part of the program: pairs of a path and a text.
    #[must_use]
    pub fn from_static(item: CatalogItem, files: &'static [(&'static str, &'static str)]) -> Self {
        Self::new(item, Scope::BuiltIn, Content::Static(files))
    }

    fn new(item: CatalogItem, scope: Scope, content: Content) -> Self {
        Self { inner: Arc::new(Inner { item, scope, content, digest: Mutex::default() }) }
    }

    /// Returns its item, as read from its `KNOWLEDGE.md`.
    #[must_use]
    pub fn item(&self) -> &CatalogItem {
        &self.inner.item
    }

    /// Returns its scope.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.inner.scope
    }

    /// Returns all its files, by path.
    ///
    /// # Errors
    /// As [`Self::listing`].
    pub fn files(&self) -> Result<Vec<PackFile>, PackError> {
        Ok(self.listing()?.files)
    }

    /// Returns all its files, and those left out because they can't be read: an unreadable folder
    /// within the pack does not keep out the others.
    ///
    /// # Errors
    /// [`PackError`] when the pack's own folder can't be read, or there are more files or deeper
    /// folders than can be handled.
    pub fn listing(&self) -> Result<Listing, PackError> {
        let item = self.item();
        files::list(&self.inner.content, item.metadata.primary_document.as_deref())
            .map_err(|error| error.of(&item.name))
    }

    /// Returns the text of a file of at most `max_bytes` bytes; `path` is relative to the pack's
    /// folder.
    ///
    /// # Errors
    /// [`PackError`] when there is no such file in the pack, it is larger, or not UTF-8.
    pub fn read(&self, path: &str, max_bytes: u64) -> Result<String, PackError> {
        let text = self.inner.content.read_text(path, max_bytes);
        text.map_err(|error| PackError::unreadable(&self.item().name, error))
    }

    /// Returns the same of a file that a listing of the pack gave, which looked at it already: that
    /// it is not a hidden file, and of no inner pack.
    pub(crate) fn read_listed(&self, path: &str, max_bytes: u64) -> Result<String, PackError> {
        let text = self.inner.content.read_listed(path, max_bytes);
        text.map_err(|error| PackError::unreadable(&self.item().name, error))
    }

    /// Returns a part of a file that a listing of the pack gave, as far as it has it; `None` when it
    /// can't be read, or the part is not UTF-8.
    pub(crate) fn listed_part(&self, path: &str, part: Range<usize>) -> Option<String> {
        String::from_utf8(self.inner.content.listed_part(path, part).ok()?).ok()
    }

    /// Returns the guide: what stands in `KNOWLEDGE.md` after the frontmatter.
    ///
    /// # Errors
    /// [`PackError`] when the file is gone, larger than [`MAX_GUIDE_BYTES`], not UTF-8, or has no
    /// frontmatter any more.
    pub fn guide_body(&self) -> Result<String, PackError> {
        Ok(self.guide_parts()?.0)
    }

    /// Returns the guide, and the line of `KNOWLEDGE.md` that it begins in.
    pub(crate) fn guide_parts(&self) -> Result<(String, u32), PackError> {
        let text = self.read(GUIDE_FILE, MAX_GUIDE_BYTES)?;
        match manifest::split(&text) {
            Ok(parts) => Ok((parts.body.to_owned(), parts.body_line)),
            Err(problem) => Err(PackError::Changed {
                pack: self.item().name.clone(),
                reason: problem.message(),
            }),
        }
    }

    /// Returns the digest of the pack's content: of all files by path and content, without the log
    /// `runs/usage.jsonl` and what is in `indexes/` beside the source map. A file that has the same
    /// size and time as before is not read again. A file or folder that can't be read stands in it
    /// by its name, so the digest is another one as soon as it can be.
    ///
    /// # Errors
    /// [`PackError`] when the pack can't be listed, or a file is too large.
    pub fn digest(&self) -> Result<Digest, PackError> {
        let Listing { mut files, left_out } = self.listing()?;
        files.retain(|file| !file.is_unsaid());
        let mut known = self.inner.digest.lock().unwrap_or_else(PoisonError::into_inner);
        let closed: Vec<&LeftOut> =
            left_out.iter().filter(|left| left.kind == LeftOutKind::Folder).collect();
        if let Some((seen, digest)) = known.as_ref()
            && closed.is_empty()
            && *seen == files
        {
            return Ok(digest.clone());
        }
        let (digest, is_whole) = self.digest_of(&files, &closed)?;
        // Permissions change neither size nor time: what could not be read is tried again.
        *known = is_whole.then(|| (files, digest.clone()));
        Ok(digest)
    }

    /// Returns the digest, and whether every file could be read.
    fn digest_of(
        &self,
        files: &[PackFile],
        closed: &[&LeftOut],
    ) -> Result<(Digest, bool), PackError> {
        let (mut lines, mut is_whole) = (String::new(), closed.is_empty());
        for folder in closed {
            let path = serde_json::Value::from(format!("{}/", folder.path));
            lines.push_str(&format!("unreadable {path}\n"));
        }
        for file in files {
            // A JSON string cannot be mistaken for two lines, whatever the name.
            let path = serde_json::Value::from(file.path.as_str());
            match self.inner.content.listed_bytes(&file.path, MAX_FILE_BYTES) {
                Ok(bytes) => lines.push_str(&format!("{} {path}\n", Digest::of_bytes(&bytes))),
                Err(error @ FileError::TooLarge { .. }) => {
                    return Err(PackError::unreadable(&self.item().name, error));
                }
                Err(_) => {
                    is_whole = false;
                    lines.push_str(&format!("unreadable {path}\n"));
                }
            }
        }
        Ok((Digest::of_text(&lines), is_whole))
    }
}

#[cfg(test)]
mod tests;
