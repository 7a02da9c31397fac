//! `template`: the content is a prompt template, the query its variables.

use super::{Fault, Made, text_of};
use contexture_core::reference::{Parameters, Resource};
use contexture_prompt::{PromptTemplate, TemplateContext};
use serde_json::{Map, Value};

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
