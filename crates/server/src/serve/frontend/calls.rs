//! The calls and questions that wait for clients (WA-1).
//!
//! Decision: each is a row in the journal of sets before a client learns of it, and its answer is
//! there before anybody is told that it was taken. Whoever works on it listens here; a set that only
//! waits costs nothing but its rows, and goes on when one of them is answered.

use crate::serve::app::App;
use crate::serve::flows::resume;
use crate::serve::message::answering;
use crate::serve::session::Session;
use contexture::store::flows::{
    Answered, FlowJournal, FlowStoreError, Wait, WaitFilter, WaitId, WaitState,
};
use contexture_protocol::content::{CallResult, Control, ControlAction, Failure, ToolCallResponse};
use contexture_protocol::{ErrorCode, Limits, Message};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The most answered calls that are remembered with their clients.
const REMEMBERED: usize = 10_000;
/// The most waits that one look ends or goes on with.
const LOOKED: usize = 1_000;
/// The most calls that one look asks about whether they have ended elsewhere.
const ENDED: usize = 200;

/// A result, and the client that the call belongs to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) result: CallResult,
    pub(crate) client: String,
}

pub(crate) struct Calls {
    journal: Arc<dyn FlowJournal>,
    /// True if other servers open waits as well.
    is_shared: bool,
    tables: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    /// Those that somebody of this process listens for.
    live: HashMap<WaitId, Live>,
    /// The owners for whom anything waits, or did.
    owners: HashSet<String>,
    /// Those that are being ended.
    ending: HashSet<WaitId>,
    /// The clients of answered calls.
    clients: HashMap<String, String>,
    order: VecDeque<String>,
}

struct Live {
    answer: oneshot::Sender<Answer>,
    /// True if it waits for a client that is away, until its time is over.
    is_patient: bool,
}

impl Calls {
    /// Reads what waits.
    ///
    /// # Errors
    /// [`FlowStoreError`].
    pub(crate) fn open(
        journal: Arc<dyn FlowJournal>,
        is_shared: bool,
    ) -> Result<Self, FlowStoreError> {
        let owners = journal.open_waits()?.into_iter().map(|(owner, _)| owner).collect();
        let tables = Mutex::new(Tables { owners, ..Tables::default() });
        Ok(Self { journal, is_shared, tables })
    }

    pub(crate) fn journal(&self) -> &Arc<dyn FlowJournal> {
        &self.journal
    }

    /// Listens for the answer of a call.
    pub(super) fn listen(&self, id: &WaitId, is_patient: bool) -> oneshot::Receiver<Answer> {
        let (answer, receive) = oneshot::channel();
        self.tables.lock().live.insert(id.clone(), Live { answer, is_patient });
        receive
    }

    /// Listens no more.
    pub(super) fn unlisten(&self, id: &WaitId) {
        self.tables.lock().live.remove(id);
    }

    /// Opens a wait; returns it as it is kept: with its answer, if an earlier one has it.
    pub(super) async fn begin(&self, wait: Wait) -> Result<Wait, FlowStoreError> {
        let (send, receive) = oneshot::channel();
        let owner = wait.id.owner.clone();
        self.journal.open_wait(wait, Box::new(move |outcome| drop(send.send(outcome))));
        let kept = receive.await.unwrap_or(Err(FlowStoreError::Closed))?;
        self.tables.lock().owners.insert(owner);
        Ok(kept)
    }

    /// Notes that a wait is about to end: no client gets it any more.
    pub(crate) fn close(&self, id: &WaitId) {
        self.tables.lock().ending.insert(id.clone());
    }

    fn is_ending(&self, id: &WaitId) -> bool {
        self.tables.lock().ending.contains(id)
    }

    /// Ends a wait whose answer was used, or is not wanted any more.
    pub(crate) async fn end(&self, id: &WaitId) {
        self.close(id);
        let (send, receive) = oneshot::channel();
        self.journal.end_wait(id, Box::new(move |outcome| drop(send.send(outcome))));
        // A row that stays is closed by the end of its run, or by the next start.
        let _ = receive.await;
        self.tables.lock().ending.remove(id);
    }

    /// Reports whether calls of an owner may wait.
    pub(crate) fn has_open(&self, owner: &str) -> bool {
        self.is_shared || self.tables.lock().owners.contains(owner)
    }

    /// Reports whether anything may wait.
    pub(crate) fn any_open(&self) -> bool {
        self.is_shared || !self.tables.lock().owners.is_empty()
    }

    /// Takes up a run that only waits; false if something works on it.
    pub(crate) async fn take_parked(&self, run: &str) -> bool {
        let (send, receive) = oneshot::channel();
        self.journal.take_parked(run, Box::new(move |outcome| drop(send.send(outcome))));
        matches!(receive.await, Ok(Ok(true)))
    }

