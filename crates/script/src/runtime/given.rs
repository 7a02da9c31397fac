//! The input of a run, with the trust of each part (AS-20).

use super::error::{Checked, Fault, codes};
use super::machine::Machine;
use super::value::fields::Fields;
use super::value::json::check_depth;
use super::value::json::read::Unread;
use super::value::{Header, Value};
use crate::host::Standing;
use contexture_context::json::{JsonError, JsonText};
use contexture_context::{Label, Trust};
use serde_json::{Map, Value as Json};
use std::rc::Rc;

/// The input of a run.
///
/// ```
/// use contexture_context::Trust;
/// use contexture_script::runtime::Given;
/// use serde_json::json;
///
/// let conversation = Given::Object(vec![
///     ("text".to_owned(), Given::from(json!("And tomorrow?"))),
///     ("state".to_owned(), Given::Value(json!({ "city": "Oslo" }), Trust::Memory.into())),
/// ]);
/// assert_eq!(conversation.to_json(), json!({ "text": "And tomorrow?", "state": { "city": "Oslo" } }));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// A value of one origin.
    Value(Json, Label),
    /// A value of one origin as its text, which may be long: it has no tree in memory (GR-5).
    Text(JsonText, Label),
    /// A list of parts.
    List(Vec<Given>),
    /// An object of parts.
    Object(Vec<(String, Given)>),
}

impl From<Json> for Given {
    /// Wraps the input of the person or program that starts a run.
    fn from(value: Json) -> Self {
        Self::Value(value, Trust::User.into())
    }
}

impl From<JsonText> for Given {
    /// Wraps the input of the person or program that starts a run.
    fn from(text: JsonText) -> Self {
        Self::Text(text, Trust::User.into())
    }
}

impl Default for Given {
    /// Returns the input of a run that is given none.
    fn default() -> Self {
        Self::from(Json::Null)
    }
}

impl Given {
    /// Returns the value without its origins.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Self::Value(value, _) => value.clone(),
            Self::Text(text, _) => text.value(),
            Self::List(parts) => parts.iter().map(Self::to_json).collect(),
            Self::Object(parts) => {
                let fields = parts.iter().map(|(name, part)| (name.clone(), part.to_json()));
                Json::Object(fields.collect())
            }
        }
    }

    /// Returns the names of the fields of an object; `None` for any other value.
    #[must_use]
    pub fn names(&self) -> Option<Vec<String>> {
        match self {
            Self::Value(Json::Object(fields), _) => Some(fields.keys().cloned().collect()),
            Self::Text(text, _) => text.names(),
            Self::Object(parts) => Some(parts.iter().map(|(name, _)| name.clone()).collect()),
            Self::Value(..) | Self::List(_) => None,
        }
    }

    /// Returns the fields of an object; otherwise the input as it is.
    pub(super) fn into_fields(self) -> Result<Vec<(String, Self)>, Self> {
        match self {
            Self::Object(parts) => Ok(parts),
            Self::Value(Json::Object(fields), label) => {
                let part = |(name, value)| (name, Self::Value(value, label.clone()));
                Ok(Map::into_iter(fields).map(part).collect())
            }
            other => Err(other),
        }
    }

    /// Returns the value in a run. A container of parts has the trust of the caller of the run.
    pub(super) fn import(self, machine: &Machine<'_>) -> Checked<Value> {
        self.nested(machine, 1)
    }

    fn nested(self, machine: &Machine<'_>, depth: usize) -> Checked<Value> {
        let header = || Header::tagged(machine.epoch(), Trust::User.into());
        match self {
            Self::Value(value, label) => {
                machine.import(value, machine.meter.tags().tag(&label, Standing::Real))
            }
            Self::Text(text, label) => {
                machine.make_room();
                let tag = machine.meter.tags().tag(&label, Standing::Real);
                let read = machine.importer(tag, machine.epoch()).checked_text(&text);
                read.map_err(|unread| match unread {
                    Unread::Limit(fault) => fault,
                    Unread::Invalid(error) => not_json(&error),
                })
            }
            Self::List(parts) => {
                enter(machine, parts.len(), depth)?;
                let mut items = Vec::with_capacity(parts.len());
                for part in parts {
                    let item = part.nested(machine, depth + 1)?;
                    item.mark_held();
                    items.push(item);
                }
                Ok(Value::list(items, header()))
            }
            Self::Object(parts) => {
                enter(machine, parts.len(), depth)?;
                let mut fields = Fields::with_capacity(parts.len());
                for (name, part) in parts {
                    let value = part.nested(machine, depth + 1)?;
                    value.mark_held();
                    fields.set(&Rc::from(name), value);
                }
                Ok(Value::object(fields, header()))
            }
        }
    }
}

fn not_json(error: &JsonError) -> Box<Fault> {
    Fault::new(codes::ARGUMENTS, format!("the input is not JSON: {error}"))
        .help("give a JSON value")
}

fn enter(machine: &Machine<'_>, count: usize, depth: usize) -> Checked<()> {
    check_depth(&machine.meter, depth)?;
    machine.meter.collection(count)
}
