//! Contexts as JSON lines (CP-9, CP-10): format `contexture-context/1`.
//!
//! The first value is the context as in 8.1 with its `version`, `messageCount` and `format`, the
//! others are its messages, one on each line. An object as in 8.1 with `messages` inside is read as
//! well, on one line or many. Fields of the context that are not named in 8.1 are not kept.
//!
//! Decisions: everything is read and checked before the first row is written, and `messageCount`
//! shows that a file was cut off. An export comes back as it was: with its times, and its messages
//! in the places that they had, when these ascend.

use super::copy::free_id;
use super::engine::{Engine, require};
use super::ledger::{Ledger, MessageRow, Outcome, Row};
use super::read::{described, headed, page};
use super::{apply, limit};
use contexture_context::json::kind;
use contexture_core::store::contexts::{ContextError, Head, Import, Key, Origin, Review, complete};
use contexture_core::store::labelled::LABEL;
use contexture_core::store::reason;
use contexture_protocol::{ErrorCode, Limits, Message, Refusal, parse_value};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io::{BufRead, Read as _, Write};
use std::sync::Arc;

/// By how much the clock of the machine that exported may be ahead of this one's: a day.
const SKEW_US: u64 = 24 * 60 * 60 * 1_000_000;

/// No place of a message in an import is above this: half of what a context has room for.
const LAST_PLACE: u64 = 1 << 35;

/// The name of the export format.
const FORMAT: &str = "contexture-context/1";

pub(super) fn export(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    key: Key<'_>,
    out: &mut dyn Write,
) -> Outcome<u64> {
    let row = require(ledger, key)?;
    let mut header = described(ledger, engine, &row)?;
    header.insert("messageCount".to_owned(), row.messages.into());
    header.insert("format".to_owned(), FORMAT.into());
    line(out, &Value::Object(header))?;
    let (mut after, mut count) = (0, 0);
    loop {
        let page = page(ledger, engine, &row, after, engine.limits.page)?;
        for message in &page.messages {
            line(out, &message.to_value(&row.context_id))?;
            count += 1;
        }
        let Some(next) = page.next else { break };
        after = next;
    }
    out.flush().map_err(|error| io("the export", &error))?;
    Ok(count)
}

fn line(out: &mut dyn Write, value: &Value) -> Outcome<()> {
    writeln!(out, "{value}").map_err(|error| io("the export", &error))
}

fn io(path: &str, error: &std::io::Error) -> ContextError {
    ContextError::Io { path: path.to_owned(), reason: reason(error) }
}

/// A context that was read and is as it should be.
pub(super) struct ImportBatch {
    owner: String,
    context_id: String,
    creation_us: u64,
    last_update_us: u64,
    version: u64,
    state: Value,
    metadata: Map<String, Value>,
    messages: Vec<Taken>,
}

/// A message that was read.
struct Taken {
    id: String,
    /// The place that it had, as it reports itself.
    seq: Option<u64>,
    text: Arc<str>,
    instant: Option<i64>,
}

/// The limits of a value in a file; the store's own limits apply to what is read from it.
const VALUE: Limits = Limits { depth: 1_000, ..Limits::FILE };

pub(super) fn read(
    engine: &Engine,
    owner: &str,
    input: &mut dyn BufRead,
    import: Import,
) -> Outcome<ImportBatch> {
    let text = text(engine, input)?;
    let mut values = Values { text: text.trim_start_matches('\u{feff}'), line: 1 };
    let Some((header, line)) = values.next()? else {
        return fault(1, "expected a context, found nothing");
    };
    let mut reader = Reader::begin(engine, owner, header, line, import)?;
    while let Some((value, line)) = values.next()? {
        reader.message(value, line)?;
    }
    reader.end(values.line)
}

fn text(engine: &Engine, input: &mut dyn BufRead) -> Outcome<String> {
    let most = engine.limits.import_bytes;
    let mut bytes = Vec::new();
    let read = input.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| io("the import", &error))?;
    let found = bytes.len() as u64;
    if found > most {
        let what = "an import";
        return Err(ContextError::TooLarge { what, found, unit: "bytes", limit: most });
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        ContextError::Import { line: 1 + breaks(good), reason: "it is not UTF-8".to_owned() }
    })
}

