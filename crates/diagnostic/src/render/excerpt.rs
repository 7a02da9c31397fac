//! The source lines of a diagnostic with marks below.

use super::{GUTTER, Paint, is_harmful};
use crate::{Diagnostic, SourceFile, Span};
use unicode_width::UnicodeWidthChar;

/// The greatest number of columns shown of a source line.
const WIDTH: usize = 140;
/// The number of columns before a mark that stay when a line is cut.
const BEFORE: usize = 60;
const TAB: usize = 4;

struct Mark<'a> {
    line: u32,
    /// Byte offset in the line.
    start: usize,
    end: usize,
    primary: bool,
    message: String,
    label: &'a str,
}

pub(super) struct Excerpt<'a> {
    source: &'a SourceFile,
    marks: Vec<Mark<'a>>,
}

impl<'a> Excerpt<'a> {
    pub(super) fn new(fault: &'a Diagnostic, source: &'a SourceFile) -> Self {
        let mut marks = vec![mark(source, fault.span, true, "")];
        marks.extend(
            fault.labels.iter().map(|label| mark(source, label.span, false, &label.message)),
        );
        // Stable: the primary mark stays first in its line.
        marks.sort_by_key(|mark| mark.line);
        Self { source, marks }
    }

    /// Returns the columns that line numbers take.
    pub(super) fn margin(&self) -> usize {
        let last = self.marks.iter().map(|mark| mark.line).max().unwrap_or(1);
        last.to_string().len()
    }

    pub(super) fn write(&self, out: &mut String, paint: Paint, primary: &str) {
        let margin = self.margin();
        let bar = format!("{:margin$} |", "");
        paint.put(out, GUTTER, &bar);
        out.push('\n');
        let mut shown: Option<(u32, Line)> = None;
        for mark in &self.marks {
            let fresh = shown.as_ref().is_none_or(|(number, _)| *number != mark.line);
            if fresh {
                if shown.as_ref().is_some_and(|(number, _)| *number + 1 < mark.line) {
                    paint.put(out, GUTTER, &format!("{:margin$}...", ""));
                    out.push('\n');
                }
                let line = Line::new(self.source.line(mark.line), mark.start);
                paint.put(out, GUTTER, &format!("{:>margin$} |", mark.line));
                if !line.text.is_empty() {
                    out.push(' ');
                    out.push_str(&line.text);
                }
                out.push('\n');
                shown = Some((mark.line, line));
            }
            if let Some((_, line)) = &shown {
                paint.put(out, GUTTER, &bar);
                write_mark(out, paint, line, mark, primary);
            }
        }
    }
}

fn write_mark(out: &mut String, paint: Paint, line: &Line, mark: &Mark<'_>, primary: &str) {
    let from = line.column(mark.start);
    let to = line.column(mark.end).max(from + 1);
    let sign = if mark.primary { "^" } else { "-" };
    let style = if mark.primary { primary } else { GUTTER };
    out.push_str(&" ".repeat(from + 1));
    let mut text = sign.repeat(to - from);
    for part in [mark.label, &mark.message] {
        if !part.is_empty() {
            text.push(' ');
            text.push_str(&super::harmless(part));
        }
    }
    paint.put(out, style, &text);
    out.push('\n');
}

fn mark<'a>(source: &SourceFile, span: Span, primary: bool, label: &'a str) -> Mark<'a> {
    let (start, end) = (source.position(span.start), source.position(span.end.max(span.start)));
    let begin = source.line_start(start.line);
    let length = source.line(start.line).len();
    let within = |offset: u32| (offset.saturating_sub(begin) as usize).min(length);
    // A span that ends at the start of a line ends on the line before it.
    let last = if end.column == 1 && end.line > start.line { end.line - 1 } else { end.line };
    let several = last > start.line;
    let message = if several { format!("… to line {last}") } else { String::new() };
    let stop = if several { length } else { within(span.end) };
    Mark { line: start.line, start: within(span.start), end: stop, primary, message, label }
}

/// A source line as shown: tabs widened, harmful characters replaced, long ones cut.
struct Line {
    text: String,
    /// Byte offsets in the source line with the columns where they are shown.
    columns: Vec<(usize, usize)>,
    width: usize,
}

impl Line {
    fn new(source: &str, focus: usize) -> Self {
        let first = first_shown(source, focus);
        let mut line = Self { text: String::new(), columns: Vec::new(), width: 0 };
        if first > 0 {
            line.push("…", 1);
        }
        for (at, c) in source.get(first..).unwrap_or_default().char_indices() {
            line.columns.push((first + at, line.width));
            if line.width >= WIDTH {
                line.push("…", 1);
                return line;
            }
            match c {
                '\t' => line.push(&" ".repeat(TAB), TAB),
                c if is_harmful(c) => line.push("\u{fffd}", 1),
                c => {
                    line.text.push(c);
                    line.width += c.width().unwrap_or_default();
                }
            }
        }
        line.columns.push((source.len(), line.width));
        let kept = line.text.trim_end().len();
        line.text.truncate(kept);
        line
    }

    fn push(&mut self, text: &str, width: usize) {
        self.text.push_str(text);
        self.width += width;
    }

    /// Returns the column where a byte of the source line is shown, or the nearest one.
    fn column(&self, byte: usize) -> usize {
        let index = self.columns.partition_point(|(at, _)| *at < byte);
        let found = self.columns.get(index).or_else(|| self.columns.last());
        found.map_or(0, |(_, column)| *column)
    }
}

/// Returns the start of the shown part, so that the focus is in view.
fn first_shown(source: &str, focus: usize) -> usize {
    if source.len() <= WIDTH {
        return 0;
    }
    let before = source.get(..focus).unwrap_or_default();
    let width = |c: char| if c == '\t' { TAB } else { c.width().unwrap_or(1) };
    let mut columns = 0;
    for (at, c) in before.char_indices().rev() {
        columns += width(c);
        if columns > BEFORE {
            return at + c.len_utf8();
        }
    }
    0
}
