//! The packs that a long conversation has loaded, so that they outlive compaction (KN-14).
//!
//! A [`Session`] remembers the guides that were shown and the sections that were selected, with the
//! files, versions, profiles and digests behind them. It can be written down and read back; then
//! [`Session::texts`] gives the same texts, in the same order.
//!
//! Decision: the texts themselves are kept, not only how they came about. They are what the model
//! saw, they are small, since guides and selections are bounded, and a pack that changed in between
//! cannot quietly put another text in their place: [`Session::stale`] reports the change, and
//! [`Session::refresh`] resolves again when it is asked to. Files are never kept, only what was
//! selected from them.
//!
//! ```
//! use contexture_knowledge::session::Session;
//!
//! let session = Session::default();
//! let kept = serde_json::to_string(&session)?;
//! assert_eq!(serde_json::from_str::<Session>(&kept)?, session);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::finding::Finding;
use crate::guide::{self, Resource};
use crate::item::{CatalogItem, Profile, RuntimeMode};
use crate::pack::{GUIDE_FILE, MAX_GUIDE_BYTES, Pack, PackError};
use crate::resolve::{PackUse, Resolution, Task};
use contexture_context::Digest;
use serde::{Deserialize, Serialize};

/// The packs that a conversation has loaded.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Session {
    /// The guides, in the order of their activation.
    pub guides: Vec<ActiveGuide>,
    /// The selections, in the order in which they were made.
    pub selections: Vec<Selection>,
}

/// A guide that was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActiveGuide {
    /// The pack and its `KNOWLEDGE.md`.
    pub source: Source,
    /// The guide as it was shown.
    pub text: String,
}

/// Sections that were selected for a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The task.
    pub task: Task,
    /// The packs that were asked, by name.
    pub packs: Vec<String>,
    /// The used part of each.
    pub sources: Vec<Source>,
    /// The anchors of its sections: the source map of the answer.
    pub source_anchors: Vec<String>,
    /// The fenced text as it was shown.
    pub text: String,
    /// Its tokens.
    pub tokens: u64,
}

/// The loaded part of one pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The name of the pack.
    pub pack: String,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    /// Its effective profile.
    pub profile: Profile,
    /// Its effective runtime mode.
    pub runtime_mode: RuntimeMode,
    /// The files that were read, with the digest of their content.
    pub files: Vec<SourceFile>,
}

/// A file as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its path, relative to the pack.
    pub path: String,
    /// The digest of its content.
    pub digest: Digest,
}

/// The result of activating a pack in a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Activation {
    /// The text to show: the guide, or a short note when the same guide was shown before.
    pub text: String,
    /// True if the guide was shown before and is unchanged.
    pub repeated: bool,
    /// Warnings about using the pack; empty when repeated.
    pub warnings: Vec<Finding>,
    /// The files that the guide lists; empty when repeated.
    pub resources: Vec<Resource>,
}

impl Session {
    /// Activates a pack. The second time gives a note in place of the guide, unless the guide has
    /// changed.
    ///
    /// # Errors
    /// [`PackError`] when the guide can't be read or the files can't be listed.
    pub fn activate(&mut self, pack: &Pack) -> Result<Activation, PackError> {
        let name = &pack.item().name;
        let guide = guide::activate(pack)?;
        let known = self.guides.iter_mut().find(|known| known.source.pack == *name);
        if known.as_ref().is_some_and(|known| known.text == guide.text) {
            let (warnings, resources) = (Vec::new(), Vec::new());
            return Ok(Activation { text: note(name), repeated: true, warnings, resources });
        }
        let text = pack.read(GUIDE_FILE, MAX_GUIDE_BYTES)?;
        let file = SourceFile { path: GUIDE_FILE.to_owned(), digest: Digest::of_text(&text) };
        let source = Source::of(pack.item(), vec![file]);
        let active = ActiveGuide { source, text: guide.text.clone() };
        match known {
            Some(known) => *known = active,
            None => self.guides.push(active),
        }
        let guide::Guide { text, warnings, resources, .. } = guide;
        Ok(Activation { text, repeated: false, warnings, resources })
    }

    /// Keeps what was selected for a task. The same task of the same packs takes the place of its
    /// former selection; a selection of nothing is not kept.
    pub fn select(&mut self, packs: &[Pack], task: &Task, resolution: &Resolution) {
        let selection = Selection::of(packs, task, resolution);
        let is_same = |known: &Selection| known.task == *task && known.packs == selection.packs;
        let place = self.selections.iter().position(is_same);
        match place.and_then(|place| self.selections.get_mut(place)) {
            Some(known) if !selection.text.is_empty() => *known = selection,
            Some(_) => self.selections.retain(|known| !is_same(known)),
            None if !selection.text.is_empty() => self.selections.push(selection),
            None => {}
        }
    }

    /// Returns the texts that a compacted or reloaded conversation has to show again: the guides,
    /// then the selections, each as it was shown first.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let guides = self.guides.iter().map(|guide| guide.text.as_str());
        guides.chain(self.selections.iter().map(|selection| selection.text.as_str()))
    }

    /// Returns the loaded sources, for the audit of an answer: guides first.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let guides = self.guides.iter().map(|guide| &guide.source);
        guides.chain(self.selections.iter().flat_map(|selection| &selection.sources))
    }

    /// Forgets a pack: its guide, and the selections that it has a part in.
    pub fn forget(&mut self, pack: &str) {
        self.guides.retain(|guide| guide.source.pack != pack);
        self.selections.retain(|selection| !selection.packs.iter().any(|name| name == pack));
    }
}

