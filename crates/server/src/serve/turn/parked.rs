//! Turns that wait for people and that nothing works on (WA-1, WA-3).
//!
//! Decision: a turn whose run does nothing but wait ends its run, and its journal takes it up again when
//! an answer is there. So it holds no thread and no permit, counts as no work, and a restart finds the
//! same as an answer does: a journal and its waits. Its context keeps its place: the next turn of it
//! begins when this one has its answer.

use super::queues::Place;
use super::turns::{Turn, TurnKey};
use super::work::TurnWork;
use crate::serve::app::App;
use crate::serve::flows::job::ENDING;
use crate::serve::frontend::calls;
use crate::serve::frontend::step::question_of;
use crate::serve::phase::Phase;
use contexture::durable::{self, StoredRun};
use contexture::store::flows::{Wait, WaitFilter, WaitId, WaitState};
use contexture_protocol::{Body, ErrorCode, Message, Refusal};
use std::collections::HashSet;
use std::sync::Arc;

/// A turn that waits.
pub(crate) struct Parked {
    pub(super) key: TurnKey,
    pub(super) run: Arc<str>,
    pub(super) turn: Arc<Turn>,
    pub(super) place: Place,
    /// True if a person asked to go on although the outcome of a model call is not known.
    pub(super) asks_again: bool,
}

impl Parked {
    /// Takes over a turn of an earlier server, whose message has this place.
    pub(crate) fn earlier(app: &App, key: TurnKey, place: (String, u64), run: &str) -> Self {
        let queue = queue_of(&key.0, &place.0);
        let turn = app.turns.begin(key.clone(), Some(place));
        Self {
            key,
            run: run.into(),
            turn,
            place: app.turns.queues.enter(&queue),
            asks_again: false,
        }
    }

    /// Goes on with a turn that a person asks for, which has been registered again.
    pub(super) fn asked(app: &App, key: TurnKey, turn: Arc<Turn>, run: &str) -> Self {
        let context = turn.place.as_ref().map_or("", |(context, _)| context);
        let place = app.turns.queues.enter(&queue_of(&key.0, context));
        Self { key, run: run.into(), turn, place, asks_again: true }
    }

    /// Leaves the turn until it is woken or cancelled.
    pub(crate) fn wait(self, app: &Arc<App>) {
        let (run, turn) = (Arc::clone(&self.run), Arc::clone(&self.turn));
        let key = self.key.clone();
        app.turns.park(Box::new(self));
        if app.is_ending() {
            tell_draining(app, &key, &turn);
        } else if turn.cancel.is_cancelled() {
            wake(app, &run);
        }
    }

    /// Reports whether its context is this one.
    pub(super) fn is_in(&self, owner: &str, context: &str) -> bool {
        let own = self.turn.place.as_ref().map_or("", |(context, _)| context);
        *self.key.0 == *owner && own == context
    }

    /// Leaves the turn, whose run has ended, in the rows of what it waits for.
    pub(super) async fn leave(self, app: &Arc<App>) {
        let run = Arc::clone(&self.run);
        let unsent = unsent(app, &waits_of(app, &run).await);
        end_used(app, &run).await;
        app.calls.journal().park_waits(&run, true);
        self.wait(app);
        let waits = waits_of(app, &run).await;
        hand_on(app, waits.iter().filter(|wait| unsent.contains(&wait.id)));
        // It may have been answered meanwhile.
        if waits.iter().any(|wait| wait.state == WaitState::Answered) {
            wake(app, &run);
        }
    }

    /// Takes the turn up now.
    pub(crate) fn take_up(self, app: &Arc<App>) {
        let app = Arc::clone(app);
        app.handle.clone().spawn(async move { Box::pin(self.go_on(&app)).await });
    }

    async fn go_on(mut self, app: &Arc<App>) {
        self.place.reached().await;
        app.calls.journal().park_waits(&self.run, false);
        let (stored, waits) = (read(app, &self.run).await, waits_of(app, &self.run).await);
        TurnWork::again(app, self, stored, waits).await;
    }
}

/// Takes up the turn of a run, if it only waits. When the server is about to end, the next one does.
pub(crate) fn wake(app: &Arc<App>, run: &str) {
    if app.is_ending() {
        return;
    }
    if let Some(parked) = app.turns.unpark(run) {
        parked.take_up(app);
    }
}

/// Cancels a turn, which is taken up if it only waits: it ends in order.
pub(crate) fn cancel(app: &Arc<App>, turn: &Turn) {
    turn.cancel.cancel();
    if let Some(run) = turn.parked_run() {
        wake(app, &run);
    }
}

/// Cancels the turns in a context.
pub(crate) fn cancel_in(app: &Arc<App>, owner: &str, context: &str, incarnation: u64) {
    for turn in app.turns.all_in(owner, context, incarnation) {
        cancel(app, &turn);
    }
}

