//! Queues of turns: each context runs one turn at a time.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{Mutex as Queue, OwnedMutexGuard};

/// The queues of all contexts in which turns run or wait.
#[derive(Default)]
pub(crate) struct TurnQueues {
    by_context: Mutex<HashMap<String, Arc<Queue<()>>>>,
}

/// A place in a queue, until it is dropped.
pub(crate) enum Place {
    /// Others come first.
    Waiting(BoxFuture<'static, OwnedMutexGuard<()>>),
    /// Nobody comes first.
    First(
        #[expect(dead_code, reason = "it is held until the place is dropped")] OwnedMutexGuard<()>,
    ),
}

impl TurnQueues {
    /// Takes the next place in the queue of a context, in the order of the calls.
    pub(crate) fn enter(&self, context: &str) -> Place {
        let mut queues = self.by_context.lock();
        // Empty queues make room for new ones.
        if queues.len() == queues.capacity() {
            queues.retain(|_, queue| Arc::strong_count(queue) > 1);
        }
        let queue = queues.entry(context.to_owned()).or_default();
        let mut waiting = Arc::clone(queue).lock_owned().boxed();
        // Polling once takes the place.
        match (&mut waiting).now_or_never() {
            Some(first) => Place::First(first),
            None => Place::Waiting(waiting),
        }
    }
}

impl Place {
    /// Waits until nobody comes first.
    pub(crate) async fn reached(&mut self) {
        if let Self::Waiting(waiting) = self {
            *self = Self::First(waiting.await);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_5_turns_of_context_run_in_order_in_which_they_were_kept() {
        let queues = TurnQueues::default();
        let mut first = queues.enter("ctx_a");
        let mut second = queues.enter("ctx_a");
        let mut third = queues.enter("ctx_a");
        let mut other = queues.enter("ctx_b");
        assert!(first.reached().now_or_never().is_some());
        assert!(other.reached().now_or_never().is_some());
        assert!(third.reached().now_or_never().is_none());
        drop(first);
        assert!(second.reached().now_or_never().is_some());
        assert!(third.reached().now_or_never().is_none());
        drop(second);
        assert!(third.reached().now_or_never().is_some());
        drop((third, other));
        for number in 0..1_000 {
            drop(queues.enter(&format!("ctx_{number}")));
        }
        assert!(queues.by_context.lock().len() < 10, "empty queues do not stay");
    }

    /// One that gives up while it waits lets nobody pass it who is behind the first.
    #[test]
    fn cp_5_turn_that_leaves_queue_does_not_let_others_overtake() {
        let queues = TurnQueues::default();
        let first = queues.enter("ctx_a");
        let second = queues.enter("ctx_a");
        let mut third = queues.enter("ctx_a");
        drop(second);
        assert!(third.reached().now_or_never().is_none());
        drop(first);
        assert!(third.reached().now_or_never().is_some());
    }
}
