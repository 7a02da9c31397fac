//! Ctrl-C: the first ends the run in order, with its trace; the second ends the process.

use contexture::llm::CancelToken;
use tokio::signal::unix::{SignalKind, signal};

/// What a shell expects of a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Throws the switch when the process is asked to end.
///
/// A program that computes does not give way to other tasks, so that signals are waited for on a
/// thread of their own. Without one, a signal ends the process at once, as it always did.
pub(crate) fn cancel_on_signal(cancel: &CancelToken) {
    let cancel = cancel.clone();
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else {
            return;
        };
        runtime.block_on(wait(&cancel));
    });
}

async fn wait(cancel: &CancelToken) {
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let (Ok(mut interrupts), Ok(mut ends)) = signals else { return };
    for number in 1.. {
        tokio::select! {
            _ = interrupts.recv() => {}
            _ = ends.recv() => {}
        }
        if number > 1 {
            std::process::exit(INTERRUPTED);
        }
        cancel.cancel();
    }
}
