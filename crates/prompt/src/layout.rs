//! The layout of a prompt: identity, context, instruction and contract in their places (AS-20,
//! PT-11).
//!
//! The system message contains the identity; one user message contains the rest, its parts
//! separated by one blank line:
//!
//! ```text
//! Context:
//! [user question]
//! source: input.question
//! What is a fence?
//!
//! [1]
//! source: docs.summary
//! A fence is …
//!
//! Instruction:
//! Answer the question.
//!
//! Answer with …
//! ```
//!
//! Decision: an item's text is inserted unchanged, since budgets and digests are about that text;
//! it was made harmless when the item was built. Labels and sources are kept on one line here,
//! whatever they contain.

use crate::message::{OpenaiChatMessage, Role};
use contexture_context::ContextItem;
use std::borrow::Cow;
use std::ops::Range;

/// The parts of one prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct PromptParts<'a> {
    /// The role of the model: `You are {role}.`
    pub role: Option<&'a str>,
    /// Further identity of the model.
    pub description: Option<&'a str>,
    /// The context, in the order of the prompt.
    pub items: &'a [ContextItem],
    /// The task.
    pub instruction: &'a str,
    /// The form of its answer; none if any text is accepted.
    pub contract: Option<&'a str>,
}

/// A formatted prompt, with the places of its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct LaidOut {
    /// The messages: a system message if there is an identity, and a user message.
    pub messages: Vec<OpenaiChatMessage>,
    /// The text of the system message.
    pub system: Option<String>,
    /// The text of the user message.
    pub user: String,
    /// The places of the items in `user`; those that were cut completely have none.
    pub items: Vec<ItemSpan>,
    /// The place of the instruction in `user`.
    pub instruction: Range<usize>,
    /// The place of the contract in `user`.
    pub contract: Option<Range<usize>>,
}

impl LaidOut {
    /// Returns the places in `user` of all item texts, of the instruction and of the contract, in
    /// order: the separate pieces of a manifest.
    #[must_use]
    pub fn spans(&self) -> Vec<Range<usize>> {
        let items = self.items.iter().map(|item| item.text.clone());
        items.chain([self.instruction.clone()]).chain(self.contract.clone()).collect()
    }
}

/// The place of one item in the text of its message, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemSpan {
    /// The index of the item in the list.
    pub item: usize,
    /// The whole section, from the label on.
    pub section: Range<usize>,
    /// Its text.
    pub text: Range<usize>,
}

/// Formats one prompt (AS-20).
///
/// ```
/// use contexture_prompt::layout::{PromptParts, lay_out};
///
/// let parts = PromptParts {
///     role: Some("a careful editor"),
///     instruction: "Correct this: teh",
///     contract: Some("Answer with one word."),
///     ..PromptParts::default()
/// };
/// let prompt = lay_out(&parts);
/// assert_eq!(prompt.system.as_deref(), Some("You are a careful editor."));
/// assert_eq!(prompt.user, "Instruction:\nCorrect this: teh\n\nAnswer with one word.");
/// assert_eq!(&prompt.user[prompt.instruction.clone()], "Correct this: teh");
/// ```
#[must_use]
pub fn lay_out(parts: &PromptParts<'_>) -> LaidOut {
    let system = identity(parts.role, parts.description);
    let (mut user, items) = context_section(parts.items);
    separate(&mut user);
    user.push_str("Instruction:\n");
    let instruction = append(&mut user, parts.instruction);
    let contract = parts.contract.filter(|text| !text.trim().is_empty());
    let contract = contract.map(|text| {
        separate(&mut user);
        append(&mut user, text)
    });
    let identity = system.iter().map(|text| OpenaiChatMessage::of_text(Role::System, text));
    let request = OpenaiChatMessage::of_text(Role::User, user.as_str());
    let messages = identity.chain([request]).collect();
    LaidOut { messages, system, user, items, instruction, contract }
}

/// Returns `You are {role}.` with the description on the next line.
fn identity(role: Option<&str>, description: Option<&str>) -> Option<String> {
    let given =
        |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let role = given(role).map(|role| format!("You are {role}."));
    match (role, given(description)) {
        (Some(role), Some(description)) => Some(format!("{role}\n{description}")),
        (role, description) => role.or(description),
    }
}

/// Returns the context section of these items with their places in it; empty if there are none.
pub(crate) fn context_section(items: &[ContextItem]) -> (String, Vec<ItemSpan>) {
    let mut text = String::new();
    let mut spans = Vec::new();
    for (at, item) in items.iter().enumerate().filter(|(_, item)| !item.left_out()) {
        if text.is_empty() {
            text.push_str("Context:\n");
        } else {
            separate(&mut text);
        }
        let start = text.len();
        match item.label.as_deref().map(one_line).filter(|label| !label.is_empty()) {
            Some(label) => text.push_str(&format!("[{label}]\n")),
            None => text.push_str(&format!("[{}]\n", item.index)),
        }
        text.push_str(&format!("source: {}", one_line(&item.source)));
        if !item.text.is_empty() {
            text.push('\n');
        }
        let inner = append(&mut text, &item.text);
        spans.push(ItemSpan { item: at, section: start..inner.end, text: inner });
    }
    (text, spans)
}

/// Leaves one blank line after the text so far. Line ends at the end of that text count.
fn separate(text: &mut String) {
    let ends = text.bytes().rev().filter(|byte| *byte != b'\r').take_while(|byte| *byte == b'\n');
    let missing = if text.is_empty() { 0 } else { 2_usize.saturating_sub(ends.take(2).count()) };
    text.extend(std::iter::repeat_n('\n', missing));
}

fn append(text: &mut String, part: &str) -> Range<usize> {
    let start = text.len();
    text.push_str(part);
    start..text.len()
}

/// Puts a label or source on one line: a program may use any string, and a second line would be
/// taken for layout.
fn one_line(text: &str) -> Cow<'_, str> {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if text.contains(breaks) {
        let words = text.split(|c: char| breaks(c) || c.is_whitespace());
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        return Cow::Owned(words.join(" "));
    }
    Cow::Borrowed(text.trim())
}

#[cfg(test)]
mod tests;
