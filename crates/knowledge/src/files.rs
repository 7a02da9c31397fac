//! Files as every part of the crate reads and writes them.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// Returns the beginning of a file, at most so many bytes.
pub(crate) fn head(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Puts a file of these bytes at a path, whole or not at all: through a new file beside it, which is
/// synced first if it must outlive a crash.
pub(crate) fn replace(path: &Path, bytes: &[u8], is_synced: bool) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    if is_synced {
        file.as_file().sync_data()?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Returns what the system reports, without its number.
pub(crate) fn told(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
