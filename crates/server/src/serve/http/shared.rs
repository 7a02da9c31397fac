//! The state that all requests share.

use super::guard::Guard;
use crate::inspect;
use crate::serve::app::App;
use std::sync::Arc;
use yawc::DeflatePool;

/// The state that all requests share.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) app: Arc<App>,
    pub(super) guard: Arc<Guard>,
    /// The compressors of messages: shared, as most connections are idle.
    pub(super) deflate: DeflatePool,
    /// What the inspector shows.
    pub(super) inspector: inspect::Shared,
}
