//! Mutations of an input: bytes, ranges, words of a dictionary, and parts of other inputs.

use fastrand::Rng;
use std::ops::Range;

/// The largest input, in bytes.
pub(super) const LARGEST: usize = 16 << 10;

/// Numbers and signs at which readers go wrong.
const ODD: &[&str] = &[
    "0",
    "-1",
    "9223372036854775807",
    "18446744073709551616",
    "1e309",
    "-0.0",
    "2k",
    "0x10",
    "\0",
    "\u{feff}",
    "\u{200b}",
    "\u{202e}",
    "\u{301}",
    "\u{1f469}\u{200d}\u{1f4bb}",
    "\u{ff1c}",
    "\u{e9}",
    "\u{4e2d}",
    "\r\n",
    "\r",
    "\t",
    "\u{a0}",
    "\u{2028}",
    "\\u0000",
    "\\ud800",
    "\"",
    "'",
    "`",
    "```",
    "\\",
    "{{",
    "}}",
    "${",
    "<!--",
    "]]>",
    "//",
    "/*",
    "#",
    "---",
    "@",
    "&lt;",
    "%00",
];

/// The words of a target and the other inputs.
pub(super) struct Stock<'s> {
    pub(super) words: &'s [String],
    pub(super) pool: &'s [Vec<u8>],
}

/// Returns an input that differs from `input` by some mutations.
pub(super) fn mutated(input: &[u8], stock: &Stock<'_>, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let times = 1 << rng.u32(0..5);
    for _ in 0..rng.u32(1..=times) {
        mutate(&mut bytes, stock, rng);
        bytes.truncate(LARGEST);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, stock: &Stock<'_>, rng: &mut Rng) {
    match rng.u32(0..12) {
        0 => flip(bytes, rng),
        1 => {
            let (at, byte) = (place(bytes, rng), rng.u8(..));
            insert(bytes, at, &[byte]);
        }
        2 | 3 => drop(bytes.drain(range(bytes, rng))),
        4 => copy(bytes, 1, rng),
        5 => {
            let times = rng.usize(2..60);
            copy(bytes, times, rng);
        }
        6 => put(bytes, rng.choice(ODD).map_or(&[], |odd| odd.as_bytes()), rng),
        7 | 8 => {
            let word = rng.choice(stock.words).cloned().unwrap_or_default();
            put(bytes, word.as_bytes(), rng);
        }
        9 => {
            let other = rng.choice(stock.pool).cloned().unwrap_or_default();
            let part = other.get(range(&other, rng)).unwrap_or_default();
            put(bytes, part, rng);
        }
        10 => splice(bytes, stock, rng),
        _ => replace_token(bytes, stock, rng),
    }
}

fn flip(bytes: &mut [u8], rng: &mut Rng) {
    let mask = 1 << rng.u32(0..8);
    let at = rng.usize(0..bytes.len().max(1));
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= mask;
    }
}

/// Repeats a part at another place.
fn copy(bytes: &mut Vec<u8>, times: usize, rng: &mut Rng) {
    let part = bytes.get(range(bytes, rng)).unwrap_or_default();
    let room = LARGEST / part.len().max(1);
    let part = part.repeat(times.min(room));
    let at = place(bytes, rng);
    insert(bytes, at, &part);
}

/// Inserts a part, or puts it in the place of another.
fn put(bytes: &mut Vec<u8>, part: &[u8], rng: &mut Rng) {
    let range = if rng.bool() { range(bytes, rng) } else { empty(place(bytes, rng)) };
    bytes.splice(range, part.iter().copied());
}

/// Goes on with the end of another input.
fn splice(bytes: &mut Vec<u8>, stock: &Stock<'_>, rng: &mut Rng) {
    let Some(other) = rng.choice(stock.pool) else { return };
    bytes.truncate(place(bytes, rng));
    bytes.extend_from_slice(other.get(place(other, rng)..).unwrap_or_default());
}

/// Puts a word in the place of a word.
fn replace_token(bytes: &mut Vec<u8>, stock: &Stock<'_>, rng: &mut Rng) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let at = place(bytes, rng);
    let before = bytes.get(..at).unwrap_or_default().iter().rev().take_while(|one| is_part(one));
    let after = bytes.get(at..).unwrap_or_default().iter().take_while(|one| is_part(one));
    let token = at - before.count()..at + after.count();
    let word = rng.choice(stock.words).cloned().unwrap_or_default();
    bytes.splice(token, word.into_bytes());
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    bytes.splice(empty(at), part.iter().copied());
}

const fn empty(at: usize) -> Range<usize> {
    at..at
}

fn place(bytes: &[u8], rng: &mut Rng) -> usize {
    rng.usize(0..=bytes.len())
}

/// Returns a range that is more often short than long.
fn range(bytes: &[u8], rng: &mut Rng) -> Range<usize> {
    let start = place(bytes, rng);
    let most = (bytes.len() - start).min(1 << rng.u32(0..11));
    start..start + rng.usize(0..=most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gu_13_mutations_follow_from_seed_and_stay_small() {
        let words = ["func".to_owned(), "{".to_owned()];
        let pool = [b"main func() { 1 }".to_vec(), Vec::new(), vec![0xff; LARGEST]];
        let stock = Stock { words: &words, pool: &pool };
        let made = |seed: u64| {
            let mut rng = Rng::with_seed(seed);
            let inputs = pool.iter().cycle().take(2_000).map(|one| mutated(one, &stock, &mut rng));
            inputs.collect::<Vec<_>>()
        };
        let first = made(7);
        assert_eq!(first, made(7));
        assert_ne!(first, made(8));
        assert!(first.iter().all(|input| input.len() <= LARGEST));
        let different: std::collections::HashSet<_> = first.iter().collect();
        assert!(different.len() > 1_000, "{}", different.len());
    }
}
