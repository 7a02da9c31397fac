//! Conversion of values from and to JSON, when they enter and leave a run.

pub(crate) mod read;

use super::fields::Fields;
use super::tag::Tag;
use super::{Header, List, Object, Value, secret};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::meter::Meter;
use crate::runtime::names::Keys;
use contexture_context::Limits;
use contexture_context::json::JsonText;
use serde_json::{Map, Number, Value as Json};
use std::string::FromUtf8Error;

/// The counted size of a JSON node: about its size in memory.
const NODE_BYTES: usize = 80;

/// The bytes that a level of nesting adds to each line of a formatted value (AS-20).
const INDENT_BYTES: usize = 2;

/// A conversion from JSON, with one tag and epoch for all values.
pub(crate) struct Importer<'m> {
    pub(crate) meter: &'m Meter,
    pub(crate) keys: &'m Keys,
    pub(crate) tag: Tag,
    pub(crate) epoch: u32,
}

impl Importer<'_> {
    /// Converts a JSON value.
    pub(crate) fn value(&self, json: Json) -> Checked<Value> {
        self.nested(json, 1)
    }

    fn nested(&self, json: Json, depth: usize) -> Checked<Value> {
        Ok(match json {
            Json::Null => Value::None(self.tag),
            Json::Bool(value) => Value::Bool(value, self.tag),
            Json::Number(number) => self::number(&number, self.tag),
            Json::String(text) => self.string(text)?,
            Json::Array(items) => self.list(items, depth)?,
            Json::Object(fields) => self.object(fields, depth)?,
        })
    }

    fn string(&self, text: impl AsRef<str> + Into<String>) -> Checked<Value> {
        let size = text.as_ref().len();
        self.meter.string(size)?;
        self.meter.heap(size + NODE_BYTES)?;
        Ok(Value::text(text, self.tag))
    }

    fn list(&self, items: Vec<Json>, depth: usize) -> Checked<Value> {
        self.enter(items.len(), depth)?;
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let item = self.nested(item, depth + 1)?;
            item.mark_held();
            list.push(item);
        }
        Ok(Value::list(list, Header::tagged(self.epoch, self.tag)))
    }

    fn object(&self, fields: Map<String, Json>, depth: usize) -> Checked<Value> {
        self.enter(fields.len(), depth)?;
        let mut object = Fields::with_capacity(fields.len());
        for (name, value) in fields {
            self.meter.heap(name.len() + NODE_BYTES)?;
            let value = self.nested(value, depth + 1)?;
            value.mark_held();
            object.set(&self.keys.shared(&name), value);
        }
        Ok(Value::object(object, Header::tagged(self.epoch, self.tag)))
    }

    fn enter(&self, count: usize, depth: usize) -> Checked<()> {
        check_depth(self.meter, depth)?;
        self.meter.collection(count)?;
        self.meter.heap((count + 1) * NODE_BYTES)
    }
}

/// Converts a number: whole numbers of 64 bits stay whole, all others become floating-point.
fn number(number: &Number, tag: Tag) -> Value {
    match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => Value::Int(whole, tag),
        (None, Some(float)) if float.is_finite() => Value::Float(float, tag),
        _ => Value::None(tag),
    }
}

/// Refuses values nested deeper than `value_depth`, which is bounded as walking them takes native
/// stack.
pub(crate) fn check_depth(meter: &Meter, depth: usize) -> Checked<()> {
    let limit = meter.limits().value_depth.min(Limits::MOST_VALUE_DEPTH);
    if depth > limit {
        let message = format!("a value is nested deeper than {limit} lists and objects");
        let most = Limits::MOST_VALUE_DEPTH;
        let help = match limit < most {
            true => format!("make it flatter, or raise `value_depth`, which is at most {most}"),
            false => format!("make it flatter: `value_depth` can't be raised above {most}"),
        };
        return Err(Fault::limit(codes::VALUE_DEPTH, message).help(help));
    }
    Ok(())
}

/// Converts a value to JSON, and returns the tag of all its parts.
pub(crate) fn json_and_tag(value: &Value, meter: &Meter) -> Checked<(Json, Tag)> {
    json_among(value, meter, &mut 0)
}

