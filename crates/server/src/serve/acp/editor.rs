//! The editor at the other end, its sessions and its prompts.

use super::prompt::Prompt;
use super::rpc::{self, Incoming, RpcError};
use super::updates::{self, Speaker};
use crate::serve::app::App;
use crate::serve::caller::{Caller, Grant};
use crate::serve::exchange::failure::refusal;
use crate::serve::exchange::receive;
use crate::serve::exchange::reply::Reply;
use crate::serve::exchange::update::creation_metadata;
use crate::serve::frontend::calls;
use crate::serve::frontend::target::CONFIRM_TOOL;
use crate::serve::limits::Meter;
use crate::serve::openai::{self, Chat, ChatAnswer, ChatEvent, ChatTurn};
use crate::serve::session::Session;
use contexture::mcp::wire::{MESSAGE_BYTES, id_in};
use contexture::store::contexts::{Import, Key};
use contexture::store::runs::{RunId, RunStore as _};
use contexture_protocol::content::{
    Call, CallResult, ClientCapabilities, ToolCallResponse, ToolDefinition,
};
use contexture_protocol::{Body, ErrorCode, Limits, Message, Refusal, SenderType};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::path::Path;
use std::sync::Arc;
use std::task::Poll;

/// The version of the protocol.
const VERSION: u64 = 1;
/// The name of the editor as a client.
const CLIENT: &str = "acp";
/// The messages of a conversation that are read at once.
const PAGE: usize = 100;

pub(super) struct Editor {
    app: Arc<App>,
    caller: Caller,
    session: Arc<Session>,
    /// The number of its connection.
    connection: u64,
    is_greeted: bool,
    /// The sessions that were begun or loaded.
    sessions: HashSet<String>,
    running: Vec<Running>,
    /// The questions that the editor was asked, by the ids of their requests.
    asked: HashMap<u64, Asked>,
    /// The questions of sessions that are not loaded: an earlier process left them.
    held: Vec<(String, Call)>,
    last_request: u64,
    /// The lines to write.
    out: Vec<u8>,
}

/// A prompt that is answered.
struct Running {
    id: Value,
    session: String,
    turn: ChatTurn,
    /// The text since the last calls of tools.
    sent: String,
    heard: Vec<ChatEvent>,
}

/// A question for permission.
struct Asked {
    session: String,
    call: String,
}

impl Editor {
    pub(super) fn new(app: &Arc<App>) -> Self {
        let grant = Arc::new(Grant::local());
        let taken = app.sessions.open(&grant.owner, None, || app.maker.id("ses"));
        let confirm = ToolDefinition { tool_id: CONFIRM_TOOL.to_owned(), ..Default::default() };
        let client = ClientCapabilities {
            client_id: CLIENT.to_owned(),
            supported_tools: Some(vec![confirm]),
            ..ClientCapabilities::default()
        };
        app.sessions.announce(&taken.session, client);
        // What an earlier process asked and was not answered.
        calls::back(app, &taken.session, CLIENT.to_owned(), false);
        let (session, meter) = (Some(Arc::clone(&taken.session)), Arc::new(Meter::unlimited()));
        Self {
            app: Arc::clone(app),
            caller: Caller { grant, address: None, meter, session, trace: None },
            session: taken.session,
            connection: taken.connection,
            is_greeted: false,
            sessions: HashSet::new(),
            running: Vec::new(),
            asked: HashMap::new(),
            held: Vec::new(),
            last_request: 0,
            out: Vec::new(),
        }
    }

    /// Cancels all prompts, and waits until they have ended.
    pub(super) async fn finish(&mut self) {
        for running in &self.running {
            running.turn.cancel();
        }
        while !self.running.is_empty() {
            self.hears().await;
            self.pass_on();
        }
    }

    /// Ends the session of the editor.
    pub(super) fn leave(self) -> Arc<Session> {
        self.session.disconnect(self.connection);
        self.session
    }

