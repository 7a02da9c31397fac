//! The layered layout: a layer for each step of the longest way, an edge that passes a layer gets a
//! place in it, the order within a layer follows the neighbours, and so does the place.

use super::Picture;
use crate::graph::number;
use std::collections::HashMap;

/// Sweeps over the layers that put neighbours near each other.
const SWEEPS: usize = 12;

/// Places that edges may take in layers they pass; beyond, edges are drawn straight.
const MAX_PASSING: usize = 40_000;

/// A place in a layer: of a node, or of an edge that passes.
#[derive(Debug, Clone, Default)]
pub(super) struct Slot {
    layer: usize,
    /// Where its middle is, across the layers.
    pub(super) at: f64,
    /// How much room it takes.
    size: f64,
    before: Vec<u32>,
    after: Vec<u32>,
}

/// Where everything is.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) slots: Vec<Slot>,
    pub(super) layers: Vec<Vec<u32>>,
    /// Each edge as the slots that it runs through.
    pub(super) routes: Vec<(u32, u32, Vec<u32>)>,
}

impl Layout {
    /// Lays out a picture; a node takes `size` across the layers, a passing edge `passing`.
    pub(super) fn of(picture: &Picture, size: f64, passing: f64) -> Self {
        let mut layout = Self::default();
        for node in 0..number(picture.nodes.len()) {
            layout.add(picture.layer(node), size);
        }
        let mut room = MAX_PASSING;
        for (from, to) in picture.edges() {
            layout.route(picture, from, to, passing, &mut room);
        }
        for _ in 0..SWEEPS {
            layout.sort(true);
            layout.sort(false);
        }
        layout.place();
        layout
    }

    fn add(&mut self, layer: usize, size: f64) -> u32 {
        let slot = number(self.slots.len());
        if self.layers.len() <= layer {
            self.layers.resize(layer + 1, Vec::new());
        }
        if let Some(list) = self.layers.get_mut(layer) {
            list.push(slot);
        }
        self.slots.push(Slot { layer, size, ..Slot::default() });
        slot
    }

    fn route(&mut self, picture: &Picture, from: u32, to: u32, passing: f64, room: &mut usize) {
        let (first, last) = (picture.layer(from), picture.layer(to));
        let mut way = vec![from];
        if last > first + 1 && last - first <= *room {
            *room -= last - first;
            way.extend((first + 1..last).map(|layer| self.add(layer, passing)));
        }
        way.push(to);
        if first < last {
            for (left, right) in way.iter().zip(way.iter().skip(1)) {
                self.join(*left, *right);
            }
        }
        self.routes.push((from, to, way));
    }

    fn join(&mut self, left: u32, right: u32) {
        if let Some(slot) = self.slots.get_mut(left as usize) {
            slot.after.push(right);
        }
        if let Some(slot) = self.slots.get_mut(right as usize) {
            slot.before.push(left);
        }
    }

    /// Orders each layer by the middle of its neighbours in the layer before (or after).
    fn sort(&mut self, is_down: bool) {
        let mut ranks: HashMap<u32, f64> = HashMap::new();
        let count = self.layers.len();
        for step in 0..count {
            let at = if is_down { step } else { count - 1 - step };
            let Some(list) = self.layers.get_mut(at) else { continue };
            let mut keys: Vec<(f64, usize, u32)> = Vec::with_capacity(list.len());
            for (index, slot) in list.iter().enumerate() {
                let Some(known) = self.slots.get(*slot as usize) else { continue };
                let near = if is_down { &known.before } else { &known.after };
                let ranks: Vec<f64> = near.iter().filter_map(|n| ranks.get(n).copied()).collect();
                let own = fraction(index, list.len());
                keys.push((middle(&ranks).unwrap_or(own), index, *slot));
            }
            keys.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
            *list = keys.into_iter().map(|(_, _, slot)| slot).collect();
            for (index, slot) in list.iter().enumerate() {
                ranks.insert(*slot, fraction(index, list.len()));
            }
        }
    }

    /// Gives every slot its place: near its neighbours, and none over another.
    fn place(&mut self) {
        for layer in 0..self.layers.len() {
            self.settle(layer, |_| None);
        }
        for sweep in 0..SWEEPS {
            let is_down = sweep % 2 == 0;
            for step in 0..self.layers.len() {
                let layer = if is_down { step } else { self.layers.len() - 1 - step };
                let wished: HashMap<u32, f64> = self.wishes(layer, is_down);
                self.settle(layer, |slot| wished.get(&slot).copied());
            }
        }
        let least = |slot: &Slot| slot.at - slot.size / 2.0;
        let start = self.slots.iter().map(least).fold(f64::INFINITY, f64::min);
        self.slots.iter_mut().for_each(|slot| slot.at -= start);
    }

    fn wishes(&self, layer: usize, is_down: bool) -> HashMap<u32, f64> {
        let slots = self.layers.get(layer).into_iter().flatten();
        let wish = |slot: &u32| {
            let known = self.slots.get(*slot as usize)?;
            let near = if is_down { &known.before } else { &known.after };
            let places = near.iter().filter_map(|near| self.slots.get(*near as usize));
            let places: Vec<f64> = places.map(|near| near.at).collect();
            Some((*slot, middle(&places)?))
        };
        slots.filter_map(wish).collect()
    }

    /// Puts the slots of a layer where they wish to be, as far as the order allows: the mean of
    /// pushing all down and pushing all up.
    fn settle(&mut self, layer: usize, wish: impl Fn(u32) -> Option<f64>) {
        let Some(list) = self.layers.get(layer) else { return };
        let slots = &mut self.slots;
        let get = |slots: &[Slot], slot: u32| {
            slots.get(slot as usize).map_or((0.0, 0.0), |slot| (slot.at, slot.size))
        };
        let goal: Vec<(f64, f64)> = (list.iter())
            .map(|slot| {
                let (at, size) = get(slots, *slot);
                (wish(*slot).unwrap_or(at), size)
            })
            .collect();
        let mut down = Vec::with_capacity(goal.len());
        let mut edge = f64::NEG_INFINITY;
        for (at, size) in &goal {
            let place = at.max(edge + size / 2.0);
            edge = place + size / 2.0;
            down.push(place);
        }
        let mut up = Vec::with_capacity(goal.len());
        edge = f64::INFINITY;
        for (at, size) in goal.iter().rev() {
            let place = at.min(edge - size / 2.0);
            edge = place - size / 2.0;
            up.push(place);
        }
        let means = down.iter().zip(up.iter().rev()).map(|(down, up)| f64::midpoint(*down, *up));
        for (slot, place) in list.iter().zip(means) {
            if let Some(slot) = slots.get_mut(*slot as usize) {
                slot.at = place;
            }
        }
    }

    pub(super) fn breadth(&self) -> f64 {
        let far = |slot: &Slot| slot.at + slot.size / 2.0;
        self.slots.iter().map(far).fold(0.0, f64::max)
    }

    pub(super) fn layer_of(&self, slot: u32) -> usize {
        self.slots.get(slot as usize).map_or(0, |slot| slot.layer)
    }

    pub(super) fn at(&self, slot: u32) -> f64 {
        self.slots.get(slot as usize).map_or(0.0, |slot| slot.at)
    }
}

fn middle(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    Some(values.iter().sum::<f64>() / to_f64(values.len()))
}

fn fraction(index: usize, of: usize) -> f64 {
    (to_f64(index) + 0.5) / to_f64(of.max(1))
}

/// A count as a number; counts here are far below 2⁵².
pub(super) fn to_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}
