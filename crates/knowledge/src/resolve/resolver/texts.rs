//! Texts of packs, kept while they match the listing.

use crate::anchor::{AnchorFiles, Facts, SourceMap};
use crate::index::{MAX_FILE_BYTES, Place, View};
use crate::pack::{Pack, PackError, is_plain, plain_text};
use crate::synonyms::Synonyms;
use contexture_context::Digest;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The most bytes of texts that are kept.
pub(super) const MAX_KEPT: usize = 24 << 20;

/// A text and what was made of it.
pub(super) struct FileText {
    pub(super) text: String,
    stat: Option<(u64, u64)>,
    facts: OnceLock<Arc<Facts>>,
    map: OnceLock<Result<Arc<SourceMap>, String>>,
    synonyms: OnceLock<(Arc<Synonyms>, usize)>,
    /// Of the file as it is; made when it is asked for, where the text is the file's.
    digest: OnceLock<Digest>,
}

impl FileText {
    pub(super) fn digest(&self) -> Digest {
        self.digest.get_or_init(|| Digest::of_text(&self.text)).clone()
    }

    pub(super) fn map(&self) -> Result<Arc<SourceMap>, String> {
        self.map.get_or_init(|| SourceMap::parse(&self.text).map(Arc::new)).clone()
    }
}

impl FileText {
    /// Returns the synonyms that it lists, and the number of its lines that can't be used.
    pub(super) fn synonyms(&self) -> &(Arc<Synonyms>, usize) {
        self.synonyms.get_or_init(|| {
            let (synonyms, problems) = Synonyms::parse(&self.text);
            (Arc::new(synonyms), problems.len())
        })
    }
}

#[derive(Default)]
struct Kept {
    texts: HashMap<(Arc<str>, String), Arc<FileText>>,
    bytes: usize,
}

impl Kept {
    /// Returns a text that is kept, if it is of the file as it is now.
    fn of(&self, key: &(Arc<str>, String), stat: Option<(u64, u64)>) -> Option<&Arc<FileText>> {
        self.texts.get(key).filter(|text| text.stat == stat)
    }
}

pub(super) struct Texts {
    kept: Mutex<Kept>,
    /// The most bytes that are kept.
    most: usize,
}

impl Default for Texts {
    fn default() -> Self {
        Self { kept: Mutex::default(), most: MAX_KEPT }
    }
}

impl Texts {
    #[cfg(test)]
    pub(super) fn keeping(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Returns the text of a file as it is now.
    pub(super) fn get(
        &self,
        pack: &Pack,
        view: &View,
        path: &str,
    ) -> Result<Arc<FileText>, PackError> {
        let stat = view.listing.get(path).copied();
        let key = (Arc::clone(&view.key), path.to_owned());
        {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(text) = kept.of(&key, stat) {
                return Ok(Arc::clone(text));
            }
        }
        // The listing found out already whether a file is the pack's own.
        let text = match stat {
            Some(_) => pack.read_listed(path, MAX_FILE_BYTES)?,
            None => pack.read(path, MAX_FILE_BYTES)?,
        };
        let digest = OnceLock::new();
        if !is_plain(&text) {
            let _ = digest.set(Digest::of_text(&text));
        }
        let text = Arc::new(FileText {
            text: plain_text(text),
            stat,
            facts: OnceLock::new(),
            map: OnceLock::new(),
            synonyms: OnceLock::new(),
            digest,
        });
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes + text.text.len() > self.most {
            *kept = Kept::default();
        }
        kept.bytes += text.text.len();
        if let Some(old) = kept.texts.insert(key, Arc::clone(&text)) {
            kept.bytes = kept.bytes.saturating_sub(old.text.len());
        }
        Ok(text)
    }

    /// Returns the text of a section; `None` when its file can't be read or is not what was indexed.
    ///
    /// Once as many texts are kept as may be, the section alone is read: a large pack would otherwise
    /// be read again and again, file by file.
    pub(super) fn section(&self, pack: &Pack, view: &View, place: &Place) -> Option<String> {
        if let Some(text) = self.part(pack, view, place) {
            return Some(text);
        }
        let file = self.get(pack, view, &place.path).ok()?;
        if let Some(text) = place.of(&file.text) {
            return Some(text.to_owned());
        }
        self.forget(view, &place.path);
        let file = self.get(pack, view, &place.path).ok()?;
        place.of(&file.text).map(str::to_owned)
    }

    /// Returns the text of a section of a file that is not kept and would take the room of others.
    fn part(&self, pack: &Pack, view: &View, place: &Place) -> Option<String> {
        let stat = view.listing.get(&place.path).copied()?;
        {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let has_room = kept.bytes + usize::try_from(stat.0).ok()? <= self.most;
            if has_room
                || kept.of(&(Arc::clone(&view.key), place.path.clone()), Some(stat)).is_some()
            {
                return None;
            }
        }
        // Where the file is not plain, its places are those of the plain text: the mark differs.
        let text = pack.listed_part(&place.path, place.text.clone())?;
        place.is_of(&text).then_some(text)
    }

    /// Forgets a text that turned out to be another one.
    pub(super) fn forget(&self, view: &View, path: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = kept.texts.remove(&(Arc::clone(&view.key), path.to_owned())) {
            kept.bytes = kept.bytes.saturating_sub(old.text.len());
        }
    }
}

/// The files of one pack, for checking anchors.
pub(super) struct Files<'a> {
    pub(super) texts: &'a Texts,
    pub(super) pack: &'a Pack,
    pub(super) view: &'a View,
}

impl AnchorFiles for Files<'_> {
    fn has(&self, path: &str) -> bool {
        self.view.listing.contains_key(path)
    }

    fn facts(&self, path: &str) -> Option<Arc<Facts>> {
        let text = self.texts.get(self.pack, self.view, path).ok()?;
        Some(Arc::clone(text.facts.get_or_init(|| Arc::new(Facts::of(path, &text.text)))))
    }
}
