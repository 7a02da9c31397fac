//! Turns that are taken up again from their journals (WA-3).

use super::parked::{Parked, uncertain};
use super::turns::TurnKey;
use super::work::{Begun, Stored, TurnWork};
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::failure::refusal;
use crate::serve::exchange::input::AnswerOptions;
use contexture::durable::{State, StoredRun, Turn};
use contexture::store::contexts::{Key, StoredMessage};
use contexture::store::flows::Wait;
use contexture_protocol::content::UserInput;
use contexture_protocol::{Body, ErrorCode, Limits, Message, Refusal};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// The most messages at the end of a context that are searched for those of a turn.
const LATEST: usize = 1_000;

/// What an earlier run of a turn left: its journal, or why that can't be read, and its waits.
pub(super) struct Resumed {
    stored: Result<StoredRun, String>,
    waits: Vec<Wait>,
    asks_again: bool,
}

/// The calls and results of a turn that are in its context.
#[derive(Default)]
pub(super) struct Told {
    calls: HashSet<String>,
    results: HashSet<String>,
}

impl Told {
    fn of(messages: &[StoredMessage], context: &str, answers: &str) -> Self {
        let mut told = Self::default();
        for message in messages {
            let value = message.to_value(context);
            let about = value.pointer("/metadata/inReplyTo").and_then(Value::as_str);
            if about != Some(answers) {
                continue;
            }
            told.calls.extend(ids(&value, "/content/toolCalls"));
            told.results.extend(ids(&value, "/content/results"));
        }
        told
    }

    pub(super) fn has_call(&self, id: &str) -> bool {
        self.calls.contains(id)
    }

    pub(super) fn has_result(&self, id: &str) -> bool {
        self.results.contains(id)
    }
}

/// Returns the callIds in a list of a message.
fn ids(message: &Value, place: &str) -> Vec<String> {
    let all = message.pointer(place).and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|one| Some(one.get("callId")?.as_str()?.to_owned())).collect()
}

impl TurnWork {
    /// Works on a turn from its journal.
    pub(super) async fn again(
        app: &Arc<App>,
        parked: Parked,
        stored: Result<StoredRun, String>,
        waits: Vec<Wait>,
    ) {
        let Parked { key, turn, place, run, asks_again } = parked;
        let kept = stored.as_ref().ok().and_then(StoredRun::turn);
        let seq = kept.map_or(0, |kept| kept.seq);
        let message = kept.and_then(message_of).unwrap_or_else(|| {
            let body = Body::UserInput(UserInput::default());
            let unknown = app.maker.message(key.1.as_deref(), body);
            Message { message_id: key.2.clone(), ..unknown }
        });
        let input = match &message.body {
            Body::UserInput(input) => input.clone(),
            _ => UserInput::default(),
        };
        let caller = caller(app, &key.0);
        let here = turn.place.clone().unwrap_or_default();
        let options = AnswerOptions::default();
        let mut work = Self::of(app, &caller, (key, turn), (here, seq), message, (input, options));
        work.earlier = Some(run.to_string());
        work.resumes = Some(Resumed { stored, waits, asks_again });
        work.work(place).await;
    }

    /// Begins a turn of an earlier server that did nothing yet, as another one comes first.
    /// False if the message begins no turn.
    pub(crate) fn anew(
        app: &Arc<App>,
        key: TurnKey,
        place: (String, u64),
        (message, seq): (Message, u64),
    ) -> bool {
        let Body::UserInput(input) = message.body.clone() else { return false };
        let caller = caller(app, &key.0);
        let turn = app.turns.begin(key.clone(), Some(place.clone()));
        let options = AnswerOptions::default();
        Self::of(app, &caller, (key, turn), (place, seq), message, (input, options)).enter();
        true
    }

    /// Reads how a run goes on.
    pub(super) async fn taken_up(&mut self, resumed: Resumed) -> Stored<Begun> {
        if self.turn.cancel.is_cancelled() {
            return Err(Refusal::new(ErrorCode::Cancelled, "the turn was cancelled"));
        }
        let stored = resumed.stored.map_err(|reason| self.unknown(&reason))?;
        if stored.state == State::Cancelled {
            return Err(Refusal::new(ErrorCode::Cancelled, "the run was cancelled"));
        }
        if let Some(refused) = uncertain(&stored, resumed.asks_again) {
            return Err(refused);
        }
        let Some(Turn { agent, intent, tools, .. }) = stored.turn().cloned() else {
            return Err(self.unknown("the journal is not that of a turn"));
        };
        let Some(agent) = self.app.agents.named(&agent).cloned() else {
            return Err(self.unknown(&format!("the agent `{agent}` is not served any more")));
        };
        self.told = self.told_before().await?;
        let now = self.conversation().await?;
        let conversation =
            stored.conversation(now).map_err(|error| self.unknown(&error.message))?;
        let (resumes, waits) = (Some(stored.id), resumed.waits);
        Ok(Begun { agent, intent, conversation, resumes, waits, tools })
    }

    /// Returns what the turn stored before.
    async fn told_before(&self) -> Stored<Told> {
        let (owner, context) = (self.caller.owner().to_string(), self.context.clone());
        let last = self
            .app
            .read(move |store| store.last(Key { owner: &owner, context: &context }, LATEST));
        let last = last.await.map_err(|error| refusal(error, Some(&self.context)))?;
        Ok(Told::of(&last, &self.context, &self.message.message_id))
    }

    /// Returns the refusal of a turn that can't be taken up; the reason is the operator's.
    fn unknown(&mut self, reason: &str) -> Refusal {
        self.reason.insert("reason".to_owned(), reason.into());
        let text = "the turn can't go on as it began, and nothing of it was repeated";
        Refusal::new(ErrorCode::OutcomeUncertain, text)
    }
}

fn message_of(turn: &Turn) -> Option<Message> {
    Message::parse(turn.message.to_string().as_bytes(), &Limits::FILE).ok()
}

/// Returns the caller for an owner: which token asked is not kept, so it counts for one of its owner
/// that has a limit.
fn caller(app: &App, owner: &Arc<str>) -> Caller {
    Caller::again(Arc::clone(owner), app.tokens.limited(owner))
}
