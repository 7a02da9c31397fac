//! A server on a free port of this machine, and a model that streams.

use contexture::run::RunRequest;
use contexture::{Environment, Project};
use contexture_server::serve::http::{Listening, Options};
use contexture_server::serve::tokens::Tokens;
use contexture_server::serve::{Serve, Settings};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A program that says what it is told.
pub const ECHO: &str = "main func(text string) { text }\n";
/// A program that asks the model.
pub const ASK: &str = "main func(text string) { generate({ input: text }) }\n";

pub struct Site {
    pub address: SocketAddr,
    folder: TempDir,
    model: Option<String>,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
}

impl Site {
    pub async fn of(program: &str) -> Self {
        Self::with(program, "", None).await
    }

    pub async fn asking(model: &Model) -> Self {
        Self::with(ASK, "", Some(model.uri.clone())).await
    }

    pub async fn with(program: &str, config: &str, model: Option<String>) -> Self {
        Self::with_files(program, config, &[], model).await
    }

    /// With further files of the project.
    pub async fn with_files(
        program: &str,
        config: &str,
        files: &[(&str, &str)],
        model: Option<String>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::fs::write(folder.path().join("app.as"), program).unwrap();
        std::fs::write(folder.path().join("contexture.toml"), config).unwrap();
        let address = ([127, 0, 0, 1], 0).into();
        let mut site = Self { address, folder, model, stop: None, serving: None };
        site.begin(|_| {}).await;
        site
    }

    pub async fn set_up(program: &str, set: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("app.as"), program).unwrap();
        let address = ([127, 0, 0, 1], 0).into();
        let mut site = Self { address, folder, model: None, stop: None, serving: None };
        site.begin(set).await;
        site
    }

    async fn begin(&mut self, set: impl FnOnce(&mut Settings)) {
        let root = self.folder.path();
        let vars = [("HOME", root.join("home").display().to_string())];
        let project = Project::open(root, Environment::of(vars)).unwrap();
        let mut settings = Settings::new(project, vec![root.join("app.as")]);
        settings.engine = crate::serve::engine();
        settings.project.config.serve.engine_admin = crate::serve::engine_admin();
        settings.turns = RunRequest { model: self.model.clone(), ..RunRequest::default() };
        set(&mut settings);
        let serve = Serve::open(settings).unwrap();
        let options = Options::new(([127, 0, 0, 1], 0).into());
        let listening = Listening::begin(serve, &options).await.unwrap();
        self.address = listening.url().strip_prefix("http://").unwrap().parse().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        self.stop = Some(stop);
        self.serving = Some(tokio::spawn(async move {
            listening.serve(async move { drop(stopped.await) }).await.unwrap();
        }));
    }

    /// A file of the project.
    pub fn path(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join(path)
    }

    /// The tokens of the server.
    pub fn tokens(&self) -> Tokens {
        Tokens::in_folder(&self.path(".contexture/data"))
    }

    /// Ends the server as Ctrl-C does.
    pub async fn end(&mut self) {
        drop(self.stop.take());
        let serving = self.serving.take().unwrap();
        tokio::time::timeout(Duration::from_secs(90), serving).await.unwrap().unwrap();
    }

    /// Another server on the same contexts.
    pub async fn again(&mut self) {
        self.end().await;
        self.start().await;
    }

    /// Another server, after the end of the one before.
    pub async fn start(&mut self) {
        self.begin(|_| {}).await;
    }

    /// Another server on what a kill of this one leaves behind. What goes on in this one has no part
    /// in it.
    pub async fn killed(&mut self) {
        let left = left_by_kill(self.folder.path());
        let first = std::mem::replace(&mut self.folder, left);
        if let Some(serving) = self.serving.take() {
            serving.abort();
        }
        // Its folder stays as long as threads of it may be under way.
        std::mem::forget((first, self.stop.take()));
        self.begin(|_| {}).await;
    }

    /// An answer over HTTP: status and body.
    pub async fn http(&self, request: &str) -> (u16, String) {
        let mut stream = tokio::net::TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut whole = Vec::new();
        let read = stream.read_to_end(&mut whole);
        tokio::time::timeout(Duration::from_secs(90), read).await.unwrap().unwrap();
        let whole = String::from_utf8(whole).unwrap();
        let (head, body) = whole.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    pub async fn get(&self, path: &str) -> Value {
        let address = self.address;
        let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        let (status, body) = self.http(&head).await;
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    pub async fn post(&self, message: &Value) -> (u16, Value) {
        self.post_with("Accept: */*", message).await
    }

    /// With one more header.
    pub async fn post_with(&self, header: &str, message: &Value) -> (u16, Value) {
        let (address, body) = (self.address, message.to_string());
        let (status, body) = self.http(&format!(
            "POST /v1/messages HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{header}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )).await;
        (status, serde_json::from_str(&body).unwrap())
    }
}

/// Copies a folder as it is at one moment: a kill leaves no file older than another one that was written before it.
fn left_by_kill(folder: &std::path::Path) -> tempfile::TempDir {
    loop {
        let left = tempfile::tempdir().unwrap();
        copy(folder, left.path());
        let again = tempfile::tempdir().unwrap();
        copy(folder, again.path());
        if texts(left.path()) == texts(again.path()) {
            return left;
        }
    }
}

/// Returns the files of a folder with what they hold.
fn texts(folder: &std::path::Path) -> BTreeMap<std::ffi::OsString, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            let inner = texts(&entry.path()).into_iter();
            found.extend(inner.map(|(name, text)| {
                (std::path::Path::new(&entry.file_name()).join(name).into(), text)
            }));
        } else {
            found.insert(entry.file_name(), std::fs::read(entry.path()).unwrap());
        }
    }
    found
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&to).unwrap();
            std::fs::set_permissions(&to, entry.metadata().unwrap().permissions()).unwrap();
            copy(&entry.path(), &to);
        } else {
            // What is removed meanwhile is not there at the next look either.
            drop(std::fs::copy(entry.path(), to));
        }
    }
}

