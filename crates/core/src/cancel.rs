//! Cancelling a model call from elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// A switch that is thrown once; clones are the same switch.
///
/// A provider that is cancelled drops its connection, so that the server stops working as well.
///
/// ```
/// use contexture_core::CancelToken;
/// let token = CancelToken::new();
/// let copy = token.clone();
/// token.cancel();
/// assert!(copy.is_cancelled());
/// ```
#[derive(Debug, Clone)]
pub struct CancelToken(Arc<Switch>);

/// The state of a switch. It is small, as each turn that waits for a person has one (WA-1).
#[derive(Debug, Default)]
struct Switch {
    is_thrown: AtomicBool,
    thrown: Notify,
}

impl CancelToken {
    /// Returns a switch that is not thrown.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::default())
    }

    /// Throws the switch; a second time changes nothing.
    pub fn cancel(&self) {
        self.0.is_thrown.store(true, Ordering::SeqCst);
        self.0.thrown.notify_waiters();
    }

    /// Reports whether it is thrown.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_thrown.load(Ordering::SeqCst)
    }

    /// Waits until it is thrown.
    pub async fn cancelled(&self) {
        // Before the look at the switch: it is told of what is thrown from here on.
        let thrown = self.0.thrown.notified();
        if !self.is_cancelled() {
            thrown.await;
        }
    }
}

impl Default for CancelToken {
    fn default() -> Self {
        Self::new()
    }
}
