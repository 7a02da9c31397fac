//! Reading files and folders through the root's handle.

use super::{FileError, Workspace, WorkspacePath};
use cap_std::fs::{File, FileType, Metadata, OpenOptions};
use contexture_core::policy::paths::{Access, PathClass};
use contexture_diagnostic::nearest;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;

/// The most bytes for which room is made before a part of a file is read.
const PART: usize = 1 << 20;

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub path: WorkspacePath,
    /// Its kind; symlinks are not followed.
    pub kind: EntryKind,
    /// Bytes of a file; 0 for anything else.
    pub bytes: u64,
    /// The last change of a file, in nanoseconds since 1970; 0 for anything else.
    pub modified_ns: u128,
}

/// The entries of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The entries, by name; what the policy does not let be read is not among them.
    pub entries: Vec<Entry>,
    /// How many were left out because their names are not UTF-8.
    pub unnamed: usize,
    /// How many were left out because they are secret.
    pub secret: usize,
}

/// The kind of an entry of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symlink, wherever it leads.
    Symlink,
    /// A device, a pipe or a socket.
    Special,
}

impl EntryKind {
    /// Returns the word that programs see: `file`, `dir`, `symlink` or `other`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Folder => "dir",
            Self::Symlink => "symlink",
            Self::Special => "other",
        }
    }

    fn of(kind: FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_symlink() {
            Self::Symlink
        } else {
            Self::Special
        }
    }
}

impl Workspace {
    /// Returns the bytes of a regular file of at most `limit` bytes.
    ///
    /// # Errors
    /// [`FileError`]; nothing is read of a device, a pipe or a socket.
    pub fn read_bytes(&self, path: &WorkspacePath, limit: u64) -> Result<Vec<u8>, FileError> {
        let (file, metadata, class) = self.open_file(path)?;
        let too_large = |bytes| FileError::TooLarge { path: path.to_string(), bytes, limit };
        if metadata.len() > limit {
            return Err(too_large(metadata.len()));
        }
        let bytes = read_whole(file.into_std(), metadata.len(), limit);
        let bytes = bytes.map_err(|error| self.failed(error, path))?;
        let read = bytes.len() as u64;
        if read > limit {
            return Err(too_large(read));
        }
        self.note_content(class, &bytes);
        Ok(bytes)
    }