    /// Reads waits, off the threads that serve.
    pub(crate) async fn find(&self, filter: WaitFilter) -> Result<Vec<Wait>, FlowStoreError> {
        let journal = Arc::clone(&self.journal);
        let read = tokio::task::spawn_blocking(move || journal.waits(&filter)).await;
        read.unwrap_or(Err(FlowStoreError::Closed))
    }

    /// Ends the calls of a session whose client said good-bye, where nobody waits for its return.
    pub(crate) fn gone(&self, session: &Arc<Session>) {
        let ids = session.calls();
        let mut tables = self.tables.lock();
        for id in ids {
            if tables.live.get(&id).is_some_and(|live| !live.is_patient) {
                tables.live.remove(&id);
            }
        }
    }

    /// Returns the client that ran a call of a turn, whose callIds are unique.
    pub(crate) fn client_of(&self, response: &ToolCallResponse) -> Option<String> {
        let call = &response.results.first()?.call_id;
        self.tables.lock().clients.get(call).cloned()
    }

    fn is_live(&self, id: &WaitId) -> bool {
        self.tables.lock().live.contains_key(id)
    }

    /// Gives an answer to who listens; false if nobody does.
    fn hear(&self, id: &WaitId, answer: Answer) -> bool {
        let mut tables = self.tables.lock();
        tables.remember(&id.call, &answer.client);
        let live = tables.live.remove(id);
        live.is_some_and(|live| live.answer.send(answer).is_ok())
    }

    /// Stores an answer; reports whether it was the first, and gives it to who listens.
    async fn take(&self, id: &WaitId, answer: Answer) -> Result<(Answered, bool), FlowStoreError> {
        let text = serde_json::to_string(&answer).unwrap_or_default();
        let (send, receive) = oneshot::channel();
        self.journal.answer_wait(id, &text, Box::new(move |outcome| drop(send.send(outcome))));
        let answered = receive.await.unwrap_or(Err(FlowStoreError::Closed))?;
        let is_first = matches!(answered, Answered::Taken(_));
        let is_heard = is_first && self.hear(id, answer);
        Ok((answered, is_heard))
    }
}

impl Tables {
    fn remember(&mut self, call: &str, client: &str) {
        if self.clients.insert(call.to_owned(), client.to_owned()).is_none() {
            self.order.push_back(call.to_owned());
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.clients.remove(&oldest);
        }
    }
}

/// Reads the answer of a wait.
pub(crate) fn answer_of(wait: &Wait) -> Option<Answer> {
    serde_json::from_str(wait.answer.as_deref()?).ok()
}

/// Reads the message with the call of a wait.
pub(crate) fn request_of(wait: &Wait) -> Option<Message> {
    Message::parse(wait.request.as_bytes(), &Limits::FILE).ok()
}

/// Answers a wait: whoever listens gets it, or its set goes on.
///
/// # Errors
/// [`FlowStoreError`] if it can't be stored.
pub(crate) async fn answer(
    app: &Arc<App>,
    id: &WaitId,
    answer: Answer,
) -> Result<Answered, FlowStoreError> {
    let (answered, is_heard) = app.calls.take(id, answer).await?;
    if let Answered::Taken(wait) = &answered {
        if let Some(holder) = app.sessions.holder(id) {
            holder.forget_call(id);
        }
        go_on(app, wait, is_heard).await;
    }
    Ok(answered)
}

/// Goes on with the set of a call that has its answer, if nobody listened for that.
async fn go_on(app: &Arc<App>, wait: &Wait, is_heard: bool) {
    if !is_heard && !wait.run.is_empty() {
        resume::wake(app, wait).await;
    }
}

/// Ends what nobody waits for any more, and goes on with what was answered by another process.
pub(crate) async fn look(app: &Arc<App>) {
    if !app.calls.any_open() {
        return;
    }
    let (state, limit) = (Some(WaitState::Open), LOOKED);
    let expired_ms = Some(app.now());
    let own = true;
    let late = WaitFilter { state, expired_ms, parked: true, own, limit, ..WaitFilter::default() };
    for wait in app.calls.find(late).await.unwrap_or_default() {
        let seconds = wait.expires_ms.saturating_sub(wait.since_ms) / 1_000;
        let text = format!("the client did not answer the call in {seconds} s");
        let failure = Failure::new(ErrorCode::Timeout.as_str(), text);
        let result = CallResult::failed(wait.id.call.clone(), failure);
        let late = Answer { result, client: wait.client.clone() };
        // What can't be stored is tried again.
        if let Ok((Answered::Taken(wait), is_heard)) = app.calls.take(&wait.id, late).await {
            take_back(app, &wait);
            go_on(app, &wait, is_heard).await;
        }
    }
    let state = Some(WaitState::Answered);
    let answered = WaitFilter { state, own, limit, ..WaitFilter::default() };
    for wait in app.calls.find(answered).await.unwrap_or_default() {
        if let Some(answer) = answer_of(&wait).filter(|_| app.calls.is_live(&wait.id)) {
            take_back(app, &wait);
            app.calls.hear(&wait.id, answer);
        } else if wait.is_parked {
            resume::wake(app, &wait).await;
        }
    }
}

