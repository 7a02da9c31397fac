//! OpenAI's chat completions, and the servers that speak the same.
//!
//! Decision: messages go out as the composer made them, since they are OpenAI's JSON already. Two
//! things are simplified, because many compatible servers support no more: a content of one
//! text part becomes a plain string, and `developer` becomes `system` anywhere but at OpenAI.

mod response;
#[cfg(test)]
mod tests;

use super::{Decoder, Framing, Header, Parts, Plan, Refusal, Wire, json::closed, refusal};
use crate::embed::Embedded;
use contexture_core::Secret;
use contexture_core::error::LlmError;
use contexture_core::provider::{ChatCall, SchemaHint, Think};
use contexture_prompt::ChatResponse;
use serde_json::{Map, Value, json};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenAi {
    /// The provider's name in errors: `openai`, or the host.
    pub(crate) name: String,
    /// The base URL with its version, without a slash at the end.
    pub(crate) base: String,
    /// The key, if one is sent.
    pub(crate) key: Option<Secret>,
    /// The model of requests that name none.
    pub(crate) model: String,
    /// True if this is OpenAI itself, with all that it documents.
    pub(crate) official: bool,
}

/// Forms of structured output, the best one first. The second is that of llama.cpp's servers.
const SCHEMA_FORMS: u8 = 3;

impl Wire for OpenAi {
    fn provider(&self) -> &str {
        &self.name
    }

    fn request(&self, call: &ChatCall, plan: Plan, stream: bool) -> Result<Parts, LlmError> {
        let mut warnings = Vec::new();
        let mut body = match serde_json::to_value(&call.request) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        if call.request.model.is_empty() {
            body.insert("model".into(), self.model.as_str().into());
        }
        if let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) {
            messages.iter_mut().for_each(|message| self.simplify(message));
        }
        self.limit(call, plan, &mut body, &mut warnings);
        self.reasoning(call, plan, &mut body, &mut warnings);
        if plan.no_temperature && body.remove("temperature").is_some() {
            warnings.push(left_out("temperature"));
        }
        if body.remove("n").is_some_and(|n| n != json!(1)) {
            warnings.push("`n` was left out: one answer is read".to_owned());
        }
        let mut form = None;
        if let Some(schema) = &call.schema {
            let (name, format) = response_format(schema, plan.schema_step);
            form = Some(name);
            match format {
                Some(format) => drop(body.insert("response_format".into(), format)),
                None => warnings.push(left_out("structured output")),
            }
        }
        body.remove("stream");
        body.remove("stream_options");
        if stream {
            body.insert("stream".into(), true.into());
            if !plan.no_stream_usage {
                body.insert("stream_options".into(), json!({"include_usage": true}));
            }
        }
        let key = self.key.clone().map(|key| ("authorization", Header::Bearer(key)));
        Ok(Parts {
            url: format!("{}/chat/completions", self.base),
            headers: key.into_iter().collect(),
            body: Value::Object(body),
            warnings,
            schema: form,
        })
    }

    fn inquiries(&self) -> Vec<Parts> {
        if self.official {
            return Vec::new();
        }
        let root = self.base.strip_suffix("/v1").unwrap_or(&self.base);
        let key = self.key.clone().map(|key| ("authorization", Header::Bearer(key)));
        let headers: Vec<_> = key.into_iter().collect();
        let urls = [format!("{root}/props"), format!("{}/models", self.base)];
        let parts = |url| Parts {
            url,
            headers: headers.clone(),
            body: Value::Null,
            warnings: Vec::new(),
            schema: None,
        };
        urls.into_iter().map(parts).collect()
    }

    fn response(&self, call: &ChatCall, body: &Value) -> Result<ChatResponse, LlmError> {
        response::read(self, call, body)
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self, call: &ChatCall) -> Box<dyn Decoder> {
        Box::new(response::Stream::new(self.clone(), call))
    }

    fn concede(&self, call: &ChatCall, plan: Plan, refusal: &Refusal<'_>) -> Option<Plan> {
        let words =
            ["response_format", "json_schema", "json_object", "structured output", "schema"];
        refusal::concede(call, plan, refusal, &words, SCHEMA_FORMS)
    }
}

impl OpenAi {
    /// Returns the request for the vectors of texts.
    pub(crate) fn embeddings(&self, texts: &[String], dimensions: Option<u64>) -> Parts {
        let mut body = json!({ "model": self.model, "input": texts, "encoding_format": "float" });
        if let (Some(dimensions), Some(fields)) = (dimensions, body.as_object_mut()) {
            fields.insert("dimensions".to_owned(), dimensions.into());
        }
        self.post("embeddings", body)
    }

