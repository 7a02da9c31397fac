//! Background writing of lines (CP-20).
//!
//! Decision: writing a line never waits for a disk or a pipe. A queue of limited length
//! passes it to a thread; lines beyond the limit are counted, and the count is written as soon as
//! there is room.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

/// The most queued lines.
const WAITING: usize = 8_192;
/// The approximate bytes that are written at once.
const PORTION: usize = 64 << 10;

/// The destination of lines, which is used by one thread.
pub(super) trait Sink: Send + 'static {
    fn write(&mut self, lines: &str);

    /// Returns the line about lost lines.
    fn lost(&self, count: u64) -> String;
}

/// The queue of lines. Dropping it waits until all are written.
pub(super) struct Lines {
    sender: Option<SyncSender<String>>,
    lost: Arc<AtomicU64>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Lines {
    pub(super) fn to(sink: impl Sink, name: &str) -> std::io::Result<Self> {
        let (sender, receiver) = sync_channel(WAITING);
        let lost = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&lost);
        let work = move || drain(sink, &receiver, &count);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self { sender: Some(sender), lost, thread: Mutex::new(Some(thread)) })
    }

    /// Queues a line with its line break.
    pub(super) fn write(&self, line: String) {
        let Some(sender) = &self.sender else { return };
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = sender.try_send(line) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // The thread ends with the last sender.
        self.sender = None;
        let thread = self.thread.lock().take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn drain(mut sink: impl Sink, receiver: &Receiver<String>, lost: &AtomicU64) {
    while let Ok(mut portion) = receiver.recv() {
        while portion.len() < PORTION
            && let Ok(line) = receiver.try_recv()
        {
            portion.push_str(&line);
        }
        let count = lost.swap(0, Ordering::Relaxed);
        if count > 0 {
            portion.push_str(&sink.lost(count));
        }
        sink.write(&portion);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::Sender;

    struct Slow {
        out: Sender<String>,
        begin: Receiver<()>,
        is_begun: bool,
    }

    impl Sink for Slow {
        fn write(&mut self, lines: &str) {
            if !self.is_begun {
                self.begin.recv().unwrap();
                self.is_begun = true;
            }
            self.out.send(lines.to_owned()).unwrap();
        }

        fn lost(&self, count: u64) -> String {
            format!("lost {count}\n")
        }
    }

    #[test]
    fn cp_20_lost_lines_are_counted_and_reported() {
        let (out, written) = std::sync::mpsc::channel();
        let (begin, begun) = std::sync::mpsc::channel();
        let lines = Lines::to(Slow { out, begin: begun, is_begun: false }, "lines").unwrap();
        let sent = WAITING as u64 + 50_000;
        for number in 0..sent {
            lines.write(format!("{number}\n"));
        }
        begin.send(()).unwrap();
        drop(lines);
        let text: String = written.iter().collect();
        let kept = text.lines().filter(|line| !line.starts_with("lost")).count() as u64;
        let lost: u64 =
            text.lines().filter_map(|line| line.strip_prefix("lost ")?.parse::<u64>().ok()).sum();
        assert_eq!(kept + lost, sent);
        assert!(lost > 0 && kept >= WAITING as u64, "{kept} kept, {lost} lost");
    }
}
