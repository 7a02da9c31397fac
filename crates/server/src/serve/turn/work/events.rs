//! What a run tells while it is under way: deltas, tool calls, results, progress.

use super::answer::spent;
use super::{Stored, TurnWork};
use crate::serve::context_writer::ContextWriter;
use crate::serve::exchange::failure::refusal;
use crate::serve::message::{SYSTEM, answering};
use crate::serve::turn::tools::{self, Round};
use contexture::context::Label;
use contexture::observe::Progress::{Planned, Said};
use contexture::turn::{Runtime, ToolFailure, TurnEvent};
use contexture_protocol::content::{
    FinishReason, ModelResponse, ModelResponseDelta, Progress, Status,
};
use contexture_protocol::{Body, Message, SenderType};
use serde_json::{Map, json};
use std::sync::atomic::Ordering;

impl TurnWork {
    pub(super) async fn tell(&mut self, event: TurnEvent) -> Stored<()> {
        match event {
            TurnEvent::Delta { text } => {
                let delta = ModelResponseDelta {
                    message_id: self.writing.clone(),
                    index: self.deltas.into(),
                    text,
                    extra: Map::new(),
                };
                self.deltas += 1;
                let body = Body::ModelResponseDelta(delta);
                let message = self.say(&self.model, SenderType::Model, body);
                self.turn.log.pass(&message);
            }
            TurnEvent::ToolCalls { text, calls, usage, label, .. } => {
                self.flush().await?;
                self.round = Round::new(&calls);
                if calls.first().is_some_and(|call| self.told.has_call(&call.call_id)) {
                    return Ok(());
                }
                let response = ModelResponse {
                    text: Some(text),
                    tool_calls: Some(calls.into_iter().map(tools::call).collect()),
                    finish_reason: Some(FinishReason::ToolCalls),
                    usage: Some(spent(usage)),
                    ..ModelResponse::default()
                };
                let message = self.written(Body::ModelResponse(response));
                self.keep(message, &label).await?;
            }
            TurnEvent::ToolResult { call_id, name, runtime, outcome, execution_ms } => {
                let outcome = outcome.map_err(|failure| match runtime {
                    Runtime::Frontend => failure,
                    Runtime::Backend => {
                        self.log_tool(&name, &failure);
                        ToolFailure::new(failure.code, tools::FAILED)
                    }
                });
                let result = tools::result(call_id, outcome, execution_ms);
                let results = self.round.take(result);
                self.results(results).await?;
            }
            TurnEvent::Progress(Said(text)) => self.report(text),
            TurnEvent::Progress(Planned { picture, .. }) => {
                self.report(format!("plan:\n{picture}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Tells clients how far the turn is, once for all its runs.
    pub(super) fn report(&mut self, text: String) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        self.turn.reports.fetch_add(1, Ordering::Relaxed);
        let extra = Map::from_iter([("message".to_owned(), text.into())]);
        let id = self.message.message_id.clone();
        let body = Body::Progress(Progress { id, status: Status::Running, extra });
        self.turn.log.pass(&self.say(SYSTEM, SenderType::System, body));
    }

    /// Logs why a tool of this side failed: the client is told that it did.
    pub(super) fn log_tool(&self, tool: &str, failure: &ToolFailure) {
        self.app.log.info(
            "tool_failed",
            json!({
                "tool": tool,
                "agent": self.model,
                "contextId": self.context,
                "messageId": self.message.message_id,
                "code": failure.code,
                "reason": failure.message,
            }),
        );
    }

    /// Sends the results of an incomplete round.
    pub(super) async fn flush(&mut self) -> Stored<()> {
        let results = self.round.flush();
        self.results(results).await
    }

    pub(super) async fn results(&mut self, results: Vec<tools::Results>) -> Stored<()> {
        for tools::Results { runtime, mut content } in results {
            content.results.retain(|result| !self.told.has_result(&result.call_id));
            if content.results.is_empty() {
                continue;
            }
            let message = match runtime {
                Runtime::Backend => self.say(SYSTEM, SenderType::System, content.into()),
                Runtime::Frontend => {
                    let client = self.app.calls.client_of(&content);
                    let client = client.unwrap_or_else(|| "client".to_owned());
                    self.say(&client, SenderType::Tool, content.into())
                }
            };
            self.keep(message, &Label::default()).await?;
        }
        Ok(())
    }

    /// Returns the MODEL_RESPONSE that was being written; the next one gets an id of its own.
    pub(super) fn written(&mut self, body: Body) -> Message {
        let mut message = self.say(&self.model, SenderType::Model, body);
        message.message_id = std::mem::replace(&mut self.writing, self.app.maker.id("msg"));
        self.deltas = 0;
        message
    }

    pub(super) fn say(&self, sender: &str, kind: SenderType, body: Body) -> Message {
        let message = self.app.maker.message_of(sender, kind, Some(&self.context), body);
        answering(message, &self.message.message_id)
    }

    /// Stores and sends an intermediate message.
    pub(super) async fn keep(&self, mut message: Message, label: &Label) -> Stored<()> {
        let added = self.writer().add(&mut message, label, None, None).await;
        added.map_err(|error| refusal(error, Some(&self.context)))?;
        self.turn.log.pass(&message);
        Ok(())
    }

    pub(super) fn writer(&self) -> ContextWriter<'_> {
        let Self { app, key, context, incarnation, .. } = self;
        ContextWriter { app, key, context, incarnation: Some(*incarnation) }
    }
}