impl Selection {
    fn of(packs: &[Pack], task: &Task, resolution: &Resolution) -> Self {
        Self {
            task: task.clone(),
            packs: packs.iter().map(|pack| pack.item().name.clone()).collect(),
            sources: resolution.uses.iter().map(Source::used).collect(),
            source_anchors: resolution.source_anchors.clone(),
            text: resolution.context.clone(),
            tokens: resolution.tokens,
        }
    }
}

impl Source {
    fn of(item: &CatalogItem, files: Vec<SourceFile>) -> Self {
        Self {
            pack: item.name.clone(),
            version: item.version.clone(),
            profile: item.profile,
            runtime_mode: item.runtime.mode,
            files,
        }
    }

    fn used(used: &PackUse) -> Self {
        let file = |(path, digest): &(String, Digest)| SourceFile {
            path: path.clone(),
            digest: digest.clone(),
        };
        Self::of(&used.item, used.files.iter().map(file).collect())
    }
}

fn note(name: &str) -> String {
    format!(
        "The guide of knowledge pack `{name}` was shown before in this conversation and has not \
         changed."
    )
}

/// The result of a refresh.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Refreshed {
    /// The texts that took the place of others, in their order.
    pub texts: Vec<String>,
    /// The changed sources.
    pub stale: Vec<Stale>,
    /// The packs whose guides or selections were dropped: the pack is gone, its guide can't be
    /// read, or nothing in it answers the task any more.
    pub dropped: Vec<String>,
}

impl Session {
    /// Loads again what has changed: guides from the packs, selections through `resolve`. What has
    /// not changed stays as it is.
    ///
    /// # Errors
    /// The error of `resolve`; the session is then as it was.
    pub fn refresh<E>(
        &mut self,
        packs: &[Pack],
        mut resolve: impl FnMut(&[Pack], &Task) -> Result<Resolution, E>,
    ) -> Result<Refreshed, E> {
        let mut done = Refreshed { stale: self.stale(packs), ..Refreshed::default() };
        let mut fresh = Self::default();
        for guide in &self.guides {
            if is_current(&guide.source, packs) {
                fresh.guides.push(guide.clone());
                continue;
            }
            let pack = packs.iter().find(|pack| pack.item().name == guide.source.pack);
            match pack.map(|pack| fresh.activate(pack)) {
                Some(Ok(activation)) => done.texts.push(activation.text),
                _ => done.dropped.push(guide.source.pack.clone()),
            }
        }
        for selection in &self.selections {
            if selection.sources.iter().all(|source| is_current(source, packs)) {
                fresh.selections.push(selection.clone());
                continue;
            }
            let asked: Vec<Pack> = selection.packs_among(packs).cloned().collect();
            let resolution = resolve(&asked, &selection.task)?;
            fresh.select(&asked, &selection.task, &resolution);
            if resolution.context.is_empty() {
                done.dropped.extend(selection.packs.iter().cloned());
            } else {
                done.texts.push(resolution.context);
            }
        }
        done.dropped.sort();
        done.dropped.dedup();
        *self = fresh;
        Ok(done)
    }
}

impl Selection {
    fn packs_among<'p>(&self, packs: &'p [Pack]) -> impl Iterator<Item = &'p Pack> {
        self.packs.iter().filter_map(|name| packs.iter().find(|pack| pack.item().name == *name))
    }
}

fn is_current(source: &Source, packs: &[Pack]) -> bool {
    changes(source, packs).is_empty()
}

const MAX_FILE_BYTES: u64 = 64 << 20;

/// A loaded file that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stale {
    /// The pack.
    pub pack: String,
    /// The file, relative to the pack; empty when the pack itself is gone.
    pub path: String,
    /// The change to it.
    pub change: Change,
}

/// A change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Its content has changed.
    Changed,
    /// It can't be read any more.
    Gone,
    /// The pack is not among the packs.
    PackGone,
}

impl Session {
    /// Returns the changes under the guides and selections, each file once, by pack and path.
    /// Every file that was loaded is read again.
    #[must_use]
    pub fn stale(&self, packs: &[Pack]) -> Vec<Stale> {
        let mut found: Vec<Stale> =
            self.sources().flat_map(|source| changes(source, packs)).collect();
        found.sort_by(|left, right| (&left.pack, &left.path).cmp(&(&right.pack, &right.path)));
        found.dedup();
        found
    }
}

/// Returns the changes of one source.
fn changes(source: &Source, packs: &[Pack]) -> Vec<Stale> {
    let stale =
        |path: &str, change| Stale { pack: source.pack.clone(), path: path.to_owned(), change };
    let Some(pack) = packs.iter().find(|pack| pack.item().name == source.pack) else {
        return vec![stale("", Change::PackGone)];
    };
    let change = |file: &SourceFile| match pack.read(&file.path, MAX_FILE_BYTES) {
        Err(_) => Some(stale(&file.path, Change::Gone)),
        Ok(text) if Digest::of_text(&text) != file.digest => {
            Some(stale(&file.path, Change::Changed))
        }
        Ok(_) => None,
    };
    source.files.iter().filter_map(change).collect()
}

#[cfg(test)]
mod tests;
