//! The front end of one turn or request: the clients of its owner.

use super::declared::declared;
use super::terms::Terms;
use super::waiting::{Waiting, is_gone};
use super::{PATIENCE, PERSON};
use crate::serve::app::App;
use crate::serve::asking;
use crate::serve::caller::Caller;
use crate::serve::exchange::judge;
use crate::serve::message::answering;
use crate::serve::session::Session;
use contexture::frontend::{
    CLIENT_UNAVAILABLE, Frontend, FrontendCall, FrontendFailure, FrontendTool, PERMISSION_DENIED,
    TIMEOUT,
};
use contexture::llm::BoxFuture;
use contexture::store::contexts::{NewMessage, Operation, Update};
use contexture_protocol::content::{
    Call, CallResult, CallStatus, Control, ControlAction, Failure, Permission, PermissionLevel,
    Runtime, SystemAction, SystemData, SystemMessage, ToolCallRequest, ToolCallResponse,
    ToolDefinition, ToolQuery, UnavailableReason,
};
use contexture_protocol::{ErrorCode, Message, Seconds, SenderType};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// Asks the clients of one owner.
pub(crate) struct Forwarder {
    app: Arc<App>,
    owner: Arc<str>,
    /// The session that the request came in: its client is asked first.
    origin: Option<Arc<Session>>,
    context: String,
    /// The message that the calls are made for.
    message: String,
}

/// A client that can run a tool.
pub(super) struct Target {
    pub(super) session: Arc<Session>,
    pub(super) tool: ToolDefinition,
    /// The timeout that the client announced.
    longest: Option<Duration>,
    max_bytes: Option<u64>,
}

impl Target {
    /// Returns the time to wait: a client limits its own work, but a person who must be asked
    /// first needs time (CP-15).
    fn patience(&self, call: &Call) -> Duration {
        let Some(longest) = self.longest else { return PATIENCE };
        let has_level = self.tool.permission_level.is_some_and(|one| one != PermissionLevel::None);
        let has_prompt = call.user_prompt.as_deref().is_some_and(|text| !text.trim().is_empty());
        let asks = has_level || has_prompt || self.tool.permission == Some(Permission::Prompt);
        if asks { longest.saturating_add(PERSON) } else { longest }
    }
}

impl Forwarder {
    pub(crate) fn new(app: &Arc<App>, caller: &Caller, context: &str, message: &str) -> Self {
        let (owner, origin) = (Arc::clone(caller.owner()), caller.session.clone());
        Self::of(app, owner, origin, context, message)
    }

    /// The front end of an owner; the session `origin` is asked first.
    pub(crate) fn of(
        app: &Arc<App>,
        owner: Arc<str>,
        origin: Option<Arc<Session>>,
        context: &str,
        message: &str,
    ) -> Self {
        let (context, message) = (context.to_owned(), message.to_owned());
        Self { app: Arc::clone(app), owner, origin, context, message }
    }

    pub(crate) fn app(&self) -> &Arc<App> {
        &self.app
    }

    pub(crate) const fn owner(&self) -> &Arc<str> {
        &self.owner
    }

    pub(crate) fn context(&self) -> &str {
        &self.context
    }

    /// The message that the calls are made for.
    pub(crate) fn about(&self) -> &str {
        &self.message
    }

    /// The session of the client that would be asked to run a tool.
    pub(crate) fn session_with(&self, tool: &str) -> Option<Arc<Session>> {
        self.target(tool).ok().map(|target| target.session)
    }

    /// Puts a call to the client of one session.
    pub(crate) async fn put(
        &self,
        call: Call,
        session: &Arc<Session>,
    ) -> Result<(CallResult, String), FrontendFailure> {
        let target = self.target_among(&call.name, std::slice::from_ref(session))?;
        self.sent_to(target, call).await
    }

    /// The sessions with clients, the one that asks first.
    fn sessions(&self) -> Vec<Arc<Session>> {
        let mut sessions = self.app.sessions.clients(&self.owner);
        if let Some(origin) = &self.origin {
            sessions.sort_by_key(|session| !Arc::ptr_eq(session, origin));
        }
        sessions
    }

    /// The tools that clients of the owner announced.
    pub(crate) fn names(&self) -> Vec<String> {
        let clients = self.sessions().into_iter().filter_map(|session| session.client());
        let tools = clients.flat_map(|client| client.supported_tools.clone().unwrap_or_default());
        tools.map(|tool| tool.tool_id).collect()
    }

    /// The client to ask for a tool: one that is connected before one that may come back.
    fn target(&self, tool: &str) -> Result<Target, FrontendFailure> {
        self.target_among(tool, &self.sessions())
    }

