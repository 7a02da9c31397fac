//! Whether one node comes before another, for many pairs of one graph.

use super::{Edges, Order, number};
use std::collections::HashSet;

/// What answers the question. Each node's first dependency makes a tree; whether one is above the
/// other in that tree is two comparisons, and answers most questions of real sets. Only for the
/// rest the graph itself is walked, never below the layer of what is looked for.
pub(crate) struct Reach<'g> {
    dependencies: &'g Edges,
    layers: &'g [u32],
    is_acyclic: bool,
    /// For each node when the walk of the tree came and when it left.
    times: Option<Vec<(u32, u32)>>,
    nodes: usize,
}

impl<'g> Reach<'g> {
    pub(crate) fn new(dependencies: &'g Edges, order: &'g Order) -> Self {
        Self {
            dependencies,
            layers: &order.layers,
            is_acyclic: order.is_whole(),
            times: None,
            nodes: order.layers.len(),
        }
    }

    /// Which of `wanted` come before `node`, directly or through others.
    pub(crate) fn before(&mut self, node: u32, wanted: &[u32]) -> HashSet<u32> {
        let mut found: HashSet<u32> =
            wanted.iter().copied().filter(|target| self.is_above(*target, node)).collect();
        let rest: HashSet<u32> = wanted.iter().copied().filter(|t| !found.contains(t)).collect();
        if rest.is_empty() {
            return found;
        }
        let layer = |node: u32| self.layers.get(node as usize).copied().unwrap_or(0);
        // Nodes outside the set (what ended earlier) have no layer, so nothing is pruned for them.
        let lowest =
            if self.is_acyclic { rest.iter().map(|t| layer(*t)).min().unwrap_or(0) } else { 0 };
        let mut seen = HashSet::from([node]);
        let mut open = vec![node];
        let mut left = rest.len();
        while let Some(node) = open.pop() {
            for next in self.dependencies.of(node) {
                if !seen.insert(*next) {
                    continue;
                }
                if rest.contains(next) {
                    found.insert(*next);
                    left -= 1;
                }
                if !self.is_acyclic || layer(*next) > lowest {
                    open.push(*next);
                }
            }
            if left == 0 {
                break;
            }
        }
        found
    }

    fn is_above(&mut self, target: u32, node: u32) -> bool {
        if !self.is_acyclic || target == node {
            return false;
        }
        let times = self.times.get_or_insert_with(|| tree_times(self.dependencies, self.nodes));
        match (times.get(target as usize), times.get(node as usize)) {
            (Some(target), Some(node)) => target.0 < node.0 && node.1 <= target.1,
            _ => false,
        }
    }
}

/// Walks the trees of first dependencies.
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
