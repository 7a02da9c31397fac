//! Holding things against the limits.

use super::engine::Engine;
use super::ledger::Outcome;
use contexture_core::store::contexts::ContextError;
use serde_json::{Map, Value};

/// Checks that an id is present and not too long.
pub(super) fn id(engine: &Engine, what: &'static str, id: &str) -> Outcome<()> {
    if id.is_empty() {
        return Err(ContextError::invalid(what, "a text that is not empty", "an empty text"));
    }
    within(what, id.len(), "bytes", engine.limits.id_bytes)
}

pub(super) fn line(what: &'static str, id: &str) -> Outcome<()> {
    if id.chars().any(char::is_control) {
        return Err(ContextError::invalid(what, "an id", "one with control characters"));
    }
    Ok(())
}

/// Checks that a number is not above its limit.
pub(super) fn within(
    what: &'static str,
    found: usize,
    unit: &'static str,
    limit: usize,
) -> Outcome<()> {
    if found <= limit {
        return Ok(());
    }
    Err(ContextError::TooLarge { what, found: found as u64, unit, limit: limit as u64 })
}

/// Checks that a text of JSON does not nest too deep, by its brackets: it is not parsed.
pub(super) fn text_depth(engine: &Engine, what: &'static str, text: &str) -> Outcome<()> {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    within(what, deepest, "levels", engine.limits.depth)
}

pub(super) fn metadata(engine: &Engine, metadata: &Map<String, Value>) -> Outcome<String> {
    if metadata.is_empty() {
        return Ok("{}".to_owned());
    }
    let text = serde_json::to_string(metadata)
        .map_err(|error| ContextError::invalid("metadata", "JSON", &error.to_string()))?;
    within("the metadata", text.len(), "bytes", engine.limits.metadata_bytes)?;
    text_depth(engine, "the metadata", &text)?;
    Ok(text)
}
