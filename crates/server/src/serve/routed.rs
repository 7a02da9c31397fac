//! The turns that a model service answers (WA-6).
//!
//! Decision: a service answers by what it says in the context, as the source's example does, so that it needs
//! no other message than a MODEL_RESPONSE. One turn of a context runs at a time, so the context names it.

use super::message::answering;
use super::session::Session;
use super::turn::turns::Turn;
use contexture_protocol::Message;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// An owner and a context.
type Place = (Arc<str>, String);

/// The turns that wait for a service, by their contexts.
#[derive(Default)]
pub(crate) struct Routed(Mutex<HashMap<Place, Heard>>);

/// A turn that hears what its service says.
#[derive(Clone)]
pub(crate) struct Heard {
    service: String,
    /// The message that the turn answers.
    message: String,
    turn: Arc<Turn>,
    said: UnboundedSender<Message>,
}

/// A turn that listens, as long as this lives.
pub(crate) struct Listening {
    routed: Arc<Routed>,
    place: Place,
    said: UnboundedReceiver<Message>,
}

impl Routed {
    /// Listens for a turn.
    pub(crate) fn listen(
        self: &Arc<Self>,
        place: Place,
        (service, message): (&str, &str),
        turn: Arc<Turn>,
    ) -> Listening {
        let (send, said) = unbounded_channel();
        let (service, message) = (service.to_owned(), message.to_owned());
        let heard = Heard { service, message, turn, said: send };
        self.0.lock().insert(place.clone(), heard);
        Listening { routed: Arc::clone(self), place, said }
    }

    /// Returns the turn that hears a message of a service, which is known by its session or as the sender.
    pub(crate) fn of(
        &self,
        owner: &Arc<str>,
        session: Option<&Arc<Session>>,
        message: &Message,
    ) -> Option<Heard> {
        let context = message.context_id.clone()?;
        let heard = self.0.lock().get(&(Arc::clone(owner), context)).cloned()?;
        let is_named = message.sender.id == heard.service
            || session.and_then(|session| session.client_name()).as_ref() == Some(&heard.service);
        is_named.then_some(heard)
    }
}

impl Heard {
    /// Sends a message of the turn to those who follow it.
    pub(crate) fn pass(&self, message: &Message) {
        self.turn.log.pass(&answering(message.clone(), &self.message));
    }

    /// Ends the turn with a stored message.
    pub(crate) fn answer(&self, message: Message) {
        // A turn that has ended hears no more.
        let _ = self.said.send(answering(message, &self.message));
    }
}

impl Listening {
    /// Waits for the answer.
    pub(crate) async fn answer(&mut self) -> Option<Message> {
        self.said.recv().await
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.routed.0.lock().remove(&self.place);
    }
}
