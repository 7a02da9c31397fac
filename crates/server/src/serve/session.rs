//! A session of a client, which outlives its connection (CP-6).
//!
//! Decision: the messages of a session are numbered from 1 and kept for a while, so that a client
//! that reconnects names the last number it saw and gets what it missed, once. The storage is
//! limited; a client that is away for longer, or reads too slowly, starts a new session and reads
//! its contexts again, which are the durable state.

use bytes::Bytes;
use contexture::context::Digest;
use contexture::store::flows::WaitId;
use contexture_protocol::Message;
use contexture_protocol::content::{ClientCapabilities, Runtime};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// The most messages that are kept for a client that may reconnect.
const KEPT_MESSAGES: usize = 10_000;
/// The most messages that answered calls and are remembered.
const KEPT_ANSWERS: usize = 100;
/// The most bytes of messages that are kept.
const KEPT_BYTES: usize = 16 << 20;

pub(crate) struct Session {
    id: String,
    owner: Arc<str>,
    state: Mutex<State>,
    /// Notifies the connection of pending output or of its replacement.
    ready: Notify,
    /// Notified when the client disconnects or reconnects.
    turned: Notify,
    /// Held while the user is asked for a permission.
    asking: tokio::sync::Mutex<()>,
    /// True if its client is connected to another server, which sends what is for it.
    is_elsewhere: bool,
}

#[derive(Default)]
struct State {
    /// The number of the last message.
    seq: u64,
    /// The messages to send or resend, oldest first.
    kept: VecDeque<Bytes>,
    kept_bytes: usize,
    /// The number of the last message that the connection took.
    taken: u64,
    /// The number of the connection; each replaces the previous one.
    connection: u64,
    /// The time since when nobody is connected.
    left: Option<Instant>,
    /// The last message that the client knew when it connected.
    resumed: u64,
    /// The time when the client announced its capabilities.
    announced: Option<Instant>,
    client: Option<Arc<ClientCapabilities>>,
    /// True if the client is a service that registered its tools.
    is_service: bool,
    /// True if the client may speak as a model.
    is_model: bool,
    subscribed: HashSet<String>,
    /// The calls that were sent in it and have no answer, by their ids.
    calls: HashMap<String, Vec<SentCall>>,
    /// The last messages that answered calls, which may come again.
    answered: VecDeque<String>,
    /// The name of its client in HELLO.
    name: Option<String>,
    /// The sensitive actions that the user allowed for the session.
    consents: HashSet<Consent>,
    /// True when nothing can be sent, as messages that the client has not seen were dropped.
    is_broken: bool,
}

/// A call that was sent in a session.
struct SentCall {
    id: WaitId,
    /// The message that it was sent in, and its number.
    request: String,
    seq: u64,
}

/// The state of the client of a session.
pub(crate) struct Presence {
    /// The last message that it knew when it connected.
    pub(crate) resumed: u64,
    /// The time since when it is gone.
    pub(crate) left: Option<Instant>,
    /// The time when it announced its capabilities.
    pub(crate) announced: Option<Instant>,
}

/// A sensitive action: its side, its name and the digest of its parameters.
pub(crate) type Consent = (Runtime, String, Digest);

/// The reason why a connection must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Another connection took over the session.
    Replaced,
    /// The client reads too slowly for the storage.
    TooSlow,
}

impl Session {
    pub(crate) fn new(id: String, owner: Arc<str>) -> Self {
        let state = State { left: Some(Instant::now()), ..State::default() };
        Self {
            id,
            owner,
            state: Mutex::new(state),
            ready: Notify::new(),
            turned: Notify::new(),
            asking: tokio::sync::Mutex::new(()),
            is_elsewhere: false,
        }
    }

    /// Creates what this server knows of a session on another one.
    pub(crate) fn elsewhere(id: String, owner: Arc<str>) -> Self {
        Self { is_elsewhere: true, ..Self::new(id, owner) }
    }

