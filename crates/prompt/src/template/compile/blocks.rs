//! The open blocks while a template is parsed.

use crate::codes;
use crate::template::fault::Problem;
use crate::template::ops::{Branch, Extent, Kind, Op, Path};
use crate::template::tag::{Block, excerpt};
use contexture_diagnostic::Span;

#[derive(Default)]
pub(super) struct Blocks {
    open: Vec<Frame>,
}

struct Frame {
    block: Block,
    tag: Span,
    /// The position of its operation; none if its head is invalid.
    op: Option<usize>,
    body: usize,
    /// Its `else`: the tag, and the start of the text after it.
    other: Option<(Span, usize)>,
    /// True for an `else if`, closed together with its block.
    chained: bool,
}

impl Blocks {
    /// Opens a block whose operation is placed at `at`, and returns that operation. An `else if` is
    /// `chained`.
    pub(super) fn open(
        &mut self,
        block: Block,
        path: Path,
        tag: Span,
        chained: bool,
        at: usize,
    ) -> Kind {
        self.open.push(Frame { block, tag, op: Some(at), body: at + 1, other: None, chained });
        let extent = Extent::default();
        match block {
            Block::Each => Kind::Loop(path, extent),
            Block::If | Block::Unless => {
                let negated = block == Block::Unless;
                Kind::Branch(Branch { path, negated, chained, extent })
            }
        }
    }

    /// Opens a block with an invalid head, so that its end finds it.
    pub(super) fn open_broken(&mut self, block: Block, tag: Span, at: usize) {
        self.open.push(Frame { block, tag, op: None, body: at, other: None, chained: false });
    }

    pub(super) fn otherwise(
        &mut self,
        with_if: bool,
        tag: Span,
        text: &str,
        at: usize,
    ) -> Result<(), Problem> {
        let word = if with_if { "else if" } else { "else" };
        let Some(frame) = self.open.last_mut() else {
            let message = format!("`{{{{{word}}}}}` outside a block");
            return Err(Problem::new(codes::STRAY_ELSE, tag, message)
                .help("it belongs between `{{#if}}`, `{{#unless}}` or `{{#each}}` and its end"));
        };
        if let Some((first, _)) = frame.other {
            let block = shown(text, frame.tag);
            let message = format!("`{{{{{word}}}}}` comes after the `{{{{else}}}}` of `{block}`");
            return Err(Problem::new(codes::SECOND_ELSE, tag, message)
                .related("the `{{else}}` is", first)
                .help("a block has one `{{else}}`, and it is the last part"));
        }
        frame.other = Some((tag, at));
        Ok(())
    }

    pub(super) fn close(
        &mut self,
        block: Block,
        tag: Span,
        text: &str,
        ops: &mut [Op],
    ) -> Result<(), Problem> {
        let word = block.word();
        let Some(top) = self.open.iter().rev().find(|frame| !frame.chained) else {
            let message = format!("unmatched `{{{{/{word}}}}}`: no block is open");
            return Err(Problem::new(codes::CLOSE_WITHOUT_OPEN, tag, message)
                .help(format!("remove it, or write `{{{{#{word} name}}}}` before it")));
        };
        if top.block == block {
            self.pop(ops);
            return Ok(());
        }
        let (open, meant) = (shown(text, top.tag), top.block.word());
        let problem = Problem::new(
            codes::WRONG_CLOSE,
            tag,
            format!("`{{{{/{word}}}}}` does not close `{open}`, which is still open"),
        )
        .related("opened", top.tag)
        .help(format!("close `{open}` with `{{{{/{meant}}}}}`"));
        // If an outer block is meant, those inside it are at fault and end with it.
        if self.open.iter().any(|frame| !frame.chained && frame.block == block) {
            while let Some(inner) = self.pop(ops) {
                if inner == block {
                    break;
                }
            }
        }
        Err(problem)
    }

    /// Closes the innermost block with its `else if`s.
    fn pop(&mut self, ops: &mut [Op]) -> Option<Block> {
        let end = ops.len();
        loop {
            let frame = self.open.pop()?;
            frame.seal(end, ops);
            if !frame.chained {
                return Some(frame.block);
            }
        }
    }

    /// Closes the rest and returns the faults of the first `most` unclosed blocks, outermost first.
    pub(super) fn finish(&mut self, text: &str, ops: &mut [Op], most: usize) -> Vec<Problem> {
        let unclosed = self.open.iter().filter(|frame| !frame.chained).take(most);
        let problems = unclosed.map(|frame| {
            let (open, word) = (shown(text, frame.tag), frame.block.word());
            let message = format!("unclosed `{open}`: `{{{{/{word}}}}}` is missing");
            Problem::new(codes::UNCLOSED_BLOCK, frame.tag, message)
                .help(format!("write `{{{{/{word}}}}}` where the block ends"))
        });
        let problems = problems.collect();
        while self.pop(ops).is_some() {}
        problems
    }
}

impl Frame {
    /// Writes the end of the block into its operation.
    fn seal(&self, end: usize, ops: &mut [Op]) {
        let then_end = self.other.map_or(end, |(_, start)| start);
        let length = |from: usize, to: usize| u32::try_from(to.saturating_sub(from)).unwrap_or(0);
        let reach = Extent { then: length(self.body, then_end), other: length(then_end, end) };
        match self.op.and_then(|op| ops.get_mut(op)).map(|op| &mut op.kind) {
            Some(Kind::Branch(branch)) => branch.extent = reach,
            Some(Kind::Loop(_, extent)) => *extent = reach,
            _ => {}
        }
    }
}

/// Returns a block's first tag as written, without white-space control and on one line.
fn shown(text: &str, tag: Span) -> String {
    let tag = text.get(tag.range()).unwrap_or_default();
    let inner = tag.trim_matches(['{', '}', '~']).trim();
    format!("{{{{{}}}}}", excerpt(inner))
}
