//! Cancelling a model call from elsewhere.

use std::sync::Arc;
use tokio::sync::watch;

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
pub struct CancelToken(Arc<watch::Sender<bool>>);

impl CancelToken {
    /// Returns a switch that is not thrown.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Throws the switch; a second time changes nothing.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Reports whether it is thrown.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is thrown.
    pub async fn cancelled(&self) {
        // The sender lives in `self`, so waiting can't fail.
        let _ = self.0.subscribe().wait_for(|thrown| *thrown).await;
    }
}

impl Default for CancelToken {
    fn default() -> Self {
        Self::new()
    }
}
