//! The messages of a request that join a context.

use super::request::Chat;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::turn::{history, tools};
use contexture::prompt::ToolCall;
use contexture::turn::{CallerRound, Hints, Past, Role};
use contexture_protocol::content::{
    Attachment, CallResult, FinishReason, ModelResponse, SystemAction, SystemMessage,
    ToolCallResponse, UserInput,
};
use contexture_protocol::{Body, ErrorCode, Limits, Message, Refusal, Sender, SenderType};
use serde_json::{Map, Value, json};

/// A message that begins a turn, those that join the context before it, and the hints for it.
type Joining = (Message, Vec<Message>, Hints);

/// Returns the messages of a request.
///
/// # Errors
/// A refusal, if one of them breaks the rules of messages.
pub(super) fn messages(
    app: &App,
    caller: &Caller,
    chat: Chat,
    context: &str,
    id: String,
) -> Result<Joining, Box<Refusal>> {
    let Chat { mut hints, text, attachments, past, mut results, metadata, is_new, agent, .. } =
        chat;
    let rounds = hints.tools.as_mut().map(|tools| std::mem::take(&mut tools.rounds));
    let mut rounds = rounds.unwrap_or_default();
    let maker = Maker { app, caller, context, model: &agent.name };
    let mut earlier = Vec::new();
    if is_new {
        for past in past {
            earlier.extend(maker.past(past)?);
        }
    }
    let last = rounds.pop();
    let asked = maker.asked(text, attachments)?;
    let mut message = if let Some(last) = last {
        if is_new {
            earlier.push(asked);
            for round in rounds {
                earlier.push(maker.calls(&round)?);
                earlier.push(maker.results(of_round(&round))?);
            }
            earlier.push(maker.calls(&last)?);
        }
        maker.results(of_round(&last))?
    } else if results.is_empty() {
        asked
    } else {
        maker.results(std::mem::take(&mut results))?
    };
    message.message_id = id;
    for (name, value) in metadata {
        message.set_meta(name, value);
    }
    // The same rules apply as for the other transports.
    let message = Message::from_value(message.to_value(), &Limits::WIRE)?;
    Ok((message, earlier, hints))
}

fn of_round(round: &CallerRound) -> Vec<(String, String)> {
    let ids = round.calls.iter().map(|call| call.id.clone());
    ids.zip(round.results.iter().cloned()).collect()
}

/// A maker of the messages of one request.
struct Maker<'r> {
    app: &'r App,
    caller: &'r Caller,
    context: &'r str,
    model: &'r str,
}

type Made<T = Message> = Result<T, Box<Refusal>>;

impl Maker<'_> {
    fn of(&self, kind: SenderType, body: Body) -> Made {
        let mut message = self.app.maker.message(Some(self.context), body);
        message.sender = match kind {
            SenderType::Model => Sender::new(self.model.to_owned(), kind),
            kind => Sender::new(self.caller.owner().to_string(), kind),
        };
        Message::from_value(message.to_value(), &Limits::WIRE)
    }

    fn asked(&self, text: String, attachments: Vec<contexture::turn::Attachment>) -> Made {
        let attachments = attachments.into_iter().map(|one| {
            let whole =
                json!({ "type": one.kind.as_str(), "url": one.url, "metadata": one.metadata });
            serde_json::from_value::<Attachment>(whole)
        });
        let attachments = attachments.collect::<Result<Vec<_>, _>>().map_err(|error| {
            let text = format!("an attachment: {error}");
            Box::new(Refusal::new(ErrorCode::ValidationFailed, text))
        })?;
        let attachments = (!attachments.is_empty()).then_some(attachments);
        let input = UserInput { text, attachments, ..UserInput::default() };
        self.of(SenderType::User, input.into())
    }

    /// Returns an earlier message; results of tools are not a part of a history.
    fn past(&self, past: Past) -> Made<Option<Message>> {
        Ok(match past.role {
            Role::User => Some(self.asked(past.text, Vec::new())?),
            Role::Model => {
                let response = ModelResponse::new(past.text, FinishReason::Stop);
                Some(self.of(SenderType::Model, response.into())?)
            }
            Role::System => {
                let said = SystemMessage::new(SystemAction::Info, past.text);
                Some(self.of(SenderType::User, Body::SystemMessage(said))?)
            }
            Role::Tool => None,
        })
    }

    fn calls(&self, round: &CallerRound) -> Made {
        let calls: Vec<_> = round.calls.iter().map(ToolCall::clone).map(tools::left).collect();
        let response = ModelResponse {
            tool_calls: Some(calls),
            ..ModelResponse::new(round.text.clone(), FinishReason::ToolCalls)
        };
        let message = self.of(SenderType::Model, response.into())?;
        Ok(message.with_meta(history::CALLER, true))
    }

    fn results(&self, results: Vec<(String, String)>) -> Made {
        let of = |(id, text): (String, String)| CallResult::success(id, Value::String(text));
        let results = results.into_iter().map(of).collect();
        let content = ToolCallResponse { results, extra: Map::new() };
        let message = self.of(SenderType::User, content.into())?;
        Ok(message.with_meta(history::CALLER, true))
    }
}
