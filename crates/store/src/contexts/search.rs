//! The search for contexts by a text of theirs (WA-7).
//!
//! Decision: the texts are looked at one by one and opened, so that sealed ones are found too, every
//! script works, and each store gives the same result. An index is not kept. The work of a page is
//! limited instead: its `next` names a place within a context, if need be.

use super::engine::Engine;
use super::ledger::{Ledger, Outcome, Row};
use super::read::{headed, page_limit};
use contexture_context::json;
use contexture_core::store::contexts::{ContextError, Head, Heads};
use serde_json::Value;

/// The most characters of a text to search for.
const LONGEST: usize = 200;
/// The contexts or messages that are read at once.
const ROWS: usize = 50;
/// The contexts and messages that are looked at for one page, in pages of the store.
const PAGES: usize = 20;
/// The bytes that are looked at for one page.
const BYTES: usize = 32 << 20;

pub(super) fn search(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    owner: &str,
    text: &str,
    after: Option<&str>,
    limit: usize,
) -> Outcome<Heads> {
    let limit = page_limit(engine, limit)?;
    let begin = after.map_or(Ok(Cursor::default()), Cursor::parse)?;
    let entries = engine.limits.page.saturating_mul(PAGES);
    let mut search = Search { ledger, engine, wanted: wanted(text)?, entries, bytes: BYTES, begin };
    let mut contexts = Vec::new();
    let mut after = begin.after;
    loop {
        let rows = search.ledger.owned(owner, after, ROWS)?;
        if rows.is_empty() {
            return Ok(Heads { contexts, next: None });
        }
        for row in rows {
            if contexts.len() == limit || search.is_spent() {
                return Ok(Heads { contexts, next: Some(after.to_string()) });
            }
            let place = row.place;
            match search.context(row)? {
                Found::Here(head) => contexts.push(*head),
                Found::Nothing => {}
                Found::NotYet(seq) => {
                    return Ok(Heads { contexts, next: Some(format!("{place}.{seq}")) });
                }
            }
            after = place;
        }
    }
}

/// The text to search for, with its letters in lower case.
fn wanted(text: &str) -> Outcome<String> {
    let length = text.chars().count();
    if text.trim().is_empty() || length > LONGEST {
        let found =
            if length > LONGEST { format!("{length} characters") } else { "a blank".into() };
        return Err(ContextError::invalid("search", "a text of 1 to 200 characters", &found));
    }
    Ok(text.to_lowercase())
}

/// The place where a page begins.
#[derive(Clone, Copy, Default)]
struct Cursor {
    /// Contexts up to this place were looked at.
    after: i64,
    /// Messages of the context at this place up to this seq were looked at, too.
    within: Option<(i64, u64)>,
}

impl Cursor {
    fn parse(text: &str) -> Outcome<Self> {
        let read = match text.split_once('.') {
            None => text.parse().ok().map(|after| Self { after, within: None }),
            Some((place, seq)) => place.parse::<i64>().ok().and_then(|place| {
                let within = Some((place, seq.parse().ok()?));
                Some(Self { after: place.checked_sub(1)?, within })
            }),
        };
        let read = read.filter(|cursor| cursor.after >= 0);
        read.ok_or_else(|| ContextError::invalid("after", "the `next` of a page", text))
    }
}

enum Found {
    Here(Box<Head>),
    Nothing,
    /// The messages up to this seq do not hold it, and no more may be looked at.
    NotYet(u64),
}

struct Search<'s> {
    ledger: &'s mut dyn Ledger,
    engine: &'s Engine,
    wanted: String,
    /// The contexts and messages that may still be looked at.
    entries: usize,
    /// The bytes that may still be looked at.
    bytes: usize,
    begin: Cursor,
}

impl Search<'_> {
    fn is_spent(&self) -> bool {
        self.entries == 0 || self.bytes == 0
    }

    fn spend(&mut self, bytes: usize) {
        self.entries = self.entries.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    fn holds(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.wanted)
    }

    fn context(&mut self, row: Row) -> Outcome<Found> {
        let within = self.begin.within.filter(|(place, _)| *place == row.place);
        let head = Box::new(headed(self.ledger, row.clone())?);
        if within.is_none()
            && (head.title().is_some_and(|title| self.holds(title)) || self.topic(&row)?)
        {
            return Ok(Found::Here(head));
        }
        let mut seq = within.map_or(0, |(_, seq)| seq);
        loop {
            let messages = self.ledger.messages(&row, seq, ROWS)?;
            if messages.is_empty() {
                return Ok(Found::Nothing);
            }
            for message in messages {
                if self.is_spent() {
                    return Ok(Found::NotYet(seq));
                }
                let text = self.engine.vault.open_message(&message.kept)?;
                self.spend(text.len());
                if text_of(&text).is_some_and(|text| self.holds(&text)) {
                    return Ok(Found::Here(head));
                }
                seq = message.seq;
            }
        }
    }

    /// Reports whether the topic of a context holds the text.
    fn topic(&mut self, row: &Row) -> Outcome<bool> {
        let kept = self.ledger.state(row.place)?;
        self.spend(kept.text.len());
        let state = self.engine.vault.open_state(&kept)?;
        Ok(state.get("currentTopic").and_then(Value::as_str).is_some_and(|topic| self.holds(topic)))
    }
}

/// Returns the text of a message, if it has one.
fn text_of(message: &str) -> Option<String> {
    let mut message: Value = json::read(message.as_bytes()).ok()?;
    match message.get_mut("content")?.get_mut("text")?.take() {
        Value::String(text) => Some(text),
        _ => None,
    }
}
