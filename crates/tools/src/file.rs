//! `file://workspace` (read, list, write, patch, undo) and the line ranges of `sh://sed`.

mod effect;
mod patch;
#[cfg(test)]
mod tests;
mod undo;

pub(crate) use undo::argument as undo_argument;

use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::settings::Shared;
use crate::workspace::{FileError, WorkspacePath};
use contexture_core::signature::Method;
use serde_json::{Value, json};

const DEFAULT_LINES: u64 = 2_000;

/// Performs a method of `file://workspace`.
pub(crate) fn call(
    shared: &Shared,
    method: &Method,
    arguments: &Arguments,
) -> Result<ToolOutput, ToolError> {
    match method.name {
        "read" => Ok(ToolOutput::of(text_of(shared, arguments)?.1.into())),
        "list" => list(shared, arguments),
        "write" => write(shared, arguments),
        "patch" => patch::patch(shared, arguments),
        _ => undo::undo(shared, arguments.value("effects").unwrap_or(&Value::Null)),
    }
}

/// Performs `sh://sed`: the lines as they stand in the file, without the last line end.
pub(crate) fn lines(shared: &Shared, arguments: &Arguments) -> Result<ToolOutput, ToolError> {
    let (path, text) = text_of(shared, arguments)?;
    let start = arguments.count("start").unwrap_or(1);
    let asked = arguments.count("max");
    let skipped = usize::try_from(start.saturating_sub(1)).unwrap_or(usize::MAX);
    let most = usize::try_from(asked.unwrap_or(DEFAULT_LINES)).unwrap_or(usize::MAX);
    let mut rest = text.split_inclusive('\n').skip(skipped);
    let taken: String = rest.by_ref().take(most).collect();
    let more = rest.next().is_some();

    let mut output = ToolOutput::of(without_line_end(&taken).into());
    if taken.is_empty() && start > 1 {
        let count = text.split_inclusive('\n').count();
        output.notes.push(format!("{path} has {count} lines, none from line {start} on"));
    }
    if more && asked.is_none() {
        output.truncated = true;
        output.notes.push(format!("{path} has more than the {DEFAULT_LINES} lines returned"));
    }
    Ok(output)
}

fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

fn list(shared: &Shared, arguments: &Arguments) -> Result<ToolOutput, ToolError> {
    let folder = shared.workspace.resolve(arguments.optional_text("path").unwrap_or("."))?;
    let limit = shared.settings.limits.list_entries;
    let listing = shared.workspace.entries(&folder, limit)?;
    let entries = listing.entries.iter().map(|entry| {
        json!({
            "path": entry.path.as_str(),
            "name": entry.path.name(),
            "type": entry.kind.as_str(),
            "size": entry.bytes,
        })
    });
    let mut output = ToolOutput::of(entries.collect());
    if listing.unnamed > 0 {
        let unnamed = listing.unnamed;
        output.notes.push(format!("{unnamed} names in {folder} are not UTF-8 and are left out"));
    }
    output.notes.extend(secret_note(listing.secret));
    Ok(output)
}

/// Returns the note for entries that were left out because they are secret.
pub(crate) fn secret_note(count: usize) -> Option<String> {
    let note = || {
        format!("{count} secret files or folders are left out: no permission in `[policy] files`")
    };
    (count > 0).then(note)
}

fn write(shared: &Shared, arguments: &Arguments) -> Result<ToolOutput, ToolError> {
    let path = shared.workspace.resolve(arguments.text("path"))?;
    Ok(effect::write(shared, &path, arguments.text("content").as_bytes())?.into_output())
}

/// Returns the file that `path` names, and its text.
fn text_of(shared: &Shared, arguments: &Arguments) -> Result<(WorkspacePath, String), FileError> {
    let path = shared.workspace.resolve(arguments.text("path"))?;
    let text = shared.workspace.read_text(&path, shared.settings.limits.file_bytes)?;
    Ok((path, text))
}
