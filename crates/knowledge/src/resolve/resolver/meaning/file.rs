//! The file of vectors beside an index: what a text's vector is need not be asked twice (MA-7).
//!
//! Decision: one file for each index and model, written whole and only when there is something new;
//! it is read whole anyway. It ends with its digest, so that a damaged one is made again.

use crate::files;
use contexture_context::Digest;
use std::collections::HashMap;
use std::io;
use std::path::Path;

const MAGIC: &[u8] = b"contexture vectors 1\n";
const KEY: usize = 32;
/// The largest file that is read, in bytes; what is larger is made again.
const MAX_FILE: u64 = 1 << 30;

/// Vectors of one length, by the digests of their texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Vectors {
    dimension: usize,
    by_text: HashMap<Digest, Vec<f32>>,
}

impl Vectors {
    pub(super) fn get(&self, key: &Digest) -> Option<&[f32]> {
        self.by_text.get(key).map(Vec::as_slice)
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Adds a vector.
    ///
    /// # Errors
    /// A reason when it has another length than those before.
    pub(super) fn add(&mut self, key: Digest, vector: Vec<f32>) -> Result<(), String> {
        if self.by_text.is_empty() {
            self.dimension = vector.len();
        }
        let expected = self.dimension;
        if vector.len() != expected {
            return Err(format!(
                "expected vectors of {expected} numbers, found one of {}",
                vector.len()
            ));
        }
        self.by_text.insert(key, vector);
        Ok(())
    }

    /// Leaves out what is not of these texts.
    pub(super) fn retain(&mut self, is_used: impl Fn(&Digest) -> bool) {
        self.by_text.retain(|key, _| is_used(key));
    }
}

/// Returns the vectors of a file; none when it is absent or damaged.
pub(super) fn read(path: &Path) -> Vectors {
    let bytes = files::head(path, MAX_FILE).unwrap_or_default();
    parse(&bytes).unwrap_or_default()
}

pub(super) fn write(path: &Path, vectors: &Vectors) -> io::Result<()> {
    let row = KEY + 4 * vectors.dimension;
    let mut bytes = Vec::with_capacity(MAGIC.len() + 4 + row * vectors.by_text.len() + KEY);
    bytes.extend(MAGIC);
    bytes.extend(u32::try_from(vectors.dimension).unwrap_or(u32::MAX).to_le_bytes());
    for (key, vector) in &vectors.by_text {
        bytes.extend(key.as_bytes());
        bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
    }
    let digest = Digest::of_bytes(&bytes);
    bytes.extend(digest.as_bytes());
    files::replace(path, &bytes, false)
}

fn parse(bytes: &[u8]) -> Option<Vectors> {
    let (content, digest) = bytes.split_last_chunk::<KEY>()?;
    if Digest::of_bytes(content).as_bytes() != digest {
        return None;
    }
    let (dimension, rows) = content.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
    let dimension = usize::try_from(u32::from_le_bytes(*dimension)).ok()?;
    let rows = rows.chunks_exact(KEY + 4 * dimension);
    if !rows.remainder().is_empty() {
        return None;
    }
    let mut vectors = Vectors { dimension, by_text: HashMap::with_capacity(rows.len()) };
    for row in rows {
        let (key, numbers) = row.split_first_chunk::<KEY>()?;
        let numbers = numbers.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
        vectors.by_text.insert(Digest::from(*key), numbers.collect());
    }
    Some(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ma_7_file_of_vectors_is_read_as_written_and_damaged_one_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache/a.vectors");
        assert_eq!(read(&path), Vectors::default());
        let mut vectors = Vectors::default();
        vectors.add(Digest::of_text("a"), vec![0.25, -1.5]).unwrap();
        vectors.add(Digest::of_text("b"), vec![0.0, 3.0e-9]).unwrap();
        let other = vectors.add(Digest::of_text("c"), vec![1.0]).unwrap_err();
        assert_eq!(other, "expected vectors of 2 numbers, found one of 1");
        write(&path, &vectors).unwrap();
        assert_eq!(read(&path), vectors);
        let whole = std::fs::read(&path).unwrap();
        for damaged in [&whole[..whole.len() - 1], &whole[..40], &[&whole[..], b"x"].concat(), b""]
        {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(read(&path), Vectors::default());
        }
        let mut flipped = whole.clone();
        flipped[60] ^= 1;
        std::fs::write(&path, flipped).unwrap();
        assert_eq!(read(&path), Vectors::default());
    }
}
