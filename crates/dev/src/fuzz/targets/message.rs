//! Messages of the context protocol.

use super::hold;
use contexture_protocol::{Batch, Draft, Limits, Message, Refusal, canonical};
use serde_json::Value;

pub(super) const WORDS: &[&str] = &[
    "\"messageId\":",
    "\"timestamp\":\"2026-01-01T00:00:00Z\"",
    "\"type\":\"USER_INPUT\"",
    "\"sender\":{\"id\":\"a\",\"type\":\"USER\"}",
    "\"content\":{\"text\":\"x\"}",
    "\"contextId\":",
    "\"metadata\":{}",
    "CONTEXT_UPDATE",
    "TOOL_CALL_REQUEST",
    "[",
    "]",
    "{",
    "}",
    "\\u0000",
    "\\ud83d\\ude00",
    "1e400",
    "0.1",
    "-0",
    "null",
    "12345678901234567890",
];

pub(super) fn message(input: &[u8]) -> Result<String, String> {
    let draft = Draft::parse(input, &Limits::FILE).is_ok();
    let read = match Batch::parse(input, &Limits::WIRE) {
        Ok(Batch::One(message)) => vec![*message],
        Ok(Batch::Many(messages)) => messages,
        Err(refusal) => vec![Err(refusal)],
    };
    let whole: Option<Value> = serde_json::from_slice(input).ok();
    let mut seen = Vec::new();
    for (at, read) in read.iter().enumerate() {
        match read {
            Ok(message) => {
                let written = match &whole {
                    Some(Value::Array(items)) => items.get(at),
                    whole => whole.as_ref(),
                };
                same(message, written)?;
                seen.push(message.kind().to_owned());
            }
            Err(refusal) => seen.push(refused(refusal)?),
        }
    }
    seen.sort();
    seen.dedup();
    Ok(format!("{draft} {}", seen.join(" ")))
}

/// Checks that a message says what was written, and is read back.
fn same(message: &Message, written: Option<&Value>) -> Result<(), String> {
    let value = message.to_value();
    let canon = canonical(&value);
    if let Some(written) = written {
        hold(canonical(written) == canon, || format!("a message says something else: {canon}"))?;
    }
    let again: Value = serde_json::from_str(&canon)
        .map_err(|error| format!("the canon is not read back: {error}: {canon}"))?;
    hold(canonical(&again) == canon, || format!("the canon is not stable: {canon}"))?;
    let text = message.to_json();
    let again = Message::parse(text.as_bytes(), &Limits::WIRE)
        .map_err(|refusal| format!("own JSON is refused: {refusal:?}: {text}"))?;
    hold(again == *message, || format!("own JSON is read back otherwise: {text}"))?;
    hold(again.identity() == message.identity(), || format!("another identity: {text}"))
}

fn refused(refusal: &Refusal) -> Result<String, String> {
    let most = Limits::WIRE.violations;
    hold(refusal.violations.len() <= most, || "too many faults are listed".to_owned())?;
    for violation in &refusal.violations {
        let is_pointer = violation.pointer.is_empty() || violation.pointer.starts_with('/');
        hold(is_pointer, || format!("not a pointer: {:?}", violation.pointer))?;
    }
    let first: Option<String> =
        refusal.violations.first().map(|one| one.expected.chars().take(16).collect());
    Ok(format!("{:?} {}", refusal.code, first.unwrap_or_default()))
}
