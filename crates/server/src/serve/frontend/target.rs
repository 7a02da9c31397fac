//! The clients of one owner, and the one to ask for a tool.

use super::step::{StepCall, TurnCalls};
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::availability::judge;
use crate::serve::message::{answering, notice};
use crate::serve::session::Session;
use contexture::frontend::{CLIENT_UNAVAILABLE, FrontendFailure, PERMISSION_DENIED};
use contexture::store::flows::WaitId;
use contexture_protocol::content::{
    Call, Permission, PermissionLevel, Runtime, SystemAction, SystemMessage, ToolDefinition,
    ToolQuery, UnavailableReason,
};
use contexture_protocol::{Body, Message, Sender};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The front-end tool that asks the user. A client that announces it shows its user `userPrompt`
/// and the parameters `{action, runtime, parameters}`, and answers `{allowed: true}` or
/// `{allowed: false}`.
pub(crate) const CONFIRM_TOOL: &str = "confirm_action";
/// The feature of a client that keeps working without a connection.
pub(super) const BACKGROUND: &str = "background_processing";
/// The default timeout of a client.
pub(super) const TIMEOUT: Duration = Duration::from_secs(120);
/// The time for a person to allow a call, or to choose something.
const PERSON: Duration = Duration::from_secs(90);

/// The clients of one owner, for the calls of one message.
#[derive(Clone)]
pub(crate) struct Forwarder {
    pub(crate) app: Arc<App>,
    pub(super) owner: Arc<str>,
    /// The session of the request: its client is asked first.
    origin: Option<Arc<Session>>,
    /// The sender of the request, whose clients are asked before others: of a restarted server, or another
    /// one, the session of the request is not known.
    asker: Option<String>,
    pub(super) context: String,
    /// The message that the calls are made for.
    pub(super) message: String,
    /// The step of a set that asks, or the call of a turn with a journal.
    pub(super) step: Option<StepCall>,
    /// The calls of the turn, if it has a journal.
    pub(super) turn: Option<Arc<TurnCalls>>,
}

/// A client that can run a tool.
pub(super) struct Target {
    pub(super) session: Arc<Session>,
    pub(super) tool: ToolDefinition,
    /// The timeout that the client announced.
    pub(super) longest: Option<Duration>,
    pub(super) max_bytes: Option<u64>,
    /// The side that runs it: a service is on that of the server.
    pub(super) side: Runtime,
}

impl Target {
    /// Returns the time to wait: a client limits its own work, but a person who must be asked
    /// first needs time (CP-15).
    pub(super) fn timeout(&self, call: &Call) -> Option<Duration> {
        let longest = self.longest?;
        let has_level = self.tool.permission_level.is_some_and(|one| one != PermissionLevel::None);
        let has_prompt = call.user_prompt.as_deref().is_some_and(|text| !text.trim().is_empty());
        let asks = has_level || has_prompt || self.tool.permission == Some(Permission::Prompt);
        Some(if asks { longest.saturating_add(PERSON) } else { longest })
    }
}

impl Forwarder {
    pub(crate) fn new(app: &Arc<App>, caller: &Caller, context: &str, message: &str) -> Self {
        let (owner, origin) = (Arc::clone(caller.owner()), caller.session.clone());
        Self::of(app, owner, origin, context, message)
    }

    /// Creates the front end of an owner; the client of `origin` is asked first.
    pub(crate) fn of(
        app: &Arc<App>,
        owner: Arc<str>,
        origin: Option<Arc<Session>>,
        context: &str,
        message: &str,
    ) -> Self {
        let (context, message) = (context.to_owned(), message.to_owned());
        let (app, asker, step, turn) = (Arc::clone(app), None, None, None);
        Self { app, owner, origin, asker, context, message, step, turn }
    }

    /// Returns the front end for a request of a sender.
    pub(crate) fn asked_by(self, sender: &Sender) -> Self {
        Self { asker: Some(sender.id.clone()), ..self }
    }

    /// Returns the front end of a step.
    pub(crate) fn of_step(&self, step: StepCall) -> Self {
        Self { step: Some(step), ..self.clone() }
    }

    /// Returns the front end of a turn with a journal.
    pub(crate) fn of_turn(self, turn: Arc<TurnCalls>) -> Self {
        Self { turn: Some(turn), ..self }
    }

    /// Returns the front end of a call of the turn, if its run has a journal.
    pub(super) fn of_call(&self, call: &str) -> Option<Self> {
        let step = self.turn.as_ref().filter(|_| self.step.is_none())?.call(call)?;
        Some(self.of_step(step))
    }

    /// Returns the turn whose journal keeps what is answered.
    pub(super) fn asking_turn(&self) -> Option<&Arc<TurnCalls>> {
        self.step.as_ref()?.turn.as_ref()
    }

    /// Ends a question that was answered. That of a turn stays until the turn ends: what it allows may
    /// not be in the journal yet.
    pub(super) async fn used(&self, question: &WaitId) {
        if self.asking_turn().is_none() {
            self.app.calls.end(question).await;
        }
    }

