//! Anthropic's messages.
//!
//! Decision: structured output goes through `output_config.format`, and where a model is too old
//! for it, through a tool that the model is made to call, whose arguments are then the answer.

mod messages;
mod response;
#[cfg(test)]
mod tests;
mod version;

use super::{
    Decoder, Framing, Header, Parts, Plan, Refusal, Wire,
    json::{closed, set},
    refusal,
};
use contexture_core::Secret;
use contexture_core::error::LlmError;
use contexture_core::provider::{ChatCall, SchemaHint, Think};
use contexture_prompt::{ChatResponse, Stop, ToolChoice, ToolDefinition};
use serde_json::{Map, Value, json};
use version::Features;

/// A server of Anthropic's protocol.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Anthropic {
    /// The base URL without a version and without a slash at the end.
    pub(crate) base: String,
    /// The key or token that is sent.
    pub(crate) credential: Option<Credential>,
    /// The model of requests that name none.
    pub(crate) model: String,
}

/// The credential of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Credential {
    /// `x-api-key`.
    Key(Secret),
    /// `authorization: Bearer`.
    Token(Secret),
}

/// The version of the protocol.
const VERSION: &str = "2023-06-01";

/// The tool whose arguments are the answer.
const ANSWER_TOOL: &str = "answer";

/// Structured output: the format, the forced tool, and then none.
const SCHEMA_FORMS: u8 = 2;

/// The enforcement of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchemaForm {
    Format,
    Tool,
    None,
}

impl SchemaForm {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Format => "output_format",
            Self::Tool => "tool",
            Self::None => "none",
        }
    }
}

impl Wire for Anthropic {
    fn provider(&self) -> &str {
        "anthropic"
    }

    fn request(&self, call: &ChatCall, plan: Plan, stream: bool) -> Result<Parts, LlmError> {
        let mut warnings = Vec::new();
        let model = self.model_of(call);
        let features = Features::of(model);
        let messages::Conversation { system, messages } =
            messages::conversation(&call.request.messages, &mut warnings)?;
        let mut body = Map::new();
        body.insert("model".into(), model.into());
        if !system.is_empty() {
            body.insert("system".into(), system.into());
        }
        body.insert("messages".into(), messages.into());
        let thinking = self.thinking(call, plan, features, &mut body, &mut warnings);
        let budget = thinking.budget();
        let limit = call.output_limit().unwrap_or(features.default_output);
        body.insert("max_tokens".into(), limit.saturating_add(budget).into());
        sampling(call, plan, thinking != Thinking::Off, &mut body, &mut warnings);
        tools(call, &mut body);
        let mut form = None;
        if let Some(schema) = &call.schema {
            let own = schema_form(call, plan, thinking);
            enforce(schema, own, &mut body, &mut warnings);
            form = Some(own.as_str());
        }
        if stream {
            body.insert("stream".into(), true.into());
        }
        let credential = self.credential.clone().map(|credential| match credential {
            Credential::Key(key) => ("x-api-key", Header::Key(key)),
            Credential::Token(token) => ("authorization", Header::Bearer(token)),
        });
        let version = ("anthropic-version", Header::Plain(VERSION));
        Ok(Parts {
            url: format!("{}/v1/messages", self.base),
            headers: std::iter::once(version).chain(credential).collect(),
            body: Value::Object(body),
            warnings,
            schema: form,
        })
    }

    fn response(&self, call: &ChatCall, body: &Value) -> Result<ChatResponse, LlmError> {
        response::read(self, self.model_of(call), body)
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self, call: &ChatCall) -> Box<dyn Decoder> {
        Box::new(response::Stream::new(self.clone(), self.model_of(call)))
    }

    fn concede(&self, call: &ChatCall, plan: Plan, refusal: &Refusal<'_>) -> Option<Plan> {
        let words = ["output_config", "output_format", "json_schema", "tool_choice", "schema"];
        let next = refusal::concede(call, plan, refusal, &words, SCHEMA_FORMS)?;
        // The limit has only one name here, and usage has no option.
        let usual = Plan { other_max_tokens: false, no_stream_usage: false, ..next };
        (usual != plan).then_some(usual)
    }
}

impl Anthropic {
    fn model_of<'a>(&'a self, call: &'a ChatCall) -> &'a str {
        let named = call.request.model.as_str();
        if named.is_empty() { &self.model } else { named }
    }

    fn thinking(
        &self,
        call: &ChatCall,
        plan: Plan,
        features: Features,
        body: &mut Map<String, Value>,
        warnings: &mut Vec<String>,
    ) -> Thinking {
        let Some(think) = call.think else { return Thinking::Off };
        let wanted = Thinking::wanted(think, features);
        let has_tools = call.request.tools.as_ref().is_some_and(|tools| !tools.is_empty());
        // A manual budget wants the signed thinking of earlier turns sent back with tool results,
        // which a message here does not carry.
        let impossible = matches!(wanted, Thinking::Budget(_)) && has_tools;
        if plan.no_think || impossible || (!features.thinks && think != Think::Off) {
            if think != Think::Off {
                warnings.push(left_out("think"));
            }
            return Thinking::Off;
        }
        match wanted {
            Thinking::Off if features.adaptive => {
                body.insert("thinking".into(), json!({"type": "disabled"}));
            }
            Thinking::Off => {}
            Thinking::Adaptive(effort) => {
                body.insert("thinking".into(), json!({"type": "adaptive"}));
                if let Some(effort) = effort {
                    body.insert("output_config".into(), json!({"effort": effort}));
                }
            }
            Thinking::Budget(tokens) => {
                let thinking = json!({"type": "enabled", "budget_tokens": tokens});
                body.insert("thinking".into(), thinking);
            }
        }
        wanted
    }
}

