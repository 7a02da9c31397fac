//! Texts of packs, kept while they match the listing.

use crate::anchor::{AnchorFiles, Facts, SourceMap};
use crate::index::{MAX_FILE_BYTES, View};
use crate::pack::{Pack, PackError, is_plain, plain_text};
use crate::synonyms::Synonyms;
use contexture_context::Digest;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

const MAX_KEPT: usize = 24 << 20;

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

#[derive(Default)]
pub(super) struct Texts {
    kept: Mutex<Kept>,
}

impl Texts {
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
            if let Some(text) = kept.texts.get(&key)
                && text.stat == stat
            {
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
        if kept.bytes + text.text.len() > MAX_KEPT {
            *kept = Kept::default();
        }
        kept.bytes += text.text.len();
        if let Some(old) = kept.texts.insert(key, Arc::clone(&text)) {
            kept.bytes = kept.bytes.saturating_sub(old.text.len());
        }
        Ok(text)
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
