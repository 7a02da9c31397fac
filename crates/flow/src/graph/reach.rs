//! Reachability: whether one node comes before another, for many pairs of one graph.

use super::{Edges, Order, number};
use std::collections::HashSet;

/// The number of targets that one pass over the graph answers.
const TARGETS: usize = 256;

/// The number of edges walked in all for nodes in or after a cycle; beyond that a node counts as
/// before: such a set is refused anyway.
const CYCLIC_STEPS: usize = 2_000_000;

type Bits = [u64; TARGETS / 64];

/// Answers reachability questions. The first dependencies of all nodes form a tree; whether one
/// node is above another in that tree is two comparisons, and answers most questions of real sets.
/// The rest is answered together: one pass over the graph for some hundred targets, and only over
/// the part between them and the nodes in question.
pub(crate) struct Reach<'g> {
    dependencies: &'g Edges,
    order: &'g Order,
    /// For each node the entry and exit times of the walk of the tree.
    times: Option<Vec<(u32, u32)>>,
}

/// A question: does the first come before the second, directly or through others?
pub(crate) type Pair = (u32, u32);

impl<'g> Reach<'g> {
    pub(crate) fn new(dependencies: &'g Edges, order: &'g Order) -> Self {
        Self { dependencies, order, times: None }
    }

    fn nodes(&self) -> usize {
        self.order.layers.len()
    }

    /// Reports whether the tree alone shows that one node comes before the other. False is
    /// inconclusive.
    pub(crate) fn is_above(&mut self, target: u32, node: u32) -> bool {
        if !self.order.is_whole() || target == node {
            return false;
        }
        let nodes = self.nodes();
        let times = self.times.get_or_insert_with(|| tree_times(self.dependencies, nodes));
        match (times.get(target as usize), times.get(node as usize)) {
            (Some(target), Some(node)) => target.0 < node.0 && node.1 <= target.1,
            _ => false,
        }
    }

    /// Returns the answers to many questions, in their order.
    pub(crate) fn answers(&self, pairs: &[Pair]) -> Vec<bool> {
        let mut answers = vec![false; pairs.len()];
        let places = self.places();
        // Earlier outcomes have no dependencies: they come before all others.
        let place = |node: u32| places.get(node as usize).copied().unwrap_or(0);
        let mut open: Vec<usize> = Vec::with_capacity(pairs.len());
        let mut steps = 0;
        for (index, (target, node)) in pairs.iter().enumerate() {
            if target == node {
                continue;
            }
            if place(*node) == u32::MAX {
                let answer = self.walked(*target, *node, &mut steps);
                put(&mut answers, index, answer);
            } else if place(*target) <= place(*node) {
                // A node in a cycle has the last place, and comes before none that has a place.
                open.push(index);
            }
        }
        let pair = |index: &usize| pairs.get(*index).copied().unwrap_or_default();
        open.sort_unstable_by_key(|index| (place(pair(index).0), pair(index).0));
        let count = pairs.iter().map(|(target, _)| *target as usize + 1).max().unwrap_or(0);
        let mut bits: Vec<Bits> = vec![Bits::default(); self.nodes().max(count)];
        let mut rest = open.as_slice();
        while !rest.is_empty() {
            let (targets, taken) = chunk(rest, |index| pair(&index).0);
            let (now, later) = rest.split_at_checked(taken).unwrap_or((rest, &[]));
            let last = now.iter().map(|index| place(pair(index).1)).max().unwrap_or(0);
            self.pass(&targets, place, last, &mut bits);
            let mut bit = 0;
            for index in now {
                let (target, node) = pair(index);
                // Both are in the same order.
                while targets.get(bit).is_some_and(|known| *known != target) {
                    bit += 1;
                }
                let is_set = get_bit(bits.get(node as usize), bit);
                put(&mut answers, *index, is_set);
            }
            for target in &targets {
                if let Some(bits) = bits.get_mut(*target as usize) {
                    *bits = Bits::default();
                }
            }
            rest = later;
        }
        answers
    }

    /// Returns the place of each node in the order, from 1; `u32::MAX` in or after a cycle.
    fn places(&self) -> Vec<u32> {
        let mut places = vec![u32::MAX; self.nodes()];
        for (place, node) in (1..).zip(&self.order.nodes) {
            if let Some(slot) = places.get_mut(*node as usize) {
                *slot = place;
            }
        }
        places
    }

    /// Propagates reachability, from the first target to the last place in question.
    fn pass(&self, targets: &[u32], place: impl Fn(u32) -> u32, last: u32, bits: &mut [Bits]) {
        let first = targets.iter().map(|target| place(*target)).min().unwrap_or(0);
        let is_earlier = |node: u32| node as usize >= self.nodes();
        let mut own = targets.iter().enumerate().peekable();
        while let Some((bit, target)) = own.next_if(|(_, target)| is_earlier(**target)) {
            set_bit(bits.get_mut(*target as usize), bit);
        }
        for at in first.max(1)..=last {
            let Some(node) = self.order.nodes.get(at as usize - 1) else { break };
            let mut mine = Bits::default();
            for before in self.dependencies.of(*node) {
                if !is_earlier(*before) && place(*before) < first {
                    continue;
                }
                let Some(theirs) = bits.get(*before as usize) else { continue };
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs);
            }
            if let Some((bit, _)) = own.next_if(|(_, target)| *target == node) {
                set_bit(Some(&mut mine), bit);
            }
            if let Some(slot) = bits.get_mut(*node as usize) {
                *slot = mine;
            }
        }
    }

    /// Reports whether one node comes before another in or after a cycle, by walking the graph.
    fn walked(&self, target: u32, node: u32, steps: &mut usize) -> bool {
        let mut seen = HashSet::from([node]);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            for next in self.dependencies.of(node) {
                *steps += 1;
                if *next == target || *steps > CYCLIC_STEPS {
                    return true;
                }
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        false
    }
}

