//! `text`, `base64`, `lines` and `template`, and what all processors share.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contexture_core::reference::{Parameters, Resource};
use contexture_prompt::{PromptTemplate, TemplateContext};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// The processor that numbers lines, and the parameter with the number of its first one.
pub(crate) const LINES: &str = "lines";
pub(crate) const FROM: &str = "from";

pub(super) type Made = Result<(String, Vec<u8>), Fault>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Fault {
    pub(super) fn new(
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { code, message: message.into(), help: Some(help.into()) }
    }
}

pub(super) fn text_of(resource: &Resource) -> Result<&str, Fault> {
    resource.text().ok_or_else(|| {
        let message = format!("`{}` is not text", resource.reference);
        Fault::new("REF3020", message, "`@base64:…` shows bytes as text")
    })
}

/// The content as it is.
pub(super) fn same(resource: &Resource, _: &Parameters) -> Made {
    Ok((resource.media_type.clone(), text_of(resource)?.as_bytes().to_vec()))
}

/// `text`: the content as plain text, whatever it was.
pub(super) fn text(resource: &Resource, _: &Parameters) -> Made {
    Ok(("text/plain".to_owned(), text_of(resource)?.as_bytes().to_vec()))
}

pub(super) fn base64(resource: &Resource, _: &Parameters) -> Made {
    Ok((
        "text/plain".to_owned(),
        STANDARD.encode(resource.bytes().unwrap_or_default()).into_bytes(),
    ))
}

pub(super) fn lines(resource: &Resource, parameters: &Parameters) -> Made {
    let text = text_of(resource)?;
    let first = parameters.get(FROM).map_or(Some(1), |number| number.parse::<u64>().ok());
    let first = first.ok_or_else(|| {
        Fault::new("REF3004", "`from` is not a number of a line", "write a whole number from 0")
    })?;
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for (index, line) in (0..).zip(text.lines()) {
        let number = first.saturating_add(index);
        // Writing to a string can't fail.
        let _ = writeln!(out, "{number}: {line}");
    }
    Ok(("text/plain".to_owned(), out.into_bytes()))
}

pub(super) fn template(resource: &Resource, parameters: &Parameters) -> Made {
    let fault = |error: &contexture_prompt::PromptError| {
        let help = "name its variables in the query: @template:file://a.md?name=value";
        Fault::new("REF3025", error.to_string(), help)
    };
    let template = PromptTemplate::compile(text_of(resource)?).map_err(|error| fault(&error))?;
    let variables: Map<String, Value> = parameters
        .taken
        .iter()
        .map(|(name, value)| (name.clone(), Value::String(value.clone())))
        .collect();
    let variables = TemplateContext::from_json(&Value::Object(variables));
    let text = variables
        .and_then(|variables| template.render(&variables))
        .map_err(|error| fault(&error))?;
    Ok((resource.media_type.clone(), text.into_bytes()))
}
