//! The fence around an untrusted text, and the escapes of its text.

use super::{held, lines, look, tags};
use crate::trust::Trust;
use std::borrow::Cow;
use std::sync::Arc;

/// The tag of the general fence.
pub const DATA_TAG: &str = "untrusted_data";

/// A name that is not valid for a fence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` can't name a fence or its attribute: expected small letters, digits, `_` and `-`, \
     beginning with a letter (attributes may have any letters)"
)]
pub struct FenceError {
    /// The given name.
    pub name: String,
}

/// A pair of lines around a text that is only data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    tag: String,
    open: String,
    close: String,
    held: Vec<Arc<str>>,
    /// True if control characters are shown as a sign.
    hides_controls: bool,
}

impl Fence {
    /// Creates a fence with this tag and attributes.
    ///
    /// # Errors
    /// A tag that does not consist of small ASCII letters, digits, `_` and `-`, or an attribute
    /// that does not consist of letters, digits, `_`, `-` and `.`.
    pub fn new(tag: &str, attributes: &[(&str, &str)]) -> Result<Self, FenceError> {
        let mut open = format!("<{}", checked_tag(tag)?);
        for (name, value) in attributes {
            open.push_str(&format!(" {}=\"{}\"", checked_attribute(name)?, attribute(value)));
        }
        open.push('>');
        Ok(Self {
            tag: tag.to_owned(),
            open,
            close: format!("</{tag}>"),
            held: Vec::new(),
            hides_controls: false,
        })
    }

    /// Creates the general fence around data of that trust.
    #[must_use]
    pub fn data(trust: Trust) -> Self {
        Self {
            tag: DATA_TAG.to_owned(),
            open: format!("<{DATA_TAG} trust=\"{trust}\">"),
            close: format!("</{DATA_TAG}>"),
            held: Vec::new(),
            hides_controls: false,
        }
    }

    /// Adds lines after the opening line that explain the text to the reader. They are the
    /// program's own text: they are not escaped and count as part of the fence.
    #[must_use]
    pub fn with_notice(mut self, lines: &[&str]) -> Self {
        for line in lines {
            self.open.push('\n');
            self.open.push_str(line);
        }
        self
    }

    /// Shows characters that command as `U+FFFD`, see [`without_commands`] (MA-11).
    #[must_use]
    pub const fn without_controls(mut self) -> Self {
        self.hides_controls = true;
        self
    }

    /// Adds parts of the text that are in fences of their own: they are not escaped where they
    /// occur whole. One with the same tag is, since its end would look like the end of this one.
    #[must_use]
    pub fn holding(mut self, parts: impl IntoIterator<Item = Arc<str>>) -> Self {
        let own = format!("<{}", self.tag);
        self.held.extend(parts.into_iter().filter(|part| !part.starts_with(&own)));
        self
    }

    /// Returns the name of its tag.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Returns the opening line with its notice, without the last line end.
    #[must_use]
    pub fn open(&self) -> &str {
        &self.open
    }

    /// Returns the closing line.
    #[must_use]
    pub fn close(&self) -> &str {
        &self.close
    }

    /// Returns the text, made harmless, between the two lines.
    #[must_use]
    pub fn wrap(&self, text: &str) -> String {
        let text = self.escape(text);
        let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{}\n{text}{newline}{}", self.open, self.close)
    }

    /// Returns the text between the two lines with only fence-like tags marked: for a text that
    /// keeps its own trust and only must not end the fence (REF-12).
    #[must_use]
    pub fn enclose(&self, text: &str) -> String {
        let text = with_backslashes(text, tags::marks(text, Some(&self.tag), false));
        let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{}\n{text}{newline}{}", self.open, self.close)
    }

    /// Returns the text escaped for this fence. Escaping twice is the same as once.
    #[must_use]
    pub fn escape<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut marks = lines::marks(text, true);
        marks.extend(tags::marks(text, Some(&self.tag), true));
        held::spare(&mut marks, text, &self.held);
        let escaped = with_backslashes(text, marks);
        if self.hides_controls
            && let Cow::Owned(shown) = without_commands(&escaped)
        {
            return Cow::Owned(shown);
        }
        escaped
    }
}

/// Returns a text with `U+FFFD` for control characters other than tabs and line ends, and for those
/// that override the direction of reading: what is printed of it commands no terminal and reads as it
/// is written (MA-11). Embeddings and isolates stay, as texts that run from right to left need them.
#[must_use]
pub fn without_commands(text: &str) -> Cow<'_, str> {
    let commands = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\r' | '\t') || matches!(c, '\u{202d}' | '\u{202e}')
    };
    if text.contains(commands) {
        return Cow::Owned(text.replace(commands, "\u{fffd}"));
    }
    Cow::Borrowed(text)
}

/// Escapes an untrusted text that can't be in a fence, such as an instruction made from data:
/// nothing in it imitates a part of the prompt or the turn of a speaker. `held` are parts in fences
/// of their own, which are not escaped where they occur whole. Escaping twice is the same as once.
#[must_use]
pub fn escape_open<'a>(text: &'a str, held: &[Arc<str>]) -> Cow<'a, str> {
    let mut marks = lines::marks(text, true);
    marks.extend(tags::marks(text, None, true));
    held::spare(&mut marks, text, held);
    with_backslashes(text, marks)
}

/// Escapes the text of an item or instruction outside a fence: it cannot imitate a `[label]`,
/// `Context:` or `Instruction:` line nor the tags of a fence (AS-20). Escaping twice is the same as
/// once.
///
/// Lines are compared by appearance, see the module. A label is a line of only `[…]`; a lone `[` or
/// `[]`, as in JSON, is not.
#[must_use]
pub fn escape_layout(text: &str) -> Cow<'_, str> {
    let mut marks = lines::marks(text, false);
    marks.extend(tags::marks(text, None, false));
    with_backslashes(text, marks)
}

fn with_backslashes(text: &str, mut marks: Vec<usize>) -> Cow<'_, str> {
    if marks.is_empty() {
        return Cow::Borrowed(text);
    }
    marks.sort_unstable();
    marks.dedup();
    let mut out = String::with_capacity(text.len() + marks.len());
    let mut from = 0;
    for mark in marks {
        out.push_str(text.get(from..mark).unwrap_or_default());
        out.push('\\');
        from = mark;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

fn checked_tag(name: &str) -> Result<&str, FenceError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    checked(name, name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_plain))
}

fn checked_attribute(name: &str) -> Result<&str, FenceError> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    checked(name, begins && name.chars().all(is_plain))
}

fn checked(name: &str, is_right: bool) -> Result<&str, FenceError> {
    if is_right { Ok(name) } else { Err(FenceError { name: name.to_owned() }) }
}

/// Escapes a value so that it stays inside its quotes and on its line, and does not look like a
/// tag.
fn attribute(value: &str) -> String {
    let mut out = String::new();
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_whitespace() || c.is_control() || look::turns(c) => out.push(' '),
            c => out.push(c),
        }
    }
    let marks = tags::marks(&out, None, true);
    with_backslashes(&out, marks).into_owned()
}
