//! Ctrl-C: the first ends what runs in order, with its trace; the second ends the process.

use contexture::llm::CancelToken;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::signal::unix::{SignalKind, signal};

/// What a shell expects of a process that a signal ended: this and the signal's number.
const SIGNALLED: u8 = 128;
const INTERRUPT: u8 = 2;
const TERMINATE: u8 = 15;

/// Listens for the signals that ask a process to end.
#[derive(Clone)]
pub(crate) struct Signals {
    state: Arc<Mutex<State>>,
    /// What is to be done before the process ends at once.
    farewell: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    /// What the next signal ends; with nothing to end, it ends the process.
    running: Option<CancelToken>,
    /// The exit code that the signal stands for that ended what ran last.
    ended_by: Option<u8>,
}

impl Signals {
    /// Begins to listen; `farewell` is called before a signal ends the process.
    ///
    /// A program that computes does not give way to other tasks, so that signals are waited for on
    /// a thread of their own. Without one, a signal ends the process at once, as it always did.
    pub(crate) fn listen(farewell: impl Fn() + Send + Sync + 'static) -> Self {
        let signals = Self { state: Arc::default(), farewell: Arc::new(farewell) };
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
        self.change(|state| {
            *state = State { running: Some(cancel.clone()), ended_by: None };
        });
        cancel
    }

    /// Nothing runs any more; gives the exit code of a run that a signal ended.
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
                    (self.farewell)();
                    std::process::exit(i32::from(code));
                }
            }
        }
    }
}
