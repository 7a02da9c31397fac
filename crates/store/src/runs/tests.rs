//! The contract over both stores of runs.

use super::*;
use crate::stamp::Ids;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

mod in_memory {
    use super::*;

    contexture_core::runs_contract!(|ids: Ids| -> Arc<dyn RunStore> {
        Arc::new(InMemoryRuns::new(ids))
    });
}

mod folder {
    use super::*;

    contexture_core::runs_contract!(folder());

    fn folder() -> impl Fn(Ids) -> Arc<dyn RunStore> {
        let (folder, count) = (tempfile::tempdir().unwrap(), AtomicUsize::new(0));
        move |ids| {
            let number = count.fetch_add(1, Ordering::Relaxed);
            Arc::new(FolderStore::new(folder.path().join(format!("{number}/.contexture")), ids))
        }
    }
}
