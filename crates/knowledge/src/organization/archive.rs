//! The entries of an archive, one after the other, whatever its format.

use super::error::ArchiveError;
use flate2::read::MultiGzDecoder;
use std::io::{self, Cursor, Read};
use tar::EntryType;

/// Bytes that a tar archive takes besides its files, for each entry at most.
const OVERHEAD: u64 = 4 << 10;

/// The block of zeros that marks the end of a tar archive, in bytes.
const BLOCK: u64 = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
    /// Something that is refused, and why.
    Other(&'static str),
}

/// Takes an entry: its path, what it is, and its content.
pub(super) type Take<'t> =
    &'t mut dyn FnMut(&[u8], Kind, &mut dyn Read) -> Result<(), ArchiveError>;

/// Shows all entries of an archive; its format is recognised by its content.
pub(super) fn each(
    bytes: &[u8],
    limits: &ArchiveLimits,
    take: Take<'_>,
) -> Result<(), ArchiveError> {
    match bytes {
        [0x1f, 0x8b, ..] => tar(MultiGzDecoder::new(bytes), limits, take),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => zip(bytes, limits, take),
        _ if bytes.get(257..262) == Some(b"ustar") => tar(bytes, limits, take),
        _ => Err(ArchiveError::Bad(
            "expected a .tar.gz, .tar or .zip file, found neither by its content".to_owned(),
        )),
    }
}

fn tar(reader: impl Read, limits: &ArchiveLimits, take: Take<'_>) -> Result<(), ArchiveError> {
    // Long names and headers are read into memory: the stream as a whole has an end.
    let entries = u64::try_from(limits.entries).unwrap_or(u64::MAX);
    let most = limits.total_bytes.saturating_add(entries.saturating_mul(OVERHEAD));
    let mut archive = tar::Archive::new(Bounded { reader, left: most, zeros: 0 });
    let entries = archive.entries().map_err(|error| unread(&error, limits))?;
    for entry in entries {
        let mut entry = entry.map_err(|error| unread(&error, limits))?;
        let kind = match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => Kind::File,
            EntryType::Directory => Kind::Folder,
            EntryType::XGlobalHeader => continue,
            EntryType::Symlink | EntryType::Link => Kind::Other("it is a link"),
            EntryType::Char | EntryType::Block => Kind::Other("it is a device"),
            EntryType::Fifo => Kind::Other("it is a pipe"),
            EntryType::GNUSparse => Kind::Other("it is a sparse file"),
            _ => Kind::Other("it is neither a file nor a folder"),
        };
        let path = entry.path_bytes().into_owned();
        take(&path, kind, &mut entry)?;
    }
    // What is compressed has its sum at its end, behind the last entry.
    let mut rest = archive.into_inner();
    io::copy(&mut rest, &mut io::sink()).map_err(|error| unread(&error, limits))?;
    if rest.zeros < BLOCK {
        return Err(ArchiveError::Bad(
            "it ends before its end is marked: it was cut off".to_owned(),
        ));
    }
    Ok(())
}

fn zip(bytes: &[u8], limits: &ArchiveLimits, take: Take<'_>) -> Result<(), ArchiveError> {
    let bad = |error: zip::result::ZipError| ArchiveError::Bad(error.to_string());
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(bad)?;
    if archive.has_duplicate_names() {
        let entry = "(its list of entries)".to_owned();
        return Err(ArchiveError::Unsafe { entry, reason: "there are two files of one path" });
    }
    if archive.len() > limits.entries {
        return Err(too_many(limits));
    }
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).map_err(bad)?;
        let format = entry.unix_mode().map_or(0, |mode| mode & 0o170_000);
        let kind = match format {
            _ if entry.is_symlink() => Kind::Other("it is a link"),
            0 | 0o100_000 | 0o040_000 if entry.is_dir() => Kind::Folder,
            0 | 0o100_000 => Kind::File,
            0o020_000 | 0o060_000 => Kind::Other("it is a device"),
            _ => Kind::Other("it is neither a file nor a folder"),
        };
        let path = entry.name_raw().to_vec();
        take(&path, kind, &mut entry)?;
    }
    Ok(())
}

pub(super) fn too_many(limits: &ArchiveLimits) -> ArchiveError {
    let limit = u64::try_from(limits.entries).unwrap_or(u64::MAX);
    ArchiveError::TooLarge { limit, what: "entries" }
}

/// Returns a fault of reading: of the data, or that there is too much of it.
pub(super) fn unread(error: &io::Error, limits: &ArchiveLimits) -> ArchiveError {
    if error.kind() == io::ErrorKind::FileTooLarge {
        return ArchiveError::TooLarge { limit: limits.total_bytes, what: "unpacked bytes" };
    }
    ArchiveError::Bad(error.to_string())
}

/// A stream that fails where it is longer than allowed.
struct Bounded<R> {
    reader: R,
    left: u64,
    /// The number of zeros at its end, so far.
    zeros: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        let read = u64::try_from(count).unwrap_or(u64::MAX);
        self.left = self
            .left
            .checked_sub(read)
            .ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
        let data = buffer.get(..count).unwrap_or_default();
        let zeros = data.iter().rev().take_while(|byte| **byte == 0).count() as u64;
        self.zeros = if zeros == read { self.zeros.saturating_add(read) } else { zeros };
        Ok(count)
    }
}

/// The limits of an archive. All are checked while it is read, before anything more is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Bytes of the archive itself.
    pub archive_bytes: u64,
    /// Entries, folders included.
    pub entries: usize,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files together.
    pub total_bytes: u64,
    /// The most by which its files together may be larger than the archive; what is smaller than a
    /// megabyte in all is not asked.
    pub ratio: u64,
    /// Folders within folders.
    pub depth: usize,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self {
            archive_bytes: 64 << 20,
            entries: 20_000,
            file_bytes: 32 << 20,
            total_bytes: 256 << 20,
            ratio: 100,
            depth: 16,
        }
    }
}
