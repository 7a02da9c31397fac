//! Readiness to accept messages (CP-20).
//!
//! Decision: readiness is tested by writing: a transaction that changes nothing, and a
//! small file beside the contexts, since the write-ahead log may have room left although the
//! disk has none. Everybody may ask, so a result is reused for a second.

use contexture::store::contexts::ContextError;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// The file that is written.
const FILE: &str = ".writable";
/// The space that must be free, in bytes.
const ROOM: usize = 128 << 10;
/// The time for which a result is reused.
const FRESH: Duration = Duration::from_secs(1);
/// The timeout of the store.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The last result.
pub(crate) struct Readiness {
    data: PathBuf,
    last: Mutex<Option<(Instant, Option<&'static str>)>>,
}

impl Readiness {
    pub(crate) fn new(data: PathBuf) -> Self {
        Self { data, last: Mutex::new(None) }
    }

    /// Returns why contexts can't be written, if so; `check` is the check of their store.
    pub(crate) async fn fault(
        &self,
        check: impl Future<Output = Result<(), ContextError>>,
    ) -> Option<&'static str> {
        let mut last = self.last.lock().await;
        if let Some((_, fault)) = last.filter(|(at, _)| at.elapsed() < FRESH) {
            return fault;
        }
        let fault = self.probe(check).await;
        *last = Some((Instant::now(), fault));
        fault
    }

    async fn probe(
        &self,
        check: impl Future<Output = Result<(), ContextError>>,
    ) -> Option<&'static str> {
        match tokio::time::timeout(TIMEOUT, check).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Some("contexts can't be written"),
            Err(_) => return Some("the store of contexts does not answer"),
        }
        let data = self.data.clone();
        let written = tokio::task::spawn_blocking(move || write(&data));
        match tokio::time::timeout(TIMEOUT, written).await {
            Ok(Ok(Ok(()))) => None,
            Ok(_) => Some("the data folder has no room, or can't be written"),
            Err(_) => Some("the disk does not answer"),
        }
    }
}

fn write(folder: &Path) -> io::Result<()> {
    let path = folder.join(FILE);
    let written = File::create(&path).and_then(|mut file| {
        file.write_all(&vec![0; ROOM])?;
        file.sync_all()
    });
    let removed = std::fs::remove_file(&path);
    written.and(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_20_unwritable_folder_is_detected_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(write(&folder.path().join("gone")).is_err());
        std::fs::create_dir(folder.path().join(FILE)).unwrap();
        assert!(write(folder.path()).is_err());
    }
}
