//! The cycles of a graph: first the strongly connected components, then a bounded number of
//! elementary cycles in each. Everything without recursion: a cycle may be a million nodes long.

use super::{Edges, number};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Debug, Default)]
pub(crate) struct Cycles {
    /// The nodes of each cycle in order, the smallest first; every node depends on the next.
    pub(crate) found: Vec<Vec<u32>>,
    /// True if there may be more.
    pub(crate) may_be_more: bool,
}

/// The number of search steps beyond one cycle in each component.
const STEPS: usize = 200_000;

/// Finds cycles of more than one node: at least one in each component, up to `most`.
///
/// In each component the cycles through its first node are found; then that node is removed, and
/// the components of the rest are searched in the same way (after Johnson).
pub(crate) fn cycles(edges: &Edges, most: usize) -> Cycles {
    let mut out = Cycles::default();
    let mut tarjan = Tarjan::new(edges.nodes());
    let mut search = Search::new(edges.nodes());
    let all: Vec<u32> = (0..number(edges.nodes())).collect();
    let mut open: BinaryHeap<Reverse<(Vec<u32>, bool)>> =
        tarjan.knots(edges, &all).into_iter().map(|knot| Reverse((knot, true))).collect();
    while let Some(Reverse((knot, is_new))) = open.pop() {
        let is_spent = !is_new && search.steps > STEPS;
        if out.found.len() >= most || is_spent {
            out.may_be_more = true;
            // Another component may have no cycle yet.
            if out.found.len() >= most {
                break;
            }
            continue;
        }
        search.knot(edges, &knot, most, &mut out);
        search.steps += knot.len();
        let rest = knot.get(1..).unwrap_or_default();
        open.extend(tarjan.knots(edges, rest).into_iter().map(|knot| Reverse((knot, false))));
    }
    out
}

/// The search for strongly connected components.
struct Tarjan {
    /// The call that a node takes part in.
    labels: Vec<u32>,
    label: u32,
    /// From 1, in the order in which nodes were visited; 0 before.
    numbers: Vec<u32>,
    lows: Vec<u32>,
    is_open: Vec<bool>,
    open: Vec<u32>,
    next: u32,
    knots: Vec<Vec<u32>>,
}

impl Tarjan {
    fn new(nodes: usize) -> Self {
        Self {
            labels: vec![0; nodes],
            label: 0,
            numbers: vec![0; nodes],
            lows: vec![0; nodes],
            is_open: vec![false; nodes],
            open: Vec::new(),
            next: 0,
            knots: Vec::new(),
        }
    }

    /// Returns the strongly connected components of more than one node among some nodes, each
    /// sorted.
    fn knots(&mut self, edges: &Edges, nodes: &[u32]) -> Vec<Vec<u32>> {
        self.label += 1;
        self.next = 0;
        for node in nodes {
            set(&mut self.labels, *node, self.label);
            set(&mut self.numbers, *node, 0);
        }
        for node in nodes {
            self.from(edges, *node);
        }
        std::mem::take(&mut self.knots)
    }

