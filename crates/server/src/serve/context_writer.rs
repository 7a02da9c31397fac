//! Messages of turns and sets, added to their contexts.

#[cfg(test)]
mod tests;

use super::app::App;
use super::exchange::failure::{is_passing, is_trouble};
use super::message::answering;
use super::phase::Phase;
use super::turn::turns::TurnKey;
use contexture::context::Label;
use contexture::store::contexts::{
    Answer, Applied, ContextError, KeyName, MessageKey, NewMessage, Operation, PendingKey,
    Settlement, Update,
};
use contexture_protocol::Message;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time in which an answer that the store does not take now is tried again, and the interval.
const PATIENCE: Duration = Duration::from_secs(60);
const AGAIN: Duration = Duration::from_millis(250);

/// The context of a turn or a set.
pub(crate) struct ContextWriter<'a> {
    pub(crate) app: &'a Arc<App>,
    /// The message that is answered.
    pub(crate) key: &'a TurnKey,
    pub(crate) context: &'a str,
    /// The incarnation, if known: late messages are not added to a later context of the same id.
    pub(crate) incarnation: Option<u64>,
}

impl ContextWriter<'_> {
    /// Adds a message, which gets its number in the context and keeps its label to itself.
    pub(crate) async fn add(
        &self,
        message: &mut Message,
        label: &Label,
        key: Option<MessageKey>,
        settles: Option<Settlement>,
    ) -> Result<(), ContextError> {
        let operations = vec![Operation::AddMessage(NewMessage::of(message).labelled(label))];
        let applied = self.apply(Update { key, operations, settles, ..Update::default() }).await?;
        number(message, &applied);
        Ok(())
    }

    /// Adds the answer together with the key of the message that it answers.
    pub(crate) async fn settle(
        &self,
        message: Message,
        label: &Label,
    ) -> Result<Message, ContextError> {
        let mut message = answering(message, &self.key.2);
        message.context_id = Some(self.context.to_owned());
        // A repeated request gets the same answer, with its number.
        let stored = message.clone();
        let answer = Answer::Made(Arc::new(move |applied| {
            let mut stored = stored.clone();
            number(&mut stored, applied);
            stored.to_json()
        }));
        self.add(&mut message, label, None, Some(self.settlement(answer))).await?;
        Ok(message)
    }

    /// Stores an answer with the key of its message, and adds nothing to the context.
    pub(crate) async fn settle_only(&self, answer: &Message) -> Result<(), ContextError> {
        let settles = Some(self.settlement(answer.to_json().into()));
        self.apply(Update { settles, ..Update::default() }).await.map(drop)
    }

    /// Takes the answer of a message back: it waits for one again.
    pub(crate) async fn reopen(&self) -> Result<(), ContextError> {
        let settles = Some(self.settlement(Answer::Pending));
        self.apply(Update { settles, ..Update::default() }).await.map(drop)
    }

    fn settlement(&self, answer: Answer) -> Settlement {
        let (_, context_id, message_id) = self.key.clone();
        Settlement { key: KeyName { context_id, message_id }, answer }
    }

    async fn apply(&self, update: Update) -> Result<Applied, ContextError> {
        let is_last = update.settles.is_some();
        let update = Update {
            owner: self.key.0.to_string(),
            context_id: Some(self.context.to_owned()),
            incarnation: self.incarnation,
            cause: Some(self.key.2.clone()),
            ..update
        };
        let mut applied = self.app.updated(update.clone()).await;
        let until = Instant::now() + PATIENCE;
        // An answer is not lost, nor replaced by an error, because the store is busy for a while.
        while is_last && self.may_pass(&applied) && Instant::now() < until {
            tokio::time::sleep(AGAIN).await;
            // Whether the last attempt was kept may not be known.
            applied = self.app.updated(Update { only_pending: true, ..update.clone() }).await;
        }
        // Other servers wait for the answer, so that nobody knows it is told later.
        if self.app.database.is_some() && is_last && applied.as_ref().is_err_and(is_passing) {
            let (owner, context_id, message_id) = self.key.clone();
            self.app.neighbours.settle_later([PendingKey {
                owner: owner.to_string(),
                key: KeyName { context_id, message_id },
                context_id: Some(self.context.to_owned()),
                incarnation: self.incarnation,
                time_us: 0,
                has_begun: true,
            }]);
        }
        applied
    }
}

impl ContextWriter<'_> {
    /// Reports whether an update may be taken when it is tried again: by a busy store, or by a database that
    /// comes back.
    fn may_pass(&self, applied: &Result<Applied, ContextError>) -> bool {
        let Err(error) = applied else { return false };
        let is_meant = self.app.database.is_some() || !is_trouble(error);
        is_meant && is_passing(error) && *self.app.phase.borrow() != Phase::Closed
    }
}

fn number(message: &mut Message, applied: &Applied) {
    if let Some(seq) = applied.seqs.first() {
        message.set_meta("seq", *seq);
    }
}
