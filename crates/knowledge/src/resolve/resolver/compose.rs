//! Packing: the most relevant sections that fit, fenced and counted as a whole (KN-11).

use super::block::Block;
use super::queue::Queue;
use super::shingles::Shingles;
use contexture_context::fence::Fence;
use contexture_context::tokens::TokenCounter;
use std::collections::HashSet;

/// With less than this left, in tokens, nothing more is tried.
const CRUMBS: u64 = 12;
/// The number of further sections that are tried once one did not fit.
const MORE: usize = 3;
/// The number of sections tried while there is nothing, whatever the budget: so the smallest budget
/// that holds something is found.
const FIRST: usize = 32;
/// A section of which so much of the guessed size is left is not tried.
const SURELY: f64 = 0.6;
/// A section is cut only when it has at least this share of the best score of its pack.
const WORTH_CUTTING: f32 = 0.5;

/// Texts that share so much of their runs of words say the same.
const NEAR_DUPLICATE: f32 = 0.8;
/// What is about the task in a section must have so many runs of words, and be this part of it (one
/// in so many), for a section that has all of them to say the same: a note on each page does not
/// make them one.
const PASSAGE: usize = 12;
const PART_OF_SECTION: usize = 4;

pub(super) struct Sheet {
    pub(super) fence: Fence,
    /// True if a list of sources ends it.
    pub(super) lists_sources: bool,
    /// The match of the pack with the task.
    pub(super) weight: f32,
    /// Its candidates, in their order.
    pub(super) candidates: Vec<Ranked>,
}

/// A candidate as it was ranked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ranked {
    pub(super) score: f32,
    pub(super) bytes: usize,
    pub(super) group: usize,
}

impl Sheet {
    fn best(&self) -> f32 {
        self.candidates.iter().map(|one| one.score).fold(0.0, f32::max)
    }
}

/// A candidate, by its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) pack: usize,
    pub(super) candidate: usize,
}

pub(super) struct Shown {
    pub(super) pack: usize,
    pub(super) block: Block,
    pub(super) tokens: u64,
    /// The length of the text that is kept, and the tokens of the whole.
    pub(super) cut: Option<(usize, u64)>,
    /// The citations of what says the same and is left out.
    pub(super) near_duplicates: Vec<String>,
    pub(super) shingles: Shingles,
}

impl Shown {
    pub(super) fn kept(&self) -> Option<usize> {
        self.cut.map(|(kept, _)| kept)
    }

    /// Reports whether it says the same as another section, or what that one says about the task.
    fn says(&self, block: &Block, shingles: &Shingles) -> bool {
        self.block.text.trim() == block.text.trim()
            || self.shingles.alike(shingles) >= NEAR_DUPLICATE
            || self.cut.is_none() && self.has_passage(block, shingles)
    }

    fn has_passage(&self, block: &Block, shingles: &Shingles) -> bool {
        // A passage of both is a part of what they share, which is known already.
        if self.shingles.common(shingles) < PASSAGE {
            return false;
        }
        let passage = block.answering();
        let runs = passage.count();
        runs >= PASSAGE
            && runs * PART_OF_SECTION >= shingles.count()
            && passage.are_in(&self.shingles)
    }
}

#[derive(Default)]
pub(super) struct Composed {
    pub(super) context: String,
    pub(super) tokens: u64,
    pub(super) shown: Vec<Shown>,
    /// The number of sections that match and did not fit.
    pub(super) left_out: usize,
    /// The smallest budget that would have held something, when nothing fitted.
    pub(super) needs: Option<u64>,
}

struct Packing<'a> {
    sheets: Vec<Sheet>,
    budget: u64,
    counter: &'a dyn TokenCounter,
    used: u64,
    begun: HashSet<usize>,
    sources: HashSet<(usize, String)>,
    shown: Vec<Shown>,
    left_out: usize,
    needs: Option<u64>,
    /// The bytes and tokens counted so far.
    counted: (usize, u64),
    has_cut: bool,
}

/// Packs candidates under a budget; `block` gives each with its text.
pub(super) fn compose(
    sheets: Vec<Sheet>,
    budget: u64,
    counter: &dyn TokenCounter,
    block: &dyn Fn(Part) -> Option<Block>,
) -> Composed {
    let mut queue = Queue::new(&sheets, order(&sheets));
    let mut packing = Packing {
        sheets,
        budget,
        counter,
        used: 0,
        begun: HashSet::new(),
        sources: HashSet::new(),
        shown: Vec::new(),
        left_out: 0,
        needs: None,
        counted: (0, 0),
        has_cut: false,
    };
    let mut tries = usize::MAX;
    let mut at = 0;
    while let Some(part) = queue.next(&packing.shown, block) {
        let is_empty = packing.shown.is_empty() && at < FIRST;
        let is_full = budget.saturating_sub(packing.used) < CRUMBS && packing.needs.is_some();
        if !is_empty && (tries == 0 || is_full) {
            packing.left_out += 1 + queue.left();
            break;
        }
        if !is_empty && tries != usize::MAX && packing.surely_too_long(part) {
            packing.left_out += 1;
            continue;
        }
        at += 1;
        let Some((block, shingles)) = queue.block(part, block) else { continue };
        if !packing.place(part, block, shingles) {
            packing.left_out += 1;
            tries = tries.min(MORE);
        }
        if packing.has_cut {
            tries = tries.min(MORE);
        }
        tries = tries.saturating_sub(usize::from(tries != usize::MAX));
    }
    packing.finish()
}