/// Tells who waits for answers to turns that only wait that this server ends. The next turns of their
/// contexts do not begin here.
pub(crate) fn tell_all_draining(app: &App) {
    app.turns.each_parked(|parked| tell_draining(app, &parked.key, &parked.turn));
}

pub(super) async fn read(app: &App, run: &str) -> Result<StoredRun, String> {
    let (project, run) = (app.project.clone(), run.to_owned());
    match tokio::task::spawn_blocking(move || durable::read(&project, &run)).await {
        Ok(Ok(stored)) => Ok(stored),
        Ok(Err(error)) => Err(error.message),
        Err(error) => Err(error.to_string()),
    }
}

async fn waits_of(app: &App, run: &str) -> Vec<Wait> {
    let filter = WaitFilter { run: Some(run.to_owned()), ..WaitFilter::default() };
    app.calls.find(filter).await.unwrap_or_default()
}

/// Ends the waits whose answers the journal has: they wake nobody.
async fn end_used(app: &App, run: &str) {
    let Ok(stored) = read(app, run).await else { return };
    let used = stored.ended_ids();
    for wait in waits_of(app, run).await {
        let id = &wait.id.call;
        let is_used = used.iter().any(|call| call == id || question_of(run, call) == *id);
        if wait.state == WaitState::Answered && is_used {
            app.calls.end(&wait.id).await;
        }
    }
}

/// Tells who waits for an answer that this server ends.
pub(super) fn tell_draining(app: &App, (_, context_id, message_id): &TurnKey, turn: &Turn) {
    let Some(refused) = app.draining() else { return };
    let (message_id, context_id) = (Some(message_id.clone()), context_id.clone());
    turn.log.finish(app.maker.refusal(Refusal { message_id, context_id, ..refused }));
}

/// Waits until the server is in a phase.
async fn reached(app: &App, is_meant: impl Fn(Phase) -> bool) {
    // The sender lives as long as the server.
    drop(app.phase.subscribe().wait_for(|phase| is_meant(*phase)).await);
}

/// Waits until the server is about to end and a turn that comes first only waits: this one will not
/// begin here.
pub(super) async fn put_off(app: &App, owner: &str, context: &str) {
    reached(app, |phase| phase != Phase::Open).await;
    while !app.turns.is_parked(owner, context) {
        tokio::time::sleep(ENDING).await;
    }
}

/// Returns the name of the queue of a context. Another owner may have a context of the same id.
pub(super) fn queue_of(owner: &str, context: &str) -> String {
    format!("{owner}\0{context}")
}

/// Returns the waits whose calls no session was sent.
fn unsent(app: &App, waits: &[Wait]) -> HashSet<WaitId> {
    let open = waits.iter().filter(|wait| wait.state == WaitState::Open);
    let unsent = open.filter(|wait| app.sessions.holder(&wait.id).is_none());
    unsent.map(|wait| wait.id.clone()).collect()
}

/// Hands calls to their clients that what has ended would have sent.
fn hand_on<'w>(app: &App, waits: impl Iterator<Item = &'w Wait>) {
    for wait in waits.filter(|wait| wait.state == WaitState::Open) {
        let session = app.sessions.connected(&wait.id.owner, &wait.client);
        if let (Some(session), Some(request)) = (session, calls::request_of(wait)) {
            session.send_call(&wait.id, request);
        }
    }
}

/// Removes what is kept of a turn that has its answer; what a person has to look at stays.
pub(super) async fn forget(app: &Arc<App>, run: &str, is_certain: bool) {
    for wait in waits_of(app, run).await {
        if wait.state == WaitState::Open {
            calls::take_back(app, &wait);
        }
    }
    app.calls.journal().end_waits(run, Box::new(drop));
    if !is_certain {
        return;
    }
    let (project, run) = (app.project.clone(), run.to_owned());
    let _ = tokio::task::spawn_blocking(move || durable::forget(&project, &run)).await;
}

/// Reports whether an answer says that nobody knows what was done.
pub(super) fn is_uncertain(answer: &Message) -> bool {
    match &answer.body {
        Body::ErrorResponse(error) => error.error_code == ErrorCode::OutcomeUncertain.as_str(),
        _ => false,
    }
}

/// Returns why a turn can't be taken up: unasked, or although a person asks for it.
pub(super) fn uncertain(stored: &StoredRun, asks_again: bool) -> Option<Refusal> {
    let is_certain =
        if asks_again { stored.in_doubt().next().is_none() } else { !stored.is_uncertain() };
    if is_certain {
        return None;
    }
    let text =
        "the server ended during a call of the turn, and the outcome of the call is not known";
    let refused = Refusal::new(ErrorCode::OutcomeUncertain, text);
    Some(refused.detail("run", stored.id.as_str()))
}
