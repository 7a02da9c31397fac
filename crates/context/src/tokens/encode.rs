//! Byte-pair encoding of one piece.
//!
//! Decision: tokens are found from left to right and not by joining pairs. A row of tokens is the
//! encoding of its bytes exactly if each two neighbours are the encoding of theirs: the longest
//! token is tried, then shorter ones, and where none fits the last token is taken back. A place
//! that led nowhere is remembered, so the time of a piece follows its length, whatever it holds.
//! (The method is that of the crate `bpe`, which the tests compare with.)

use super::vocabulary::{LONGEST, Node, Vocabulary};

/// The number of pairs that are remembered at first, and after the first fruitless place.
const FEW: usize = 64;
const MANY: usize = 4096;

#[derive(Clone, Copy)]
struct Token {
    id: u32,
    length: usize,
}

/// The encoder of pieces; it keeps its memory from one to the next.
pub(super) struct Encoder {
    vocabulary: Vocabulary,
    tokens: Vec<Token>,
    /// A bit for each place of the piece from which no encoding goes on; empty while there is none.
    dead: Vec<u64>,
    /// Pairs of tokens judged lately, with the verdict: in a run of one character few pairs come
    /// again and again, and to judge tokens of a hundred bytes takes long.
    judged: Vec<u64>,
    /// The beginnings of tokens from the last place on: one for each length.
    path: [Node; LONGEST],
}

impl Encoder {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        Self {
            vocabulary: *vocabulary,
            tokens: Vec::new(),
            dead: Vec::new(),
            judged: vec![u64::MAX; FEW],
            path: [Node::ROOT; LONGEST],
        }
    }

    #[inline]
    pub(super) fn count(&mut self, piece: &[u8]) -> usize {
        let whole = self.vocabulary.walk(Node::ROOT, piece);
        if whole.is_some_and(|node| self.vocabulary.token(node).is_some()) {
            return 1;
        }
        self.encode(piece);
        self.tokens.len()
    }

    /// Returns where the tokens of `piece` end, counted from its start.
    pub(super) fn ends(&mut self, piece: &[u8]) -> impl Iterator<Item = usize> {
        self.encode(piece);
        self.tokens.iter().scan(0, |end, token| {
            *end += token.length;
            Some(*end)
        })
    }

    fn encode(&mut self, piece: &[u8]) {
        self.tokens.clear();
        self.dead.clear();
        let (mut at, mut longest) = (0, LONGEST);
        while at < piece.len() {
            if let Some(token) = self.next(piece, at, longest) {
                self.tokens.push(token);
                at += token.length;
                longest = LONGEST;
                continue;
            }
            self.bury(at, piece.len());
            // Each byte is a token, so every piece has an encoding and the start is never reached.
            let Some(last) = self.tokens.pop() else { return };
            at -= last.length;
            longest = last.length - 1;
        }
    }

    /// Returns the longest token at `at` of at most `longest` bytes that goes on with the tokens
    /// so far.
    #[inline]
    fn next(&mut self, piece: &[u8], at: usize, longest: usize) -> Option<Token> {
        let deepest = self.descend(piece.get(at..)?, longest);
        for length in (1..=deepest).rev() {
            let Some(id) = self.token_of(length) else { continue };
            let token = Token { id, length };
            if !self.is_dead(at + length) && self.follows(piece, at, token) {
                return Some(token);
            }
        }
        None
    }

    /// Reports whether the last token and `next`, which begins at `at`, are the encoding of their
    /// bytes.
    #[inline]
    fn follows(&mut self, piece: &[u8], at: usize, next: Token) -> bool {
        let Some(last) = self.tokens.last().copied() else { return true };
        let pair = u64::from(last.id) << 32 | u64::from(next.id) << 1;
        let place =
            (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize & (self.judged.len() - 1);
        if let Some(verdict) = self.judged.get(place).filter(|verdict| **verdict & !1 == pair) {
            return verdict & 1 == 1;
        }
        let stays = self.stay(piece, at, last, next);
        if let Some(verdict) = self.judged.get_mut(place) {
            *verdict = pair | u64::from(stays);
        }
        stays
    }

    /// Fills the path with the beginnings of `rest` and returns how many bytes the longest has.
    #[inline]
    fn descend(&mut self, rest: &[u8], longest: usize) -> usize {
        let mut node = Node::ROOT;
        let mut depth = 0;
        for (step, byte) in self.path.iter_mut().zip(rest).take(longest) {
            let Some(child) = self.vocabulary.child(node, *byte) else { break };
            node = child;
            *step = child;
            depth += 1;
        }
        depth
    }

    /// Returns the token of the first `length` bytes of the path.
    #[inline]
    fn token_of(&self, length: usize) -> Option<u32> {
        self.vocabulary.token(*self.path.get(length.checked_sub(1)?)?)
    }

    /// Reports whether `left` and `right`, which meet at `at`, stay as they are: whether no pair
    /// across that place is joined before both are.
    ///
    /// They are taken apart in the reverse order of their joining. Before each step the parts that
    /// touch must not make a token of a lower rank than what was taken apart last.
    #[inline]
    fn stay(&self, piece: &[u8], at: usize, mut left: Token, mut right: Token) -> bool {
        let vocabulary = self.vocabulary;
        let mut limit = u32::MAX;
        let part = |token: Token| piece.get(at - token.length..at).unwrap_or_default();
        let Some(mut across) = vocabulary.walk(Node::ROOT, part(left)) else { return true };
        loop {
            let joined = piece.get(at..at + right.length).and_then(|bytes| {
                let token = vocabulary.token(vocabulary.walk(across, bytes)?)?;
                (vocabulary.split(token) == left.length).then_some(token)
            });
            if joined.is_some_and(|token| token < limit) {
                return false;
            }
            let is_left = match (left.length, right.length) {
                (1, 1) => return true,
                (_, 1) => true,
                (1, _) => false,
                _ => left.id > right.id,
            };
            if is_left {
                limit = left.id;
                left.length -= vocabulary.split(left.id);
                let Some(node) = vocabulary.walk(Node::ROOT, part(left)) else { return true };
                let Some(id) = vocabulary.token(node) else { return true };
                (left.id, across) = (id, node);
            } else {
                limit = right.id + 1;
                right.length = vocabulary.split(right.id);
                let Some(id) = self.token_of(right.length) else { return true };
                right.id = id;
            }
        }
    }

    #[inline]
    fn is_dead(&self, at: usize) -> bool {
        self.dead.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }

    fn bury(&mut self, at: usize, length: usize) {
        self.judged.resize(MANY, u64::MAX);
        self.dead.resize(length / 64 + 1, 0);
        if let Some(bits) = self.dead.get_mut(at / 64) {
            *bits |= 1 << (at % 64);
        }
    }
}