fn breaks(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

fn fault<T>(line: u64, reason: impl Into<String>) -> Outcome<T> {
    Err(ContextError::Import { line, reason: reason.into() })
}

/// JSON values behind each other, with their lines.
struct Values<'t> {
    text: &'t str,
    line: u64,
}

impl Values<'_> {
    fn next(&mut self) -> Outcome<Option<(Value, u64)>> {
        let rest = self.text.trim_ascii_start();
        self.skip(self.text.len() - rest.len());
        if self.text.is_empty() {
            return Ok(None);
        }
        let mut stream = serde_json::Deserializer::from_str(self.text).into_iter::<IgnoredAny>();
        match stream.next() {
            Some(Ok(_)) => {
                let (line, length) = (self.line, stream.byte_offset());
                let text = self.text.get(..length).unwrap_or_default();
                let value = parse_value(text.as_bytes(), &VALUE);
                let value = value.or_else(|refusal| misread(line, &refusal))?;
                self.skip(length);
                Ok(Some((value, line)))
            }
            Some(Err(error)) => {
                let line = self.line + (error.line() as u64).saturating_sub(1);
                fault(line, told(&error))
            }
            None => Ok(None),
        }
    }

    fn skip(&mut self, length: usize) {
        let (head, rest) = self.text.split_at_checked(length).unwrap_or((self.text, ""));
        self.line += breaks(head.as_bytes());
        self.text = rest;
    }
}

/// Returns the error of a value whose JSON is whole and yet can't be taken.
fn misread<T>(begin: u64, refusal: &Refusal) -> Outcome<T> {
    let number = |name: &str| refusal.details.get(name).and_then(Value::as_u64);
    let line = begin + number("line").unwrap_or(1).saturating_sub(1);
    let reason = refusal.message.split(" at line ").next().unwrap_or_default();
    match number("column") {
        Some(column) => fault(line, format!("{reason}, column {column}")),
        None => fault(line, reason),
    }
}

fn told(error: &serde_json::Error) -> String {
    let mut text = error.to_string();
    text.truncate(text.find(" at line ").unwrap_or(text.len()));
    format!("{text}, column {}", error.column())
}

struct Reader<'e> {
    engine: &'e Engine,
    batch: ImportBatch,
    /// The sender of messages that name none.
    user: String,
    /// The number of messages that the header names.
    count: Option<u64>,
    /// The line of each messageId.
    lines: HashMap<String, u64>,
    review: Option<Review>,
}

impl<'e> Reader<'e> {
    fn begin(
        engine: &'e Engine,
        owner: &str,
        header: Value,
        line: u64,
        import: Import,
    ) -> Outcome<Self> {
        let Value::Object(mut header) = header else {
            return fault(line, format!("expected a context, found {}", kind(&header)));
        };
        if header.contains_key("messageId") && header.contains_key("type") {
            return fault(line, "expected a context, found a message: the context comes first");
        }
        let mut fields = Fields { map: &mut header, line };
        fields.format()?;
        let named = fields.text("contextId")?;
        let state = Value::Object(fields.object("state")?);
        let metadata = fields.object("metadata")?;
        let created = fields.time("creationTime")?;
        let updated = fields.time("lastUpdateTime")?;
        let version = fields.number("version")?.unwrap_or(1).max(1);
        let count = fields.number("messageCount")?;
        let messages = fields.list("messages")?;
        let user = metadata.get("userId").and_then(Value::as_str).unwrap_or(owner).to_owned();
        let context_id = import.context_id.or(named).unwrap_or_else(|| engine.context_id());
        let now = engine.now_us();
        if created.is_some_and(|created| created > now.saturating_add(SKEW_US)) {
            return fault(line, "creationTime: expected a time that has passed");
        }
        // A clock that is a little ahead elsewhere must not lead this one's (CP-11).
        let creation_us = created.map_or(now, |created| created.min(now));
        let last_update_us = updated.map_or(now, |updated| updated.min(now)).max(creation_us);
        let batch = ImportBatch {
            owner: owner.to_owned(),
            context_id,
            creation_us,
            last_update_us,
            version,
            state,
            metadata,
            messages: Vec::new(),
        };
        let (lines, review) = (HashMap::new(), import.review);
        let mut reader = Self { engine, batch, user, count, lines, review };
        reader.check(line)?;
        for message in messages {
            reader.message(message, line)?;
        }
        Ok(reader)
    }

