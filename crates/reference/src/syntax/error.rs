//! Faults in the text of a reference, with place and fix (REF-4).

use super::{MAX_LENGTH, userinfo};
use crate::codes::{self, Code};
use contexture_core::reference::LoadError;
use contexture_diagnostic::{Diagnostic, Span};
use std::borrow::Cow;
use std::fmt;

/// The most characters of the offending text that an error keeps.
const SHOWN: usize = 32;

/// A text that is not a reference. It shows no user info.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Stable code, such as `REF1004`.
    pub code: &'static str,
    /// The place of the fault, in bytes from the begin of the text, at the begin of a character.
    pub offset: usize,
    /// The expected text.
    pub expected: Cow<'static, str>,
    /// The found text, at most 32 characters; empty at the end of the text.
    pub found: String,
    /// The way to fix it.
    pub help: Cow<'static, str>,
}

impl SyntaxError {
    #[cold]
    pub(super) fn new(text: &str, max_depth: usize, at: FaultAt) -> Self {
        let FaultAt { fault, offset } = at;
        Self {
            code: code(fault).code,
            offset,
            expected: expected(fault, max_depth),
            found: found(text, offset),
            help: help(text, fault, offset),
        }
    }

    /// Returns the fault in one line, without its place.
    #[must_use]
    pub fn message(&self) -> String {
        let expected = &self.expected;
        if self.found.is_empty() {
            return format!("expected {expected}, found the end");
        }
        format!("expected {expected}, found `{}`", self.found.escape_debug())
    }

    /// Returns the text that is not a reference, without what may be user info in it: for messages and
    /// logs.
    #[must_use]
    pub fn public(&self, text: &str) -> String {
        let slashes = text.find("://").map(|slashes| slashes + 3);
        match secret_before(text, self.offset, slashes) {
            Some(at) => {
                let before = text.get(..slashes.unwrap_or(self.offset)).unwrap_or_default();
                format!("{before}…{}", text.get(at..).unwrap_or_default())
            }
            None => userinfo::redact(text).into_owned(),
        }
    }

    /// Returns the failure to load `text`, which is not a reference.
    #[must_use]
    pub fn load_error(&self, text: &str) -> LoadError {
        let message = format!("{} at offset {}", self.message(), self.offset);
        LoadError::new(self.code, &self.public(text), message).with_help(self.help.clone())
    }

    /// Returns the fault as a diagnostic; `start` is where the reference begins in its file.
    #[must_use]
    pub fn diagnostic(&self, start: usize) -> Diagnostic {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let at = start.saturating_add(self.offset);
        let span = Span::new(place(at), place(at.saturating_add(self.found.len().max(1))));
        Diagnostic::error(self.code, self.message(), span).with_help(self.help.clone())
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message(), self.offset)
    }
}

impl std::error::Error for SyntaxError {}

fn code(fault: Fault) -> Code {
    match fault {
        Fault::MissingAt => codes::MISSING_AT,
        Fault::BadProtocolName => codes::BAD_PROTOCOL_NAME,
        Fault::MissingColon => codes::MISSING_COLON,
        Fault::MissingSlashes => codes::MISSING_SLASHES,
        Fault::EmptyPath => codes::EMPTY_PATH,
        Fault::TooDeep => codes::TOO_DEEP,
        Fault::ControlCharacter => codes::CONTROL_CHARACTER,
        Fault::TooLong => codes::TOO_LONG,
        Fault::EmptyName => codes::EMPTY_NAME,
        Fault::MissingEquals => codes::MISSING_EQUALS,
        Fault::RepeatedParameter => codes::REPEATED_PARAMETER,
        Fault::BadPercent => codes::BAD_PERCENT,
        Fault::NotUtf8 => codes::NOT_UTF8,
        Fault::SecondQuery => codes::SECOND_QUERY,
        Fault::EncodedControl => codes::ENCODED_CONTROL,
    }
}

