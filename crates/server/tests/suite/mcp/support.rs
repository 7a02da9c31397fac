//! A project in a folder, and a client over pipes in memory.

use contexture::packs::Options;
use contexture::{Environment, Project};
use contexture_server::mcp::{Server, Settings, stdio};
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RunningService;
use rmcp::{ClientHandler, RoleClient, ServiceExt as _};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// A folder that is gone with the test.
pub struct Folder(pub TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// The project, with a home of its own.
    pub fn project(&self) -> Project {
        let home = self.path().join("home");
        let vars = [("HOME", home.display().to_string())];
        Project::open(self.path(), Environment::of(vars)).unwrap()
    }

    /// What is served: all packs, approved, and the programs of the folder `agents`, if there are any.
    pub fn settings(&self) -> Settings {
        let options = Options { approve_project: true, ..Options::default() };
        self.settings_with(options)
    }

    pub fn settings_with(&self, options: Options) -> Settings {
        let programs = Some(self.path().join("agents")).filter(|folder| folder.is_dir());
        Settings { programs, packs: options, ..Settings::new(self.project()) }
    }

    pub fn server(&self) -> Server {
        Server::open(self.settings()).unwrap()
    }
}

/// A client that is connected to a server.
pub async fn connect<C: ClientHandler>(
    client: C,
    server: &Server,
) -> RunningService<RoleClient, C> {
    let (theirs, ours) = tokio::io::duplex(1 << 20);
    let server = server.clone();
    tokio::spawn(async move {
        let streams = tokio::io::split(ours);
        stdio::serve_on(&server, streams, std::future::pending()).await.unwrap();
    });
    client.serve(theirs).await.unwrap()
}

pub type Client = RunningService<RoleClient, ()>;

pub async fn client(server: &Server) -> Client {
    connect((), server).await
}

/// Calls a tool; the result may be an error.
pub async fn call(client: &Client, tool: &str, arguments: Value) -> CallToolResult {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    client.call_tool(request).await.unwrap()
}

/// Loads a reference; the result may be an error.
pub async fn load(client: &Client, reference: &str) -> CallToolResult {
    call(client, "load_resource", serde_json::json!({ "reference": reference })).await
}

/// The text of a result.
pub fn text(result: &CallToolResult) -> &str {
    assert_eq!(result.content.len(), 1, "{result:?}");
    &result.content[0].as_text().unwrap().text
}

/// The text of a result that is no error.
pub fn good(result: &CallToolResult) -> &str {
    assert_eq!(result.is_error, Some(false), "{}", text(result));
    text(result)
}

/// The code and the text of a result that is an error.
pub fn bad(result: &CallToolResult) -> (&str, &str) {
    assert_eq!(result.is_error, Some(true), "{}", text(result));
    let error = result.structured_content.as_ref().unwrap();
    (error["error"]["code"].as_str().unwrap(), text(result))
}
