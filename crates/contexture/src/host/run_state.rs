//! The state of a run that the services of its host share: limits and counters, the record, and
//! what it reports.

use super::durable::Identity;
use super::schemas::Schemas;
use crate::config::SecretsPolicy;
use crate::observe::{Observer, Progress};
use crate::permission::{Action, Permission};
use crate::policy::{self, Refusal};
use crate::recorder::Recorder;
use crate::run::result::CallReport;
use crate::run::{PartOf, RUN_ITSELF, Recorded, lacks};
use contexture_context::manifest::Site;
use contexture_context::{Label, Limits, Manifest, Trust};
use contexture_core::policy::{Class, Decision, Effect, Narrowed, Policy};
use contexture_llm::extractive::STAND_IN;
use contexture_llm::{CancelToken, Journal};
use contexture_prompt::Usage;
use contexture_script::host::{HostError, Standing, Supplied};
use contexture_store::masker::Hidden;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The state of one run.
pub(crate) struct RunState {
    pub(super) recorder: Recorder,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) cancel: CancelToken,
    pub(super) limits: Limits,
    /// True if nothing may be changed, called or connected to.
    pub(super) dry_run: bool,
    permission: Option<Arc<dyn Permission>>,
    /// True if models see what looks like a secret.
    shows_secrets: bool,
    pub(super) policy: Policy,
    /// Decisions by the events that they belong to.
    decisions: Mutex<HashMap<u64, Vec<Value>>>,
    pub(super) identity: Identity,
    /// What agents forbid themselves, by the calls that are made in them.
    narrowed: Mutex<HashMap<u64, Narrowed>>,
    /// The step of a flow that the run is.
    pub(super) part_of: Option<PartOf>,
    /// The values that a recheck takes from a record.
    recorded: Option<Arc<Recorded>>,
    pub(super) schemas: Schemas,
    model_calls: AtomicU64,
    tool_calls: AtomicU64,
    reported: Mutex<Reported>,
}

/// The reports of a run, each text once.
#[derive(Default)]
struct Reported {
    usage: Usage,
    /// True if a part of the usage was counted here.
    estimated: bool,
    calls: Vec<CallReport>,
    warnings: Vec<String>,
    placeholders: Vec<Placeholder>,
}

/// What a dry run gave a placeholder for.
#[derive(PartialEq)]
struct Placeholder {
    what: String,
    /// True for the answer of a model, which is there when models are asked.
    is_answer: bool,
}

impl Reported {
    /// Names what a prompt on placeholders lacks, with the answers of models or without.
    fn missing(&self, with_answers: bool) -> String {
        if self.placeholders.is_empty() {
            return "a reference into the network".to_owned();
        }
        let named = self.placeholders.iter().filter(|one| with_answers || !one.is_answer);
        named.map(|one| one.what.as_str()).collect::<Vec<_>>().join(", ")
    }
}

impl RunState {
    pub(crate) fn new(
        recorder: Recorder,
        observer: Arc<dyn Observer>,
        (permission, policy): (Option<Arc<dyn Permission>>, Policy),
        limits: Limits,
        cancel: CancelToken,
        dry_run: bool,
    ) -> Self {
        Self {
            recorder,
            observer,
            cancel,
            limits,
            dry_run,
            permission,
            shows_secrets: false,
            policy,
            decisions: Mutex::default(),
            identity: Identity::default(),
            narrowed: Mutex::default(),
            part_of: None,
            recorded: None,
            schemas: Schemas::default(),
            model_calls: AtomicU64::new(0),
            tool_calls: AtomicU64::new(0),
            reported: Mutex::default(),
        }
    }

    /// Gives the run its id and its journal, if it has one.
    pub(crate) fn known_as(mut self, id: String, journal: Option<Journal>) -> Self {
        self.identity = Identity::new(id, journal);
        self
    }

    /// Shows models what looks like a secret, or masks it (GU-10).
    pub(crate) const fn with_secrets(mut self, policy: SecretsPolicy) -> Self {
        self.shows_secrets = matches!(policy, SecretsPolicy::Allow);
        self
    }

    /// Makes it the run of a step of a flow.
    pub(crate) fn within(mut self, step: Option<PartOf>) -> Self {
        self.part_of = step;
        self
    }

