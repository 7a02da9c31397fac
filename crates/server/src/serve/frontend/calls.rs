//! The calls that clients were sent and have not answered yet.

use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::{Reply, acknowledge};
use crate::serve::session::Session;
use contexture_protocol::content::{CallResult, ToolCallResponse};
use contexture_protocol::{Body, ErrorCode, Message, Refusal};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// The most answered calls that are remembered with their clients.
const REMEMBERED: usize = 10_000;

/// The feature of a client that goes on working without a connection.
pub(super) const BACKGROUND: &str = "background_processing";

/// Calls under way.
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

/// A call that waits.
struct Open {
    /// The TOOL_CALL_REQUEST that the client got.
    request: String,
    context: String,
    answer: oneshot::Sender<(CallResult, String)>,
}

/// The outcome of a call: its result, and the client that ran it.
pub(super) type Answered = oneshot::Receiver<(CallResult, String)>;

impl Calls {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a call that is sent in a session with the message `request`.
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
        self.tables().open.entry(key).or_default().push(open);
        receive
    }

    /// Forgets a call that nobody waits for.
    pub(super) fn close(&self, session: &Session, call: &str, request: &str) {
        let mut tables = self.tables();
        let key = (session.id().to_owned(), call.to_owned());
        let Some(open) = tables.open.get_mut(&key) else { return };
        open.retain(|one| one.request != request);
        if open.is_empty() {
            tables.open.remove(&key);
        }
    }

    /// Reports whether the calls of a session go on although its client said good-bye: one that works in the
    /// background may come back with what it did (CP-15).
    pub(crate) fn outlive(&self, session: &Session) -> bool {
        let client = session.client();
        let features = client.as_ref().and_then(|client| client.supported_features.as_deref());
        let goes_on = features.unwrap_or_default().iter().any(|feature| feature == BACKGROUND);
        goes_on && self.tables().open.keys().any(|(of, _)| of == session.id())
    }

    /// A session ended for good: what was asked in it gets no answer.
    pub(crate) fn gone(&self, session: &Arc<Session>) {
        self.tables().open.retain(|(of, _), _| of != session.id());
    }

    /// The client that ran a call of a turn, whose callIds no other turn has.
    pub(crate) fn client_of(&self, body: &Body) -> Option<String> {
        let Body::ToolCallResponse(response) = body else { return None };
        let call = &response.results.first()?.call_id;
        let tables = self.tables();
        let key = tables.order.iter().rev().find(|(_, one)| one == call)?;
        tables.answered.get(key).cloned()
    }

    /// Hands the results of a client to whoever waits for them.
    pub(crate) fn answered(
        &self,
        app: &App,
        caller: &Caller,
        message: &Message,
        response: &ToolCallResponse,
        reply: Reply,
    ) {
        let mut taken = response.results.is_empty();
        for result in &response.results {
            taken |= self.take(caller, message, result);
        }
        if taken {
            acknowledge(app, message, reply);
        } else {
            let text = "no call waits for these results";
            reply.refuse(Refusal::new(ErrorCode::UnknownId, text));
        }
    }

    fn take(&self, caller: &Caller, message: &Message, result: &CallResult) -> bool {
        let Some(session) = &caller.session else { return false };
        let key = (session.id().to_owned(), result.call_id.clone());
        let mut tables = self.tables();
        let Some(waiting) = tables.open.get_mut(&key) else {
            // The same answer once more is no fault.
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
        tables.remember(key, &message.sender.id);
        drop(tables);
        let _ = open.answer.send((result.clone(), message.sender.id.clone()));
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