/// A model in OpenAI's form that streams the same words for every question.
pub struct Model {
    pub uri: String,
    asked: Arc<AtomicUsize>,
    last: Arc<Mutex<String>>,
}

impl Model {
    /// `words` one by one, each after `pause`.
    pub async fn saying(words: &'static [&'static str], pause: Duration) -> Self {
        Self::pausing(words, move |_| pause).await
    }

    /// The same, with a pause that depends on how often it was asked before.
    pub async fn pausing(
        words: &'static [&'static str],
        pause: impl Fn(usize) -> Duration + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri = format!("openai+http://{}/v1/m", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let last = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&last);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (count, kept) = (Arc::clone(&count), Arc::clone(&kept));
                let pause = pause(count.load(Ordering::SeqCst));
                tokio::spawn(async move {
                    let mut question = Vec::new();
                    while !is_whole(&question) {
                        if stream.read_buf(&mut question).await.unwrap_or(0) == 0 {
                            return;
                        }
                    }
                    count.fetch_add(1, Ordering::SeqCst);
                    let text = String::from_utf8(question).unwrap();
                    text.split_once("\r\n\r\n").unwrap().1.clone_into(&mut kept.lock().unwrap());
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
                    let _ = stream.write_all(head.as_bytes()).await;
                    for word in words {
                        tokio::time::sleep(pause).await;
                        let _ = stream
                            .write_all(chunk(json!({ "content": word }), None).as_bytes())
                            .await;
                    }
                    let last = chunk(json!({}), Some("stop")) + "data: [DONE]\n\n";
                    let _ = stream.write_all(last.as_bytes()).await;
                });
            }
        });
        Self { uri, asked, last }
    }

    /// The body of the last question.
    pub fn last(&self) -> String {
        self.last.lock().unwrap().clone()
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn chunk(delta: Value, finish: Option<&str>) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    let chunk = json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice] });
    format!("data: {chunk}\n\n")
}

/// Whether a request came with all of its body.
pub fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    length.is_none_or(|length| body.len() >= length.trim().parse().unwrap_or(0))
}
