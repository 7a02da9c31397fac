//! Knowledge packs over MCP: catalog, guide, context and files, as tools and as resources (KN-16).
//!
//! Decision: everything goes through the project's [`Packs`], so that a client may read what a
//! program may, no more. A pack that somebody has to allow first is listed with its metadata; every
//! other call about it is a result that is an error and says how to allow it (KN-8).

mod file;
mod resources;
mod tools;
mod view;

pub(crate) use tools::{NAMES, tools};
pub(crate) use view::{Generation, View};

use crate::fault::Fault;
use crate::mcp::said;
use contexture::Project;
use contexture::context::TokenCounter;
use contexture::knowledge::catalog;
use contexture::packs::{self, PacksError};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// The packs that are served.
pub(crate) struct Knowledge {
    project: Project,
    options: packs::Options,
    /// The names of those that are served, with those that are explicit; all when absent.
    selected: Option<Vec<String>>,
    counter: &'static dyn TokenCounter,
    /// Whether the fences of packs warn in English.
    is_english: bool,
    view: RwLock<Arc<View>>,
    generation: AtomicU64,
    looked: Mutex<Instant>,
    /// Whether the last resolution was quick: the indexes are there.
    quick: AtomicBool,
}

/// A resolution that takes no longer may be done where messages are waited for.
const QUICK: Duration = Duration::from_millis(10);
/// Packs are looked for anew when somebody asks, but no more often.
const AGAIN: Duration = Duration::from_secs(1);

impl Knowledge {
    /// The packs of a project, or those of them that were selected by their names or given by their
    /// paths.
    ///
    /// # Errors
    /// A [`Fault`] when what was selected is not there.
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

    /// What a model is told about packs as such.
    pub(crate) const fn instruction() -> &'static str {
        catalog::INSTRUCTION
    }

    /// The packs as they were when they were last looked for.
    pub(crate) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Rises when other packs are there, or say something else of themselves.
    pub(crate) fn generation(&self) -> Generation {
        Generation(self.generation.load(Ordering::SeqCst))
    }

    /// Whether it is time to look for packs anew.
    pub(crate) fn is_due(&self) -> bool {
        let looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        looked.elapsed() >= AGAIN
    }

    /// Looks for packs anew, when it is time. The organization's registry is not asked again: what it
    /// gave when the server started is kept.
    pub(crate) fn look_again(&self) {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.elapsed() < AGAIN {
            return;
        }
        let options = packs::Options { offline: true, ..self.options.clone() };
        let found = View::open(&self.project, options, self.selected.as_deref());
        *looked = Instant::now();
        // What has not changed keeps its opened packs and indexes.
        if found.says_the_same(&self.view()) {
            return;
        }
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(found);
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.quick.store(false, Ordering::Relaxed);
    }

    fn is_quick(&self) -> bool {
        self.quick.load(Ordering::Relaxed)
    }

    fn took(&self, time: Duration) {
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
