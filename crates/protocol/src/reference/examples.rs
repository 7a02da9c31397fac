//! An example of each message.

use serde_json::Value;

const EXAMPLES: &str = include_str!("examples.json");

/// Returns a whole message of this type, as text.
#[must_use]
pub fn example(kind: &str) -> Option<String> {
    let all: Value = serde_json::from_str(EXAMPLES).ok()?;
    serde_json::to_string_pretty(all.get(kind)?).ok()
}
