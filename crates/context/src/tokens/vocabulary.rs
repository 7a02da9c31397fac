//! A vocabulary, searched where it lies in the program.
//!
//! Decision: the file is a trie of all tokens in a double array, and for each token the place where
//! byte-pair encoding joined it. It is read as it stands: nothing is decoded at start, and a run
//! touches the pages of the tokens that its texts hold. `cargo dev generate` writes the file from
//! the published ranks; `crates/dev/src/vocabulary/trie.rs` describes its slots.

/// The longest token of a vocabulary, in bytes.
pub(super) const LONGEST: usize = 128;

/// The first line of a file, and the number of tokens.
const HEADER: usize = 128;
const LABEL_SHIFT: u32 = 23;
const LEAF: u32 = 1 << 22;
const ENDS: u32 = 1 << 21;
const PAYLOAD: u32 = ENDS - 1;

pub(super) static O200K: Vocabulary = Vocabulary::new(include_bytes!("o200k_base.vocabulary"));
pub(super) static CL100K: Vocabulary = Vocabulary::new(include_bytes!("cl100k_base.vocabulary"));

#[derive(Clone, Copy)]
pub(super) struct Vocabulary {
    splits: &'static [u8],
    slots: &'static [[u8; 4]],
}

/// A beginning of tokens.
#[derive(Clone, Copy)]
pub(super) struct Node(u32);

impl Node {
    /// The beginning of all tokens: it has no bytes yet, and its base is 0.
    pub(super) const ROOT: Self = Self(0);
}

impl Vocabulary {
    const fn new(file: &'static [u8]) -> Self {
        let none = Self { splits: &[], slots: &[] };
        let Some((header, body)) = file.split_first_chunk::<HEADER>() else { return none };
        let Some(count) = header.last_chunk::<4>() else { return none };
        let Some((splits, slots)) = body.split_at_checked(u32::from_le_bytes(*count) as usize)
        else {
            return none;
        };
        Self { splits, slots: slots.as_chunks::<4>().0 }
    }

    #[inline]
    fn slot(self, at: usize) -> u32 {
        self.slots.get(at).map_or(u32::MAX, |slot| u32::from_le_bytes(*slot))
    }

    /// Returns what begins with `node` and goes on with `byte`.
    #[inline]
    pub(super) fn child(self, node: Node, byte: u8) -> Option<Node> {
        if node.0 & LEAF != 0 {
            return None;
        }
        let label = u32::from(byte) + 1;
        let value = self.slot(((node.0 & PAYLOAD) + label) as usize);
        (value >> LABEL_SHIFT == label).then_some(Node(value))
    }

    #[inline]
    pub(super) fn token(self, node: Node) -> Option<u32> {
        if node.0 & LEAF != 0 {
            return Some(node.0 & PAYLOAD);
        }
        (node.0 & ENDS != 0).then(|| self.slot((node.0 & PAYLOAD) as usize))
    }

    /// Returns what begins with `node` and goes on with all of `bytes`.
    #[inline]
    pub(super) fn walk(self, node: Node, bytes: &[u8]) -> Option<Node> {
        bytes.iter().try_fold(node, |node, byte| self.child(node, *byte))
    }

    /// Returns the length of the first of the two parts that `token` is joined from, 0 for a single
    /// byte.
    #[inline]
    pub(super) fn split(self, token: u32) -> usize {
        self.splits.get(token as usize).map_or(0, |split| usize::from(*split))
    }
}
