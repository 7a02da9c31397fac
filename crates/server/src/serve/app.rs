//! What is served, and all that its requests share.

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
use super::session::{Session, Sessions};
use super::subscriptions::Subscriptions;
use super::tokens::Registry;
use super::turn::Turns;
use contexture::Project;
use contexture::store::contexts::{Applied, ContextError, ContextStore, Key, Update};
use contexture::turn::TurnRequest;
use contexture_protocol::{ErrorCode, Limits, Message, Refusal};
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;

/// How long a session waits for its client to come back, and a turn is kept for whoever asks again.
pub(crate) const GRACE: Duration = Duration::from_secs(5 * 60);

/// How far a server is from its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It serves.
    Open,
    /// What is under way is finished.
    Draining,
    /// Connections are closed.
    Closed,
}

/// Everything behind the doors.
pub(crate) struct App {
    /// The data folder, until the server has ended.
    pub(crate) held: Mutex<Option<Held>>,
    pub(crate) project: Project,
    pub(crate) agents: Agents,
    pub(crate) intents: Intents,
    pub(crate) store: Arc<dyn ContextStore>,
    pub(crate) maker: Maker,
    pub(crate) sessions: Sessions,
    pub(crate) subscriptions: Subscriptions,
    pub(crate) turns: Turns,
    /// Calls of front-end tools that are under way.
    pub(crate) calls: Calls,
    /// Tool calls and instruction sets that were sent to the server.
    pub(crate) flows: Flows,
    /// What answers further types of messages.
    pub(crate) handlers: Handlers,
    /// When it began, in seconds of Unix time.
    pub(crate) begun: u64,
    /// What is told of turns to a collector of traces.
    pub(crate) telemetry: Telemetry,
    /// Whether contexts can be written.
    pub(crate) readiness: Readiness,
    /// What is counted.
    pub(crate) metrics: Arc<Metrics>,
    /// What a message may be.
    pub(crate) limits: Limits,
    /// Who may come in.
    pub(crate) tokens: Registry,
    /// Who did what.
    pub(crate) audit: Audit,
    /// What is said of the work.
    pub(crate) log: Log,
    /// What all turns have in common.
    pub(crate) turn_request: TurnRequest,
    /// Whether the server is about to end.
    pub(crate) phase: watch::Sender<Phase>,
    /// Where work goes that outlives the request that began it.
    pub(crate) handle: Handle,
    /// What is to be done when updates are durable.
    pub(crate) later: Later,
}

/// Work that is done one after another, in the order in which it was handed in, on the threads that
/// serve: the thread that writes goes on meanwhile, and wakes one task for all that it wrote.
#[derive(Clone)]
pub(crate) struct Later(UnboundedSender<Box<dyn FnOnce() + Send>>);

impl Later {
    /// Begins to work, until nobody is left who could hand anything in.
    pub(crate) fn begin(handle: &Handle) -> Self {
        let (sender, mut receiver) = unbounded_channel::<Box<dyn FnOnce() + Send>>();
        handle.spawn(async move {
            while let Some(work) = receiver.recv().await {
                // What fails must not end the work of all others.
                drop(catch_unwind(AssertUnwindSafe(work)));
            }
        });
        Self(sender)
    }

    fn hand_in(&self, work: impl FnOnce() + Send + 'static) {
        // Without a runtime nobody waits for it any more.
        let _ = self.0.send(Box::new(work));
    }
}

impl App {
    /// The time now, in milliseconds since 1970-01-01 UTC.
    pub(crate) fn now(&self) -> u64 {
        self.maker.now_ms()
    }

    /// Writes down that a rate was broken, once for as long as it is.
    pub(crate) fn breached(&self, breach: &Breach, record: Record) {
        let policy = breach.refusal.violated_policies.first();
        self.metrics.rate_limits.count(policy.cloned().unwrap_or_default(), "");
        if breach.is_first {
            self.audit.note(&record.because(&breach.refusal));
        }
    }

    /// Hands an update to the store; `done` is called when it is durable, or refused, after the
    /// subscribers were told.
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

    /// Does something after all that is to be done of updates that are durable by now.
    pub(crate) fn after_updates(&self, work: impl FnOnce() + Send + 'static) {
        self.later.hand_in(work);
    }

    /// Deletes a context: what runs in it is cancelled, and who follows it is told (CP-9, CP-11).
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
        // Behind what begins the turns and sets of messages that were kept before.
        self.after_updates(move || {
            app.turns.cancel_in(&owner, &context, incarnation);
            app.flows.deleted(&owner, &context, incarnation);
            app.subscriptions.deleted(&app.maker, &owner, &context, incarnation);
            let _ = told.send(());
        });
        // Who deleted it may rely on everybody having been told.
        let _ = is_told.await;
        Ok(())
    }

    /// As [`Self::update`], for a task that waits.
    pub(crate) async fn updated(self: &Arc<Self>, update: Update) -> Result<Applied, ContextError> {
        let (send, receive) = tokio::sync::oneshot::channel();
        self.update(update, move |_, outcome| {
            let _ = send.send(outcome);
        });
        receive.await.unwrap_or(Err(ContextError::Closed))
    }

    /// Reads with the store, off the threads that serve.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&dyn ContextStore) -> Result<T, ContextError> + Send + 'static,
    ) -> Result<T, ContextError> {
        let store = Arc::clone(&self.store);
        let work = tokio::task::spawn_blocking(move || read(&*store));
        let read = work.await.unwrap_or(Err(ContextError::Closed));
        read.inspect_err(|error| self.trouble(error))
    }

    /// Says why the store fails: clients hear nothing of files and keys, whoever runs the server has to.
    pub(crate) fn trouble(&self, error: &ContextError) {
        if is_trouble(error) {
            let fields = json!({ "outcome": error.code(), "reason": error.to_string() });
            self.log.info("store_failed", fields);
        }
    }

    /// Gives the data folder away to the next server.
    pub(crate) fn leave(&self) {
        drop(self.held.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Ends a session for good.
    pub(crate) fn end_session(&self, session: &Arc<Session>) {
        self.sessions.end(session);
        self.forget(session);
    }

    /// Waits until a grant lets in no longer: its token was revoked, or expired. The tokens are looked
    /// at once a second.
    pub(crate) async fn revoked(&self, grant: &Grant) {
        let mut changes = self.tokens.changes();
        while self.tokens.is_good(grant, self.now()) {
            if changes.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// Takes away what a session left that has ended.
    pub(crate) fn forget(&self, session: &Arc<Session>) {
        self.subscriptions.end_all(session);
        self.calls.gone(session);
    }

    /// An answer that was kept.
    pub(crate) fn kept(&self, text: &str) -> Result<Message, Refusal> {
        Message::parse(text.as_bytes(), &Limits::FILE).map_err(|refused| {
            let message = format!("the answer that was kept can't be read: {refused}");
            Refusal::new(ErrorCode::Internal, message)
        })
    }
}
