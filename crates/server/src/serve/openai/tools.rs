//! The tools that a client brings: their definitions, the rule for calling them, and the rounds of calls
//! that it has answered (WA-8).
//!
//! Decision: bounds are OpenAI's, so that what is refused there is refused here: 128 tools, names of 64
//! signs. Schemas of parameters go to the model as they are, and nothing here reads them.

use super::content::Message;
use super::error::Failure;
use super::parameters::{given, switch};
use contexture::prompt::{ToolCall, ToolChoice, ToolDefinition};
use contexture::turn::{CallerRound, CallerTools, Role};
use serde_json::{Map, Value};

/// The most tools of a request.
const MOST: usize = 128;
/// The longest name of a tool.
const NAME: usize = 64;
/// The most bytes of all definitions.
const BYTES: usize = 1 << 20;

/// The place of a function in a tool or in a choice: chat completions nest it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Chat,
    Responses,
}

impl Form {
    /// Returns the object with the fields of a function, and its place.
    fn function<'v>(
        self,
        whole: &'v Value,
        at: &str,
    ) -> Result<(&'v Map<String, Value>, String), Failure> {
        let (found, at) = match self {
            Self::Chat => (whole.get("function"), format!("{at}.function")),
            Self::Responses => (Some(whole), at.to_owned()),
        };
        let found = found.and_then(Value::as_object);
        found.map(|found| (found, at.clone())).ok_or_else(|| Failure::kind_of(at, "an object"))
    }
}

/// Reads the tools, the rule for calling them, and adds the rounds; `None` if there is nothing of it.
pub(super) fn read(
    request: &Map<String, Value>,
    form: Form,
    rounds: Vec<CallerRound>,
) -> Result<Option<CallerTools>, Failure> {
    let mut offered = definitions(request, form)?;
    let choice = choice(request, form, &mut offered)?;
    let parallel = match given(request, "parallel_tool_calls") {
        None => None,
        Some(_) => Some(switch(request, "parallel_tool_calls", "parallel_tool_calls")?),
    };
    if offered.is_empty() && rounds.is_empty() {
        return Ok(None);
    }
    Ok(Some(CallerTools { offered, choice, parallel, rounds }))
}

fn definitions(request: &Map<String, Value>, form: Form) -> Result<Vec<ToolDefinition>, Failure> {
    let Some(tools) = given(request, "tools") else { return Ok(Vec::new()) };
    let tools = tools.as_array().ok_or_else(|| Failure::kind_of("tools", "a list"))?;
    if tools.len() > MOST {
        let message = format!("`tools` has {} tools, and at most {MOST} are taken", tools.len());
        return Err(Failure::param("tools", "array_above_max_length", message));
    }
    let mut read: Vec<ToolDefinition> = Vec::with_capacity(tools.len());
    let mut bytes = 0;
    for (place, tool) in tools.iter().enumerate() {
        let at = format!("tools[{place}]");
        let tool = definition(tool, form, &at)?;
        if read.iter().any(|other| other.name() == tool.name()) {
            let message = format!("`{}` is the name of two tools", tool.name());
            return Err(Failure::param(format!("{at}.name"), "invalid_value", message));
        }
        let parameters = tool.function.parameters.as_ref().map(|schema| schema.to_string().len());
        bytes += parameters.unwrap_or_default();
        bytes += tool.function.description.as_ref().map_or(0, String::len);
        read.push(tool);
    }
    if bytes > BYTES {
        let message = format!("the tools take {bytes} bytes, and at most {BYTES} are taken");
        return Err(Failure::param("tools", "string_above_max_length", message));
    }
    Ok(read)
}

