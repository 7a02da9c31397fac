//! Reading the head of a `KNOWLEDGE.md`: the frontmatter and no more than that.

use super::unreadable;
use crate::codes;
use crate::finding::Finding;
use crate::manifest::{self, MAX_FRONTMATTER_BYTES, Read, SplitProblem};
use crate::pack::GUIDE_FILE;
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What is read at first; frontmatter is seldom longer.
const FIRST: usize = 8 << 10;

/// A file in the state that a cache remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) bytes: u64,
    pub(super) modified_ns: u128,
}

impl Stamp {
    pub(super) fn of(metadata: &std::fs::Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Self { bytes: metadata.len(), modified_ns: since.map_or(0, |time| time.as_nanos()) }
    }
}

/// Reads the manifest of the pack in a folder.
///
/// # Errors
/// The finding for a file that can't be read.
pub(super) fn read(root: &Path, types: &[String]) -> Result<Read, Finding> {
    Ok(read_stamped(root, types)?.0)
}

/// The same, with the state of the file when it was opened.
pub(super) fn read_stamped(root: &Path, types: &[String]) -> Result<(Read, Stamp), Finding> {
    let path = root.join(GUIDE_FILE);
    let failed = |error: std::io::Error| unreadable(&path, &error, codes::GUIDE_UNREADABLE);
    let mut file = open(&place(root, &path)?).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(not_a_file(&path));
    }
    let read = match head(&mut file).map_err(failed)? {
        Ok(head) => manifest::read_yaml(&head, root, types),
        Err(problem) => manifest::refused(problem.finding(&path)),
    };
    Ok((read, Stamp::of(&metadata)))
}

/// The finding for a `KNOWLEDGE.md` that is a folder, a device, or leads out of its pack.
pub(super) fn not_a_file(path: &Path) -> Finding {
    let code = codes::GUIDE_NOT_A_FILE;
    Finding::new(code, path, "it is no regular file of the pack").with_help(code.explanation)
}

/// Where the file really is: a symlink may lead to another file of the same pack.
fn place(root: &Path, path: &Path) -> Result<PathBuf, Finding> {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    if !is_link {
        return Ok(path.to_owned());
    }
    match (root.canonicalize(), path.canonicalize()) {
        (Ok(root), Ok(real)) if real.starts_with(&root) => Ok(real),
        _ => Err(not_a_file(path)),
    }
}

/// Opens without following a link and without waiting for a pipe or a device.
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}

/// The frontmatter with its opening line.
fn head(file: &mut File) -> std::io::Result<Result<Vec<u8>, SplitProblem>> {
    let mut bytes = vec![0; FIRST];
    let read = file.read(&mut bytes)?;
    bytes.truncate(read);
    let is_short =
        |bytes: &[u8]| manifest::frontmatter(bytes, false) == Err(SplitProblem::Unclosed);
    let mut is_whole = read == 0;
    if is_short(&bytes) || read == 0 {
        // The limit, the closing line behind it, and a BOM.
        let left = (MAX_FRONTMATTER_BYTES + 64).saturating_sub(bytes.len());
        let more = file.take(left as u64).read_to_end(&mut bytes)?;
        is_whole = more < left;
    }
    Ok(manifest::frontmatter(&bytes, is_whole).map(<[u8]>::to_vec))
}
