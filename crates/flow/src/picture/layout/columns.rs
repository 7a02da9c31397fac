//! Assignment of nodes to columns.

use crate::picture::Picture;
use std::collections::HashSet;

pub(super) struct Columns {
    pub(super) of: Vec<usize>,
    /// The layers split into several columns: the first one, and the one after the last.
    pub(super) parted: Vec<(usize, usize)>,
}

/// Returns the columns of all nodes: their layers, a wide one in several where the edges allow it.
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

/// Returns the nodes of each layer. If more than `rows` have no dependencies, not all of them are
/// in the first: those with dependents are placed before these, the others where there is room.
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

/// Returns the layer of a node; a node without dependencies is placed before its first dependent.
fn before_next(picture: &Picture, node: u32) -> usize {
    let layer = picture.layer(node);
    if layer > 0 {
        return layer;
    }
    let next = picture.dependents.of(node).iter().map(|next| picture.layer(*next)).min();
    next.map_or(layer, |next| next.saturating_sub(1))
}

/// Returns the number of bundles that would pass the nodes of a layer split into several columns:
/// one for each node that many of them depend on, and for each that depends on many of them.
fn passing(picture: &Picture, layer: &[u32]) -> usize {
    let before: HashSet<u32> =
        layer.iter().flat_map(|node| picture.dependencies.of(*node)).copied().collect();
    let after: HashSet<u32> =
        layer.iter().flat_map(|node| picture.dependents.of(*node)).copied().collect();
    before.len() + after.len()
}
