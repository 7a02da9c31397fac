//! The state that all requests share, and the updates of contexts.
//!
//! Decision: the tables of turns, sets, sessions and calls do not know the application; what works with
//! several of them is above it.

use super::agents::Agents;
use super::caller::Grant;
use super::damage::Damage;
use super::engine::Engine;
use super::exchange::failure::is_trouble;
use super::flows::resume;
use super::flows::sets::Sets;
use super::folder::FolderLock;
use super::frontend::calls::Calls;
use super::handler::Handlers;
use super::intent::Intents;
use super::limits::Breach;
use super::message::Maker;
use super::neighbours::Neighbours;
use super::operations::audit::{Audit, AuditRecord};
use super::operations::log::Log;
use super::operations::metrics::Metrics;
use super::operations::readiness::Readiness;
use super::operations::telemetry::Telemetry;
use super::phase::Phase;
use super::routed::Routed;
use super::session::Session;
use super::sessions::Sessions;
use super::subscriptions::Subscriptions;
use super::tokens::{Accounts, Registry};
use super::turn::turns::Turns;
use crate::serve::turn::parked;
use contexture::Project;
use contexture::database::Database;
use contexture::llm::Ledger;
use contexture::run::RunRequest;
use contexture::store::contexts::{Applied, ContextError, ContextStore, Key, Update};
use contexture_protocol::{ErrorCode, Limits, Refusal};
use parking_lot::Mutex;
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::{oneshot, watch};

/// The state behind the transports.
pub(crate) struct App {
    /// Held until the server has ended.
    pub(crate) lock: Mutex<Option<FolderLock>>,
    /// The database of contexts and flows, if they are not in the folder.
    pub(crate) database: Option<Database>,
    /// The other servers on the database.
    pub(crate) neighbours: Neighbours,
    /// What is wrong with the contexts, which are not opened then.
    pub(crate) damage: Option<Damage>,
    /// What is wrong with the settings, and did not keep the server from starting.
    pub(crate) warnings: Vec<String>,
    pub(crate) project: Project,
    pub(crate) agents: Agents,
    pub(crate) intents: Intents,
    pub(crate) store: Arc<dyn ContextStore>,
    pub(crate) maker: Maker,
    pub(crate) sessions: Sessions,
    pub(crate) subscriptions: Subscriptions,
    pub(crate) turns: Arc<Turns>,
    /// The pending calls of front-end tools.
    pub(crate) calls: Calls,
    /// The turns that model services answer.
    pub(crate) routed: Arc<Routed>,
    /// What drives the runs of sets.
    pub(crate) engine: Engine,
    /// The tool calls and instruction sets of clients.
    pub(crate) flows: Sets,
    /// The handlers of further message types.
    pub(crate) handlers: Handlers,
    /// The start in seconds of Unix time.
    pub(crate) begun: u64,
    pub(crate) telemetry: Telemetry,
    pub(crate) readiness: Readiness,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) limits: Limits,
    pub(crate) tokens: Registry,
    /// What the model calls of tokens with a limit have taken.
    pub(crate) accounts: Accounts,
    pub(crate) audit: Arc<Audit>,
    pub(crate) log: Arc<Log>,
    /// The common settings of turns.
    pub(crate) turn_request: RunRequest,
    pub(crate) phase: watch::Sender<Phase>,
    /// True when the server was asked to end, also while it still takes new work.
    pub(crate) is_leaving: AtomicBool,
    /// The runtime for work that outlives its request.
    pub(crate) handle: Handle,
    /// The work to do when updates are durable.
    pub(crate) durable: WorkQueue,
}

/// A queue of work that runs in order on the threads that serve: the writer thread continues
/// meanwhile, and wakes one task for everything that it wrote.
#[derive(Clone)]
pub(crate) struct WorkQueue(UnboundedSender<Box<dyn FnOnce() + Send>>);

impl WorkQueue {
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

    fn push(&self, work: impl FnOnce() + Send + 'static) {
        // Without a runtime nobody waits for it.
        let _ = self.0.send(Box::new(work));
    }
}

impl App {
    /// Returns the time now, in milliseconds since 1970-01-01 UTC.
    pub(crate) fn now(&self) -> u64 {
        self.maker.now_ms()
    }

    /// Returns the account of a token that has a limit.
    pub(crate) fn ledger(&self, grant: &Grant) -> Option<Arc<Ledger>> {
        self.accounts.of(grant, &self.tokens)
    }

    pub(crate) fn is_ending(&self) -> bool {
        *self.phase.borrow() != Phase::Open
    }

    /// Returns the refusal of new work when the server is about to end.
    pub(crate) fn draining(&self) -> Option<Refusal> {
        if !self.is_ending() {
            return None;
        }
        let text = "the server is about to end and begins nothing new";
        let refused = Refusal::new(ErrorCode::Internal, text).policy("draining");
        let refused = refused.suggest("Send the same message again in a moment.");
        Some(Refusal { recoverable: true, ..refused })
    }

    /// Logs that a rate limit is exceeded, once while it lasts.
    pub(crate) fn breached(&self, breach: &Breach, record: AuditRecord) {
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
                let queue = app.durable.clone();
                queue.push(move || {
                    app.metrics.update_seconds.note(began.elapsed());
                    app.metrics.updates.count(if outcome.is_ok() { "ok" } else { "refused" }, "");
                    if let Err(error) = &outcome {
                        app.trouble(error);
                    }
                    if let Ok(applied) = &outcome {
                        app.subscriptions.publish(&*app.store, &app.maker, &owner, applied);
                        app.neighbours.changed_here(applied.incarnation);
                    }
                    done(&app, outcome);
                });
            }),
        );
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
        let named = (owner.to_owned(), context.to_owned());
        let (app, owner, context) = (Arc::clone(self), owner.to_owned(), context.to_owned());
        let (done, is_done) = oneshot::channel();
        // After the start of turns and sets of earlier messages.
        self.durable.push(move || {
            parked::cancel_in(&app, &owner, &context, incarnation);
            app.flows.deleted(&owner, &context, incarnation);
            app.subscriptions.deleted(&app.maker, &owner, &context, incarnation);
            let _ = done.send(());
        });
        // When the deletion returns, all subscribers were notified.
        let _ = is_done.await;
        resume::deleted(self, &named.0, &named.1).await;
        Ok(())
    }

    /// Updates a context and waits, as [`Self::update`] without waiting.
    pub(crate) async fn updated(self: &Arc<Self>, update: Update) -> Result<Applied, ContextError> {
        let (send, receive) = oneshot::channel();
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
        drop(self.lock.lock().take());
    }

    pub(crate) fn end_session(&self, session: &Arc<Session>) {
        self.calls.gone(session);
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
    }
}