    /// Holds what is not a message against the limits.
    fn check(&self, line: u64) -> Outcome<()> {
        let (engine, batch) = (self.engine, &self.batch);
        let text = batch.state.to_string();
        let within = limit::id(engine, "contextId", &batch.context_id)
            .and_then(|()| limit::line("contextId", &batch.context_id))
            .and_then(|()| {
                limit::within("owner", batch.owner.len(), "bytes", engine.limits.id_bytes)
            })
            .and_then(|()| limit::metadata(engine, &batch.metadata).map(drop))
            .and_then(|()| {
                limit::within("the state", text.len(), "bytes", engine.limits.state_bytes)
            })
            .and_then(|()| limit::text_depth(engine, "the state", &text));
        within.or_else(|error| fault(line, error.to_string()))
    }

    fn message(&mut self, value: Value, line: u64) -> Outcome<()> {
        let Value::Object(mut message) = value else {
            return fault(line, format!("expected a message, found {}", kind(&value)));
        };
        for name in ["messageId", "type"] {
            match message.get(name) {
                Some(Value::String(text)) if !text.is_empty() => {}
                Some(Value::String(_)) => return fault(line, format!("{name} is an empty text")),
                Some(other) => {
                    return fault(line, format!("{name}: expected a text, found {}", kind(other)));
                }
                None => return fault(line, format!("a message without {name}")),
            }
        }
        match message.get("content") {
            Some(Value::Object(_)) => {}
            Some(other) => {
                return fault(line, format!("content: expected an object, found {}", kind(other)));
            }
            None => return fault(line, "a message without content"),
        }
        // A label is this store's own word.
        message.remove(LABEL);
        let ImportBatch { context_id, creation_us, .. } = &self.batch;
        complete(&mut message, context_id, *creation_us, &self.user);
        message.insert("contextId".to_owned(), context_id.as_str().into());
        let mut text = Value::Object(message.clone()).to_string();
        let engine = self.engine;
        limit::within("a message", text.len(), "bytes", engine.limits.message_bytes)
            .and_then(|()| limit::text_depth(engine, "a message", &text))
            .or_else(|error| fault(line, error.to_string()))?;
        let limits = Limits { depth: engine.limits.depth, ..Limits::FILE };
        let refused = |refusal| ContextError::ImportedMessage { line, refusal };
        let whole = Message::from_value(Value::Object(message), &limits).map_err(refused)?;
        let origin = self.review.as_ref().map_or(Ok(Origin::Own), |review| review(&whole));
        if origin.map_err(refused)? == Origin::Foreign {
            text = whole.clone().with_meta("imported", true).to_json();
        }
        if let Some(first) = self.lines.insert(whole.message_id.clone(), line) {
            let id = &whole.message_id;
            let told = format!("the messageId `{id}` stands in line {first} as well");
            let refusal = Refusal::new(ErrorCode::MessageIdConflict, told);
            return Err(refused(refusal.into()));
        }
        let instant = apply::instant(whole.timestamp.as_str());
        let seq = whole.meta("seq").and_then(Value::as_u64);
        self.batch.messages.push(Taken { id: whole.message_id, seq, text: text.into(), instant });
        Ok(())
    }

