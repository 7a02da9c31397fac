//! The answer of a turn: made of the report of its run, logged, stored and sent.

use super::{Stored, TurnWork};
use crate::serve::exchange::failure::refusal;
use crate::serve::operations::log::millis;
use crate::serve::turn::ended::Ended;
use crate::serve::turn::{history, tools};
use contexture::context::Trust;
use contexture::llm::ModelUri;
use contexture::turn::{Finish, TurnReport};
use contexture_protocol::content::{FinishReason, ModelResponse, Usage};
use contexture_protocol::{Body, Message};
use serde_json::{Map, Value, json};
use std::time::Instant;

impl TurnWork {
    pub(super) fn log(&self, answer: &Message, began: Instant) {
        let outcome = match &answer.body {
            Body::ErrorResponse(error) => error.error_code.as_str(),
            Body::ModelResponse(response) => {
                response.finish_reason.map_or("STOP", FinishReason::as_str)
            }
            _ => "STOP",
        };
        let mut fields = json!({
            "agent": self.model,
            "owner": &**self.caller.owner(),
            "contextId": self.context,
            "messageId": self.message.message_id,
            "outcome": outcome,
            "run": answer.meta("run"),
            "ms": millis(began),
        });
        if let Some(fields) = fields.as_object_mut() {
            fields.extend(self.reason.clone());
        }
        self.app.log.info("turn", fields);
    }

    /// Returns the answer of a report.
    pub(super) fn close(&mut self, ended: Ended, intent: Option<String>) -> Stored<Message> {
        let error = ended.error();
        let report = ended.report;
        self.label = report.label.clone();
        let text = report.text.clone();
        let mut metadata = metadata_of(&report);
        if let Some(intent) = intent {
            metadata.insert("intent".to_owned(), intent.into());
        }
        let finish = match (&error, report.finish) {
            (_, Finish::Length) => FinishReason::Length,
            (_, Finish::ToolCalls) => FinishReason::ToolCalls,
            (Some(_), _) => FinishReason::Error,
            (None, _) => FinishReason::Stop,
        };
        if finish == FinishReason::ToolCalls {
            metadata.insert(history::CALLER.to_owned(), true.into());
        }
        if let Some(refused) = error {
            if text.is_empty() && finish != FinishReason::Length {
                return Err(refused);
            }
            let code = match finish {
                FinishReason::Length => contexture::llm::Ended::CutOff.code(),
                _ => refused.code.as_str(),
            };
            let mut told = json!({ "code": code, "message": refused.message });
            if let (Some(trace), Some(told)) = (&self.trace, told.as_object_mut()) {
                told.insert("traceId".to_owned(), trace.as_str().into());
            }
            metadata.insert("error".to_owned(), told);
        }
        let calls = tools::identified(&self.app, report.calls).into_iter().map(tools::left);
        let response = ModelResponse {
            usage: Some(spent(report.usage)),
            tool_calls: (finish == FinishReason::ToolCalls).then(|| calls.collect()),
            ..ModelResponse::new(text, finish)
        };
        let mut message = self.written(Body::ModelResponse(response));
        message.metadata.get_or_insert_default().extend(metadata);
        Ok(message)
    }

    /// Stores and sends the answer.
    pub(super) async fn settle(self, message: Message) {
        if self.is_stored {
            if let Err(error) = self.writer().settle_only(&message).await {
                self.app.log.info("store", json!({ "error": error.to_string() }));
            }
            return self.turn.log.finish(message);
        }
        let message = self.writer().settle(message, &self.label).await.unwrap_or_else(|error| {
            let refused = refusal(error, Some(&self.context)).about(&self.message);
            self.app.maker.refusal(refused)
        });
        self.turn.log.finish(message);
    }
}

/// Returns the metadata of an answer: run, model and value. Warnings name files and hosts, so they
/// stay in the record of the run.
pub(crate) fn metadata_of(report: &TurnReport) -> Map<String, Value> {
    let mut metadata = Map::new();
    let model = report.model.as_deref().map(model_name);
    for (name, text) in [("run", report.run.as_deref()), ("model", model.as_deref())] {
        if let Some(text) = text {
            metadata.insert(name.to_owned(), text.into());
        }
    }
    if let Some(value) = report.value() {
        metadata.insert("value".to_owned(), value.clone());
    }
    if report.label.trust > Trust::Model {
        metadata.insert("trust".to_owned(), report.label.trust.as_str().into());
    }
    metadata
}

/// Returns the name of a model without the host or file where it is.
pub(crate) fn model_name(uri: &str) -> String {
    match uri.parse::<ModelUri>() {
        Ok(
            known @ (ModelUri::Replay { .. }
            | ModelUri::Compatible { .. }
            | ModelUri::Ollama { .. }),
        ) => known.model().to_owned(),
        _ => uri.to_owned(),
    }
}

pub(super) fn spent(usage: contexture::prompt::Usage) -> Usage {
    Usage {
        prompt_tokens: Some(usage.prompt_tokens.into()),
        completion_tokens: Some(usage.completion_tokens.into()),
        total_tokens: Some(usage.total_tokens.into()),
        ..Usage::default()
    }
}