    /// Returns the lines to write.
    pub(super) fn written(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    fn write(&mut self, message: &Value) {
        self.out.extend_from_slice(message.to_string().as_bytes());
        self.out.push(b'\n');
    }

    fn update(&mut self, session: &str, update: &Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.write(&rpc::notification("session/update", &params));
    }

    /// Answers a line that is longer than lines may be.
    pub(super) fn too_long(&mut self, begin: &[u8]) {
        let error = RpcError::no_request(format!("a message has at most {MESSAGE_BYTES} bytes"));
        self.write(&rpc::answer(&id_in(begin), Err(error)));
    }

    /// Takes a line.
    pub(super) async fn take(&mut self, line: &[u8]) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match rpc::read(line) {
            Ok(Incoming::Request { id, method, params }) => {
                self.request(id, &method, &params).await
            }
            Ok(Incoming::Notification { method, params }) if method == "session/cancel" => {
                self.cancel(&params);
            }
            // Others mean nothing here, and a notification has no answer.
            Ok(Incoming::Notification { .. }) => {}
            Ok(Incoming::Response { id, result }) => self.answered(&id, &result),
            Err((id, error)) => self.write(&rpc::answer(&id, Err(error))),
        }
    }

    async fn request(&mut self, id: Value, method: &str, params: &Value) {
        let result = match method {
            "initialize" => self.initialize(params),
            _ if !self.is_greeted => Err(RpcError::no_request("`initialize` comes first")),
            "authenticate" => Err(RpcError::params("the agent needs no authentication")),
            "session/new" => self.begin(params).await,
            "session/load" => self.load(params).await,
            // Its answer comes when its turn ends.
            "session/prompt" => match self.prompt(&id, params) {
                Ok(()) => return,
                Err(error) => Err(error),
            },
            other => Err(RpcError::no_method(other)),
        };
        self.write(&rpc::answer(&id, result));
    }

