//! `@memory://key` over the workspace's memory (REF-20).

use contexture_reference::protocols::{Keys, KeysFuture, Remembered};
use contexture_store::memory::{
    Fields, MOST_RECORDS, Memory, MemoryStore, MemoryUri, Query, record,
};
use contexture_tools::Workspace;
use contexture_tools::paths::{Access, Door};
use serde_json::Value;
use std::sync::Arc;

/// The memory that the settings name. It is opened for each look-up, which creates nothing.
pub(super) struct Stored {
    workspace: Workspace,
    store: Arc<dyn MemoryStore>,
    uri: String,
}

impl Stored {
    pub(super) fn new(workspace: &Workspace, store: Arc<dyn MemoryStore>, uri: String) -> Self {
        let workspace = workspace.through(Door::Memory);
        Self { workspace, store, uri }
    }

    fn open(&self) -> Result<Arc<dyn Memory>, String> {
        let uri = MemoryUri::parse(&self.uri).map_err(|error| error.to_string())?;
        let place = self.workspace.resolve(uri.path()).map_err(|error| error.to_string())?;
        let path =
            self.workspace.locate(&place, Access::Read).map_err(|error| error.to_string())?;
        self.store.open(&uri, &path).map_err(|error| error.to_string())
    }

    fn look(&self, key: &str) -> Result<Remembered, String> {
        let memory = self.open()?;
        let query = |query: &Query| memory.query(query).map_err(|error| error.to_string());
        for field in ["key", "id"] {
            let filter = Fields::from_iter([(field.to_owned(), Value::from(key))]);
            let found = query(&Query { filter, limit: 1, ..Query::default() })?;
            if let Some(mut record) = found.records.into_iter().next() {
                record::take_label(&mut record);
                return Ok(Remembered::Text(text_of(&record)));
            }
        }
        let all = query(&Query { limit: MOST_RECORDS, ..Query::default() })?;
        let name = |record: &Value| {
            let field = record.get("key").or_else(|| record.get("id"));
            field.and_then(Value::as_str).map(str::to_owned)
        };
        Ok(Remembered::Nothing(all.records.iter().filter_map(name).collect()))
    }
}

impl Keys for Stored {
    fn find<'a>(&'a self, key: &'a str) -> KeysFuture<'a> {
        Box::pin(async move { self.look(key) })
    }
}

/// Returns the text of a record; without one, the record as JSON.
fn text_of(record: &Value) -> String {
    match record.get("text").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => format!("{record:#}"),
    }
}