    pub(super) fn target_among(
        &self,
        tool: &str,
        sessions: &[Arc<Session>],
    ) -> Result<Target, FrontendFailure> {
        let query = ToolQuery { tool_id: tool.to_owned(), ..ToolQuery::default() };
        let mut away = None;
        let mut is_denied = false;
        for session in sessions {
            let Some(client) = session.client() else { continue };
            let tools = client.supported_tools.as_deref().unwrap_or_default();
            let Some(tool) = tools.iter().find(|one| one.tool_id == tool) else { continue };
            let limits = client.limitations.as_ref();
            let longest = limits.and_then(|limits| limits.max_processing_time.as_ref());
            let target = Target {
                tool: tool.clone(),
                longest: longest.map(|longest| longest.duration()),
                max_bytes: limits
                    .and_then(|limits| limits.max_file_size.as_ref())
                    .map(|bytes| bytes.get()),
                session: Arc::clone(session),
            };
            match judge(tool, &query, session.is_connected()) {
                None => return Ok(target),
                // It is gone for good.
                Some(UnavailableReason::ClientUnavailable) if is_gone(&self.app, session) => {}
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
                let text = format!("no client that has the tool `{tool}` is connected");
                FrontendFailure::new(CLIENT_UNAVAILABLE, text)
            }
        })
    }

    /// Sends a call to a client and waits for what comes of it.
    pub(crate) async fn ask(&self, call: Call) -> Result<(CallResult, String), FrontendFailure> {
        let outcome = self.sent(call).await;
        let code = match &outcome {
            Ok((result, _)) if result.status == CallStatus::Success => "ok",
            Ok((result, _)) => result.error.as_ref().map_or("error", |error| word(&error.code)),
            Err(failure) => word(&failure.code),
        };
        self.app.metrics.frontend_calls.count(code, "");
        outcome
    }

    async fn sent(&self, call: Call) -> Result<(CallResult, String), FrontendFailure> {
        let target = self.target(&call.name)?;
        asking::of_frontend(self, &call, target.tool.permission_level).await?;
        self.sent_to(target, call).await
    }

    async fn sent_to(
        &self,
        target: Target,
        call: Call,
    ) -> Result<(CallResult, String), FrontendFailure> {
        // The question to the user is the server's own.
        let schema = target.tool.parameters.as_ref().filter(|_| call.name != asking::TOOL);
        if let Some(parameters) = schema {
            let schema = Value::Object(parameters.clone());
            declared(&call.parameters, &schema)?;
        }
        let terms = Terms::new(&target.tool, target.max_bytes);
        terms.sent(&call.parameters)?;
        let own = [&call.timeout, &call.timeout_client].into_iter().flatten();
        let own = own.map(|seconds| seconds.duration());
        // A question to the user takes as long as the settings say.
        let longest = match call.name.as_str() {
            asking::TOOL => Duration::MAX,
            _ => target.patience(&call),
        };
        let patience = own.fold(longest, Duration::min);
        let timeout_client = match target.longest {
            // The client knows how long it is waited for.
            Some(_) if call.name != asking::TOOL => Some(Seconds::from_duration(patience)),
            _ => call.timeout_client.clone(),
        };
        let call_id = call.call_id.clone();
        let request = ToolCallRequest::new(vec![Call {
            runtime: Some(Runtime::Frontend),
            timeout_client,
            ..call
        }]);
        let request = self.message(request.into());
        let waiting = Waiting::begin(self, target, &call_id, request);
        let Ok(outcome) = tokio::time::timeout(patience, waiting.answered()).await else {
            let seconds = patience.as_secs_f64();
            let text = format!("the client did not answer the call `{call_id}` in {seconds} s");
            return Err(FrontendFailure::new(TIMEOUT, text));
        };
        let (result, client) = outcome?;
        terms.given(&result)?;
        Ok((result, client))
    }

    /// Says that a client is gone that a call waits for (CP-6).
    pub(super) fn tell_lost(&self, target: &Target) {
        let is_own = |origin: &Arc<Session>| Arc::ptr_eq(origin, &target.session);
        if self.origin.as_ref().is_some_and(is_own) {
            return;
        }
        let tool = &target.tool.tool_id;
        let data = SystemData {
            code: Some("CLIENT_LOST".to_owned()),
            affected_components: Some(vec![tool.clone()]),
            ..SystemData::default()
        };
        let text = format!("the client that runs `{tool}` is gone; it may still come back in time");
        let warning =
            SystemMessage { data: Some(data), ..SystemMessage::new(SystemAction::Warning, text) };
        let message = self.message(warning.into());
        match (self.app.turns.of_message(&self.owner, &self.message), &self.origin) {
            (Some(turn), _) => turn.log.pass(&message),
            (None, Some(origin)) => origin.send(message),
            (None, None) => {}
        }
    }

    fn message(&self, body: contexture_protocol::Body) -> Message {
        answering(self.app.maker.message(Some(&self.context), body), &self.message)
    }

    /// Keeps what a program, not a model, had a client do.
    async fn keep(&self, request: Message, result: CallResult, client: &str) {
        let response = ToolCallResponse { results: vec![result], ..ToolCallResponse::default() };
        let response = self.app.maker.message_of(
            client,
            SenderType::Tool,
            Some(&self.context),
            response.into(),
        );
        let response = answering(response, &request.message_id);
        let new =
            |message: &Message| NewMessage::new(&message.to_value()).map(Operation::AddMessage);
        let (Ok(request), Ok(response)) = (new(&request), new(&response)) else { return };
        let update = Update {
            owner: self.owner.to_string(),
            context_id: Some(self.context.clone()),
            operations: vec![request, response],
            cause: Some(self.message.clone()),
            ..Update::default()
        };
        // The result counts, whether or not its record can be kept; the end of the turn says when
        // the store is in trouble.
        let _ = self.app.updated(update).await;
    }
}

