//! Brings what has changed up to date.

use super::stale::{Stale, changes};
use super::{Selection, Session, Source};
use crate::pack::Pack;
use crate::resolve::{Resolution, Task};

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
    /// What `resolve` gives; the session is then as it was.
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
