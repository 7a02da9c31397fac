//! Which node stands in which column.

use crate::picture::Picture;
use std::collections::HashSet;

/// Where all nodes stand.
pub(super) struct Columns {
    pub(super) of: Vec<usize>,
    /// Layers that stand in several columns: the first, and the one after the last.
    pub(super) parted: Vec<(usize, usize)>,
}

/// The columns of all nodes: their layers, a wide one in several where the edges allow it.
pub(super) fn of(picture: &Picture, rows: usize) -> Columns {
    let count = crate::graph::number(picture.nodes.len());
    let layers = layers(picture, count, rows);
    let mut columns = vec![0; picture.nodes.len()];
    let (mut next, mut parted) = (0, Vec::new());
    for layer in &layers {
        let is_wrapped = layer.len() > rows && passing(picture, layer) * 6 <= layer.len();
        let parts = if is_wrapped { layer.len().div_ceil(rows.max(1)) } else { 1 };
        let height = layer.len().div_ceil(parts).max(1);
        for (at, node) in layer.iter().enumerate() {
            if let Some(slot) = columns.get_mut(*node as usize) {
                *slot = next + at / height;
            }
        }
        if parts > 1 {
            parted.push((next, next + parts));
        }
        next += parts;
    }
    Columns { of: columns, parted }
}

/// The nodes of each layer. Where more than `rows` may begin at once, they don't all stand in the
/// first: those that something waits for stand before that, the others where there is room.
fn layers(picture: &Picture, count: u32, rows: usize) -> Vec<Vec<u32>> {
    let firsts = (0..count).filter(|node| picture.layer(*node) == 0).count();
    let is_crowded = firsts > rows && firsts < picture.nodes.len();
    let is_idle = |node: u32| {
        picture.dependencies.of(node).is_empty() && picture.dependents.of(node).is_empty()
    };
    let mut layers: Vec<Vec<u32>> = Vec::new();
    for node in (0..count).filter(|node| !is_crowded || !is_idle(*node)) {
        let layer = if is_crowded { before_next(picture, node) } else { picture.layer(node) };
        if layers.len() <= layer {
            layers.resize(layer + 1, Vec::new());
        }
        if let Some(list) = layers.get_mut(layer) {
            list.push(node);
        }
    }
    for node in (0..count).filter(|node| is_crowded && is_idle(*node)) {
        if let Some(list) = layers.iter_mut().min_by_key(|list| list.len()) {
            list.push(node);
        }
    }
    layers
}

/// The layer of a node; of one that depends on nothing, the one before the first that waits for it.
fn before_next(picture: &Picture, node: u32) -> usize {
    let layer = picture.layer(node);
    if layer > 0 {
        return layer;
    }
    let next = picture.dependents.of(node).iter().map(|next| picture.layer(*next)).min();
    next.map_or(layer, |next| next.saturating_sub(1))
}

/// How many ways would run past the nodes of a layer if it stood in several columns: one for each
/// node that many of them depend on, and for each that depends on many of them.
fn passing(picture: &Picture, layer: &[u32]) -> usize {
    let before: HashSet<u32> =
        layer.iter().flat_map(|node| picture.dependencies.of(*node)).copied().collect();
    let after: HashSet<u32> =
        layer.iter().flat_map(|node| picture.dependents.of(*node)).copied().collect();
    before.len() + after.len()
}