fn expected(fault: Fault, max_depth: usize) -> Cow<'static, str> {
    Cow::Borrowed(match fault {
        Fault::MissingAt => "`@`",
        Fault::BadProtocolName => "a protocol name, which begins with an ASCII letter",
        Fault::MissingColon => "`:` after the protocol name",
        Fault::MissingSlashes => "`//` and a path, or an inner reference",
        Fault::EmptyPath => "a path",
        Fault::TooDeep => return format!("a path, as {max_depth} levels are the most").into(),
        Fault::ControlCharacter => "no control character",
        Fault::TooLong => return format!("the end within {MAX_LENGTH} bytes").into(),
        Fault::EmptyName => "the name of a parameter",
        Fault::MissingEquals => "`=` and a value after the name of the parameter",
        Fault::RepeatedParameter => "each parameter once",
        Fault::BadPercent => "`%` with two hexadecimal digits",
        Fault::NotUtf8 => "percent-encoded bytes that are UTF-8",
        Fault::SecondQuery => "`&` or the end, as there is one query at most",
        Fault::EncodedControl => "no percent-encoded control character",
    })
}

fn help(text: &str, fault: Fault, offset: usize) -> Cow<'static, str> {
    let rest = text.get(offset..).unwrap_or_default();
    Cow::Borrowed(match fault {
        Fault::MissingAt if rest.starts_with("[@]") => {
            "the `[@]` of the grammar is a plain `@`: write `@protocol://path`"
        }
        Fault::MissingAt => "write `@protocol://path`, as in `@file://docs/a.md`",
        Fault::BadProtocolName if rest.starts_with(['@', '!', '?']) => {
            "one prefix stands before the name: `@`, `@!` or `@?`"
        }
        Fault::BadProtocolName => "write `@protocol://path`, as in `@file://docs/a.md`",
        Fault::MissingColon if rest.starts_with('?') => {
            "the query stands once, at the very end: `@outer:inner://path?name=value`"
        }
        Fault::MissingColon => "letters, digits, `_` and `-` make a name; then comes `:`",
        Fault::MissingSlashes => "write `://` before the path, as in `@file://docs/a.md`",
        Fault::EmptyPath => "name what is to be loaded: `@file://docs/a.md`",
        Fault::TooDeep => "use fewer levels",
        Fault::ControlCharacter => {
            "remove it; in a value, write a line end as `%0A` and a tab as `%09`"
        }
        Fault::TooLong => "put long values into a file and refer to it",
        Fault::EmptyName => "write `?name=value`, or remove the `?` or `&`",
        Fault::MissingEquals => "write `name=value`; a `?` of the path is written `%3F`",
        Fault::RepeatedParameter => "keep one of them",
        Fault::BadPercent => "write the sign itself as `%25`",
        Fault::NotUtf8 => "encode the UTF-8 bytes of each character, or write it as it is",
        Fault::SecondQuery => "join parameters with `&`; write a question mark as `%3F`",
        Fault::EncodedControl => "only `%09`, `%0A` and `%0D` are allowed, and in values alone",
    })
}

/// Returns the offending text. An address may be torn apart by the very fault, so everything from
/// its begin up to its last `@` counts as user info here.
fn found(text: &str, offset: usize) -> String {
    let rest = text.get(offset..).unwrap_or_default();
    let slashes = text.find("://").map(|slashes| slashes + 3);
    let public = match secret_before(text, offset, slashes) {
        Some(at) => {
            let address = slashes.unwrap_or(offset).max(offset);
            let before = text.get(offset..address).unwrap_or_default();
            Cow::Owned(format!("{before}…{}", text.get(at..).unwrap_or_default()))
        }
        None => userinfo::redact(rest),
    };
    let mut found: String = public.chars().take(SHOWN).collect();
    if public.chars().nth(SHOWN).is_some() {
        found.push('…');
    }
    found
}

/// Returns the last `@` behind a fault, when what stands before it may be user info. `slashes` is
/// where the first address begins.
fn secret_before(text: &str, offset: usize, slashes: Option<usize>) -> Option<usize> {
    let start = slashes.unwrap_or(offset);
    let is_local = userinfo::is_local(text.get(..start).unwrap_or_default());
    text.rfind('@').filter(|at| *at >= start.max(offset) && *at > offset && !is_local)
}

/// A fault in the text of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    MissingAt,
    BadProtocolName,
    MissingColon,
    MissingSlashes,
    EmptyPath,
    TooDeep,
    ControlCharacter,
    TooLong,
    EmptyName,
    MissingEquals,
    RepeatedParameter,
    BadPercent,
    NotUtf8,
    SecondQuery,
    EncodedControl,
}

/// A fault with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FaultAt {
    pub(super) fault: Fault,
    pub(super) offset: usize,
}

impl Fault {
    pub(super) fn at(self, offset: usize) -> FaultAt {
        FaultAt { fault: self, offset }
    }
}
