//! How to mend messages that stand in an order that providers refuse (PT-10).
//!
//! Decision: the error names the rule in its text alone, so the mend is found by the words of the
//! rule; a test asks for every rule.

/// Words of a rule, and what mends a breach of it in a list of messages.
const MENDS: [(&str, &str); 8] = [
    ("no messages", "begin with `- role: user` and its `text`"),
    ("in a row", "make one message of the two, or put one of another role between them"),
    ("only an assistant message", "move `tool_calls` to a message with `role: assistant`"),
    (
        "no assistant message that calls tools",
        "put a message with `role: assistant` and `tool_calls` before it",
    ),
    ("without a tool_call_id", "give it the `tool_call_id` of the call that it answers"),
    ("does not make", "give it the id of one of these calls as `tool_call_id`"),
    ("a second time", "remove one of the two answers, or mend its `tool_call_id`"),
    ("not answered", "put a message with `role: tool` and this `tool_call_id` after the call"),
];

/// The mend for an error of the sequence.
pub(super) fn help(error: &str) -> &'static str {
    let found = MENDS.iter().find(|(rule, _)| error.contains(rule));
    found.map_or("`contexture explain PT4001` tells the rules", |(_, mend)| mend)
}
