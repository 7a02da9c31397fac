//! The stores of a project: those that a program gives it, else the embedded ones of its folder
//! (HO-2).

use contexture_core::store::journals::Journals;
use contexture_store::contexts::ContextStore;
use contexture_store::flows::FlowJournal;
use contexture_store::memory::MemoryStore;
use contexture_store::runs::RunStore;
use std::fmt;
use std::sync::Arc;

/// The stores that a program gives a project; what is absent is embedded.
///
/// ```
/// use contexture::Stores;
/// use contexture::store::contexts::{InMemoryContexts, Options};
/// use contexture::store::flows::InMemoryJournal;
/// use std::sync::Arc;
///
/// let stores = Stores {
///     contexts: Some(Arc::new(InMemoryContexts::new(Options::default()))),
///     journal: Some(Arc::new(InMemoryJournal::default())),
///     ..Stores::default()
/// };
/// assert!(stores.runs.is_none(), "runs stay in the folder `.contexture`");
/// ```
#[derive(Clone, Default)]
pub struct Stores {
    /// Contexts; `contexts.db` of the data folder when absent.
    pub contexts: Option<Arc<dyn ContextStore>>,
    /// The journal of flows; `flows.db` of the data folder when absent. A given journal masks and
    /// seals by its own settings.
    pub journal: Option<Arc<dyn FlowJournal>>,
    /// The journals of runs that survive their process; files in `.contexture/journals` when absent.
    pub journals: Option<Arc<dyn Journals>>,
    /// Runs; files in `.contexture` when absent.
    pub runs: Option<Arc<dyn RunStore>>,
    /// Memories; files of the workspace when absent.
    pub memory: Option<Arc<dyn MemoryStore>>,
}

impl fmt::Debug for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stores")
            .field("contexts", &self.contexts.is_some())
            .field("journal", &self.journal.is_some())
            .field("journals", &self.journals.is_some())
            .field("runs", &self.runs.is_some())
            .field("memory", &self.memory.is_some())
            .finish()
    }
}
