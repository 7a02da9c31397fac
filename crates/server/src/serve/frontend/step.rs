//! The step of a set that asks a client (WA-1).

use super::calls::request_of;
use contexture::store::flows::{Wait, WaitId};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the steps of one set share.
#[derive(Default)]
pub(crate) struct Steps {
    /// The number of steps that wait.
    pub(crate) count: Arc<AtomicUsize>,
    /// The number of those among them that end when their client is gone: somebody has to look.
    impatient: AtomicUsize,
    /// The waits of an earlier process or an earlier part of the run, by callId.
    earlier: Mutex<HashMap<String, Wait>>,
    /// The waits of each step, with the ids of their messages.
    open: Mutex<HashMap<String, Vec<(WaitId, String)>>>,
}

/// The attempt of a step that asks a client.
#[derive(Clone)]
pub(crate) struct StepCall {
    pub(crate) shared: Arc<Steps>,
    pub(crate) run: String,
    pub(crate) step: String,
    /// The id of its call.
    pub(crate) call: String,
    /// The end of its time, in milliseconds since 1970-01-01 UTC, if there is one.
    pub(crate) deadline_ms: Option<u64>,
    /// True if it waits for a client that is away until its time is over.
    pub(crate) is_patient: bool,
}

/// A step that waits, as long as this lives.
pub(super) struct Counted {
    shared: Arc<Steps>,
    is_patient: bool,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.shared.count.fetch_sub(1, Ordering::SeqCst);
        if !self.is_patient {
            self.shared.impatient.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Steps {
    pub(crate) fn new(earlier: Vec<Wait>) -> Self {
        let open = Mutex::new(HashMap::<_, Vec<_>>::new());
        for wait in &earlier {
            let request = request_of(wait).map(|request| request.message_id).unwrap_or_default();
            open.lock().entry(wait.step.clone()).or_default().push((wait.id.clone(), request));
        }
        let earlier = earlier.into_iter().map(|wait| (wait.id.call.clone(), wait)).collect();
        Self { earlier: Mutex::new(earlier), open, ..Self::default() }
    }

    /// Takes the waits of a step that has ended.
    pub(crate) fn ended(&self, step: &str) -> Vec<(WaitId, String)> {
        self.open.lock().remove(step).unwrap_or_default()
    }

    /// Reports whether steps wait, and all of them until their time is over.
    pub(crate) fn only_wait(&self) -> bool {
        self.count.load(Ordering::SeqCst) > 0 && self.impatient.load(Ordering::SeqCst) == 0
    }

    /// Reports whether any step waited.
    pub(crate) fn has_waited(&self) -> bool {
        !self.open.lock().is_empty()
    }
}

impl StepCall {
    pub(super) fn counted(&self) -> Counted {
        self.shared.count.fetch_add(1, Ordering::SeqCst);
        if !self.is_patient {
            self.shared.impatient.fetch_add(1, Ordering::SeqCst);
        }
        Counted { shared: Arc::clone(&self.shared), is_patient: self.is_patient }
    }

    /// Takes the earlier wait of a call.
    pub(super) fn earlier(&self, call: &str) -> Option<Wait> {
        self.shared.earlier.lock().remove(call)
    }

    pub(super) fn opened(&self, id: &WaitId, request: &str) {
        let mut open = self.shared.open.lock();
        let of_step = open.entry(self.step.clone()).or_default();
        of_step.retain(|(known, _)| known != id);
        of_step.push((id.clone(), request.to_owned()));
    }

    /// Returns the id of the question whether the step may do something.
    pub(super) fn question(&self) -> String {
        let digest = contexture::context::Digest::of_text(&format!("{}\0{}", self.run, self.call));
        format!("ask_{}", digest.hex().get(..26).unwrap_or_default())
    }
}