    fn initialize(&mut self, params: &Value) -> Result<Value, RpcError> {
        if params.get("protocolVersion").and_then(Value::as_u64).is_none() {
            return Err(RpcError::params("`protocolVersion` has to be a number"));
        }
        self.is_greeted = true;
        let takes = self.takes_attachments();
        Ok(json!({
            "protocolVersion": VERSION,
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": { "image": takes, "audio": takes, "embeddedContext": takes },
                "mcpCapabilities": { "http": false, "sse": false },
            },
            "agentInfo": {
                "name": "contexture",
                "title": self.app.agents.first().map(|agent| agent.name.as_str()),
                "version": env!("CARGO_PKG_VERSION"),
            },
            "authMethods": [],
        }))
    }

    /// Reports whether the agent can be shown more than text.
    fn takes_attachments(&self) -> bool {
        self.app.agents.first().is_some_and(|agent| agent.takes_attachments)
    }

    /// Begins a session: a context without messages.
    async fn begin(&mut self, params: &Value) -> Result<Value, RpcError> {
        let ignored = place(params)?;
        let context = json!({ "metadata": creation_metadata(&self.caller) }).to_string();
        let owner = self.caller.owner().to_string();
        let work = self.app.read(move |store| {
            let import = Import { context_id: None, review: None };
            store.import(&owner, &mut context.as_bytes(), import)
        });
        let head = work.await.map_err(|error| RpcError::refused(&refusal(error, None)))?;
        self.sessions.insert(head.context_id.clone());
        Ok(with_ignored(json!({ "sessionId": head.context_id }), ignored))
    }

    /// Takes a session up again, and shows what was said in it.
    async fn load(&mut self, params: &Value) -> Result<Value, RpcError> {
        let session = text(params, "sessionId")?;
        let ignored = place(params)?;
        let (mut after, mut calls) = (Some(0), HashSet::new());
        while let Some(from) = after {
            let (owner, context) = (self.caller.owner().to_string(), session.to_owned());
            let work = self.app.read(move |store| {
                let key = Key { owner: &owner, context: &context };
                let page = store.messages(key, from, PAGE)?;
                let messages = page.messages.iter().map(|one| one.to_value(&context));
                Ok((messages.collect::<Vec<_>>(), page.next))
            });
            let (messages, next) =
                work.await.map_err(|error| RpcError::refused(&refusal(error, Some(session))))?;
            for message in &messages {
                for update in updates::earlier(message, &mut calls) {
                    self.update(session, &update);
                }
            }
            after = next;
        }
        self.sessions.insert(session.to_owned());
        for (session, call) in std::mem::take(&mut self.held) {
            self.ask(session, call);
        }
        Ok(with_ignored(json!({}), ignored))
    }

    /// Begins the turn of a prompt.
    fn prompt(&mut self, id: &Value, params: &Value) -> Result<(), RpcError> {
        let session = text(params, "sessionId")?;
        if !self.sessions.contains(session) {
            return Err(RpcError::no_session(session));
        }
        if self.running.iter().any(|running| running.session == session) {
            return Err(RpcError::no_request("a prompt of this session is being answered"));
        }
        let Prompt { text, attachments } =
            Prompt::read(params.get("prompt").unwrap_or(&Value::Null), self.takes_attachments())?;
        let agent = self.app.agents.first().cloned();
        let agent = agent.ok_or_else(|| RpcError::no_request("no agent is served"))?;
        let chat = Chat::in_context(agent, session.to_owned(), text, attachments);
        self.running.push(Running {
            id: id.clone(),
            session: session.to_owned(),
            turn: openai::ask(&self.app, &self.caller, chat),
            sent: String::new(),
            heard: Vec::new(),
        });
        Ok(())
    }

    fn cancel(&mut self, params: &Value) {
        let session = params.get("sessionId").and_then(Value::as_str);
        for running in self.running.iter().filter(|one| Some(one.session.as_str()) == session) {
            running.turn.cancel();
        }
    }

    /// Passes a person's decision on.
    fn answered(&mut self, id: &Value, result: &Result<Value, Value>) {
        let asked = id.as_u64().and_then(|id| self.asked.remove(&id));
        let Some(Asked { session, call }) = asked else { return };
        let outcome = result.as_ref().ok().and_then(|result| result.get("outcome"));
        let chosen = outcome.and_then(|outcome| outcome.get("optionId")).and_then(Value::as_str);
        let allowed = json!({ "allowed": chosen == Some(updates::ALLOW) });
        let results = vec![CallResult::success(call, allowed)];
        let content = ToolCallResponse { results, extra: Map::new() };
        let body = Body::ToolCallResponse(content);
        let message = self.app.maker.message_of(CLIENT, SenderType::User, Some(&session), body);
        let sink = Arc::clone(&self.session);
        let reply = Reply::new(sink, self.app.maker.clone(), &message);
        receive(&self.app, &self.caller, message, reply);
    }

    /// Waits for a question, or something new about a prompt.
    pub(super) async fn hears(&mut self) {
        let (session, running) = (&self.session, &mut self.running);
        let news = poll_fn(|cx| {
            for one in &mut *running {
                if let Poll::Ready(Some(event)) = one.turn.events.poll_recv(cx) {
                    one.heard.push(event);
                    return Poll::Ready(());
                }
            }
            Poll::Pending
        });
        tokio::select! {
            () = session.ready() => {}
            () = news => {}
        }
    }

    /// Passes on what has come.
    pub(super) fn pass_on(&mut self) {
        let mut taken = Vec::new();
        while self.session.take(self.connection, MESSAGE_BYTES, &mut taken).is_ok() {
            if taken.is_empty() {
                break;
            }
            for message in taken.drain(..) {
                if let Ok(message) = Message::parse(&message, &Limits::FILE) {
                    self.ask_all(message);
                }
            }
        }
        for mut running in std::mem::take(&mut self.running) {
            while let Ok(event) = running.turn.events.try_recv() {
                running.heard.push(event);
            }
            if let Some(running) = self.tell(running) {
                self.running.push(running);
            }
        }
    }

    /// Asks the editor for the permissions that a message of the server wants.
    fn ask_all(&mut self, message: Message) {
        let Some(session) = message.context_id else { return };
        let Body::ToolCallRequest(request) = message.body else { return };
        for call in request.into_calls() {
            self.ask(session.clone(), call);
        }
    }

    /// Asks for a permission, now or when its session is loaded.
    fn ask(&mut self, session: String, call: Call) {
        if !self.sessions.contains(&session) {
            self.held.push((session, call));
            return;
        }
        self.last_request += 1;
        let params = updates::question(&session, &call);
        self.write(&rpc::request(self.last_request, "session/request_permission", &params));
        self.asked.insert(self.last_request, Asked { session, call: call.call_id });
    }

    /// Tells what was heard of a prompt; returns it unless it has ended.
    fn tell(&mut self, mut running: Running) -> Option<Running> {
        for event in std::mem::take(&mut running.heard) {
            match event {
                ChatEvent::Text(text) => {
                    self.update(&running.session, &updates::chunk(Speaker::Agent, &text));
                    running.sent.push_str(&text);
                }
                ChatEvent::Break(calls) => {
                    running.sent.clear();
                    for call in shown(&calls) {
                        self.update(&running.session, &updates::call(call));
                    }
                }
                ChatEvent::Results(results) => {
                    for result in &results {
                        self.update(&running.session, &updates::result(result));
                    }
                }
                ChatEvent::End(outcome) => {
                    let result = self.end(&running, outcome);
                    self.write(&rpc::answer(&running.id, result));
                    return None;
                }
            }
        }
        Some(running)
    }

    /// Returns a refusal with the reason that the record of its run has: the editor is the operator's own.
    fn explained(&self, refused: Refusal) -> Refusal {
        let run = refused.details.get("run").and_then(Value::as_str).and_then(RunId::parse);
        let entry = run.and_then(|run| contexture::runs(&self.app.project).entry(&run).ok());
        let Some(reason) = entry.and_then(|entry| entry.message) else { return refused };
        let sentence = refused.message.split_once("; ").map_or(&*refused.message, |(it, _)| it);
        Refusal { message: format!("{sentence}: {reason}"), ..refused }
    }

    /// Returns the answer to a prompt, after the text that was not shown yet.
    fn end(
        &mut self,
        running: &Running,
        outcome: Result<ChatAnswer, Refusal>,
    ) -> Result<Value, RpcError> {
        let answer = match outcome {
            Ok(answer) => answer,
            Err(refused) if refused.code == ErrorCode::Cancelled => {
                return Ok(json!({ "stopReason": "cancelled" }));
            }
            Err(refused) => return Err(RpcError::refused(&self.explained(refused))),
        };
        let rest = match answer.text.strip_prefix(&running.sent) {
            Some(rest) => rest.to_owned(),
            // What was shown is not a part of the answer.
            None => format!("\n\n{}", answer.text),
        };
        if !rest.is_empty() {
            self.update(&running.session, &updates::chunk(Speaker::Agent, &rest));
        }
        let reason = if answer.is_cut { "max_tokens" } else { "end_turn" };
        Ok(json!({ "stopReason": reason }))
    }
}

