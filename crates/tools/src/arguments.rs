//! Checks the argument of a call against the method's parameters, before anything is done.

use crate::error::{ToolError, shown};
use contexture_core::signature::{Kind, Method, Parameter};
use contexture_diagnostic::nearest;
use serde_json::{Map, Value};

/// The fields of a checked argument; `none` counts as absent.
#[derive(Debug)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks names, presence, types and bounds.
    pub(crate) fn check(tool: &str, method: &Method, argument: Value) -> Result<Self, ToolError> {
        let call = format!("{tool} {}", method.name);
        let mut fields = match argument {
            Value::Object(fields) => fields,
            Value::Null => Map::new(),
            other => {
                let message = format!("{call}: expected an object, found {}", type_of(&other));
                let help = format!("write `{}({{ {} }})`", method.name, example(method));
                return Err(ToolError::new("bad_argument", message).with_help(help));
            }
        };
        fields.retain(|_, value| !value.is_null());
        for name in fields.keys() {
            if !method.parameters.iter().any(|parameter| parameter.name == name) {
                return Err(unknown(&call, method, name));
            }
        }
        for parameter in method.parameters {
            match fields.get(parameter.name) {
                Some(value) => check_value(&call, parameter, value)?,
                None if parameter.required => return Err(missing(&call, parameter)),
                None => {}
            }
        }
        Ok(Self(fields))
    }

    /// Returns a required string; empty when the table does not require it.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.optional_text(name).unwrap_or_default()
    }

    pub(crate) fn optional_text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(whole)
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name).and_then(Value::as_bool)
    }

    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    #[cfg(feature = "http")]
    pub(crate) fn fields(&self, name: &str) -> impl Iterator<Item = (&str, String)> {
        self.0
            .get(name)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.as_str(), plain(value)))
    }
}

/// Returns a scalar without quotes.
#[cfg(feature = "http")]
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn check_value(call: &str, parameter: &Parameter, value: &Value) -> Result<(), ToolError> {
    let expected = match parameter.kind {
        Kind::Any => return Ok(()),
        Kind::Text if value.is_string() => return Ok(()),
        Kind::Flag if value.is_boolean() => return Ok(()),
        Kind::Fields if value.as_object().is_some_and(|fields| fields.values().all(is_scalar)) => {
            return Ok(());
        }
        Kind::Count(most) if whole(value).is_some_and(|count| (1..=most).contains(&count)) => {
            return Ok(());
        }
        Kind::Choice(words) if value.as_str().is_some_and(|word| words.contains(&word)) => {
            return Ok(());
        }
        Kind::Object if value.is_object() => return Ok(()),
        Kind::Fields => "an object of strings".to_owned(),
        Kind::Count(most) => format!("a whole number from 1 to {most}"),
        other => other.describe(),
    };
    let name = parameter.name;
    let found = if value.is_array() || value.is_object() {
        type_of(value).to_owned()
    } else {
        shown(&value.to_string())
    };
    let message = format!("{call}: `{name}` must be {expected}, found {found}");
    Err(ToolError::new("bad_argument", message).with_help(sentence(parameter)))
}

fn unknown(call: &str, method: &Method, name: &str) -> ToolError {
    let names = || method.parameters.iter().map(|parameter| parameter.name);
    let message = format!("{call}: there is no argument `{}`", shown(name));
    let list = names().collect::<Vec<_>>().join(", ");
    let help = match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`? It takes {list}"),
        None => format!("it takes {list}"),
    };
    ToolError::new("bad_argument", message).with_help(help)
}

fn missing(call: &str, parameter: &Parameter) -> ToolError {
    let message = format!("{call}: the argument `{}` is missing", parameter.name);
    ToolError::new("bad_argument", message).with_help(sentence(parameter))
}

fn sentence(parameter: &Parameter) -> String {
    format!("`{}`: {}", parameter.name, parameter.description)
}

fn example(method: &Method) -> String {
    let required = method.parameters.iter().filter(|parameter| parameter.required);
    let fields: Vec<_> = required.map(|parameter| format!("{}: …", parameter.name)).collect();
    fields.join(", ")
}

/// Returns a whole number, also when it is written `3.0` (AS-7: 1 == 1.0).
pub(crate) fn whole(value: &Value) -> Option<u64> {
    /// Below this, every whole `f64` is an exact integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let float = value.as_f64().filter(|float| float.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    (0.0..EXACT).contains(&float).then_some(float as u64)
}

fn is_scalar(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_boolean()
}

/// Returns the word of the language for a value's type, with an article.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "none",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
