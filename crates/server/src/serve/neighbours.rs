//! The other servers on the same database (WA-11).
//!
//! Decision: what is worked on belongs to one server by its row, so nothing is asked of another server.
//! Each hears where something changed, looks there, and goes on with what is its own. A server that is
//! gone is noticed by all, and what it left is taken over by one.

mod changes;

use super::app::App;
use super::exchange::control::ask;
use super::flows::put_off;
use super::flows::resume::{incarnation, unusable};
use super::flows::unfinished::{self, Unfinished};
use super::frontend::calls;
use super::message::stored_answer;
use super::phase::Phase;
use super::turn::again;
use super::turn::turns::TurnKey;
use crate::fault::Fault;
use crate::serve::turn::parked;
use changes::Changes;
use contexture::database::{Announced, Database, DatabaseError, Left, Notice};
use contexture::store::contexts::{ContextError, Key, KeyName, PendingKey, Repeated};
use contexture_protocol::content::{Control, ControlAction};
use contexture_protocol::{ErrorCode, Message, Refusal};
use parking_lot::Mutex;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The interval of looking for what servers left that are gone, and for what no notice told.
const LOOK: Duration = Duration::from_millis(500);
/// The number of looks of which one finds calls that clients no longer have to answer.
const SELDOM: u64 = 8;
/// The interval of looking for waits that were answered by another process, in a data folder.
const ANSWERED: Duration = Duration::from_millis(250);

/// What this server knows of the others.
#[derive(Default)]
pub(crate) struct Neighbours {
    /// Notified when something that waits changed elsewhere.
    waits: Notify,
    /// Those who wait for changes of contexts.
    changes: Changes,
    /// Messages whose answer could not be stored.
    unsettled: Mutex<Vec<PendingKey>>,
    /// What other servers know of the clients of this one, by their sessions.
    announced: Mutex<HashMap<String, Announced>>,
    /// The place of the last wait of another server that was looked at.
    handed: AtomicU64,
}

impl Neighbours {
    /// Wakes those of this server who wait for a change of a context that it made itself.
    pub(crate) fn changed_here(&self, incarnation: u64) {
        self.changes.tell(Some(&HashSet::from([incarnation])));
    }

    /// Notes messages that are still to be answered with OUTCOME_UNCERTAIN: the next turns of their
    /// contexts wait for that.
    pub(crate) fn settle_later(&self, pending: impl IntoIterator<Item = PendingKey>) {
        self.unsettled.lock().extend(pending);
    }
}

/// What notices told since the last look.
#[derive(Default)]
struct Heard {
    contexts: HashSet<u64>,
    waits: bool,
    clients: bool,
    cancelled: bool,
    all: bool,
}

impl Heard {
    fn add(&mut self, notice: Notice) {
        match notice {
            Notice::Contexts(contexts) => self.contexts.extend(contexts),
            Notice::Waits => self.waits = true,
            Notice::Clients => self.clients = true,
            Notice::Cancelled => self.cancelled = true,
            Notice::All => self.all = true,
        }
    }
}

/// Follows what other servers change.
pub(crate) fn listen(app: &Arc<App>) {
    let Some(database) = &app.database else { return };
    let (tell, heard) = unbounded_channel();
    database.listen(move |notice| drop(tell.send(notice)));
    app.handle.spawn(hear(Arc::clone(app), heard));
    app.handle.spawn(announce(Arc::clone(app)));
}

/// Tells other servers of the clients of this one, whenever one came, changed or left.
async fn announce(app: Arc<App>) {
    loop {
        let announced = app.sessions.announced();
        let telling = Arc::clone(&app);
        let told = tokio::task::spawn_blocking(move || tell_clients(&telling)).await;
        if *app.phase.borrow() == Phase::Closed {
            return;
        }
        let _ = tokio::time::timeout(LOOK, announced).await;
        if !matches!(told, Ok(Ok(()))) {
            tokio::time::sleep(LOOK).await;
        }
    }
}

fn tell_clients(app: &App) -> Result<(), DatabaseError> {
    let Some(database) = &app.database else { return Ok(()) };
    let now = app.sessions.announcements();
    let mut told = app.neighbours.announced.lock();
    let is_new = |one: &&Announced| told.get(&one.session) != Some(*one);
    let changed: Vec<Announced> = now.iter().filter(is_new).cloned().collect();
    let now: HashMap<String, Announced> =
        now.into_iter().map(|one| (one.session.clone(), one)).collect();
    let ended: Vec<String> = told.keys().filter(|id| !now.contains_key(*id)).cloned().collect();
    if changed.is_empty() && ended.is_empty() {
        return Ok(());
    }
    database.announce(changed, &ended)?;
    *told = now;
    Ok(())
}

/// Reads the clients of other servers, off the threads that serve.
async fn read_clients(app: &Arc<App>) {
    let app = Arc::clone(app);
    let _ = tokio::task::spawn_blocking(move || read_clients_now(&app)).await;
}

