//! The pattern of a search, and the lines it is in.
//!
//! Decision: a line is found when the pattern is in it alone, as grep has it. Most lines are passed
//! over by searching the whole file for a match first and looking only at the line it begins in;
//! where that could miss one (line ends other than `\n`, patterns that ask for the text's ends or
//! set flags), every line is tried.

use crate::arguments::Arguments;
use crate::error::{ToolError, shown};
use memchr::{memchr, memchr_iter, memrchr};
use regex::bytes::{Regex, RegexBuilder};
use std::ops::ControlFlow;

pub(super) struct Pattern {
    line: Regex,
    /// Matches in a whole file wherever it does in a line of it.
    file: Option<Regex>,
}

impl Pattern {
    /// Reads `pattern`, `literal`, `regex` and `ignore_case`.
    pub(super) fn read(arguments: &Arguments, limit: usize) -> Result<Self, ToolError> {
        let pattern = arguments.text("pattern");
        if pattern.is_empty() {
            let help = "give a text or a regular expression to find";
            return Err(ToolError::new("bad_pattern", "`pattern` is empty").with_help(help));
        }
        let source =
            if is_literal(arguments)? { regex::escape(pattern) } else { pattern.to_owned() };
        let ignore_case = arguments.flag("ignore_case") == Some(true);
        Self::new(&source, ignore_case, limit).map_err(|error| bad(pattern, &error))
    }

    fn new(source: &str, ignore_case: bool, limit: usize) -> Result<Self, regex::Error> {
        let mut builder = RegexBuilder::new(source);
        builder.case_insensitive(ignore_case).size_limit(limit);
        let line = builder.build()?;
        let lines_only = !["(?", r"\A", r"\z", r"\r"].iter().any(|part| source.contains(part));
        let file = lines_only.then(|| builder.multi_line(true).build()).transpose()?;
        Ok(Self { line, file })
    }

    /// Shows every line that has the pattern, with its number from 1 and the place of the match.
    pub(super) fn lines(
        &self,
        bytes: &[u8],
        mut each: impl FnMut(usize, &[u8], usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if bytes.is_empty() {
            return ControlFlow::Continue(());
        }
        // What follows the last line end is not a line.
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        match &self.file {
            Some(file) if memchr(b'\r', text).is_none() => self.some_lines(file, text, each),
            _ => text.split(|byte| *byte == b'\n').enumerate().try_for_each(|(index, line)| {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                self.line
                    .find(line)
                    .map_or(ControlFlow::Continue(()), |place| each(index + 1, line, place.start()))
            }),
        }
    }

    /// Tries only the lines in which a match in the whole text begins.
    fn some_lines(
        &self,
        file: &Regex,
        text: &[u8],
        mut each: impl FnMut(usize, &[u8], usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut number = 1;
        let mut counted = 0;
        let mut at = 0;
        while at <= text.len()
            && let Some(found) = file.find_at(text, at)
        {
            let (before, after) = text.split_at_checked(found.start()).unwrap_or((text, &[]));
            let start = memrchr(b'\n', before).map_or(0, |place| place + 1);
            let end = memchr(b'\n', after).map_or(text.len(), |place| before.len() + place);
            let between = text.get(counted..start).unwrap_or_default();
            number += memchr_iter(b'\n', between).count();
            counted = start;
            let line = text.get(start..end).unwrap_or_default();
            // The match may continue over the line end; alone the line may have none.
            if let Some(place) = self.line.find(line) {
                each(number, line, place.start())?;
            }
            at = end + 1;
        }
        ControlFlow::Continue(())
    }
}

fn is_literal(arguments: &Arguments) -> Result<bool, ToolError> {
    match (arguments.flag("literal"), arguments.flag("regex")) {
        (Some(literal), Some(regex)) if literal == regex => {
            let message = format!("`literal: {literal}` and `regex: {regex}` exclude each other");
            Err(ToolError::new("bad_argument", message).with_help("leave one of them out"))
        }
        (literal, regex) => Ok(literal.unwrap_or(false) || regex == Some(false)),
    }
}

fn bad(pattern: &str, error: &regex::Error) -> ToolError {
    let reason = error.to_string();
    // The message draws a picture; its last line names the fault.
    let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let message = format!("`{}` is not a regular expression: {reason}", shown(pattern));
    let help = "set `literal: true` to find the text as it is";
    ToolError::new("bad_pattern", message).with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(pattern: &Pattern, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let _ = pattern.lines(text.as_bytes(), |number, _, place| {
            found.push((number, place));
            ControlFlow::Continue(())
        });
        found
    }

    proptest! {
        #[test]
        fn as_25_short_way_finds_same_lines(
            source in prop::sample::select(vec![
                "a", "^a", "a$", "^$", "^", "$", "a.b", "a\\s*b", "[^a]+", "\\bab\\b", "a|^b$", "\\W", "(a|b)+$", ".*", "\\s", "a\\nb", "\\B", "b\\z|a",
            ]),
            text in "[ab \n\r]{0,40}",
        ) {
            let fast = Pattern::new(source, false, 1 << 20).unwrap();
            let slow = Pattern { line: fast.line.clone(), file: None };
            prop_assert_eq!(numbers(&fast, &text), numbers(&slow, &text));
        }
    }
}
