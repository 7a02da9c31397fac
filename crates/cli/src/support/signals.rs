//! Ctrl-C: the first ends a run or server in order, the second ends the process.

use contexture::llm::CancelToken;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::signal::unix::{SignalKind, signal};

/// The exit code of a process that a signal ended is this plus the number of the signal.
const SIGNALLED: u8 = 128;
const INTERRUPT: u8 = 2;
const TERMINATE: u8 = 15;

/// A listener for the signals that ask a process to end.
#[derive(Clone)]
pub(crate) struct Signals {
    state: Arc<Mutex<State>>,
    /// Called before the process exits at once.
    before_exit: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    /// The run that the next signal cancels; without one, the signal ends the process.
    running: Option<CancelToken>,
    /// The exit code for the signal that ended the last run.
    ended_by: Option<u8>,
}

impl Signals {
    /// Starts to listen; `before_exit` is called before a signal ends the process.
    ///
    /// A computing program does not yield to other tasks, so signals are awaited on their own thread.
    /// If that thread can't be started, a signal ends the process at once.
    pub(crate) fn listen(before_exit: impl Fn() + Send + Sync + 'static) -> Self {
        let signals = Self { state: Arc::default(), before_exit: Arc::new(before_exit) };
        let shared = signals.clone();
        let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
            if let Ok(runtime) = runtime {
                runtime.block_on(shared.wait());
            }
        });
        signals
    }

    pub(crate) fn arm(&self) -> CancelToken {
        let cancel = CancelToken::new();
        self.change(|state| {
            *state = State { running: Some(cancel.clone()), ended_by: None };
        });
        cancel
    }

    /// Ends the run; returns its exit code when a signal ended it.
    pub(crate) fn disarm(&self) -> Option<u8> {
        self.change(|state| {
            state.running = None;
            state.ended_by
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn wait(&self) {
        let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
        let (Ok(mut interrupts), Ok(mut ends)) = signals else { return };
        loop {
            let number = tokio::select! {
                _ = interrupts.recv() => INTERRUPT,
                _ = ends.recv() => TERMINATE,
            };
            let code = SIGNALLED + number;
            let running = self.change(|state| {
                state.ended_by = Some(code);
                state.running.take()
            });
            match running {
                Some(cancel) => cancel.cancel(),
                None => {
                    (self.before_exit)();
                    std::process::exit(i32::from(code));
                }
            }
        }
    }
}

/// Waits for the signal that ends a server in order; a second one ends the process at once.
///
/// Signals count from the moment of the call, before anything is served: a client may end a server
/// that it has just started.
pub(crate) fn asked_to_end() -> impl Future<Output = ()> {
    let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    async move {
        let [Ok(mut interrupts), Ok(mut ends)] = signals else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupts.recv() => {}
            _ = ends.recv() => {}
        }
        tokio::spawn(async move {
            let number = tokio::select! {
                _ = interrupts.recv() => INTERRUPT,
                _ = ends.recv() => TERMINATE,
            };
            std::process::exit(i32::from(SIGNALLED + number));
        });
    }
}