/// Reads the clients of other servers now.
pub(crate) fn read_clients_now(app: &App) {
    if let Some(Ok(clients)) = app.database.as_ref().map(Database::clients) {
        app.sessions.set_elsewhere(clients);
    }
}

async fn hear(app: Arc<App>, mut notices: UnboundedReceiver<Notice>) {
    while let Some(first) = notices.recv().await {
        let mut heard = Heard::default();
        heard.add(first);
        while let Ok(notice) = notices.try_recv() {
            heard.add(notice);
        }
        followed(&app, heard).await;
        if *app.phase.borrow() == Phase::Closed {
            return;
        }
    }
}

async fn followed(app: &Arc<App>, heard: Heard) {
    if heard.clients || heard.all {
        read_clients(app).await;
    }
    if heard.cancelled || heard.all {
        cancel_asked(app).await;
    }
    if heard.waits || heard.all {
        app.neighbours.waits.notify_one();
        let handed = &app.neighbours.handed;
        let last = calls::hand_out(app, handed.load(Ordering::Relaxed)).await;
        handed.store(last, Ordering::Relaxed);
    }
    if heard.all || !heard.contexts.is_empty() {
        let (app, changed) = (Arc::clone(app), (!heard.all).then_some(heard.contexts));
        app.neighbours.changes.tell(changed.as_ref());
        let follow = move || {
            app.subscriptions.follow(&*app.store, &app.maker, changed.as_ref());
            end_deleted(&app, changed.as_ref());
        };
        let _ = tokio::task::spawn_blocking(follow).await;
    }
}

/// Cancels turns whose cancellation was asked of another server.
async fn cancel_asked(app: &Arc<App>) {
    let app = Arc::clone(app);
    let cancel = move || {
        let Some(Ok(asked)) = app.database.as_ref().map(Database::cancelled) else { return };
        for (owner, KeyName { context_id, message_id }) in asked {
            if let Some(turn) = app.turns.find(&(owner.into(), context_id, message_id)) {
                parked::cancel(&app, &turn);
            }
        }
    };
    let _ = tokio::task::spawn_blocking(cancel).await;
}

/// Steers a turn or a set that another server works on; false if none does.
pub(crate) async fn steer(
    app: &Arc<App>,
    owner: &str,
    context: Option<&str>,
    asked: &Control,
) -> bool {
    let (app, owner) = (Arc::clone(app), owner.to_owned());
    let (context, asked) = (context.map(str::to_owned), asked.clone());
    let steer = move || {
        let Some(database) = &app.database else { return false };
        let (target, journals) = (&asked.target, &app.flows.journals);
        let of_message = |context: &String| journals.of_message(&owner, context, target).ok()?;
        let run = journals.named(&owner, target).or_else(|| of_message(context.as_ref()?));
        if let Some(run) = run.filter(|run| !run.is_ended) {
            return journals.journal().ask(&run.run, ask(asked.action)).is_ok();
        }
        let is_cancel = asked.action == ControlAction::Cancel;
        is_cancel && database.cancel(&owner, context.as_deref(), target).unwrap_or_default()
    };
    tokio::task::spawn_blocking(steer).await.unwrap_or_default()
}

/// Cancels what runs in contexts that another server deleted.
fn end_deleted(app: &Arc<App>, changed: Option<&HashSet<u64>>) {
    let mut places = app.turns.places(changed);
    places.extend(app.flows.places(changed));
    for (owner, context, incarnation) in places {
        let head = app.store.head(Key { owner: &owner, context: &context });
        let is_gone = match head {
            Ok(head) => head.incarnation != incarnation,
            Err(error) => matches!(error, ContextError::NotFound(_)),
        };
        if is_gone {
            parked::cancel_in(app, &owner, &context, incarnation);
            app.flows.deleted(&owner, &context, incarnation);
        }
    }
}

/// Leaves the other servers what this one worked on, when all is written.
pub(crate) async fn leave(app: &Arc<App>) {
    if app.database.is_none() {
        return;
    }
    // What was to be written of turns and sets before is written by then.
    app.calls.take_parked("").await;
    let leaving = Arc::clone(app);
    let leave = move || leaving.database.as_ref().map(Database::leave);
    let _ = tokio::task::spawn_blocking(leave).await;
}

/// Looks again and again at what waits, and at what other servers left.
pub(crate) async fn look(app: Arc<App>) {
    for number in 0_u64.. {
        let woken = app.neighbours.waits.notified();
        if let Some(database) = &app.database {
            take_over(&app).await;
            if number % SELDOM == 0 {
                calls::take_ended_back(&app).await;
            }
            if !database.is_heard() {
                followed(&app, Heard { all: true, ..Heard::default() }).await;
            }
        }
        put_off::look(&app).await;
        calls::look(&app).await;
        again::look(&app).await;
        let every = if app.database.is_some() { LOOK } else { ANSWERED };
        let _ = tokio::time::timeout(every, woken).await;
    }
}

