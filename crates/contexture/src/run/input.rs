//! The input that a person gives for a run: typed by the shape of the entry (CA-12).

use super::request::RunRequest;
use super::result::SetupError;
use super::takes::Takes;
use crate::turn::function;
use contexture_answer::{Field, Shape, View};
use contexture_diagnostic::suggestion;
use contexture_script::program::Program;
use contexture_script::runtime::Given;
use serde_json::{Map, Value};

/// The input of the function that a run starts.
#[derive(Debug, Clone, PartialEq)]
pub struct InputForm(Option<Takes>);

impl InputForm {
    /// Returns the form of an entry; an unknown one is refused by the run itself.
    #[must_use]
    pub fn of(program: &Program, request: &RunRequest) -> Self {
        Self(function(program, request).map(|(agent, func)| Takes::of(program, agent.file, func)))
    }

    /// Returns a text as the input, where the entry takes one string; `None` where it takes
    /// something else.
    #[must_use]
    pub fn of_text(&self, text: &str) -> Option<Value> {
        let is_text = |shape: &Shape| matches!(shape.plain(), Shape::String | Shape::Enum(_));
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = Value::from(text.strip_suffix('\r').unwrap_or(text));
        match self.0.as_ref()? {
            Takes::One(field) if is_text(&field.shape) => Some(text),
            Takes::Whole(fields) | Takes::Several(fields) => {
                let mut needed = fields.iter().filter(|field| !field.optional);
                let field = match (needed.next(), needed.next(), fields.as_slice()) {
                    (Some(only), None, _) | (None, None, [only]) => only,
                    _ => return None,
                };
                is_text(&field.shape)
                    .then(|| Value::Object(Map::from_iter([(field.name.clone(), text)])))
            }
            _ => None,
        }
    }

    /// Returns the input of `key=value` pairs, each typed by the shape of its field.
    ///
    /// # Errors
    /// [`SetupError`] for an unknown field, a value of another type, and a field given twice that is
    /// not a list.
    pub fn of_pairs(&self, pairs: Vec<(String, String)>) -> Result<Value, SetupError> {
        let mut input = Map::new();
        for (name, text) in pairs {
            let value = match &self.0 {
                Some(Takes::Nothing) => return Err(no_input()),
                Some(Takes::Whole(fields) | Takes::Several(fields)) => {
                    let field = fields.iter().find(|field| field.name == name);
                    let field = field.ok_or_else(|| unknown(&name, fields))?;
                    add(&mut input, &field.name, &field.shape, &text)?
                }
                Some(Takes::One(field)) if field.name == name => {
                    return typed(&name, &field.shape, &text);
                }
                Some(Takes::One(field)) => return Err(unknown(&name, std::slice::from_ref(field))),
                Some(Takes::Open(_)) | None => open(&text),
            };
            input.insert(name, value);
        }
        Ok(Value::Object(input))
    }

    /// Returns the input of an entry that takes what it wants of what is offered: one that takes a
    /// single value of no name that is offered, or a shape with other fields, gets `value`.
    #[cfg(feature = "flow")]
    pub(crate) fn taken(&self, mut offered: Map<String, Value>) -> Value {
        match &self.0 {
            // The fields are those of the value itself.
            Some(Takes::Whole(fields))
                if !fields.iter().any(|field| offered.contains_key(&field.name)) =>
            {
                offered.remove("value").unwrap_or_default()
            }
            Some(Takes::Whole(fields) | Takes::Several(fields)) => {
                offered.retain(|name, _| fields.iter().any(|field| field.name == *name));
                Value::Object(offered)
            }
            Some(Takes::One(field)) => {
                let name = if offered.contains_key(&field.name) { &field.name } else { "value" };
                offered.remove(name).unwrap_or_default()
            }
            Some(Takes::Nothing) => Value::Object(Map::new()),
            Some(Takes::Open(_)) | None => Value::Object(offered),
        }
    }

    /// Refuses fields that the entry does not take.
    ///
    /// # Errors
    /// [`SetupError`] that names the field, and the one that may be meant.
    pub fn check(&self, input: &Given) -> Result<(), SetupError> {
        let Some(Takes::Whole(fields) | Takes::Several(fields)) = &self.0 else { return Ok(()) };
        let is_known = |name: &String| fields.iter().any(|field| field.name == *name);
        let names = input.names().unwrap_or_default();
        match names.iter().find(|name| !is_known(name)) {
            Some(other) => Err(unknown(other, fields)),
            None => Ok(()),
        }
    }
}

