//! A message of the YAML list.

use super::references::{Loading, Source, folder_of};
use crate::prelude::*;
use contexture::prompt::{
    ContentField, LocatedError, OpenaiChatMessage, OpenaiContentPart, PromptTemplate, Role,
    TemplateContext, ToolCall,
};
use contexture::reading;
use serde::Deserialize;
use serde_json::Map;

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

pub(super) enum Fault {
    /// The entry is not a message.
    Entry(String),
    /// A template can't be rendered with its variables.
    Rendering { words: String, help: Option<String> },
    /// An included reference can't be loaded.
    Reference(Abort),
}

impl Fault {
    fn rendering(error: LocatedError) -> Self {
        let help = error.error.help().map(str::to_owned);
        Self::Rendering { words: error.to_string(), help }
    }

    fn in_part(self, at: usize) -> Self {
        match self {
            Self::Entry(words) => Self::Entry(format!("part {at}: {words}")),
            Self::Rendering { words, help } => {
                Self::Rendering { words: format!("part {at}: {words}"), help }
            }
            reference @ Self::Reference(_) => reference,
        }
    }
}

impl From<String> for Fault {
    fn from(words: String) -> Self {
        Self::Entry(words)
    }
}

impl From<&str> for Fault {
    fn from(words: &str) -> Self {
        Self::Entry(words.to_owned())
    }
}

pub(super) struct Reader<'a> {
    /// The name of the entry in messages.
    pub(super) name: &'a str,
    /// The folder that paths are relative to.
    pub(super) folder: Option<&'a Path>,
    /// The loader of included references.
    pub(super) loading: &'a Loading<'a>,
}

/// Reads the message of an entry.
pub(super) fn message(entry: Value, reader: &Reader<'_>) -> Result<OpenaiChatMessage, Fault> {
    if !entry.is_object() {
        return Err("expected an object with `role`".into());
    }
    let entry: Entry = serde_json::from_value(entry).map_err(|error| error.to_string())?;
    let content = reader.content(&entry)?;
    if content.is_none() && entry.tool_calls.is_none() {
        return Err("expected one of `text`, `template`, `template_file` or `parts`".into());
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

impl Reader<'_> {
    fn content(&self, entry: &Entry) -> Result<Option<Vec<OpenaiContentPart>>, Fault> {
        let vars = entry.vars.as_ref();
        if vars.is_some() && entry.template.is_none() && entry.template_file.is_none() {
            return Err("`vars` needs `template` or `template_file`".into());
        }
        match (&entry.text, &entry.template, &entry.template_file, &entry.parts) {
            (None, None, None, None) => Ok(None),
            (Some(text), None, None, None) => Ok(Some(vec![OpenaiContentPart::text(text)])),
            (None, Some(text), None, None) => {
                Ok(Some(vec![self.rendered(text, vars, self.folder)?]))
            }
            (None, None, Some(file), None) => Ok(Some(vec![self.of_file(file, vars)?])),
            (None, None, None, Some(parts)) if parts.is_empty() => {
                Err("`parts` is empty: give at least one part, or leave it out".into())
            }
            (None, None, None, Some(parts)) => {
                let parts = parts.iter().enumerate();
                parts.map(|(at, part)| self.part(at, part)).collect::<Result<_, _>>().map(Some)
            }
            _ => {
                Err("a message has only one of `text`, `template`, `template_file` and `parts`"
                    .into())
            }
        }
    }

    fn of_file(&self, file: &str, vars: Option<&Value>) -> Result<OpenaiContentPart, Fault> {
        let path = self.folder.unwrap_or(Path::new("")).join(file);
        let text =
            reading::regular(&path, reading::ARGUMENT_BYTES).map_err(|error| error.to_string())?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        self.rendered(text, vars, folder_of(&path))
    }

    fn rendered(
        &self,
        template: &str,
        vars: Option<&Value>,
        folder: Option<&Path>,
    ) -> Result<OpenaiContentPart, Fault> {
        let vars = vars.map_or_else(|| Ok(TemplateContext::new()), TemplateContext::from_json);
        let vars = vars.map_err(|error| format!("`vars`: {error}"))?;
        let template = PromptTemplate::compile(template).map_err(|error| error.to_string())?;
        let wanted = match template.references().is_empty() {
            true => Vec::new(),
            false => template.included(&vars).map_err(Fault::rendering)?,
        };
        let source = Source { name: self.name, folder, partials: None };
        let texts = self.loading.texts(wanted, source).map_err(Fault::Reference)?;
        let text = template.render_with(&vars, &texts).map_err(Fault::rendering)?;
        Ok(OpenaiContentPart::text(text))
    }

    /// Reads a part: a plain text, a short form (`image_url: https://…`), or OpenAI's JSON.
    fn part(&self, at: usize, value: &Value) -> Result<OpenaiContentPart, Fault> {
        let Value::Object(fields) = value else {
            return match value.as_str() {
                Some(text) => Ok(OpenaiContentPart::text(text)),
                None => Err(format!("part {at}: expected a text or an object").into()),
            };
        };
        if let Some(Value::String(template)) = fields.get("template") {
            let part = self.rendered(template, fields.get("vars"), self.folder);
            return part.map_err(|fault| fault.in_part(at));
        }
        serde_json::from_value(Value::Object(with_type(fields)))
            .map_err(|error| format!("part {at}: {error}").into())
    }
}

/// Returns a part in OpenAI's JSON.
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
