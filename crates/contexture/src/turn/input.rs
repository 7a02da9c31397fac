//! From a conversation to the input of the agent's function.

use super::attachment::Attachments;
use super::request::{Conversation, Past};
use crate::run::request::RunRequest;
use crate::run::result::SetupError;
use crate::run::takes::Takes;
use contexture_answer::{Field, Shape};
use contexture_context::{Label, Trust};
use contexture_script::program::{AgentId, Program};
use contexture_script::runtime::Given;
use contexture_script::syntax::ast::Func;
use serde_json::{Value, json};

/// The fields that an object without a declared shape gets.
const FIELDS: [&str; 5] = ["text", "attachments", "messages", "state", "contextId"];

/// Returns the function that a run starts, with its agent; `None` when there is no such function,
/// which the run reports.
pub(crate) fn function<'p>(program: &'p Program, run: &RunRequest) -> Option<(AgentId, &'p Func)> {
    let agent = match &run.agent {
        Some(name) => program.named_agent(0, name)?,
        None => program.main_agent(0)?,
    };
    let found = match &run.function {
        Some(name) => {
            let named = |func: &&Func| func.name.as_ref().is_some_and(|own| own.text == *name);
            let shared = program.files.first().into_iter().flat_map(|file| file.functions());
            program.functions(agent).into_iter().chain(shared).find(named)?
        }
        None => program.entry(agent)?,
    };
    Some((agent, found))
}

/// Reports whether a function can be given attachments.
pub(super) fn takes_attachments(takes: &Takes) -> bool {
    match takes {
        Takes::Open(_) => true,
        Takes::Whole(fields) | Takes::Several(fields) => {
            fields.iter().any(|field| field.name == "attachments")
        }
        Takes::One(field) => field.shape == Shape::Json,
        Takes::Nothing => false,
    }
}

/// Returns the input of a turn for a function; for an unknown function all parts.
pub(super) fn given(
    conversation: &Conversation,
    attachments: &Attachments,
    takes: Option<&Takes>,
) -> Result<Given, SetupError> {
    let parts = Parts { conversation, attachments };
    if !takes.is_none_or(takes_attachments) && !attachments.is_empty() {
        let message = "the message has attachments, and this agent takes none";
        let help =
            "declare `attachments list` in its input, and show them: `use input.attachments`";
        return Err(SetupError::new("attachments_not_taken", message, Some(help.to_owned())));
    }
    match takes {
        Some(Takes::Whole(fields) | Takes::Several(fields)) => {
            parts.fields(fields).map(Given::Object)
        }
        Some(Takes::One(field))
            if matches!(field.shape.plain(), Shape::String | Shape::Enum(_)) =>
        {
            Ok(parts.text())
        }
        Some(Takes::One(Field { name, shape, .. })) if *shape != Shape::Json => {
            let message = format!(
                "the agent takes {} as `{name}`, and a turn of a conversation gives a text",
                described(shape)
            );
            let help = "take a string, or an object with fields out of text, attachments, messages, state, contextId, metadata";
            Err(SetupError::new("turn_input", message, Some(help.to_owned())))
        }
        _ => {
            let field = |name: &str| Some((name.to_owned(), parts.get(name)?));
            Ok(Given::Object(FIELDS.into_iter().filter_map(field).collect()))
        }
    }
}

/// The parts of a turn.
struct Parts<'c> {
    conversation: &'c Conversation,
    attachments: &'c Attachments,
}

impl Parts<'_> {
    fn text(&self) -> Given {
        Given::from(Value::from(self.conversation.text.clone()))
    }

    /// Returns a part by its name; an unknown context id is null, and an unknown state is empty.
    fn get(&self, name: &str) -> Option<Given> {
        let conversation = self.conversation;
        Some(match name {
            "text" => self.text(),
            "attachments" => Given::from(self.attachments.values()),
            "messages" => {
                let message = |past: &Past| {
                    let text = Value::from(past.text.clone());
                    Given::Object(vec![
                        (
                            "role".to_owned(),
                            Given::Value(past.role.as_str().into(), Trust::Program.into()),
                        ),
                        ("text".to_owned(), Given::Value(text, past.label.clone())),
                    ])
                };
                Given::List(conversation.messages.iter().map(message).collect())
            }
            "state" => {
                let state = match &conversation.state {
                    Value::Null => json!({}),
                    state => state.clone(),
                };
                let name = match &conversation.context_id {
                    Some(context) => format!("the state of {context}"),
                    None => "the state".to_owned(),
                };
                Given::Value(state, Label::of(name, Trust::Memory))
            }
            "contextId" => {
                Given::from(conversation.context_id.clone().map_or(Value::Null, Value::from))
            }
            "metadata" => Given::from(Value::Object(conversation.metadata.clone())),
            _ => return None,
        })
    }

    /// Returns the fields of a shape. One required string that is not a part gets the text, unless
    /// a field `text` has it.
    fn fields(&self, fields: &[Field]) -> Result<Vec<(String, Given)>, SetupError> {
        let has_text = fields.iter().any(|field| field.name == "text");
        let mut given = Vec::with_capacity(fields.len());
        let mut others = Vec::new();
        for field in fields {
            match self.get(&field.name) {
                // An optional field without a value is left out.
                Some(Given::Value(Value::Null, _)) if field.optional => {}
                // A turn of which nothing is kept has no context, which is not a fault of the
                // agent.
                Some(Given::Value(Value::Null, label))
                    if matches!(field.shape.plain(), Shape::String) =>
                {
                    given.push((field.name.clone(), Given::Value("".into(), label)));
                }
                Some(part) => given.push((field.name.clone(), part)),
                None if !field.optional => others.push(field),
                None => {}
            }
        }
        match others.as_slice() {
            [] => Ok(given),
            [only] if !has_text && takes_text(&only.shape) => {
                given.push((only.name.clone(), self.text()));
                Ok(given)
            }
            others => {
                let names: Vec<String> =
                    others.iter().map(|field| format!("`{}`", field.name)).collect();
                let message = format!(
                    "the agent needs {}, which a turn of a conversation does not have",
                    names.join(" and ")
                );
                let help = "a turn has text, attachments, messages, state, contextId and metadata; mark other fields optional, as in `name?: string`";
                Err(SetupError::new("turn_input", message, Some(help.to_owned())))
            }
        }
    }
}

fn described(shape: &Shape) -> &'static str {
    match shape.plain() {
        Shape::String => "a string",
        Shape::Number => "a number",
        Shape::Integer => "a whole number",
        Shape::Boolean => "true or false",
        Shape::Json => "any value",
        Shape::List(_) => "a list",
        Shape::Object(_) => "an object",
        Shape::Enum(_) => "one of some words",
        // A plain shape is none of these.
        Shape::Bounded(_) | Shape::Named(_) | Shape::Defined(_) => "a value",
    }
}

fn takes_text(shape: &Shape) -> bool {
    matches!(shape.plain(), Shape::String | Shape::Enum(_) | Shape::Json)
}
