//! From rows of SQLite to objects of JSON; what JSON can't hold is an error.

use super::error::SqlError;
use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde_json::{Map, Number, Value};

/// Rows, and their size in bytes.
pub(super) struct Collected {
    columns: Vec<String>,
    pub(super) rows: Vec<Value>,
    bytes: usize,
    most_bytes: usize,
}

impl Collected {
    /// Starts rows with these columns, no two of the same name.
    pub(super) fn new(columns: Vec<String>, most_bytes: usize) -> Result<Self, SqlError> {
        let mut seen = std::collections::HashSet::new();
        if let Some(twice) = columns.iter().find(|name| !seen.insert(name.as_str())) {
            let message =
                format!("two columns are called `{twice}`: give each a name of its own with AS");
            return Err(SqlError::Value(message));
        }
        Ok(Self { columns, rows: Vec::new(), bytes: 2, most_bytes })
    }

    /// Adds a row.
    pub(super) fn add(&mut self, row: &Row<'_>) -> Result<(), SqlError> {
        let mut fields = Map::with_capacity(self.columns.len());
        self.bytes += 3;
        for (number, name) in self.columns.iter().enumerate() {
            let cell = row.get_ref(number).map_err(|error| SqlError::Sqlite(error.to_string()))?;
            let value = value_of(cell, name, self.rows.len())?;
            self.bytes += name.len() + 4 + value.as_str().map_or(8, |text| text.len() + 2);
            fields.insert(name.clone(), value);
        }
        if self.bytes > self.most_bytes {
            let message = format!(
                "the answer has more than {} bytes: ask for fewer columns or rows, or set `limit`",
                self.most_bytes
            );
            return Err(SqlError::TooLarge(message));
        }
        self.rows.push(Value::Object(fields));
        Ok(())
    }

    pub(super) fn into_parts(self) -> (Vec<String>, Vec<Value>) {
        (self.columns, self.rows)
    }
}

fn value_of(cell: ValueRef<'_>, name: &str, row: usize) -> Result<Value, SqlError> {
    let unfit = |what: &str, help: &str| {
        Err(SqlError::Value(format!("column `{name}` of row {row} holds {what}: {help}")))
    };
    match cell {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(number.into()),
        ValueRef::Real(number) => match Number::from_f64(number) {
            Some(number) => Ok(Value::Number(number)),
            None => unfit("an infinite number", "leave such rows out with WHERE"),
        },
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Ok(text.into()),
            Err(_) => unfit("a text that is not UTF-8", "select hex() of it"),
        },
        ValueRef::Blob(_) => unfit("a BLOB, which JSON has not", "select hex() of it"),
    }
}
