//! From text to operations, in one pass and without recursion.

mod blocks;
mod close;

use super::fault::Problem;
use super::ops::{Kind, Name, Op, Path, Program};
use super::tag::{self, Block, Tag};
use crate::codes;
use crate::error::PromptError;
use crate::limits::MAX_TEMPLATE_BYTES;
use blocks::Blocks;
use contexture_diagnostic::{SourceFile, Span};

/// The greatest number of faults reported for a template.
pub(super) const MAX_PROBLEMS: usize = 100;

pub(super) fn compile(text: &str) -> Result<Program, PromptError> {
    let (program, problems) = scan(text, 1);
    match problems.first() {
        None => Ok(program),
        Some(problem) => Err(problem.to_error(&SourceFile::new("", text))),
    }
}

/// Compiles the valid parts of a text, and returns its faults in the order of their places.
pub(super) fn examine(text: &str) -> (Program, Vec<Problem>) {
    let (program, mut problems) = scan(text, MAX_PROBLEMS);
    problems.sort_by_key(|problem| problem.span.start);
    (program, problems)
}

fn scan(text: &str, most: usize) -> (Program, Vec<Problem>) {
    if text.len() > MAX_TEMPLATE_BYTES {
        let message =
            format!("a template of {} bytes is larger than {MAX_TEMPLATE_BYTES}", text.len());
        let problem = Problem::new(codes::TOO_LARGE, Span::at(0), message)
            .help("pass the large text as a variable");
        return (Program::new("", Vec::new(), Vec::new()), vec![problem]);
    }
    let mut scanner = Scanner::new(text);
    while scanner.problems.len() < most && scanner.step() {}
    scanner.finish(most)
}

struct Scanner<'t> {
    text: &'t str,
    ops: Vec<Op>,
    segments: Vec<Name>,
    blocks: Blocks,
    problems: Vec<Problem>,
    /// The start of the text that is not yet written.
    run: usize,
    /// The position from which the next tag is searched.
    seek: usize,
    /// The text that waits for the next operation.
    before: Span,
    /// True if the tag before removes the white space after it.
    trim: bool,
}

