//! `file_read`, `file_list`, `file_write`, `text_search`: the workspace's files, through its tools.

use crate::failure::{blocking, of_file, of_tool};
use crate::result::noted;
use crate::shape::{Shape, flag, text, text_if, text_of, whole};
use contexture_flow::action::{ActionCall, ActionFailure, ActionKind, Class, Registry};
use contexture_tools::{ToolOutput, Tools, WorkspacePath};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The most lines that a search may return.
const MOST_LINES: u64 = 100_000;

pub(crate) fn register(registry: &mut Registry, tools: &Arc<Tools>) {
    let path = "the file, relative to the workspace";
    let info = Shape::new("Reads a text file of the workspace and returns {value, source}.")
        .needs("path", text(), path)
        .of(ActionKind::Query);
    let at = Arc::clone(tools);
    registry.add("file_read", info, move |call| read(Arc::clone(&at), call));

    let info = Shape::new("Lists a folder of the workspace and returns {value, source}; value is a list of {path, name, type, size}, by name.")
        .takes("path", text(), "the folder; the workspace itself by default")
        .of(ActionKind::Query);
    let at = Arc::clone(tools);
    registry.add("file_list", info, move |call| list(Arc::clone(&at), call));

    let info = Shape::new("Makes a text the whole content of a file of the workspace, with missing folders, and returns {ok, path}.")
        .needs("path", text(), path)
        .needs("content", text(), "the new text of the file")
        .of(ActionKind::Operation)
        .with_class(Class::Write);
    let at = Arc::clone(tools);
    registry.add("file_write", info, move |call| write(Arc::clone(&at), call));

    let at = Arc::clone(tools);
    registry.add("text_search", search_shape().of(ActionKind::Query), move |call| {
        search(Arc::clone(&at), call)
    });
}

async fn read(tools: Arc<Tools>, call: ActionCall) -> Result<Value, ActionFailure> {
    let output = on_thread(tools, "read", move |tools| {
        let path = place(tools, text_of(&call, "path")?)?;
        Ok(json!({ "path": path.as_str() }))
    })
    .await?;
    Ok(json!({"value": output.1.value, "source": output.0}))
}

async fn list(tools: Arc<Tools>, call: ActionCall) -> Result<Value, ActionFailure> {
    let (path, output) = on_thread(tools, "list", move |tools| {
        let path = place(tools, text_if(&call, "path")?.unwrap_or("."))?;
        Ok(json!({ "path": path.as_str() }))
    })
    .await?;
    Ok(noted(json!({"value": output.value, "source": path}), &output.notes))
}

async fn write(tools: Arc<Tools>, call: ActionCall) -> Result<Value, ActionFailure> {
    let (path, _) = on_thread(tools, "write", move |tools| {
        let path = place(tools, text_of(&call, "path")?)?;
        Ok(json!({"path": path.as_str(), "content": text_of(&call, "content")?}))
    })
    .await?;
    Ok(json!({"ok": true, "path": path}))
}

/// Returns the place that a path means, so that the answer can name it.
fn place(tools: &Tools, path: &str) -> Result<WorkspacePath, ActionFailure> {
    tools.workspace().resolve(path).map_err(of_file)
}

/// Calls a method of the file tool, whose work blocks, and returns the path that it worked on.
async fn on_thread<F>(
    tools: Arc<Tools>,
    method: &'static str,
    argument: F,
) -> Result<(Value, ToolOutput), ActionFailure>
where
    F: FnOnce(&Tools) -> Result<Value, ActionFailure> + Send + 'static,
{
    let runtime = tokio::runtime::Handle::current();
    blocking(move || {
        let argument = argument(&tools)?;
        let path = argument.get("path").cloned().unwrap_or_default();
        let output = runtime.block_on(tools.call("file://workspace", method, argument));
        Ok((path, output.map_err(of_tool)?))
    })
    .await
}

fn search_shape() -> Shape {
    Shape::new("Finds lines in text files of the workspace and returns {value, count, truncated}; value is a list of {path, line, text}. What .gitignore names and binary files are passed over.")
        .needs("pattern", text(), "a regular expression, or a text with `literal: true`")
        .takes("path", text(), "the folder or file to search; the workspace by default")
        .takes("include", text(), "a glob for the names of files, such as \"*.md\"")
        .takes("max", whole(1, MOST_LINES), "how many lines at most; 1000 by default")
        .takes("literal", flag(), "whether the pattern is a text to be found as it is")
        .takes("ignore_case", flag(), "whether upper and lower case are the same")
}

async fn search(tools: Arc<Tools>, call: ActionCall) -> Result<Value, ActionFailure> {
    let path = place(&tools, text_if(&call, "path")?.unwrap_or("."))?;
    let mut argument: Map<String, Value> = call.parameters;
    argument.remove("idempotencyKey");
    argument.insert("path".to_owned(), path.as_str().into());
    let output = tools.call("sh://grep", "run", Value::Object(argument)).await.map_err(of_tool)?;
    let count = output.value.as_array().map_or(0, Vec::len);
    let found = json!({"value": output.value, "count": count, "truncated": output.truncated});
    Ok(noted(found, &output.notes))
}
