//! The thread that moves what was written from SQLite's log to its place.

use rusqlite::Connection;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

/// After so many tasks the log is worth a move.
const TASKS_OF_LOG: usize = 1_000;

/// Moves what was written from the log to its place, beside the thread that writes: that thread
/// would stand still for as long as it takes. What is left when the log is long it does itself.
pub(crate) struct Checkpointer {
    due: Option<mpsc::SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    written: usize,
}

impl Checkpointer {
    /// Starts the thread; `connection` is one of its own to the file, and `after` is called after each
    /// move.
    pub(crate) fn start(
        connection: Connection,
        after: impl Fn() + Send + 'static,
    ) -> std::io::Result<Self> {
        let (due, told) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("contexts-log".to_owned()).spawn(move || {
            while told.recv().is_ok() {
                // Another process may be at it, or the disk full: there is a next time.
                let sql = "pragma wal_checkpoint(passive)";
                drop(connection.query_row(sql, [], |_| Ok(())));
                after();
            }
        })?;
        Ok(Self { due: Some(due), thread: Some(thread), written: 0 })
    }

    /// Counts what is to be written, and wakes the thread when it is much.
    pub(crate) fn count(&mut self, tasks: usize) {
        self.written += tasks;
        if self.written >= TASKS_OF_LOG
            && self.due.as_ref().is_some_and(|due| due.try_send(()).is_ok())
        {
            self.written = 0;
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.due = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
