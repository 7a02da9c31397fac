//! Waiting for the answer to a call, while its client may go away and come back (CP-14, WA-1).

use super::calls::{Answer, answer_of, request_of, withdraw};
use super::sending::{Outcome, asked_tool, late};
use super::step::{Counted, StepCall};
use super::target::{Forwarder, is_in_background};
use crate::serve::app::App;
use crate::serve::session::Session;
use contexture::frontend::{CLIENT_UNAVAILABLE, FrontendFailure};
use contexture::store::flows::{FlowStoreError, Wait, WaitId};
use contexture_protocol::Message;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Waits for the answer of a client.
pub(super) struct Waiting<'a> {
    forwarder: &'a Forwarder,
    wait: Wait,
    request: Message,
    answer: oneshot::Receiver<Answer>,
    listening: Listening,
    /// The session that has the call, or had it last.
    session: Option<Arc<Session>>,
    is_warned: bool,
    was_lost: bool,
    /// The time of the begin.
    began: Instant,
    _counted: Option<Counted>,
}

/// The state of a client that is waited for.
enum Until {
    /// The client is connected, or its absence does not matter.
    Answered,
    /// The client is away, and may come back until then.
    Back(Instant),
}

impl<'a> Waiting<'a> {
    /// Opens a wait, which is durable then. One that is open is joined.
    pub(super) async fn begin(
        forwarder: &'a Forwarder,
        wait: Wait,
        request: Message,
    ) -> Result<Self, FlowStoreError> {
        let began = Instant::now();
        let app = &forwarder.app;
        let is_patient = forwarder.step.as_ref().is_some_and(|step| step.is_patient);
        // Before it is open: its answer may come at once.
        let answer = app.calls.listen(&wait.id, is_patient);
        let mut listening = Listening {
            app: Arc::clone(app),
            id: wait.id.clone(),
            request: request.message_id.clone(),
            step: forwarder.step.clone(),
            is_over: true,
        };
        let since = wait.since_ms;
        let wait = app.calls.begin(wait).await?;
        listening.is_over = false;
        let request = match request_of(&wait) {
            Some(kept) if wait.since_ms != since => kept,
            _ => request,
        };
        if let Some(step) = &forwarder.step {
            step.opened(&wait.id, &request.message_id);
        }
        let session = app.sessions.holder(&wait.id);
        let counted = forwarder.step.as_ref().map(super::step::StepCall::counted);
        let (is_warned, was_lost) = (false, false);
        Ok(Self {
            forwarder,
            wait,
            request,
            answer,
            listening,
            session,
            is_warned,
            was_lost,
            began,
            _counted: counted,
        })
    }

    /// Reports whether the answer was there before.
    pub(super) fn is_answered(&self) -> bool {
        self.wait.answer.is_some()
    }

    pub(super) fn id(&self) -> &WaitId {
        &self.wait.id
    }

    /// Ends the wait without an answer: none is needed.
    pub(super) fn over(&mut self) {
        self.listening.is_over = true;
    }

    /// Waits for so long, or until the time of an earlier wait is over.
    pub(super) async fn within(mut self, patience: Duration) -> Outcome {
        let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        self.wait.expires_ms = self.forwarder.app.now().saturating_add(millis);
        self.in_time().await
    }

    /// Sends the call to a client.
    pub(super) fn hand_to(&self, session: &Arc<Session>) {
        session.send_call(&self.wait.id, self.request.clone());
    }

    /// Waits until the time of the call is over.
    pub(super) async fn in_time(self) -> Outcome {
        let (began, expires) = (self.wait.since_ms, self.wait.expires_ms);
        let left = Duration::from_millis(expires.saturating_sub(self.forwarder.app.now()));
        let call = self.wait.id.call.clone();
        let Ok(outcome) = tokio::time::timeout(left, self.answered()).await else {
            let seconds = Duration::from_millis(expires.saturating_sub(began)).as_secs_f64();
            return Err(late(&call, seconds));
        };
        outcome
    }

