//! Secrets in values: handles that go into the headers of an HTTP tool and nowhere else (GU-9).
//!
//! Decision: a handle holds the name of the secret. Its value is the host's, which puts it into the
//! request; so no value of a program, no record and no message can show it.

use super::fields::Fields;
use super::tag::Tag;
use super::{FROZEN, Header, Object, Value};
use crate::host::HeaderSecret;
use crate::runtime::error::{Checked, Fault, codes};
use contexture_context::secrets::MASK;
use std::cell::RefCell;
use std::rc::Rc;

/// Refuses a secret where it would be shown or left behind.
#[cold]
pub(crate) fn refused(name: &str, place: &str) -> Box<Fault> {
    let message = format!("the secret `{name}` can't be {place}");
    Fault::new(codes::WRONG_TYPE, message)
        .help("a secret goes only into `headers` of an HTTP tool: `{ headers: { authorization: secret(\"…\") } }`")
}

/// Refuses to compare a secret.
pub(crate) fn comparable(left: &Value, right: &Value) -> Checked<()> {
    match (left, right) {
        (Value::Secret(name, _), _) | (_, Value::Secret(name, _)) => Err(refused(name, "compared")),
        _ => Ok(()),
    }
}

/// Returns the argument of an HTTP tool with its secret headers masked, and these headers; `None`
/// when it has none.
pub(crate) fn headers(argument: &Value) -> Option<(Value, Vec<HeaderSecret>)> {
    let Value::Object(object, own) = argument else { return None };
    let fields = object.fields.borrow();
    let Some(Value::Object(headers, of_headers)) = fields.get("headers") else { return None };
    let mut secrets = Vec::new();
    let headers_fields = headers.fields.borrow();
    let mut masked = Fields::with_capacity(headers_fields.len());
    for (header, value) in headers_fields.iter() {
        let value = match value {
            Value::Secret(name, tag) => {
                let (header, secret) = (header.to_string(), name.to_string());
                secrets.push(HeaderSecret { header, secret });
                Value::text(MASK, *tag)
            }
            value => value.clone(),
        };
        masked.set(header, value);
    }
    if secrets.is_empty() {
        return None;
    }
    let masked = copy(masked, (headers, *of_headers));
    let mut whole = Fields::with_capacity(fields.len());
    for (name, value) in fields.iter() {
        whole.set(name, value.clone());
    }
    whole.set(&Rc::from("headers"), masked);
    Some((copy(whole, (object, *own)), secrets))
}

/// Creates an object with the labels of another.
fn copy(fields: Fields, (original, tag): (&Object, Tag)) -> Value {
    let header = Header::tagged(FROZEN, original.header.tag.get());
    let (fields, optional) = (RefCell::new(fields), RefCell::default());
    Value::Object(Rc::new(Object { header, fields, optional }), tag)
}
