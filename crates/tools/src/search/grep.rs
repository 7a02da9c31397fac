//! `sh://grep`: lines by pattern.

use super::filter::Filter;
use super::most;
use super::walk::Walk;
use crate::arguments::Arguments;
use crate::error::{ToolError, shown};
use crate::tools::{Shared, ToolOutput};
use crate::workspace::{EntryKind, FileError, WorkspacePath};
use regex::bytes::{Regex, RegexBuilder};
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
    let mut search = Search {
        shared,
        pattern: pattern(arguments, shared.settings.limits.pattern_bytes)?,
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
            search.file(&entry.path)
        })?;
    } else {
        // A file that is named outright is searched; what can't be searched in it is an error.
        shared.workspace.read_bytes(&start, shared.settings.limits.file_bytes)?;
        let _ = search.file(&start);
    }
    Ok(search.into_output(walk.notes()))
}

fn pattern(arguments: &Arguments, limit: usize) -> Result<Regex, ToolError> {
    let pattern = arguments.text("pattern");
    let literal = match (arguments.flag("literal"), arguments.flag("regex")) {
        (Some(literal), Some(regex)) if literal == regex => {
            let message = format!("`literal: {literal}` and `regex: {regex}` exclude each other");
            let help = "leave one of them out";
            return Err(ToolError::new("bad_argument", message).with_help(help));
        }
        (literal, regex) => literal.unwrap_or(false) || regex == Some(false),
    };
    if pattern.is_empty() {
        let help = "give a text or a regular expression to find";
        return Err(ToolError::new("bad_pattern", "`pattern` is empty").with_help(help));
    }
    let source = if literal { regex::escape(pattern) } else { pattern.to_owned() };
    RegexBuilder::new(&source)
        .case_insensitive(arguments.flag("ignore_case") == Some(true))
        .size_limit(limit)
        .build()
        .map_err(|error| bad_pattern(pattern, &error))
}

fn bad_pattern(pattern: &str, error: &regex::Error) -> ToolError {
    let reason = error.to_string();
    // The message draws a picture; its last line says what is wrong.
    let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let message = format!("`{}` is no regular expression: {reason}", shown(pattern));
    let help = "set `literal: true` to find the text as it is";
    ToolError::new("bad_pattern", message).with_help(help)
}

struct Search<'a> {
    shared: &'a Shared,
    pattern: Regex,
    most: usize,
    found: Vec<Value>,
    truncated: bool,
    shortened: usize,
    too_large: usize,
}

impl Search<'_> {
    /// Searches one file; breaks when there is more than `most`.
    fn file(&mut self, path: &WorkspacePath) -> ControlFlow<()> {
        let limit = self.shared.settings.limits.file_bytes;
        let bytes = match self.shared.workspace.read_bytes(path, limit) {
            Ok(bytes) => bytes,
            Err(FileError::TooLarge { .. }) => {
                self.too_large += 1;
                return ControlFlow::Continue(());
            }
            // Gone by now, or not for us to read.
            Err(_) => return ControlFlow::Continue(()),
        };
        if bytes.is_empty() || bytes.iter().take(BINARY_BYTES).any(|byte| *byte == 0) {
            return ControlFlow::Continue(());
        }
        // What follows the last line end is no line.
        let lines = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        for (index, line) in lines.split(|byte| *byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let Some(place) = self.pattern.find(line) else { continue };
            if self.found.len() == self.most {
                self.truncated = true;
                return ControlFlow::Break(());
            }
            let text = self.text(line, place.start());
            self.found.push(json!({ "path": path.as_str(), "line": index + 1, "text": text }));
        }
        ControlFlow::Continue(())
    }

    /// The line, or what is around the match when it is long.
    fn text(&mut self, line: &[u8], place: usize) -> String {
        let limit = self.shared.settings.limits.line_chars;
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
            let limit = self.shared.settings.limits.line_chars;
            notes.push(format!("{} lines are shortened to {limit} characters", self.shortened));
        }
        if self.too_large > 0 {
            let limit = self.shared.settings.limits.file_bytes;
            notes.push(format!("{} files over {limit} bytes are not searched", self.too_large));
        }
        let mut output = ToolOutput::of(self.found.into());
        output.notes = notes;
        output.truncated = self.truncated;
        output
    }
}
