//! Tags that look like a fence of ours, and the control tokens and tags of chat formats.

use super::look::{alike, is_blank, is_invisible, is_less, is_square, plain};
use std::str::Chars;

/// How the names of our fences begin, letters and digits alone.
const FENCES: &[&str] = &["untrusteddata", "knowledgepack", "availableknowledgepack"];
/// Tags that chat formats and prompts use to switch the speaker, whole names.
const ROLES: &[&str] = &[
    "system",
    "assistant",
    "user",
    "developer",
    "tool",
    "human",
    "sys",
    "inst",
    "instructions",
    "startofturn",
    "endofturn",
    "s",
    "bos",
    "eos",
];
/// Names of `<|…|>` tokens that are recognised even with blanks inside.
const TOKENS: &[&str] = &[
    "imstart",
    "imend",
    "imsep",
    "endoftext",
    "endofprompt",
    "eotid",
    "eomid",
    "startheaderid",
    "endheaderid",
    "beginoftext",
    "endofturn",
    "startofturn",
    "system",
    "user",
    "assistant",
    "developer",
    "tool",
    "start",
    "end",
    "message",
    "channel",
    "return",
    "call",
    "constrain",
    "fimprefix",
    "fimmiddle",
    "fimsuffix",
];
/// Longest name of a control token, in characters.
const TOKEN_LENGTH: usize = 48;
/// Other spellings of `<`, in small letters.
const SPELLINGS: &[&str] = &["&lt;", "&lt", "&#60;", "&#x3c;", "\\u003c", "\\x3c", "%3c"];

/// Where a backslash belongs: behind the sign that opens each such tag. `own` is the tag of the
/// fence that the text stands in; role markers count only `in_fence`.
pub(super) fn marks(text: &str, own: Option<&str>, in_fence: bool) -> Vec<usize> {
    let own: Option<String> = own.map(|tag| tag.replace(['_', '-'], ""));
    let mut marks = Vec::new();
    for (at, c) in text.char_indices() {
        let Some(opening) = opening(text, at, c) else {
            continue;
        };
        let rest = text.get(opening.end..).unwrap_or_default();
        if rest.starts_with('\\') {
            continue;
        }
        let is_tag = is_fence(&opening, rest, own.as_deref())
            || in_fence && (is_role(&opening, rest) || is_token(&opening, rest));
        if is_tag {
            marks.push(opening.end);
        }
    }
    marks
}

struct Opening {
    end: usize,
    is_square: bool,
}

/// The sign that opens a tag, at `at`.
fn opening(text: &str, at: usize, c: char) -> Option<Opening> {
    if matches!(c, '&' | '\\' | '%') {
        let rest = text.get(at..)?;
        let is = |spelling: &&&str| {
            rest.get(..spelling.len()).is_some_and(|head| head.eq_ignore_ascii_case(spelling))
        };
        let spelling = SPELLINGS.iter().find(is)?;
        return Some(Opening { end: at + spelling.len(), is_square: false });
    }
    let is_square = is_square(c);
    (is_square || is_less(c)).then_some(Opening { end: at + c.len_utf8(), is_square })
}

/// `<untrusted_data`, `</ Untrusted-Data`, `[/untrusted_data`.
fn is_fence(opening: &Opening, rest: &str, own: Option<&str>) -> bool {
    let (is_closing, name) = skip_slash(rest);
    (is_closing || !opening.is_square)
        && FENCES.iter().copied().chain(own).any(|fence| after_name(name, fence).is_some())
}

/// `<system>`, `</s>`, `<<SYS>>`, `[INST]`, `[/INST]`.
fn is_role(opening: &Opening, rest: &str) -> bool {
    let (_, name) = skip_slash(rest);
    let closes = |mut rest: Chars<'_>| {
        let next = rest.find(|c| !is_blank(*c)).and_then(plain);
        if opening.is_square { next == Some(']') } else { matches!(next, Some('>' | '&')) }
    };
    let names = if opening.is_square { &["inst", "sys"] } else { ROLES };
    names.iter().any(|role| after_name(name, role).is_some_and(closes))
}

/// `<|im_start|>`, and `< | im_start | >` for well-known names.
fn is_token(opening: &Opening, rest: &str) -> bool {
    let is_bar = |c: char| plain(c) == Some('|');
    let inside = rest.trim_start_matches(is_blank);
    let Some(inside) = inside.strip_prefix(is_bar) else {
        return false;
    };
    let name = inside.trim_start_matches(|c: char| is_name(c) || is_invisible(c));
    let length = inside.len() - name.len();
    let is_tight = length > 0 && length <= TOKEN_LENGTH * 4 && name.starts_with(is_bar);
    !opening.is_square
        && (is_tight
            || TOKENS.iter().any(|token| {
                after_name(inside.trim_start_matches(is_blank), token)
                    .is_some_and(|mut rest| rest.find(|c| !is_blank(*c)).is_some_and(is_bar))
            }))
}

fn is_name(c: char) -> bool {
    plain(c).is_none_or(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Whether a slash follows, and what is behind it.
fn skip_slash(rest: &str) -> (bool, &str) {
    let is_slash = |c: char| plain(c) == Some('/');
    let name = rest.trim_start_matches(|c| is_blank(c) || is_slash(c) || c == '!' || c == '?');
    let skipped = rest.get(..rest.len() - name.len()).unwrap_or_default();
    (skipped.contains(is_slash), name)
}

/// What follows `name` at the beginning of `text`, as it looks and without separators.
fn after_name<'a>(text: &'a str, name: &str) -> Option<Chars<'a>> {
    let mut rest = text.chars();
    for wanted in name.chars() {
        let found = rest.find_map(|c| match plain(c) {
            _ if is_blank(c) => None,
            Some('_' | '-' | '.') => None,
            found => found,
        })?;
        if !alike(found, wanted) {
            return None;
        }
    }
    Some(rest)
}