/// Hands calls that other servers opened behind a place to the clients that are connected here; returns
/// the place of the last one.
pub(crate) async fn hand_out(app: &Arc<App>, mut after: u64) -> u64 {
    loop {
        let (state, limit) = (Some(WaitState::Open), LOOKED);
        let filter = WaitFilter { state, after, limit, ..WaitFilter::default() };
        let Ok(waits) = app.calls.find(filter).await else { return after };
        for wait in waits.iter().filter(|wait| !app.calls.is_live(&wait.id)) {
            if let Some(session) = app.sessions.connected(&wait.id.owner, &wait.client) {
                hand_over(app, &session, wait, false);
            }
        }
        after = waits.last().map_or(after, |last| last.place);
        if waits.len() < LOOKED {
            return after;
        }
    }
}

/// Takes calls back from clients that were answered or ended on another server.
pub(crate) async fn take_ended_back(app: &Arc<App>) {
    let mut left = ENDED;
    for session in app.sessions.with_calls() {
        let sent = session.calls().into_iter();
        for id in sent.filter(|id| !app.calls.is_live(id)).take(left) {
            left -= 1;
            let filter = WaitFilter {
                owner: Some(id.owner.clone()),
                context: Some(id.context.clone()),
                message: Some(id.message.clone()),
                call: Some(id.call.clone()),
                limit: 1,
                ..WaitFilter::default()
            };
            let Ok(found) = app.calls.find(filter).await else { continue };
            if found.first().is_none_or(|wait| wait.state != WaitState::Open) {
                let request = session.request_of(&id).unwrap_or_default();
                withdraw(app, &id, &request);
            }
        }
    }
}

/// Takes the call of a wait back from the client that has it.
pub(crate) fn take_back(app: &App, wait: &Wait) {
    if let Some(request) = request_of(wait) {
        withdraw(app, &wait.id, &request.message_id);
    }
}

/// Takes the call back from the client that has it.
pub(crate) fn withdraw(app: &App, wait: &WaitId, request: &str) {
    // The server of a client elsewhere finds that the call has ended.
    let Some(holder) = app.sessions.holder(wait) else { return };
    holder.forget_call(wait);
    let (action, target) = (ControlAction::Cancel, request.to_owned());
    let cancel = Control { action, target, extra: Map::new() };
    let message = app.maker.message(Some(&wait.context), cancel.into());
    holder.send(answering(message, &wait.message));
}

/// Sends the calls of a client to a session in which it came back: those that no connected session
/// of it has.
pub(crate) fn back(app: &Arc<App>, session: &Arc<Session>, client: String, is_hello: bool) {
    let owner = session.owner().to_string();
    if !app.calls.has_open(&owner) {
        return;
    }
    let (app, session) = (Arc::clone(app), Arc::clone(session));
    app.handle.clone().spawn(async move {
        let state = Some(WaitState::Open);
        let filter =
            WaitFilter { owner: Some(owner), client: Some(client), state, ..WaitFilter::default() };
        let Ok(waits) = app.calls.find(filter).await else { return };
        for wait in waits.iter().filter(|wait| !app.calls.is_ending(&wait.id)) {
            hand_over(&app, &session, wait, is_hello);
        }
        app.sessions.notify();
    });
}

/// Sends the calls of a session that its client left to another one in which it is already.
pub(crate) fn left(app: &Arc<App>, session: &Arc<Session>) {
    let Some(client) = session.client_name().filter(|_| session.has_calls()) else { return };
    if let Some(other) = app.sessions.connected(session.owner(), &client) {
        back(app, &other, client, false);
    }
}

fn hand_over(app: &App, session: &Arc<Session>, wait: &Wait, is_hello: bool) {
    match session.call_seq(&wait.id) {
        // What it had not seen is sent again by itself; what it saw, it may have lost.
        Some(seq) if !is_hello || session.presence().resumed < seq => return,
        Some(_) => {}
        None => {
            // What is known of another server may be old.
            let holder = app.sessions.holder_here(&wait.id);
            if let Some(holder) = holder.filter(|holder| !Arc::ptr_eq(holder, session)) {
                if holder.is_connected() {
                    return;
                }
                holder.forget_call(&wait.id);
            }
        }
    }
    if let Some(request) = request_of(wait) {
        session.send_call(&wait.id, request);
    }
}
