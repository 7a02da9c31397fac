//! The critical path: the chain of dependencies that took longest together.

use super::Picture;
use std::time::Duration;

impl Picture {
    pub(super) fn mark_critical(&mut self) {
        let count = self.nodes.len();
        let mut sums = vec![Duration::ZERO; count];
        let mut before: Vec<Option<u32>> = vec![None; count];
        let mut last: Option<u32> = None;
        for node in &self.order.nodes {
            let Some(took) = self.node(*node).and_then(|node| node.took) else { continue };
            let was_run = |from: &&u32| self.node(**from).is_some_and(|node| node.took.is_some());
            let sum_of = |node: u32| sums.get(node as usize).copied().unwrap_or_default();
            let ways = self.dependencies.of(*node).iter().filter(was_run);
            let longest = ways.max_by_key(|from| sum_of(**from)).copied();
            let sum = took + longest.map(sum_of).unwrap_or_default();
            if let (Some(slot), Some(way)) =
                (sums.get_mut(*node as usize), before.get_mut(*node as usize))
            {
                (*slot, *way) = (sum, longest);
            }
            let best = last.and_then(|last| sums.get(last as usize));
            if best.is_none_or(|best| sum > *best) {
                last = Some(*node);
            }
        }
        while let Some(node) = last {
            if let Some(known) = self.nodes.get_mut(node as usize) {
                known.is_critical = true;
            }
            let from = before.get(node as usize).copied().flatten();
            self.critical.extend(from.map(|from| (from, node)));
            last = from;
        }
    }
}
