//! The calls of a run that survives its process (WA-3): what its journal knows is not done again.
//!
//! Decision: reading is written down when it has ended, so that it gives the same again; what changes
//! something is also written down before, once it is allowed. A result in which a secret was masked
//! is read anew, as the journal holds no secrets.

use super::perform::Called;
use super::run_state::{RunState, supplied};
use crate::durable::{self, DIVERGED};
use contexture_context::{Digest, Label};
use contexture_core::policy::{Class, Validation};
use contexture_llm::{Call, Journal, LlmError, Past};
use contexture_script::host::{CallKey, HostError, HostFuture, Supplied};
use contexture_store::stamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The name under which the reading of an imported file is in a journal.
pub(super) const FILE: &str = "file";

/// The digits of a minted key.
const DIGITS: usize = 32;

/// The identity of a run, under which its calls have keys, with its journal.
pub(super) struct Identity {
    id: String,
    journal: Option<Journal>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The calls under way, by key.
    calls: HashMap<String, Call>,
    /// The calls that were made for another, by its key.
    below: HashMap<String, u64>,
    /// Why the run can't go on by its journal.
    diverged: Option<HostError>,
}

impl Default for Identity {
    fn default() -> Self {
        Self::new(stamp::system().next().0, None)
    }
}

impl Identity {
    pub(super) fn new(id: String, journal: Option<Journal>) -> Self {
        Self { id, journal, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An outcome as a journal keeps it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kept {
    Value {
        value: Value,
        label: Label,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        source: String,
        /// The tool that validated what it was given, and why that counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        validated: Option<(String, String)>,
    },
    Failure {
        code: String,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        help: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
}

impl From<&Result<Called, HostError>> for Kept {
    fn from(outcome: &Result<Called, HostError>) -> Self {
        match outcome {
            Ok(Called { source, value, label, validation }) => Self::Value {
                value: value.clone(),
                label: label.clone(),
                source: source.clone(),
                validated: validation.as_ref().map(|one| (one.tool.clone(), one.reason.clone())),
            },
            Err(HostError { code, message, help, details, .. }) => Self::Failure {
                code: code.clone(),
                message: message.clone(),
                help: help.clone(),
                details: details.clone(),
            },
        }
    }
}

impl From<Kept> for Result<Called, HostError> {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::Value { value, label, source, validated } => {
                let validation = validated.map(|(tool, reason)| Validation { tool, reason });
                Ok(Called { source, value, label, validation })
            }
            Kept::Failure { code, message, help, details } => {
                Err(HostError { help, details, ..HostError::new(code, message) })
            }
        }
    }
}

/// Returns what a person says that a call gave, or that it failed, as a journal keeps it.
pub(crate) fn settled(name: &str, outcome: Result<Value, (&str, String)>) -> Value {
    let outcome = match outcome {
        Ok(value) => {
            let label = Label::of(name, contexture_context::Trust::Tool);
            Ok(Called { source: name.to_owned(), value, label, validation: None })
        }
        Err((code, message)) => Err(HostError::new(code, message)),
    };
    json!(Kept::from(&outcome))
}

/// Returns a call as a journal knows it.
pub(super) fn about(key: &str, name: &str, given: &Value, site: &str) -> Call {
    let mut request = json!({ "arguments": given });
    if let Value::Object(fields) = &mut request
        && !site.is_empty()
    {
        fields.insert("site".to_owned(), site.into());
    }
    let digest = Digest::of_text(&given.to_string());
    Call { key: key.to_owned(), name: name.to_owned(), digest, request }
}

/// Returns the key of a call of a run for the other side.
pub(crate) fn call_id(run: &str, key: &str) -> String {
    let digest = Digest::of_text(&format!("{run}\n{key}")).hex();
    format!("call_{}", digest.get(..DIGITS).unwrap_or(&digest))
}

impl RunState {
    /// Returns the key of the next call that is made for another: by a model, or as a step of a plan.
    pub(super) fn below(&self, key: &CallKey) -> String {
        let mut state = self.identity.state();
        let made = state.below.entry(key.to_string()).or_default();
        *made += 1;
        format!("{key}/{made}")
    }

    /// Returns the key of a call for the other side: the same whenever this call of this run is made
    /// (WA-4).
    pub(super) fn minted(&self, key: &str) -> String {
        call_id(&self.identity.id, key)
    }

    /// Returns that key for a call that changes something.
    pub(super) fn minted_for(&self, class: Class, key: &str) -> Option<String> {
        (class != Class::Read).then(|| self.minted(key))
    }

    /// Refuses to go on when somebody has cancelled the run from outside, or when its journal is that
    /// of another.
    pub(super) fn goes_on(&self) -> Result<(), HostError> {
        let Some(journal) = &self.identity.journal else { return Ok(()) };
        if let Some(error) = &self.identity.state().diverged {
            return Err(error.clone());
        }
        if journal.place().is_cancelled() {
            self.cancel.cancel();
            let error = HostError::new("cancelled", "the run was cancelled");
            return Err(HostError { cancelled: true, ..error });
        }
        Ok(())
    }

    /// Writes down that a call is about to change something.
    pub(super) fn intend(&self, key: &str) -> Result<(), HostError> {
        let Some(journal) = &self.identity.journal else { return Ok(()) };
        let call = self.identity.state().calls.get(key).cloned();
        call.map_or(Ok(()), |call| journal.intend(&call).map_err(|error| unwritable(&error)))
    }

    /// Makes a call, or returns what it gave before.
    pub(super) async fn durably(
        &self,
        about: Call,
        event: u64,
        work: impl Future<Output = Result<Called, HostError>>,
    ) -> Result<Called, HostError> {
        let Some(journal) = &self.identity.journal else { return work.await };
        self.goes_on()?;
        let known = journal.take(&about.key);
        if let Some(past) = known.filter(|past| past.meant || !past.masked) {
            self.recorder.amend(event, json!({ "from_journal": true }));
            return self.known(&about, past);
        }
        self.identity.state().calls.insert(about.key.clone(), about.clone());
        let under_way = journal.under_way();
        let outcome = work.await;
        drop(under_way);
        self.identity.state().calls.remove(&about.key);
        if !outcome.as_ref().is_err_and(|error| error.cancelled) {
            let kept = json!(Kept::from(&outcome));
            journal.end(&about, kept).map_err(|error| unwritable(&error))?;
        }
        outcome
    }

    /// Makes a model call with a limit of time: one that did not end in time before does not now.
    pub(super) async fn timed(
        &self,
        about: Call,
        work: HostFuture<'_, Supplied>,
    ) -> Result<Supplied, HostError> {
        let Some(journal) = &self.identity.journal else { return work.await };
        if let Some(past) = journal.take(&about.key) {
            return self.known(&about, past).map(of_called);
        }
        let outcome = work.await;
        if let Err(error) = &outcome
            && error.code == "timeout"
        {
            let kept = json!(Kept::from(&Err(error.clone())));
            journal.end(&about, kept).map_err(|error| unwritable(&error))?;
        }
        outcome
    }

    /// Reports whether what is supplied is written down.
    pub(super) fn is_durable(&self) -> bool {
        self.identity.journal.is_some()
    }

    /// Does the same for a call of the program itself.
    pub(super) async fn supplied_durably(
        &self,
        about: Call,
        event: u64,
        work: HostFuture<'_, Supplied>,
    ) -> Result<Supplied, HostError> {
        if self.identity.journal.is_none() {
            return work.await;
        }
        let (mut is_made, is_file) = (false, about.name == FILE);
        let called = self.durably(about, event, async {
            is_made = true;
            let Supplied { value, label, validation, .. } = work.await?;
            Ok(Called { source: String::new(), value, label, validation })
        });
        let called = called.await;
        if !is_made && !is_file {
            self.count_tool_call()?;
        }
        called.map(of_called)
    }

    /// Checks that a text, which is made of what the program has, is the one that was made before.
    pub(super) fn unchanged(&self, about: &Call, text: &Value) -> Result<(), HostError> {
        let Some(journal) = &self.identity.journal else { return Ok(()) };
        let made = json!(Digest::of_text(&text.to_string()));
        let Some(past) = journal.take(&about.key) else {
            return journal.end(about, made).map_err(|error| unwritable(&error));
        };
        if past.call.name == about.name && past.value() == Some(&made) {
            return Ok(());
        }
        Err(self.diverge(about, &past))
    }

    fn known(&self, about: &Call, past: Past) -> Result<Called, HostError> {
        if past.call.name != about.name || past.call.digest != about.digest {
            return Err(self.diverge(about, &past));
        }
        let Some(kept) = past.value().cloned() else {
            return Err(durable::uncertain(&about.name));
        };
        if past.masked {
            self.warn(format!(
                "{}: its result held a secret, which the journal does not keep: the program sees •••",
                about.name
            ));
        }
        let kept: Kept = serde_json::from_value(kept).map_err(|error| {
            HostError::new(DIVERGED, format!("the journal is damaged: {error}"))
        })?;
        kept.into()
    }

    /// Ends the run: nothing is done from here on.
    fn diverge(&self, about: &Call, past: &Past) -> HostError {
        let what = match past.call.name == about.name {
            true => "with other arguments".to_owned(),
            false => format!("where the run called {} before", past.call.name),
        };
        let message = format!(
            "the program calls {} {what} (call {}): it does not do what it did before",
            about.name, about.key
        );
        let help = "undo what was changed in the project since, or begin a new run";
        let error = HostError::new(DIVERGED, message).with_help(help);
        self.identity.state().diverged.get_or_insert(error).clone()
    }
}

fn of_called(called: Called) -> Supplied {
    let Called { value, label, validation, .. } = called;
    Supplied { validation, ..supplied(value, label) }
}

fn unwritable(error: &LlmError) -> HostError {
    let help = "make room on the disk; `contexture runs resume` then takes the run up again";
    HostError::new("journal_unwritable", error.to_string()).with_help(help)
}
