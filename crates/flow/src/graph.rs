//! The graph of a set: the dependencies, an order, the layers.

pub(crate) mod cycles;
pub(crate) mod reach;

/// Lists of numbers for numbers, in two flat vectors: a million edges are two allocations.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edges {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Edges {
    pub(crate) fn with_capacity(nodes: usize) -> Self {
        let mut starts = Vec::with_capacity(nodes + 1);
        starts.push(0);
        Self { starts, targets: Vec::new() }
    }

    /// Adds the list of the next node.
    pub(crate) fn push(&mut self, targets: impl IntoIterator<Item = u32>) {
        self.targets.extend(targets);
        self.starts.push(number(self.targets.len()));
    }

    pub(crate) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        let (Some(start), Some(end)) = (self.starts.get(node), self.starts.get(node + 1)) else {
            return &[];
        };
        self.targets.get(*start as usize..*end as usize).unwrap_or_default()
    }

    pub(crate) fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the reversed edges among `nodes` nodes.
    pub(crate) fn turned(&self, nodes: usize) -> Self {
        let mut starts = vec![0_u32; nodes + 1];
        for target in &self.targets {
            if let Some(count) = starts.get_mut(*target as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut targets = vec![0; self.targets.len()];
        for node in 0..number(self.nodes()) {
            for target in self.of(node) {
                let Some(at) = next.get_mut(*target as usize) else { continue };
                if let Some(slot) = targets.get_mut(*at as usize) {
                    *slot = node;
                }
                *at += 1;
            }
        }
        Self { starts, targets }
    }
}

/// A set of numbers that is emptied at once.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    marks: Vec<u32>,
    now: u32,
}

impl Marks {
    pub(crate) fn new(count: usize) -> Self {
        Self { marks: vec![0; count], now: 0 }
    }

    /// Clears the set.
    pub(crate) fn next(&mut self) {
        self.now += 1;
    }

    /// Adds a number; returns true if it was not present.
    pub(crate) fn mark(&mut self, node: u32) -> bool {
        let at = node as usize;
        if self.marks.len() <= at {
            self.marks.resize(at + 1, 0);
        }
        let now = self.now;
        self.marks.get_mut(at).is_some_and(|mark| std::mem::replace(mark, now) != now)
    }

    pub(crate) fn has(&self, node: u32) -> bool {
        self.marks.get(node as usize) == Some(&self.now)
    }
}

pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// An order in which every node comes after its dependencies.
#[derive(Debug, Clone, Default)]
pub(crate) struct Order {
    /// The nodes in such an order; those in or after a cycle are left out.
    pub(crate) nodes: Vec<u32>,
    /// For each node the length of the longest path to a node without dependencies; `u32::MAX` in
    /// or after a cycle.
    pub(crate) layers: Vec<u32>,
}

impl Order {
    pub(crate) fn is_whole(&self) -> bool {
        self.nodes.len() == self.layers.len()
    }
}

/// Orders the first `nodes` nodes; edges to others count as satisfied.
pub(crate) fn order(dependencies: &Edges, dependents: &Edges, nodes: usize) -> Order {
    let inside = |node: &&u32| (**node as usize) < nodes;
    let mut waiting: Vec<u32> = (0..number(nodes))
        .map(|node| number(dependencies.of(node).iter().filter(inside).count()))
        .collect();
    let mut layers = vec![u32::MAX; nodes];
    let mut ready: Vec<u32> = Vec::with_capacity(nodes);
    for (node, count) in (0..).zip(&waiting) {
        if *count == 0 {
            ready.push(node);
        }
    }
    let mut at = 0;
    while let Some(node) = ready.get(at).copied() {
        at += 1;
        let before = dependencies.of(node).iter().filter(inside);
        let layer = before.filter_map(|node| layers.get(*node as usize)).max();
        let layer = layer.map_or(0, |layer| layer + 1);
        if let Some(slot) = layers.get_mut(node as usize) {
            *slot = layer;
        }
        for next in dependents.of(node) {
            let Some(count) = waiting.get_mut(*next as usize) else { continue };
            *count -= 1;
            if *count == 0 {
                ready.push(*next);
            }
        }
    }
    Order { nodes: ready, layers }
}
