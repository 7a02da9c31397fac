//! A call that was sent, and a client that may go away and come back meanwhile (CP-14).

use super::calls::{Answered, BACKGROUND};
use super::forwarder::{Asked, Forwarder, Target};
use super::returning;
use crate::serve::app::App;
use crate::serve::session::Session;
use contexture::frontend::{CLIENT_UNAVAILABLE, FrontendFailure};
use contexture_protocol::Message;
use contexture_protocol::content::CallResult;
use std::sync::Arc;
use std::time::Instant;

/// Waits for the answer of a client.
pub(super) struct Waiting<'a> {
    forwarder: &'a Forwarder,
    target: Target,
    call: String,
    request: Message,
    answer: Answered,
    asked: Asked,
    /// The time of the first sending.
    began: Instant,
    /// The connection that the client had, and the number of the request in its session.
    connection: u64,
    seq: u64,
    is_told: bool,
    was_lost: bool,
}

/// Until when there is something to wait for.
enum Until {
    /// The client is there.
    Answered,
    /// It is away, and may come back: until then, when there is an end to it.
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
        let answer = forwarder.app().calls.open(session, call, forwarder.context(), id);
        let asked = Asked::new(forwarder, session, call, id);
        let connection = session.presence().connection;
        let seq = session.sent(request.clone());
        Self {
            forwarder,
            call: call.to_owned(),
            answer,
            asked,
            began,
            connection,
            seq,
            is_told: false,
            was_lost: false,
            target,
            request,
        }
    }

    pub(super) async fn answered(mut self) -> Result<(CallResult, String), FrontendFailure> {
        let app = Arc::clone(self.forwarder.app());
        loop {
            let session = Arc::clone(&self.target.session);
            let (turned, announced) = (session.turned(), app.sessions.announced());
            let until = self.look()?;
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
                    self.asked.is_over = true;
                    return answered.map_err(|_| self.gone());
                }
                () = turned => {}
                () = announced, if is_away => {}
                () = late => return Err(self.gone()),
            }
        }
    }

    /// Looks where the client is, and asks it again where it is back.
    fn look(&mut self) -> Result<Until, FrontendFailure> {
        let now = self.target.session.presence();
        if now.left.is_some() {
            self.was_lost = true;
            if !self.is_told {
                self.is_told = true;
                self.forwarder.tell_lost(&self.target);
            }
            self.elsewhere()?;
        } else if now.connection != self.connection {
            self.connection = now.connection;
            self.is_told = false;
            self.was_lost = true;
            // What it had not seen comes by itself.
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
            Some(left) => Until::Back(Some(left + returning(self.forwarder.app()))),
            None => Until::Answered,
        })
    }

    /// Asks the same client in a new session that it began meanwhile.
    fn elsewhere(&mut self) -> Result<(), FrontendFailure> {
        let Some(client) = self.target.session.client() else { return Ok(()) };
        let sessions = self.forwarder.app().sessions.clients(self.forwarder.owner());
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

/// Reports whether a client goes on working without a connection (CP-15).
fn is_in_background(session: &Session) -> bool {
    session.client().is_some_and(|client| {
        client.supported_features.iter().flatten().any(|feature| feature == BACKGROUND)
    })
}

/// Reports whether a client has been away for longer than it is waited for.
pub(super) fn is_gone(app: &App, session: &Session) -> bool {
    let away = session.away(Instant::now());
    !is_in_background(session) && away.is_some_and(|away| away >= returning(app))
}
