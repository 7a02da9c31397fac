//! The state that all requests share.

use super::agents::Agents;
use super::caller::Grant;
use super::exchange::is_trouble;
use super::flows::Flows;
use super::frontend::Calls;
use super::guard::Breach;
use super::handler::Handlers;
use super::intent::Intents;
use super::message::Maker;
use super::operations::audit::{Audit, Record};
use super::operations::log::Log;
use super::operations::metrics::Metrics;
use super::operations::readiness::Readiness;
use super::operations::telemetry::Telemetry;
use super::place::Held;
use super::session::Session;
use super::sessions::Sessions;
use super::subscriptions::Subscriptions;
use super::tokens::Registry;
use super::turn::Turns;
use contexture::Project;
use contexture::run::RunRequest;
use contexture::store::contexts::{Applied, ContextError, ContextStore, Key, Update};
use contexture_protocol::{ErrorCode, Limits, Message, Refusal};
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;

/// The time that a session waits for its client, and that an ended turn is kept for repeated requests.
pub(crate) const GRACE: Duration = Duration::from_secs(5 * 60);

/// The phase of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The server accepts work.
    Open,
    /// Running work is finished.
    Draining,
    /// Connections are closed.
    Closed,
}

/// The state behind the transports.
pub(crate) struct App {
    /// The lock of the data folder, until the server has ended.
    pub(crate) held: Mutex<Option<Held>>,
    pub(crate) project: Project,
    pub(crate) agents: Agents,
    pub(crate) intents: Intents,
    pub(crate) store: Arc<dyn ContextStore>,
    pub(crate) maker: Maker,
    pub(crate) sessions: Sessions,
    pub(crate) subscriptions: Subscriptions,
    pub(crate) turns: Turns,
    /// The pending calls of front-end tools.
    pub(crate) calls: Calls,
    /// The tool calls and instruction sets of clients.
    pub(crate) flows: Flows,
    /// The handlers of further message types.
    pub(crate) handlers: Handlers,
    /// The start in seconds of Unix time.
    pub(crate) begun: u64,
    /// The export of traces of turns.
    pub(crate) telemetry: Telemetry,
    /// The check whether contexts can be written.
    pub(crate) readiness: Readiness,
    /// The metrics.
    pub(crate) metrics: Arc<Metrics>,
    /// The limits of messages.
    pub(crate) limits: Limits,
    /// The tokens.
    pub(crate) tokens: Registry,
    /// The audit log.
    pub(crate) audit: Audit,
    /// The log.
    pub(crate) log: Log,
    /// The common settings of turns.
    pub(crate) turn_request: RunRequest,
    /// The phase of the server.
    pub(crate) phase: watch::Sender<Phase>,
    /// The runtime for work that outlives its request.
    pub(crate) handle: Handle,
    /// The queue of work to do when updates are durable.
    pub(crate) later: Later,
}

/// A queue of work that runs in order on the threads that
/// serve: the writer thread continues meanwhile, and wakes one task for everything that it wrote.
#[derive(Clone)]
pub(crate) struct Later(UnboundedSender<Box<dyn FnOnce() + Send>>);

impl Later {
    /// Starts to work, until all senders are dropped.
    pub(crate) fn begin(handle: &Handle) -> Self {
        let (sender, mut receiver) = unbounded_channel::<Box<dyn FnOnce() + Send>>();
        handle.spawn(async move {
            while let Some(work) = receiver.recv().await {
                // A failure must not end the other work.
                drop(catch_unwind(AssertUnwindSafe(work)));
            }
        });
        Self(sender)
    }

    fn hand_in(&self, work: impl FnOnce() + Send + 'static) {
        // Without a runtime nobody waits for it.
        let _ = self.0.send(Box::new(work));
    }
}

impl App {
    /// Returns the time now, in milliseconds since 1970-01-01 UTC.
    pub(crate) fn now(&self) -> u64 {
        self.maker.now_ms()
    }

    /// Logs that a rate limit is exceeded, once while it lasts.
    pub(crate) fn breached(&self, breach: &Breach, record: Record) {
        let policy = breach.refusal.violated_policies.first();
        self.metrics.rate_limits.count(policy.cloned().unwrap_or_default(), "");
        if breach.is_first {
            self.audit.note(&record.because(&breach.refusal));
        }
    }

