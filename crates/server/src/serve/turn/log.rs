//! What a turn has said so far, for all who wait for it.

use crate::serve::exchange::Reply;
use contexture_protocol::Message;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The messages of one turn in their order, the last one its answer.
#[derive(Default)]
pub(crate) struct TurnLog {
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    passing: Vec<Message>,
    answer: Option<Message>,
    waiting: Vec<Reply>,
    since: Option<Instant>,
}

impl TurnLog {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody who wants to hear the turn from its start: at first, or asking again (CP-7). Who
    /// asks again in a session that hears it already, as after a broken connection, hears nothing
    /// twice.
    pub(crate) fn attach(&self, reply: Reply) {
        let mut told = self.told();
        if told.waiting.iter().any(|known| known.goes_where(&reply)) {
            return reply.leave();
        }
        for message in &told.passing {
            reply.pass(message.clone());
        }
        match &told.answer {
            Some(answer) => reply.finish(answer.clone()),
            None => told.waiting.push(reply),
        }
    }

    /// Says something on the way.
    pub(crate) fn pass(&self, message: &Message) {
        let mut told = self.told();
        told.passing.push(message.clone());
        for reply in &told.waiting {
            reply.pass(message.clone());
        }
    }

    /// Ends the turn with its answer.
    pub(crate) fn finish(&self, message: Message) {
        let mut told = self.told();
        for reply in told.waiting.drain(..) {
            reply.finish(message.clone());
        }
        told.since = Some(Instant::now());
        told.answer = Some(message);
    }

    /// Whether it has its answer.
    pub(crate) fn has_ended(&self) -> bool {
        self.told().answer.is_some()
    }

    /// Whether it ended so long ago that nobody will ask for what it said on the way.
    pub(crate) fn is_over(&self, now: Instant, grace: Duration) -> bool {
        self.told().since.is_some_and(|since| now.saturating_duration_since(since) >= grace)
    }
}
