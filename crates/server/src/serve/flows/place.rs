//! The registration of a set among those of the server.

use super::running::Running;
use crate::serve::app::App;
use crate::serve::turn::turns::TurnKey;
use contexture_protocol::{ErrorCode, Message, Refusal};
use std::sync::Arc;

/// The result of registering the set of a message.
pub(super) enum Entered {
    New(Place),
    /// The set was registered before.
    Known(Arc<Running>),
}

/// The registration of a set. When it is dropped early, those who wait get the error.
pub(super) struct Place {
    app: Arc<App>,
    pub(super) key: TurnKey,
    pub(super) running: Arc<Running>,
    /// True if the set was left while it waited, and is taken up again.
    pub(super) is_again: bool,
    is_over: bool,
}

impl Place {
    /// Registers the set of a message. A set that was accepted before is registered beyond the limit
    /// of its owner.
    ///
    /// # Errors
    /// RATE_LIMITED when the owner has the most sets.
    pub(super) fn enter(
        app: &Arc<App>,
        key: TurnKey,
        digest: [u8; 32],
        is_accepted: bool,
    ) -> Result<Entered, Refusal> {
        let flows = &app.flows;
        let mut tables = flows.tables.lock();
        if let Some(known) = tables.by_key.get(&key) {
            let running = Arc::clone(known);
            if !is_accepted || !running.unpark() {
                return Ok(Entered::Known(running));
            }
            *tables.open.entry(Arc::clone(&key.0)).or_default() += 1;
            let app = Arc::clone(app);
            return Ok(Entered::New(Self { app, key, running, is_again: true, is_over: false }));
        }
        let most = flows.most.get();
        if !is_accepted && tables.open.get(&key.0).is_some_and(|open| *open >= most) {
            let text = format!("{most} sets of this owner run already");
            let refused = Refusal::new(ErrorCode::RateLimited, text).policy("sets_per_owner");
            return Err(refused.detail("limit", most));
        }
        let running = tables.begin(&key, digest, flows.journals.journal());
        drop(tables);
        Ok(Entered::New(Self {
            app: Arc::clone(app),
            key,
            running,
            is_again: false,
            is_over: false,
        }))
    }

    /// Returns a function that sends a message to all who wait.
    pub(super) fn tell(&self) -> Arc<dyn Fn(&Message) + Send + Sync> {
        let running = Arc::clone(&self.running);
        Arc::new(move |message| running.log.pass(message))
    }

    /// Sends the answer.
    pub(super) fn finish(mut self, answer: Message) {
        self.is_over = true;
        self.running.log.finish(answer);
    }

    /// Removes the set, as its answer is sent elsewhere.
    pub(super) fn leave(mut self) {
        self.is_over = true;
        self.app.flows.tables.lock().forget(&self.key, &self.running);
    }

    /// Leaves the set until what it waits for is answered. Without listeners nothing of it stays.
    pub(super) fn park(mut self) {
        self.is_over = true;
        let mut tables = self.app.flows.tables.lock();
        if self.running.log.has_listeners() {
            self.running.park();
        } else {
            tables.forget(&self.key, &self.running);
        }
    }

    /// Sends the answer and removes the set: a repeated message is checked again.
    pub(super) fn refuse(mut self, answer: Message) {
        self.is_over = true;
        self.app.flows.tables.lock().forget(&self.key, &self.running);
        self.running.log.finish(answer);
    }

    fn interrupted(&self) -> Message {
        let (_, context, message) = &self.key;
        let failed = || Refusal::new(ErrorCode::Internal, "the work on the set failed");
        let refused = self.app.draining().unwrap_or_else(failed);
        let (message_id, context_id) = (Some(message.clone()), context.clone());
        self.app.maker.refusal(Refusal { message_id, context_id, ..refused })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.is_over {
            let answer = self.interrupted();
            self.app.flows.tables.lock().forget(&self.key, &self.running);
            self.running.log.finish(answer);
        }
        self.app.flows.tables.lock().ended(&self.key.0);
    }
}