/// Does the same as [`json_and_tag`] for one of several values that leave together; `bytes` is
/// their size so far.
pub(crate) fn json_among(value: &Value, meter: &Meter, bytes: &mut u64) -> Checked<(Json, Tag)> {
    let mut exporter = Exporter { meter, tag: Tag::PROGRAM, bytes: *bytes };
    let json = exporter.json(value, 1)?;
    *bytes = exporter.bytes;
    Ok((json, exporter.tag))
}

/// Writes a value as JSON on one line, and returns the text with the tag of all its parts. What it
/// takes is the text alone, which `string_bytes` bounds.
pub(crate) fn printed(value: &Value, meter: &Meter) -> Checked<(String, Tag)> {
    let mut printer = Printer::new(meter, Purpose::Text);
    printer.value(value, 1)?;
    Ok((printer.text(), printer.tag))
}

/// Writes a value that leaves the run, without a tree of it in memory; the limit is that of
/// [`json_and_tag`] (GR-5).
pub(crate) fn exported(value: &Value, meter: &Meter) -> Checked<(JsonText, Tag)> {
    let mut printer = Printer::new(meter, Purpose::Export);
    printer.value(value, 1)?;
    Ok((JsonText::written(printer.text()), printer.tag))
}

/// Writes values that leave the run together: one as it is, several as a list that is not a level of
/// their nesting. If nobody keeps the
/// text it is not written, but what may not leave is refused all the same (GR-3).
pub(crate) fn exported_all(
    values: &[Value],
    meter: &Meter,
    is_kept: bool,
) -> Checked<Option<JsonText>> {
    let purpose = if is_kept { Purpose::Export } else { Purpose::Check };
    let mut printer = Printer::new(meter, purpose);
    match values {
        [only] => printer.value(only, 1)?,
        _ => printer.items(values, 0)?,
    }
    Ok(is_kept.then(|| JsonText::written(printer.text())))
}

struct Printer<'m> {
    meter: &'m Meter,
    tag: Tag,
    text: Vec<u8>,
    purpose: Purpose,
    /// The counted size so far of a value that leaves the run.
    exported: u64,
}

/// What a text is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// It is a text of the program.
    Text,
    /// It leaves the run.
    Export,
    /// Only its limits are looked at: it would leave the run.
    Check,
}

impl<'m> Printer<'m> {
    const fn new(meter: &'m Meter, purpose: Purpose) -> Self {
        Self { meter, tag: Tag::PROGRAM, text: Vec::new(), purpose, exported: 0 }
    }

    fn text(&mut self) -> String {
        // Only whole strings and signs of ASCII were written.
        let text = String::from_utf8(std::mem::take(&mut self.text));
        let lossy = |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
        text.unwrap_or_else(lossy)
    }

    fn value(&mut self, value: &Value, depth: usize) -> Checked<()> {
        self.tag = self.meter.tags().join(self.tag, value.tag());
        match value {
            Value::None(_) => self.scalar(&()),
            Value::Bool(value, _) => self.scalar(value),
            Value::Int(value, _) => self.scalar(value),
            // What is not finite is null.
            Value::Float(value, _) => self.scalar(value),
            Value::Str(text, _) => {
                self.grow(text.len() + NODE_BYTES)?;
                self.scalar(text.as_str());
            }
            Value::List(list, _) => self.list(list, depth)?,
            Value::Object(object, _) => self.object(object, depth)?,
            Value::Secret(name, _) => {
                return Err(secret::refused(name, "shown, kept or sent here"));
            }
        }
        match self.purpose {
            Purpose::Text => self.meter.string(self.text.len()),
            Purpose::Export | Purpose::Check => Ok(()),
        }
    }

    /// Counts a part of a value that leaves the run, as [`Exporter::grow`] does.
    fn grow(&mut self, bytes: usize) -> Checked<()> {
        if self.purpose == Purpose::Text {
            return Ok(());
        }
        self.exported = self.exported.saturating_add(bytes as u64);
        self.meter.export(self.exported)
    }

    fn scalar<T: serde::Serialize + ?Sized>(&mut self, value: &T) {
        if self.purpose != Purpose::Check {
            // Writing to memory can't fail.
            let _ = serde_json::to_writer(&mut self.text, value);
        }
    }

