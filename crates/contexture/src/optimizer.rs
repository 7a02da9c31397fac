//! `host://optimizer`: the tool by which a program works on the choices of another one (AS-33).
//!
//! Decision: it is a tool as applications add them, and each run gets one of its own, so that what a
//! trial asks of models is paid from the run's account, and its stand-in answers trials, too. Programs
//! are found in the workspace alone, and written as `file://workspace` writes.

mod specialize;
mod target;
mod trial;

use crate::project::Project;
use crate::run::{RunRequest, SetupError, tool_settings};
use contexture_context::Trust;
use contexture_core::signature::Effect;
use contexture_core::tool::{RustTool, ToolFailure};
use contexture_llm::Ledger;
use contexture_script::capability::OPTIMIZER;
use contexture_script::program::Program;
use contexture_tools::{Tools, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;

/// The name of the tool.
pub(crate) const NAME: &str = "optimizer";

/// What the tool of a run works with.
pub(super) struct Live {
    /// The project, in which no program optimizes another one.
    pub(super) project: Project,
    pub(super) workspace: Arc<Workspace>,
    pub(super) tools: Tools,
    /// What a trial has in common with the run.
    pub(super) request: RunRequest,
}

/// The target of a call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Inspected {
    /// The program, by its path in the workspace.
    target: String,
}

/// Returns the tool as checks know it; a run has one that works, of [`live`].
pub(crate) fn tool() -> RustTool {
    of(None)
}

/// Reports whether a program imports the tool.
pub(crate) fn is_imported(program: &Program) -> bool {
    let mut imports = program.files.iter().flat_map(|file| file.imports());
    imports.any(|import| import.from.value == OPTIMIZER)
}

/// Returns the tool of a run, which pays from its account.
///
/// # Errors
/// [`SetupError`] when the workspace can't be read.
pub(crate) fn live(
    project: &Project,
    request: &RunRequest,
    ledger: Arc<Ledger>,
) -> Result<RustTool, SetupError> {
    let mut project = project.clone();
    project.extensions.remove_tool(NAME);
    let workspace = project.workspace()?;
    let tools = Tools::new(Arc::clone(&workspace), tool_settings(&project));
    let request = RunRequest {
        model: request.model.clone(),
        models: request.models.clone(),
        stand_in: request.stand_in.clone(),
        allow_packs: request.allow_packs.clone(),
        approve_packs: request.approve_packs,
        servers: request.servers.clone(),
        permission: request.permission.clone(),
        private: request.private.clone(),
        forget: request.forget,
        ledger: Some(ledger),
        ..RunRequest::default()
    };
    Ok(of(Some(Arc::new(Live { project, workspace, tools, request }))))
}

type Answer = Pin<Box<dyn Future<Output = Result<Value, ToolFailure>> + Send>>;

/// Does work of a run's tool; the tool of a check has nothing to work with.
fn with<F>(live: Option<&Arc<Live>>, work: impl FnOnce(Arc<Live>) -> F) -> Answer
where
    F: Future<Output = Result<Value, ToolFailure>> + Send + 'static,
{
    match live {
        Some(live) => Box::pin(work(Arc::clone(live))),
        None => {
            let message = "the optimizer works in the run of a program alone";
            Box::pin(ready(Err(ToolFailure::new("tool_unknown", message))))
        }
    }
}

fn of(live: Option<Arc<Live>>) -> RustTool {
    let (inspecting, trying, rewriting) = (live.clone(), live.clone(), live);
    RustTool::new(NAME)
        .reads(
            "inspect",
            "Lists the `use one of` of a program and of the agents that it imports. Returns {ok, target, snapshot_id, files, variant_sites, baseline_selection, warnings}.",
            move |Inspected { target }: Inspected| {
                with(inspecting.as_ref(), |live| ready(target::inspect(&live, &target)))
            },
        )
        .method(
            "trial",
            "Runs a program with other candidates chosen. Returns {ok, result, usage, picked, unreached_selection, warnings, trace, trace_ref}.",
            (Effect::Fetch, Trust::Web),
            move |wish: trial::Trial| {
                with(trying.as_ref(), |live| async move { trial::trial(&live, wish).await })
            },
        )
        .writes(
            "specialize",
            "Moves the words `selected` of a program to other candidates, and nothing else. Returns {ok, changed, output, outputs, diff, edits, snapshot_id}.",
            move |wish: specialize::Specialize| {
                with(rewriting.as_ref(), |live| async move {
                    specialize::specialize(&live, wish).await
                })
            },
        )
        .accepts("selection", Trust::Web)
        .accepts("snapshot_id", Trust::Web)
}
