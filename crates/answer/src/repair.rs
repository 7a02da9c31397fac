//! Repairs made while reading an answer: counted by kind, with the position of the first one.
//!
//! A record per kind, not per place: an answer of a megabyte without a single comma yields one line
//! in the trace and not a hundred thousand.

use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// One kind of repair made to an answer (AS-21).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// Its kind.
    pub kind: RepairKind,
    /// The number of repairs.
    pub count: usize,
    /// Byte offset of the first one in the raw answer.
    pub at: usize,
}

impl Display for Repair {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.at)?;
        match self.count {
            0 | 1 => Ok(()),
            count => write!(f, " ({count} times)"),
        }
    }
}

macro_rules! repair_kinds {
    ($($(#[$doc:meta])* $name:ident => $text:literal,)*) => {
        /// The kinds of repair (AS-21).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum RepairKind {
            $($(#[$doc])* $name,)*
        }

        impl RepairKind {
            /// Returns the repair in a few words, for a trace or a person.
            pub fn describe(self) -> &'static str {
                match self {
                    $(RepairKind::$name => $text,)*
                }
            }
        }
    };
}

repair_kinds! {
    /// Words before or after the value were omitted.
    TextAround => "text around the value left out",
    /// The value was in a Markdown code fence.
    CodeFence => "code fence removed",
    /// A block of thinking was omitted.
    ThinkBlock => "block of thinking left out",
    /// The answer began with a byte order mark.
    ByteOrderMark => "byte order mark removed",
    /// There were several values; the last that fits was taken.
    SeveralValues => "one of several values taken",
    /// A comma with nothing after it, or two in a row.
    ExtraComma => "extra comma removed",
    /// A comma between fields or items was added.
    MissingComma => "missing comma added",
    /// A colon between key and value was added, or stood in for `=`.
    MissingColon => "missing colon added",
    /// A key without a value got `null`.
    MissingValue => "missing value read as null",
    /// A closing brace, bracket or quote was added.
    MissingCloser => "missing closer added",
    /// The brace that opens the object was added.
    MissingOpener => "missing opening brace added",
    /// The end of a string was found without its quote.
    MissingQuote => "missing quote added",
    /// A brace or bracket without a counterpart was removed.
    StrayBracket => "stray bracket removed",
    /// Quotes other than `"` around a string or key.
    OtherQuotes => "other quotes read as double quotes",
    /// Full-width punctuation used for structure.
    FullWidth => "full-width punctuation read as ASCII",
    /// A key without quotes.
    UnquotedKey => "unquoted key read as a string",
    /// A value without quotes that is not a JSON literal.
    UnquotedValue => "unquoted value read as a string",
    /// A comment was omitted.
    Comment => "comment left out",
    /// A line break or another control character inside a string.
    RawControl => "control character kept in a string",
    /// A quote inside a string that was not escaped.
    UnescapedQuote => "unescaped quote kept in a string",
    /// `True`, `None`, `undefined`, `NaN` and their like.
    OtherLiteral => "other spelling of true, false or null read",
    /// A number that JSON writes differently.
    OtherNumber => "other spelling of a number read",
    /// An escape that JSON does not have.
    OtherEscape => "other escape read or kept as it stands",
    /// Half of a surrogate pair.
    LoneSurrogate => "half of a surrogate pair replaced",
    /// A key that occurred before in the same object; the last value counts.
    DuplicateKey => "key that occurs twice: the last value counts",
    /// `...` in place of omitted items.
    Ellipsis => "ellipsis left out",
    /// Meaningless characters between values.
    Junk => "meaningless characters left out",
    /// The whole value was escaped once too often.
    EscapedTwice => "value that was escaped twice unpacked",
}

impl Display for RepairKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe())
    }
}

/// The repairs of one reading, in the order of their first occurrence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes(Vec<Repair>);

impl Notes {
    #[cold]
    pub(crate) fn add(&mut self, kind: RepairKind, at: usize) {
        match self.0.iter_mut().find(|repair| repair.kind == kind) {
            Some(repair) => repair.count += 1,
            None => self.0.push(Repair { kind, count: 1, at }),
        }
    }

    pub(crate) fn has(&self, kind: RepairKind) -> bool {
        self.0.iter().any(|repair| repair.kind == kind)
    }

    pub(crate) fn merge(&mut self, other: Notes) {
        for repair in other.0 {
            match self.0.iter_mut().find(|known| known.kind == repair.kind) {
                Some(known) => known.count += repair.count,
                None => self.0.push(repair),
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_list(self) -> Vec<Repair> {
        self.0
    }
}
