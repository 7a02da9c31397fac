//! Loading several ways: what is there at once is taken at once, what has to wait waits together.

use crate::loader::{Loader, Route};
use contexture_core::reference::{LoadError, Loaded};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The result of a load.
pub(super) type Outcome = Result<Loaded, LoadError>;

/// Loads in the order of their ways, some at the same time.
pub(super) struct Loads<'r> {
    loader: &'r Loader,
    routes: std::vec::IntoIter<&'r Route>,
    waiting: FuturesOrdered<Walk<'r>>,
}

impl<'r> Loads<'r> {
    pub(super) fn new(loader: &'r Loader, routes: Vec<&'r Route>) -> Self {
        Self { loader, routes: routes.into_iter(), waiting: FuturesOrdered::new() }
    }

    /// Returns what the next way gave; `None` when there is none left.
    pub(super) async fn next(&mut self) -> Option<Outcome> {
        let most = self.loader.limits().concurrency.max(1);
        while self.waiting.len() < most {
            let Some(route) = self.routes.next() else { break };
            let mut walk = walk(self.loader, route);
            // What is there at once, as files are, needs no queue.
            if self.waiting.is_empty()
                && let Poll::Ready(outcome) = poll_fn(|context| at_once(&mut walk, context)).await
            {
                return Some(outcome);
            }
            self.waiting.push_back(walk);
        }
        self.waiting.next().await
    }
}

/// Asks once. What is not ready is asked again in the queue, by whose waker it is then woken.
fn at_once(walk: &mut Walk<'_>, context: &mut Context<'_>) -> Poll<Poll<Outcome>> {
    Poll::Ready(walk.as_mut().poll(context))
}

type Walk<'l> = Pin<Box<dyn Future<Output = Outcome> + Send + 'l>>;

/// Boxed by a named function, so that a plan can move between threads while it is made.
fn walk<'l>(loader: &'l Loader, route: &'l Route) -> Walk<'l> {
    Box::pin(loader.walk(route))
}
