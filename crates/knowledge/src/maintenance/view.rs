//! A pack as the checks see it: its files and their content.

use crate::anchor::{AnchorFiles, Facts};
use crate::codes;
use crate::finding::Finding;
use crate::linking::places;
use crate::pack::{LeftOutKind, Listing, Pack, PackError, PackFile, plain_text};
use crate::section::{is_markdown, is_text};
use crate::sync::{PAGES, RECORD, synced_pages};
use contexture_diagnostic::Code;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

const MAX_BYTES: u64 = 16 << 20;

const MAX_FINDINGS: usize = 50;

/// An anchor that a record names, to be followed with those of the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedAnchor {
    pub(super) file: String,
    /// Its place in the record, as a JSON pointer.
    pub(super) pointer: String,
    pub(super) path: String,
    /// The place in that file.
    pub(super) fragment: Option<String>,
}

/// A pack and what was found in it.
pub(super) struct View<'a> {
    pub(super) pack: &'a Pack,
    pub(super) files: BTreeMap<String, PackFile>,
    /// The texts of its Markdown files, and of what else a model may be shown.
    pub(super) texts: BTreeMap<String, String>,
    has_source: bool,
    /// The pages that a source gave.
    synced: HashSet<String>,
    findings: BTreeMap<String, Vec<Finding>>,
    facts: RefCell<HashMap<String, Option<Arc<Facts>>>>,
}

impl<'a> View<'a> {
    pub(super) fn open(pack: &'a Pack) -> Result<Self, PackError> {
        let Listing { files, left_out } = pack.listing()?;
        let files = files.into_iter().map(|file| (file.path.clone(), file)).collect();
        let mut view = Self {
            pack,
            files,
            texts: BTreeMap::new(),
            has_source: pack.item().pack_root.join(PAGES).join(RECORD).is_file(),
            synced: synced_pages(&pack.item().pack_root),
            findings: BTreeMap::new(),
            facts: RefCell::default(),
        };
        for left in left_out {
            let code = match left.kind {
                LeftOutKind::Folder => codes::UNREADABLE_FILE,
                LeftOutKind::Symlink => codes::SYMLINK_LEFT_OUT,
            };
            view.found(code, &left.path, None, left.message());
        }
        let texts: Vec<String> = view.files.keys().filter(|path| is_read(path)).cloned().collect();
        for path in texts {
            if let Some(text) = view.read(&path) {
                view.texts.insert(path, plain_text(text));
            }
        }
        Ok(view)
    }

    /// Returns the text of a file; a file that can't be read is a finding.
    pub(super) fn read(&mut self, path: &str) -> Option<String> {
        match self.pack.read(path, MAX_BYTES) {
            Ok(text) => Some(text),
            Err(error) => {
                self.found(codes::UNREADABLE_FILE, path, None, error.to_string());
                None
            }
        }
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Reports whether there is such a folder with a file in it.
    pub(super) fn has_folder(&self, path: &str) -> bool {
        let within = format!("{}/", path.trim_end_matches('/'));
        path.is_empty()
            || self
                .files
                .range(within.clone()..)
                .next()
                .is_some_and(|(file, _)| file.starts_with(&within))
    }

    /// Returns the paths in the pack that an address in a file can lead to, best first.
    pub(super) fn places(&self, from: &str, address: &str) -> Vec<String> {
        places(from, address, self.pack.item().metadata.site_root.as_deref())
    }

    /// Reports whether the pages of the pack were made of a source.
    pub(super) fn has_source(&self) -> bool {
        self.has_source
    }

    /// Reports whether a file is a page that a source gave.
    pub(super) fn is_synced(&self, path: &str) -> bool {
        self.synced.contains(path)
    }

    /// Reports whether a place is outside the pages that a source gave.
    pub(super) fn is_beside(&self, place: &str) -> bool {
        self.has_source && place != PAGES && !place.starts_with(&format!("{PAGES}/"))
    }

    pub(super) fn folders(&self) -> BTreeSet<&str> {
        self.files.keys().filter_map(|path| Some(path.split_once('/')?.0)).collect()
    }

    /// Notes a finding about a file of the pack.
    pub(super) fn found(
        &mut self,
        code: Code,
        path: &str,
        line: Option<u32>,
        message: impl Into<String>,
    ) {
        let whole = self.pack.item().pack_root.join(path);
        let mut finding = Finding::new(code, &whole, message);
        finding.line = line;
        self.add(path, finding);
    }

    pub(super) fn add(&mut self, path: &str, finding: Finding) {
        self.findings.entry(path.to_owned()).or_default().push(finding);
    }

    /// Returns the findings, by file and line.
    pub(super) fn finish(self) -> Vec<Finding> {
        let mut all = Vec::new();
        for (path, mut findings) in self.findings {
            findings
                .sort_by(|a, b| (a.line, a.code, &a.message).cmp(&(b.line, b.code, &b.message)));
            findings.dedup();
            let more = findings.len().saturating_sub(MAX_FINDINGS);
            findings.truncate(MAX_FINDINGS);
            all.append(&mut findings);
            if more > 0 {
                let whole = self.pack.item().pack_root.join(path);
                let message = format!("{more} more findings about this file are not shown");
                all.push(Finding::new(codes::MANY_FINDINGS, &whole, message));
            }
        }
        all
    }
}

/// Reports whether links and anchors are looked for in the file.
fn is_read(path: &str) -> bool {
    let folder = path.split_once('/').map_or("", |(folder, _)| folder);
    let is_shown = matches!(folder, "compiled" | "documents" | "wiki");
    is_markdown(path) || (is_shown && is_text(path))
}

impl AnchorFiles for View<'_> {
    fn has(&self, path: &str) -> bool {
        View::has(self, path)
    }

    fn facts(&self, path: &str) -> Option<Arc<Facts>> {
        if let Some(known) = self.facts.borrow().get(path) {
            return known.clone();
        }
        let facts = match self.texts.get(path) {
            Some(text) => Some(Facts::of(path, text)),
            None => {
                let text = self.pack.read(path, MAX_BYTES).ok().map(plain_text);
                text.map(|text| Facts::of(path, &text))
            }
        };
        let facts = facts.map(Arc::new);
        self.facts.borrow_mut().insert(path.to_owned(), facts.clone());
        facts
    }
}
