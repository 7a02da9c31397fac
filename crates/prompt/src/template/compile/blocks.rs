//! The blocks that are open while a template is read.

use super::fault::{Code, Problem};
use crate::template::ops::{Branch, Extent, Op, Path};
use crate::template::tag::{Block, excerpt};
use contexture_diagnostic::Span;

#[derive(Default)]
pub(super) struct Blocks {
    open: Vec<Frame>,
}

struct Frame {
    block: Block,
    /// Its first tag.
    tag: Span,
    /// Where its operation stands; none when its head could not be read.
    op: Option<usize>,
    /// Where its body begins.
    body: usize,
    /// Its `else`: the tag, and where what follows it begins.
    other: Option<(Span, usize)>,
    /// An `else if`: closed together with the block it belongs to.
    chained: bool,
}

impl Blocks {
    pub(super) fn open(&mut self, block: Block, path: Path, tag: Span, ops: &mut Vec<Op>) {
        self.push(block, path, tag, false, ops);
    }

    fn push(&mut self, block: Block, path: Path, tag: Span, chained: bool, ops: &mut Vec<Op>) {
        let extent = Extent::default();
        let op = ops.len();
        ops.push(match block {
            Block::Each => Op::Loop(path, extent),
            Block::If | Block::Unless => {
                let negated = block == Block::Unless;
                Op::Branch(Branch { path, negated, chained, extent })
            }
        });
        self.open.push(Frame { block, tag, op: Some(op), body: op + 1, other: None, chained });
    }

    /// Opens a block whose head is no good, so that its end finds it.
    pub(super) fn open_broken(&mut self, block: Block, tag: Span, at: usize) {
        self.open.push(Frame { block, tag, op: None, body: at, other: None, chained: false });
    }

    /// `{{else}}`, or `{{else if path}}`.
    pub(super) fn otherwise(
        &mut self,
        condition: Option<Path>,
        tag: Span,
        text: &str,
        ops: &mut Vec<Op>,
    ) -> Result<(), Problem> {
        let word = if condition.is_some() { "else if" } else { "else" };
        let Some(frame) = self.open.last_mut() else {
            let message = format!("`{{{{{word}}}}}` stands in no block");
            return Err(Problem::new(Code::StrayElse, tag, message)
                .help("it belongs between `{{#if}}`, `{{#unless}}` or `{{#each}}` and its end"));
        };
        if let Some((first, _)) = frame.other {
            let block = shown(text, frame.tag);
            let message = format!("`{{{{{word}}}}}` comes after the `{{{{else}}}}` of `{block}`");
            return Err(Problem::new(Code::SecondElse, tag, message)
                .related("the `{{else}}` stands", first)
                .help("a block has one `{{else}}`, and it is the last part"));
        }
        frame.other = Some((tag, ops.len()));
        if let Some(path) = condition {
            self.push(Block::If, path, tag, true, ops);
        }
        Ok(())
    }

    pub(super) fn close(
        &mut self,
        block: Block,
        tag: Span,
        text: &str,
        ops: &mut Vec<Op>,
    ) -> Result<(), Problem> {
        let word = block.word();
        let Some(top) = self.open.iter().rev().find(|frame| !frame.chained) else {
            let message = format!("`{{{{/{word}}}}}` closes nothing: no block is open");
            return Err(Problem::new(Code::CloseWithoutOpen, tag, message)
                .help(format!("remove it, or write `{{{{#{word} name}}}}` before it")));
        };
        if top.block == block {
            self.pop(ops);
            return Ok(());
        }
        let (open, meant) = (shown(text, top.tag), top.block.word());
        let problem = Problem::new(
            Code::WrongClose,
            tag,
            format!("`{{{{/{word}}}}}` does not close `{open}`, which is still open"),
        )
        .related("opened", top.tag)
        .help(format!("`{open}` is closed by `{{{{/{meant}}}}}`"));
        // When an outer block is meant, those inside it are at fault and end with it.
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

    /// Closes what is left and tells each block that was not closed, outermost first.
    pub(super) fn finish(&mut self, text: &str, ops: &mut [Op]) -> Vec<Problem> {
        let unclosed = self.open.iter().filter(|frame| !frame.chained);
        let problems = unclosed.map(|frame| {
            let (open, word) = (shown(text, frame.tag), frame.block.word());
            let message = format!("`{open}` is never closed: `{{{{/{word}}}}}` is missing");
            Problem::new(Code::UnclosedBlock, frame.tag, message)
                .help(format!("write `{{{{/{word}}}}}` where the block ends"))
        });
        let problems = problems.collect();
        while self.pop(ops).is_some() {}
        problems
    }
}

impl Frame {
    /// Writes into the block's operation how far it reaches.
    fn seal(&self, end: usize, ops: &mut [Op]) {
        let then_end = self.other.map_or(end, |(_, start)| start);
        let length = |from: usize, to: usize| u32::try_from(to.saturating_sub(from)).unwrap_or(0);
        let reach = Extent { then: length(self.body, then_end), other: length(then_end, end) };
        match self.op.and_then(|op| ops.get_mut(op)) {
            Some(Op::Branch(branch)) => branch.extent = reach,
            Some(Op::Loop(_, extent)) => *extent = reach,
            _ => {}
        }
    }
}

/// A block's first tag as written, without white-space control and on one line.
fn shown(text: &str, tag: Span) -> String {
    let tag = text.get(tag.range()).unwrap_or_default();
    let inner = tag.trim_matches(['{', '}', '~']).trim();
    format!("{{{{{}}}}}", excerpt(inner))
}
