//! The messages of a turn so far, for all who wait for it.

use crate::serve::exchange::reply::Reply;
use contexture_protocol::Message;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// The messages of one turn in their order, the last one its answer. One without messages and listeners, as
/// of a turn that waits since before the server started, takes no more room than this (WA-1).
#[derive(Default)]
pub(crate) struct TurnLog {
    state: Mutex<Option<Box<State>>>,
}

#[derive(Default)]
struct State {
    passing: Vec<Message>,
    answer: Option<Message>,
    waiting: Vec<Reply>,
    since: Option<Instant>,
}

impl TurnLog {
    /// Adds a listener, which gets the turn from its start: at first, or for a repeated message (CP-7).
    /// A session that listens already, as after a lost connection, gets nothing twice.
    pub(crate) fn attach(&self, reply: Reply) {
        let mut state = self.state.lock();
        let state = state.get_or_insert_default();
        if state.waiting.iter().any(|known| known.is_to_session_of(&reply)) {
            return reply.leave();
        }
        for message in &state.passing {
            reply.pass(message.clone());
        }
        match &state.answer {
            Some(answer) => reply.finish(answer.clone()),
            None => state.waiting.push(reply),
        }
    }

    /// Sends an intermediate message.
    pub(crate) fn pass(&self, message: &Message) {
        let mut state = self.state.lock();
        let state = state.get_or_insert_default();
        state.passing.push(message.clone());
        for reply in &state.waiting {
            reply.pass(message.clone());
        }
    }

    /// Ends the turn with its answer.
    pub(crate) fn finish(&self, message: Message) {
        let mut state = self.state.lock();
        let state = state.get_or_insert_default();
        for reply in state.waiting.drain(..) {
            reply.finish(message.clone());
        }
        state.since = Some(Instant::now());
        state.answer = Some(message);
    }

    /// Reports whether anybody waits for the answer.
    pub(crate) fn has_listeners(&self) -> bool {
        self.state.lock().as_ref().is_some_and(|state| !state.waiting.is_empty())
    }

    /// Reports whether the turn has its answer.
    pub(crate) fn has_ended(&self) -> bool {
        self.state.lock().as_ref().is_some_and(|state| state.answer.is_some())
    }

    /// Reports whether the turn ended so long ago that nobody will ask for it again.
    pub(crate) fn is_over(&self, now: Instant, grace: Duration) -> bool {
        let since = self.state.lock().as_ref().and_then(|state| state.since);
        since.is_some_and(|since| now.saturating_duration_since(since) >= grace)
    }
}
