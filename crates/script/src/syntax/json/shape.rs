//! Shapes as JSON.

use super::{At, begin, finish};
use crate::syntax::ast::{FieldNode, ShapeKind, ShapeNode};
use serde::ser::{Serialize, SerializeMap, Serializer};

impl Serialize for At<'_, ShapeNode> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kind = match &self.0.kind {
            ShapeKind::String => "string",
            ShapeKind::Number => "number",
            ShapeKind::Integer => "integer",
            ShapeKind::Boolean => "boolean",
            ShapeKind::Json => "json",
            ShapeKind::Error => "error",
            ShapeKind::List(_) => "list",
            ShapeKind::Object(_) => "object",
            ShapeKind::Enum(_) => "enum",
        };
        let mut map = begin(serializer, "Shape")?;
        map.serialize_entry("shape", kind)?;
        match &self.0.kind {
            ShapeKind::List(item) => {
                let item = item.as_deref();
                map.serialize_entry("item", &item.map(|item| At(item, self.1)))?;
            }
            ShapeKind::Object(fields) => {
                map.serialize_entry("fields", &At(fields.as_slice(), self.1))?;
            }
            ShapeKind::Enum(values) => {
                let values: Vec<&str> = values.iter().map(|text| text.value.as_str()).collect();
                map.serialize_entry("values", &values)?;
            }
            _ => {}
        }
        finish(map, self.0.span, self.1)
    }
}

impl Serialize for At<'_, FieldNode> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, "Field")?;
        map.serialize_entry("name", &At(&self.0.name, self.1))?;
        map.serialize_entry("optional", &self.0.optional)?;
        map.serialize_entry("shape", &At(&self.0.shape, self.1))?;
        map.serialize_entry("description", &self.0.description)?;
        finish(map, self.0.span, self.1)
    }
}
