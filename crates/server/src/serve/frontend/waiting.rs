//! Waiting for the answer to a call, while its client may go away and come back (CP-14).

use super::calls::Answered;
use super::target::{Forwarder, Target, is_in_background};
use crate::serve::app::App;
use crate::serve::message::answering;
use crate::serve::session::Session;
use contexture::frontend::{CLIENT_UNAVAILABLE, FrontendFailure};
use contexture_protocol::Message;
use contexture_protocol::content::{CallResult, Control, ControlAction};
use serde_json::Map;
use std::sync::Arc;
use std::time::Instant;

/// Waits for the answer of a client.
pub(super) struct Waiting<'a> {
    forwarder: &'a Forwarder,
    target: Target,
    call: String,
    request: Message,
    answer: Answered,
    sent: Sent,
    /// The time of the first sending.
    began: Instant,
    /// The connection that the client had, and the number of the request in its session.
    connection: u64,
    seq: u64,
    is_warned: bool,
    was_lost: bool,
}

/// The state of a client that is waited for.
enum Until {
    /// The client is connected.
    Answered,
    /// The client is away, and may come back until then, if there is a limit.
    Back(Option<Instant>),
}

impl<'a> Waiting<'a> {
    /// Sends a call and begins to wait.
    pub(super) fn begin(
        forwarder: &'a Forwarder,
        target: Target,
        call: &str,
        request: Message,
    ) -> Self {
        // Before the sending: the client may get the call, go and be back in another session while
        // this thread waits for the processor.
        let began = Instant::now();
        let (session, id) = (&target.session, &request.message_id);
        let answer = forwarder.app.calls.open(session, call, &forwarder.context, id);
        let sent = Sent::new(forwarder, session, call, id);
        let connection = session.presence().connection;
        let seq = session.sent(request.clone());
        Self {
            forwarder,
            call: call.to_owned(),
            answer,
            sent,
            began,
            connection,
            seq,
            is_warned: false,
            was_lost: false,
            target,
            request,
        }
    }

    pub(super) async fn answered(mut self) -> Result<(CallResult, String), FrontendFailure> {
        let app = Arc::clone(&self.forwarder.app);
        loop {
            let session = Arc::clone(&self.target.session);
            let (turned, announced) = (session.turned(), app.sessions.announced());
            let until = self.check()?;
            let is_away = matches!(until, Until::Back(_));
            let late = async {
                match until {
                    Until::Back(Some(until)) => tokio::time::sleep_until(until.into()).await,
                    _ => std::future::pending().await,
                }
            };
            // It may have moved to another session meanwhile.
            let has_moved = !Arc::ptr_eq(&session, &self.target.session);
            if has_moved {
                continue;
            }
            tokio::select! {
                biased;
                answered = &mut self.answer => {
                    self.sent.is_over = true;
                    return answered.map_err(|_| self.gone());
                }
                () = turned => {}
                () = announced, if is_away => {}
                () = late => return Err(self.gone()),
            }
        }
    }

    /// Checks the connection of the client, and asks it again when it is back.
    fn check(&mut self) -> Result<Until, FrontendFailure> {
        let now = self.target.session.presence();
        if now.left.is_some() {
            self.was_lost = true;
            if !self.is_warned {
                self.is_warned = true;
                self.forwarder.warn_lost(&self.target);
            }
            self.elsewhere()?;
        } else if now.connection != self.connection {
            self.connection = now.connection;
            self.is_warned = false;
            self.was_lost = true;
            // Messages that it had not seen are sent again by themselves.
            if now.resumed >= self.seq {
                self.seq = self.target.session.sent(self.request.clone());
            }
        }
        let is_new = now.announced.is_some_and(|at| at >= self.began);
        if self.was_lost && is_new && !has(&self.target.session, &self.target.tool.tool_id) {
            return Err(self.gone());
        }
        Ok(match now.left {
            Some(_) if is_in_background(&self.target.session) => Until::Back(None),
            Some(left) => Until::Back(Some(left + self.forwarder.return_time())),
            None => Until::Answered,
        })
    }

    /// Asks the same client in a new session that it began meanwhile.
    fn elsewhere(&mut self) -> Result<(), FrontendFailure> {
        let Some(client) = self.target.session.client() else { return Ok(()) };
        let sessions = self.forwarder.app.sessions.clients(&self.forwarder.owner);
        let again = sessions.into_iter().find(|session| {
            let now = session.presence();
            let is_same = session.client().is_some_and(|one| one.client_id == client.client_id);
            let is_new = now.announced.is_some_and(|at| at >= self.began);
            is_same && is_new && now.left.is_none() && !Arc::ptr_eq(session, &self.target.session)
        });
        let Some(session) = again else { return Ok(()) };
        let tool = &self.target.tool.tool_id;
        let target = self.forwarder.target_among(tool, std::slice::from_ref(&session))?;
        let began = self.began;
        let again = Self::begin(self.forwarder, target, &self.call, self.request.clone());
        *self = Self { began, was_lost: true, ..again };
        Ok(())
    }

    fn gone(&self) -> FrontendFailure {
        let tool = &self.target.tool.tool_id;
        let text = format!("the client that ran `{tool}` is gone");
        FrontendFailure::new(CLIENT_UNAVAILABLE, text)
    }
}

fn has(session: &Session, tool: &str) -> bool {
    session.client().is_some_and(|client| {
        client.supported_tools.iter().flatten().any(|one| one.tool_id == tool)
    })
}

/// A call that was sent. It is cancelled at the client when it is dropped unanswered.
struct Sent {
    app: Arc<App>,
    session: Arc<Session>,
    context: String,
    message: String,
    call: String,
    request: String,
    is_over: bool,
}

impl Sent {
    fn new(forwarder: &Forwarder, session: &Arc<Session>, call: &str, request: &str) -> Self {
        Self {
            app: Arc::clone(&forwarder.app),
            session: Arc::clone(session),
            context: forwarder.context.clone(),
            message: forwarder.message.clone(),
            call: call.to_owned(),
            request: request.to_owned(),
            is_over: false,
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.app.calls.close(&self.session, &self.call, &self.request);
        if self.is_over {
            return;
        }
        let (action, target) = (ControlAction::Cancel, self.request.clone());
        let cancel = Control { action, target, extra: Map::new() };
        let message = self.app.maker.message(Some(&self.context), cancel.into());
        self.session.send(answering(message, &self.message));
    }
}
