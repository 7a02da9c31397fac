//! A memory that ends with the process: for tests, and as the meaning of the others.

use super::table::Table;
use super::{Fields, Found, Memory, MemoryError, Query, record};
use crate::stamp::Ids;
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Records in memory alone.
#[derive(Debug)]
pub struct InMemoryRecords {
    table: Mutex<Table>,
    ids: Ids,
}

impl InMemoryRecords {
    /// Creates an empty memory.
    #[must_use]
    pub fn new(ids: Ids) -> Self {
        Self { table: Mutex::default(), ids }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory for InMemoryRecords {
    fn add(&self, fields: Fields) -> Result<Value, MemoryError> {
        let (id, now) = self.ids.next();
        let record = record::create(&id, fields, now)?;
        self.table().put(id, record.clone());
        Ok(Value::Object(record))
    }

    fn query(&self, query: &Query) -> Result<Found, MemoryError> {
        Ok(self.table().query(query))
    }

    fn update(&self, id: &str, fields: Fields) -> Result<Value, MemoryError> {
        let mut table = self.table();
        let Some(record) = table.get(id) else {
            return Err(MemoryError::NoRecord(id.to_owned()));
        };
        let record = record::change(record.clone(), fields, self.ids.now_us())?;
        table.put(id.to_owned(), record.clone());
        Ok(Value::Object(record))
    }

    fn delete(&self, id: &str) -> Result<bool, MemoryError> {
        Ok(self.table().remove(id))
    }
}
