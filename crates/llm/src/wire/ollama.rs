//! Ollama's chat, by its own protocol: the OpenAI-compatible one of Ollama can't set the size of
//! the context window.
//!
//! Decision: a window is asked for when the prompt may not fit Ollama's default. Ollama drops the
//! beginning of what does not fit silently, and nobody could then know what the model saw.

mod response;
#[cfg(test)]
mod tests;

use super::{
    Decoder, Framing, Parts, Plan, Refusal, Wire,
    json::{closed, set},
    refusal,
};
use contexture_context::tokens::tokenizer_for;
use contexture_core::error::LlmError;
use contexture_core::provider::{ChatCall, Think};
use contexture_prompt::{
    ChatResponse, ContentField, OpenaiChatMessage, OpenaiContentPart, Role, Stop,
};
use serde_json::{Map, Value, json};

/// A server of Ollama's protocol.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ollama {
    /// The base URL, without `/api` and without a slash at the end.
    pub(crate) base: String,
    /// The model of requests that name none.
    pub(crate) model: String,
}

/// The smallest window that Ollama uses by default.
const DEFAULT_WINDOW: u64 = 4_096;

/// Room for an answer whose length is not limited.
const USUAL_OUTPUT: u64 = 1_024;

impl Wire for Ollama {
    fn provider(&self) -> &str {
        "ollama"
    }

    fn request(&self, call: &ChatCall, plan: Plan, stream: bool) -> Result<Parts, LlmError> {
        let mut warnings = Vec::new();
        let request = &call.request;
        let model = if request.model.is_empty() { &self.model } else { &request.model };
        let mut body = Map::new();
        body.insert("model".into(), model.as_str().into());
        let messages: Result<Vec<Value>, LlmError> = request
            .messages
            .iter()
            .map(|message| self::message(message, &request.messages))
            .collect();
        body.insert("messages".into(), messages?.into());
        body.insert("stream".into(), stream.into());
        if let Some(tools) = request.tools.as_ref().filter(|tools| !tools.is_empty()) {
            body.insert("tools".into(), json!(tools));
        }
        if request.tool_choice.is_some() {
            warnings.push(left_out("tool_choice"));
        }
        let form = match &call.schema {
            Some(schema) if plan.schema_step == 0 => {
                body.insert("format".into(), closed(&schema.schema));
                Some("format")
            }
            Some(_) => {
                warnings.push(left_out("structured output"));
                Some("none")
            }
            None => None,
        };
        if let Some(think) = call.think {
            match think {
                _ if plan.no_think && think != Think::Off => warnings.push(left_out("think")),
                _ if plan.no_think => {}
                Think::Auto => {}
                Think::Off | Think::On => {
                    body.insert("think".into(), (think == Think::On).into());
                }
                level => drop(body.insert("think".into(), level.as_str().into())),
            }
        }
        let options = options(call, plan, &mut warnings);
        if !options.is_empty() {
            body.insert("options".into(), options.into());
        }
        warnings.extend(request.extra.keys().map(|name| left_out(name)));
        Ok(Parts {
            url: format!("{}/api/chat", self.base),
            headers: Vec::new(),
            body: Value::Object(body),
            warnings,
            schema: form,
        })
    }

    fn inquiries(&self) -> Vec<Parts> {
        vec![Parts {
            url: format!("{}/api/show", self.base),
            headers: Vec::new(),
            body: json!({ "model": self.model }),
            warnings: Vec::new(),
            schema: None,
        }]
    }

