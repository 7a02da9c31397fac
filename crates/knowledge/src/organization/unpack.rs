//! Writes the files of an archive below a folder that is empty.

use super::archive::{self, Kind, too_many, unread};
use super::error::ArchiveError;
use super::limits::ArchiveLimits;
use super::paths::{self, Paths};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// Archives that unpack to less than this are never taken for bombs.
const SMALL: u64 = 1 << 20;

/// The most things left out that are told.
const MOST_TOLD: usize = 50;

/// Unpacks the archive into `folder`, and gives what of it was left out: hidden files and folders,
/// each once.
pub(super) fn unpack(
    bytes: &[u8],
    folder: &Path,
    limits: &ArchiveLimits,
) -> Result<Vec<String>, ArchiveError> {
    let packed = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let mut paths = Paths::default();
    let mut entries = 0_usize;
    let mut left_out: Vec<String> = Vec::new();
    let mut room = Room { limits, left: limits.total_bytes, total: 0, packed };
    archive::each(bytes, limits, &mut |raw, kind, content| {
        entries += 1;
        if entries > limits.entries {
            return Err(too_many(limits));
        }
        if let Kind::Other(reason) = kind {
            let entry = raw.escape_ascii().to_string();
            return Err(ArchiveError::Unsafe { entry, reason });
        }
        let is_folder = kind == Kind::Folder;
        let taken = paths.take(raw, is_folder, limits.depth)?;
        let Some(parts) = taken.filter(|parts| !parts.is_empty()) else {
            let hidden = paths::hidden(raw).filter(|path| !left_out.contains(path));
            left_out.extend(hidden.filter(|_| left_out.len() < MOST_TOLD));
            // What is left out is read all the same: it counts.
            return room.copy(content, &mut io::sink(), Path::new("(left out)"));
        };
        let path = parts.iter().fold(folder.to_owned(), |path, part| path.join(part));
        let parent = if is_folder { Some(path.as_path()) } else { path.parent() };
        if let Some(parent) = parent {
            fs::create_dir_all(parent).map_err(ArchiveError::files("make the folder", parent))?;
        }
        if is_folder {
            return Ok(());
        }
        let mut file = File::create_new(&path).map_err(ArchiveError::files("make", &path))?;
        room.copy(content, &mut file, &path)
    })?;
    Ok(left_out)
}

/// How much may still be unpacked.
struct Room<'l> {
    limits: &'l ArchiveLimits,
    left: u64,
    total: u64,
    packed: u64,
}

impl Room<'_> {
    fn copy(
        &mut self,
        content: &mut dyn Read,
        to: &mut dyn Write,
        path: &Path,
    ) -> Result<(), ArchiveError> {
        let mut buffer = vec![0; 64 << 10];
        let mut file_left = self.limits.file_bytes;
        loop {
            let count = match content.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unread(&error, self.limits)),
            };
            let read = u64::try_from(count).unwrap_or(u64::MAX);
            file_left = file_left.checked_sub(read).ok_or(ArchiveError::TooLarge {
                limit: self.limits.file_bytes,
                what: "bytes in one file",
            })?;
            self.left = self.left.checked_sub(read).ok_or(ArchiveError::TooLarge {
                limit: self.limits.total_bytes,
                what: "unpacked bytes",
            })?;
            self.total += read;
            if self.total > SMALL && self.total / self.limits.ratio.max(1) > self.packed {
                let limit = self.limits.ratio;
                let what = "times the bytes of the archive in it";
                return Err(ArchiveError::TooLarge { limit, what });
            }
            let data = buffer.get(..count).unwrap_or_default();
            to.write_all(data).map_err(ArchiveError::files("write", path))?;
        }
    }
}