    /// Returns the sessions with clients or with services: that of the request first, then those of its sender.
    fn sessions(&self, side: Runtime) -> Vec<Arc<Session>> {
        let mut sessions = self.app.sessions.clients(&self.owner);
        sessions.retain(|session| session.is_service() == (side == Runtime::Backend));
        let is_origin = |session: &Arc<Session>| {
            self.origin.as_ref().is_some_and(|one| Arc::ptr_eq(one, session))
        };
        let is_asker =
            |session: &Arc<Session>| self.asker.is_some() && session.client_name() == self.asker;
        sessions.sort_by_key(|session| (!is_origin(session), !is_asker(session)));
        sessions
    }

    /// Returns the tools that clients of the owner announced, or services of it registered.
    pub(super) fn tools(&self, side: Runtime) -> Vec<ToolDefinition> {
        let clients = self.sessions(side).into_iter().filter_map(|session| session.client());
        clients.flat_map(|client| client.supported_tools.clone().unwrap_or_default()).collect()
    }

    /// Returns the names of the tools of a side besides that of the server.
    pub(crate) fn names(&self, side: Runtime) -> impl Iterator<Item = String> {
        let names = self.tools(side).into_iter().map(|tool| tool.tool_id);
        names.filter(|name| name != CONFIRM_TOOL)
    }

    /// Returns the client to ask for a tool: a connected one before one that may come back.
    pub(super) fn target(&self, tool: &str, side: Runtime) -> Result<Target, FrontendFailure> {
        let query = ToolQuery { tool_id: tool.to_owned(), ..ToolQuery::default() };
        let mut away = None;
        let mut is_denied = false;
        for session in &self.sessions(side) {
            let Some(client) = session.client() else { continue };
            let tools = client.supported_tools.as_deref().unwrap_or_default();
            let Some(tool) = tools.iter().find(|one| one.tool_id == tool) else { continue };
            let limits = client.limitations.as_ref();
            let longest = limits.and_then(|limits| limits.max_processing_time.as_ref());
            let max_bytes = limits.and_then(|limits| limits.max_file_size.as_ref());
            let target = Target {
                tool: tool.clone(),
                longest: longest.map(|longest| longest.duration()),
                max_bytes: max_bytes.map(|bytes| bytes.get()),
                session: Arc::clone(session),
                side,
            };
            match judge(tool, &query, session.is_connected()) {
                None => return Ok(target),
                // It is gone for good.
                Some(UnavailableReason::ClientUnavailable) if self.is_gone(session) => {}
                Some(UnavailableReason::ClientUnavailable) => {
                    away.get_or_insert(target);
                }
                Some(_) => is_denied = true,
            }
        }
        away.ok_or_else(|| {
            if is_denied {
                let text = format!("the user does not allow the tool `{tool}`");
                FrontendFailure::new(PERMISSION_DENIED, text)
            } else {
                let who = if side == Runtime::Backend { "service" } else { "client" };
                let text = format!("no {who} that has the tool `{tool}` is connected");
                FrontendFailure::new(CLIENT_UNAVAILABLE, text)
            }
        })
    }

    /// Returns the time that a lost client has to come back, unless it works in the background.
    pub(crate) fn return_time(&self) -> Duration {
        Duration::from_secs(self.app.project.config.serve.limits.return_seconds.get())
    }

    /// Reports whether a client has been away for too long.
    fn is_gone(&self, session: &Session) -> bool {
        let away = session.away(Instant::now());
        !is_in_background(session) && away.is_some_and(|away| away >= self.return_time())
    }

    /// Warns that the client of a pending call is gone (CP-6).
    pub(super) fn warn_lost(&self, session: &Arc<Session>, tool: &str) {
        if self.origin.as_ref().is_some_and(|origin| Arc::ptr_eq(origin, session)) {
            return;
        }
        let text = format!("the client that runs `{tool}` is gone; it may still come back in time");
        let mut warning: SystemMessage = notice(SystemAction::Warning, "CLIENT_LOST", text);
        if let Some(data) = &mut warning.data {
            data.affected_components = Some(vec![tool.to_owned()]);
        }
        let message = self.message_with(warning.into());
        match (self.app.turns.of_message(&self.owner, &self.message), &self.origin) {
            (Some(turn), _) => turn.log.pass(&message),
            (None, Some(origin)) => origin.send(message),
            (None, None) => {}
        }
    }

    /// Creates a message of the server about the message that the calls are made for.
    pub(super) fn message_with(&self, body: Body) -> Message {
        answering(self.app.maker.message(Some(&self.context), body), &self.message)
    }
}

/// Reports whether a client keeps working without a connection (CP-15).
pub(crate) fn is_in_background(session: &Session) -> bool {
    session.client().is_some_and(|client| {
        client.supported_features.iter().flatten().any(|feature| feature == BACKGROUND)
    })
}