/// Returns the targets of the first questions, each once, and the number of these questions.
fn chunk(open: &[usize], target: impl Fn(usize) -> u32) -> (Vec<u32>, usize) {
    let mut targets: Vec<u32> = Vec::with_capacity(TARGETS);
    for (taken, index) in open.iter().enumerate() {
        let next = target(*index);
        if targets.last() == Some(&next) {
            continue;
        }
        if targets.len() == TARGETS {
            return (targets, taken);
        }
        targets.push(next);
    }
    (targets, open.len())
}

fn set_bit(bits: Option<&mut Bits>, bit: usize) {
    if let Some(word) = bits.and_then(|bits| bits.get_mut(bit / 64)) {
        *word |= 1 << (bit % 64);
    }
}

fn get_bit(bits: Option<&Bits>, bit: usize) -> bool {
    bits.and_then(|bits| bits.get(bit / 64)).is_some_and(|word| word >> (bit % 64) & 1 == 1)
}

fn put(answers: &mut [bool], index: usize, answer: bool) {
    if let Some(slot) = answers.get_mut(index) {
        *slot = answer;
    }
}

fn tree_times(dependencies: &Edges, nodes: usize) -> Vec<(u32, u32)> {
    let parent = |node: u32| {
        dependencies.of(node).first().copied().filter(|parent| (*parent as usize) < nodes)
    };
    let mut children = Edges::with_capacity(nodes);
    (0..number(nodes)).for_each(|node| children.push(parent(node)));
    let children = children.turned(nodes);
    let mut times = vec![(0, 0); nodes];
    let mut clock = 0;
    for root in (0..number(nodes)).filter(|node| parent(*node).is_none()) {
        let mut way = vec![(root, 0_usize)];
        clock += 1;
        while let Some((node, at)) = way.last_mut() {
            let Some(slot) = times.get_mut(*node as usize) else { break };
            if *at == 0 {
                slot.0 = clock;
            }
            let child = children.of(*node).get(*at).copied();
            *at += 1;
            clock += 1;
            if let Some(child) = child {
                way.push((child, 0));
            } else {
                slot.1 = clock;
                way.pop();
            }
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::order;

    fn graph(count: u32, before: impl Fn(u32) -> Vec<u32>) -> (Edges, Order) {
        let mut edges = Edges::with_capacity(count as usize);
        (0..count).for_each(|node| edges.push(before(node)));
        let turned = edges.turned(count as usize + 10);
        let order = order(&edges, &turned, count as usize);
        (edges, order)
    }

    fn by_walking(edges: &Edges, (target, node): Pair) -> bool {
        let mut open = vec![node];
        let mut seen = HashSet::new();
        while let Some(node) = open.pop() {
            for next in edges.of(node) {
                if *next == target {
                    return true;
                }
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        false
    }

    #[test]
    fn fl_5_reachability_equals_graph_walk() {
        let mut random = 12_345_u32;
        let mut next = move |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % below.max(1)
        };
        for count in [2_u32, 7, 60, 700] {
            let lists: Vec<Vec<u32>> = (0..count)
                .map(|node| (0..next(4)).filter(|_| node > 0).map(|_| next(node)).collect())
                .collect();
            // Some depend on earlier outcomes, whose numbers follow those of the nodes.
            let (edges, order) = graph(count, |node| {
                let mut list = lists[node as usize].clone();
                list.extend((node % 5 == 0).then_some(count + node % 3));
                list
            });
            let pairs: Vec<Pair> = (0..2_000).map(|_| (next(count + 4), next(count))).collect();
            let mut reach = Reach::new(&edges, &order);
            let expected: Vec<bool> = pairs.iter().map(|pair| by_walking(&edges, *pair)).collect();
            assert_eq!(reach.answers(&pairs), expected);
            for ((target, node), is_before) in pairs.iter().zip(expected) {
                assert!(!reach.is_above(*target, *node) || is_before);
            }
        }
    }

    #[test]
    fn fl_5_cycles_are_walked() {
        // 0 and 1 are a cycle, 2 is behind it, 3 is free, 4 depends on 3.
        let lists: [&[u32]; 5] = [&[1], &[0], &[1], &[], &[3]];
        let (edges, order) = graph(5, |node| lists[node as usize].to_vec());
        let pairs = [(0, 2), (3, 2), (3, 4), (0, 4), (1, 0), (3, 3)];
        let answers = Reach::new(&edges, &order).answers(&pairs);
        assert_eq!(answers, [true, false, true, false, true, false]);
    }

    #[test]
    fn fl_5_chains_that_tree_does_not_show_take_linear_time() {
        // The first dependency of each leads nowhere, the second is the chain.
        let count = 200_000;
        let (edges, order) = graph(count, |node| match node {
            0 => Vec::new(),
            _ if node % 2 == 1 => Vec::new(),
            _ => vec![node - 1, node - 2],
        });
        let pairs: Vec<Pair> = (1..count / 2).map(|node| (0, node * 2)).collect();
        assert!(Reach::new(&edges, &order).answers(&pairs).iter().all(|answer| *answer));
    }
}
