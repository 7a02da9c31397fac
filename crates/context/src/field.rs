//! A field of a tool's argument, as far as the first level of a JSON Schema describes it (AS-25).
//!
//! Decision: programs are checked and calls are made by the same facts, so that both agree.
//!
//! ```
//! use contexture_context::field::{FieldFacts, FieldType};
//! use serde_json::json;
//!
//! let types = vec![FieldType::Whole, FieldType::Null];
//! let field = FieldFacts { name: "max".to_owned(), required: false, types, words: Vec::new() };
//! assert_eq!(field.describe(), "a whole number or none");
//! assert!(field.takes(&json!(3.0)) && !field.takes(&json!("3")));
//! ```

use serde_json::Value;

/// A type of a field, as JSON Schema has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldType {
    /// `string`
    Text,
    /// `number`
    Number,
    /// `integer`
    Whole,
    /// `boolean`
    Flag,
    /// `object`
    Object,
    /// `array`
    List,
    /// `null`
    Null,
}

impl FieldType {
    const ALL: [(&'static str, Self); 7] = [
        ("string", Self::Text),
        ("number", Self::Number),
        ("integer", Self::Whole),
        ("boolean", Self::Flag),
        ("object", Self::Object),
        ("array", Self::List),
        ("null", Self::Null),
    ];

    /// Parses the name of a type in a schema.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind)
    }

    /// Returns the type of a value; a whole number is a number here.
    #[must_use]
    pub const fn of(value: &Value) -> Self {
        match value {
            Value::String(_) => Self::Text,
            Value::Number(_) => Self::Number,
            Value::Bool(_) => Self::Flag,
            Value::Object(_) => Self::Object,
            Value::Array(_) => Self::List,
            Value::Null => Self::Null,
        }
    }

    /// Returns its name for messages.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Whole => "a whole number",
            Self::Flag => "true or false",
            Self::Object => "an object",
            Self::List => "a list",
            Self::Null => "none",
        }
    }

    fn holds(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Number => value.is_number(),
            Self::Whole => {
                value.is_i64()
                    || value.is_u64()
                    || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            Self::Flag => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::List => value.is_array(),
            Self::Null => value.is_null(),
        }
    }
}

/// The known facts about a field of a tool's argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFacts {
    /// Its name.
    pub name: String,
    /// True if it is required.
    pub required: bool,
    /// The accepted types; unknown if empty.
    pub types: Vec<FieldType>,
    /// The accepted words; any if empty.
    pub words: Vec<String>,
}

impl FieldFacts {
    /// Describes the accepted values for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        if !self.words.is_empty() {
            let quoted: Vec<String> = self.words.iter().map(|word| format!("\"{word}\"")).collect();
            return format!("one of {}", quoted.join(", "));
        }
        let names: Vec<&str> = self.types.iter().map(|kind| kind.describe()).collect();
        if names.is_empty() { "any value".to_owned() } else { names.join(" or ") }
    }

    /// Reports whether it accepts a value.
    #[must_use]
    pub fn takes(&self, value: &Value) -> bool {
        let kind = self.types.is_empty() || self.types.iter().any(|kind| kind.holds(value));
        let is_word =
            |text: &str| self.words.is_empty() || self.words.iter().any(|word| word == text);
        kind && value.as_str().is_none_or(is_word)
    }
}
