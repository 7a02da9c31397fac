//! JSON Schema (2020-12) of each message type, generated from the types themselves (CP-3).
//!
//! The reader checks the rules that a schema cannot express: that a date exists, and the limits.

use crate::body::{KINDS, Kind};
use crate::content::context::Context;
use crate::message::Draft;
use crate::message::sender::Sender;
use crate::record::ID;
use crate::time::Timestamp;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Returns the schema of a whole message of this type; `None` for a type that the protocol does not
/// have.
///
/// ```
/// let schema = contexture_protocol::schema::of("USER_INPUT").unwrap();
/// assert_eq!(schema["properties"]["type"]["const"], "USER_INPUT");
/// ```
#[must_use]
pub fn of(name: &str) -> Option<Value> {
    let kind = KINDS.iter().find(|kind| kind.name == name)?;
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut envelope = envelope(kind, &mut generator);
    finish(&mut envelope, generator);
    Some(Value::Object(envelope))
}

/// Returns the schema of a context as it is read and imported (8.1).
#[must_use]
pub fn context() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Context>().to_value()
}

/// Returns the schema of a context with the name [`CONTEXT`] and of each type of messages, in the
/// order of the reference.
pub fn all() -> impl Iterator<Item = (&'static str, Value)> {
    let messages = KINDS.iter().filter_map(|kind| Some((kind.name, of(kind.name)?)));
    messages.chain(std::iter::once((CONTEXT, context())))
}

/// The name of the context's schema among those of the messages.
pub const CONTEXT: &str = "CONTEXT";

fn envelope(kind: &Kind, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut required = vec!["messageId", "timestamp", "type", "sender", "content"];
    if kind.needs_context {
        required.push("contextId");
    }
    let mut properties = shared(generator, kind.needs_context);
    properties.insert("type".to_owned(), json!({"const": kind.name}));
    properties.insert("content".to_owned(), (kind.schema)(generator).to_value());
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".to_owned(), kind.name.into());
    schema.insert("description".to_owned(), kind.meaning.into());
    schema.insert("type".to_owned(), "object".into());
    schema.insert("required".to_owned(), required.into());
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema
}

fn finish(schema: &mut Map<String, Value>, mut generator: SchemaGenerator) {
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
}

/// Returns the fields of every envelope except the type and the content.
fn shared(generator: &mut SchemaGenerator, needs_context: bool) -> Map<String, Value> {
    let mut optional_id = id();
    if let (false, Value::Object(id)) = (needs_context, &mut optional_id) {
        id.insert("type".to_owned(), json!(["string", "null"]));
    }
    let fields = [
        ("messageId", id()),
        ("contextId", optional_id),
        ("timestamp", generator.subschema_for::<Timestamp>().to_value()),
        ("sender", generator.subschema_for::<Sender>().to_value()),
        ("metadata", json!({"type": ["object", "null"]})),
    ];
    fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn id() -> Value {
    json!({"type": "string", "pattern": ID})
}

/// Describes a message in a context: the id, the type and the content, which is checked by its
/// type.
impl JsonSchema for Draft {
    fn schema_name() -> Cow<'static, str> {
        "MessageOfContext".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = shared(generator, false);
        properties.insert("type".to_owned(), id());
        let rules: Vec<Value> = KINDS.iter().map(|kind| rule(kind, generator)).collect();
        json_schema!({
            "description": "A message in a context.",
            "type": "object",
            "required": ["messageId", "type", "content"],
            "properties": properties,
            "allOf": rules,
        })
    }
}

fn rule(kind: &Kind, generator: &mut SchemaGenerator) -> Value {
    let content = (kind.schema)(generator).to_value();
    json!({
        "if": {"properties": {"type": {"const": kind.name}}, "required": ["type"]},
        "then": {"properties": {"content": content}},
    })
}
