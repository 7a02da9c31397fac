//! Values of rows, in both directions.
//!
//! Decision: three types are enough: `bigint`, `text` and `bytea`, and lists of texts to look many rows up.
//! A text of PostgreSQL can't hold the character U+0000, which an id may have; it is written as U+0001 and
//! `0`, and U+0001 as itself and `1`, which keeps the order of texts. No text of JSON has either.

use super::session::Fault;
use bytes::BytesMut;
use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// A value that is written.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Null,
    Number(i64),
    Text(Arc<str>),
    Bytes(Vec<u8>),
    /// Of a condition; no column holds any.
    Texts(Vec<String>),
}

/// Makes the parameters of a statement.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::postgres::Value::from($value)),*] };
}
pub(crate) use values;

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

// None of ours comes near the limit.
impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Self::Number(i64::from(is))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.as_str().into())
    }
}

impl From<&Arc<str>> for Value {
    fn from(text: &Arc<str>) -> Self {
        Self::Text(Arc::clone(text))
    }
}

impl From<&[u8; 32]> for Value {
    fn from(bytes: &[u8; 32]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl From<Vec<String>> for Value {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Number(number) => number.to_sql(of, out),
            Self::Text(text) => escaped(text).to_sql(of, out),
            Self::Bytes(bytes) => bytes.to_sql(of, out),
            Self::Texts(texts) => {
                texts.iter().map(|text| escaped(text)).collect::<Vec<_>>().to_sql(of, out)
            }
        }
    }

    fn accepts(of: &Type) -> bool {
        [Type::INT8, Type::TEXT, Type::BYTEA, Type::TEXT_ARRAY].contains(of)
    }

    to_sql_checked!();
}

fn escaped(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte < 2) {
        return text.into();
    }
    text.replace('\u{1}', "\u{1}1").replace('\u{0}', "\u{1}0").into()
}

fn plain(text: &str) -> String {
    if !text.contains('\u{1}') {
        return text.to_owned();
    }
    text.replace("\u{1}0", "\u{0}").replace("\u{1}1", "\u{1}")
}

/// A row that was read.
pub(crate) struct Row(tokio_postgres::Row);

impl Row {
    pub(super) const fn new(row: tokio_postgres::Row) -> Self {
        Self(row)
    }

    fn of<'r, T: tokio_postgres::types::FromSql<'r>>(&'r self, column: usize) -> Result<T, Fault> {
        self.0.try_get(column).map_err(|error| Fault::Rows(error.to_string()))
    }

    pub(crate) fn place(&self, column: usize) -> Result<i64, Fault> {
        self.of(column)
    }

    pub(crate) fn number(&self, column: usize) -> Result<u64, Fault> {
        let number = self.of::<i64>(column)?;
        u64::try_from(number).map_err(|_| Fault::Rows(format!("{number} is below zero")))
    }

    pub(crate) fn some_number(&self, column: usize) -> Result<Option<u64>, Fault> {
        let number = self.of::<Option<i64>>(column)?;
        Ok(number.and_then(|number| u64::try_from(number).ok()))
    }

    pub(crate) fn some_place(&self, column: usize) -> Result<Option<i64>, Fault> {
        self.of(column)
    }

    pub(crate) fn is(&self, column: usize) -> Result<bool, Fault> {
        Ok(self.of::<i64>(column)? != 0)
    }

    pub(crate) fn text(&self, column: usize) -> Result<String, Fault> {
        self.of::<&str>(column).map(plain)
    }

    pub(crate) fn some_text(&self, column: usize) -> Result<Option<String>, Fault> {
        Ok(self.of::<Option<&str>>(column)?.map(plain))
    }

    /// Returns all values of the row.
    pub(crate) fn values(&self) -> Result<Vec<Value>, Fault> {
        let value = |(column, of): (usize, &tokio_postgres::Column)| {
            Ok(match *of.type_() {
                Type::INT8 => self.some_place(column)?.into(),
                Type::BYTEA => {
                    self.of::<Option<Vec<u8>>>(column)?.map_or(Value::Null, Value::Bytes)
                }
                _ => self.some_text(column)?.as_ref().into(),
            })
        };
        self.0.columns().iter().enumerate().map(value).collect()
    }

    pub(crate) fn bytes(&self, column: usize) -> Result<Vec<u8>, Fault> {
        self.of(column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wa_11_texts_with_control_characters_come_back_in_their_order() {
        let texts = ["", "\u{0}", "\u{0}1", "\u{1}", "\u{1}0", "\u{1}1\u{0}", "a\u{0}b", "ab"];
        let written: Vec<String> = texts.iter().map(|text| escaped(text).into_owned()).collect();
        assert!(written.iter().all(|text| !text.contains('\u{0}')));
        assert!(written.is_sorted());
        let read: Vec<String> = written.iter().map(|text| plain(text)).collect();
        assert_eq!(read, texts);
    }
}
