//! Tools that whoever wants the answer of a turn runs (WA-8).
//!
//! Decision: they are offered by the one `generate` whose text is the answer, beside what the program
//! grants. A wish for one ends the run: its other calls of that answer are not run, since the model asks
//! anew when the results are there. What the caller says a tool gave is an item like any other result:
//! cut, fenced, recorded, and as low as tools are.

use super::callable::{Callable, Target, free_name};
use super::model_tools::{ModelTools, RESULT_TOKENS};
use crate::models::Model;
use crate::observe::Progress;
use crate::turn::request::{CallerRound, CallerTools};
use contexture_context::{Budget, DeclaredItem, Keep, Label, Trust};
use contexture_core::policy::Class;
use contexture_llm::{Answer, AskError, LlmError, Report};
use contexture_prompt::{ChatResponse, OpenaiChatMessage, ToolCall, ToolChoice};
use serde_json::Value;
use std::sync::PoisonError;

/// Adds the tools of the caller to what a model may call; those of the program keep their names.
pub(super) fn offer(table: &mut Vec<Callable>, caller: Option<&CallerTools>) {
    let Some(caller) = caller else { return };
    if caller.choice == Some(ToolChoice::None) && !table.is_empty() {
        return;
    }
    for tool in &caller.offered {
        let mut definition = tool.clone();
        definition.function.name = free_name(tool.name(), table);
        table.push(Callable {
            definition,
            tool: tool.name().to_owned(),
            method: tool.name().to_owned(),
            class: Class::Execute,
            target: Target::Caller,
        });
    }
}

/// Returns the failure of a call whose earlier results can't be shown.
pub(super) fn no_room(model: &Model, message: String) -> AskError {
    let provider = model.uri.clone();
    let error = LlmError::WindowOverflow { provider, status: None, message };
    AskError::Provider { error, report: Report::default() }
}

impl ModelTools<'_> {
    /// Returns the rule for calling tools, with the names that the model knows.
    pub(super) fn choice(&self, caller: Option<&CallerTools>) -> Option<ToolChoice> {
        let choice = caller?.choice.clone()?;
        Some(match choice {
            ToolChoice::Function { function, .. } => {
                ToolChoice::function(self.shown(&function.name))
            }
            ToolChoice::None if self.offered().next().is_none() => return None,
            other => other,
        })
    }

    fn offered(&self) -> impl Iterator<Item = &Callable> {
        self.callables.iter().filter(|one| matches!(one.target, Target::Caller))
    }

    /// Returns the name by which the model knows a tool of the caller.
    fn shown(&self, name: &str) -> String {
        let found = self.offered().find(|one| one.method == name);
        found.map_or(name, |one| one.function()).to_owned()
    }

    /// Returns the earlier rounds as messages, with each result as an item.
    pub(super) fn earlier(
        &self,
        caller: Option<&CallerTools>,
    ) -> Result<Vec<OpenaiChatMessage>, String> {
        let mut messages = Vec::new();
        for round in caller.iter().flat_map(|caller| &caller.rounds) {
            self.note_seen(&round.label.clone().answered("an answer with calls"));
            let mut asked = ChatResponse { text: round.text.clone(), ..ChatResponse::default() };
            asked.tool_calls.clone_from(&round.calls);
            for call in &mut asked.tool_calls {
                call.function.name = self.shown(&call.function.name);
            }
            messages.push(asked.to_message());
            for (call, result) in round.calls.iter().zip(&round.results) {
                let text = self.result(round, call, result)?;
                messages.push(OpenaiChatMessage::tool(call.id.as_str(), text));
            }
        }
        Ok(messages)
    }

    fn result(&self, round: &CallerRound, call: &ToolCall, result: &str) -> Result<String, String> {
        let name = format!("client:{}", call.function.name);
        let origin = Label::of(name.clone(), Trust::Tool).join(&round.label);
        self.item(DeclaredItem {
            label: Some(call.function.name.clone()),
            source: format!("{name}({})", call.function.arguments),
            position: Some(self.position.clone()),
            value: Value::from(result),
            budget: Some(Budget::tokens(RESULT_TOKENS)),
            keep: Keep::Head,
            priority: 0,
            question: None,
            origin,
            fence: None,
        })
    }

    fn note_seen(&self, label: &Label) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = std::mem::take(&mut *seen).join(label);
    }

    /// Tells of the calls that are left to the caller, under the names that it knows. An answer
    /// without a call that the caller demands is a failure.
    pub(super) fn leave(
        &self,
        caller: Option<&CallerTools>,
        outcome: Result<Answer, AskError>,
    ) -> Result<Answer, AskError> {
        let Some(caller) = caller else { return outcome };
        match outcome {
            Err(AskError::Left { text, calls, report }) => {
                let is_own =
                    |call: &ToolCall| Some((call.clone(), self.find(&call.function.name)?));
                let own = calls.iter().filter_map(is_own);
                let own = own.filter(|(_, found)| matches!(found.target, Target::Caller));
                let most = if caller.parallel == Some(false) { 1 } else { usize::MAX };
                let named = own.take(most).map(|(mut call, found)| {
                    call.function.name.clone_from(&found.method);
                    call
                });
                self.run.observer.notify(Progress::CallerAsked {
                    event: self.event,
                    text: text.clone(),
                    calls: named.collect(),
                    label: self.seen().answered("an answer with calls"),
                });
                Err(AskError::Left { text, calls, report })
            }
            Ok(answer)
                if matches!(
                    caller.choice,
                    Some(ToolChoice::Required | ToolChoice::Function { .. })
                ) =>
            {
                let what = "the rule that a tool has to be called: it answered without a call";
                let error = LlmError::Unsupported {
                    provider: self.provider.uri().to_owned(),
                    what: what.to_owned(),
                };
                Err(AskError::Provider { error, report: answer.report })
            }
            outcome => outcome,
        }
    }
}