fn definition(tool: &Value, form: Form, at: &str) -> Result<ToolDefinition, Failure> {
    if tool.get("type").and_then(Value::as_str) != Some("function") {
        let message =
            format!("`{at}.type` has to be function: an agent has the other tools of its program");
        return Err(Failure::param(format!("{at}.type"), "unsupported_value", message));
    }
    let (function, at) = form.function(tool, at)?;
    let name = name(function, &at)?.to_owned();
    let description = match given(function, "description") {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(_) => return Err(Failure::kind_of(format!("{at}.description"), "a text")),
    };
    let parameters = match given(function, "parameters") {
        None => serde_json::json!({ "type": "object", "properties": {} }),
        Some(schema @ Value::Object(_)) => schema.clone(),
        Some(_) => return Err(Failure::kind_of(format!("{at}.parameters"), "a JSON Schema")),
    };
    let mut definition = ToolDefinition::function(name, description, parameters);
    if given(function, "strict").is_some() {
        let strict = switch(function, "strict", &format!("{at}.strict"))?;
        definition.function.strict = strict.then_some(true);
    }
    Ok(definition)
}

/// Returns the name of a function, of signs that all providers take.
fn name<'v>(function: &'v Map<String, Value>, at: &str) -> Result<&'v str, Failure> {
    let at = format!("{at}.name");
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-');
    let name = function.get("name").and_then(Value::as_str);
    let name = name.filter(|name| (1..=NAME).contains(&name.len()) && name.chars().all(is_sign));
    name.ok_or_else(|| Failure::kind_of(at, "1 to 64 letters, digits, `_` and `-`"))
}

/// Reads the rule for calling tools, which may leave some of them out.
fn choice(
    request: &Map<String, Value>,
    form: Form,
    offered: &mut Vec<ToolDefinition>,
) -> Result<Option<ToolChoice>, Failure> {
    let at = "tool_choice";
    let Some(choice) = given(request, at) else { return Ok(None) };
    let word = match choice.get("type").and_then(Value::as_str) {
        None => choice.as_str(),
        Some("function") => {
            let (function, at) = form.function(choice, at)?;
            let name = name(function, &at)?;
            known(name, offered, &format!("{at}.name"))?;
            return Ok(Some(ToolChoice::function(name)));
        }
        Some("allowed_tools") => {
            let allowed = match form {
                Form::Chat => choice.get("allowed_tools").unwrap_or(&Value::Null),
                Form::Responses => choice,
            };
            keep_allowed(allowed, form, offered)?;
            allowed.get("mode").and_then(Value::as_str)
        }
        Some(_) => None,
    };
    match word {
        Some("auto") => Ok(None),
        Some("none") => Ok(Some(ToolChoice::None)),
        Some("required") if offered.is_empty() => {
            let message = "`tool_choice` demands a call, and `tools` has none";
            Err(Failure::param(at, "invalid_value", message))
        }
        Some("required") => Ok(Some(ToolChoice::Required)),
        _ => Err(Failure::kind_of(at, "none, auto, required, or one of `tools`")),
    }
}

fn keep_allowed(
    allowed: &Value,
    form: Form,
    offered: &mut Vec<ToolDefinition>,
) -> Result<(), Failure> {
    let at = "tool_choice.tools";
    let tools = allowed.get("tools").and_then(Value::as_array);
    let tools = tools.ok_or_else(|| Failure::kind_of(at, "a list of `tools`"))?;
    let mut names = Vec::with_capacity(tools.len());
    for (place, tool) in tools.iter().enumerate() {
        let (function, at) = form.function(tool, &format!("{at}[{place}]"))?;
        let name = name(function, &at)?;
        known(name, offered, &at)?;
        names.push(name);
    }
    offered.retain(|tool| names.contains(&tool.name()));
    Ok(())
}

fn known(name: &str, offered: &[ToolDefinition], at: &str) -> Result<(), Failure> {
    if offered.iter().any(|tool| tool.name() == name) {
        return Ok(());
    }
    let message = format!("`{name}` is not one of `tools`");
    Err(Failure::param(at, "invalid_value", message))
}

