//! One message of the YAML list.

use contexture::prompt::{
    ContentField, OpenaiChatMessage, OpenaiContentPart, PromptTemplate, Role, TemplateContext,
    ToolCall,
};
use contexture::reading;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    role: Role,
    text: Option<String>,
    template: Option<String>,
    template_file: Option<String>,
    vars: Option<Value>,
    parts: Option<Vec<Value>>,
    name: Option<String>,
    tool_call_id: Option<String>,
    tool_calls: Option<Vec<ToolCall>>,
}

/// The message that an entry stands for; paths are relative to `folder`.
///
/// # Errors
/// What is wrong with it, in words.
pub(super) fn message(entry: Value, folder: &Path) -> Result<OpenaiChatMessage, String> {
    if !entry.is_object() {
        return Err("an object with `role` is expected".to_owned());
    }
    let entry: Entry = serde_json::from_value(entry).map_err(|error| error.to_string())?;
    let content = content(&entry, folder)?;
    if content.is_none() && entry.tool_calls.is_none() {
        return Err("one of `text`, `template`, `template_file` or `parts` is expected".to_owned());
    }
    Ok(OpenaiChatMessage {
        role: entry.role,
        content: content.map(ContentField::Array),
        name: entry.name,
        tool_calls: entry.tool_calls,
        tool_call_id: entry.tool_call_id,
        ..OpenaiChatMessage::default()
    })
}

fn content(entry: &Entry, folder: &Path) -> Result<Option<Vec<OpenaiContentPart>>, String> {
    let vars = entry.vars.as_ref();
    if vars.is_some() && entry.template.is_none() && entry.template_file.is_none() {
        return Err("`vars` go with `template` or `template_file`".to_owned());
    }
    match (&entry.text, &entry.template, &entry.template_file, &entry.parts) {
        (None, None, None, None) => Ok(None),
        (Some(text), None, None, None) => Ok(Some(vec![OpenaiContentPart::text(text)])),
        (None, Some(text), None, None) => Ok(Some(vec![rendered(text, vars)?])),
        (None, None, Some(file), None) => {
            let path = folder.join(file);
            let text = reading::regular(&path, reading::ARGUMENT_BYTES)
                .map_err(|error| error.to_string())?;
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            Ok(Some(vec![rendered(text, vars)?]))
        }
        (None, None, None, Some(parts)) => {
            let parts = parts.iter().enumerate();
            parts
                .map(|(at, part)| self::part(part).map_err(|e| format!("part {at}: {e}")))
                .collect::<Result<_, _>>()
                .map(Some)
        }
        _ => Err(
            "only one of `text`, `template`, `template_file` and `parts` may stand in a message"
                .to_owned(),
        ),
    }
}

fn rendered(template: &str, vars: Option<&Value>) -> Result<OpenaiContentPart, String> {
    let vars = vars.map_or_else(|| Ok(TemplateContext::new()), TemplateContext::from_json);
    let vars = vars.map_err(|error| format!("`vars`: {error}"))?;
    let template = PromptTemplate::compile(template).map_err(|error| error.to_string())?;
    let text = template.render_located(&vars).map_err(|error| error.to_string())?;
    Ok(OpenaiContentPart::text(text))
}

/// A part: a plain text, a short form (`image_url: https://…`), or OpenAI's own JSON.
fn part(value: &Value) -> Result<OpenaiContentPart, String> {
    let Value::Object(fields) = value else {
        return match value.as_str() {
            Some(text) => Ok(OpenaiContentPart::text(text)),
            None => Err("a text or an object is expected".to_owned()),
        };
    };
    if let Some(Value::String(template)) = fields.get("template") {
        return rendered(template, fields.get("vars"));
    }
    serde_json::from_value(Value::Object(with_type(fields))).map_err(|error| error.to_string())
}

/// The part in OpenAI's JSON.
fn with_type(fields: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = fields.clone();
    if !fields.contains_key("type") {
        let kinds = ["text", "image_url", "input_audio", "file", "refusal"];
        let kind = kinds.into_iter().find(|kind| fields.contains_key(*kind));
        fields.insert("type".to_owned(), json!(kind.unwrap_or("text")));
    }
    if let Some(url @ Value::String(_)) = fields.get("image_url").cloned() {
        fields.insert("image_url".to_owned(), json!({ "url": url }));
    }
    fields
}
