//! The pending requests, and the batches that collect their answers.

use parking_lot::Mutex;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use std::collections::HashSet;
use tokio::sync::Notify;

#[derive(Default)]
pub(super) struct Pending {
    state: Mutex<State>,
    /// Notified when the last request is answered.
    answered: Notify,
}

#[derive(Default)]
struct State {
    waiting: HashSet<RequestId>,
    batches: Vec<Batch>,
    /// True if the protocol version has batches.
    has_batches: bool,
}

/// The answers of a batch, which are sent together.
#[derive(Default)]
struct Batch {
    waiting: HashSet<RequestId>,
    /// JSON.
    answers: Vec<String>,
}

impl Batch {
    /// Returns its text, unless it has no answers.
    fn text(&self) -> Option<String> {
        (!self.answers.is_empty()).then(|| format!("[{}]", self.answers.join(",")))
    }
}

/// The version of the protocol that has batches.
const WITH_BATCHES: &str = "2025-03-26";

impl Pending {
    /// Records an incoming message; returns what it completes for writing.
    pub(super) fn comes(&self, message: &ClientJsonRpcMessage) -> Option<String> {
        match message {
            JsonRpcMessage::Request(request) => {
                self.state.lock().waiting.insert(request.id.clone());
                None
            }
            // A cancelled request may be answered or not.
            JsonRpcMessage::Notification(told) => match &told.notification {
                ClientNotification::CancelledNotification(cancelled) => {
                    let id = cancelled.params.request_id.as_ref()?;
                    self.settle(id);
                    self.collect(id, None)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Records the messages of a batch with the existing answers. Without pending requests,
    /// the answers are returned for writing.
    pub(super) fn batch(
        &self,
        messages: &[ClientJsonRpcMessage],
        answers: Vec<String>,
    ) -> Option<String> {
        let ids = messages.iter().filter_map(|message| match message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        });
        let batch = Batch { waiting: ids.collect(), answers };
        if batch.waiting.is_empty() {
            return batch.text();
        }
        self.state.lock().batches.push(batch);
        None
    }

    /// Returns the text for an outgoing message; `None` when it is sent later with its batch.
    pub(super) fn goes(
        &self,
        message: &ServerJsonRpcMessage,
    ) -> serde_json::Result<Option<String>> {
        // An answer may be long: it becomes text at once.
        let text = serde_json::to_string(message)?;
        let Some(id) = id_of(message) else { return Ok(Some(text)) };
        if let JsonRpcMessage::Response(response) = message
            && let ServerResult::InitializeResult(greeting) = &response.result
            && greeting.protocol_version.as_str() == WITH_BATCHES
        {
            self.state.lock().has_batches = true;
        }
        Ok(self.collect(id, Some(text)))
    }

    /// Records that an answer was written.
    pub(super) fn gone(&self, message: &ServerJsonRpcMessage) {
        if let Some(id) = id_of(message) {
            self.settle(id);
        }
    }

    /// Reports whether the protocol version has batches.
    pub(super) fn has_batches(&self) -> bool {
        self.state.lock().has_batches
    }

    /// Waits until all requests are answered.
    pub(super) async fn settled(&self) {
        loop {
            let answered = self.answered.notified();
            if self.state.lock().waiting.is_empty() {
                return;
            }
            answered.await;
        }
    }

    /// Removes a request that is answered or never will be.
    fn settle(&self, id: &RequestId) {
        let mut state = self.state.lock();
        state.waiting.remove(id);
        if state.waiting.is_empty() {
            self.answered.notify_one();
        }
    }

    /// Returns an answer or its complete batch; `None` when the batch waits for others.
    fn collect(&self, id: &RequestId, answer: Option<String>) -> Option<String> {
        let mut state = self.state.lock();
        let is_its = |batch: &Batch| batch.waiting.contains(id);
        let Some(at) = state.batches.iter().position(is_its) else { return answer };
        let batch = state.batches.get_mut(at)?;
        batch.waiting.remove(id);
        batch.answers.extend(answer);
        if !batch.waiting.is_empty() {
            return None;
        }
        state.batches.swap_remove(at).text()
    }
}

/// Returns the request that a message answers.
fn id_of(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}
