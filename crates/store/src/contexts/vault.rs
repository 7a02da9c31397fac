//! Sealing on the way in, opening on the way out (CP-19).

use super::ledger::{Outcome, Stored};
use contexture_context::json;
use contexture_core::store::contexts::{ContextError, SealError, Sealer, Sensitive};
use contexture_protocol::StatePath;
use serde_json::Value;
use std::sync::Arc;

/// The sensitive places and their seal.
#[derive(Clone)]
pub(super) struct Vault {
    sealer: Option<Arc<dyn Sealer>>,
    sensitive: Sensitive,
}

const STATE: &str = "state";
const MESSAGE: &str = "message";
const VALUE: &str = "value";
const ANSWER: &str = "answer";

impl Vault {
    pub(super) const fn new(sealer: Option<Arc<dyn Sealer>>, sensitive: Sensitive) -> Self {
        Self { sealer, sensitive }
    }

    /// Refuses when something is declared sensitive and nothing is there to seal it.
    pub(super) fn check_key(&self) -> Outcome<()> {
        let Sensitive { state, messages } = &self.sensitive;
        if self.sealer.is_some() || (state.is_empty() && messages.is_empty()) {
            return Ok(());
        }
        let what = "what is declared sensitive";
        Err(ContextError::Sealed { what, error: SealError::NoKey })
    }

    pub(super) fn state(&self, state: &Value) -> Outcome<Stored> {
        let paths = self.sensitive.state.iter();
        if paths.len() == 0 {
            return Ok(Stored::plain(state.to_string()));
        }
        self.seal(STATE, state.clone(), paths)
    }

    pub(super) fn open_state(&self, kept: &Stored) -> Outcome<Value> {
        self.open_value_of(STATE, kept)
    }

    pub(super) fn message(&self, text: &Arc<str>) -> Outcome<Stored> {
        self.seal_message(MESSAGE, text)
    }

    pub(super) fn open_message(&self, kept: &Stored) -> Outcome<Arc<str>> {
        self.open_text(MESSAGE, kept)
    }

    pub(super) fn answer(&self, text: &str) -> Outcome<Stored> {
        self.seal_message(ANSWER, &text.into())
    }

    pub(super) fn open_answer(&self, kept: &Stored) -> Outcome<String> {
        Ok(self.open_text(ANSWER, kept)?.as_ref().to_owned())
    }

    /// Returns a value that the change log keeps, set at `path` of the state.
    pub(super) fn value(&self, path: &StatePath, value: &Value) -> Outcome<Stored> {
        let depth = path.segments().len();
        let overlapping = || self.sensitive.state.iter().filter(|other| other.overlaps(path));
        if overlapping().any(|sensitive| sensitive.segments().len() <= depth) {
            let sealed = self.sealed(VALUE, "", &value.to_string())?;
            let text = Value::String(sealed).to_string().into();
            return Ok(Stored { text, sealed: Some("[\"\"]".into()) });
        }
        let inner: Vec<StatePath> = overlapping()
            .filter_map(|sensitive| {
                StatePath::of(sensitive.segments().iter().skip(depth).cloned().collect())
            })
            .collect();
        if inner.is_empty() {
            return Ok(Stored::plain(value.to_string()));
        }
        self.seal(VALUE, value.clone(), inner.iter())
    }

    pub(super) fn open_value(&self, kept: &Stored) -> Outcome<Value> {
        self.open_value_of(VALUE, kept)
    }

    fn seal_message(&self, class: &'static str, text: &Arc<str>) -> Outcome<Stored> {
        let plain = || Stored { text: Arc::clone(text), sealed: None };
        if self.sensitive.messages.is_empty() {
            return Ok(plain());
        }
        let Ok(message) = json::read::<Value>(text.as_bytes()) else { return Ok(plain()) };
        let kind = message.get("type").and_then(Value::as_str).map(str::to_owned);
        let fields = self.sensitive.messages.iter();
        let mut fields = fields
            .filter(|field| field.kind.is_none() || field.kind == kind)
            .map(|field| &field.path)
            .filter(|path| path.get(&message).is_some())
            .peekable();
        if fields.peek().is_none() {
            return Ok(plain());
        }
        let fields: Vec<&StatePath> = fields.collect();
        self.seal(class, message, fields.into_iter())
    }

    fn seal<'p>(
        &self,
        class: &'static str,
        mut value: Value,
        paths: impl Iterator<Item = &'p StatePath>,
    ) -> Outcome<Stored> {
        let mut done = Vec::new();
        for path in paths {
            let Some(plain) = path.get(&value) else { continue };
            let sealed = self.sealed(class, path.as_str(), &plain.to_string())?;
            // What can be read there can be set there.
            if path.set(&mut value, sealed.into()).is_ok() {
                done.push(path.as_str());
            }
        }
        let sealed = (!done.is_empty()).then(|| Value::from(done).to_string().into());
        Ok(Stored { text: value.to_string().into(), sealed })
    }

    fn sealed(&self, class: &'static str, path: &str, plain: &str) -> Outcome<String> {
        let fault = |error| ContextError::Sealed { what: class, error };
        let sealer = self.sealer.as_ref().ok_or(fault(SealError::NoKey))?;
        sealer.seal(&place(class, path), plain.as_bytes()).map_err(fault)
    }

    fn open_text(&self, class: &'static str, kept: &Stored) -> Outcome<Arc<str>> {
        if kept.sealed.is_none() {
            return Ok(Arc::clone(&kept.text));
        }
        Ok(self.open_value_of(class, kept)?.to_string().into())
    }

    fn open_value_of(&self, class: &'static str, kept: &Stored) -> Outcome<Value> {
        let mut value: Value = read(class, &kept.text)?;
        let Some(sealed) = &kept.sealed else { return Ok(value) };
        let paths: Vec<String> = read(class, sealed)?;
        // The last that was sealed may stand around an earlier one.
        for path in paths.iter().rev() {
            if path.is_empty() {
                value = self.opened(class, path, &value)?;
                continue;
            }
            let format = |_| ContextError::Sealed { what: class, error: SealError::Format };
            let place: StatePath = path.parse().map_err(format)?;
            let inner = place.get(&value).unwrap_or(&Value::Null);
            let opened = self.opened(class, path, inner)?;
            drop(place.set(&mut value, opened));
        }
        Ok(value)
    }

    fn opened(&self, class: &'static str, path: &str, sealed: &Value) -> Outcome<Value> {
        let fault = |error| ContextError::Sealed { what: class, error };
        let sealer = self.sealer.as_ref().ok_or(fault(SealError::NoKey))?;
        let text = sealed.as_str().ok_or(fault(SealError::Format))?;
        let plain = sealer.open(&place(class, path), text).map_err(fault)?;
        json::read(&plain).map_err(|_| fault(SealError::Format))
    }
}

/// Returns the place that a sealed text is bound to.
fn place(class: &str, path: &str) -> String {
    format!("{class}/{path}")
}

fn read<T: serde::de::DeserializeOwned>(class: &str, text: &str) -> Outcome<T> {
    json::read(text.as_bytes()).map_err(|error| ContextError::Damaged {
        path: class.to_owned(),
        reason: error.to_string(),
    })
}
