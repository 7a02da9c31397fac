//! The messages of a turn so far, for all who wait for it.

use crate::serve::exchange::reply::Reply;
use contexture_protocol::{Limits, Message};
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
    /// The first messages of a turn that waited, as JSON: a message takes some ten times the room of its text.
    packed: Vec<Box<str>>,
    /// Those after them.
    passing: Vec<Message>,
    /// In its own place: a message is some 700 bytes, and a turn that waits has none.
    answer: Option<Box<Message>>,
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
        let packed = state.packed.iter().filter_map(|text| unpacked(text));
        for message in packed.chain(state.passing.iter().cloned()) {
            reply.pass(message);
        }
        match &state.answer {
            Some(answer) => reply.finish((**answer).clone()),
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

    /// Takes as little room as it can, as the turn may wait for days (WA-1).
    pub(crate) fn pack(&self) {
        let mut state = self.state.lock();
        let Some(state) = state.as_mut() else { return };
        state.waiting.shrink_to_fit();
        let texts: Vec<Box<str>> =
            state.passing.iter().map(|message| message.to_json().into()).collect();
        let read_back = texts.iter().map(|text| unpacked(text));
        if read_back.zip(&state.passing).all(|(read, message)| read.as_ref() == Some(message)) {
            state.passing = Vec::new();
            state.packed.extend(texts);
            state.packed.shrink_to_fit();
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
        state.answer = Some(Box::new(message));
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

fn unpacked(text: &str) -> Option<Message> {
    Message::parse(text.as_bytes(), &Limits::FILE).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::exchange::reply::ReplySink;
    use crate::serve::message::Maker;
    use crate::serve::operations::metrics::Metrics;
    use serde_json::json;
    use std::sync::Arc;

    /// A sink that keeps what it gets.
    #[derive(Default)]
    struct Heard(Mutex<Vec<Message>>);

    impl ReplySink for Heard {
        fn passing(&self, message: Message) {
            self.0.lock().push(message);
        }

        fn last(&self, message: Message) {
            self.0.lock().push(message);
        }
    }

    fn message(id: &str, text: &str) -> Message {
        let message = json!({
            "messageId": id, "timestamp": "2026-01-01T09:00:00Z", "type": "MODEL_RESPONSE",
            "contextId": "ctx_1", "sender": { "id": "m", "type": "MODEL" },
            "content": { "text": text, "toolCalls": [
                { "callId": "c", "name": "pick", "parameters": { "many": [1, 2.5, null, "三"] } }
            ] },
            "metadata": { "inReplyTo": "m1", "seq": 7 }
        });
        Message::parse(message.to_string().as_bytes(), &Limits::WIRE).unwrap()
    }

    #[test]
    fn wa_1_who_comes_to_packed_turn_gets_the_same_messages_in_their_order() {
        let ids = Arc::new(contexture::store::stamp::system());
        let maker = Maker::new(ids, Arc::new(Metrics::new()));
        let (early, late) = (Arc::new(Heard::default()), Arc::new(Heard::default()));
        let reply = |sink: &Arc<Heard>| {
            Reply::new(Arc::clone(sink) as _, maker.clone(), &message("m1", ""))
        };
        let log = TurnLog::default();
        log.attach(reply(&early));
        log.pass(&message("a", "你好"));
        log.pass(&message("b", "two"));
        log.pack();
        assert!(log.state.lock().as_ref().unwrap().passing.is_empty());
        log.pass(&message("c", "three"));
        log.pack();
        log.attach(reply(&late));
        log.finish(message("d", "end"));
        let heard = |one: &Heard| one.0.lock().clone();
        let ids: Vec<String> = heard(&late).into_iter().map(|one| one.message_id).collect();
        assert_eq!(ids, ["a", "b", "c", "d"]);
        assert_eq!(heard(&early), heard(&late));
    }

    /// A message alone is some 700 bytes.
    #[test]
    fn wa_1_log_of_turn_that_somebody_waits_for_is_small() {
        assert!(size_of::<State>() <= 128, "{} bytes", size_of::<State>());
    }
}
