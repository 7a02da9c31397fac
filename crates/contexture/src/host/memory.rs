//! The memories of a run: each is opened once, when it is first called (AS-26).

use super::files;
use crate::written::resolve_import;
use contexture_script::host::{HostError, MemoryCall, ToolBinding};
use contexture_store::memory::{self, Memory, MemoryError, MemoryOutput, MemoryStore, MemoryUri};
use contexture_tools::Workspace;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The opened memories of a workspace, by file and namespace.
pub(crate) struct Memories {
    workspace: Arc<Workspace>,
    store: Arc<dyn MemoryStore>,
    open: Mutex<HashMap<(PathBuf, MemoryUri), Arc<dyn Memory>>>,
}

impl Memories {
    pub(crate) fn new(workspace: Arc<Workspace>, store: Arc<dyn MemoryStore>) -> Self {
        Self { workspace, store, open: Mutex::default() }
    }

    /// Calls a method.
    pub(crate) fn call(&self, call: &MemoryCall) -> Result<MemoryOutput, HostError> {
        let memory = self.get(&call.memory)?;
        memory::call(&*memory, &call.method, call.arguments.clone()).map_err(|e| host_error(&e))
    }

    fn get(&self, binding: &ToolBinding) -> Result<Arc<dyn Memory>, HostError> {
        let uri = MemoryUri::parse(&binding.uri).map_err(|error| host_error(&error))?;
        let place = resolve_import(&self.workspace, &binding.importer, uri.path())
            .map_err(files::host_error)?;
        let path = self.workspace.locate(&place).map_err(files::host_error)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (path, uri);
        if let Some(memory) = open.get(&key) {
            return Ok(Arc::clone(memory));
        }
        let memory = self.store.open(&key.1, &key.0).map_err(|error| host_error(&error))?;
        open.insert(key, Arc::clone(&memory));
        Ok(memory)
    }
}

fn host_error(error: &MemoryError) -> HostError {
    HostError::new(error.code(), error.to_string()).with_help(error.help())
}
