//! Reading the head of a `KNOWLEDGE.md`: the frontmatter and no more than that.

use crate::codes;
use crate::files;
use crate::finding::Finding;
use crate::manifest::{self, MAX_FRONTMATTER_BYTES, Read};
use crate::pack::{GUIDE_FILE, MAX_GUIDE_BYTES};
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The bytes that are read first; frontmatter is seldom longer.
const FIRST: usize = 4 << 10;

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

/// Returns the same, with the state of the file when it was opened.
pub(super) fn read_stamped(root: &Path, types: &[String]) -> Result<(Read, Stamp), Finding> {
    let path = root.join(GUIDE_FILE);
    let failed = |error: std::io::Error| unreadable(&path, &error, codes::GUIDE_UNREADABLE);
    let mut file = match open(&path) {
        Err(error) if is_link(&path) => open(&place(root, &path)?).map_err(|_| failed(error)),
        opened => opened.map_err(failed),
    }?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(not_a_file(&path));
    }
    let mut read = manifest_of(&mut file, root, types).map_err(failed)?;
    if let Some(item) = read.item.as_mut().filter(|_| metadata.len() > MAX_GUIDE_BYTES) {
        let finding = too_large(&path, metadata.len());
        item.diagnostics.push(finding.message.clone());
        read.findings.push(finding);
    }
    Ok((read, Stamp::of(&metadata)))
}

/// Reads no more of the file than its frontmatter needs.
fn manifest_of(file: &mut File, root: &Path, types: &[String]) -> std::io::Result<Read> {
    let mut first = [0; FIRST];
    let read = file.read(&mut first)?;
    let first = first.get(..read).unwrap_or_default();
    if let Ok(yaml) = manifest::frontmatter(first, false) {
        return Ok(manifest::read_yaml(yaml, root, types));
    }
    let mut bytes = first.to_vec();
    // The limit, the closing line behind it, and a BOM.
    let left = (MAX_FRONTMATTER_BYTES + 64).saturating_sub(bytes.len());
    let more = file.take(left as u64).read_to_end(&mut bytes)?;
    Ok(match manifest::frontmatter(&bytes, more < left) {
        Ok(yaml) => manifest::read_yaml(yaml, root, types),
        Err(problem) => manifest::refused(problem.finding(&root.join(GUIDE_FILE))),
    })
}

/// Returns the finding for a folder or file that could not be looked at.
pub(super) fn unreadable(path: &Path, error: &std::io::Error, code: codes::Code) -> Finding {
    use std::io::ErrorKind;
    if error.kind() == ErrorKind::NotFound {
        let code = codes::VANISHED;
        let message = "it was there and was gone when it was read";
        return Finding::explained(code, path, message);
    }
    Finding::explained(code, path, format!("it could not be read: {}", files::told(error)))
}

/// Returns the finding for a `KNOWLEDGE.md` that is a folder, a device, or leads out of its pack.
pub(super) fn not_a_file(path: &Path) -> Finding {
    let code = codes::GUIDE_NOT_A_FILE;
    Finding::explained(code, path, "it is not a regular file of the pack")
}

/// The pack is listed; who activates it would be refused.
fn too_large(path: &Path, bytes: u64) -> Finding {
    let code = codes::LARGE_GUIDE;
    let message = format!("it has {bytes} bytes; a guide has at most {MAX_GUIDE_BYTES}");
    Finding::explained(code, path, message)
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

/// Returns where a symlink leads: to another file of the same pack, or nowhere.
fn place(root: &Path, path: &Path) -> Result<PathBuf, Finding> {
    match (root.canonicalize(), path.canonicalize()) {
        (Ok(root), Ok(real)) if real.starts_with(&root) => Ok(real),
        _ => Err(not_a_file(path)),
    }
}

/// Opens without following a link and without waiting for a pipe or a device.
fn open(path: &Path) -> std::io::Result<File> {
    #[cfg(not(unix))]
    if is_link(path) {
        return Err(std::io::ErrorKind::Unsupported.into());
    }
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
