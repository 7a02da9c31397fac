//! One turn after another in each context.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Mutex as Lane, OwnedMutexGuard};

/// The lanes of all contexts in which turns run or wait.
#[derive(Default)]
pub(crate) struct Lanes {
    by_context: Mutex<HashMap<String, Arc<Lane<()>>>>,
}

/// A place in a lane. It is left when it is dropped.
pub(crate) enum Place {
    /// Others are before.
    Waiting(BoxFuture<'static, OwnedMutexGuard<()>>),
    /// Nobody is before.
    First(#[expect(dead_code, reason = "holding it is what it is for")] OwnedMutexGuard<()>),
}

impl Lanes {
    /// Takes the next place in the context's lane: the order is that of the calls.
    pub(crate) fn enter(&self, context: &str) -> Place {
        let mut lanes = self.by_context.lock().unwrap_or_else(PoisonError::into_inner);
        // A lane that nobody is in is not kept.
        lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
        let lane = lanes.entry(context.to_owned()).or_default();
        let mut waiting = Arc::clone(lane).lock_owned().boxed();
        // Asking once is what takes the place.
        match (&mut waiting).now_or_never() {
            Some(first) => Place::First(first),
            None => Place::Waiting(waiting),
        }
    }
}

impl Place {
    /// Waits until nobody is before.
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
    fn cp_5_turns_of_a_context_come_in_the_order_in_which_they_were_kept() {
        let lanes = Lanes::default();
        let mut first = lanes.enter("ctx_a");
        let mut second = lanes.enter("ctx_a");
        let mut third = lanes.enter("ctx_a");
        let mut other = lanes.enter("ctx_b");
        assert!(first.reached().now_or_never().is_some());
        assert!(other.reached().now_or_never().is_some());
        assert!(third.reached().now_or_never().is_none());
        drop(first);
        assert!(second.reached().now_or_never().is_some());
        assert!(third.reached().now_or_never().is_none());
        drop(second);
        assert!(third.reached().now_or_never().is_some());
        drop((third, other));
        drop(lanes.enter("ctx_c"));
        let _last = lanes.enter("ctx_d");
        assert_eq!(lanes.by_context.lock().unwrap().len(), 1);
    }

    /// One that gives up while it waits lets nobody pass it who is behind the first.
    #[test]
    fn cp_5_a_turn_that_gives_up_its_place_does_not_let_others_overtake() {
        let lanes = Lanes::default();
        let first = lanes.enter("ctx_a");
        let second = lanes.enter("ctx_a");
        let mut third = lanes.enter("ctx_a");
        drop(second);
        assert!(third.reached().now_or_never().is_none());
        drop(first);
        assert!(third.reached().now_or_never().is_some());
    }
}
