//! Whether messages can be taken now (CP-20).
//!
//! Decision: what can be written is found out by writing: a transaction that changes nothing, and a
//! small file beside the contexts, since a log that has room left takes a while to notice that the
//! disk has none. Anybody may ask, so one answer serves all who ask within a second.

use crate::serve::app::App;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// The file that is written.
const FILE: &str = ".writable";
/// So much room has to be there, in bytes.
const ROOM: usize = 128 << 10;
/// For so long an answer holds.
const FRESH: Duration = Duration::from_secs(1);
/// How long the store may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// What was found out last.
pub(crate) struct Readiness {
    data: PathBuf,
    last: Mutex<Option<(Instant, Option<&'static str>)>>,
}

impl Readiness {
    pub(crate) fn new(data: PathBuf) -> Self {
        Self { data, last: Mutex::new(None) }
    }

    /// Why contexts can't be written, when they can't.
    pub(crate) async fn fault(&self, app: &Arc<App>) -> Option<&'static str> {
        let mut last = self.last.lock().await;
        if let Some((_, fault)) = last.filter(|(at, _)| at.elapsed() < FRESH) {
            return fault;
        }
        let fault = self.probe(app).await;
        *last = Some((Instant::now(), fault));
        fault
    }

    async fn probe(&self, app: &Arc<App>) -> Option<&'static str> {
        match tokio::time::timeout(PATIENCE, app.read(|store| store.check())).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Some("contexts can't be written"),
            Err(_) => return Some("the store of contexts does not answer"),
        }
        let data = self.data.clone();
        let written = tokio::task::spawn_blocking(move || write(&data));
        match tokio::time::timeout(PATIENCE, written).await {
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
    fn cp_20_a_folder_that_takes_nothing_is_found_out_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(write(&folder.path().join("gone")).is_err());
        std::fs::create_dir(folder.path().join(FILE)).unwrap();
        assert!(write(folder.path()).is_err());
    }
}
