//! The token costs of a conversation (PT-11).

use crate::layout::ItemSpan;
use crate::message::{OpenaiChatMessage, Role};
use contexture_context::TokenCounter;
use serde::Serialize;

/// The tokens of a conversation's texts, without the provider's own tokens around messages and
/// without other parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TokenReport {
    /// The tokenizer used.
    pub tokenizer: String,
    /// False if it replaces one that is not public.
    pub exact: bool,
    /// Tokens of all messages.
    pub total: u64,
    /// Tokens per message, in order.
    pub messages: Vec<MessageTokens>,
    /// Tokens per context item, in order.
    pub items: Vec<ItemTokens>,
}

/// The tokens of one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageTokens {
    /// The speaker.
    pub role: Role,
    /// Tokens of its texts.
    pub tokens: u64,
    /// True if it has other parts than text, which are not counted.
    pub has_other_parts: bool,
}

/// The tokens of one context item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ItemTokens {
    /// The index of its message, from 0.
    pub message: usize,
    /// Its label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its source.
    pub source: String,
    /// The tokens of its text, including fence and marker.
    pub tokens: u64,
    /// The tokens of its whole section, including label and source lines.
    pub section_tokens: u64,
}

#[derive(Debug, Clone)]
pub(super) struct PlacedItem {
    pub(super) message: usize,
    pub(super) label: Option<String>,
    pub(super) source: String,
    pub(super) span: ItemSpan,
}

pub(super) fn report(
    messages: &[OpenaiChatMessage],
    items: &[PlacedItem],
    counter: &dyn TokenCounter,
) -> TokenReport {
    let count = |text: &str| counter.count(text) as u64;
    let texts: Vec<_> = messages.iter().map(OpenaiChatMessage::text).collect();
    let messages: Vec<_> = messages
        .iter()
        .zip(&texts)
        .map(|(message, text)| MessageTokens {
            role: message.role,
            tokens: count(text),
            has_other_parts: message.content.as_ref().is_some_and(|said| !said.is_text_only()),
        })
        .collect();
    let items = items.iter().map(|placed| {
        let text = texts.get(placed.message).map_or("", AsRef::as_ref);
        let part = |range: std::ops::Range<usize>| count(text.get(range).unwrap_or_default());
        ItemTokens {
            message: placed.message,
            label: placed.label.clone(),
            source: placed.source.clone(),
            tokens: part(placed.span.text.clone()),
            section_tokens: part(placed.span.section.clone()),
        }
    });
    TokenReport {
        tokenizer: counter.name().to_owned(),
        exact: counter.exact(),
        total: messages.iter().map(|message| message.tokens).sum(),
        items: items.collect(),
        messages,
    }
}
