//! Panics of extensions, turned into values: an extension must not end a run or a server.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

/// Polls the future that `start` makes, and returns the message of a panic in either.
///
/// # Errors
/// The message of the panic.
pub async fn caught<F: Future>(start: impl FnOnce() -> F) -> Result<F::Output, String> {
    let future = catch_unwind(AssertUnwindSafe(start)).map_err(|panic| message(&*panic))?;
    let mut future = Box::pin(future);
    poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(panic) => Poll::Ready(Err(message(&*panic))),
    })
    .await
}

/// Returns the message of a panic, in one line.
#[must_use]
pub fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").split_whitespace().collect::<Vec<_>>().join(" ")
}