    fn response(&self, call: &ChatCall, body: &Value) -> Result<ChatResponse, LlmError> {
        response::read(self, call, body)
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn decoder(&self, call: &ChatCall) -> Box<dyn Decoder> {
        Box::new(response::Stream::new(self.clone(), call))
    }

    fn concede(&self, call: &ChatCall, plan: Plan, refusal: &Refusal<'_>) -> Option<Plan> {
        let next = refusal::concede(call, plan, refusal, &["format", "schema", "grammar"], 1)?;
        let usual = Plan { other_max_tokens: false, no_stream_usage: false, ..next };
        (usual != plan).then_some(usual)
    }
}

fn left_out(option: &str) -> String {
    format!("`{option}` was left out: this model or Ollama does not know it")
}

fn options(call: &ChatCall, plan: Plan, warnings: &mut Vec<String>) -> Map<String, Value> {
    let request = &call.request;
    let mut options = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            options.insert(name.to_owned(), value);
        }
    };
    if plan.no_temperature && request.temperature.is_some() {
        warnings.push(left_out("temperature"));
    } else {
        set("temperature", request.temperature.map(Value::from));
    }
    set("top_p", request.top_p.map(Value::from));
    set("seed", request.seed.map(Value::from));
    set("frequency_penalty", request.frequency_penalty.map(Value::from));
    set("presence_penalty", request.presence_penalty.map(Value::from));
    set("num_predict", call.output_limit().map(Value::from));
    set(
        "stop",
        request.stop.as_ref().map(|stop| match stop {
            Stop::One(stop) => json!([stop]),
            Stop::Many(stops) => json!(stops),
        }),
    );
    set("num_ctx", window(call).map(Value::from));
    options
}

/// Returns the window to ask for, when the default may be too small: a power of two, since another
/// size makes Ollama load the model again.
fn window(call: &ChatCall) -> Option<u64> {
    let bytes: usize = call.request.messages.iter().map(|message| message.text().len()).sum();
    let output = call.output_limit().unwrap_or(USUAL_OUTPUT);
    // No tokenizer makes more tokens than bytes, so short prompts need no counting.
    let counted = |message: &OpenaiChatMessage| tokenizer_for("").count(&message.text());
    let tokens = if (bytes as u64).saturating_add(output) <= DEFAULT_WINDOW / 2 {
        bytes
    } else {
        call.request.messages.iter().map(counted).sum()
    };
    // The model's own tokenizer may need more than the one that stands in for it here.
    let needed = (tokens as u64).saturating_mul(5).div_ceil(4).saturating_add(output);
    (needed > DEFAULT_WINDOW).then(|| needed.checked_next_power_of_two()).flatten()
}

fn unsupported(what: &str) -> LlmError {
    LlmError::Unsupported { provider: "ollama".to_owned(), what: what.to_owned() }
}

fn message(message: &OpenaiChatMessage, all: &[OpenaiChatMessage]) -> Result<Value, LlmError> {
    let role = if message.role == Role::Developer { Role::System } else { message.role };
    let mut out = json!({"role": role, "content": message.text()});
    let images = images(message)?;
    if !images.is_empty() {
        set(&mut out, "images", images);
    }
    if !message.calls().is_empty() {
        let calls = message.calls().iter().map(|call| {
            let arguments: Value =
                serde_json::from_str(&call.function.arguments).unwrap_or_else(|_| json!({}));
            json!({"function": {"name": call.function.name, "arguments": arguments}})
        });
        set(&mut out, "tool_calls", calls.collect::<Vec<_>>());
    }
    if let Some(id) = &message.tool_call_id {
        // Ollama knows no ids: a result names its tool.
        let name = all.iter().flat_map(OpenaiChatMessage::calls).find(|call| call.id == *id);
        if let Some(call) = name {
            set(&mut out, "tool_name", call.function.name.as_str());
        }
    }
    Ok(out)
}

fn images(message: &OpenaiChatMessage) -> Result<Vec<Value>, LlmError> {
    let Some(ContentField::Array(parts)) = &message.content else { return Ok(Vec::new()) };
    let mut images = Vec::new();
    for part in parts {
        match part {
            OpenaiContentPart::Text { .. } | OpenaiContentPart::Refusal { .. } => {}
            OpenaiContentPart::ImageUrl { image_url } => {
                let data = image_url.url.strip_prefix("data:").and_then(|url| url.split_once(','));
                let (_, data) =
                    data.ok_or_else(|| unsupported("pictures by address; send their bytes"))?;
                images.push(data.into());
            }
            other => return Err(unsupported(&format!("`{}` parts", other.kind()))),
        }
    }
    Ok(images)
}
