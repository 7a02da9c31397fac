//! The order within the columns: neighbours near each other, few crossings.

use super::{Layout, middle, to_f64};

/// The number of sweeps over the columns.
const SWEEPS: usize = 24;

impl Layout {
    /// Orders the columns; keeps the order with the fewest crossings.
    pub(super) fn order(&mut self) {
        let mut ranks = self.ranks();
        let mut best = (self.crossings(&ranks), self.columns.clone());
        for sweep in 0..SWEEPS {
            self.sweep(sweep % 2 == 0, &mut ranks);
            if sweep % 4 > 1 {
                self.exchange(&mut ranks);
            }
            let crossings = self.crossings(&ranks);
            if crossings < best.0 {
                best = (crossings, self.columns.clone());
            }
            if best.0 == 0 {
                break;
            }
        }
        self.columns = best.1;
    }

    /// Orders the columns of a split layer: nodes as in the set, with passing edges between them.
    pub(super) fn order_parted(&mut self) {
        let nodes = self.nodes;
        for column in self.parted.iter().flat_map(|(from, to)| *from..*to) {
            let Some(list) = self.columns.get_mut(column) else { continue };
            let (mut standing, passing): (Vec<u32>, Vec<u32>) =
                list.iter().partition(|slot| **slot < nodes);
            standing.sort_unstable();
            let below = standing.split_off(standing.len() / 2);
            *list = [standing, passing, below].concat();
        }
    }

    /// Returns the rank of each slot in its column.
    fn ranks(&self) -> Vec<usize> {
        let mut ranks = vec![0; self.slots.len()];
        for column in &self.columns {
            note(&mut ranks, column);
        }
        ranks
    }

    /// Orders each column by the middle of its neighbours in the column before (or after).
    fn sweep(&mut self, is_onward: bool, ranks: &mut [usize]) {
        let count = self.columns.len();
        for step in 0..count {
            let at = if is_onward { step } else { count - 1 - step };
            let Some(list) = self.columns.get(at) else { continue };
            let share = |slot: u32| {
                let rank = ranks.get(slot as usize).copied().unwrap_or_default();
                let of = self.columns.get(self.column_of(slot)).map_or(1, Vec::len);
                (to_f64(rank) + 0.5) / to_f64(of.max(1))
            };
            let mut keys: Vec<(f64, usize, u32)> = Vec::with_capacity(list.len());
            for (index, slot) in list.iter().enumerate() {
                let near: Vec<f64> =
                    self.near(*slot, is_onward).iter().map(|near| share(*near)).collect();
                keys.push((middle(&near).unwrap_or_else(|| share(*slot)), index, *slot));
            }
            keys.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
            let sorted: Vec<u32> = keys.into_iter().map(|(_, _, slot)| slot).collect();
            note(ranks, &sorted);
            if let Some(list) = self.columns.get_mut(at) {
                *list = sorted;
            }
        }
    }

    /// Swaps neighbours in a column if that reduces crossings.
    fn exchange(&mut self, ranks: &mut [usize]) {
        for at in 0..self.columns.len() {
            let Some(mut list) = self.columns.get(at).cloned() else { continue };
            for index in 1..list.len() {
                let (Some(upper), Some(lower)) = (list.get(index - 1), list.get(index)) else {
                    continue;
                };
                let (upper, lower) = (*upper, *lower);
                if self.between(lower, upper, ranks) < self.between(upper, lower, ranks) {
                    list.swap(index - 1, index);
                }
            }
            note(ranks, &list);
            if let Some(slot) = self.columns.get_mut(at) {
                *slot = list;
            }
        }
    }

    /// Counts the crossings between the edges of two slots, the first above the second.
    fn between(&self, upper: u32, lower: u32, ranks: &[usize]) -> usize {
        let rank = |slot: &u32| ranks.get(*slot as usize).copied().unwrap_or_default();
        let mut crossings = 0;
        for is_before in [true, false] {
            let mut below: Vec<usize> = self.near(lower, is_before).iter().map(rank).collect();
            below.sort_unstable();
            for above in self.near(upper, is_before).iter().map(rank) {
                crossings += below.partition_point(|below| *below < above);
            }
        }
        crossings
    }

    /// Counts all crossings between neighbouring columns.
    fn crossings(&self, ranks: &[usize]) -> usize {
        let rank = |slot: &u32| ranks.get(*slot as usize).copied().unwrap_or_default();
        let mut crossings = 0;
        let mut ends: Vec<usize> = Vec::new();
        let mut counts: Vec<usize> = Vec::new();
        for column in &self.columns {
            ends.clear();
            for slot in column {
                let from = ends.len();
                ends.extend(self.near(*slot, false).iter().map(rank));
                ends.get_mut(from..).unwrap_or_default().sort_unstable();
            }
            // Each edge crosses those before it that end farther down, counted in a Fenwick tree.
            let size = ends.iter().max().map_or(1, |last| last + 2);
            counts.clear();
            counts.resize(size + 1, 0);
            for (seen, end) in ends.iter().enumerate() {
                crossings += seen - sum(&counts, end + 1);
                add(&mut counts, end + 1);
            }
        }
        crossings
    }
}

fn note(ranks: &mut [usize], list: &[u32]) {
    for (rank, slot) in list.iter().enumerate() {
        if let Some(known) = ranks.get_mut(*slot as usize) {
            *known = rank;
        }
    }
}

fn sum(counts: &[usize], mut at: usize) -> usize {
    let mut sum = 0;
    while at > 0 {
        sum += counts.get(at).copied().unwrap_or_default();
        at &= at - 1;
    }
    sum
}

fn add(counts: &mut [usize], mut at: usize) {
    while let Some(count) = counts.get_mut(at) {
        *count += 1;
        at += at & at.wrapping_neg();
    }
}
