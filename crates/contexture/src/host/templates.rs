//! Imported templates, rendered (AS-2).

use super::convert::fields;
use super::{LiveHost, placeholder, supplied};
use crate::templates::{self, ReadTemplate};
use contexture_context::Trust;
use contexture_diagnostic::suggestion;
use contexture_prompt::{LocatedError, PromptError, PromptTemplate, RenderLimits, TemplateContext};
use contexture_script::host::{HostError, Supplied};
use contexture_script::template::{TemplateCall, TemplateFault, TemplateImport};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// A template that is ready to be rendered.
#[derive(Debug)]
pub(crate) struct Compiled {
    read: ReadTemplate,
    template: PromptTemplate,
}

/// The templates of a run, by importing file and name.
pub(crate) type Templates = HashMap<(String, String), Arc<Compiled>>;

/// Renders a template; it was written by those who wrote the program.
pub(super) fn render(host: &LiveHost, call: &TemplateCall) -> Result<Supplied, HostError> {
    let compiled = compiled(host, call)?;
    match text(&compiled, call) {
        Ok(text) => Ok(supplied(Value::String(text), Trust::Program)),
        // What a placeholder lacks, the real value may have.
        Err(_) if host.dry_run && call.on_placeholders => {
            let text = format!("⟨{}⟩", call.template.name);
            Ok(placeholder(Value::String(text), Trust::Program))
        }
        Err(error) => Err(error),
    }
}

/// A template is read and compiled at its first use.
fn compiled(host: &LiveHost, call: &TemplateCall) -> Result<Arc<Compiled>, HostError> {
    let key = (call.template.importer.clone(), call.template.name.clone());
    let known = host.state().templates.get(&key).filter(|_| call.event.is_none()).cloned();
    if let Some(known) = known {
        return Ok(known);
    }
    let compiled = Arc::new(compile(host, &call.template)?);
    if let Some(event) = call.event {
        host.recorder.amend(event, fields(compiled.read.digests()));
    }
    host.state().templates.insert(key, Arc::clone(&compiled));
    Ok(compiled)
}

fn compile(host: &LiveHost, import: &TemplateImport) -> Result<Compiled, HostError> {
    let limit = host.limits.file_bytes as u64;
    let mut read = templates::read(&host.workspace, import, limit)
        .map_err(|error| HostError::new(error.code(), error.to_string()).with_help(error.help()))?;
    read.facts().map_err(|faults| invalid(&faults))?;
    let template = PromptTemplate::compile(read.text.text())
        .map_err(|error| HostError::new(error.code(), error.to_string()))?;
    let output_bytes = host.limits.string_bytes;
    read.registry.set_limits(RenderLimits { output_bytes, ..RenderLimits::default() });
    Ok(Compiled { read, template })
}

/// The first fault; a program that was checked has none, unless the file was changed since.
fn invalid(faults: &[TemplateFault]) -> HostError {
    match faults.first() {
        Some(TemplateFault::Invalid { code, place, message, help }) => {
            let error = HostError::new(*code, format!("{place}: {message}"));
            match help {
                Some(help) => error.with_help(help),
                None => error,
            }
        }
        Some(TemplateFault::Unreadable(fault)) => HostError::new("file_failed", &fault.message),
        None => HostError::new("file_failed", "the template can't be used"),
    }
}

fn text(compiled: &Compiled, call: &TemplateCall) -> Result<String, HostError> {
    let variables =
        TemplateContext::from_json(&whole(call.variables.clone())).map_err(|error| {
            let name = &call.template.name;
            HostError::new(
                error.code(),
                format!("the variables of `{name}` can't be read: {error}"),
            )
        })?;
    let rendered = compiled.read.registry.render_template(&compiled.template, &variables);
    rendered.map_err(|error| failure(compiled, call, &variables, &error))
}

/// Whole numbers print without a fraction, as the language prints them.
fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => (float as i64).into(),
            _ => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(whole).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, whole(value))).collect()
        }
        other => other,
    }
}

fn failure(
    compiled: &Compiled,
    call: &TemplateCall,
    variables: &TemplateContext,
    located: &LocatedError,
) -> HostError {
    let LocatedError { error, partial, line, column } = located;
    let partial = partial.as_deref().and_then(|name| compiled.read.partials.get(name));
    let file = partial.unwrap_or(&compiled.read.text).name();
    let name = &call.template.name;
    let (message, help) = match error {
        PromptError::VariableNotFound(path) => {
            let names: Vec<&str> = variables.iter().map(|(name, _)| name).collect();
            let help = suggestion(path, names).unwrap_or_else(|| {
                format!("give it, as in `{name}({{ … }})`, or test it first: `{{{{#if {path}}}}}`")
            });
            (format!("the template needs the variable `{path}`"), Some(help))
        }
        PromptError::NotAnArray(path) => (
            format!("`{path}` is no list, so `{{{{#each {path}}}}}` can't go over it"),
            Some("give a list; it may be empty".to_owned()),
        ),
        other => (other.to_string(), None),
    };
    let mut details = fields(json!({ "template": file, "line": line, "column": column }));
    if matches!(error, PromptError::VariableNotFound(_)) {
        let missing = compiled.read.registry.missing(&compiled.template, variables);
        details.insert("missing".to_owned(), json!(missing.unwrap_or_default()));
    }
    let mut failure = HostError::new(error.code(), format!("{file}:{line}:{column}: {message}"));
    failure.details = Some(Value::Object(details));
    failure.help = help;
    failure
}