    /// Sets whether the client of a session on another server is connected there.
    pub(crate) fn set_here(&self, is_here: bool) {
        let mut state = self.state.lock();
        if state.left.is_none() != is_here {
            state.left = (!is_here).then(Instant::now);
            drop(state);
            self.turned.notify_waiters();
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn owner(&self) -> &Arc<str> {
        &self.owner
    }

    /// Sends a message, now or when the client reconnects.
    pub(crate) fn send(&self, message: Message) {
        self.sent(message);
    }

    /// Sends a message as [`Self::send`]; returns its number.
    pub(crate) fn sent(&self, message: Message) -> u64 {
        let seq = if self.is_elsewhere { u64::MAX } else { self.state.lock().send(message) };
        self.ready.notify_one();
        seq
    }

    /// Sends a call, which its client may answer then. Its number is noted before anybody can read it: a
    /// client that saw it, and comes back, is asked again.
    pub(crate) fn send_call(&self, id: &WaitId, message: Message) {
        let request = message.message_id.clone();
        let mut state = self.state.lock();
        let seq = if self.is_elsewhere { u64::MAX } else { state.send(message) };
        state.note_call(id, request, seq);
        drop(state);
        self.ready.notify_one();
    }

    /// Returns the number of the message with a call that was sent and has no answer.
    pub(crate) fn call_seq(&self, id: &WaitId) -> Option<u64> {
        let state = self.state.lock();
        state.calls.get(&id.call)?.iter().find(|sent| sent.id == *id).map(|sent| sent.seq)
    }

    /// Returns the call that an answer is for: by the message that it was sent in, else by its
    /// context.
    pub(crate) fn call(&self, call: &str, context: &str, request: Option<&str>) -> Option<WaitId> {
        let state = self.state.lock();
        let sent = state.calls.get(call)?;
        let mut here = sent.iter().filter(|sent| sent.id.context == context);
        let exact = here.clone().find(|sent| Some(sent.request.as_str()) == request);
        exact.or_else(|| here.next()).map(|sent| sent.id.clone())
    }

    /// Returns the id of the message that a call was sent in.
    pub(crate) fn request_of(&self, id: &WaitId) -> Option<String> {
        let state = self.state.lock();
        let sent = state.calls.get(&id.call)?.iter().find(|sent| sent.id == *id);
        sent.map(|sent| sent.request.clone())
    }

    pub(crate) fn forget_call(&self, id: &WaitId) {
        let mut state = self.state.lock();
        if let Some(sent) = state.calls.get_mut(&id.call) {
            sent.retain(|sent| sent.id != *id);
            if sent.is_empty() {
                state.calls.remove(&id.call);
            }
        }
    }

    /// Takes the calls of a session that its client left.
    pub(crate) fn take_calls(&self, other: &Self) {
        let calls = std::mem::take(&mut other.state.lock().calls);
        let mut state = self.state.lock();
        for sent in calls.into_values().flatten() {
            state.note_call(&sent.id, sent.request, u64::MAX);
        }
    }

    /// Returns the calls without an answer.
    pub(crate) fn calls(&self) -> Vec<WaitId> {
        let state = self.state.lock();
        state.calls.values().flatten().map(|sent| sent.id.clone()).collect()
    }

    /// Reports whether calls have no answer.
    pub(crate) fn has_calls(&self) -> bool {
        !self.state.lock().calls.is_empty()
    }

    /// Remembers a message that answered a call.
    pub(crate) fn answered(&self, message: &str) {
        let mut state = self.state.lock();
        state.answered.push_back(message.to_owned());
        if state.answered.len() > KEPT_ANSWERS {
            state.answered.pop_front();
        }
    }

    /// Reports whether a message answered a call before.
    pub(crate) fn has_answered(&self, message: &str) -> bool {
        self.state.lock().answered.iter().any(|known| known == message)
    }

    /// Sets the name of its client, from HELLO.
    pub(crate) fn set_name(&self, name: &str) {
        self.state.lock().name = Some(name.to_owned());
    }

    /// Returns the name of its client: as announced, else as in HELLO.
    pub(crate) fn client_name(&self) -> Option<String> {
        let state = self.state.lock();
        let announced = state.client.as_ref().map(|client| client.client_id.clone());
        announced.or_else(|| state.name.clone())
    }

    /// Connects a client that has seen the messages up to `seen`; returns the numbers of the connection
    /// and of the last message. `None` when the stored messages do not reach back so far.
    pub(crate) fn connect(&self, seen: u64) -> Option<(u64, u64)> {
        let mut state = self.state.lock();
        let oldest = state.seq - state.kept.len() as u64;
        if state.is_broken || seen < oldest || seen > state.seq {
            return None;
        }
        state.taken = seen;
        state.resumed = seen;
        state.connection += 1;
        state.left = None;
        let taken = (state.connection, state.seq);
        drop(state);
        // The connection before this one ends.
        self.ready.notify_waiters();
        self.ready.notify_one();
        self.turned.notify_waiters();
        Some(taken)
    }

    /// Records that the connection is gone.
    pub(crate) fn disconnect(&self, connection: u64) {
        let mut state = self.state.lock();
        if state.connection == connection {
            state.left = Some(Instant::now());
            drop(state);
            self.turned.notify_waiters();
        }
    }

    /// Completes when the client leaves, returns or announces its capabilities after this call.
    pub(crate) fn turned(&self) -> Notified<'_> {
        self.turned.notified()
    }

    /// Returns the state of the client.
    pub(crate) fn presence(&self) -> Presence {
        let State { resumed, left, announced, .. } = *self.state.lock();
        Presence { resumed, left, announced }
    }

    /// Waits until there may be something to take.
    pub(crate) async fn ready(&self) {
        self.ready.notified().await;
    }

    /// Returns the unsent messages, up to about `bytes`.
    pub(crate) fn take(
        &self,
        connection: u64,
        bytes: usize,
        into: &mut Vec<Bytes>,
    ) -> Result<(), Ended> {
        let mut state = self.state.lock();
        state.holds(connection)?;
        let oldest = state.seq - state.kept.len() as u64;
        let from = usize::try_from(state.taken - oldest).unwrap_or(usize::MAX);
        let mut size = 0;
        for message in state.kept.iter().skip(from) {
            size += message.len();
            into.push(message.clone());
            if size >= bytes {
                break;
            }
        }
        state.taken += into.len() as u64;
        let more = state.taken < state.seq;
        drop(state);
        if more {
            self.ready.notify_one();
        }
        Ok(())
    }

    /// Notifies the connection again.
    pub(crate) fn wake(&self) {
        self.ready.notify_one();
    }

    /// Checks that a connection still has the session, within the limits of storage.
    pub(crate) fn holds(&self, connection: u64) -> Result<(), Ended> {
        self.state.lock().holds(connection)
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.state.lock().left.is_none()
    }

    /// Returns the time since the last connection.
    pub(crate) fn away(&self, now: Instant) -> Option<std::time::Duration> {
        self.state.lock().left.map(|left| now.saturating_duration_since(left))
    }

    pub(crate) fn client(&self) -> Option<Arc<ClientCapabilities>> {
        self.state.lock().client.clone()
    }

    /// Notes whether the client may speak as a model.
    pub(crate) fn set_model(&self, is_model: bool) {
        self.state.lock().is_model = is_model;
    }

    /// Reports whether a connected client of this name may speak as a model.
    pub(crate) fn is_model_of(&self, name: &str) -> bool {
        let state = self.state.lock();
        let known = state.client.as_ref().map(|client| &client.client_id).or(state.name.as_ref());
        state.is_model && state.left.is_none() && known.is_some_and(|known| known == name)
    }

    /// Reports whether the client is a service that registered its tools.
    pub(crate) fn is_service(&self) -> bool {
        self.state.lock().is_service
    }

    pub(crate) fn announce(&self, client: ClientCapabilities, is_service: bool) {
        let mut state = self.state.lock();
        state.client = Some(Arc::new(client));
        state.is_service = is_service;
        state.announced = Some(Instant::now());
        drop(state);
        self.turned.notify_waiters();
    }

    /// Waits until no other question to the user is open.
    pub(crate) async fn asking(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.asking.lock().await
    }

    /// Reports whether its user allowed this before.
    pub(crate) fn has_consent(&self, consent: &Consent) -> bool {
        self.state.lock().consents.contains(consent)
    }

    pub(crate) fn consent(&self, consent: Consent) {
        self.state.lock().consents.insert(consent);
    }

    /// Reports whether the context was not subscribed to before.
    pub(crate) fn subscribe(&self, context: &str) -> bool {
        self.state.lock().subscribed.insert(context.to_owned())
    }

    pub(crate) fn unsubscribe(&self, context: &str) -> bool {
        self.state.lock().subscribed.remove(context)
    }

    pub(crate) fn subscribed(&self) -> Vec<String> {
        self.state.lock().subscribed.iter().cloned().collect()
    }
}

impl State {
    fn holds(&self, connection: u64) -> Result<(), Ended> {
        if self.connection != connection {
            Err(Ended::Replaced)
        } else if self.is_broken {
            Err(Ended::TooSlow)
        } else {
            Ok(())
        }
    }

