//! A picture of shares: each a rectangle whose area is its share (IN-7).

use serde::Serialize;

/// A rectangle, in hundredths of the width and of the height of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tile {
    /// The left side.
    pub x: f64,
    /// The upper side.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// The width of the picture for its height: tiles are kept near to squares in it.
const RATIO: f64 = 2.5;

/// Lays out shares in rows along the shorter side of what is left, so that tiles are near to squares
/// (Bruls, Huizing and van Wijk). The shares are above 0, the largest first.
#[must_use]
pub(super) fn squarified(shares: &[u64]) -> Vec<Tile> {
    #[allow(clippy::cast_precision_loss, reason = "a picture")]
    let shares: Vec<f64> = shares.iter().map(|share| *share as f64).collect();
    let total: f64 = shares.iter().sum();
    let scale = 100.0 * RATIO * 100.0 / total.max(f64::MIN_POSITIVE);
    let areas: Vec<f64> = shares.iter().map(|share| share * scale).collect();
    let mut left = Tile { x: 0.0, y: 0.0, width: 100.0 * RATIO, height: 100.0 };
    let mut tiles = Vec::with_capacity(areas.len());
    let mut rest = areas.as_slice();
    while !rest.is_empty() {
        let (row, others) = rest.split_at(row(rest, left.width.min(left.height)));
        left = place(row, left, &mut tiles);
        rest = others;
    }
    tiles
        .iter()
        .map(|tile| Tile { x: tile.x / RATIO, width: tile.width / RATIO, ..*tile })
        .collect()
}

/// Returns how many of the next areas make the row whose worst tile is nearest to a square.
fn row(areas: &[f64], side: f64) -> usize {
    let mut best = f64::INFINITY;
    let mut sum = 0.0;
    for (count, area) in areas.iter().enumerate() {
        sum += area;
        let (largest, smallest) = (areas.first().copied().unwrap_or(*area), *area);
        let square = side * side;
        let worst = (square * largest / (sum * sum)).max(sum * sum / (square * smallest));
        if worst > best {
            return count;
        }
        best = worst;
    }
    areas.len()
}

/// Places a row at the left or upper side; returns what is left.
fn place(row: &[f64], left: Tile, tiles: &mut Vec<Tile>) -> Tile {
    let sum: f64 = row.iter().sum();
    let is_column = left.width >= left.height;
    let side = if is_column { left.height } else { left.width };
    let depth = sum / side.max(f64::MIN_POSITIVE);
    let mut at = 0.0;
    for area in row {
        let length = area / depth.max(f64::MIN_POSITIVE);
        tiles.push(match is_column {
            true => Tile { x: left.x, y: left.y + at, width: depth, height: length },
            false => Tile { x: left.x + at, y: left.y, width: length, height: depth },
        });
        at += length;
    }
    match is_column {
        true => Tile { x: left.x + depth, width: (left.width - depth).max(0.0), ..left },
        false => Tile { y: left.y + depth, height: (left.height - depth).max(0.0), ..left },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_7_tiles_have_areas_of_shares_and_fill_picture() {
        // Equal ones, one that takes nearly all, falling ones, and ones of all sizes.
        let falling = (1..=60_u64).rev().map(|n| n * n).collect();
        let mixed = (0..200_u64).map(|n| 1 + n * 7_919 % 10_007).collect();
        for mut shares in [vec![5; 7], vec![1_000_000, 1, 1], falling, mixed] {
            shares.sort_by(|a, b| b.cmp(a));
            let tiles = squarified(&shares);
            assert_eq!(tiles.len(), shares.len());
            let total: u64 = shares.iter().sum();
            for (index, (share, tile)) in shares.iter().zip(&tiles).enumerate() {
                #[allow(clippy::cast_precision_loss, reason = "small numbers")]
                let area = *share as f64 / total as f64 * 10_000.0;
                assert!((tile.width * tile.height - area).abs() < 0.01, "{tile:?} {area}");
                assert!(tile.x >= -1e-6 && tile.x + tile.width <= 100.000_1, "{tile:?}");
                assert!(tile.y >= -1e-6 && tile.y + tile.height <= 100.000_1, "{tile:?}");
                let others = tiles.iter().skip(index + 1);
                for other in others {
                    let is_beside = tile.x + tile.width <= other.x + 1e-6
                        || other.x + other.width <= tile.x + 1e-6;
                    let is_below = tile.y + tile.height <= other.y + 1e-6
                        || other.y + other.height <= tile.y + 1e-6;
                    assert!(is_beside || is_below, "{tile:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn in_7_nothing_has_no_tile() {
        assert_eq!(squarified(&[]), []);
        assert_eq!(squarified(&[7]), [Tile { x: 0.0, y: 0.0, width: 100.0, height: 100.0 }]);
    }
}
