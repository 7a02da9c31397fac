//! Which lines of a Markdown text are code, and which make one run of inline text.
//!
//! Block quotes and list items are followed as CommonMark has them, since code belongs to the
//! container that it is opened in. HTML counts as running text. Decision: the indent of what stands
//! inside a tag is layout and not code, after a blank line, too: `<role>` has indented text.

use super::line::{self, Cursor, Fence};

/// Deeper containers are taken for text: nobody writes them, and blank lines must stay cheap.
const MAX_CONTAINERS: usize = 100;

/// Whole lines that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) start: usize,
    pub(super) end: usize,
    /// A code fence, with the lines of the fence itself, or indented code.
    pub(super) is_code: bool,
    /// Lines that a comment begins; without its end it takes all of them.
    pub(super) is_comment: bool,
    /// A row of a table, or at least a line that begins as one does.
    pub(super) is_table_row: bool,
}

#[derive(Debug, Clone, Copy)]
enum Container {
    Quote,
    /// Columns to the text of the item, and whether nothing has stood in it yet.
    Item {
        width: usize,
        is_empty: bool,
    },
}

/// The innermost open block.
#[derive(Debug, Clone, Copy)]
enum Leaf {
    None,
    Paragraph { may_be_head: bool },
    Table,
    Fence(Fence),
    Comment,
}

/// The effect of a line on the block before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Continues,
    Text,
    Code,
    Comment,
}

/// The blocks of a text in order, without gaps.
#[derive(Debug, Clone)]
pub(super) struct Blocks<'a> {
    bytes: &'a [u8],
    /// The start of the next line.
    at: usize,
    /// The block that the lines read so far have begun.
    open: Option<(usize, Step)>,
    containers: Vec<Container>,
    leaf: Leaf,
    /// The number of tags that are open.
    tags: usize,
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        while self.at < self.bytes.len() {
            let start = self.at;
            self.at = line::end(self.bytes, start);
            let line = self.bytes.get(start..self.at).unwrap_or_default();
            let step = self.line(Cursor::new(line));
            if step == Step::Continues && self.open.is_some() {
                continue;
            }
            if let Some(block) = self.open.replace((start, step)) {
                return Some(self.block(block, start));
            }
        }
        let block = self.open.take()?;
        Some(self.block(block, self.bytes.len()))
    }
}

