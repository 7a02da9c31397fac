//! The suites that Contexture's own stores of runs and of contexts pass.

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

mod contexts {
    use contexture_core::contract::store::contexts::Setup;
    use contexture_core::store::contexts::ContextStore;
    use contexture_store::contexts::Options;
    use own_store::contexts::{TableContexts, Tables};
    use std::sync::Arc;

    contexture_core::contexts_contract!(|setup: Setup| -> Arc<dyn ContextStore> {
        let Setup { limits, sealer, sensitive, ids } = setup;
        let options = Options { limits, sealer, sensitive, ids };
        Arc::new(TableContexts::on(Tables::default(), options).unwrap())
    });
}