/// The bounds of a tag, with the white space it removes.
#[derive(Clone, Copy)]
struct Bounds {
    tag: Span,
    inner: Span,
    trim_before: bool,
    trim_after: bool,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        // Most tags take more than this with the text before them.
        let guess = (text.len() / 16).min(1 << 12) + 4;
        Self {
            text,
            ops: Vec::with_capacity(guess),
            segments: Vec::new(),
            blocks: Blocks::default(),
            problems: Vec::new(),
            run: 0,
            seek: 0,
            before: Span::default(),
            trim: false,
        }
    }

    /// Takes the text up to the next tag and the tag; returns false at the end.
    fn step(&mut self) -> bool {
        let Some(open) = self.pair(b'{', self.seek) else {
            return false;
        };
        if open > self.run && self.text.as_bytes().get(open - 1) == Some(&b'\\') {
            self.write(open - 1, false);
            self.run = open;
            self.seek = open + 2;
            return true;
        }
        let Some(bounds) = self.bounds(open) else {
            return self.seek < self.text.len();
        };
        self.write(open, bounds.trim_before);
        self.run = bounds.tag.end as usize;
        self.seek = self.run;
        self.trim = bounds.trim_after;
        if !self.is_comment(bounds) {
            self.take(bounds);
        }
        true
    }

    fn pair(&self, byte: u8, from: usize) -> Option<usize> {
        pair(self.text.as_bytes(), byte, from)
    }

    fn bounds(&mut self, open: usize) -> Option<Bounds> {
        let bytes = self.text.as_bytes();
        let trim_before = bytes.get(open + 2) == Some(&b'~');
        let start = open + 2 + usize::from(trim_before);
        let comment = self.text.get(start..).is_some_and(|rest| rest.starts_with("!--"));
        let reference = close::reference(self.text, start);
        let close = match reference {
            _ if comment => self.comment_end(start + 3),
            Some(from) => close::of_reference(self.text, from).or_else(|| self.pair(b'}', start)),
            None => self.pair(b'}', start),
        };
        let Some(close) = close else {
            self.never_closed(open, comment, self.text.len());
            return None;
        };
        let inner = bytes.get(start..close).unwrap_or_default();
        if !comment && let Some(at) = pair(inner, b'{', 0) {
            if reference.is_some_and(|from| !close::has_space(self.text, from, start + at)) {
                self.not_fixed(span(start + at, close + 2));
                return None;
            }
            self.never_closed(open, false, open + 2);
            return None;
        }
        let trim_after = close > start && bytes.get(close - 1) == Some(&b'~');
        Some(Bounds {
            tag: span(open, close + 2),
            inner: span(start, close - usize::from(trim_after)),
            trim_before,
            trim_after,
        })
    }

    /// Returns the position of the braces of `--}}` or `--~}}`.
    fn comment_end(&self, from: usize) -> Option<usize> {
        let mut seek = from;
        loop {
            let close = self.pair(b'}', seek)?;
            let inside = self.text.get(from..close).unwrap_or_default();
            if inside.strip_suffix('~').unwrap_or(inside).ends_with("--") {
                return Some(close);
            }
            seek = close + 1;
        }
    }

    fn is_comment(&self, bounds: Bounds) -> bool {
        self.text.get(bounds.inner.range()).is_some_and(|inner| inner.starts_with("!--"))
    }

    /// Notes the fault of a tag without an end, and continues after it.
    fn never_closed(&mut self, open: usize, comment: bool, next: usize) {
        let end = open + 2;
        let (code, what, close) = if comment {
            (codes::UNCLOSED_COMMENT, "comment `{{!--`", "--}}")
        } else {
            (codes::UNCLOSED_TAG, "tag `{{`", "}}")
        };
        let problem =
            Problem::new(code, span(open, end), format!("unclosed {what}: `{close}` is missing"))
                .help(if comment {
                    "end the comment with `--}}`"
                } else {
                    "write `}}` after the name, or `\\{{` for literal braces"
                });
        self.problems.push(problem);
        self.run = next;
        self.seek = next;
    }

    /// Notes the fault of a tag inside a reference, and continues after that tag.
    fn not_fixed(&mut self, inner: Span) {
        let message = "tag inside a reference, which is fixed text".into();
        let problem = Problem::new(codes::BAD_REFERENCE, inner, message)
            .help("write the reference out; to choose between several, put each into an `{{#if}}`");
        self.problems.push(problem);
        self.run = inner.end as usize;
        self.seek = self.run;
    }

    /// Writes the text from `run` up to `end`.
    fn write(&mut self, end: usize, trim_end: bool) {
        let mut start = self.run;
        let mut end = end.max(start);
        if std::mem::take(&mut self.trim) {
            let all = self.text.get(start..end).unwrap_or_default();
            start = end - all.trim_start().len();
        }
        if trim_end {
            let all = self.text.get(start..end).unwrap_or_default();
            end = start + all.trim_end().len();
        }
        if start < end {
            self.flush();
            self.before = span(start, end);
        }
    }

    /// Makes the waiting text an operation of its own.
    fn flush(&mut self) {
        if !self.before.is_empty() {
            self.push(Kind::Text);
        }
    }

    fn push(&mut self, kind: Kind) {
        self.ops.push(Op { before: std::mem::take(&mut self.before), kind });
    }

    fn take(&mut self, bounds: Bounds) {
        let tag = match tag::parse(self.text, bounds.inner, &mut self.segments) {
            Ok(tag) => tag,
            Err(problem) => return self.refuse(problem, bounds),
        };
        let done = match tag {
            Tag::Value(path) => {
                self.push(Kind::Value(path));
                Ok(())
            }
            Tag::Include(name) => {
                self.push(Kind::Include(name));
                Ok(())
            }
            Tag::Reference(reference) => {
                self.push(Kind::Reference(reference));
                Ok(())
            }
            Tag::Open(block, path) => {
                let opened = self.blocks.open(block, path, bounds.tag, false, self.ops.len());
                self.push(opened);
                Ok(())
            }
            Tag::OpenRaw => self.raw(bounds),
            Tag::Else => self.otherwise(None, bounds.tag),
            Tag::ElseIf(path) => self.otherwise(Some(path), bounds.tag),
            Tag::Close(block) => {
                self.flush();
                self.blocks.close(block, bounds.tag, self.text, &mut self.ops)
            }
            Tag::CloseRaw => Err(Problem::new(
                codes::CLOSE_WITHOUT_OPEN,
                bounds.tag,
                "unmatched `{{/raw}}`: no `{{#raw}}` is open".into(),
            )
            .help("remove it, or write `{{#raw}}` before it")),
        };
        if let Err(problem) = done {
            self.problems.push(problem);
        }
    }

    /// Handles `{{else}}`, or `{{else if path}}`.
    fn otherwise(&mut self, condition: Option<Path>, tag: Span) -> Result<(), Problem> {
        self.flush();
        let at = self.ops.len();
        self.blocks.otherwise(condition.is_some(), tag, self.text, at)?;
        if let Some(path) = condition {
            let branch = self.blocks.open(Block::If, path, tag, true, at);
            self.push(branch);
        }
        Ok(())
    }

    /// Notes a fault of a tag. A block with an invalid head is still opened, so that its end is not
    /// another fault.
    fn refuse(&mut self, mut problem: Problem, bounds: Bounds) {
        if problem.span.is_empty() {
            problem.span = bounds.tag;
        }
        if let Some(block) = tag::block_of(self.text, bounds.inner) {
            self.flush();
            self.blocks.open_broken(block, bounds.tag, self.ops.len());
        }
        self.problems.push(problem);
    }

    /// Takes everything up to `{{/raw}}` as text.
    fn raw(&mut self, opened: Bounds) -> Result<(), Problem> {
        let mut seek = self.run;
        while let Some(open) = self.pair(b'{', seek) {
            let rest = self.text.get(open + 2..).unwrap_or_default();
            if let Some((after, trim_before, trim_after)) = raw_end(rest) {
                self.write(open, trim_before);
                self.run = self.text.len() - after.len();
                self.seek = self.run;
                self.trim = trim_after;
                return Ok(());
            }
            seek = open + 1;
        }
        self.run = self.text.len();
        self.seek = self.run;
        let message = "unclosed `{{#raw}}`: `{{/raw}}` is missing".into();
        Err(Problem::new(codes::UNCLOSED_BLOCK, opened.tag, message)
            .help("write `{{/raw}}` where the literal text ends"))
    }

    fn finish(mut self, most: usize) -> (Program, Vec<Problem>) {
        self.write(self.text.len(), false);
        self.flush();
        let room = most.saturating_sub(self.problems.len());
        self.problems.extend(self.blocks.finish(self.text, &mut self.ops, room));
        (Program::new(self.text, self.ops, self.segments), self.problems)
    }
}

/// Returns the position of the next two equal bytes.
fn pair(bytes: &[u8], byte: u8, mut from: usize) -> Option<usize> {
    loop {
        let at = from + memchr::memchr(byte, bytes.get(from..)?)?;
        if bytes.get(at + 1) == Some(&byte) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Returns the rest after the end of a raw block, if `rest` begins with the inside of its tag.
fn raw_end(rest: &str) -> Option<(&str, bool, bool)> {
    let (rest, before) = rest.strip_prefix('~').map_or((rest, false), |rest| (rest, true));
    let rest = rest.trim_start().strip_prefix('/')?.trim_start().strip_prefix("raw")?.trim_start();
    let (rest, after) = rest.strip_prefix('~').map_or((rest, false), |rest| (rest, true));
    Some((rest.strip_prefix("}}")?, before, after))
}

/// Creates a span; offsets fit, since a template is far smaller than 4 GiB.
fn span(start: usize, end: usize) -> Span {
    let at = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Span::new(at(start), at(end))
}
