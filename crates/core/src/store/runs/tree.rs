//! The events of a run as a tree.

use contexture_context::TraceEvent;
use std::collections::{HashMap, HashSet};

/// The tree of events. An event whose parent is missing, or does not come before it, is at the
/// top.
#[derive(Debug, Clone)]
pub struct TraceTree<'a> {
    top: Vec<&'a TraceEvent>,
    below: HashMap<u64, Vec<&'a TraceEvent>>,
}

impl<'a> TraceTree<'a> {
    pub(super) fn new(events: &'a [TraceEvent]) -> Self {
        let ids: HashSet<u64> = events.iter().map(|event| event.id).collect();
        let mut tree = Self { top: Vec::new(), below: HashMap::new() };
        for event in events {
            // Parents begin before their children; anything else could be a circle.
            let parent = event.parent.filter(|id| *id < event.id && ids.contains(id));
            match parent {
                Some(parent) => tree.below.entry(parent).or_default().push(event),
                None => tree.top.push(event),
            }
        }
        tree
    }

    /// Returns the events at the top; of a whole trace, the run alone.
    #[must_use]
    pub fn top(&self) -> &[&'a TraceEvent] {
        &self.top
    }

    /// Returns the events that belong to one, in the order they began.
    #[must_use]
    pub fn below(&self, id: u64) -> &[&'a TraceEvent] {
        self.below.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns every event with its depth, parents before children. It needs no recursion, so a
    /// trace may have any depth.
    #[must_use]
    pub fn lines(&self) -> Vec<(usize, &'a TraceEvent)> {
        let mut lines = Vec::new();
        let mut waiting: Vec<(usize, &TraceEvent)> =
            self.top.iter().rev().map(|event| (0, *event)).collect();
        while let Some((depth, event)) = waiting.pop() {
            lines.push((depth, event));
            waiting.extend(self.below(event.id).iter().rev().map(|below| (depth + 1, *below)));
        }
        lines
    }
}
