//! Files as every part of the crate reads and writes them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A file changed twice within this time, in nanoseconds, may have the same time twice.
const TICK: u64 = 20_000_000;
/// The same on systems that keep whole seconds.
const COARSE_TICK: u64 = 2_000_000_000;

/// The time between two attempts at a lock.
const PAUSE: Duration = Duration::from_millis(20);

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

/// Returns the time in nanoseconds since 1970.
pub(crate) fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Reports whether a file of that time that was read at that time would have another time if it was
/// written since. Else it was read so soon after it was written that another write could have
/// followed unseen.
pub(crate) fn is_settled(modified_ns: u64, read_ns: u64) -> bool {
    let tick = if modified_ns.is_multiple_of(1_000_000_000) { COARSE_TICK } else { TICK };
    read_ns >= modified_ns.saturating_add(tick)
}

/// Returns the lock on a file, which is created; `None` when another process keeps it for longer
/// than the time to wait. The lock ends with the file that is returned.
pub(crate) fn lock(path: &Path, patience: Duration) -> io::Result<Option<File>> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => return Ok(None),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