/// Takes over what servers left that are gone, and answers what could not be answered before.
async fn take_over(app: &Arc<App>) {
    let taking = Arc::clone(app);
    let taken = tokio::task::spawn_blocking(move || {
        let Some(database) = &taking.database else { return Ok(()) };
        let left = database.take_over().map_err(|error| unusable(&error))?;
        if left.servers > 0 {
            // Apart, as answers of other servers are looked for meanwhile.
            let (app, handle) = (Arc::clone(&taking), taking.handle.clone());
            handle.spawn_blocking(move || resume_left(&app, left));
        }
        settle_left(&taking)
    });
    if let Ok(Err(fault)) = taken.await {
        failed_to_take(app, &fault);
    }
}

fn failed_to_take(app: &App, fault: &Fault) {
    let fields = json!({ "outcome": "take_over", "reason": fault.to_string() });
    app.log.info("store_failed", fields);
}

/// Goes on with what was taken over. It is this server's, so what fails is tried again.
fn resume_left(app: &Arc<App>, left: Left) {
    // What goes on may call a client that was on the other server, and may come back.
    read_clients_now(app);
    let (messages, runs) = (left.pending.len(), left.runs.len());
    let fields = json!({ "servers": left.servers, "messages": messages, "runs": runs });
    app.log.info("taken_over", fields);
    let mut left = Unfinished::of(left);
    loop {
        match unfinished::resume_all(app, &left) {
            Ok(rest) => return app.neighbours.settle_later(rest),
            Err(fault) => failed_to_take(app, &fault),
        }
        if *app.phase.borrow() != Phase::Open {
            return;
        }
        std::thread::sleep(LOOK);
        left.pending.retain(|pending| app.turns.find(&key_of(pending)).is_none());
    }
}

/// Answers messages whose outcome nobody knows.
pub(crate) fn settle_left(app: &App) -> Result<(), Fault> {
    loop {
        let Some(pending) = app.neighbours.unsettled.lock().pop() else { return Ok(()) };
        if let Err(fault) = super::close_interrupted(app, pending.clone()) {
            app.neighbours.settle_later([pending]);
            return Err(fault);
        }
    }
}

fn key_of(pending: &PendingKey) -> TurnKey {
    let KeyName { context_id, message_id } = pending.key.clone();
    (pending.owner.as_str().into(), context_id, message_id)
}

/// Waits until a message comes first among those of its context, on whichever server; false if this
/// server is about to end, and another one begins it.
pub(crate) async fn comes_first(app: &Arc<App>, key: &TurnKey, incarnation: u64) -> bool {
    if app.database.is_none() {
        return true;
    }
    let (owner, name) = (key.0.to_string(), name_of(key));
    let changes = app.neighbours.changes.of(Some(incarnation));
    loop {
        let changed = changes.notified();
        let (owner, name) = (owner.clone(), name.clone());
        if matches!(app.read(move |store| store.begin(&owner, &name)).await, Ok(true)) {
            return true;
        }
        if app.is_ending() {
            return false;
        }
        let _ = tokio::time::timeout(LOOK, changed).await;
    }
}

fn name_of((_, context_id, message_id): &TurnKey) -> KeyName {
    KeyName { context_id: context_id.clone(), message_id: message_id.clone() }
}

/// Returns what is notified when the context of a message changes.
async fn changes_of(app: &Arc<App>, (owner, context, _): &TurnKey) -> Arc<Notify> {
    let (reading, owner, context) = (Arc::clone(app), Arc::clone(owner), context.clone());
    let read = tokio::task::spawn_blocking(move || incarnation(&reading, &owner, &context?));
    app.neighbours.changes.of(read.await.unwrap_or_default())
}

/// Waits for the answer to a message that another server works on.
pub(crate) async fn answer_of(
    app: &Arc<App>,
    key: &TurnKey,
    digest: [u8; 32],
) -> Result<Message, Refusal> {
    let (owner, name) = (key.0.to_string(), name_of(key));
    let changes = changes_of(app, key).await;
    loop {
        let changed = changes.notified();
        let (owner, name) = (owner.clone(), name.clone());
        match app.read(move |store| store.repeated(&owner, &name, &digest)).await {
            Ok(Some(Repeated::Done(answer))) => return stored_answer(&answer),
            Ok(None) => {
                let text = "the context of the message was deleted";
                return Err(Refusal::new(ErrorCode::ContextNotFound, text));
            }
            Ok(Some(Repeated::Pending)) | Err(_) => {}
        }
        if let Some(refused) = app.draining() {
            return Err(refused);
        }
        let _ = tokio::time::timeout(LOOK, changed).await;
    }
}