    /// Waits for the answer, however it comes.
    pub(super) async fn heard(&mut self) -> Outcome {
        if let Some(answer) = answer_of(&self.wait) {
            self.listening.is_over = true;
            return Ok((answer.result, answer.client));
        }
        let answered = (&mut self.answer).await;
        self.listening.is_over = true;
        answered.map(|answer| (answer.result, answer.client)).map_err(|_| self.gone())
    }

    pub(super) async fn answered(mut self) -> Outcome {
        let app = Arc::clone(&self.forwarder.app);
        if self.is_answered() {
            return self.heard().await;
        }
        loop {
            let announced = app.sessions.announced();
            self.session = app.sessions.holder(&self.wait.id).or_else(|| self.session.take());
            let session = self.session.clone();
            let turned = async {
                match &session {
                    Some(session) => session.turned().await,
                    None => std::future::pending().await,
                }
            };
            let until = self.check()?;
            let late = async {
                match until {
                    Until::Back(until) => tokio::time::sleep_until(until.into()).await,
                    Until::Answered => std::future::pending().await,
                }
            };
            let is_connected = session.as_ref().is_some_and(|session| session.is_connected());
            tokio::select! {
                biased;
                answered = self.heard() => return answered,
                () = turned => {}
                () = announced, if !is_connected || self.was_lost => {}
                () = late => return Err(self.gone()),
            }
        }
    }

    /// Checks the connection of the client.
    fn check(&mut self) -> Result<Until, FrontendFailure> {
        let is_patient = self.forwarder.step.as_ref().is_some_and(|step| step.is_patient);
        let Some(session) = &self.session else {
            return Ok(if is_patient { Until::Answered } else { self.back_until(self.began) });
        };
        let now = session.presence();
        let Some(left) = now.left else {
            self.is_warned = false;
            let is_new = now.announced.is_some_and(|at| at >= self.began);
            if !is_patient && self.was_lost && is_new && !has(session, &asked_tool(&self.request)) {
                return Err(self.gone());
            }
            return Ok(Until::Answered);
        };
        self.was_lost = true;
        if !self.is_warned {
            self.is_warned = true;
            self.forwarder.warn_lost(session, &asked_tool(&self.request));
        }
        if is_patient || is_in_background(session) {
            return Ok(Until::Answered);
        }
        Ok(self.back_until(left))
    }

    fn back_until(&self, left: Instant) -> Until {
        Until::Back(left + self.forwarder.return_time())
    }

    fn gone(&self) -> FrontendFailure {
        let tool = asked_tool(&self.request);
        let text = format!("the client that ran `{tool}` is gone");
        FrontendFailure::new(CLIENT_UNAVAILABLE, text)
    }
}

fn has(session: &Session, tool: &str) -> bool {
    session.client().is_some_and(|client| {
        client.supported_tools.iter().flatten().any(|one| one.tool_id == tool)
    })
}

/// A call that is listened for. That of a turn ends when this is dropped, as nobody goes on with it,
/// unless the turn has a journal and left it, or will write its answer there. What ends that of a step
/// is the end of the step.
struct Listening {
    app: Arc<App>,
    id: WaitId,
    request: String,
    step: Option<StepCall>,
    is_over: bool,
}

impl Listening {
    fn stays(&self) -> bool {
        match self.step.as_ref().map(|step| &step.turn) {
            None => false,
            Some(None) => true,
            Some(Some(turn)) => self.is_over || turn.is_left(),
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.app.calls.unlisten(&self.id);
        if self.stays() {
            return;
        }
        if !self.is_over {
            withdraw(&self.app, &self.id, &self.request);
        }
        self.app.calls.close(&self.id);
        let (app, id) = (Arc::clone(&self.app), self.id.clone());
        self.app.handle.spawn(async move { app.calls.end(&id).await });
    }
}