/// Returns the value of a field; a list takes one item of each pair.
fn add(
    input: &mut Map<String, Value>,
    name: &str,
    shape: &Shape,
    text: &str,
) -> Result<Value, SetupError> {
    let view = View::of(shape);
    let item = match view.shape {
        Shape::List(Some(item)) if !text.trim_start().starts_with('[') => {
            Some(typed(name, view.part(item).shape, text)?)
        }
        _ => None,
    };
    match (item, input.remove(name)) {
        (Some(item), Some(Value::Array(mut items))) => {
            items.push(item);
            Ok(Value::Array(items))
        }
        (Some(item), None) => Ok(Value::Array(vec![item])),
        (None, None) => typed(name, shape, text),
        (_, Some(_)) => {
            let message = format!("the input field `{name}` is given twice");
            Err(SetupError::new("bad_input", message, Some("give it once".to_owned())))
        }
    }
}

/// Reads a text as a value of a shape.
fn typed(name: &str, shape: &Shape, text: &str) -> Result<Value, SetupError> {
    let read = || serde_json::from_str::<Value>(text.trim()).ok();
    let plain = shape.plain();
    let value = match plain {
        Shape::String | Shape::Enum(_) => Some(Value::from(text)),
        Shape::Json => return Ok(open(text)),
        Shape::Number => read().filter(Value::is_number),
        Shape::Integer => read().filter(|value| value.is_i64() || value.is_u64()),
        Shape::Boolean => read().filter(Value::is_boolean),
        Shape::List(_) => read().filter(Value::is_array),
        Shape::Object(_) => read().filter(Value::is_object),
        // A plain shape is none of these.
        Shape::Bounded(_) | Shape::Named(_) | Shape::Defined(_) => read(),
    };
    value.ok_or_else(|| {
        let message = format!("the input field `{name}` takes {shape}, found `{text}`");
        let help = match plain {
            Shape::List(_) | Shape::Object(_) => "write it as JSON, or name a file: `-i key=@file`",
            _ => "give a value of that type",
        };
        SetupError::new("bad_input", message, Some(help.to_owned()))
    })
}

/// Reads a text whose type is not declared: as JSON, or else as it is.
fn open(text: &str) -> Value {
    serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::from(text))
}

fn unknown(name: &str, fields: &[Field]) -> SetupError {
    let known = || fields.iter().map(|field| field.name.as_str());
    let help = suggestion(name, known()).unwrap_or_else(|| {
        let known: Vec<&str> = known().collect();
        format!("it takes {}", known.join(", "))
    });
    let message = format!("the input has no field `{name}`");
    SetupError::new("unknown_input", message, Some(help))
}

fn no_input() -> SetupError {
    let help = "leave the input out, or declare it: `main func(input { name string })`";
    SetupError::new("bad_input", "the program takes no input", Some(help.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn whole() -> InputForm {
        InputForm(Some(Takes::Whole(vec![
            Field::new("path", Shape::String),
            Field::new("count", Shape::Integer).optional(),
            Field::new("tags", Shape::list(Shape::String)).optional(),
            Field::new("on", Shape::Boolean).optional(),
            Field::new("more", Shape::Json).optional(),
        ])))
    }

    fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn ca_12_pairs_are_typed_by_shape_of_field() {
        let given =
            [("path", "12"), ("count", "7"), ("on", "true"), ("tags", "a"), ("tags", "b=c")];
        let value = whole().of_pairs(pairs(&given)).unwrap();
        assert_eq!(value, json!({ "path": "12", "count": 7, "on": true, "tags": ["a", "b=c"] }));
        let value = whole().of_pairs(pairs(&[("more", "{\"a\":1}"), ("tags", "[\"x\"]")])).unwrap();
        assert_eq!(value, json!({ "more": { "a": 1 }, "tags": ["x"] }));
        for (name, text, code) in [
            ("count", "many", "bad_input"),
            ("on", "1", "bad_input"),
            ("pth", "x", "unknown_input"),
        ] {
            let refused = whole().of_pairs(pairs(&[(name, text)])).unwrap_err();
            assert_eq!(refused.code, code, "{refused}");
        }
        let twice = whole().of_pairs(pairs(&[("path", "a"), ("path", "b")])).unwrap_err();
        assert!(twice.message.contains("twice"), "{twice}");
    }

    #[test]
    fn ca_12_raw_text_is_taken_where_entry_takes_one_string() {
        let one = InputForm(Some(Takes::One(Field::new("text", Shape::String))));
        assert_eq!(one.of_text("{\"a\": 1}\n"), Some(json!("{\"a\": 1}")));
        assert_eq!(whole().of_text("x\r\n"), Some(json!({ "path": "x" })));
        let two = vec![Field::new("a", Shape::String), Field::new("b", Shape::String)];
        assert_eq!(InputForm(Some(Takes::Whole(two))).of_text("x"), None);
        assert_eq!(InputForm(Some(Takes::Open("input".to_owned()))).of_text("x"), None);
    }

    #[test]
    fn ca_12_unknown_field_is_refused_with_suggestion() {
        let refused = whole().check(&json!({ "pth": "x" }).into()).unwrap_err();
        assert!(refused.help.unwrap().contains("did you mean `path`"));
        assert_eq!(whole().check(&json!({ "path": "x", "on": null }).into()), Ok(()));
    }
}
