//! A run taken apart, for a driver of another kind: one that lets a durable engine remember what
//! has happened.

use super::inbox::{Inbox, Letter};
use super::{Options, Run};
use crate::action::Actions;
use crate::check::Plan;
use crate::machine::{Input, Report};
use contexture_core::store::flows::Ask;
use std::collections::VecDeque;
use std::sync::Arc;

/// The parts of a run that has not begun.
pub struct Parts {
    /// The plan.
    pub plan: Arc<Plan>,
    /// The actions of its steps.
    pub actions: Arc<dyn Actions>,
    /// The options.
    pub options: Options,
    /// The requests to it.
    pub requests: Requests,
}

impl Parts {
    /// Runs it to its end after all, as [`Run::run`] does.
    pub async fn run(self) -> Report {
        let Self { plan, actions, options, requests } = self;
        Run { plan, actions, options, inbox: requests.inbox }.run().await
    }
}

/// A request from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// To pause, resume or cancel the run.
    Ask(Ask),
    /// To cancel a step, by its index in the set.
    CancelStep(u32),
    /// To leave the run if it only waits.
    Suspend,
}

/// The requests to a run, which its [`Control`](super::Control) makes.
pub struct Requests {
    inbox: Arc<Inbox>,
    taken: VecDeque<Letter>,
}

impl Requests {
    pub(super) fn new(inbox: Arc<Inbox>) -> Self {
        Self { inbox, taken: VecDeque::new() }
    }

    /// Waits for the next request.
    pub async fn next(&mut self) -> Request {
        loop {
            while let Some(letter) = self.taken.pop_front() {
                match letter.input {
                    Input::Asked(ask) => return Request::Ask(ask),
                    Input::CancelStep { step } => return Request::CancelStep(step),
                    _ => {}
                }
            }
            if self.inbox.take_suspension() {
                return Request::Suspend;
            }
            let mut letters = Vec::new();
            self.inbox.take(&mut letters);
            if letters.is_empty() {
                self.inbox.wait().await;
            }
            self.taken.extend(letters);
        }
    }
}
