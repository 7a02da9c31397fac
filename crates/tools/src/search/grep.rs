//! `sh://grep`: lines by pattern.

use super::filter::Filter;
use super::most;
use super::pattern::Pattern;
use super::walk::Walk;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::settings::{Shared, ToolLimits};
use crate::workspace::{EntryKind, FileError, WorkspacePath};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// A file with a NUL in its first bytes is binary, as git has it.
const BINARY_BYTES: usize = 8_000;

pub(crate) fn grep(
    shared: &Shared,
    arguments: &Arguments,
    stopped: &AtomicBool,
) -> Result<ToolOutput, ToolError> {
    let start = shared.workspace.resolve(arguments.optional_text("path").unwrap_or("."))?;
    let filter = Filter::new("include", arguments.optional_text("include"))?;
    let pattern = Pattern::read(arguments, shared.settings.limits.pattern_bytes)?;
    let mut search = Search {
        shared,
        limits: &shared.settings.limits,
        most: most(arguments.count("max")),
        found: Vec::new(),
        truncated: false,
        shortened: 0,
        too_large: 0,
    };
    let mut walk = Walk::new(shared, stopped);
    if shared.workspace.metadata(&start)?.is_dir() {
        walk.run(&start, |entry| {
            if entry.kind != EntryKind::File || !filter.lets(&entry.path, &start) {
                return ControlFlow::Continue(());
            }
            search.file(&pattern, &entry.path)
        })?;
    } else {
        // A file that is named outright is searched; what can't be searched in it is an error.
        shared.workspace.read_bytes(&start, shared.settings.limits.file_bytes)?;
        let _ = search.file(&pattern, &start);
    }
    Ok(search.into_output(walk.notes()))
}

struct Search<'a> {
    shared: &'a Shared,
    limits: &'a ToolLimits,
    most: usize,
    found: Vec<Value>,
    truncated: bool,
    shortened: usize,
    too_large: usize,
}

impl Search<'_> {
    /// Searches one file; breaks when there is more than `most`.
    fn file(&mut self, pattern: &Pattern, path: &WorkspacePath) -> ControlFlow<()> {
        let limit = self.limits.file_bytes;
        let bytes = match self.shared.workspace.read_bytes(path, limit) {
            Ok(bytes) => bytes,
            Err(FileError::TooLarge { .. }) => {
                self.too_large += 1;
                return ControlFlow::Continue(());
            }
            // Gone by now, or not for us to read.
            Err(_) => return ControlFlow::Continue(()),
        };
        if bytes.iter().take(BINARY_BYTES).any(|byte| *byte == 0) {
            return ControlFlow::Continue(());
        }
        pattern.lines(&bytes, |number, line, place| {
            if self.found.len() == self.most {
                self.truncated = true;
                return ControlFlow::Break(());
            }
            let text = self.text(line, place);
            self.found.push(json!({ "path": path.as_str(), "line": number, "text": text }));
            ControlFlow::Continue(())
        })
    }

    /// Returns the line, or what is around the match when it is long.
    fn text(&mut self, line: &[u8], place: usize) -> String {
        let limit = self.limits.line_chars;
        let text = String::from_utf8_lossy(line);
        if text.len() <= limit || text.chars().count() <= limit {
            return text.into_owned();
        }
        self.shortened += 1;
        let before =
            line.get(..place).map_or(0, |before| String::from_utf8_lossy(before).chars().count());
        let from = before.saturating_sub(limit / 4);
        let part: String = text.chars().skip(from).take(limit).collect();
        let lead = if from > 0 { "…" } else { "" };
        let trail = if from + limit < text.chars().count() { "…" } else { "" };
        format!("{lead}{part}{trail}")
    }

    fn into_output(self, mut notes: Vec<String>) -> ToolOutput {
        if self.truncated {
            notes.push(format!("there are more than the {} lines returned", self.most));
        }
        if self.shortened > 0 {
            let limit = self.limits.line_chars;
            notes.push(format!("{} lines are shortened to {limit} characters", self.shortened));
        }
        if self.too_large > 0 {
            let limit = self.limits.file_bytes;
            notes.push(format!("{} files over {limit} bytes are not searched", self.too_large));
        }
        let mut output = ToolOutput::of(self.found.into());
        output.notes = notes;
        output.truncated = self.truncated;
        output
    }
}
