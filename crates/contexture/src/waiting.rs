//! Models that a search of packs asks, from code that is not async.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The time beyond the limit in which the time-out of the model itself arrives.
const GRACE: Duration = Duration::from_secs(1);

/// Calls a model and waits for it. It gets a thread of its own: the caller may be one that runs other
/// futures, and a model that blocks its thread must not hold up more than that. `None` means that
/// the time is over.
pub(crate) fn waited<T: Send + 'static>(
    limit: Duration,
    work: impl AsyncFnOnce() -> Result<T, String> + Send + 'static,
) -> Option<Result<T, String>> {
    let (answer, answered) = mpsc::channel();
    let ask = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(|error| error.to_string())?.block_on(work())
    };
    // Nobody receives it any more when the time is over.
    let asked = thread::Builder::new().spawn(move || drop(answer.send(ask())));
    match asked {
        Ok(_) => answered.recv_timeout(limit + GRACE).ok(),
        Err(error) => Some(Err(error.to_string())),
    }
}