/// Returns the calls that are not questions.
fn shown(calls: &[Call]) -> impl Iterator<Item = &Call> {
    calls.iter().filter(|call| call.name != CONFIRM_TOOL)
}

/// Checks where a session works, and returns the names of the MCP servers that the editor brings.
fn place(params: &Value) -> Result<Vec<Value>, RpcError> {
    if !Path::new(text(params, "cwd")?).is_absolute() {
        return Err(RpcError::params("`cwd` has to be an absolute path"));
    }
    let servers = params.get("mcpServers").and_then(Value::as_array);
    let servers = servers.ok_or_else(|| RpcError::params("`mcpServers` has to be a list"))?;
    Ok(servers.iter().filter_map(|server| server.get("name").cloned()).collect())
}

/// Tells which servers of the editor are not used: a program names its own.
fn with_ignored(mut result: Value, ignored: Vec<Value>) -> Value {
    if let (false, Some(fields)) = (ignored.is_empty(), result.as_object_mut()) {
        let told = json!({ "contexture": { "ignoredMcpServers": ignored } });
        fields.insert("_meta".to_owned(), told);
    }
    result
}

fn text<'v>(params: &'v Value, name: &str) -> Result<&'v str, RpcError> {
    let text = params.get(name).and_then(Value::as_str);
    text.ok_or_else(|| RpcError::params(format!("`{name}` has to be a text")))
}
