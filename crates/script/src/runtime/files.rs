//! The imported files of a run: each is read once, at its first use (AS-27).

use super::value::Value;
use crate::host::HostError;
use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Poll, Waker};

#[derive(Debug, Clone, Default)]
pub(crate) enum FileState {
    #[default]
    Unread,
    Reading,
    Ready(Value),
    Failed(HostError),
}

/// The imported files of a run, by the number of their import.
#[derive(Debug)]
pub(crate) struct Files {
    states: RefCell<Vec<FileState>>,
    waiting: RefCell<Vec<Waker>>,
}

impl Files {
    pub(crate) fn new(count: usize) -> Self {
        Self { states: RefCell::new(vec![FileState::Unread; count]), waiting: RefCell::default() }
    }

    pub(crate) fn ready(&self, import: u32) -> Option<Value> {
        match self.states.borrow().get(import as usize) {
            Some(FileState::Ready(value)) => Some(value.clone()),
            _ => None,
        }
    }

    /// Returns the values of all files that were read.
    pub(crate) fn values(&self) -> Vec<Value> {
        let states = self.states.borrow();
        let ready = states.iter().filter_map(|state| match state {
            FileState::Ready(value) => Some(value.clone()),
            FileState::Unread | FileState::Reading | FileState::Failed(_) => None,
        });
        ready.collect()
    }

    fn state(&self, import: u32) -> FileState {
        self.states.borrow().get(import as usize).cloned().unwrap_or_default()
    }

    /// Notes that a file is being read.
    pub(crate) fn begin(&self, import: u32) -> Reading<'_> {
        self.set(import, FileState::Reading);
        Reading { files: self, import, end: FileState::Unread }
    }

    /// Stores the state of a file, and wakes everyone who waits for one.
    fn set(&self, import: u32, state: FileState) {
        if let Some(slot) = self.states.borrow_mut().get_mut(import as usize) {
            *slot = state;
        }
        self.waiting.take().into_iter().for_each(Waker::wake);
    }

    /// Returns the state of a file; waits while another iteration is reading it.
    pub(crate) async fn settled(&self, import: u32) -> FileState {
        poll_fn(|context| match self.state(import) {
            FileState::Reading => {
                self.waiting.borrow_mut().push(context.waker().clone());
                Poll::Pending
            }
            state => Poll::Ready(state),
        })
        .await
    }
}

/// A reading under way. One that ends without a value and without a failure of the host leaves the
/// file unread: it broke a limit, or was dropped, and whoever waits reads the file.
pub(crate) struct Reading<'f> {
    files: &'f Files,
    import: u32,
    pub(crate) end: FileState,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.files.set(self.import, std::mem::take(&mut self.end));
    }
}
