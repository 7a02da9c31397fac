use super::inbox::Inbox;
use crate::machine::Input;
use contexture_core::store::flows::{Ask, Asked};
use std::sync::Arc;

/// A handle to control a run from outside (FL-12). After the run's end it has no effect.
#[derive(Debug, Clone)]
pub struct Control {
    inbox: Arc<Inbox>,
}

impl Control {
    pub(crate) fn new(inbox: &Arc<Inbox>) -> Self {
        Self { inbox: inbox.clone() }
    }

    /// Starts nothing new. Running steps continue, and so does the timeout of the set.
    pub fn pause(&self) {
        self.heed(Ask::Pause);
    }

    /// Resumes after a pause.
    pub fn resume(&self) {
        self.heed(Ask::Resume);
    }

    /// Cancels the run: running steps become FAILED with CANCELLED, pending ones SKIPPED with
    /// CANCELLED (FL-11).
    pub fn cancel(&self) {
        self.heed(Ask::Cancel);
    }

    /// Ends this process's part of the run if all of its running steps wait for a person
    /// ([`Options::waiting`](super::Options::waiting)): it can be resumed, and nothing of it is
    /// uncertain. Otherwise it has no effect.
    pub fn suspend(&self) {
        self.inbox.suspend();
    }

    /// Does what was asked of the run.
    pub fn heed(&self, ask: Ask) {
        self.inbox.put(Input::Asked(ask));
    }

    /// Cancels one step by its index in the set: a running step becomes FAILED with CANCELLED,
    /// whatever its recovery, a pending one SKIPPED with CANCELLED. Its dependents are treated as
    /// after any failure; everything else continues.
    pub fn cancel_step(&self, step: u32) {
        self.inbox.put(Input::CancelStep { step });
    }
}

impl From<Control> for Asked {
    fn from(control: Control) -> Self {
        Arc::new(move |ask| control.heed(ask))
    }
}
