//! The order in which candidates are packed (MA-7).
//!
//! Decision: of candidates that rank one after the other, what says something new goes first
//! (maximal marginal relevance): the same words on the pages of four versions would take the whole
//! budget. Groups keep their order, which is a rule of the pack's profile.

use super::block::Block;
use super::compose::{Part, Ranked, Sheet, Shown};
use super::shingles::Shingles;
use std::collections::{HashMap, VecDeque};

/// The number of candidates among which the next one is chosen.
const WINDOW: usize = 12;
/// The part of its score that a candidate loses when all of it is shown already.
const REDUNDANT: f32 = 0.5;

/// The candidates that are still to be packed.
pub(super) struct Queue {
    waiting: VecDeque<(Part, Ranked)>,
    /// The blocks that were looked at and not yet packed; `None` for one that can't be read.
    read: HashMap<(usize, usize), Option<Looked>>,
}

/// A candidate that was looked at.
struct Looked {
    block: Block,
    shingles: Shingles,
    /// The number of shown sections that it was compared with, and the largest share of it that one
    /// of them has: each step compares with those that came since.
    compared: usize,
    redundancy: f32,
}

impl Looked {
    fn redundancy(&mut self, shown: &[Shown]) -> f32 {
        let new = shown.get(self.compared..).unwrap_or_default();
        let held = new.iter().map(|shown| self.shingles.held(&shown.shingles));
        self.redundancy = held.fold(self.redundancy, f32::max);
        self.compared = shown.len();
        self.redundancy
    }
}

impl Queue {
    pub(super) fn new(sheets: &[Sheet], order: Vec<Part>) -> Self {
        let ranked = |part: Part| {
            let ranked = sheets.get(part.pack)?.candidates.get(part.candidate)?;
            Some((part, *ranked))
        };
        Self { waiting: order.into_iter().filter_map(ranked).collect(), read: HashMap::new() }
    }

    /// Returns how many are left.
    pub(super) fn left(&self) -> usize {
        self.waiting.len()
    }

    /// Takes out the candidate that goes next beside what is shown.
    pub(super) fn next(
        &mut self,
        shown: &[Shown],
        block: &dyn Fn(Part) -> Option<Block>,
    ) -> Option<Part> {
        let (head, ranked) = *self.waiting.front()?;
        if shown.is_empty() {
            self.waiting.pop_front();
            return Some(head);
        }
        let is_beside =
            |(part, other): &(Part, Ranked)| part.pack == head.pack && other.group == ranked.group;
        let window: Vec<(usize, Part, f32)> = self
            .waiting
            .iter()
            .take(WINDOW)
            .enumerate()
            .filter(|(_, one)| is_beside(one))
            .map(|(at, (part, ranked))| (at, *part, ranked.score))
            .collect();
        let mut best: Option<(usize, f32)> = None;
        for (at, part, score) in window {
            // What is worth less than the best one even if all of it is new comes later.
            if best.is_some_and(|(_, value)| score <= value) {
                break;
            }
            let value = score * (1.0 - REDUNDANT * self.redundancy(part, shown, block));
            if best.is_none_or(|(_, other)| value > other) {
                best = Some((at, value));
            }
        }
        let (at, _) = best?;
        self.waiting.remove(at).map(|(part, _)| part)
    }

    /// Returns a candidate's block with the runs of its words; `None` when it can't be read.
    pub(super) fn block(
        &mut self,
        part: Part,
        block: &dyn Fn(Part) -> Option<Block>,
    ) -> Option<(Block, Shingles)> {
        self.look(part, block);
        let looked = self.read.remove(&(part.pack, part.candidate)).flatten()?;
        Some((looked.block, looked.shingles))
    }

    /// Returns the largest share of a candidate that one shown section has.
    fn redundancy(
        &mut self,
        part: Part,
        shown: &[Shown],
        block: &dyn Fn(Part) -> Option<Block>,
    ) -> f32 {
        self.look(part, block).map_or(0.0, |looked| looked.redundancy(shown))
    }

    fn look(&mut self, part: Part, block: &dyn Fn(Part) -> Option<Block>) -> Option<&mut Looked> {
        let read = || {
            let block = block(part)?;
            let shingles = Shingles::of(&block.text);
            Some(Looked { block, shingles, compared: 0, redundancy: 0.0 })
        };
        self.read.entry((part.pack, part.candidate)).or_insert_with(read).as_mut()
    }
}