/// The reasoning of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thinking {
    Off,
    /// As much as it finds right, with an effort.
    Adaptive(Option<&'static str>),
    /// Up to so many tokens, on top of those of the answer.
    Budget(u64),
}

impl Thinking {
    const fn wanted(think: Think, features: Features) -> Self {
        let effort = match think {
            Think::Off => return Self::Off,
            Think::On | Think::Auto => None,
            Think::Low | Think::Medium | Think::High => Some(think.as_str()),
        };
        if features.adaptive {
            return Self::Adaptive(effort);
        }
        match think {
            Think::Low => Self::Budget(2_048),
            Think::High => Self::Budget(16_384),
            _ => Self::Budget(8_192),
        }
    }

    const fn budget(self) -> u64 {
        match self {
            Self::Budget(tokens) => tokens,
            _ => 0,
        }
    }
}

fn left_out(option: &str) -> String {
    format!("`{option}` was left out: this model does not know it")
}

fn sampling(
    call: &ChatCall,
    plan: Plan,
    thinking: bool,
    body: &mut Map<String, Value>,
    warnings: &mut Vec<String>,
) {
    let request = &call.request;
    if let Some(temperature) = request.temperature {
        if plan.no_temperature || thinking {
            warnings.push(left_out("temperature"));
        } else if temperature > 1.0 {
            warnings
                .push("`temperature` was lowered to 1, the most that Anthropic takes".to_owned());
            body.insert("temperature".into(), 1.into());
        } else {
            body.insert("temperature".into(), temperature.into());
        }
    }
    if let Some(top_p) = request.top_p.filter(|_| !thinking) {
        body.insert("top_p".into(), top_p.into());
    }
    match &request.stop {
        Some(Stop::One(stop)) => drop(body.insert("stop_sequences".into(), json!([stop]))),
        Some(Stop::Many(stops)) => drop(body.insert("stop_sequences".into(), json!(stops))),
        None => {}
    }
    let unknown = [
        ("seed", request.seed.is_some()),
        ("frequency_penalty", request.frequency_penalty.is_some()),
        ("presence_penalty", request.presence_penalty.is_some()),
        ("n", request.n.is_some_and(|n| n != 1)),
    ];
    warnings.extend(unknown.into_iter().filter(|(_, set)| *set).map(|(name, _)| left_out(name)));
    warnings.extend(request.extra.keys().map(|name| left_out(name)));
}

fn tools(call: &ChatCall, body: &mut Map<String, Value>) {
    let request = &call.request;
    let Some(tools) = request.tools.as_ref().filter(|tools| !tools.is_empty()) else { return };
    body.insert("tools".into(), tools.iter().map(tool).collect());
    let mut choice = match &request.tool_choice {
        None | Some(ToolChoice::Auto) => json!({"type": "auto"}),
        Some(ToolChoice::None) => json!({"type": "none"}),
        Some(ToolChoice::Function { function, .. }) => {
            json!({"type": "tool", "name": function.name})
        }
        Some(_) => json!({"type": "any"}),
    };
    if request.parallel_tool_calls == Some(false) && request.tool_choice != Some(ToolChoice::None) {
        set(&mut choice, "disable_parallel_tool_use", true);
    }
    body.insert("tool_choice".into(), choice);
}

fn tool(tool: &ToolDefinition) -> Value {
    let function = &tool.function;
    let empty = || json!({"type": "object", "properties": {}});
    let mut out = json!({
        "name": function.name,
        "input_schema": function.parameters.clone().unwrap_or_else(empty),
    });
    if let Some(description) = &function.description {
        set(&mut out, "description", description.as_str());
    }
    out
}

fn schema_form(call: &ChatCall, plan: Plan, thinking: Thinking) -> SchemaForm {
    let has_tools = call.request.tools.as_ref().is_some_and(|tools| !tools.is_empty());
    match plan.schema_step {
        0 => SchemaForm::Format,
        // A tool can't be forced beside thinking, nor beside tools that the model may call.
        1 if thinking == Thinking::Off && !has_tools => SchemaForm::Tool,
        _ => SchemaForm::None,
    }
}

fn enforce(
    hint: &SchemaHint,
    form: SchemaForm,
    body: &mut Map<String, Value>,
    warnings: &mut Vec<String>,
) {
    let schema = closed(&hint.schema);
    match form {
        SchemaForm::Format => {
            let config = body.entry("output_config").or_insert_with(|| json!({}));
            set(config, "format", json!({"type": "json_schema", "schema": schema}));
        }
        SchemaForm::Tool => {
            let tool = json!({
                "name": ANSWER_TOOL,
                "description": "Takes the whole answer.",
                "input_schema": schema,
            });
            body.insert("tools".into(), json!([tool]));
            body.insert("tool_choice".into(), json!({"type": "tool", "name": ANSWER_TOOL}));
        }
        SchemaForm::None => warnings.push(left_out("structured output")),
    }
}
