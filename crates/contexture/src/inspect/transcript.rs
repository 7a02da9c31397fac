//! A context as Markdown, for people to read and to keep (IN-12).
//!
//! Decision: what somebody said is quoted line by line, and all else stands in fences that its own text
//! can't end, so no message passes for a heading or for another one.

use contexture_store::contexts::{ContextError, ContextStore, Head, Key, StoredMessage};
use contexture_store::stamp::iso_time;
use serde_json::Value;
use std::fmt::Write as _;

/// The messages that are read at once.
const PAGE: usize = 500;

/// Returns a whole context as Markdown, or `None` when that takes more than so many bytes.
///
/// # Errors
/// [`ContextError::NotFound`], or an error of reading.
pub fn transcript(
    store: &dyn ContextStore,
    key: Key<'_>,
    most: usize,
) -> Result<Option<String>, ContextError> {
    let mut text = transcript_head(&store.head(key)?);
    let mut after = 0;
    loop {
        let page = store.messages(key, after, PAGE)?;
        for message in &page.messages {
            text.push_str(&transcript_message(message, key.context));
            if text.len() > most {
                return Ok(None);
            }
        }
        match page.next {
            Some(next) => after = next,
            None => return Ok(Some(text)),
        }
    }
}

/// Returns the head of a transcript: the title, and where it is from.
#[must_use]
pub fn transcript_head(head: &Head) -> String {
    let title = head.title().unwrap_or(&head.context_id);
    format!(
        "# {}\n\n{} · {} · version {} · {}\n",
        plain(title),
        code(&head.context_id),
        plain(&head.owner),
        head.version,
        iso_time(head.creation_us),
    )
}

/// Returns a message of a transcript: who sent it when, and its text, or its content as JSON.
#[must_use]
pub fn transcript_message(message: &StoredMessage, context: &str) -> String {
    let value = message.to_value(context);
    let word = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (kind, content) = (word("/type"), value.get("content"));
    let sender = Some(word("/sender/id")).filter(|sender| !sender.is_empty()).unwrap_or(kind);
    let mut text = format!("\n## {}\n\n", plain(sender));
    let _ = writeln!(
        text,
        "{kind} · {} · {}\n",
        plain(word("/timestamp")),
        code(word("/messageId")),
        kind = plain(kind)
    );
    match content.and_then(|content| content.get("text")).and_then(Value::as_str) {
        Some(said) => said.lines().for_each(|line| {
            text.push_str(if line.is_empty() { ">" } else { "> " });
            text.push_str(line);
            text.push('\n');
        }),
        None => {
            let json = content.map(|content| format!("{content:#}")).unwrap_or_default();
            let fence = "`".repeat(longest_run(&json).max(2) + 1);
            let _ = writeln!(text, "{fence}json\n{json}\n{fence}");
        }
    }
    text
}

/// Writes a text into a line so that no sign of it is Markdown.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\n' | '\r' => shown.push(' '),
            sign if sign.is_ascii_punctuation()
                && !matches!(sign, '.' | ',' | ':' | '-' | '/' | '@') =>
            {
                shown.push('\\');
                shown.push(sign);
            }
            sign => shown.push(sign),
        }
    }
    shown
}

/// Writes a text as code within a line.
fn code(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text) + 1);
    let text = text.replace(['\n', '\r'], " ");
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|sign| sign != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(value: &Value) -> String {
        let text = value.to_string();
        transcript_message(
            &StoredMessage { seq: 1, version: 1, time_us: 0, text: text.into() },
            "ctx_1",
        )
    }

    #[test]
    fn in_12_message_of_transcript_is_quoted_whatever_it_says() {
        let said = serde_json::json!({
            "messageId": "m`1", "timestamp": "2026-07-30T09:01:00Z", "type": "USER_INPUT",
            "sender": { "id": "ada\n# [x](y)", "type": "USER" },
            "content": { "text": "# 标题\n\n```\nnot a fence" },
        });
        assert_eq!(
            message(&said),
            "\n## ada \\# \\[x\\]\\(y\\)\n\nUSER\\_INPUT · 2026-07-30T09:01:00Z · ``m`1``\n\n\
             > # 标题\n>\n> ```\n> not a fence\n"
        );
    }

    #[test]
    fn in_12_content_without_text_stands_in_fence_that_it_can_not_end() {
        let called = serde_json::json!({
            "messageId": "m2", "timestamp": "t", "type": "TOOL_CALL_REQUEST",
            "sender": { "id": "Helper", "type": "MODEL" },
            "content": { "calls": [{ "code": "````js" }] },
        });
        let text = message(&called);
        let fence = "`````";
        assert!(text.contains(&format!("{fence}json\n{{\n")), "{text}");
        assert!(text.ends_with(&format!("\n}}\n{fence}\n")), "{text}");
    }
}
