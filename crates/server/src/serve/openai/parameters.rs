//! The parameters of a chat request besides its messages: some are used, some are left to the agent,
//! and some are refused since they would change the meaning of the answer.

use super::error::Failure;
use super::tools::Form;
use crate::serve::agents::{Agent, Agents};
use contexture::diagnostic::suggestion;
use contexture::turn::{self, CallerTools, Hints};
use serde_json::{Map, Value};

/// The parameters that are used, of either door.
const FOLLOWED: &[&str] = &[
    "model",
    "messages",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "metadata",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stop",
    "response_format",
];
/// The parameters that do not change the meaning of an answer: users of the app, storage and prices at
/// the provider, and sampling, which the program of the agent decides.
const HARMLESS: &[&str] = &[
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "store",
    "service_tier",
    "seed",
    "top_p",
    "frequency_penalty",
    "presence_penalty",
    "prediction",
    "reasoning_effort",
    "verbosity",
];
type AsksForNothing = fn(&Value) -> bool;

/// The parameters that request another form of answer, each with a check for the default value.
const REFUSED: &[(&str, AsksForNothing)] = &[
    ("n", |value| value.as_u64() == Some(1)),
    ("functions", is_empty),
    ("function_call", |value| matches!(value.as_str(), Some("none" | "auto"))),
    ("logprobs", |value| value == &Value::Bool(false)),
    ("top_logprobs", |value| value.as_u64() == Some(0)),
    ("logit_bias", is_empty),
    ("modalities", |value| value.as_array().is_some_and(|all| all.iter().all(|one| one == "text"))),
    ("audio", is_empty),
    ("web_search_options", |_| false),
    ("moderation", |_| false),
];

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

/// The parameters of `/v1/responses` that are used.
const FOLLOWED_BY_RESPONSES: &[&str] = &[
    "model",
    "input",
    "instructions",
    "previous_response_id",
    "store",
    "stream",
    "max_output_tokens",
    "temperature",
    "metadata",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "text",
];
/// Those that do not change the meaning of an answer.
const HARMLESS_IN_RESPONSES: &[&str] = &[
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "service_tier",
    "top_p",
    "frequency_penalty",
    "presence_penalty",
    "reasoning",
    "truncation",
    "stream_options",
];
/// Those that request another form of answer, each with a check for the default value.
const REFUSED_BY_RESPONSES: &[(&str, AsksForNothing)] = &[
    ("background", |value| value == &Value::Bool(false)),
    ("conversation", |_| false),
    ("include", |value| {
        // Nothing here reasons for the client to keep.
        let is_known = |one: &Value| one == "reasoning.encrypted_content";
        value.as_array().is_some_and(|all| all.iter().all(is_known))
    }),
    ("max_tool_calls", |_| false),
    ("prompt", |_| false),
    ("top_logprobs", |value| value.as_u64() == Some(0)),
    ("context_management", is_empty),
];

/// Checks that no unsupported parameter is used.
pub(super) fn check(request: &Map<String, Value>, form: Form) -> Result<(), Failure> {
    let (followed, harmless, refused) = match form {
        Form::Chat => (FOLLOWED, HARMLESS, REFUSED),
        Form::Responses => (FOLLOWED_BY_RESPONSES, HARMLESS_IN_RESPONSES, REFUSED_BY_RESPONSES),
    };
    for (name, value) in request {
        if value.is_null() || followed.contains(&name.as_str()) || harmless.contains(&name.as_str())
        {
            continue;
        }
        match refused.iter().find(|(known, _)| known == name) {
            Some((_, asks_for_nothing)) if asks_for_nothing(value) => {}
            Some(_) => {
                let message =
                    format!("`{name}` is not supported here with this value{}", why(name));
                return Err(Failure::param(name, "unsupported_parameter", message));
            }
            None => {
                let known = followed.iter().chain(harmless).copied();
                let known = known.chain(refused.iter().map(|(name, _)| *name));
                let help = suggestion(name, known).map(|help| format!("; {help}"));
                let message = format!("`{name}` is not a parameter{}", help.unwrap_or_default());
                return Err(Failure::param(name, "unknown_parameter", message));
            }
        }
    }
    Ok(())
}

/// Returns the agent that a request names as its model.
pub(super) fn agent(request: &Map<String, Value>, agents: &Agents) -> Result<Agent, Failure> {
    let name = given(request, "model").and_then(Value::as_str);
    let name = name.ok_or_else(|| Failure::kind_of("model", "the name of an agent"))?;
    let agent = agents.named(name).cloned();
    agent.ok_or_else(|| Failure::no_model(name, agents.suggestion(name)))
}

fn why(name: &str) -> &'static str {
    match name {
        "n" => ": an agent gives one answer",
        "functions" | "function_call" => ": `tools` and `tool_choice` have taken its place",
        _ => "",
    }
}

/// Returns the requested form of the answer.
pub(super) fn hints(
    request: &Map<String, Value>,
    tools: Option<CallerTools>,
    form: Option<turn::Form>,
) -> Result<Hints, Failure> {
    let mut max_output = None;
    for name in ["max_completion_tokens", "max_tokens", "max_output_tokens"] {
        let Some(value) = given(request, name) else { continue };
        let tokens = value.as_u64().filter(|tokens| *tokens > 0);
        let tokens = tokens.ok_or_else(|| Failure::kind_of(name, "a whole number above 0"))?;
        max_output.get_or_insert(tokens);
    }
    let temperature = given(request, "temperature").map(|value| {
        let temperature = value.as_f64().filter(|value| (0.0..=2.0).contains(value));
        temperature.ok_or_else(|| Failure::kind_of("temperature", "a number from 0 to 2"))
    });
    let stop = stop(request)?;
    if form.is_some() && !stop.is_empty() {
        let message = "`stop` would cut the JSON that is asked for";
        return Err(Failure::param("stop", "unsupported_parameter", message));
    }
    Ok(Hints { max_output, temperature: temperature.transpose()?, stop, form, tools })
}

/// Reads the texts that end the answer.
fn stop(request: &Map<String, Value>) -> Result<Vec<String>, Failure> {
    let expected = || Failure::kind_of("stop", "a text, or a list of at most four");
    let stops = match given(request, "stop") {
        None => return Ok(Vec::new()),
        Some(one @ Value::String(_)) => std::slice::from_ref(one),
        Some(Value::Array(all)) if all.len() <= 4 => all.as_slice(),
        Some(_) => return Err(expected()),
    };
    let text = |stop: &Value| stop.as_str().filter(|stop| !stop.is_empty()).map(str::to_owned);
    stops.iter().map(|stop| text(stop).ok_or_else(expected)).collect()
}

/// Returns a parameter that is present and not null.
pub(super) fn given<'a>(request: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    request.get(name).filter(|value| !value.is_null())
}

/// Reads a switch, which is off by default.
pub(super) fn switch(
    request: &Map<String, Value>,
    name: &str,
    whole: &str,
) -> Result<bool, Failure> {
    match given(request, name) {
        None => Ok(false),
        Some(value) => value.as_bool().ok_or_else(|| Failure::kind_of(whole, "true or false")),
    }
}
