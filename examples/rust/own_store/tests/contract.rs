//! The suite that Contexture's own stores of runs pass.

use contexture_core::stamp::Ids;
use contexture_core::store::runs::RunStore;
use own_store::JsonLines;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

contexture_core::runs_contract!(stores());

/// Makes an empty store at each call.
fn stores() -> impl Fn(Ids) -> Arc<dyn RunStore> {
    let (folder, count) = (tempfile::tempdir().unwrap(), AtomicUsize::new(0));
    move |ids| {
        let number = count.fetch_add(1, Ordering::Relaxed).to_string();
        Arc::new(JsonLines::new(folder.path().join(number), ids))
    }
}
