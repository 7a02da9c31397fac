//! A server in a folder of its own, and clients that speak to it over loopback.
//!
//! The server runs on threads of its own, so tests are plain functions that send and wait.

pub mod http;
pub mod socket;

use contexture::{Environment, Project};
use contexture_server::Fault;
use contexture_server::serve::http::{Listening, Options, TlsFiles};
use contexture_server::serve::tokens::{NewToken, Tokens};
use contexture_server::serve::{Serve, Settings};
use http::{Answer, Http};
use serde_json::{Value, json};
use socket::Socket;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// Says back what is said to it.
pub const ECHO: &str = "main func(said string) {\n  \"you said: \" + said\n}\n";

/// A project's folder, gone with the test.
pub struct Place {
    folder: TempDir,
    vars: Vec<(String, String)>,
}

/// A project with the agent [`ECHO`] and no settings, served.
pub fn served() -> (Place, Running) {
    let place = Place::new("");
    let running = place.start();
    (place, running)
}

impl Place {
    /// A project with the agent [`ECHO`] and these settings.
    pub fn new(settings: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), vars: Vec::new() };
        place.write("echo.as", ECHO).write("contexture.toml", settings);
        place
    }

    /// With a variable of the environment.
    pub fn with_var(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.path().join(".contexture").join("data")
    }

    pub fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub fn tokens(&self) -> Tokens {
        Tokens::in_folder(&self.data())
    }

    /// A new token's text.
    pub fn token(&self, new: NewToken) -> String {
        self.tokens().add(new).unwrap().1.expose().to_owned()
    }

    /// The records of the audit log. What a server writes is all there once it ended.
    pub fn audit(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.data().join("audit.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What is served by default: `echo.as`.
    pub fn settings(&self) -> Settings {
        let home = self.path().join("home").display().to_string();
        let vars = self.vars.iter().cloned().chain([("HOME".to_owned(), home)]);
        let project = Project::open(self.path(), Environment::of(vars)).unwrap();
        Settings { engine: engine(), ..Settings::new(project, vec![self.path().join("echo.as")]) }
    }

    /// Starts a server on a free port of this machine.
    pub fn start(&self) -> Running {
        self.start_with(self.settings(), &Self::options()).unwrap()
    }

    /// Any free port of this machine.
    pub fn options() -> Options {
        Options::new("127.0.0.1:0".parse().unwrap())
    }

    /// Starts a server, or says why it does not start.
    pub fn start_with(&self, settings: Settings, options: &Options) -> Result<Running, Fault> {
        let (begun, begins) = mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let options = options.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listening = match Serve::open(settings) {
                    Ok(serve) => Listening::begin(serve, &options).await,
                    Err(fault) => Err(fault),
                };
                match listening {
                    Ok(listening) => {
                        begun.send(Ok((listening.url(), listening.pairing_code()))).unwrap();
                        listening.serve(async { drop(stopped.await) }).await.unwrap();
                    }
                    Err(fault) => begun.send(Err(fault)).unwrap(),
                }
            });
        });
        let (url, pairing) = begins.recv().unwrap()?;
        let address = url.split_once("://").unwrap().1.parse().unwrap();
        Ok(Running { url, pairing, address, stop: Some(stop), thread: Some(thread) })
    }
}

/// The engine that the servers of a test run use, if one is named: one test after another (WA-12).
pub fn engine() -> Option<String> {
    std::env::var("CONTEXTURE_TEST_ENGINE").ok()
}

/// The administration of that engine, if it is not at its usual port.
pub fn engine_admin() -> Option<String> {
    std::env::var("CONTEXTURE_TEST_ENGINE_ADMIN").ok()
}

/// The certificate of the tests, for `localhost` and 127.0.0.1.
pub fn tls() -> TlsFiles {
    TlsFiles { certificates: fixture("server.cert.pem"), key: fixture("server.key.pem") }
}

/// A file beside the tests.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/serve/tls").join(name)
}

/// A server that runs; it ends when it is dropped.
pub struct Running {
    pub url: String,
    /// The code that pairs a page of another origin.
    pub pairing: Option<String>,
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// A client without a token.
    pub fn http(&self) -> Http {
        Http::new(self.address)
    }

    /// A client with a token.
    pub fn http_as(&self, token: &str) -> Http {
        self.http().with("authorization", &format!("Bearer {token}"))
    }

    /// A WebSocket without a token; nothing was said yet.
    pub fn socket(&self) -> Socket {
        Socket::open(self.address, &[])
    }

    /// A WebSocket with a token.
    pub fn socket_as(&self, token: &str) -> Socket {
        Socket::open(self.address, &[("authorization", &format!("Bearer {token}"))])
    }

    /// Ends the server and waits for it.
    pub fn end(mut self) {
        self.finish();
    }

    fn finish(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.finish();
    }
}

/// A message of a user.
pub fn message(id: &str, context: Option<&str>, kind: &str, content: Value) -> Value {
    let mut message = json!({
        "messageId": id,
        "timestamp": "2026-01-01T00:00:00Z",
        "type": kind,
        "sender": { "id": "tester", "type": "USER" },
        "content": content,
    });
    if let Some(context) = context {
        message["contextId"] = context.into();
    }
    message
}

/// What somebody says.
pub fn said(id: &str, context: Option<&str>, text: &str) -> Value {
    message(id, context, "USER_INPUT", json!({ "text": text }))
}

/// A change of the state.
pub fn update(id: &str, context: &str, path: &str, value: Value) -> Value {
    let content = json!({ "operation": "UPDATE_STATE", "path": path, "value": value });
    message(id, Some(context), "CONTEXT_UPDATE", content)
}

/// A question that changes nothing.
pub fn availability(id: &str) -> Value {
    message(id, None, "TOOL_AVAILABILITY_REQUEST", json!({ "tools": [] }))
}

/// Asserts that an answer is an ERROR_RESPONSE with this status and code; its content.
pub fn refused(answer: &Answer, status: u16, code: &str) -> Value {
    let message = answer.json();
    assert_eq!((answer.status, &message["type"]), (status, &json!("ERROR_RESPONSE")), "{message}");
    assert_eq!(message["content"]["errorCode"], code, "{message}");
    message["content"].clone()
}

/// The policies that an ERROR_RESPONSE's content names.
pub fn policies(content: &Value) -> Vec<&str> {
    let policies = content["details"]["violatedPolicies"].as_array();
    policies.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Waits until something holds, for a while.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_secs(90);
    while !holds() {
        assert!(Instant::now() < patience, "{what}: it never did");
        std::thread::sleep(Duration::from_millis(20));
    }
}
