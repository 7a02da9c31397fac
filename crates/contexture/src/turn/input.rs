//! From a conversation to the input of the agent's function.

use super::{Attachments, Conversation};
use crate::run::{RunRequest, SetupError};
use contexture_answer::{Field, Shape};
use contexture_context::Trust;
use contexture_script::program::Program;
use contexture_script::runtime::Given;
use contexture_script::syntax::ast::Func;
use contexture_script::syntax::shape_of;
use serde_json::{Value, json};

/// The fields that an object without a declared shape gets.
const FIELDS: [&str; 5] = ["text", "attachments", "messages", "state", "contextId"];

/// What the function that a turn starts takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    /// Nothing.
    Nothing,
    /// One value of unknown form.
    Open,
    /// One value of this shape, by the name of its parameter.
    One(String, Shape),
    /// Several, like fields.
    Several(Vec<Field>),
}

/// What the function that a run starts takes; `None` when there is no such function, which the run
/// tells.
pub(super) fn entry(program: &Program, run: &RunRequest) -> Option<Entry> {
    function(program, run).map(|(_, func)| takes(func))
}

/// The function that a run starts, with its agent.
pub(super) fn function<'p>(
    program: &'p Program,
    run: &RunRequest,
) -> Option<(contexture_script::program::AgentId, &'p Func)> {
    let agent = match &run.agent {
        Some(name) => program.named_agent(0, name)?,
        None => program.main_agent(0)?,
    };
    let own = program.functions(agent);
    let found = match &run.function {
        Some(name) => {
            let named = |func: &&Func| func.name.as_ref().is_some_and(|own| own.text == *name);
            let shared = program.files.first().into_iter().flat_map(|file| file.functions());
            own.into_iter().chain(shared).find(named)?
        }
        None => match own.iter().find(|func| func.main) {
            Some(main) => main,
            None if own.len() == 1 => own.first()?,
            None => return None,
        },
    };
    Some((agent, found))
}

fn takes(func: &Func) -> Entry {
    match func.params.as_slice() {
        [] => Entry::Nothing,
        [only] => match only.shape.as_ref().map(shape_of) {
            None | Some(Shape::Json) => Entry::Open,
            Some(shape) => Entry::One(only.name.text.clone(), shape),
        },
        several => {
            let field = |param: &contexture_script::syntax::ast::Param| {
                let shape = param.shape.as_ref().map_or(Shape::Json, shape_of);
                Field::new(param.name.text.clone(), shape)
            };
            Entry::Several(several.iter().map(field).collect())
        }
    }
}

/// The input of a turn.
pub(super) fn given(
    conversation: &Conversation,
    attachments: &Attachments,
    entry: Option<&Entry>,
) -> Result<Given, SetupError> {
    let parts = Parts { conversation, attachments };
    let takes_attachments = match entry {
        None | Some(Entry::Open) => true,
        Some(Entry::One(_, Shape::Object(fields)) | Entry::Several(fields)) => {
            fields.iter().any(|field| field.name == "attachments")
        }
        Some(Entry::Nothing | Entry::One(..)) => false,
    };
    if !takes_attachments && !attachments.is_empty() {
        let message = "the message has attachments, and this agent takes none";
        let help =
            "declare `attachments list` in its input, and show them: `use input.attachments`";
        return Err(SetupError::new("attachments_not_taken", message, Some(help.to_owned())));
    }
    match entry {
        None | Some(Entry::Nothing | Entry::Open) => {
            let field = |name: &str| Some((name.to_owned(), parts.get(name)?));
            Ok(Given::Object(FIELDS.into_iter().filter_map(field).collect()))
        }
        Some(Entry::One(_, Shape::Object(fields)) | Entry::Several(fields)) => {
            parts.fields(fields).map(Given::Object)
        }
        Some(Entry::One(_, Shape::String | Shape::Enum(_))) => Ok(parts.text()),
        Some(Entry::One(name, shape)) => {
            let message = format!(
                "the agent takes {} as `{name}`, and a turn of a conversation gives a text",
                described(shape)
            );
            let help = "take a string, or an object with fields out of text, attachments, messages, state, contextId, metadata";
            Err(SetupError::new("turn_input", message, Some(help.to_owned())))
        }
    }
}

/// What a turn has, part by part.
struct Parts<'c> {
    conversation: &'c Conversation,
    attachments: &'c Attachments,
}

impl Parts<'_> {
    fn text(&self) -> Given {
        Given::from(Value::from(self.conversation.text.clone()))
    }

    /// A part by its name; a context id and a state that are not known are left out of nothing but
    /// read as none.
    fn get(&self, name: &str) -> Option<Given> {
        let conversation = self.conversation;
        Some(match name {
            "text" => self.text(),
            "attachments" => Given::from(self.attachments.values()),
            "messages" => {
                let message = |past: &super::Past| {
                    let text = Value::from(past.text.clone());
                    Given::Object(vec![
                        (
                            "role".to_owned(),
                            Given::Value(past.role.as_str().into(), Trust::Program),
                        ),
                        ("text".to_owned(), Given::Value(text, past.role.trust())),
                    ])
                };
                Given::List(conversation.messages.iter().map(message).collect())
            }
            "state" => {
                let state = match &conversation.state {
                    Value::Null => json!({}),
                    state => state.clone(),
                };
                Given::Value(state, Trust::Memory)
            }
            "contextId" => {
                Given::from(conversation.context_id.clone().map_or(Value::Null, Value::from))
            }
            "metadata" => Given::from(Value::Object(conversation.metadata.clone())),
            _ => return None,
        })
    }

    /// The fields of a shape. One required string that is none of the parts gets the text, unless a
    /// field `text` has it.
    fn fields(&self, fields: &[Field]) -> Result<Vec<(String, Given)>, SetupError> {
        let has_text = fields.iter().any(|field| field.name == "text");
        let mut given = Vec::with_capacity(fields.len());
        let mut others = Vec::new();
        for field in fields {
            match self.get(&field.name) {
                // What is not known of an optional field is left out.
                Some(Given::Value(Value::Null, _)) if field.optional => {}
                // A turn of which nothing is kept has no context, which is no fault of the agent.
                Some(Given::Value(Value::Null, trust)) if matches!(field.shape, Shape::String) => {
                    given.push((field.name.clone(), Given::Value("".into(), trust)));
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
    match shape {
        Shape::String => "a string",
        Shape::Number => "a number",
        Shape::Integer => "a whole number",
        Shape::Boolean => "true or false",
        Shape::Json => "any value",
        Shape::List(_) => "a list",
        Shape::Object(_) => "an object",
        Shape::Enum(_) => "one of some words",
    }
}

fn takes_text(shape: &Shape) -> bool {
    matches!(shape, Shape::String | Shape::Enum(_) | Shape::Json)
}
