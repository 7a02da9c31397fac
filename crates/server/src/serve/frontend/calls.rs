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

/// So many answered calls are remembered, with who answered them.
const REMEMBERED: usize = 10_000;

/// Calls under way.
#[derive(Default)]
pub(crate) struct Calls {
    tables: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    open: HashMap<String, Open>,
    /// The clients of calls that were answered.
    answered: HashMap<String, String>,
    order: VecDeque<String>,
}

struct Open {
    session: Arc<Session>,
    answer: oneshot::Sender<CallResult>,
}

impl Calls {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a call that is sent in a session.
    pub(super) fn open(&self, call: &str, session: &Arc<Session>) -> oneshot::Receiver<CallResult> {
        let (answer, receive) = oneshot::channel();
        let open = Open { session: Arc::clone(session), answer };
        self.tables().open.insert(call.to_owned(), open);
        receive
    }

    /// Forgets a call that nobody waits for.
    pub(super) fn close(&self, call: &str) {
        self.tables().open.remove(call);
    }

    /// A session ended for good: what was asked in it gets no answer.
    pub(crate) fn gone(&self, session: &Arc<Session>) {
        self.tables().open.retain(|_, open| !Arc::ptr_eq(&open.session, session));
    }

    /// The client that ran the calls of this response.
    pub(crate) fn client_of(&self, body: &Body) -> Option<String> {
        let Body::ToolCallResponse(response) = body else { return None };
        self.client(&response.results.first()?.call_id)
    }

    /// The client that ran a call.
    pub(super) fn client(&self, call: &str) -> Option<String> {
        self.tables().answered.get(call).cloned()
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
        let mut tables = self.tables();
        let call = &result.call_id;
        let is_asked = |open: &Open| {
            caller.session.as_ref().is_some_and(|session| Arc::ptr_eq(session, &open.session))
        };
        match tables.open.get(call) {
            Some(open) if is_asked(open) => {}
            Some(_) => return false,
            // The same answer once more is no fault.
            None => return tables.answered.contains_key(call),
        }
        let Some(open) = tables.open.remove(call) else { return false };
        tables.remember(call, &message.sender.id);
        drop(tables);
        let _ = open.answer.send(result.clone());
        true
    }
}

impl Tables {
    fn remember(&mut self, call: &str, client: &str) {
        self.answered.insert(call.to_owned(), client.to_owned());
        self.order.push_back(call.to_owned());
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.answered.remove(&oldest);
        }
    }
}