    /// Returns the request for another service of the server.
    pub(super) fn post(&self, service: &str, body: Value) -> Parts {
        let key = self.key.clone().map(|key| ("authorization", Header::Bearer(key)));
        let headers = key.into_iter().collect();
        let url = format!("{}/{service}", self.base);
        Parts { url, headers, body, warnings: Vec::new(), schema: None }
    }

    fn simplify(&self, message: &mut Value) {
        if let Some(role) = message.get_mut("role")
            && !self.official
            && role == "developer"
        {
            *role = "system".into();
        }
        let Some(content) = message.get_mut("content") else { return };
        if let Some([only]) = content.as_array().map(Vec::as_slice)
            && only.get("type") == Some(&json!("text"))
        {
            *content = only.get("text").cloned().unwrap_or_default();
        }
    }

    fn limit(
        &self,
        call: &ChatCall,
        plan: Plan,
        body: &mut Map<String, Value>,
        warnings: &mut Vec<String>,
    ) {
        let names = ["max_completion_tokens", "max_tokens"];
        let newer = self.official != plan.other_max_tokens;
        let Some(limit) = call.output_limit() else { return };
        // A request that names the field itself knows its server, until the server says otherwise.
        if call.max_output.is_none() && !plan.other_max_tokens && !plan.no_max_tokens {
            return;
        }
        for name in names {
            body.remove(name);
        }
        if plan.no_max_tokens {
            warnings.push(left_out("max_output"));
            return;
        }
        let [new_name, old_name] = names;
        body.insert(if newer { new_name } else { old_name }.into(), limit.into());
    }

    fn reasoning(
        &self,
        call: &ChatCall,
        plan: Plan,
        body: &mut Map<String, Value>,
        warnings: &mut Vec<String>,
    ) {
        let Some(think) = call.think else { return };
        let model = body.get("model").and_then(Value::as_str).unwrap_or_default();
        let effort = match think {
            Think::Auto => return,
            Think::Off => "none",
            Think::On => "medium",
            Think::Low | Think::Medium | Think::High => think.as_str(),
        };
        if plan.no_think || (self.official && never_reasons(model)) {
            if think != Think::Off {
                warnings.push(left_out("think"));
            }
            return;
        }
        body.insert("reasoning_effort".into(), effort.into());
    }
}

/// Reads the vectors of so many texts.
pub(crate) fn vectors(answer: &Value, count: usize) -> Result<Embedded, String> {
    let rows = answer.get("data").and_then(Value::as_array);
    let rows = rows.ok_or("it has no list `data`")?;
    if rows.len() != count {
        return Err(format!("{count} vectors were asked for, and {} came", rows.len()));
    }
    let mut vectors = vec![Vec::new(); count];
    for (place, row) in rows.iter().enumerate() {
        let index = row.get("index").and_then(Value::as_u64).map_or(Ok(place), usize::try_from);
        let slot = index.ok().and_then(|index| vectors.get_mut(index));
        let numbers = row.get("embedding").cloned().unwrap_or_default();
        let vector: Result<Vec<f32>, _> = serde_json::from_value(numbers);
        match (slot, vector) {
            (Some(slot), Ok(vector)) if slot.is_empty() && !vector.is_empty() => *slot = vector,
            _ => return Err(format!("its vector {place} can't be used")),
        }
    }
    let tokens = answer.pointer("/usage/prompt_tokens").and_then(Value::as_u64);
    Ok(Embedded { vectors, tokens: tokens.unwrap_or_default() })
}

fn never_reasons(model: &str) -> bool {
    ["gpt-3.5", "gpt-4", "chatgpt-4o"].iter().any(|family| model.starts_with(family))
}

fn left_out(option: &str) -> String {
    format!("`{option}` was left out: this model or server does not know it")
}

/// Returns the name of a form of structured output, and the option that asks for it.
fn response_format(hint: &SchemaHint, step: u8) -> (&'static str, Option<Value>) {
    let schema = || if hint.strict { closed(&hint.schema) } else { hint.schema.clone() };
    match step {
        0 => {
            let strict = hint.shape.as_ref().and_then(|shape| shape.to_strict_json_schema().ok());
            // A schema from elsewhere is as strict as it says.
            let is_strict = strict.is_some() || (hint.shape.is_none() && hint.strict);
            let schema = strict.unwrap_or_else(schema);
            let format = json!({"name": hint.name, "schema": schema, "strict": is_strict});
            ("json_schema", Some(json!({"type": "json_schema", "json_schema": format})))
        }
        1 => {
            let format = json!({"type": "json_object", "schema": schema()});
            ("json_object_schema", Some(format))
        }
        2 => ("json_object", Some(json!({"type": "json_object"}))),
        _ => ("none", None),
    }
}
