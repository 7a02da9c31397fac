//! The calls that clients were sent and have not answered yet.

use crate::serve::caller::Caller;
use crate::serve::session::Session;
use contexture_protocol::Message;
use contexture_protocol::content::{CallResult, ToolCallResponse};
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The most answered calls that are remembered with their clients.
const REMEMBERED: usize = 10_000;

#[derive(Default)]
pub(crate) struct Calls {
    tables: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    /// By session and callId. Other requests of the session may have a call of the same id, since a
    /// callId is unique in its request alone.
    open: HashMap<(String, String), Vec<Open>>,
    /// The clients of calls that were answered.
    answered: HashMap<(String, String), String>,
    order: VecDeque<(String, String)>,
}

struct Open {
    /// The TOOL_CALL_REQUEST that the client got.
    request: String,
    context: String,
    answer: oneshot::Sender<(CallResult, String)>,
}

/// The outcome of a call: its result, and the client that ran it.
pub(super) type Answered = oneshot::Receiver<(CallResult, String)>;

impl Calls {
    /// Registers a call that is sent in a session with the message `request`.
    pub(super) fn open(
        &self,
        session: &Session,
        call: &str,
        context: &str,
        request: &str,
    ) -> Answered {
        let (answer, receive) = oneshot::channel();
        let open = Open { request: request.to_owned(), context: context.to_owned(), answer };
        let key = (session.id().to_owned(), call.to_owned());
        self.tables.lock().open.entry(key).or_default().push(open);
        receive
    }

    /// Forgets a call that nobody waits for.
    pub(super) fn close(&self, session: &Session, call: &str, request: &str) {
        let mut tables = self.tables.lock();
        let key = (session.id().to_owned(), call.to_owned());
        let Some(open) = tables.open.get_mut(&key) else { return };
        open.retain(|one| one.request != request);
        if open.is_empty() {
            tables.open.remove(&key);
        }
    }

    /// Reports whether calls of a session wait for results.
    pub(crate) fn has_open(&self, session: &Session) -> bool {
        self.tables.lock().open.keys().any(|(of, _)| of == session.id())
    }

    /// Removes the calls of a session that ended: they get no answer.
    pub(crate) fn gone(&self, session: &Arc<Session>) {
        self.tables.lock().open.retain(|(of, _), _| of != session.id());
    }

    /// Returns the client that ran a call of a turn, whose callIds are unique.
    pub(crate) fn client_of(&self, response: &ToolCallResponse) -> Option<String> {
        let call = &response.results.first()?.call_id;
        let tables = self.tables.lock();
        let key = tables.order.iter().rev().find(|(_, one)| one == call)?;
        tables.answered.get(key).cloned()
    }

    /// Passes results to those who wait for them; reports whether anybody did.
    pub(crate) fn take_results(
        &self,
        caller: &Caller,
        message: &Message,
        response: &ToolCallResponse,
    ) -> bool {
        let taken = response.results.iter().map(|result| self.take(caller, message, result));
        let taken: Vec<bool> = taken.collect();
        taken.is_empty() || taken.contains(&true)
    }

    fn take(&self, caller: &Caller, message: &Message, result: &CallResult) -> bool {
        let Some(session) = &caller.session else { return false };
        // What it calls itself in the message grants nothing.
        let client = session.client().map(|client| client.client_id.clone());
        let client = client.unwrap_or_else(|| message.sender.id.clone());
        let key = (session.id().to_owned(), result.call_id.clone());
        let mut tables = self.tables.lock();
        let Some(waiting) = tables.open.get_mut(&key) else {
            // A repeated answer is not an error.
            return tables.answered.contains_key(&key);
        };
        let context = message.context_id.as_deref().unwrap_or_default();
        let named = message.in_reply_to();
        let exactly = |open: &Open| named == Some(open.request.as_str()) && open.context == context;
        let place = waiting.iter().position(exactly);
        let place = place.or_else(|| waiting.iter().position(|open| open.context == context));
        let Some(place) = place else { return false };
        let open = waiting.remove(place);
        if waiting.is_empty() {
            tables.open.remove(&key);
        }
        tables.remember(key, &client);
        drop(tables);
        let _ = open.answer.send((result.clone(), client));
        true
    }
}

impl Tables {
    fn remember(&mut self, key: (String, String), client: &str) {
        self.answered.insert(key.clone(), client.to_owned());
        self.order.push_back(key);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.answered.remove(&oldest);
        }
    }
}