    fn from(&mut self, edges: &Edges, start: u32) {
        if get(&self.numbers, start) != 0 {
            return;
        }
        self.enter(start);
        let mut way = vec![(start, 0_usize)];
        while let Some((node, at)) = way.last_mut() {
            let node = *node;
            if let Some(next) = edges.of(node).get(*at).copied() {
                *at += 1;
                if get(&self.labels, next) != self.label {
                    continue;
                }
                if get(&self.numbers, next) == 0 {
                    self.enter(next);
                    way.push((next, 0));
                } else if get(&self.is_open, next) {
                    self.lower(node, get(&self.numbers, next));
                }
                continue;
            }
            way.pop();
            let low = get(&self.lows, node);
            if let Some((parent, _)) = way.last() {
                self.lower(*parent, low);
            }
            if low == get(&self.numbers, node) {
                self.close(node);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.next += 1;
        set(&mut self.numbers, node, self.next);
        set(&mut self.lows, node, self.next);
        set(&mut self.is_open, node, true);
        self.open.push(node);
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = get(&self.lows, node).min(to);
        set(&mut self.lows, node, low);
    }

    fn close(&mut self, root: u32) {
        let mut knot = Vec::new();
        while let Some(node) = self.open.pop() {
            set(&mut self.is_open, node, false);
            knot.push(node);
            if node == root {
                break;
            }
        }
        if knot.len() > 1 {
            knot.sort_unstable();
            self.knots.push(knot);
        }
    }
}

/// The search for elementary cycles: a node without a path to the start is blocked until a node
/// that it depends on becomes part of a cycle.
struct Search {
    is_inside: Vec<bool>,
    is_blocked: Vec<bool>,
    waits_for: Vec<Vec<u32>>,
    steps: usize,
}

impl Search {
    fn new(nodes: usize) -> Self {
        Self {
            is_inside: vec![false; nodes],
            is_blocked: vec![false; nodes],
            waits_for: vec![Vec::new(); nodes],
            steps: 0,
        }
    }

    /// Finds the cycles through the first node of a component.
    fn knot(&mut self, edges: &Edges, knot: &[u32], most: usize, out: &mut Cycles) {
        for node in knot {
            set(&mut self.is_inside, *node, true);
            set(&mut self.is_blocked, *node, false);
            if let Some(list) = self.waits_for.get_mut(*node as usize) {
                list.clear();
            }
        }
        let start = knot.first().copied().unwrap_or_default();
        if !self.from(edges, start, most, out) {
            out.may_be_more = true;
        }
        for node in knot {
            set(&mut self.is_inside, *node, false);
        }
    }

    /// Finds the cycles through `start`; returns false when a bound is reached.
    fn from(&mut self, edges: &Edges, start: u32, most: usize, out: &mut Cycles) -> bool {
        let before = out.found.len();
        set(&mut self.is_blocked, start, true);
        let mut way = vec![(start, 0_usize, false)];
        while let Some((node, at, is_part)) = way.last_mut() {
            let node = *node;
            let is_bounded = out.found.len() > before;
            if is_bounded && (self.steps > STEPS || out.found.len() >= most) {
                return false;
            }
            let Some(next) = edges.of(node).get(*at).copied() else {
                let is_part = *is_part;
                way.pop();
                self.leave(edges, node, is_part);
                if let Some((_, _, parent)) = way.last_mut() {
                    *parent |= is_part;
                }
                continue;
            };
            *at += 1;
            self.steps += 1;
            if next == start && node != start {
                *is_part = true;
                out.found.push(way.iter().map(|(node, _, _)| *node).collect());
            } else if get(&self.is_inside, next) && !get(&self.is_blocked, next) {
                set(&mut self.is_blocked, next, true);
                way.push((next, 0, false));
            }
        }
        true
    }

    fn leave(&mut self, edges: &Edges, node: u32, is_part: bool) {
        if !is_part {
            for next in edges.of(node) {
                if !get(&self.is_inside, *next) {
                    continue;
                }
                let Some(list) = self.waits_for.get_mut(*next as usize) else { continue };
                if !list.contains(&node) {
                    list.push(node);
                }
            }
            return;
        }
        let mut free = vec![node];
        while let Some(node) = free.pop() {
            set(&mut self.is_blocked, node, false);
            let waiting = self.waits_for.get_mut(node as usize).map(std::mem::take);
            free.extend(waiting.unwrap_or_default());
        }
    }
}

fn get<T: Copy + Default>(list: &[T], at: u32) -> T {
    list.get(at as usize).copied().unwrap_or_default()
}

fn set<T>(list: &mut [T], at: u32, value: T) {
    if let Some(slot) = list.get_mut(at as usize) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(lists: &[&[u32]]) -> Edges {
        let mut edges = Edges::with_capacity(lists.len());
        lists.iter().for_each(|list| edges.push(list.iter().copied()));
        edges
    }

    #[test]
    fn fl_6_every_cycle_is_found_once() {
        let none = cycles(&graph(&[&[], &[0], &[0, 1]]), 9);
        assert!(none.found.is_empty() && !none.may_be_more);
        let two = cycles(&graph(&[&[1], &[0, 2], &[1], &[4], &[3]]), 9);
        assert_eq!(two.found, [vec![0, 1], vec![1, 2], vec![3, 4]]);
        let diamond = cycles(&graph(&[&[1, 2], &[3], &[3], &[0]]), 9);
        assert_eq!(diamond.found, [vec![0, 1, 3], vec![0, 2, 3]]);
        let full = cycles(&graph(&[&[1, 2], &[0, 2], &[0, 1]]), 9);
        assert_eq!(full.found.len(), 5);
        assert!(!full.may_be_more);
    }

    #[test]
    fn fl_6_search_is_bounded() {
        let lists: Vec<Vec<u32>> = (0..40).map(|a| (0..40).filter(|b| *b != a).collect()).collect();
        let full = graph(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let some = cycles(&full, 50);
        assert_eq!((some.found.len(), some.may_be_more), (50, true));
        let mut ring = Edges::with_capacity(1_000_000);
        (0..1_000_000).for_each(|node| ring.push([(node + 1) % 1_000_000]));
        let found = cycles(&ring, 50).found;
        assert_eq!((found.len(), found[0].len()), (1, 1_000_000));
    }
}
