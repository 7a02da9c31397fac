//! Where an entry of an archive may be written.

use super::error::ArchiveError;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

/// The longest name of a file or folder, in bytes.
const NAME_BYTES: usize = 200;
/// The longest path, in bytes.
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
