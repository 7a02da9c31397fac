//! The values of a query's parameters.

use super::error::SqlError;
use crate::shape::type_of;
use rusqlite::Statement;
use rusqlite::types::Value as Bound;
use serde_json::{Map, Value};

/// The values of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Values {
    List(Vec<Value>),
    Named(Map<String, Value>),
}

impl Values {
    /// Reads the parameter `values`.
    pub(super) fn of(value: Option<&Value>) -> Result<Self, SqlError> {
        match value {
            None | Some(Value::Null) => Ok(Self::List(Vec::new())),
            Some(Value::Array(list)) => Ok(Self::List(list.clone())),
            Some(Value::Object(named)) => Ok(Self::Named(named.clone())),
            Some(other) => {
                let found = type_of(other);
                Err(SqlError::Value(format!(
                    "`values`: expected a list or an object, found {found}"
                )))
            }
        }
    }

    /// Binds each to its place; all places and all values must be used.
    pub(super) fn bind(&self, statement: &mut Statement<'_>) -> Result<(), SqlError> {
        match self {
            Self::List(list) => bind_list(statement, list),
            Self::Named(named) => bind_named(statement, named),
        }
    }
}

fn bind_list(statement: &mut Statement<'_>, list: &[Value]) -> Result<(), SqlError> {
    let places = statement.parameter_count();
    if places != list.len() {
        let given = list.len();
        let message = format!(
            "the query has {places} parameters, `values` gives {given}: give each `?` its value, in order"
        );
        return Err(SqlError::Value(message));
    }
    for (number, value) in list.iter().enumerate() {
        put(statement, number + 1, value, &format!("values[{number}]"))?;
    }
    Ok(())
}

fn bind_named(statement: &mut Statement<'_>, named: &Map<String, Value>) -> Result<(), SqlError> {
    let mut used = 0;
    for place in 1..=statement.parameter_count() {
        let written = statement.parameter_name(place).map(str::to_owned);
        let bare = written.as_deref().map(|name| name.trim_start_matches([':', '@', '$', '?']));
        let Some((name, value)) = bare.and_then(|bare| named.get_key_value(bare)) else {
            let what = written.unwrap_or_else(|| "a `?`".to_owned());
            let message = format!(
                "`values` has nothing for {what}: name the query's parameters `:name` and give each by its name"
            );
            return Err(SqlError::Value(message));
        };
        put(statement, place, value, &format!("values.{name}"))?;
        used += 1;
    }
    if used < named.len() {
        let given = named.len();
        let message = format!(
            "`values` gives {given}, the query has {used} parameters: leave out what the query does not name"
        );
        return Err(SqlError::Value(message));
    }
    Ok(())
}

fn put(
    statement: &mut Statement<'_>,
    place: usize,
    value: &Value,
    path: &str,
) -> Result<(), SqlError> {
    let bound = bound(value).ok_or_else(|| {
        let found = type_of(value);
        SqlError::Value(format!(
            "`{path}`: expected a text, number, boolean or null that SQLite can keep, found {found}"
        ))
    })?;
    statement
        .raw_bind_parameter(place, bound)
        .map_err(|error| SqlError::Value(format!("`{path}`: {error}")))
}

fn bound(value: &Value) -> Option<Bound> {
    match value {
        Value::Null => Some(Bound::Null),
        Value::Bool(flag) => Some(Bound::Integer(i64::from(*flag))),
        Value::Number(number) if number.is_u64() && !number.is_i64() => None,
        Value::Number(number) => {
            number.as_i64().map(Bound::Integer).or_else(|| number.as_f64().map(Bound::Real))
        }
        Value::String(text) => Some(Bound::Text(text.clone())),
        Value::Array(_) | Value::Object(_) => None,
    }
}
