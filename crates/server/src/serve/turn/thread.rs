//! One turn on a thread of its own.
//!
//! A run stays on its thread, so that it gets one: a program that computes holds up nobody else.

use contexture::Project;
use contexture::llm::CancelToken;
use contexture::turn::{TurnEvent, TurnReport, TurnRequest};
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

/// A turn that runs.
pub(super) struct Running {
    /// What it tells while it goes on.
    pub(super) events: UnboundedReceiver<TurnEvent>,
    /// What came of it; nothing when the thread broke off.
    pub(super) report: oneshot::Receiver<TurnReport>,
}

/// Starts a turn.
pub(super) fn start(
    project: Project,
    request: TurnRequest,
    cancel: CancelToken,
    permit: OwnedSemaphorePermit,
) -> Running {
    let (tell, events) = unbounded_channel();
    let (ended, report) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        let events = Arc::new(move |event| {
            // Nobody listens any more when the server ends.
            let _ = tell.send(event);
        });
        let turn = contexture::turn::turn(&project, request, events, cancel);
        let _ = ended.send(runtime.block_on(turn));
    });
    Running { events, report }
}