    fn end(self, line: u64) -> Outcome<ImportBatch> {
        let found = self.batch.messages.len() as u64;
        match self.count {
            Some(count) if count != found => {
                let cut = if found < count { ": it was cut off" } else { "" };
                let told = format!("expected {count} messages (messageCount), found {found}{cut}");
                fault(line, told)
            }
            _ => Ok(self.batch),
        }
    }
}

struct Fields<'m> {
    map: &'m mut Map<String, Value>,
    line: u64,
}

impl Fields<'_> {
    fn take(&mut self, name: &str) -> Option<Value> {
        self.map.remove(name).filter(|value| !value.is_null())
    }

    fn wrong<T>(&self, name: &str, expected: &str, found: &Value) -> Outcome<T> {
        fault(self.line, format!("{name}: expected {expected}, found {}", kind(found)))
    }

    fn format(&mut self) -> Outcome<()> {
        match self.take("format") {
            None => Ok(()),
            Some(Value::String(format)) if format == FORMAT => Ok(()),
            Some(other) => {
                fault(self.line, format!("format: expected \"{FORMAT}\", found {other}"))
            }
        }
    }

    fn text(&mut self, name: &str) -> Outcome<Option<String>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => self.wrong(name, "a text", &other),
        }
    }

    fn object(&mut self, name: &str) -> Outcome<Map<String, Value>> {
        match self.take(name) {
            None => Ok(Map::new()),
            Some(Value::Object(map)) => Ok(map),
            Some(other) => self.wrong(name, "an object", &other),
        }
    }

    fn list(&mut self, name: &str) -> Outcome<Vec<Value>> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => self.wrong(name, "a list", &other),
        }
    }

    fn number(&mut self, name: &str) -> Outcome<Option<u64>> {
        match self.take(name) {
            None => Ok(None),
            Some(value) => match value.as_u64().filter(|number| *number <= 1 << 53) {
                Some(number) => Ok(Some(number)),
                None => self.wrong(name, "a whole number up to 2^53", &value),
            },
        }
    }

    fn time(&mut self, name: &str) -> Outcome<Option<u64>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let micros = apply::instant(&text).and_then(|nanos| u64::try_from(nanos / 1_000).ok());
        match micros {
            Some(micros) => Ok(Some(micros)),
            None => fault(self.line, format!("{name}: expected a time since 1970, found {text:?}")),
        }
    }
}

/// Returns the places of the messages: those that they had when these go up, else 1, 2, 3 ….
fn places(messages: &[Taken]) -> Vec<u64> {
    let had: Option<Vec<u64>> = messages.iter().map(|message| message.seq).collect();
    let goes_up = |places: &Vec<u64>| {
        let mut last = 0;
        places.iter().all(|place| std::mem::replace(&mut last, *place) < *place)
            && last <= LAST_PLACE
    };
    had.filter(goes_up).unwrap_or_else(|| (1..).take(messages.len()).collect())
}

pub(super) fn import(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    batch: &ImportBatch,
) -> Outcome<Head> {
    let context_id = free_id(ledger, engine, &batch.owner, Some(&batch.context_id))?;
    let now = engine.now_us();
    let places = places(&batch.messages);
    let mut row = Row {
        place: 0,
        context_id,
        owner: batch.owner.clone(),
        creation_us: batch.creation_us,
        last_update_us: batch.last_update_us,
        version: batch.version,
        oldest: batch.version,
        last_seq: places.last().copied().unwrap_or_default(),
        messages: places.len() as u64,
        cleared_through: 0,
    };
    let state = engine.vault.state(&batch.state)?;
    row.place = ledger.insert(&row, &state, &limit::metadata(engine, &batch.metadata)?)?;
    let messages = (1_u64..).zip(places).zip(&batch.messages);
    for ((index, seq), Taken { id, text, instant, .. }) in messages {
        let message = MessageRow {
            seq,
            version: row.version,
            index,
            instant: *instant,
            cause: None,
            time_us: now,
            kept: engine.vault.message(text)?,
        };
        ledger.add_message(row.place, &message)?;
        ledger.take_id(&row, id)?;
    }
    headed(ledger, row)
}
