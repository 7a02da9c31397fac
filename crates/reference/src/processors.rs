//! Processors: protocols that work on what an inner reference gave (REF-11, REF-12).
//!
//! Decision: a processor is a pure function over one text and the parameters of its level;
//! `Processor` makes a [`Protocol`] of it, one resource in, one out.

mod data;
mod markdown;
mod small;

pub(crate) use small::{FROM, LINES};
use small::{Made, base64, lines, template, text};

use crate::expand::EXPAND;
use contexture_core::reference::{
    Content, LoadError, LoadFuture, Loaded, Parameter, ParameterKind, Parameters, Protocol,
    Request, Resource, Role,
};
use std::sync::Arc;

struct Processor {
    name: &'static str,
    parameters: Vec<Parameter>,
    open: bool,
    apply: fn(&Resource, &Parameters) -> Made,
}

/// Returns all built-in processors: `text`, `json`, `yaml`, `markdown`, `lines`, `template`,
/// `expand`, `base64`.
#[must_use]
pub fn built_in() -> Vec<Arc<dyn Protocol>> {
    let text_of =
        |name: &str, description: &str| Parameter::new(name, ParameterKind::String, description);
    let pointer =
        || vec![text_of("pointer", "the part to take, as a JSON Pointer such as /items/0/name")];
    let section = vec![text_of("section", "the heading whose section to take, such as Usage")];
    let from = "the number of the first line; that of `line=` by default, else 1";
    let from = Parameter::new(FROM, ParameterKind::Integer, from);
    let processors = [
        Processor { name: "text", parameters: Vec::new(), open: false, apply: text },
        Processor { name: "json", parameters: pointer(), open: false, apply: data::json },
        Processor { name: "yaml", parameters: pointer(), open: false, apply: data::yaml },
        Processor { name: "markdown", parameters: section, open: false, apply: markdown::markdown },
        Processor { name: LINES, parameters: vec![from], open: false, apply: lines },
        Processor { name: "template", parameters: Vec::new(), open: true, apply: template },
        // The loader expands what this passes on.
        Processor { name: EXPAND, parameters: Vec::new(), open: false, apply: small::same },
        Processor { name: "base64", parameters: Vec::new(), open: false, apply: base64 },
    ];
    processors.into_iter().map(|processor| Arc::new(processor) as Arc<dyn Protocol>).collect()
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
            place: resource.place.clone(),
        })
    }
}

/// Returns the reference of what a processor made of a resource.
pub(crate) fn around(name: &str, inner: &str) -> String {
    format!("@{name}:{inner}")
}

#[cfg(test)]
mod tests;
