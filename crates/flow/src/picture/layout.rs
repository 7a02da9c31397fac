//! The layered layout: a column for each step of the longest path, wide ones in several; edges that
//! pass columns are bundled; the order within a column follows the neighbours, and so does the
//! position.

mod columns;
mod order;
mod place;

use super::Picture;
use crate::graph::number;
use std::collections::{HashMap, HashSet};

/// The number of slots for edges in the columns they pass; beyond that, edges are drawn straight.
const MAX_PASSING: usize = 40_000;

/// A slot in a column: of a node, or of passing edges.
#[derive(Debug, Clone, Default)]
pub(super) struct Slot {
    pub(super) column: usize,
    /// Its middle, across the columns.
    pub(super) at: f64,
    /// Its size.
    size: f64,
    before: Vec<u32>,
    after: Vec<u32>,
}

/// The positions of everything.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) slots: Vec<Slot>,
    pub(super) columns: Vec<Vec<u32>>,
    /// The slots that each edge runs through.
    pub(super) routes: Vec<(u32, u32, Vec<u32>)>,
    /// The number of slots that are nodes; the others are passed by edges.
    pub(super) nodes: u32,
    /// The layers split into several columns: the first one, and the one after the last.
    parted: Vec<(usize, usize)>,
}

/// The node that bundled edges share: all of them come from it, or all go to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    From(u32),
    To(u32),
}

impl Layout {
    /// Lays out a picture; a node takes `size` across the columns, passing edges `passing`. Columns
    /// are at most `rows` nodes high if possible.
    pub(super) fn of(picture: &Picture, size: f64, passing: f64, rows: usize) -> Self {
        let columns = columns::of(picture, rows);
        let nodes = number(picture.nodes.len());
        let mut layout = Self { nodes, parted: columns.parted, ..Self::default() };
        for column in &columns.of {
            layout.add(*column, size);
        }
        layout.route_all(picture, passing);
        layout.order();
        layout.order_parted();
        layout.place();
        layout
    }

    fn add(&mut self, column: usize, size: f64) -> u32 {
        let slot = number(self.slots.len());
        if self.columns.len() <= column {
            self.columns.resize(column + 1, Vec::new());
        }
        if let Some(list) = self.columns.get_mut(column) {
            list.push(slot);
        }
        self.slots.push(Slot { column, size, ..Slot::default() });
        slot
    }

    fn route_all(&mut self, picture: &Picture, passing: f64) {
        let (mut out, mut into) = (HashMap::new(), HashMap::new());
        for (from, to) in picture.edges() {
            if self.column_of(to) > self.column_of(from) + 1 {
                *out.entry(from).or_insert(0_usize) += 1;
                *into.entry(to).or_insert(0_usize) += 1;
            }
        }
        let mut ways: HashMap<(Owner, usize), u32> = HashMap::new();
        let mut joined = HashSet::new();
        for (from, to) in picture.edges() {
            let (first, last) = (self.column_of(from), self.column_of(to));
            let mut way = vec![from];
            if last > first + 1 && last - first + ways.len() <= MAX_PASSING {
                let owner =
                    if out.get(&from) >= into.get(&to) { Owner::From(from) } else { Owner::To(to) };
                for column in first + 1..last {
                    let known = ways.get(&(owner, column)).copied();
                    let slot = known.unwrap_or_else(|| self.add(column, passing));
                    ways.insert((owner, column), slot);
                    way.push(slot);
                }
            }
            way.push(to);
            for (left, right) in way.iter().zip(way.iter().skip(1)) {
                if first < last && joined.insert((*left, *right)) {
                    self.join(*left, *right);
                }
            }
            self.routes.push((from, to, way));
        }
    }

    fn join(&mut self, left: u32, right: u32) {
        if let Some(slot) = self.slots.get_mut(left as usize) {
            slot.after.push(right);
        }
        if let Some(slot) = self.slots.get_mut(right as usize) {
            slot.before.push(left);
        }
    }

    /// Returns the extent of a column's slots.
    pub(super) fn reach(&self, column: usize) -> Option<(f64, f64)> {
        let list = self.columns.get(column)?;
        let size = |slot: u32| self.slots.get(slot as usize).map_or(0.0, |slot| slot.size / 2.0);
        let (first, last) = (*list.first()?, *list.last()?);
        Some((self.at(first) - size(first), self.at(last) + size(last)))
    }

    /// Returns the number of edges and bundles from a column to the next.
    pub(super) fn leaving(&self, column: usize) -> usize {
        let slots = self.columns.get(column).into_iter().flatten();
        slots.map(|slot| self.near(*slot, false).len()).sum()
    }

    pub(super) fn column_of(&self, slot: u32) -> usize {
        self.slots.get(slot as usize).map_or(0, |slot| slot.column)
    }

    pub(super) fn at(&self, slot: u32) -> f64 {
        self.slots.get(slot as usize).map_or(0.0, |slot| slot.at)
    }

    fn near(&self, slot: u32, is_before: bool) -> &[u32] {
        let known = self.slots.get(slot as usize);
        known.map_or(&[], |slot| if is_before { &slot.before } else { &slot.after })
    }
}

fn middle(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    Some(values.iter().sum::<f64>() / to_f64(values.len()))
}

/// Converts a count; counts here are far below 2⁵².
pub(super) fn to_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}