    /// Reports whether models see what looks like a secret.
    pub(super) const fn shows_secrets(&self) -> bool {
        self.shows_secrets
    }

    /// Masks the secrets of a value before a model, unless it may see them; returns what was found.
    pub(super) fn hide(&self, value: &mut Value) -> Vec<Hidden> {
        if self.shows_secrets {
            return self.recorder.masker().hide(&mut value.clone());
        }
        self.recorder.masker().hide(value)
    }

    /// Returns a text as a model may see it.
    pub(super) fn shown_to_model<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.shows_secrets {
            return Cow::Borrowed(text);
        }
        self.recorder.masker().for_model(text)
    }

    fn reported(&self) -> MutexGuard<'_, Reported> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn usage(&self) -> Usage {
        self.reported().usage
    }

    /// Reports whether a part of the usage was counted here, as a provider reported none.
    pub(super) fn is_usage_estimated(&self) -> bool {
        self.reported().estimated
    }

    pub(super) fn add_usage(&self, usage: Usage, is_estimated: bool) {
        let mut reported = self.reported();
        reported.usage += usage;
        reported.estimated |= is_estimated;
    }

    /// Keeps what became of a model call. What a provider says of a failure may quote a key (GU-9).
    pub(super) fn add_call(&self, mut call: CallReport) {
        let masker = self.recorder.masker();
        let attempts = call.attempts.iter_mut();
        let texts = attempts.flat_map(|one| one.retried.iter_mut().chain(&mut one.failure));
        let reasons = call.passed_over.iter_mut().map(|one| &mut one.reason);
        for text in texts.chain(reasons) {
            *text = masker.text(text).into_owned();
        }
        self.reported().calls.push(call);
    }

    /// Returns the model calls that have ended, in the order in which their prompts were built; once.
    pub(super) fn take_calls(&self) -> Vec<CallReport> {
        let mut calls = std::mem::take(&mut self.reported().calls);
        calls.sort_by_key(|call| call.call);
        calls
    }

    /// Adds the sums of a run to the data of its end.
    pub(super) fn sum_up(&self, data: &mut Value) {
        let reported = self.reported();
        if let Value::Object(data) = data {
            // The same calls that `is_asked` counts in a run without an end.
            let asked = || reported.calls.iter().filter(|call| !call.is_refused);
            data.insert("model_calls".to_owned(), asked().count().into());
            data.insert("usage".to_owned(), json!(reported.usage));
            let last = reported.calls.last().and_then(CallReport::finish);
            data.insert("finish".to_owned(), json!(last));
            let mut models: Vec<&str> = Vec::new();
            for CallReport { model, .. } in asked() {
                models.retain(|known| known != model);
                models.push(model);
            }
            data.insert("models_asked".to_owned(), json!(models));
            data.insert("usage_estimated".to_owned(), reported.estimated.into());
        }
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        self.reported().warnings.clone()
    }

    pub(crate) fn warn(&self, warning: String) {
        self.tell(self.recorder.masker().text(&warning).into_owned(), Progress::Warning);
    }

    /// Reports a wait before a request is tried again: each one, also where the text is the same, and
    /// keeps it among the warnings once (CA-2).
    pub(super) fn wait(&self, warning: &str) {
        let warning = self.recorder.masker().text(warning).into_owned();
        if !self.tell(warning.clone(), Progress::Warning) {
            self.observer.notify(Progress::Warning(warning));
        }
    }

    /// Reports that a `max` cut a loop or a list short (AS-11).
    pub(crate) fn truncated(&self, warning: String) {
        self.tell(warning, Progress::Truncated);
    }

    /// Reports once, and keeps with the call, that the built-in model answered (CA-9).
    pub(super) fn note_stand_in(&self, event: u64) {
        let note = format!("builtin://extractive: {STAND_IN}");
        if self.tell(note.clone(), Progress::Warning) {
            self.recorder.amend(event, json!({ "notes": [note] }));
        }
    }

    /// Reports a warning; false if it was reported before.
    fn tell(&self, warning: String, kind: fn(String) -> Progress) -> bool {
        let mut reported = self.reported();
        if reported.warnings.contains(&warning) {
            return false;
        }
        reported.warnings.push(warning.clone());
        drop(reported);
        self.observer.notify(kind(warning));
        true
    }

    /// Warns of the notes of a tool, and keeps them with the event of the call.
    pub(super) fn note(&self, event: Option<u64>, name: &str, notes: Vec<String>) {
        if let Some(event) = event.filter(|_| !notes.is_empty()) {
            self.recorder.amend(event, json!({ "notes": notes }));
        }
        for note in notes {
            self.warn(format!("{name}: {note}"));
        }
    }

    /// Takes values of models and tools from a record (IN-10).
    pub(crate) fn on_record(mut self, recorded: Option<Arc<Recorded>>) -> Self {
        self.recorded = recorded;
        self
    }

    /// Reports whether values come from a record.
    pub(super) const fn is_on_record(&self) -> bool {
        self.recorded.is_some()
    }

    /// Reports whether a model is asked for a call in a dry run: in a recheck that asks, for a prompt
    /// that has changed (IN-10).
    ///
    /// # Errors
    /// [`HostError`] when the prompt contains a placeholder for something that the record lacks.
    pub(super) fn is_asked(&self, manifest: &Manifest) -> Result<bool, HostError> {
        let Some(recorded) = &self.recorded else { return Ok(false) };
        let (is_changed, asks) = (recorded.is_changed(manifest), recorded.asks());
        if !is_changed || !manifest.on_placeholders {
            return Ok(is_changed && asks);
        }
        let missing = self.reported().missing(asks);
        if asks {
            return Err(HostError::new("not_recorded", lacks(&missing)).with_help(RUN_ITSELF));
        }
        if !missing.is_empty() {
            recorded.note_lacking(manifest.call, missing);
        }
        Ok(false)
    }

    /// Returns the model that is asked in place of those of the program.
    pub(super) fn asked_model(&self) -> Option<&str> {
        self.recorded.as_ref()?.model()
    }

    /// Returns what a model got from a tool in the record.
    pub(super) fn recorded_result(&self, source: &str) -> Option<(String, Label)> {
        self.recorded.as_ref()?.result(source)
    }

    /// Returns the value that the record has next for a call of a model or a method.
    pub(super) fn recorded(&self, site: &Site, call: &str) -> Option<Value> {
        self.recorded.as_ref()?.next(site, call)
    }

    /// Remembers what a dry run gave a placeholder for.
    pub(super) fn note_placeholder(&self, what: String) {
        self.keep_placeholder(Placeholder { what, is_answer: false });
    }

    /// Remembers that a dry run gave a placeholder for the answer of a model.
    pub(super) fn note_answer(&self, site: &Site) {
        self.keep_placeholder(Placeholder { what: format!("generate at {site}"), is_answer: true });
    }

    fn keep_placeholder(&self, placeholder: Placeholder) {
        let mut reported = self.reported();
        if !reported.placeholders.contains(&placeholder) {
            reported.placeholders.push(placeholder);
        }
    }

    pub(super) fn placeholders(&self) -> Vec<String> {
        self.reported().placeholders.iter().map(|one| one.what.clone()).collect()
    }

    /// Returns the stand-in for the result of a tool call that a dry run does not make.
    pub(super) fn stand_in(&self, name: &str, site: impl Display, trust: Trust) -> Supplied {
        self.note_placeholder(format!("{name} at {site}"));
        unknown(Value::String(format!("⟨{name}⟩")), trust)
    }

    /// Counts a model call; `Err` when the run has reached its limit.
    pub(super) fn count_model_call(&self) -> Result<u64, HostError> {
        count(&self.model_calls, self.limits.model_calls, "model_calls", "model")
    }

    /// Counts a call of a tool or a memory.
    pub(super) fn count_tool_call(&self) -> Result<u64, HostError> {
        count(&self.tool_calls, self.limits.tool_calls, "tool_calls", "tool and memory")
    }

    /// Waits for work until the run is cancelled.
    pub(super) async fn unless_cancelled<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, HostError> {
        tokio::select! {
            done = work => Ok(done),
            () = self.cancel.cancelled() => {
                let error = HostError::new("cancelled", "the run was cancelled");
                Err(HostError { cancelled: true, ..error })
            }
        }
    }

    /// Notes what the agents forbid in which a call is made.
    pub(super) fn narrow(&self, event: u64, narrowed: &Narrowed) {
        if !narrowed.is_empty() {
            let mut known = self.narrowed.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(event, narrowed.clone());
        }
    }

    /// Returns the policy for a call.
    pub(super) fn policy_of(&self, event: u64) -> Cow<'_, Policy> {
        let known = self.narrowed.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(&event) {
            Some(narrowed) => Cow::Owned(self.policy.clone().narrowed(narrowed.clone())),
            None => Cow::Borrowed(&self.policy),
        }
    }

    /// Waits until an effect is allowed: by the policy, and by the user where somebody has to be
    /// asked (GU-6, CP-19). Credentials are masked in what the user is shown. The decision is
    /// recorded with the event of the call.
    pub(super) async fn allowed(
        &self,
        (event, key): (u64, &str),
        effect: &Effect<'_>,
        arguments: &Value,
    ) -> Result<(), HostError> {
        let shown = match self.recorder.masked(arguments.clone()) {
            Value::Object(fields) => fields,
            Value::Null => Map::new(),
            other => Map::from_iter([("value".to_owned(), other)]),
        };
        let policy = self.policy_of(event);
        let (parameters, step) = (&shown, None);
        let (name, target) = (effect.name, effect.name);
        let id = self.minted(key);
        let call = Some(&*id);
        let action = Action { name, target, parameters, policy: None, prompt: None, step, call };
        let asking = policy::permitted(&policy, self.permission.as_ref(), effect, action);
        let (decision, answer) = self.unless_cancelled(asking).await?;
        self.note_decision(
            event,
            &decision,
            policy::record(effect.name, &decision, answer.as_ref().copied()),
        );
        answer.map_err(|Refusal { code, message, help, details }| HostError {
            help,
            details,
            ..HostError::new(code, message)
        })
    }

    /// Waits until an effect is allowed; what changes something is in the journal when this returns.
    pub(super) async fn permitted(
        &self,
        (event, key): (u64, &str),
        effect: &Effect<'_>,
        arguments: &Value,
    ) -> Result<(), HostError> {
        self.allowed((event, key), effect, arguments).await?;
        if effect.class == Class::Read { Ok(()) } else { self.intend(key) }
    }

    /// Returns the label of a result; that of a file of the workspace is the project's word (GU-6).
    pub(super) fn label_of_file(&self, uri: &str, mut label: Label) -> Label {
        if uri.starts_with("file:") || uri.starts_with("sh:") {
            label.trust = self.policy.of_workspace(label.trust);
            for source in &mut label.sources {
                source.trust = self.policy.of_workspace(source.trust);
            }
        }
        label
    }

    /// Records a decision that is not about plain reading.
    pub(super) fn note_decision(&self, event: u64, decision: &Decision, record: Value) {
        if !policy::is_recorded(decision) {
            return;
        }
        let mut decisions = self.decisions.lock().unwrap_or_else(PoisonError::into_inner);
        let of_event = decisions.entry(event).or_default();
        of_event.push(record);
        self.recorder.amend(event, json!({ "effects": of_event }));
    }
}

fn count(counter: &AtomicU64, limit: u64, name: &str, what: &str) -> Result<u64, HostError> {
    let number = counter.fetch_add(1, Ordering::Relaxed) + 1;
    if number <= limit {
        return Ok(number);
    }
    let message = format!("the run has made {limit} {what} calls, the limit `{name}`");
    let help = format!("raise `{name}` under [limits] in contexture.toml if this is meant");
    Err(HostError::new("limit_reached", message).with_help(help))
}

/// Returns a value that was really supplied by a source.
pub(super) fn supplied(value: Value, label: impl Into<Label>) -> Supplied {
    Supplied { value, label: label.into(), ..Supplied::default() }
}

/// Returns a value of known types in place of what a dry run does not do.
pub(super) fn placeholder(value: Value, trust: Trust) -> Supplied {
    Supplied { value, label: trust.into(), standing: Standing::Placeholder, ..Supplied::default() }
}

/// Returns the same, where each text stands for a value of unknown shape.
pub(super) fn unknown(value: Value, trust: Trust) -> Supplied {
    Supplied { value, label: trust.into(), standing: Standing::Unknown, ..Supplied::default() }
}
