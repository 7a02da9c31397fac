//! Validation of the order of messages (PT-10).

use crate::error::PromptError;
use crate::message::{OpenaiChatMessage, Role};
use crate::sequence::{
    ALTERNATE, ANSWERED, CALL_BEFORE, CALLER, HAS_ID, KNOWN_ID, NOT_EMPTY, ONE_ANSWER,
};

/// Checks that messages are in an order that providers accept (PT-10):
///
/// - there is at least one;
/// - a tool message answers, by its `tool_call_id`, a call of the assistant message before it, with
///   only other tool messages between, and no call is answered twice;
/// - each call is answered before the next message that is not a tool message, and before the end;
/// - no two messages of the same role are in a row, except `system`, `developer` and `tool`.
///
/// # Errors
/// [`PromptError::InvalidSequence`] with the index of the message, from 0, and the rule.
///
/// ```
/// use contexture_prompt::{PromptComposer, validate_messages};
///
/// let messages = PromptComposer::new().user("one").user("two").build();
/// let error = validate_messages(&messages).unwrap_err();
/// assert!(error.to_string().contains("message 1"));
/// ```
pub fn validate_messages(messages: &[OpenaiChatMessage]) -> Result<(), PromptError> {
    if messages.is_empty() {
        return invalid(format!("{}; add one at least", NOT_EMPTY.words));
    }
    let mut calls = OpenCalls::default();
    let mut before: Option<Role> = None;
    for (index, message) in messages.iter().enumerate() {
        if message.role == Role::Tool {
            calls.answer(index, message)?;
        } else {
            calls.all_answered(&format!("before message {index} ({})", message.role))?;
            may_follow(index, before, message.role)?;
            calls.open(index, message)?;
        }
        before = Some(message.role);
    }
    calls.all_answered("before the end")
}

fn may_follow(index: usize, before: Option<Role>, role: Role) -> Result<(), PromptError> {
    let repeats = matches!(role, Role::System | Role::Developer | Role::Tool);
    if before == Some(role) && !repeats {
        return invalid(format!(
            "message {index} is a second {role} message {}; roles alternate, but for system, developer \
             and tool: join the two or put another role between them",
            ALTERNATE.words
        ));
    }
    Ok(())
}

#[derive(Default)]
struct OpenCalls<'m> {
    /// The index of that message, if it calls tools.
    from: Option<usize>,
    /// The ids of the calls, and whether each is answered.
    ids: Vec<(&'m str, bool)>,
}

impl<'m> OpenCalls<'m> {
    fn open(&mut self, index: usize, message: &'m OpenaiChatMessage) -> Result<(), PromptError> {
        let calls = message.calls();
        if message.role != Role::Assistant && !calls.is_empty() {
            return invalid(format!(
                "message {index} ({}) calls tools; {} does",
                message.role, CALLER.words
            ));
        }
        self.from = (!calls.is_empty()).then_some(index);
        self.ids = calls.iter().map(|call| (call.id.as_str(), false)).collect();
        Ok(())
    }

    fn answer(&mut self, index: usize, message: &OpenaiChatMessage) -> Result<(), PromptError> {
        let Some(from) = self.from else {
            return invalid(format!(
                "message {index} is a tool message, but {} comes before it",
                CALL_BEFORE.words
            ));
        };
        let Some(id) = message.tool_call_id.as_deref() else {
            return invalid(format!("message {index} is a tool message {}", HAS_ID.words));
        };
        let mut same = self.ids.iter_mut().filter(|(known, _)| *known == id).peekable();
        if same.peek().is_none() {
            let ids: Vec<_> = self.ids.iter().map(|(id, _)| format!("`{id}`")).collect();
            return invalid(format!(
                "message {index} answers the tool call `{id}`, which the assistant message {from} {}; \
                 its calls are {}",
                KNOWN_ID.words,
                ids.join(", ")
            ));
        }
        match same.find(|(_, answered)| !answered) {
            Some((_, answered)) => {
                *answered = true;
                Ok(())
            }
            None => invalid(format!(
                "message {index} answers the tool call `{id}` of message {from} {}",
                ONE_ANSWER.words
            )),
        }
    }

    fn all_answered(&self, when: &str) -> Result<(), PromptError> {
        let (Some(from), Some((id, _))) = (self.from, self.ids.iter().find(|(_, done)| !done))
        else {
            return Ok(());
        };
        invalid(format!(
            "message {from} calls the tool `{id}`, which {} {when}; add a tool message with this \
             tool_call_id after it",
            ANSWERED.words
        ))
    }
}

fn invalid(why: String) -> Result<(), PromptError> {
    Err(PromptError::InvalidSequence(why))
}
