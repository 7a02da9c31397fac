//! Shared parts of tests: a workspace in a temporary folder, and calls that wait.

use crate::{Settings, ToolError, ToolOutput, Tools, Workspace};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) struct Fixture {
    folder: TempDir,
    tools: Tools,
    runtime: tokio::runtime::Runtime,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("workspace");
        std::fs::create_dir(&root).unwrap();
        let workspace = Arc::new(Workspace::open(&root).unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { folder, tools: Tools::new(workspace, settings), runtime }
    }

    pub(crate) fn root(&self) -> &Path {
        self.tools.workspace().root()
    }

    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        self.tools.workspace()
    }

    /// Puts a file there, with its folders.
    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// Returns the text that is there.
    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, target: impl AsRef<Path>, path: &str) -> &Self {
        std::os::unix::fs::symlink(target, self.root().join(path)).unwrap();
        self
    }

    pub(crate) fn call(
        &self,
        uri: &str,
        method: &str,
        argument: Value,
    ) -> Result<ToolOutput, ToolError> {
        self.runtime.block_on(self.tools.call(uri, method, argument))
    }

    /// Returns the value of a call that must succeed.
    pub(crate) fn value(&self, uri: &str, method: &str, argument: Value) -> Value {
        self.call(uri, method, argument).unwrap().value
    }

    /// Returns the code and the message of a call that must fail.
    pub(crate) fn error(&self, uri: &str, method: &str, argument: Value) -> (&'static str, String) {
        let error = self.call(uri, method, argument).unwrap_err();
        assert!(error.help.is_some(), "no help: {error}");
        (error.code, error.message)
    }
}
