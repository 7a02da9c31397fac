//! The driver of runs: each on a thread of its own, behind a future that can be sent.
//!
//! Decision: the machine of the language is single-threaded, so that values need no atomics; a run
//! therefore stays on the thread that it begins on. This is the only place that gives it one: runs,
//! turns, steps of flows and MCP tools all go through [`drive`]. The threads are those of tokio's
//! blocking pool, which grows on demand and keeps idle threads for a while.

use contexture_core::CancelToken;
use contexture_core::panics;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::runtime::{Builder, Handle};
use tokio::task::JoinHandle;

/// Work on a thread of its own. Dropping it cancels the work, which then ends in order.
#[derive(Debug)]
pub(crate) struct Driven<T> {
    /// The thread, or the reason why it could not be started.
    thread: Result<JoinHandle<Result<T, String>>, Option<Broken>>,
    cancel: CancelToken,
    is_done: bool,
}

/// The reason why work gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Broken {
    /// There is no tokio runtime around the caller.
    #[error("a run needs a tokio runtime: call it from an async function that tokio drives")]
    NoRuntime,
    /// The runtime of the thread could not be created.
    #[error("cannot start the runtime of a run: {0}")]
    NotStarted(String),
    /// The work panicked, or the runtime was shut down under it.
    #[error("the run ended without a result: {0}")]
    Panicked(String),
}

/// Starts work on a thread of its own, in a tokio runtime with time and I/O.
pub(crate) fn drive<T, F, W>(cancel: CancelToken, work: F) -> Driven<T>
where
    T: Send + 'static,
    F: FnOnce() -> W + Send + 'static,
    W: Future<Output = T>,
{
    let thread = match Handle::try_current() {
        Ok(handle) => Ok(handle.spawn_blocking(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            Ok(runtime.block_on(work()))
        })),
        Err(_) => Err(Some(Broken::NoRuntime)),
    };
    Driven { thread, cancel, is_done: false }
}

impl<T> Future for Driven<T> {
    type Output = Result<T, Broken>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = match &mut self.thread {
            Ok(thread) => match Pin::new(thread).poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(outcome)) => outcome.map_err(Broken::NotStarted),
                Poll::Ready(Err(error)) => Err(Broken::Panicked(match error.try_into_panic() {
                    Ok(panic) => panics::message(&*panic),
                    Err(error) => error.to_string(),
                })),
            },
            Err(broken) => Err(broken.take().unwrap_or(Broken::NoRuntime)),
        };
        self.is_done = true;
        Poll::Ready(outcome)
    }
}

impl<T> Drop for Driven<T> {
    fn drop(&mut self) {
        if !self.is_done {
            self.cancel.cancel();
        }
    }
}
