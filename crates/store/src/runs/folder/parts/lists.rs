//! Lists of parts, themselves parts: a list as long as its text is long is cut by content again, so
//! that a text that grows repeats the end of a few short lists.

/// The first byte of a list. No part of a text has it: it is not in UTF-8.
const LIST: u8 = 0xff;

/// A list of at most so many parts is not cut.
pub(super) const SHORT: usize = 32;

/// The fewest parts of a list within another, but for the last.
const FEWEST: usize = 4;

/// The most parts of a list within another.
const MOST: usize = 128;

/// The bits of a pair's hash that say whether a list ends behind it: one in 32 does.
const SEAM: u32 = 5;

/// The most lists within each other: [`FEWEST`] to the power of it are more parts than a text has.
const DEEPEST: u8 = 16;

/// What is kept as a part.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'d> {
    /// Bytes of a text.
    Text(&'d [u8]),
    /// A list of parts.
    List(&'d [u8]),
    /// Neither: a part is never empty, so that no list is read without end.
    Damaged,
}

/// How many lists are within each other.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Depth(u8);

impl Depth {
    /// Returns the next depth; none when lists within each other are more than any text needs.
    pub(super) fn below(self) -> Option<Self> {
        (self.0 < DEEPEST).then_some(Self(self.0 + 1))
    }
}

/// Returns what a part is.
pub(super) const fn part(data: &[u8]) -> Part<'_> {
    match data {
        [] => Part::Damaged,
        [LIST, ..] => Part::List(data),
        _ => Part::Text(data),
    }
}

/// Cuts a list of places: behind pairs of places whose hash says so, so that equal rows of places
/// become equal lists. One place does not suffice: the same separator stands between any two messages.
pub(super) fn groups(mut ids: &[i64]) -> impl Iterator<Item = &[i64]> {
    std::iter::from_fn(move || {
        let mut before = 0;
        let end = ids.iter().enumerate().position(|(at, id)| {
            let pair = (std::mem::replace(&mut before, *id), *id);
            at + 1 >= MOST || at + 1 >= FEWEST && is_seam(pair)
        });
        let (group, rest) = ids.split_at_checked(end.map_or(ids.len(), |end| end + 1))?;
        ids = rest;
        (!group.is_empty()).then_some(group)
    })
}

const fn is_seam((before, id): (i64, i64)) -> bool {
    let pair = before.cast_unsigned().rotate_left(32) ^ id.cast_unsigned();
    let mixed = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed >> (u64::BITS - SEAM) == 0
}

/// Writes places: each as its distance from the one before, in as few bytes as it takes. Parts of
/// one text are mostly kept one after the other.
pub(super) fn write(ids: &[i64]) -> Vec<u8> {
    let mut out = vec![LIST];
    let mut before = 0_i64;
    for id in ids {
        let distance = id.wrapping_sub(before);
        let mut rest = ((distance << 1) ^ (distance >> (i64::BITS - 1))).cast_unsigned();
        while let Some(more) = (rest >> 7 != 0).then_some(rest >> 7) {
            out.push(low(rest) | 0x80);
            rest = more;
        }
        out.push(low(rest));
        before = *id;
    }
    out
}

/// Returns the lowest seven bits.
const fn low(number: u64) -> u8 {
    let [low, ..] = number.to_le_bytes();
    low & 0x7f
}

/// Reads places; `None` when the bytes are not a list of one at least.
pub(super) fn read(list: &[u8]) -> Option<Vec<i64>> {
    let (mut ids, mut before) = (Vec::new(), 0_i64);
    let (mut number, mut shift) = (0_u64, 0);
    for byte in list.strip_prefix(&[LIST])? {
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            let distance = (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
            before = before.wrapping_add(distance);
            ids.push(before);
            (number, shift) = (0, 0);
        }
    }
    (shift == 0 && !ids.is_empty()).then_some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gr_1_places_are_read_as_they_were_written() {
        for ids in [vec![1], vec![1, 2, 3, 300, 7, 7, 7], vec![i64::MAX, i64::MIN, 0, -1]] {
            assert_eq!(read(&write(&ids)), Some(ids));
        }
        let near: Vec<i64> = (1_000_000..1_000_100).collect();
        assert!(write(&near).len() < 110, "a near place takes a byte");
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[LIST]), None, "a list is never empty");
        assert_eq!(read(&[LIST, 0x80]), None, "torn");
        assert_eq!(read(&[&[LIST][..], &[0xff; 20]].concat()), None, "not a number");
    }

    #[test]
    fn gr_1_places_of_any_kind_become_shorter_lists() {
        let rows: [Vec<i64>; 3] =
            [(0..5_000).collect(), vec![7; 5_000], (0..5_000).map(|n| n * 0x1_0000_0001).collect()];
        for ids in rows {
            let groups: Vec<&[i64]> = groups(&ids).collect();
            assert_eq!(groups.concat(), ids, "nothing is lost");
            assert!(groups.len() <= ids.len() / FEWEST + 1, "{}", groups.len());
            assert!(groups.iter().all(|group| group.len() <= MOST));
        }
    }
}
