//! How much an archive may hold.

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
    /// How many times larger than the archive its files may be together; what is smaller than a
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
