//! `sh://find`: files and folders by name.

use super::filter::Filter;
use super::most;
use super::walk::Walk;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::settings::Shared;
use crate::workspace::{Entry, EntryKind};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

pub(crate) fn find(
    shared: &Shared,
    arguments: &Arguments,
    stopped: &AtomicBool,
) -> Result<ToolOutput, ToolError> {
    let start = shared.workspace.resolve(arguments.optional_text("path").unwrap_or("."))?;
    let filter = Filter::new("name", arguments.optional_text("name"))?;
    let kind = match arguments.optional_text("type") {
        Some("file") => Some(EntryKind::File),
        Some(_) => Some(EntryKind::Folder),
        None => None,
    };
    let most = most(arguments.count("max"));
    let mut found: Vec<Value> = Vec::new();
    let mut truncated = false;
    let mut walk = Walk::new(shared, stopped);
    walk.run(&start, |entry| {
        let wanted = kind.is_none_or(|kind| entry.kind == kind);
        if !wanted || !filter.lets(&entry.path, &start) {
            return ControlFlow::Continue(());
        }
        truncated = found.len() == most;
        if truncated {
            return ControlFlow::Break(());
        }
        found.push(item(entry));
        ControlFlow::Continue(())
    })?;

    let mut output = ToolOutput::of(found.into());
    output.notes = walk.notes();
    output.truncated = truncated;
    if truncated {
        output.notes.push(format!("there are more than the {most} files and folders returned"));
    }
    Ok(output)
}

fn item(entry: &Entry) -> Value {
    json!({
        "path": entry.path.as_str(),
        "name": entry.path.name(),
        "type": entry.kind.as_str(),
    })
}
