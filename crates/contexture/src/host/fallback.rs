//! The next model, where one can't answer (CA-3).
//!
//! Decision: each model gets a prompt of its own, since tokenizer, window and tools are its own. What
//! is asked next is decided by the failure alone: a model that is down, over its rate, without
//! credit, key or room is passed over; a wrong key, a refused request or an answer of the wrong shape
//! are faults that another model would hide. A window that is known to be too small is a failure
//! before anything is sent, as long as a model behind has more room; when all of those fail, the
//! model with the most room gets what fits.

use super::errors::{ask_error, of_model};
use contexture_context::manifest::PassedOver;
use contexture_llm::Ledger;
use contexture_llm::ledger::Amount;
use contexture_llm::{AskError, LlmError};
use contexture_prompt::Usage;
use contexture_script::host::HostError;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A failure of a call with one of its models.
pub(super) struct Failed {
    pub(super) error: HostError,
    /// True if the next model may be asked.
    pub(super) passes_on: bool,
    /// The requests that were sent, if the model was asked.
    pub(super) requests: Option<usize>,
    /// The tokens that its window leaves for the prompt, which takes more.
    pub(super) room: Option<u64>,
    /// What its answers took.
    pub(super) took: Amount,
}

impl From<HostError> for Failed {
    fn from(error: HostError) -> Self {
        Self { error, passes_on: false, requests: None, room: None, took: Amount::default() }
    }
}

impl Failed {
    pub(super) fn of_model(error: &LlmError) -> Self {
        Self { passes_on: is_unavailable(error), ..of_model(error).into() }
    }

    pub(super) fn of_ask(error: &AskError, place: &Place<'_>) -> Self {
        let mut failed = Self::from(ask_error(error));
        failed.requests = Some(error.report().requests());
        match error {
            AskError::Provider { error, report } if is_unavailable(error) => {
                // Text that was passed on can't be taken back.
                failed.passes_on = !report.is_heard;
                if report.is_heard && place.has_next {
                    let help = "run it again: no other model was asked, since text of this answer \
                                was passed on already";
                    failed.error.help = Some(help.to_owned());
                }
            }
            _ => {}
        }
        failed
    }

    /// Returns the failure of a model whose window leaves `room` for a prompt that takes more.
    pub(super) fn of_room(uri: &str, room: u64) -> Self {
        let error = LlmError::WindowOverflow {
            provider: uri.to_owned(),
            status: None,
            message: format!("{room} tokens are left for the prompt, which takes more"),
        };
        Self { room: Some(room), ..Self::of_model(&error) }
    }

    /// Returns the error of a call whose last model is `uri`.
    pub(super) fn after(self, passed: &[PassedOver], uri: &str) -> HostError {
        if passed.is_empty() {
            return self.error;
        }
        let told = |one: &PassedOver| format!("{}: {}", one.uri, one.reason);
        let mut reasons: Vec<String> = passed.iter().map(told).collect();
        let message = if self.passes_on {
            reasons.push(format!("{uri}: {}", self.error.message));
            format!("no model answered: {}", reasons.join("; "))
        } else {
            self.error.message
        };
        let details = self.error.details.or_else(|| Some(json!({ "passed_over": passed })));
        HostError { message, details, ..self.error }
    }
}

/// What a call took, of all its models.
#[derive(Default)]
pub(super) struct CallAccount {
    pub(super) ledger: Arc<Ledger>,
    usage: Mutex<(Usage, bool)>,
}

impl CallAccount {
    /// Adds the tokens that a model reports, and whether they are estimated; returns the sums.
    pub(super) fn add(&self, usage: Usage, is_estimated: bool) -> (Usage, bool) {
        let mut sums = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        sums.0 += usage;
        sums.1 |= is_estimated;
        *sums
    }
}

/// The place of a model among those of a call.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    /// The models that were passed over before it.
    pub(super) passed: &'p [PassedOver],
    /// The models behind it.
    pub(super) rest: &'p [Option<String>],
    /// True if another one may be asked after it.
    pub(super) has_next: bool,
    /// The end of the time of the call.
    pub(super) until: Option<Instant>,
    /// The account of the call.
    pub(super) account: &'p CallAccount,
}

impl<'p> Place<'p> {
    /// Returns the place of the only model.
    #[cfg(feature = "flow")]
    pub(super) const fn alone(account: &'p CallAccount) -> Self {
        Self { passed: &[], rest: &[], has_next: false, until: None, account }
    }

    /// Returns the number of requests that the models before it were sent.
    pub(super) fn requests(&self) -> usize {
        self.passed.iter().map(|one| one.requests).sum()
    }

    /// Reports whether the next model is asked after a failure.
    pub(super) fn passes_on(&self, failed: &Failed) -> bool {
        let has_time = self.until.is_none_or(|until| Instant::now() < until);
        failed.passes_on && self.has_next && has_time
    }
}

/// Reports whether a model can't answer now, while another one may.
const fn is_unavailable(error: &LlmError) -> bool {
    matches!(
        error,
        LlmError::NoKey { .. }
            | LlmError::Quota { .. }
            | LlmError::Network { .. }
            | LlmError::Disconnected { .. }
            | LlmError::Timeout { .. }
            | LlmError::NoSuchModel { .. }
            | LlmError::RateLimited { .. }
            | LlmError::Server { .. }
            | LlmError::AnswerFailed { .. }
            | LlmError::WindowOverflow { .. }
            | LlmError::CutStream { .. }
            | LlmError::MissingFeature(_)
    )
}
