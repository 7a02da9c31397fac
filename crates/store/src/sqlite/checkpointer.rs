//! The thread that moves what was written from SQLite's log to its place.
//!
//! Decision: the log is held to 8 MB (GR-8). SQLite begins it anew when all of it was moved, which beside
//! a writer that is never idle does not happen. So the thread moves most of it while the writer goes on,
//! and the writer itself only what is left when the log is long.

use rusqlite::Connection;
use rusqlite::hooks::Wal;
use rusqlite::wal::CheckpointMode;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

/// The pages of the log after which it is worth a move, and after which the writer waits for one. A
/// transaction that follows stays below 8 MB.
const PAGES_OF_LOG: i32 = 1_000;
const MOST_PAGES: i32 = 1_280;

/// Moves what was written from the log to its place, beside the thread that writes: that thread
/// would stand still for as long as it takes.
pub(crate) struct Checkpointer {
    connection: Arc<Mutex<Connection>>,
    /// The pages of the log, as of the last commit.
    pages: Arc<AtomicI32>,
    due: Option<mpsc::SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    /// Starts the thread; `connection` is one of its own to the file, and `after` is called after each
    /// move.
    pub(crate) fn start(
        connection: Connection,
        after: impl Fn() + Send + 'static,
    ) -> std::io::Result<Self> {
        let connection = Arc::new(Mutex::new(connection));
        let theirs = Arc::clone(&connection);
        let (due, told) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("contexts-log".to_owned()).spawn(move || {
            while told.recv().is_ok() {
                checkpoint(&theirs);
                after();
            }
        })?;
        Ok(Self { connection, pages: Arc::default(), due: Some(due), thread: Some(thread) })
    }

    /// Counts the pages that this connection writes, which then moves nothing itself.
    pub(crate) fn watch(&self, writer: &mut Connection) -> Result<(), rusqlite::Error> {
        let pages = Arc::clone(&self.pages);
        writer.wal_hook(Some(move |_: &mut Wal, count| {
            pages.store(count, Ordering::Relaxed);
            Ok(())
        }))
    }

    /// Wakes the thread when the log is long, and moves the rest of it when it is too long.
    pub(crate) fn hold(&self) {
        let pages = self.pages.swap(0, Ordering::Relaxed);
        if pages >= MOST_PAGES {
            checkpoint(&self.connection);
        }
        if pages >= PAGES_OF_LOG
            && let Some(due) = &self.due
        {
            // It may be awake already.
            let _ = due.try_send(());
        }
    }
}

fn checkpoint(connection: &Mutex<Connection>) {
    let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
    // Another process may be at it, or the disk full: there is a next time.
    drop(connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE));
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.due = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
