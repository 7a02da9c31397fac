//! The packs that are served, searched again from time to time.

use super::view::{Generation, View};
use crate::fault::Fault;
use crate::mcp::said;
use contexture::Project;
use contexture::context::TokenCounter;
use contexture::knowledge::catalog;
use contexture::packs::{self, PacksError};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub(crate) struct Knowledge {
    pub(super) project: Project,
    pub(super) options: packs::Options,
    /// The names of the served packs besides the explicit ones; all packs when absent.
    pub(super) selected: Option<Vec<String>>,
    pub(super) counter: &'static dyn TokenCounter,
    /// True if the notices of fences are in English.
    pub(super) is_english: bool,
    pub(super) view: RwLock<Arc<View>>,
    pub(super) generation: AtomicU64,
    pub(super) looked: Mutex<Instant>,
    /// True if the last resolution was quick, as the indexes exist.
    pub(super) quick: AtomicBool,
}

/// A shorter resolution may run on the thread that reads messages.
const QUICK: Duration = Duration::from_millis(10);
/// The least time between searches for packs.
const AGAIN: Duration = Duration::from_secs(1);

impl Knowledge {
    /// Opens the packs of a project, or those that were selected by name or
    /// path.
    ///
    /// # Errors
    /// A [`Fault`] when a selected pack does not exist.
    pub(crate) fn open(
        project: Project,
        options: packs::Options,
        selected: Option<Vec<String>>,
        counter: &'static dyn TokenCounter,
        is_english: bool,
    ) -> Result<Self, Fault> {
        let view = View::open(&project, options.clone(), selected.as_deref());
        view.has_all(selected.as_deref())?;
        Ok(Self {
            project,
            options,
            selected,
            counter,
            is_english,
            view: RwLock::new(Arc::new(view)),
            generation: AtomicU64::new(0),
            looked: Mutex::new(Instant::now()),
            quick: AtomicBool::new(false),
        })
    }

    /// Returns the instruction about packs for a model.
    pub(crate) const fn instruction() -> &'static str {
        catalog::INSTRUCTION
    }

    /// Returns the packs of the last search.
    pub(crate) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read())
    }

    /// Returns the generation, which rises when packs change.
    pub(crate) fn generation(&self) -> Generation {
        Generation(self.generation.load(Ordering::SeqCst))
    }

    /// Reports whether a search for packs is due.
    pub(crate) fn is_due(&self) -> bool {
        let looked = self.looked.lock();
        looked.elapsed() >= AGAIN
    }

    /// Searches for packs when that is due. The registry of the organization is not queried again: its
    /// answer at the start is kept.
    pub(crate) fn look_again(&self) {
        let mut looked = self.looked.lock();
        if looked.elapsed() < AGAIN {
            return;
        }
        let options = packs::Options { offline: true, ..self.options.clone() };
        let found = View::open(&self.project, options, self.selected.as_deref());
        *looked = Instant::now();
        // Unchanged packs keep their open indexes.
        if found.says_the_same(&self.view()) {
            return;
        }
        *self.view.write() = Arc::new(found);
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.quick.store(false, Ordering::Relaxed);
    }

    pub(super) fn is_quick(&self) -> bool {
        self.quick.load(Ordering::Relaxed)
    }

    pub(super) fn took(&self, time: Duration) {
        self.quick.store(time <= QUICK, Ordering::Relaxed);
    }
}

impl From<PacksError> for Fault {
    fn from(error: PacksError) -> Self {
        let fault = Self::new(error.code, said::line(&error.message));
        let fault = match &error.question {
            Some(question) => fault.with("allow", question.allowance.to_string()),
            None => fault,
        };
        Self { help: error.help.map(|help| said::line(&help)), ..fault }
    }
}
