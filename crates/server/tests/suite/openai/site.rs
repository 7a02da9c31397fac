//! A server that runs, and a client that speaks HTTP as plainly as it can.

use contexture::{Environment, Project};
use contexture_server::Fault;
use contexture_server::serve::http::{Listening, Options};
use contexture_server::serve::{Serve, Settings};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

const AGENTS: &str = r#"
import tool File from "file://workspace"
main agent Echo {
  main func(input { text string, messages list, attachments list }) {
    ({ text: input.text, messages: input.messages, attachments: input.attachments })
  }
}
agent Slow { main func(text string) { generate({ input: text }) } }
agent Where { main func(text string, contextId string) { "in <" + contextId + ">" } }
agent Writer { main func(text string) { generate({ input: text, tools: [File.read, File.write] }) } }
agent Broken { main func(text string) { 1 / (2 - 2) } }
"#;

/// A server.
pub(crate) struct Site {
    folder: TempDir,
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<Result<(), Fault>>,
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The data of each event.
    pub(crate) fn events(&self) -> Vec<String> {
        let lines = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.map(str::to_owned).collect()
    }
}

impl Site {
    pub(crate) async fn new() -> Self {
        Self::with("", "", &[]).await
    }

    /// A server with a model, settings and variables.
    pub(crate) async fn with(model: &str, config: &str, vars: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("agents.as");
        std::fs::write(&program, AGENTS).unwrap();
        std::fs::write(folder.path().join("contexture.toml"), config).unwrap();
        let home = folder.path().join("home").display().to_string();
        let vars = [("HOME", home.as_str()), ("OPENAI_API_KEY", "sk-of-the-model")]
            .into_iter()
            .chain(vars.iter().copied());
        let project = Project::open(folder.path(), Environment::of(vars)).unwrap();
        let mut settings = Settings::new(project, vec![program]);
        settings.engine = crate::serve::engine();
        settings.project.config.serve.engine_admin = crate::serve::engine_admin();
        settings.turns.model = (!model.is_empty()).then(|| model.to_owned());
        let serve = Serve::open(settings).unwrap();
        let options = Options::new("127.0.0.1:0".parse().unwrap());
        let listening = Listening::begin(serve, &options).await.unwrap();
        let address = listening.url().strip_prefix("http://").unwrap().parse().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(listening.serve(async move {
            let _ = stopped.await;
        }));
        Self { folder, address, stop: Some(stop), served }
    }

    /// Asks the server to end.
    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits for the end.
    pub(crate) async fn ended(mut self) -> Result<(), Fault> {
        if self.stop.is_some() {
            self.stop();
        }
        let served = tokio::time::timeout(Duration::from_secs(60), &mut self.served).await;
        let ended = served.expect("the server does not end").unwrap();
        drop(self.folder);
        ended
    }

    /// All bytes of a file of the data folder, with those of its log.
    pub(crate) fn kept(&self, name: &str) -> Vec<u8> {
        let folder = self.folder.path().join(".contexture/data");
        let read = |name: String| std::fs::read(folder.join(name)).unwrap_or_default();
        [read(name.to_owned()), read(format!("{name}-wal"))].concat()
    }

    /// A file of the workspace.
    pub(crate) fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "").await
    }

    pub(crate) async fn chat(&self, asked: Value) -> Answer {
        self.send("POST", "/v1/chat/completions", &[], &asked.to_string()).await
    }

    /// A message to the default agent.
    pub(crate) fn said(id: &str, text: &str) -> Value {
        json!({
            "messageId": id, "timestamp": "2026-01-01T00:00:00Z", "type": "USER_INPUT",
            "sender": { "id": "me", "type": "USER" }, "content": { "text": text },
        })
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut stream = self.begin(method, path, headers, body).await;
        let mut read = Vec::new();
        let reading = stream.read_to_end(&mut read);
        tokio::time::timeout(Duration::from_secs(60), reading).await.expect("no answer").unwrap();
        let text = String::from_utf8(read).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { joined(body) } else { body.to_owned() };
        Answer {
            status: status.unwrap_or_else(|| panic!("no status: {text}")),
            head: head.to_ascii_lowercase(),
            body,
        }
    }

    /// Sends a request; what comes is read by whoever calls.
    pub(crate) async fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let more: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{more}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }
}

/// The text of a chunked body.
fn joined(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        let (part, rest) = rest.split_at(size);
        whole.push_str(part);
        body = rest.strip_prefix("\r\n").unwrap_or_default();
    }
    whole
}

/// Reads until a text has come.
pub(crate) async fn until(stream: &mut TcpStream, text: &str) -> String {
    let mut read = String::new();
    let mut part = [0; 4096];
    while !read.contains(text) {
        let reading = stream.read(&mut part);
        let size = tokio::time::timeout(Duration::from_secs(60), reading).await;
        let size = size.unwrap_or_else(|_| panic!("no `{text}` in: {read}")).unwrap();
        assert!(size > 0, "it ended without `{text}`: {read}");
        read.push_str(&String::from_utf8_lossy(&part[..size]));
    }
    read
}

/// Waits until something is so.
pub(crate) async fn eventually(what: &str, is: impl AsyncFn() -> bool) {
    for _ in 0..600 {
        if is().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("never: {what}");
}
