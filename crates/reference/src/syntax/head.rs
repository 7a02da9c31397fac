//! The head of one level: prefix, protocol, colon (REF-1).

use super::Semantics;
use super::class::{self, NAME_END};
use super::error::{Fault, FaultAt};

/// Prefix, protocol and colon of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) semantics: Semantics,
    /// True if the `@` is written.
    pub(crate) is_marked: bool,
    /// The start of the name.
    pub(crate) name: usize,
    /// The place of the colon.
    pub(crate) colon: usize,
}

/// Reads a head, with or without `@`.
#[inline]
pub(crate) fn read(bytes: &[u8], at: usize) -> Result<Head, FaultAt> {
    let is_marked = bytes.get(at) == Some(&b'@');
    let (semantics, name) = match (is_marked, bytes.get(at + 1)) {
        (true, Some(b'!')) => (Semantics::Hot, at + 2),
        (true, Some(b'?')) => (Semantics::Lazy, at + 2),
        (true, _) => (Semantics::Default, at + 1),
        (false, _) => (Semantics::Default, at),
    };
    if !bytes.get(name).is_some_and(u8::is_ascii_alphabetic) {
        return Err(Fault::BadProtocolName.at(name));
    }
    let colon = class::find(bytes, name + 1, NAME_END);
    if bytes.get(colon) != Some(&b':') {
        return Err(Fault::MissingColon.at(colon));
    }
    Ok(Head { semantics, is_marked, name, colon })
}
