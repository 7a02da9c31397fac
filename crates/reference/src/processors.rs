//! Processors: protocols that work on what an inner reference gave (REF-11, REF-12).
//!
//! Decision: a processor is a pure function over one text and the parameters of its level;
//! [`Processor`] makes a [`Protocol`] of it, one resource in, one out.

mod base64;
mod data;
mod lines;
mod markdown;
mod template;

use contexture_core::reference::{
    Content, LoadError, LoadFuture, Loaded, Parameter, ParameterKind, Parameters, Protocol,
    Request, Resource, Role,
};
use std::sync::Arc;

/// The processor that numbers lines, and the parameter with the number of its first one.
pub(crate) const LINES: &str = "lines";
pub(crate) const FROM: &str = "from";

/// The result of processing one resource: its media type and its content.
type Made = Result<(String, Vec<u8>), Fault>;

/// Why a processor could not work on a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    code: &'static str,
    message: String,
    help: Option<String>,
}

impl Fault {
    fn new(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: Some(help.into()) }
    }
}

/// A built-in processor.
struct Processor {
    name: &'static str,
    parameters: Vec<Parameter>,
    open: bool,
    apply: fn(&Resource, &Parameters) -> Made,
}

/// Returns all built-in processors: `text`, `json`, `yaml`, `markdown`, `lines`, `template`,
/// `base64`.
#[must_use]
pub fn built_in() -> Vec<Arc<dyn Protocol>> {
    let pointer =
        || vec![parameter("pointer", "the part to take, as a JSON Pointer such as /items/0/name")];
    let section = vec![parameter("section", "the heading whose section to take, such as Usage")];
    let from = Parameter {
        kind: ParameterKind::Integer,
        ..parameter(FROM, "the number of the first line; that of `line=` by default, else 1")
    };
    let processors = [
        Processor { name: "text", parameters: Vec::new(), open: false, apply: text },
        Processor { name: "json", parameters: pointer(), open: false, apply: data::json },
        Processor { name: "yaml", parameters: pointer(), open: false, apply: data::yaml },
        Processor { name: "markdown", parameters: section, open: false, apply: markdown::markdown },
        Processor { name: LINES, parameters: vec![from], open: false, apply: lines::lines },
        Processor {
            name: "template",
            parameters: Vec::new(),
            open: true,
            apply: template::template,
        },
        Processor { name: "base64", parameters: Vec::new(), open: false, apply: base64::base64 },
    ];
    processors.into_iter().map(|processor| Arc::new(processor) as Arc<dyn Protocol>).collect()
}

fn parameter(name: &str, description: &str) -> Parameter {
    Parameter {
        name: name.to_owned(),
        kind: ParameterKind::String,
        description: description.to_owned(),
        default: None,
        required: false,
    }
}

impl Protocol for Processor {
    fn name(&self) -> &str {
        self.name
    }

    fn role(&self) -> Role {
        Role::Processor
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn takes_any_parameter(&self) -> bool {
        self.open
    }

    fn reads_bytes(&self) -> bool {
        self.name == "base64"
    }

    fn connects(&self) -> bool {
        false
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        // What is only named has no content to work on; it stays as it is.
        let processed = request.input.iter().map(|resource| match resource.bytes() {
            Some(_) => self.process(resource, request),
            None => Ok(resource.clone()),
        });
        let resources = processed.collect::<Result<Vec<_>, _>>();
        Box::pin(async move { Ok(Loaded { resources: resources?, ..Loaded::default() }) })
    }
}

impl Processor {
    fn process(&self, resource: &Resource, request: Request<'_>) -> Result<Resource, LoadError> {
        let reference = around(self.name, &resource.reference);
        let (media_type, content) =
            (self.apply)(resource, request.parameters).map_err(|fault| LoadError {
                code: fault.code,
                reference: reference.clone(),
                message: fault.message,
                help: fault.help,
            })?;
        Ok(Resource {
            reference,
            media_type,
            content: Content::Bytes(content),
            trust: resource.trust,
        })
    }
}

/// Returns the reference of what a processor made of a resource.
pub(crate) fn around(name: &str, inner: &str) -> String {
    format!("@{name}:{inner}")
}

/// Returns the text of a resource, for processors that read text.
fn text_of(resource: &Resource) -> Result<&str, Fault> {
    resource.text().ok_or_else(|| {
        let message = format!("`{}` is not text", resource.reference);
        Fault::new("REF3020", message, "`@base64:…` shows bytes as text")
    })
}

/// `text`: the content as plain text, whatever it was.
fn text(resource: &Resource, _: &Parameters) -> Made {
    Ok(("text/plain".to_owned(), text_of(resource)?.as_bytes().to_vec()))
}

#[cfg(test)]
mod tests;