    /// Sends an update to the store; `done` is called when it is durable or refused, after the
    /// subscribers were notified.
    pub(crate) fn update(
        self: &Arc<Self>,
        update: Update,
        done: impl FnOnce(&Arc<Self>, Result<Applied, ContextError>) + Send + 'static,
    ) {
        let app = Arc::clone(self);
        let owner = update.owner.clone();
        let began = Instant::now();
        self.store.submit(
            update,
            Box::new(move |outcome| {
                let later = app.later.clone();
                later.hand_in(move || {
                    app.metrics.update_seconds.note(began.elapsed());
                    app.metrics.updates.count(if outcome.is_ok() { "ok" } else { "refused" }, "");
                    if let Err(error) = &outcome {
                        app.trouble(error);
                    }
                    if let Ok(applied) = &outcome {
                        app.subscriptions.publish(&*app.store, &app.maker, &owner, applied);
                    }
                    done(&app, outcome);
                });
            }),
        );
    }

    /// Runs something after the pending work of durable updates.
    pub(crate) fn after_updates(&self, work: impl FnOnce() + Send + 'static) {
        self.later.hand_in(work);
    }

    /// Deletes a context: its running work is cancelled, and subscribers are notified (CP-9, CP-11).
    pub(crate) async fn delete(
        self: &Arc<Self>,
        owner: &str,
        context: &str,
    ) -> Result<(), ContextError> {
        let key = (owner.to_owned(), context.to_owned());
        let incarnation = self.read(move |store| {
            let key = Key { owner: &key.0, context: &key.1 };
            let head = store.head(key)?;
            store.delete(key)?;
            Ok(head.incarnation)
        });
        let incarnation = incarnation.await?;
        let (app, owner, context) = (Arc::clone(self), owner.to_owned(), context.to_owned());
        let (told, is_told) = tokio::sync::oneshot::channel();
        // After the start of turns and sets of earlier messages.
        self.after_updates(move || {
            app.turns.cancel_in(&owner, &context, incarnation);
            app.flows.deleted(&owner, &context, incarnation);
            app.subscriptions.deleted(&app.maker, &owner, &context, incarnation);
            let _ = told.send(());
        });
        // When the deletion returns, all subscribers were notified.
        let _ = is_told.await;
        Ok(())
    }

    /// Updates a context and waits, as [`Self::update`] without waiting.
    pub(crate) async fn updated(self: &Arc<Self>, update: Update) -> Result<Applied, ContextError> {
        let (send, receive) = tokio::sync::oneshot::channel();
        self.update(update, move |_, outcome| {
            let _ = send.send(outcome);
        });
        receive.await.unwrap_or(Err(ContextError::Closed))
    }

    /// Reads from the store, off the threads that serve.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&dyn ContextStore) -> Result<T, ContextError> + Send + 'static,
    ) -> Result<T, ContextError> {
        let store = Arc::clone(&self.store);
        let work = tokio::task::spawn_blocking(move || read(&*store));
        let read = work.await.unwrap_or(Err(ContextError::Closed));
        read.inspect_err(|error| self.trouble(error))
    }

    /// Logs why the store fails: clients must not learn about files and keys, but the operator must.
    pub(crate) fn trouble(&self, error: &ContextError) {
        if is_trouble(error) {
            let fields = json!({ "outcome": error.code(), "reason": error.to_string() });
            self.log.info("store_failed", fields);
        }
    }

    /// Releases the data folder.
    pub(crate) fn leave(&self) {
        drop(self.held.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Ends a session permanently.
    pub(crate) fn end_session(&self, session: &Arc<Session>) {
        self.sessions.end(session);
        self.forget(session);
    }

    /// Waits until a grant ends, as its token was revoked or expired. Tokens are checked
    /// once per second.
    pub(crate) async fn revoked(&self, grant: &Grant) {
        let mut changes = self.tokens.changes();
        while self.tokens.is_good(grant, self.now()) {
            if changes.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// Removes what an ended session left.
    pub(crate) fn forget(&self, session: &Arc<Session>) {
        self.subscriptions.end_all(session);
        self.calls.gone(session);
    }

    /// Returns a stored answer.
    pub(crate) fn kept(&self, text: &str) -> Result<Message, Refusal> {
        Message::parse(text.as_bytes(), &Limits::FILE).map_err(|refused| {
            let message = format!("the answer that was kept can't be read: {refused}");
            Refusal::new(ErrorCode::Internal, message)
        })
    }
}
