//! The digests by which a file shows that its rows are those that were written (GU-12).
//!
//! Decision: each entry of a history (a message or a change) has the digest of its contents, and each
//! context the digest of its chain: that of the chain before its last entry and of this entry. So an
//! entry that was changed is named without its neighbours, a chain stays whole when a fork copies
//! entries, and compaction keeps one digest, that of the last entry that it removes.

use ring::digest::{Context, SHA256};

pub(super) use crate::marks::{Digest, digest_of as of};

/// Returns the digest of a row: its numbers, then its texts, each distinct from a missing one.
pub(super) fn row(numbers: &[Option<i64>], texts: &[Option<&[u8]>]) -> Digest {
    let mut front = Vec::with_capacity(16 * (numbers.len() + texts.len()));
    for number in numbers {
        front.push(u8::from(number.is_some()));
        front.extend(number.unwrap_or_default().to_le_bytes());
    }
    for text in texts {
        front.push(u8::from(text.is_some()));
        front.extend(text.map_or(0, <[u8]>::len).to_le_bytes());
    }
    let mut digest = Context::new(&SHA256);
    digest.update(&front);
    texts.iter().flatten().for_each(|text| digest.update(text));
    finished(digest)
}

/// Returns the digest of a chain with one more entry.
pub(super) fn link(chain: &Digest, entry: &Digest) -> Digest {
    let mut digest = Context::new(&SHA256);
    digest.update(chain);
    digest.update(entry);
    finished(digest)
}

fn finished(digest: Context) -> Digest {
    let mut bytes = Digest::default();
    bytes.copy_from_slice(digest.finish().as_ref());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gu_12_rows_that_differ_anywhere_have_other_digests() {
        let texts: [&[Option<&[u8]>]; 5] = [
            &[Some(b"ab"), Some(b"c")],
            &[Some(b"a"), Some(b"bc")],
            &[Some(b"abc"), None],
            &[None, Some(b"abc")],
            &[Some(b"abc"), Some(b"")],
        ];
        let mut digests: Vec<Digest> = texts.iter().map(|texts| row(&[Some(0)], texts)).collect();
        digests.push(row(&[None], &[Some(b"abc"), Some(b"")]));
        digests.push(link(&digests[0], &digests[1]));
        digests.push(link(&digests[1], &digests[0]));
        let count = digests.len();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), count);
    }
}
