//! Ctrl-C: the first ends what runs in order, with its trace; the second ends the process.

use contexture::llm::CancelToken;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::signal::unix::{SignalKind, signal};

/// What a shell expects of a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Listens for the signals that ask a process to end.
#[derive(Clone, Default)]
pub(crate) struct Signals {
    /// What the next signal ends; with nothing to end, it ends the process.
    running: Arc<Mutex<Option<CancelToken>>>,
}

impl Signals {
    /// Begins to listen.
    ///
    /// A program that computes does not give way to other tasks, so that signals are waited for on
    /// a thread of their own. Without one, a signal ends the process at once, as it always did.
    pub(crate) fn listen() -> Self {
        let signals = Self::default();
        let shared = signals.clone();
        let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
            if let Ok(runtime) = runtime {
                runtime.block_on(shared.wait());
            }
        });
        signals
    }

    /// A switch that the next signal throws.
    pub(crate) fn arm(&self) -> CancelToken {
        let cancel = CancelToken::new();
        self.set(Some(cancel.clone()));
        cancel
    }

    /// Nothing runs any more.
    pub(crate) fn disarm(&self) {
        self.set(None);
    }

    fn set(&self, cancel: Option<CancelToken>) -> Option<CancelToken> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut running, cancel)
    }

    async fn wait(&self) {
        let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
        let (Ok(mut interrupts), Ok(mut ends)) = signals else { return };
        loop {
            tokio::select! {
                _ = interrupts.recv() => {}
                _ = ends.recv() => {}
            }
            match self.set(None) {
                Some(cancel) => cancel.cancel(),
                None => std::process::exit(INTERRUPTED),
            }
        }
    }
}