    /// Returns a part of a regular file, as far as the file has it.
    ///
    /// # Errors
    /// [`FileError`], as for the whole.
    pub fn read_part(&self, path: &WorkspacePath, part: Range<u64>) -> Result<Vec<u8>, FileError> {
        let (file, _, class) = self.open_file(path)?;
        let mut file = file.into_std();
        let length = part.end.saturating_sub(part.start);
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default().min(PART));
        file.seek(SeekFrom::Start(part.start))
            .and_then(|_| file.take(length).read_to_end(&mut bytes))
            .map_err(|error| self.failed(error, path))?;
        self.note_content(class, &bytes);
        Ok(bytes)
    }

    /// Returns the text of a regular file of at most `limit` bytes, as it is: a BOM and CRLF stay.
    ///
    /// # Errors
    /// [`FileError`], also when it is not UTF-8.
    pub fn read_text(&self, path: &WorkspacePath, limit: u64) -> Result<String, FileError> {
        String::from_utf8(self.read_bytes(path, limit)?).map_err(|error| FileError::NotText {
            path: path.to_string(),
            offset: error.utf8_error().valid_up_to(),
        })
    }

    /// Returns what stands in a folder, by name.
    ///
    /// # Errors
    /// [`FileError`], also when there are more than `limit` entries.
    pub fn entries(&self, folder: &WorkspacePath, limit: usize) -> Result<Listing, FileError> {
        let fail = |error| self.failed(error, folder);
        self.permit(folder, Access::Read)?;
        let opened = self.dir.open_dir(folder.os_path()).map_err(fail)?;
        let (real, _) = self.permit_opened(&opened, folder, Access::Read)?;
        let mut listing = Listing::default();
        for entry in opened.entries().map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                listing.unnamed += 1;
                continue;
            };
            if let Err(FileError::Refused(refused)) = self.permit(&real.join(name), Access::Read) {
                listing.secret += usize::from(refused.class == PathClass::Secret);
                continue;
            }
            if listing.entries.len() == limit {
                return Err(FileError::TooMany { path: folder.to_string(), limit });
            }
            let Ok(kind) = entry.file_type() else { continue };
            let kind = EntryKind::of(kind);
            let file = (kind == EntryKind::File).then(|| entry.metadata().ok()).flatten();
            let (bytes, modified_ns) = file.as_ref().map_or((0, 0), size_and_time);
            listing.entries.push(Entry { path: folder.join(name), kind, bytes, modified_ns });
        }
        listing.entries.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(listing)
    }

    /// Returns what is at a place, symlinks followed inside the workspace.
    ///
    /// # Errors
    /// [`FileError`] when nothing is there, or a symlink leads out.
    pub fn kind(&self, path: &WorkspacePath) -> Result<EntryKind, FileError> {
        let kind = self.metadata(path)?.file_type();
        Ok(EntryKind::of(kind))
    }

    /// Returns the regular file at a place, symlinks followed inside the workspace.
    ///
    /// # Errors
    /// [`FileError`] when nothing is there, it is not a regular file, or a symlink leads out.
    pub fn file(&self, path: &WorkspacePath) -> Result<Entry, FileError> {
        let metadata = self.metadata(path)?;
        require_file(&metadata, path)?;
        let (bytes, modified_ns) = size_and_time(&metadata);
        Ok(Entry { path: path.clone(), kind: EntryKind::File, bytes, modified_ns })
    }

    /// Refuses what is not a regular file without opening it, for a listing that knows it.
    ///
    /// # Errors
    /// [`FileError`], also when nothing is there.
    pub fn require_regular(&self, path: &WorkspacePath) -> Result<(), FileError> {
        require_file(&self.metadata(path)?, path)
    }

    /// Opens a regular file; what it is, is asked of what was opened.
    ///
    /// A look at the name before would cost a third of the whole and prove nothing, since another
    /// thing may stand there a moment later. Opening first is safe: it happens below the root's
    /// handle, so it reaches nothing outside. `O_NONBLOCK` returns at once from a pipe that nobody
    /// writes to and from a device that is not ready, `O_NOCTTY` keeps a terminal from becoming
    /// that of the process, and a socket can't be opened at all. What is not a regular file is closed
    /// again without having been read.
    fn open_file(&self, path: &WorkspacePath) -> Result<(File, Metadata, PathClass), FileError> {
        self.permit(path, Access::Read)?;
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
            options.custom_flags(flags.bits().cast_signed());
        }
        let opened = self.dir.open_with(path.os_path(), &options);
        let file = opened.map_err(|error| self.unopened(error, path))?;
        let metadata = file.metadata().map_err(|error| self.failed(error, path))?;
        let (_, class) = self.permit_opened(&file, path, Access::Read)?;
        require_file(&metadata, path)?;
        Ok((file, metadata, class))
    }

    /// Returns the error for what could not be opened: a socket is named as such, not as `ENXIO`.
    fn unopened(&self, error: std::io::Error, path: &WorkspacePath) -> FileError {
        let found = self.dir.metadata(path.os_path()).ok();
        let special = found.and_then(|found| require_file(&found, path).err());
        special.unwrap_or_else(|| self.failed(error, path))
    }

    /// Reports whether something is there, a symlink that leads nowhere too. What can't be looked
    /// at counts as being there: reading it shows why.
    #[must_use]
    pub fn has(&self, path: &WorkspacePath) -> bool {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let found = self.dir.symlink_metadata(path.os_path());
        !found.is_err_and(|error| matches!(error.kind(), NotFound | NotADirectory))
    }

    /// Returns what is at a place, symlinks followed inside the workspace.
    pub(crate) fn metadata(&self, path: &WorkspacePath) -> Result<Metadata, FileError> {
        self.permit(path, Access::Read)?;
        let found = self.dir.metadata(path.os_path()).map_err(|error| self.failed(error, path))?;
        self.permit_place(path, Access::Read)?;
        Ok(found)
    }

    /// Returns the error for a path, with the nearest name when nothing is there.
    pub(crate) fn failed(&self, error: std::io::Error, path: &WorkspacePath) -> FileError {
        match FileError::from_io(error, path.as_str()) {
            FileError::NotFound { path: asked, .. } => self.not_found(asked, path),
            other => other,
        }
    }

    fn not_found(&self, asked: String, path: &WorkspacePath) -> FileError {
        /// Suggesting must not cost more than reading would have.
        const LOOKED_AT: usize = 2_000;
        if self.dir.symlink_metadata(path.os_path()).is_ok() {
            return FileError::Dangling(asked);
        }
        let folder = path.parent();
        let entries = self.dir.read_dir(folder.os_path()).into_iter().flatten();
        let names: Vec<String> = entries
            .take(LOOKED_AT)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        let similar = nearest(path.name(), names.iter().map(String::as_str))
            .map(|name| folder.join(name).to_string());
        FileError::NotFound { path: asked, similar }
    }
}

/// Returns the size in bytes and the time of the last writing in nanoseconds since 1970.
fn size_and_time(metadata: &Metadata) -> (u64, u128) {
    let modified = metadata.modified().ok();
    let since = modified
        .and_then(|time| time.into_std().duration_since(std::time::SystemTime::UNIX_EPOCH).ok());
    (metadata.len(), since.map_or(0, |time| time.as_nanos()))
}

/// Returns all bytes of a file that should have `size`; it may grow while it is read, which one
/// byte beyond `limit` shows.
fn read_whole(mut file: std::fs::File, size: u64, limit: u64) -> std::io::Result<Vec<u8>> {
    let size = usize::try_from(size).unwrap_or_default();
    let mut bytes = vec![0; size.saturating_add(1)];
    let read = match file.read(&mut bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => 0,
        read => read?,
    };
    bytes.truncate(read);
    // As many as it should have, where one more was asked for: that is the end.
    if read != size {
        let left = limit.saturating_add(1).saturating_sub(read as u64);
        file.take(left).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Refuses everything but a regular file.
pub(super) fn require_file(metadata: &Metadata, path: &WorkspacePath) -> Result<(), FileError> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let path = path.to_string();
    if kind.is_dir() {
        return Err(FileError::IsFolder(path));
    }
    Err(FileError::Special { path, kind: special(kind) })
}

fn special(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use cap_std::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    let _ = kind;
    "something special"
}
