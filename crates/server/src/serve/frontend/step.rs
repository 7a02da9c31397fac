//! The step of a set, or the call of a turn, that asks a client (WA-1).

use super::calls::request_of;
use contexture::durable::TurnJournal;
use contexture::frontend::FrontendTool;
use contexture::store::flows::{Wait, WaitId};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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
    /// The turn that asks; none for a step.
    pub(crate) turn: Option<Arc<TurnCalls>>,
}

/// The calls of a turn with a journal.
pub(crate) struct TurnCalls {
    pub(crate) journal: TurnJournal,
    pub(crate) steps: Arc<Steps>,
    /// The tools of clients when an earlier life of it first waited.
    pub(super) tools: Vec<FrontendTool>,
    is_left: AtomicBool,
}

impl TurnCalls {
    pub(crate) fn new(journal: TurnJournal, earlier: Vec<Wait>, tools: Vec<FrontendTool>) -> Self {
        let steps = Arc::new(Steps::new(earlier));
        Self { journal, steps, tools, is_left: AtomicBool::new(false) }
    }

    /// Reports whether all that the turn does is to wait.
    pub(crate) fn only_waits(&self) -> bool {
        self.steps.only_wait() && self.journal.busy() == self.steps.count.load(Ordering::SeqCst)
    }

    /// Leaves what it waits for to those who answer: its run ends now, and is taken up again.
    pub(crate) fn leave(&self) {
        self.is_left.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_left(&self) -> bool {
        self.is_left.load(Ordering::SeqCst)
    }

    /// Returns the part of a call.
    pub(super) fn call(self: &Arc<Self>, call: &str) -> Option<StepCall> {
        Some(StepCall {
            shared: Arc::clone(&self.steps),
            run: self.journal.run()?.to_owned(),
            step: String::new(),
            call: call.to_owned(),
            deadline_ms: None,
            is_patient: true,
            turn: Some(Arc::clone(self)),
        })
    }
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

    /// Reports whether an earlier part of the run made a call.
    pub(super) fn has_earlier(&self, call: &str) -> bool {
        self.earlier.lock().contains_key(call)
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

    /// Takes the earlier question whether the step may do something. Most steps have nothing earlier, and
    /// need no id for it.
    pub(super) fn earlier_question(&self) -> Option<Wait> {
        let mut earlier = self.shared.earlier.lock();
        if earlier.is_empty() { None } else { earlier.remove(&self.question()) }
    }

    pub(super) fn opened(&self, id: &WaitId, request: &str) {
        let mut open = self.shared.open.lock();
        let of_step = open.entry(self.step.clone()).or_default();
        of_step.retain(|(known, _)| known != id);
        of_step.push((id.clone(), request.to_owned()));
    }

    /// Returns the id of the question whether the step may do something.
    pub(super) fn question(&self) -> String {
        question_of(&self.run, &self.call)
    }
}

/// Returns the id of the question whether a call of a run may do something.
pub(crate) fn question_of(run: &str, call: &str) -> String {
    let digest = contexture::context::Digest::of_text(&format!("{run}\0{call}"));
    format!("ask_{}", digest.hex().get(..26).unwrap_or_default())
}