    /// Puts a message among those to send; returns its number, which is the greatest one if it can't be sent.
    fn send(&mut self, mut message: Message) -> u64 {
        if self.is_broken {
            return u64::MAX;
        }
        self.seq += 1;
        message.set_meta("seq", self.seq);
        // It is kept, so it has no room to grow.
        let bytes = Bytes::from(message.to_json().into_bytes().into_boxed_slice());
        self.kept_bytes += bytes.len();
        self.kept.push_back(bytes);
        self.trim();
        self.seq
    }

    /// Notes a call that is sent in the message of this number.
    fn note_call(&mut self, id: &WaitId, request: String, seq: u64) {
        let sent = self.calls.entry(id.call.clone()).or_default();
        match sent.iter_mut().find(|sent| sent.id == *id) {
            Some(sent) => (sent.request, sent.seq) = (request, seq),
            None => {
                // Two calls of one id are rare.
                sent.reserve_exact(1);
                sent.push(SentCall { id: id.clone(), request, seq });
            }
        }
    }

    /// Drops messages beyond the limits: those that the client has received. The session ends when
    /// that is not enough.
    fn trim(&mut self) {
        while self.kept.len() > KEPT_MESSAGES || self.kept_bytes > KEPT_BYTES {
            let oldest = self.seq - self.kept.len() as u64;
            let is_taken = self.left.is_none() && oldest < self.taken;
            if !is_taken && self.left.is_none() {
                self.is_broken = true;
                self.kept.clear();
                self.kept_bytes = 0;
                return;
            }
            let Some(gone) = self.kept.pop_front() else { return };
            self.kept_bytes -= gone.len();
            self.taken = self.taken.max(oldest + 1);
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_protocol::Limits;
    use serde_json::json;

    /// A client that comes back at once would not be asked again, and would wait for good.
    #[test]
    fn cp_14_call_that_client_has_seen_has_its_number() {
        let session = Arc::new(Session::new("s".to_owned(), "ann".into()));
        let (connection, _) = session.connect(0).unwrap();
        let id = |number: u64| WaitId {
            owner: "ann".to_owned(),
            context: "ctx_1".to_owned(),
            message: "m".to_owned(),
            call: format!("call_{number}"),
        };
        let message = json!({
            "messageId": "t", "timestamp": "2026-01-01T09:00:00Z", "type": "TOOL_CALL_REQUEST",
            "contextId": "ctx_1", "sender": { "id": "s", "type": "SYSTEM" },
            "content": { "calls": [{ "callId": "c", "name": "pick", "parameters": {} }] }
        });
        let message = Message::parse(message.to_string().as_bytes(), &Limits::WIRE).unwrap();
        let sender = Arc::clone(&session);
        let sending = std::thread::spawn(move || {
            for number in 1..=2_000 {
                sender.send_call(&id(number), message.clone());
            }
        });
        let (mut seen, mut taken) = (0, Vec::new());
        while seen < 2_000 {
            taken.clear();
            session.take(connection, 1, &mut taken).unwrap();
            seen += taken.len() as u64;
            if !taken.is_empty() {
                assert_eq!(session.call_seq(&id(seen)), Some(seen));
            }
        }
        sending.join().unwrap();
    }

    #[test]
    fn wa_1_call_and_message_that_are_kept_take_no_room_to_grow() {
        let session = Session::new("s".to_owned(), "ann".into());
        let message = json!({
            "messageId": "t", "timestamp": "2026-01-01T09:00:00Z", "type": "TOOL_CALL_REQUEST",
            "contextId": "ctx_1", "sender": { "id": "s", "type": "SYSTEM" },
            "content": { "calls": [{ "callId": "c", "name": "pick", "parameters": {} }] }
        });
        let message = Message::parse(message.to_string().as_bytes(), &Limits::WIRE).unwrap();
        let id = WaitId {
            owner: "ann".to_owned(),
            context: "ctx_1".to_owned(),
            message: "m".to_owned(),
            call: "c".to_owned(),
        };
        session.send_call(&id, message);
        let mut state = session.state.lock();
        assert_eq!(state.calls.get("c").unwrap().capacity(), 1);
        let kept = state.kept.pop_front().unwrap();
        let length = kept.len();
        assert_eq!(kept.try_into_mut().unwrap().capacity(), length);
    }
}
