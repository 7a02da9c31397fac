//! The session with a client: from `initialize` to `exit`.

use crate::features;
use crate::protocol::{Changed, Opened, TextDocument};
use crate::queue::Queue;
use crate::state::State;
use crate::workspace::Opener;
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt;
use std::io;

/// The end of a session that was not asked for.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The client broke the protocol, or is gone.
    Protocol(String),
    /// Stdin or stdout failed.
    Io(io::Error),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(reason) => write!(f, "the editor broke off: {reason}"),
            Self::Io(error) => write!(f, "stdin or stdout failed: {error}"),
        }
    }
}

impl std::error::Error for ServerError {}

impl From<ProtocolError> for ServerError {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(error.to_string())
    }
}

/// Serves a client over stdin and stdout.
///
/// # Errors
/// [`ServerError`] when the client breaks off before it says `exit`.
pub fn stdio(open: &Opener<'_>) -> Result<(), ServerError> {
    let (connection, threads) = Connection::stdio();
    let params = greet(&connection)?;
    let served = talk(&connection, &params, open);
    // The client is gone or has said `exit`, so the reader has ended; the writer ends when it has written
    // everything and nobody can send any more.
    drop(connection);
    served.and(threads.join().map_err(ServerError::Io))
}

/// Serves a client over a connection; `open` gives the workspace of a folder.
///
/// # Errors
/// [`ServerError`] when the client breaks off before it says `exit`.
pub fn serve(connection: &Connection, open: &Opener<'_>) -> Result<(), ServerError> {
    talk(connection, &greet(connection)?, open)
}

/// Tells the client what the server can do; returns the parameters of its `initialize`.
fn greet(connection: &Connection) -> Result<Value, ServerError> {
    let (id, params) = connection.initialize_start()?;
    let hello = json!({
        "capabilities": features::capabilities(),
        "serverInfo": { "name": "contexture", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, hello)?;
    Ok(params)
}

/// Answers the client until it is gone or says `exit`.
fn talk(connection: &Connection, params: &Value, open: &Opener<'_>) -> Result<(), ServerError> {
    let mut session = Session { connection, state: State::new(open), asked: 0, is_ending: false };
    session.begin(params);
    let mut queue = Queue::new(connection);
    while let Some(message) = queue.next() {
        match message {
            Message::Request(request) => session.request(request),
            Message::Notification(told) if told.method == "exit" => return session.end(),
            Message::Notification(told) => session.told(told),
            Message::Response(_) => {}
        }
        session.show_notes();
        if queue.is_empty() {
            session.tell_faults(&mut queue);
        }
    }
    Err(ServerError::Protocol("it closed the connection without `shutdown`".to_owned()))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hello {
    root_uri: Option<String>,
    workspace_folders: Option<Vec<TextDocument>>,
    #[serde(default)]
    capabilities: Value,
}

struct Session<'c> {
    connection: &'c Connection,
    state: State<'c>,
    /// The number of requests to the client.
    asked: i32,
    /// True after `shutdown`.
    is_ending: bool,
}

impl Session<'_> {
    fn begin(&mut self, params: &Value) {
        let Ok(hello) = Hello::deserialize(params) else { return };
        let folders = hello.workspace_folders.into_iter().flatten().map(|folder| folder.uri);
        for folder in folders.chain(hello.root_uri) {
            self.state.folder(&folder);
        }
        let watches =
            hello.capabilities.pointer("/workspace/didChangeWatchedFiles/dynamicRegistration");
        if watches == Some(&Value::Bool(true)) {
            let options = json!({ "watchers": [{ "globPattern": "**/*.as" }, { "globPattern": "**/contexture.toml" }] });
            let method = "workspace/didChangeWatchedFiles";
            let wanted = json!({ "id": "files", "method": method, "registerOptions": options });
            self.ask("client/registerCapability", json!({ "registrations": [wanted] }));
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that is gone is noticed at the next message.
        let _ = self.connection.sender.send(message.into());
    }

    /// Sends a notification. Its parameters are moved: the constructors of `lsp-server` copy them.
    fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params });
    }

    fn ask(&mut self, method: &str, params: Value) {
        self.asked = self.asked.saturating_add(1);
        self.send(Request::new(self.asked.into(), method.to_owned(), params));
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        if self.is_ending {
            let code = ErrorCode::InvalidRequest as i32;
            return self.send(Response::new_err(id, code, "the session has ended".to_owned()));
        }
        if method == "shutdown" {
            self.is_ending = true;
            return self.send(answered(id, Value::Null));
        }
        let response = match features::answer(&mut self.state, &method, params) {
            Ok(result) => answered(id, result),
            Err(refusal) => refused(id, refusal),
        };
        self.send(response);
    }

    fn end(&self) -> Result<(), ServerError> {
        match self.is_ending {
            true => Ok(()),
            false => Err(ServerError::Protocol("`exit` without `shutdown`".to_owned())),
        }
    }

    fn told(&mut self, told: Notification) {
        let Notification { method, params } = told;
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Some(opened) = read::<Opened>(params) {
                    self.state.open(opened.text_document);
                }
            }
            "textDocument/didChange" => {
                if let Some(changed) = read::<Changed>(params) {
                    self.state.change(changed);
                }
            }
            "textDocument/didClose" => self.close(&params),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.state.changed_on_disk();
            }
            _ => {}
        }
    }

    fn close(&mut self, params: &Value) {
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).unwrap_or_default();
        self.state.close(uri);
        let none = json!({ "uri": uri, "diagnostics": [] });
        self.notify("textDocument/publishDiagnostics", none);
    }

    /// Tells the faults of documents that have changed, until another message arrives.
    fn tell_faults(&mut self, queue: &mut Queue<'_>) {
        for uri in self.state.untold() {
            self.state.told(&uri);
            if let Some(told) = features::faults(&mut self.state, &uri) {
                self.notify("textDocument/publishDiagnostics", told);
            }
            if !queue.is_empty() {
                return;
            }
        }
    }

    fn show_notes(&mut self) {
        for note in std::mem::take(&mut self.state.notes) {
            let shown = json!({ "type": 2, "message": note });
            self.notify("window/showMessage", shown);
        }
    }
}

fn answered(id: RequestId, result: Value) -> Response {
    Response { id, response_result: Ok(result) }
}

fn read<T: DeserializeOwned>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}

/// The reason why a request has no answer.
pub(crate) enum Refusal {
    /// The server has no such method.
    Unknown(String),
    /// The parameters can't be read.
    Malformed(String),
    /// What is asked for can't be done; the message is for a person.
    Impossible(String),
}

fn refused(id: RequestId, refusal: Refusal) -> Response {
    let (code, message) = match refusal {
        Refusal::Unknown(method) => {
            (ErrorCode::MethodNotFound, format!("the server has no method `{method}`"))
        }
        Refusal::Malformed(reason) => (ErrorCode::InvalidParams, reason),
        Refusal::Impossible(reason) => (ErrorCode::RequestFailed, reason),
    };
    Response::new_err(id, code as i32, message)
}