    fn sign(&mut self, sign: u8) {
        if self.purpose != Purpose::Check {
            self.text.push(sign);
        }
    }

    fn list(&mut self, list: &List, depth: usize) -> Checked<()> {
        self.tag = self.meter.tags().join(self.tag, list.header.tag.get());
        self.items(&list.items.borrow(), depth)
    }

    fn items(&mut self, items: &[Value], depth: usize) -> Checked<()> {
        self.enter(items.len(), depth)?;
        self.sign(b'[');
        for (number, item) in items.iter().enumerate() {
            self.comma(number);
            self.value(item, depth + 1)?;
        }
        self.sign(b']');
        Ok(())
    }

    fn object(&mut self, object: &Object, depth: usize) -> Checked<()> {
        let fields = object.fields.borrow();
        self.tag = self.meter.tags().join(self.tag, object.header.tag.get());
        self.enter(fields.len(), depth)?;
        self.sign(b'{');
        for (number, (name, value)) in fields.iter().enumerate() {
            self.comma(number);
            self.grow(name.len() + NODE_BYTES)?;
            self.scalar(&**name);
            self.sign(b':');
            self.value(value, depth + 1)?;
        }
        self.sign(b'}');
        Ok(())
    }

    fn comma(&mut self, number: usize) {
        if number > 0 {
            self.sign(b',');
        }
    }

    fn enter(&mut self, count: usize, depth: usize) -> Checked<()> {
        check_depth(self.meter, depth)?;
        self.grow(container_bytes(count, depth))
    }
}

/// Returns the counted size of a list or object: formatted, each item is on a line of its own, indented
/// by its depth.
const fn container_bytes(count: usize, depth: usize) -> usize {
    (count + 1) * (NODE_BYTES + INDENT_BYTES * depth)
}

struct Exporter<'m> {
    meter: &'m Meter,
    tag: Tag,
    bytes: u64,
}

// Loops and small functions, so that a level of nesting takes little native stack.
impl Exporter<'_> {
    fn json(&mut self, value: &Value, depth: usize) -> Checked<Json> {
        self.tag = self.meter.tags().join(self.tag, value.tag());
        match value {
            Value::None(_) => Ok(Json::Null),
            Value::Bool(value, _) => Ok(Json::Bool(*value)),
            Value::Int(value, _) => Ok(Json::from(*value)),
            Value::Float(value, _) => Ok(Number::from_f64(*value).map_or(Json::Null, Json::Number)),
            Value::Str(text, _) => self.text(text),
            Value::List(list, _) => self.list(list, depth),
            Value::Object(object, _) => self.object(object, depth),
            Value::Secret(name, _) => Err(secret::refused(name, "shown, kept or sent here")),
        }
    }

    fn text(&mut self, text: &str) -> Checked<Json> {
        self.grow(text.len() + NODE_BYTES)?;
        Ok(Json::String(text.to_owned()))
    }

    fn list(&mut self, list: &List, depth: usize) -> Checked<Json> {
        let items = list.items.borrow();
        self.enter(&list.header, items.len(), depth)?;
        let mut json = Vec::with_capacity(items.len());
        for item in items.iter() {
            json.push(self.json(item, depth + 1)?);
        }
        Ok(Json::Array(json))
    }

    fn object(&mut self, object: &Object, depth: usize) -> Checked<Json> {
        let fields = object.fields.borrow();
        self.enter(&object.header, fields.len(), depth)?;
        let mut json = Map::with_capacity(fields.len());
        for (name, value) in fields.iter() {
            self.grow(name.len() + NODE_BYTES)?;
            json.insert(name.to_string(), self.json(value, depth + 1)?);
        }
        Ok(Json::Object(json))
    }

    fn enter(&mut self, header: &Header, count: usize, depth: usize) -> Checked<()> {
        self.tag = self.meter.tags().join(self.tag, header.tag.get());
        check_depth(self.meter, depth)?;
        self.grow(container_bytes(count, depth))
    }

    /// Limits the size of one text to that of all values together: shared parts are written once
    /// per occurrence.
    fn grow(&mut self, bytes: usize) -> Checked<()> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        self.meter.export(self.bytes)
    }
}