impl<'a> Blocks<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        // A byte order mark is not part of the first line.
        let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let bytes = text.as_bytes();
        Self { bytes, at: bom, open: None, containers: Vec::new(), leaf: Leaf::None, tags: 0 }
    }

    fn block(&self, (start, step): (usize, Step), end: usize) -> Block {
        let text = self.bytes.get(start..end).unwrap_or_default();
        let first = text.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'>'));
        let (is_code, is_comment) = (step == Step::Code, step == Step::Comment);
        Block { start, end, is_code, is_comment, is_table_row: first == Some(&b'|') }
    }

    fn line(&mut self, mut cursor: Cursor<'a>) -> Step {
        let matched = self.matched(&mut cursor);
        let is_inside = matched == self.containers.len();
        let is_last = match self.leaf {
            Leaf::Fence(fence) => Some(cursor.closes(fence)),
            Leaf::Comment => Some(cursor.ends_comment()),
            _ => None,
        };
        if is_last.is_some_and(|is_last| is_last || !is_inside) {
            self.leaf = Leaf::None;
        }
        if is_last.is_some() && is_inside {
            return Step::Continues;
        }
        let mut state = Opening { matched, is_inside, has_opened: false };
        if let Some(step) = self.open_blocks(&mut cursor, &mut state) {
            return step;
        }
        self.text(cursor, state)
    }

    /// Returns the number of containers that continue in this line; moves behind their signs.
    fn matched(&mut self, cursor: &mut Cursor<'a>) -> usize {
        let is_blank = cursor.is_blank();
        for (index, container) in self.containers.iter_mut().enumerate() {
            match container {
                Container::Quote => match cursor.quote() {
                    Some(rest) => *cursor = rest,
                    None => return index,
                },
                Container::Item { is_empty, .. } if is_blank || cursor.is_blank() => {
                    // An item may begin with one blank line at most.
                    if *is_empty {
                        return index;
                    }
                }
                Container::Item { width, is_empty } => {
                    if cursor.indent() < *width {
                        return index;
                    }
                    cursor.skip_columns(*width);
                    *is_empty = false;
                }
            }
        }
        self.containers.len()
    }

    /// Opens what begins in this line; gives a step when the line is read with that.
    fn open_blocks(&mut self, cursor: &mut Cursor<'a>, state: &mut Opening) -> Option<Step> {
        loop {
            let is_in_paragraph = state.is_inside && matches!(self.leaf, Leaf::Paragraph { .. });
            if cursor.indent() >= 4 {
                return None;
            }
            if let Some(rest) = cursor.quote().filter(|_| self.has_room(state)) {
                self.push(Container::Quote, state);
                *cursor = rest;
            } else if let Some(fence) = cursor.fence() {
                self.close_unmatched(state);
                self.leaf = Leaf::Fence(fence);
                return Some(Step::Code);
            } else if cursor.begins_comment() {
                self.close_unmatched(state);
                self.leaf = if cursor.ends_comment() { Leaf::None } else { Leaf::Comment };
                return Some(Step::Comment);
            } else if is_in_paragraph && cursor.is_underline() {
                self.leaf = Leaf::None;
                return Some(Step::Continues);
            } else if cursor.is_heading() || cursor.is_break() {
                self.close_unmatched(state);
                self.leaf = Leaf::None;
                return Some(Step::Text);
            } else if let Some(marker) =
                cursor.marker().filter(|it| it.may_interrupt || !is_in_paragraph)
                && self.has_room(state)
            {
                let is_empty = marker.rest.is_blank();
                self.push(Container::Item { width: marker.width, is_empty }, state);
                *cursor = marker.rest;
            } else {
                return None;
            }
        }
    }

    fn has_room(&self, state: &Opening) -> bool {
        let kept = if state.is_inside { self.containers.len() } else { state.matched };
        kept < MAX_CONTAINERS
    }

    fn push(&mut self, container: Container, state: &mut Opening) {
        self.close_unmatched(state);
        self.containers.push(container);
        self.leaf = Leaf::None;
        state.has_opened = true;
    }

    fn close_unmatched(&mut self, state: &mut Opening) {
        if !state.is_inside {
            self.containers.truncate(state.matched);
            self.leaf = Leaf::None;
            state.is_inside = true;
        }
    }

    /// Returns a line of text or of indented code, or a blank one.
    fn text(&mut self, cursor: Cursor<'a>, mut state: Opening) -> Step {
        if cursor.is_blank() {
            self.close_unmatched(&mut state);
            self.leaf = Leaf::None;
            return Step::Text;
        }
        let is_in_tag = self.tags > 0;
        let (opened, closed) = cursor.tags();
        self.tags = (self.tags + opened).saturating_sub(closed);
        let is_paragraph = matches!(self.leaf, Leaf::Paragraph { .. });
        if is_paragraph && !state.has_opened {
            // Outside the containers of the paragraph this is a lazy continuation: they stay open.
            return self.continued(cursor, state.is_inside);
        }
        self.close_unmatched(&mut state);
        if matches!(self.leaf, Leaf::Table) {
            return Step::Text;
        }
        if cursor.indent() >= 4 {
            self.leaf = Leaf::None;
            return if is_in_tag { Step::Text } else { Step::Code };
        }
        self.leaf = Leaf::Paragraph { may_be_head: cursor.has_pipe() };
        Step::Text
    }

    fn continued(&mut self, cursor: Cursor<'a>, is_inside: bool) -> Step {
        let may_be_head = matches!(self.leaf, Leaf::Paragraph { may_be_head: true });
        if may_be_head && is_inside && cursor.is_table_rule() {
            self.leaf = Leaf::Table;
            return Step::Text;
        }
        self.leaf = Leaf::Paragraph { may_be_head: false };
        Step::Continues
    }
}

/// The progress of a line in opening containers.
struct Opening {
    /// The number of open containers that continue.
    matched: usize,
    /// True if that is all of them, or the others have been closed.
    is_inside: bool,
    has_opened: bool,
}
