//! The files that an index was made of, and their changes since.

use super::schema::{Area, VERSION};
use super::terms::Language;
use crate::files::is_settled;
use crate::pack::PackFile;
use contexture_context::Digest;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The files that an index was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    version: u32,
    #[serde(skip)]
    in_memory: bool,
    /// The language that the pack named: that of pages which don't show theirs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) language: Option<String>,
    pub(super) files: BTreeMap<String, Known>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Known {
    pub(super) bytes: u64,
    pub(super) modified_ns: u64,
    pub(super) read_ns: u64,
    pub(super) area: usize,
    pub(super) sections: u32,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) language: Option<Language>,
    pub(super) digest: Digest,
    /// The reason why it could not be read; then it has no sections and is tried again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) problem: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Files that are new or may have changed.
    pub(super) read: Vec<(PackFile, Area)>,
    pub(super) gone: Vec<String>,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.read.is_empty() && self.gone.is_empty()
    }
}

impl State {
    pub(super) fn new() -> Self {
        Self { version: VERSION, in_memory: false, language: None, files: BTreeMap::new() }
    }

    /// Returns the state of an index that is in memory and nowhere else.
    pub(super) fn in_memory(mut self) -> Self {
        self.in_memory = true;
        self
    }

    pub(super) fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    /// Returns the state that was committed with an index; `None` when it is not readable.
    pub(super) fn parse(payload: Option<&str>) -> Option<Self> {
        let state: Self = serde_json::from_str(payload?).ok()?;
        (state.version == VERSION).then_some(state)
    }

    pub(super) fn payload(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn digest(&self, path: &str) -> Option<&Digest> {
        self.files.get(path).map(|known| &known.digest)
    }

    /// Returns the areas that have sections.
    pub(super) fn areas(&self) -> BTreeSet<Area> {
        let full = self.files.values().filter(|known| known.sections > 0);
        let numbers: BTreeSet<usize> = full.map(|known| known.area).collect();
        Area::ALL.into_iter().filter(|area| numbers.contains(&area.number())).collect()
    }

    /// Returns the languages of its pages whose endings are known, English aside.
    pub(super) fn languages(&self) -> BTreeSet<Language> {
        self.files.values().filter_map(|known| known.language).collect()
    }

    pub(crate) fn problems(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .filter_map(|(path, known)| Some((path.as_str(), known.problem.as_deref()?)))
    }

    pub(super) fn sections(&self) -> u64 {
        self.files.values().map(|known| u64::from(known.sections)).sum()
    }

    /// Compares with the files as they are.
    pub(super) fn changes(&self, files: &[PackFile], primary: Option<&str>) -> Changes {
        let mut changes = Changes::default();
        let mut present = std::collections::HashSet::with_capacity(files.len());
        for file in files {
            let Some(area) = Area::of(&file.path, primary) else { continue };
            present.insert(file.path.as_str());
            let is_known = self.files.get(&file.path).is_some_and(|known| known.holds(file, area));
            if !is_known {
                changes.read.push((file.clone(), area));
            }
        }
        let is_gone = |path: &&String| !present.contains(path.as_str());
        changes.gone = self.files.keys().filter(is_gone).cloned().collect();
        changes
    }
}

impl Known {
    fn holds(&self, file: &PackFile, area: Area) -> bool {
        let modified = nanoseconds(file.modified_ns);
        self.problem.is_none()
            && self.bytes == file.bytes
            && self.modified_ns == modified
            && self.area == area.number()
            && (modified == 0 || is_settled(modified, self.read_ns))
    }
}

pub(super) fn nanoseconds(time: u128) -> u64 {
    u64::try_from(time).unwrap_or(u64::MAX)
}
