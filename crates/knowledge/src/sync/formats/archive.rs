//! The parts of a document that is a ZIP archive. Nothing is unpacked to a disk (MA-4).

use super::Unread;
use std::io::{Cursor, Read as _};
use zip::ZipArchive;

/// The largest part that is read, in bytes, and the most bytes of all parts together.
const MAX_PART: u64 = 64 << 20;
const MAX_ALL: u64 = 256 << 20;

/// An opened document.
pub(super) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    read: u64,
}

impl<'b> Archive<'b> {
    pub(super) fn open(bytes: &'b [u8]) -> Result<Self, Unread> {
        let zip = ZipArchive::new(Cursor::new(bytes));
        let zip = zip.map_err(|error| Unread::Damaged(format!("it is not an archive: {error}")))?;
        Ok(Self { zip, read: 0 })
    }

    /// Returns the bytes of a part; `None` when there is none of that name.
    ///
    /// The size that an archive claims is not trusted: bytes are counted as they come.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, Unread> {
        let Some(at) = self.zip.index_for_name(name) else { return Ok(None) };
        let part = self.zip.by_index(at);
        let part = part.map_err(|error| Unread::Damaged(format!("`{name}` in it: {error}")))?;
        let mut bytes = Vec::new();
        let read = part.take(MAX_PART + 1).read_to_end(&mut bytes);
        read.map_err(|error| Unread::Damaged(format!("`{name}` in it: {error}")))?;
        self.read += bytes.len() as u64;
        if bytes.len() as u64 > MAX_PART || self.read > MAX_ALL {
            return Err(Unread::Unpacked(name.to_owned()));
        }
        Ok(Some(bytes))
    }

    /// Returns the text of a part that a document must have.
    pub(super) fn text(&mut self, name: &str) -> Result<String, Unread> {
        let missing = || Unread::Damaged(format!("`{name}` is missing in it"));
        let bytes = self.part(name)?.ok_or_else(missing)?;
        String::from_utf8(bytes)
            .map_err(|_| Unread::Damaged(format!("`{name}` in it is not UTF-8 text")))
    }
}

/// Returns an archive of these parts, for tests.
#[cfg(test)]
pub(super) fn made(parts: &[(&str, &str)]) -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}
