//! The packs of a run, found on first use: most programs have none.

use super::consent::Question;
use super::error::PacksError;
use super::opened::Packs;
use super::options::Options;
use crate::observe::Observer;
use crate::project::Project;
use contexture_knowledge::pack::Pack;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The packs of a project, and the observer that is asked before one is read.
pub(crate) struct OnDemand {
    pub(super) project: Project,
    options: Options,
    observer: Arc<dyn Observer>,
    opened: OnceLock<Packs>,
    /// The questions that were answered with no: nobody is asked twice.
    refused: Mutex<Vec<Question>>,
}

impl OnDemand {
    pub(crate) fn new(
        project: &Project,
        options: Options,
        observer: Arc<dyn Observer>,
    ) -> Arc<Self> {
        Arc::new(Self {
            project: project.clone(),
            options,
            observer,
            opened: OnceLock::new(),
            refused: Mutex::default(),
        })
    }

    pub(crate) fn get(&self) -> &Packs {
        self.opened.get_or_init(|| Packs::open(&self.project, self.options.clone()))
    }

    /// Reports whether packs of the organization may be missing because nothing is fetched.
    pub(crate) fn misses_registry(&self) -> bool {
        self.options.offline && self.project.config.knowledge.registry.is_some()
    }

    /// Returns a pack that may be read; the observer of the run is asked first if consent is
    /// needed.
    pub(crate) fn allowed(&self, name: &str) -> Result<Pack, PacksError> {
        let packs = self.get();
        if let Some(question) = packs.question(name)? {
            let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
            if !refused.contains(&question) {
                if self.observer.allows(&question) {
                    packs.allow(&question)?;
                } else {
                    refused.push(question);
                }
            }
        }
        packs.pack(name)
    }
}

impl fmt::Debug for OnDemand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnDemand").field("options", &self.options).finish_non_exhaustive()
    }
}