impl Frontend for Forwarder {
    fn definitions(&self) -> Vec<FrontendTool> {
        let mut seen = HashSet::new();
        let mut tools = Vec::new();
        for session in self.sessions() {
            let Some(client) = session.client() else { continue };
            for tool in client.supported_tools.as_deref().unwrap_or_default() {
                // A tool without a known definition is not offered (CP-15), nor the one by which the
                // server asks the user.
                let Some(parameters) = &tool.parameters else { continue };
                if tool.tool_id == asking::TOOL {
                    continue;
                }
                if seen.insert(tool.tool_id.clone()) {
                    let schema = Value::Object(parameters.clone());
                    let about = tool.description.as_deref().or(tool.name.as_deref());
                    tools.push(
                        FrontendTool::new(&tool.tool_id, schema)
                            .describe(about.unwrap_or_default())
                            .version(tool.version.as_deref().unwrap_or_default()),
                    );
                }
            }
        }
        tools
    }

    fn call(&self, call: FrontendCall) -> BoxFuture<'_, Result<Value, FrontendFailure>> {
        Box::pin(async move {
            let wire = Call::new(call.call_id, call.tool_id, call.parameters);
            let request = self.message(ToolCallRequest::new(vec![wire.clone()]).into());
            let (result, client) = self.ask(wire).await?;
            if !call.from_model {
                self.keep(request, result.clone(), &client).await;
            }
            given(result)
        })
    }
}

/// A code as what is counted: clients may send others.
fn word(code: &str) -> &'static str {
    ErrorCode::parse(code).map_or("error", ErrorCode::as_str)
}

/// The value of a result, or why there is none.
fn given(result: CallResult) -> Result<Value, FrontendFailure> {
    if result.status == CallStatus::Success {
        return Ok(result.result.unwrap_or(Value::Null));
    }
    let error = result.error.unwrap_or_else(|| Failure {
        code: match result.status {
            CallStatus::Timeout => ErrorCode::Timeout.as_str().to_owned(),
            _ => ErrorCode::ExecutionFailed.as_str().to_owned(),
        },
        message: "the client gave no reason".to_owned(),
        details: None,
        extra: Map::new(),
    });
    let failure = FrontendFailure::new(error.code, error.message);
    Err(FrontendFailure { details: error.details, ..failure })
}

/// A call that was sent. When nobody waits for it any more, the client is told.
pub(super) struct Asked {
    app: Arc<App>,
    session: Arc<Session>,
    context: String,
    message: String,
    call: String,
    request: String,
    pub(super) is_over: bool,
}

impl Asked {
    pub(super) fn new(
        forwarder: &Forwarder,
        session: &Arc<Session>,
        call: &str,
        request: &str,
    ) -> Self {
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

impl Drop for Asked {
    fn drop(&mut self) {
        self.app.calls.close(&self.session, &self.call, &self.request);
        if self.is_over {
            return;
        }
        let cancel = Control {
            action: ControlAction::Cancel,
            target: self.request.clone(),
            extra: Map::new(),
        };
        let message = self.app.maker.message(Some(&self.context), cancel.into());
        self.session.send(answering(message, &self.message));
    }
}