/// Returns all candidates: those of each pack in their order, packs mixed by relevance.
pub(super) fn order(sheets: &[Sheet]) -> Vec<Part> {
    let mut next: Vec<usize> = vec![0; sheets.len()];
    let mut order = Vec::new();
    loop {
        let heads = sheets.iter().zip(&next).enumerate().filter_map(|(pack, (sheet, next))| {
            let score = sheet.candidates.get(*next)?.score;
            Some((pack, sheet.weight * score / sheet.best().max(f32::MIN_POSITIVE)))
        });
        // The first of equals: packs are given in their precedence.
        let best = heads.fold(None, |best: Option<(usize, f32)>, head| match best {
            Some(best) if best.1 >= head.1 => Some(best),
            _ => Some(head),
        });
        let Some((pack, _)) = best else { return order };
        let Some(candidate) = next.get_mut(pack) else { return order };
        order.push(Part { pack, candidate: *candidate });
        *candidate += 1;
    }
}

impl Packing<'_> {
    fn count(&self, text: &str) -> u64 {
        self.counter.count(text) as u64
    }

    /// Reports whether a section is so long, as sections of these texts go, that reading it is
    /// idle.
    fn surely_too_long(&self, part: Part) -> bool {
        let size =
            self.sheets.get(part.pack).and_then(|sheet| sheet.candidates.get(part.candidate));
        let Some(Ranked { bytes, .. }) = size else { return false };
        let (seen, tokens) = self.counted;
        let guess = *bytes as f64 * tokens as f64 / seen.max(1) as f64;
        guess * SURELY > self.budget.saturating_sub(self.used) as f64
    }

    /// Takes a section in, whole or cut. False when it does not fit.
    fn place(&mut self, part: Part, block: Block, shingles: Shingles) -> bool {
        let Some(sheet) = self.sheets.get(part.pack) else { return true };
        if let Some(same) = self.shown.iter_mut().find(|shown| shown.says(&block, &shingles)) {
            same.near_duplicates.push(block.citation(None));
            return true;
        }
        let frame = if self.begun.contains(&part.pack) {
            0
        } else {
            self.count(&sheet.fence.wrap("")) + 2 + if sheet.lists_sources { 4 } else { 0 }
        };
        let left = self.budget.saturating_sub(self.used);
        let whole = self.cost(part.pack, &block, None);
        self.counted = (self.counted.0 + block.text.len(), self.counted.1 + whole.0);
        if frame + whole.0 + whole.1 <= left {
            self.push(part.pack, (block, shingles), None, frame, whole);
            return true;
        }
        let Some(sheet) = self.sheets.get(part.pack) else { return true };
        let score = sheet.candidates.get(part.candidate).map_or(0.0, |one| one.score);
        let is_first = self.left_out == 0 && !self.has_cut;
        let is_worth_it =
            self.shown.is_empty() || is_first && score >= sheet.best() * WORTH_CUTTING;
        let ends = if is_worth_it || self.needs.is_none() { block.ends() } else { Vec::new() };
        if is_worth_it
            && let Some((end, cost)) =
                self.cut(part.pack, &block, &ends, left.saturating_sub(frame))
        {
            self.has_cut = true;
            self.push(part.pack, (block, shingles), Some((end, whole.0)), frame, cost);
            return true;
        }
        if !self.shown.is_empty() {
            let least = ends.first().map_or(whole, |end| self.cost(part.pack, &block, Some(*end)));
            let needs = frame + least.0 + least.1;
            self.needs = Some(self.needs.map_or(needs, |other| other.min(needs)));
            return false;
        }
        self.place_alone(part.pack, (block, shingles), ends.first().copied(), whole.0)
    }

    /// Takes the first section in, whole or as its smallest piece, if it fits as it will stand:
    /// sums of parts come out some tokens high.
    fn place_alone(
        &mut self,
        pack: usize,
        (block, shingles): (Block, Shingles),
        end: Option<usize>,
        whole: u64,
    ) -> bool {
        let near_duplicates = Vec::new();
        let mut alone = Shown { pack, block, tokens: whole, cut: None, near_duplicates, shingles };
        for cut in [None, end.map(|end| (end, whole))] {
            alone.cut = cut;
            self.shown.push(alone);
            let needs = self.count(&self.render());
            let Some(back) = self.shown.pop() else { return false };
            if needs <= self.budget {
                let (tokens, _) = self.cost(pack, &back.block, back.kept());
                self.has_cut |= cut.is_some();
                let own = (back.block, back.shingles);
                self.push(pack, own, cut, needs.saturating_sub(tokens), (tokens, 0));
                return true;
            }
            self.needs = Some(self.needs.map_or(needs, |other| other.min(needs)));
            alone = back;
        }
        false
    }

    /// Returns the longest beginning that ends at the end of a paragraph and fits.
    fn cut(
        &self,
        pack: usize,
        block: &Block,
        ends: &[usize],
        left: u64,
    ) -> Option<(usize, (u64, u64))> {
        // The tokens of the pieces say about where; only then it is counted as it will stand.
        let mut guess = 0;
        let mut from = 0;
        let mut at = 0_usize;
        for end in ends {
            guess += self.count(block.text.get(from..*end).unwrap_or_default());
            if guess > left {
                break;
            }
            (from, at) = (*end, at + 1);
        }
        while let Some(end) = at.checked_sub(1).and_then(|last| ends.get(last)) {
            let cost = self.cost(pack, block, Some(*end));
            if cost.0 + cost.1 <= left {
                return Some((*end, cost));
            }
            at -= 1;
        }
        None
    }

    /// Returns the tokens of a section, and of the sources that it adds to the list.
    fn cost(&self, pack: usize, block: &Block, kept: Option<usize>) -> (u64, u64) {
        let Some(sheet) = self.sheets.get(pack) else { return (0, 0) };
        let text = block.render(kept);
        // The blank line behind it.
        let own = self.count(&sheet.fence.escape(&text)) + 1;
        if !sheet.lists_sources {
            return (own, 0);
        }
        let anchors = block.anchors(kept).into_iter();
        let new = anchors.filter(|anchor| !self.sources.contains(&(pack, anchor.clone())));
        (own, new.map(|anchor| self.count(&format!("- {anchor}\n")) + 1).sum())
    }

    fn push(
        &mut self,
        pack: usize,
        (block, shingles): (Block, Shingles),
        cut: Option<(usize, u64)>,
        frame: u64,
        (tokens, sources): (u64, u64),
    ) {
        self.used += frame + tokens + sources;
        self.begun.insert(pack);
        let anchors = block.anchors(cut.map(|(kept, _)| kept));
        self.sources.extend(anchors.into_iter().map(|anchor| (pack, anchor)));
        let near_duplicates = Vec::new();
        self.shown.push(Shown { pack, block, tokens, cut, near_duplicates, shingles });
    }

    /// Writes the context, counts it, and takes sections away until it fits.
    fn finish(mut self) -> Composed {
        loop {
            let context = self.render();
            let tokens = self.count(&context);
            if tokens <= self.budget {
                let Self { shown, left_out, needs, .. } = self;
                let needs = needs.filter(|_| shown.is_empty());
                return Composed { context, tokens, shown, left_out, needs };
            }
            self.left_out += 1;
            self.needs = self.needs.or(Some(tokens));
            if self.shown.pop().is_none() {
                return Composed {
                    left_out: self.left_out,
                    needs: self.needs,
                    ..Composed::default()
                };
            }
        }
    }

    fn render(&self) -> String {
        let mut parts = Vec::new();
        let mut packs: Vec<usize> = Vec::new();
        for shown in &self.shown {
            if !packs.contains(&shown.pack) {
                packs.push(shown.pack);
            }
        }
        for pack in packs {
            if let Some(sheet) = self.sheets.get(pack) {
                let shown: Vec<&Shown> = self.shown.iter().filter(|s| s.pack == pack).collect();
                parts.push(sheet.fence.wrap(&body(&shown, sheet.lists_sources)));
            }
        }
        parts.join("\n")
    }
}

/// Returns what stands inside a fence.
fn body(shown: &[&Shown], lists_sources: bool) -> String {
    let texts: Vec<String> = shown.iter().map(|shown| shown.block.render(shown.kept())).collect();
    let mut body = texts.join("\n\n");
    let mut sources: Vec<String> = Vec::new();
    for anchor in shown.iter().flat_map(|shown| shown.block.anchors(shown.kept())) {
        if !sources.contains(&anchor) {
            sources.push(anchor);
        }
    }
    if lists_sources && !sources.is_empty() {
        body.push_str("\n\nSources:\n- ");
        body.push_str(&sources.join("\n- "));
    }
    body
}
