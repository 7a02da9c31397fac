//! Writes the files of an archive below a folder that is empty.

use super::archive::{self, ArchiveLimits, Kind, too_many, unread};
use super::error::ArchiveError;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use unicode_normalization::UnicodeNormalization;

/// Archives that unpack to less than this are never taken for bombs.
const SMALL: u64 = 1 << 20;

/// The most left-out entries that are reported.
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
            let hidden = hidden(raw).filter(|path| !left_out.contains(path));
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

/// The remaining amount that may be unpacked.
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

const NAME_BYTES: usize = 200;
const PATH_BYTES: usize = 1_000;
/// Names that are devices on some systems, whatever follows behind a full stop.
const DEVICES: &[&str] = &[
    "con", "prn", "aux", "nul", "conin$", "conout$", "com0", "com1", "com2", "com3", "com4",
    "com5", "com6", "com7", "com8", "com9", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6",
    "lpt7", "lpt8", "lpt9",
];

/// The paths of an archive so far.
#[derive(Default)]
pub(super) struct Paths {
    /// By their spelling without case: the spelling, and whether it is a folder.
    known: HashMap<String, (String, bool)>,
}

impl Paths {
    /// Returns the parts of the path of an entry. Empty for the top folder itself, none for what is
    /// hidden and left out.
    pub(super) fn take(
        &mut self,
        raw: &[u8],
        is_folder: bool,
        depth: usize,
    ) -> Result<Option<Vec<String>>, ArchiveError> {
        let refuse =
            |reason| ArchiveError::Unsafe { entry: raw.escape_ascii().to_string(), reason };
        let parts = parts(raw).map_err(refuse)?;
        if parts.len() > depth.saturating_add(usize::from(!is_folder)) {
            return Err(refuse("its folders are nested too deep"));
        }
        if parts.iter().any(|part| is_hidden(part)) {
            return Ok(None);
        }
        let mut folded = String::new();
        for (number, part) in parts.iter().enumerate() {
            let is_last = number + 1 == parts.len();
            folded.push('/');
            folded.extend(part.nfkc().flat_map(char::to_lowercase));
            let is_folder = is_folder || !is_last;
            let known = self.known.get(&folded);
            match known {
                None => {
                    self.known.insert(folded.clone(), (part.clone(), is_folder));
                }
                Some((spelling, _)) if spelling != part => {
                    return Err(refuse("another entry differs from it only in case or spelling"));
                }
                Some((_, true)) if is_folder => {}
                Some((_, false)) if is_last && !is_folder => {
                    return Err(refuse("there are two files of that path"));
                }
                Some(_) => return Err(refuse("it is a file in one place and a folder in another")),
            }
        }
        Ok(Some(parts))
    }
}

fn is_hidden(part: &str) -> bool {
    part.starts_with('.') || part == "__MACOSX"
}

/// Returns the hidden file or folder that an entry is or lies in, as a path; a folder ends with a
/// slash.
pub(super) fn hidden(raw: &[u8]) -> Option<String> {
    let parts = parts(raw).ok()?;
    let at = parts.iter().position(|part| is_hidden(part))?;
    let is_folder = at + 1 < parts.len() || raw.ends_with(b"/");
    let path = parts.get(..=at)?.join("/");
    Some(if is_folder { format!("{path}/") } else { path })
}

fn parts(raw: &[u8]) -> Result<Vec<String>, &'static str> {
    let path = std::str::from_utf8(raw).map_err(|_| "its path is not UTF-8")?;
    if path.len() > PATH_BYTES {
        return Err("its path is too long");
    }
    if path.starts_with('/') {
        return Err("its path is absolute");
    }
    if path.contains('\0') {
        return Err("its path holds a NUL");
    }
    if path.contains('\\') {
        return Err("its path holds a backslash");
    }
    if path.chars().any(is_unfit) {
        return Err("its path holds a character that no file name should have");
    }
    let named = path.split('/').filter(|part| !matches!(*part, "" | "."));
    named.map(|part| checked(part).map(|()| part.to_owned())).collect()
}

fn checked(part: &str) -> Result<(), &'static str> {
    if part == ".." {
        return Err("its path leads out of the archive with `..`");
    }
    if part.len() > NAME_BYTES {
        return Err("a name in its path is too long");
    }
    if part.ends_with(['.', ' ']) || part.starts_with(' ') {
        return Err("a name in its path begins with a space, or ends with a space or full stop");
    }
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_lowercase();
    if DEVICES.contains(&stem.as_str()) {
        return Err("a name in its path is that of a device");
    }
    Ok(())
}

fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}
