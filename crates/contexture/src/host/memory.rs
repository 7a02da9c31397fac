//! The memories of a run: each is opened once, when it is first called (AS-26).

use super::dry::PretendedRecords;
use super::errors::{of_file, of_memory};
use super::run_state::{RunState, placeholder, supplied};
use crate::observe::Progress;
use crate::written::resolve_import;
use contexture_context::{Label, Trust};
use contexture_core::policy::{Class, Effect};
use contexture_core::signature::Method;
use contexture_core::signature::tables::MEMORY;
use contexture_script::host::{HostError, MemoryCall, Supplied, ToolBinding};
use contexture_store::memory::{self, Memory, MemoryStore, MemoryUri};
use contexture_tools::Workspace;
use contexture_tools::paths::{Access, Door};
use serde_json::json;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The opened memories of a workspace, by file and namespace.
pub(super) struct Memories {
    workspace: Workspace,
    store: Arc<dyn MemoryStore>,
    open: Mutex<HashMap<(PathBuf, MemoryUri), Arc<dyn Memory>>>,
    pretended: Mutex<PretendedRecords>,
}

impl Memories {
    pub(super) fn new(workspace: &Workspace, store: Arc<dyn MemoryStore>) -> Self {
        let workspace = workspace.through(Door::Memory);
        Self { workspace, store, open: Mutex::default(), pretended: Mutex::default() }
    }

    /// Calls a method; what a dry run would write is remembered for its later queries.
    pub(super) async fn call(
        &self,
        run: &RunState,
        call: &MemoryCall,
    ) -> Result<Supplied, HostError> {
        run.count_tool_call()?;
        let name = format!("{}.{}", call.memory.name, call.method);
        if let Some(value) = run.recorded(&call.site, &name) {
            run.recorder.amend(call.event, json!({ "from_record": true }));
            return Ok(supplied(value, Label::of(name, Trust::Memory)));
        }
        let pretended = || self.pretended.lock().unwrap_or_else(PoisonError::into_inner);
        if run.dry_run && call.method != "query" {
            run.note_placeholder(format!("{name} at {}", call.site));
            return Ok(placeholder(pretended().remember(call), Trust::Memory));
        }
        permitted(run, call).await?;
        run.observer.notify(Progress::ToolCalled { name: name.clone() });
        let memory = self.get(&call.memory)?;
        let given = (call.arguments.clone(), call.influence.whole());
        let mut answer = memory::call_labelled(&*memory, &call.method, given.0, &given.1)
            .map_err(|error| of_memory(&error))?;
        run.note(None, &name, std::mem::take(&mut answer.notes));
        if run.dry_run {
            return Ok(pretended().recall(call, answer));
        }
        let kept = answer.label.kept(&step_of(&call.memory), &name);
        Ok(supplied(answer.value, Label::of(name, Trust::Memory).join(&kept)))
    }

    fn get(&self, binding: &ToolBinding) -> Result<Arc<dyn Memory>, HostError> {
        let uri = MemoryUri::parse(&binding.uri).map_err(|error| of_memory(&error))?;
        let place =
            resolve_import(&self.workspace, &binding.importer, uri.path()).map_err(of_file)?;
        let path = self.workspace.locate(&place, Access::Write).map_err(of_file)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (path, uri);
        if let Some(memory) = open.get(&key) {
            return Ok(Arc::clone(memory));
        }
        let memory = self.store.open(&key.1, &key.0).map_err(|error| of_memory(&error))?;
        open.insert(key, Arc::clone(&memory));
        Ok(memory)
    }
}

/// Waits until a call is allowed. Records keep their labels, so that what had an influence on one is
/// asked about only where a rule of the project demands it.
async fn permitted(run: &RunState, call: &MemoryCall) -> Result<(), HostError> {
    let method = MEMORY.method(&call.method);
    let effect = Effect {
        name: &format!("memory.{}", call.method),
        class: method.map_or(Class::Execute, Method::class),
        influence: &call.influence,
        origin: None,
        demands: None,
    };
    run.permitted((call.event, &call.key), &effect, &call.arguments).await
}

/// Returns the name of a memory as a step on the way of a value.
fn step_of(binding: &ToolBinding) -> String {
    let uri = MemoryUri::parse(&binding.uri);
    format!("memory {}", uri.as_ref().map_or(&*binding.uri, MemoryUri::path))
}