/// The rounds of calls that follow the message of the user, as they are read.
#[derive(Default)]
pub(super) struct Rounds {
    read: Vec<CallerRound>,
    /// The results of the last round, by the place of their call.
    results: Vec<Option<String>>,
    /// Text of the model before its next call.
    text: Vec<String>,
}

impl Rounds {
    /// Takes a message, and returns one that is not a part of any round.
    pub(super) fn message(&mut self, message: Message) -> Result<Option<Message>, Failure> {
        let Message { role, mut texts, calls, call_id, at, .. } = message;
        match role {
            Role::Model => {
                texts.retain(|text| !text.is_empty());
                if !texts.is_empty() {
                    self.text(texts, &at)?;
                }
                for call in calls {
                    self.call(call, &at)?;
                }
            }
            Role::Tool => {
                let id = call_id.ok_or_else(|| {
                    Failure::kind_of(format!("{at}.tool_call_id"), "the id of a call")
                })?;
                self.result(&id, texts.join("\n\n"), &at)?;
            }
            _ => return Ok(Some(Message { texts, ..Message::of(role) })),
        }
        Ok(None)
    }

    /// Takes text of the model.
    fn text(&mut self, texts: Vec<String>, at: &str) -> Result<(), Failure> {
        self.complete(at)?;
        self.text.extend(texts);
        Ok(())
    }

    /// Takes a call; calls without results between them are one round.
    fn call(&mut self, call: ToolCall, at: &str) -> Result<(), Failure> {
        if self.results.iter().any(Option::is_some) || !self.text.is_empty() {
            self.complete(at)?;
        }
        let is_open = !self.results.is_empty();
        if !is_open {
            let text = std::mem::take(&mut self.text).join("\n\n");
            self.read.push(CallerRound { text, ..CallerRound::default() });
        }
        let Some(round) = self.read.last_mut() else { return Ok(()) };
        if round.calls.iter().any(|other| other.id == call.id) {
            let message = format!("`{}` is the id of two calls", call.id);
            return Err(Failure::param(at, "invalid_value", message));
        }
        round.calls.push(call);
        self.results.push(None);
        Ok(())
    }

    /// Takes the result of a call.
    fn result(&mut self, id: &str, text: String, at: &str) -> Result<(), Failure> {
        let calls = self.read.last().map(|round| round.calls.as_slice()).unwrap_or_default();
        let place = calls.iter().position(|call| call.id == id);
        let slot = place.and_then(|place| self.results.get_mut(place));
        match slot {
            Some(slot @ None) => {
                *slot = Some(text);
                Ok(())
            }
            Some(_) => {
                let message = format!("the call `{id}` has two results");
                Err(Failure::param(at, "invalid_value", message))
            }
            None => {
                let message = format!(
                    "`{at}` is the result of the call `{id}`, which the answer before it did not make"
                );
                Err(Failure::param(at, "invalid_value", message))
            }
        }
    }

    /// Ends the last round: each call needs its result.
    fn complete(&mut self, at: &str) -> Result<(), Failure> {
        let results = std::mem::take(&mut self.results);
        let Some(round) = self.read.last_mut().filter(|_| !results.is_empty()) else {
            return Ok(());
        };
        for (call, result) in round.calls.iter().zip(results) {
            let Some(result) = result else {
                let message = format!("the call `{}` has no result", call.id);
                return Err(Failure::param(at, "invalid_value", message));
            };
            round.results.push(result);
        }
        Ok(())
    }

    /// Returns the rounds.
    pub(super) fn whole(mut self, at: &str) -> Result<Vec<CallerRound>, Failure> {
        self.complete(at)?;
        if self.text.is_empty() {
            return Ok(self.read);
        }
        let message = format!(
            "`{at}` has to end with the user's message or results of tools: an agent does not go on \
             with an answer that was begun"
        );
        Err(Failure::param(at, "invalid_value", message))
    }
}
