//! A run by itself: all that the inspector's page asks about it, for a file of its own (IN-14).
//!
//! Decision: the answers are those of the API, by their addresses, so that the page reads a file and a
//! server with the same code. Events and texts are whole, since nothing is fetched.

use super::kept::{Call, InspectError, Kept};
use super::outline::{EventPage, MOST_EVENTS, Outline};
use super::tokens::{TokensBy, tokens};
use super::view::{LONGEST_MESSAGE, call_answer, head, prompt_answer};
use contexture_context::Digest;
use contexture_store::runs::{RunError, RunId, RunStore};
use serde_json::{Map, Value, json};

/// The most bytes of all answers: a browser reads them at once.
const LARGEST: usize = 64 << 20;

/// The answers by their addresses, below `v1/`, without limits and places of pages.
struct Answers {
    answers: Map<String, Value>,
    bytes: usize,
}

impl Answers {
    fn add(&mut self, address: String, answer: Value) -> Result<(), InspectError> {
        self.bytes += address.len() + answer.to_string().len();
        if self.bytes > LARGEST {
            return Err(InspectError::TooLarge { most: LARGEST });
        }
        self.answers.insert(address, answer);
        Ok(())
    }

    fn add_text(
        &mut self,
        kept: Kept<'_>,
        digest: &Digest,
        text: &str,
    ) -> Result<(), InspectError> {
        let part = json!({ "text": text, "offset": 0, "next": null, "total": text.len() });
        self.add(format!("texts/{}/{digest}", kept.log.id), part)
    }
}

/// Returns what the API of the inspector answers about a run, by the address of each question.
///
/// # Errors
/// [`InspectError`] when the record can't be read, lacks a text, or is too large for one file.
pub fn alone(store: &dyn RunStore, id: &RunId) -> Result<Map<String, Value>, InspectError> {
    let failed = |error: RunError| InspectError::Store(error.to_string());
    let mut all = Answers { answers: Map::new(), bytes: 0 };
    all.add("alone".to_owned(), id.as_str().into())?;
    let about =
        json!({ "flows": false, "contexts": false, "knowledge": false, "can_change": false });
    all.add("about".to_owned(), about)?;
    all.add(format!("runs/{id}"), head(store, id).map_err(failed)?)?;
    add_events(&mut all, store, id)?;
    let log = store.head(id, 1..=u64::MAX).map_err(failed)?.log;
    let kept = Kept { store, log: &log };
    for (by, name) in
        [(TokensBy::Label, "label"), (TokensBy::Source, "source"), (TokensBy::Line, "line")]
    {
        all.add(format!("runs/{id}/tokens?by={name}"), json!(tokens(kept, by)))?;
    }
    let calls = kept.calls();
    for call in &calls {
        add_call(&mut all, kept, call, calls.len())?;
    }
    Ok(all.answers)
}

fn add_events(all: &mut Answers, store: &dyn RunStore, id: &RunId) -> Result<(), InspectError> {
    let failed = |error: RunError| InspectError::Store(error.to_string());
    let mut outline = Outline::default();
    outline.read_on(store, id).map_err(failed)?;
    for parent in outline.parents() {
        let mut events = Vec::new();
        let mut after = None;
        loop {
            let page = EventPage { parent: Some(parent), after, limit: MOST_EVENTS };
            let mut page = outline.page(store, id, page).map_err(failed)?;
            if let Some(found) = page.get_mut("events").and_then(Value::as_array_mut) {
                events.append(found);
            }
            after = page.get("next").and_then(Value::as_u64);
            if after.is_none() {
                break;
            }
        }
        let answer = json!({ "events": events, "next": null });
        all.add(format!("runs/{id}/events?parent={parent}"), answer)?;
    }
    Ok(())
}

/// Adds a model call with its prompt, and the texts that its view opens: what was cut, and messages
/// that are too long for a prompt's answer.
fn add_call(
    all: &mut Answers,
    kept: Kept<'_>,
    call: &Call<'_>,
    calls: usize,
) -> Result<(), InspectError> {
    let (id, number) = (&kept.log.id, call.manifest.call);
    let mut answer = call_answer(kept, call);
    if let Some(fields) = answer.as_object_mut() {
        fields.insert("calls".to_owned(), calls.into());
    }
    all.add(format!("runs/{id}/calls/{number}"), answer)?;
    if let Some(prompt) = there(prompt_answer(kept, call))? {
        all.add(format!("runs/{id}/calls/{number}/prompt"), prompt)?;
    }
    for item in call.manifest.items.iter().filter(|item| !item.cuts.is_empty()) {
        if let Some(text) = there(kept.text(&item.value))? {
            all.add_text(kept, &item.value, &text)?;
        }
    }
    for message in &call.manifest.messages {
        let sent = there(kept.message(message))?;
        if let Some(sent) = sent.filter(|sent| sent.text.len() > LONGEST_MESSAGE) {
            all.add_text(kept, &message.digest, &sent.text)?;
        }
    }
    Ok(())
}

/// Leaves out what the record has no text of, or none that can be read, as the page says where it is
/// shown.
fn there<T>(found: Result<T, InspectError>) -> Result<Option<T>, InspectError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(InspectError::MissingText { .. } | InspectError::Store(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
