//! The positions of slots in their columns: near their neighbours, without overlaps.

use super::{Layout, Slot, middle};

/// The number of sweeps over the columns.
const SWEEPS: usize = 16;

impl Layout {
    pub(super) fn place(&mut self) {
        for column in 0..self.columns.len() {
            self.settle(column, |_, slot| slot.at);
        }
        for sweep in 0..SWEEPS {
            let is_onward = sweep % 2 == 0;
            for step in 0..self.columns.len() {
                let column = if is_onward { step } else { self.columns.len() - 1 - step };
                self.follow(column, is_onward);
            }
        }
        for column in 0..self.columns.len() {
            self.follow_both(column);
        }
        for index in 0..self.parted.len() {
            self.centre(index);
        }
        self.close_gaps();
    }

    /// Removes gaps that are empty in all columns, as between unconnected parts; the first slot
    /// then begins at 0.
    fn close_gaps(&mut self) {
        let mut spans: Vec<(f64, f64)> = Vec::with_capacity(self.slots.len());
        for slot in &self.slots {
            let ends = slot.after.iter().map(|next| self.at(*next));
            let (low, high) =
                ends.fold((slot.at, slot.at), |(low, high), at| (low.min(at), high.max(at)));
            let half = slot.size / 2.0;
            spans.push((low.min(slot.at - half), high.max(slot.at + half)));
        }
        spans.sort_by(|left, right| left.0.total_cmp(&right.0));
        // The positions from which on a gap is removed.
        let mut cuts: Vec<(f64, f64)> = Vec::new();
        let (mut end, mut taken) = (f64::NEG_INFINITY, 0.0);
        for (low, high) in spans {
            if low > end {
                taken += if cuts.is_empty() { low } else { low - end };
                cuts.push((low, taken));
            }
            end = end.max(high);
        }
        for slot in &mut self.slots {
            let at = cuts.partition_point(|(from, _)| *from <= slot.at);
            let cut = at.checked_sub(1).and_then(|at| cuts.get(at));
            slot.at -= cut.map_or(0.0, |(_, taken)| *taken);
        }
    }

    /// Places the columns of a split layer beside each other, around their neighbours.
    fn centre(&mut self, index: usize) {
        let Some((from, to)) = self.parted.get(index).copied() else { return };
        let slots = self.columns.get(from..to).into_iter().flatten().flatten();
        let outside = |slot: &u32| !(from..to).contains(&self.column_of(*slot));
        let near: Vec<f64> = slots
            .flat_map(|slot| self.near(*slot, true).iter().chain(self.near(*slot, false)))
            .filter(|slot| outside(slot))
            .map(|slot| self.at(*slot))
            .collect();
        let middle = middle(&near).unwrap_or_default();
        for column in from..to {
            self.settle(column, |_, _| middle);
        }
    }

    fn is_parted(&self, column: usize) -> bool {
        self.parted.iter().any(|(from, to)| (*from..*to).contains(&column))
    }

    /// Moves the slots of a column to the middle of their neighbours on one side.
    fn follow(&mut self, column: usize, is_onward: bool) {
        if self.is_parted(column) {
            let known = self.parted.iter().position(|(from, _)| *from == column);
            known.into_iter().for_each(|index| self.centre(index));
            return;
        }
        let wishes = self.wishes(column, |layout, slot| layout.places(slot, is_onward));
        self.settle(column, |index, slot| wishes.get(index).copied().flatten().unwrap_or(slot.at));
    }

    fn follow_both(&mut self, column: usize) {
        if self.is_parted(column) {
            return;
        }
        let wishes = self.wishes(column, |layout, slot| {
            let mut all = layout.places(slot, true);
            all.extend(layout.places(slot, false));
            all
        });
        self.settle(column, |index, slot| wishes.get(index).copied().flatten().unwrap_or(slot.at));
    }

    fn wishes(&self, column: usize, places: impl Fn(&Self, u32) -> Vec<f64>) -> Vec<Option<f64>> {
        let slots = self.columns.get(column).into_iter().flatten();
        slots.map(|slot| middle(&places(self, *slot))).collect()
    }

    fn places(&self, slot: u32, is_before: bool) -> Vec<f64> {
        self.near(slot, is_before).iter().map(|near| self.at(*near)).collect()
    }

    /// Places the slots of a column as close to their wanted positions as the order allows: groups
    /// that would overlap are joined around the average of their wishes.
    fn settle(&mut self, column: usize, wish: impl Fn(usize, &Slot) -> f64) {
        let Some(list) = self.columns.get(column) else { return };
        let mut groups: Vec<Group> = Vec::new();
        for (index, slot) in list.iter().enumerate() {
            let Some(slot) = self.slots.get(*slot as usize) else { continue };
            let start = wish(index, slot) - slot.size / 2.0;
            let mut group = Group { start, count: 1.0, size: slot.size, of: 1 };
            while let Some(last) = groups.last().filter(|last| last.start + last.size > group.start)
            {
                group = last.and(&group);
                groups.pop();
            }
            groups.push(group);
        }
        let mut slots = list.iter();
        for group in &groups {
            let mut at = group.start;
            for slot in slots.by_ref().take(group.of) {
                let Some(slot) = self.slots.get_mut(*slot as usize) else { continue };
                slot.at = at + slot.size / 2.0;
                at += slot.size;
            }
        }
    }
}

/// A group of adjacent slots.
struct Group {
    start: f64,
    count: f64,
    size: f64,
    of: usize,
}

impl Group {
    /// Joins two groups: the second begins where the first ends, and both are at their average
    /// wish.
    fn and(&self, next: &Self) -> Self {
        let count = self.count + next.count;
        let wished = self.start * self.count + (next.start - self.size) * next.count;
        Self { start: wished / count, count, size: self.size + next.size, of: self.of + next.of }
    }
}
