//! A small table of pieces counted lately.
//!
//! Words repeat: nine of ten pieces of a text were seen a moment ago, and looking one up is far
//! cheaper than encoding it. The table changes the speed of a count and nothing else.

use std::sync::{Mutex, MutexGuard};

/// Longest piece that is remembered, in bytes: what fits a key beside its length and count.
const LONGEST: usize = 15;
/// 65,536 entries of 16 bytes, 1 MB: the words of a language mostly find a place of their own.
const BITS: u32 = 16;
const COUNT_SHIFT: u32 = 124;
const LENGTH_SHIFT: u32 = 120;
const KEY: u128 = (1 << COUNT_SHIFT) - 1;

/// A direct-mapped table, shared by all counts with one vocabulary.
#[derive(Debug)]
pub(super) struct Memo(Mutex<Vec<u128>>);

impl Memo {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The table for one count, or none if another thread has it: that count then does without.
    pub(super) fn table(&self) -> Option<Table<'_>> {
        let mut entries = self.0.try_lock().ok()?;
        if entries.is_empty() {
            entries.resize(1 << BITS, 0);
        }
        Some(Table(entries))
    }
}

pub(super) struct Table<'a>(MutexGuard<'a, Vec<u128>>);

impl Table<'_> {
    /// The tokens of the piece of `len` bytes at `at`, by `count` if it is not known.
    #[inline]
    pub(super) fn count(
        &mut self,
        bytes: &[u8],
        at: usize,
        len: usize,
        count: impl FnOnce() -> usize,
    ) -> usize {
        let Some(key) = key(bytes, at, len) else {
            return count();
        };
        let Some(entry) = self.0.get_mut(slot(key)) else {
            return count();
        };
        if *entry & KEY == key {
            return (*entry >> COUNT_SHIFT) as usize;
        }
        let tokens = count();
        // A piece has at most as many tokens as bytes, so the count fits four bits as well.
        *entry = key | (tokens as u128) << COUNT_SHIFT;
        tokens
    }
}

/// The piece and its length as one number, never 0.
#[inline]
fn key(bytes: &[u8], at: usize, len: usize) -> Option<u128> {
    if len == 0 || len > LONGEST {
        return None;
    }
    let rest = bytes.get(at..)?;
    let text = if let Some(chunk) = rest.first_chunk::<16>() {
        u128::from_le_bytes(*chunk) & ((1 << (8 * len)) - 1)
    } else {
        rest.iter().take(len).rev().fold(0, |key, byte| key << 8 | u128::from(*byte))
    };
    Some(text | (len as u128) << LENGTH_SHIFT)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the halves of a hash are taken on purpose")]
const fn slot(key: u128) -> usize {
    let mixed = (key as u64) ^ ((key >> 64) as u64).rotate_left(29);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
}
