//! The contract over both journals.

use super::*;
use std::sync::Arc;

mod in_memory {
    use super::*;

    contexture_core::flows_contract!(|| -> Arc<dyn FlowJournal> {
        Arc::new(InMemoryJournal::default())
    });
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    contexture_core::flows_contract!(sqlite());

    fn sqlite() -> impl Fn() -> Arc<dyn FlowJournal> {
        let (folder, count) = (tempfile::tempdir().unwrap(), AtomicUsize::new(0));
        move || {
            let number = count.fetch_add(1, Ordering::Relaxed);
            let path = folder.path().join(format!("{number}/flows.db"));
            SqliteJournal::open(&path, "flows.db", Options::default()).unwrap()
        }
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::*;
    use crate::journals::Journals;
    use crate::postgres::testing::fresh;

    contexture_core::flows_contract!([#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]] || -> Arc<dyn FlowJournal> {
        PostgresJournal::open_in(&fresh(), Options::default()).unwrap()
    });

    contexture_core::journals_contract!([#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]] || -> Arc<dyn Journals> {
        PostgresJournal::open_in(&fresh(), Options::default()).unwrap()
    });
}
