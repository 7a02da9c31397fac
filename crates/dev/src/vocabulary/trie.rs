//! A trie in a double array.
//!
//! A slot is 32 bits: the label by which its node is reached (9), whether it is a leaf (1), whether
//! a token ends there (1), and the token of a leaf or the base of an inner node (21). The child by
//! byte `b` of a node stands at its base + 1 + `b`, the token of an inner node at its base. No two
//! nodes have one base, so a label names its parent. The root's base is 0.
#![expect(clippy::indexing_slicing, reason = "numbers of nodes and slots that this module made")]

use std::cmp::Reverse;
use std::collections::BTreeMap;

const LABEL_SHIFT: u32 = 23;
const LEAF: u32 = 1 << 22;
const ENDS: u32 = 1 << 21;
const EMPTY: u32 = 0x1ff << LABEL_SHIFT;

#[derive(Default)]
struct Node {
    /// By label: 0 is the node's own token, byte + 1 a child.
    edges: BTreeMap<usize, usize>,
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.edges.keys().all(|label| *label == 0)
    }
}

/// Returns the slots of the trie of `tokens`; a token's number is its place.
pub(super) fn double_array(tokens: &[&[u8]]) -> Vec<u32> {
    let nodes = trie(tokens);
    let mut inner: Vec<(usize, &Node)> =
        nodes.iter().enumerate().filter(|(_, node)| !node.is_leaf()).collect();
    // Nodes with many children need wide gaps; those with one fill what is left.
    inner.sort_by_key(|(_, node)| Reverse(node.edges.len()));
    let mut room = Room::default();
    let mut values: Vec<u32> = nodes.iter().map(|node| LEAF | own_token(node)).collect();
    let mut placed = Vec::with_capacity(inner.len());
    for (at, node) in inner {
        let base = room.place(node);
        values[at] = base as u32 | if node.edges.contains_key(&0) { ENDS } else { 0 };
        placed.push((base, node));
    }
    let mut slots = vec![EMPTY; room.taken.len()];
    for (base, node) in placed {
        for (label, target) in &node.edges {
            slots[base + label] = match label {
                0 => *target as u32,
                _ => (*label as u32) << LABEL_SHIFT | values[*target],
            };
        }
    }
    slots
}

fn own_token(node: &Node) -> u32 {
    node.edges.get(&0).map_or(0, |token| *token as u32)
}

fn trie(tokens: &[&[u8]]) -> Vec<Node> {
    let mut nodes = vec![Node::default()];
    for (id, token) in tokens.iter().enumerate() {
        let mut at = 0;
        for byte in *token {
            let next = nodes.len();
            at = *nodes[at].edges.entry(usize::from(*byte) + 1).or_insert(next);
            if at == next {
                nodes.push(Node::default());
            }
        }
        nodes[at].edges.insert(0, id);
    }
    nodes
}

/// Which slots and which bases are taken.
#[derive(Default)]
struct Room {
    taken: Vec<bool>,
    bases: Vec<bool>,
    /// The start of the search for nodes of as many edges.
    from: usize,
    edges: usize,
}

impl Room {
    /// After a search over so many bases the next one begins where it ended: what nodes of as many
    /// edges did not fill is left to those of fewer.
    const PATIENCE: usize = 1_000;

    /// Finds a base whose slots are free for `node`, and takes them.
    fn place(&mut self, node: &Node) -> usize {
        if self.edges != node.edges.len() {
            (self.from, self.edges) = (0, node.edges.len());
        }
        let is = |row: &[bool], at: usize| row.get(at).copied().unwrap_or(false);
        let fits = |base: &usize| {
            !is(&self.bases, *base) && node.edges.keys().all(|label| !is(&self.taken, base + label))
        };
        let base = (self.from..).find(fits).unwrap_or(0);
        if base - self.from > Self::PATIENCE {
            self.from = base;
        }
        for at in node.edges.keys().map(|label| base + label) {
            take(&mut self.taken, at);
        }
        take(&mut self.bases, base);
        base
    }
}

fn take(row: &mut Vec<bool>, at: usize) {
    if row.len() <= at {
        row.resize(at + 1, false);
    }
    row[at] = true;
}
