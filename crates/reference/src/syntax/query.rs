//! The parameters of a query (REF-3).

use super::percent::decode;
use std::borrow::Cow;

/// The parameters that are ours over http and https; all others, and these beside a `cx.NAME`,
/// belong to the server (REF-14).
pub const OURS_OVER_HTTP: [&str; 5] = ["line", "max", "encoding", "cache", "format"];

/// The parameters of a reference, decoded, in the order of the text.
///
/// Over http and https, parts that can't be decoded stay as written, and those without `=` have an
/// empty value; [`Query::pairs`] tells such apart.
#[derive(Debug, Clone)]
pub struct Query<'a> {
    pairs: Pairs<'a>,
}

impl<'a> Query<'a> {
    pub(super) fn new(raw: Option<&'a str>) -> Self {
        Self { pairs: Pairs { rest: raw } }
    }

    /// Returns the parameters as written.
    #[must_use]
    pub fn pairs(self) -> Pairs<'a> {
        self.pairs
    }

    /// Returns the value of the first parameter of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        self.clone().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

impl<'a> Iterator for Query<'a> {
    type Item = (Cow<'a, str>, Cow<'a, str>);

    fn next(&mut self) -> Option<Self::Item> {
        let pair = self.pairs.by_ref().find(|pair| !pair.raw.is_empty())?;
        Some((pair.name(), pair.value().unwrap_or_default()))
    }
}

/// The parameters as written, between the `&`; made by [`Query::pairs`].
#[derive(Debug, Clone)]
pub struct Pairs<'a> {
    rest: Option<&'a str>,
}

impl<'a> Iterator for Pairs<'a> {
    type Item = Pair<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest?;
        let (raw, rest) = match rest.split_once('&') {
            Some((raw, rest)) => (raw, Some(rest)),
            None => (rest, None),
        };
        self.rest = rest;
        Some(Pair { raw })
    }
}

/// One parameter as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'a> {
    raw: &'a str,
}

impl<'a> Pair<'a> {
    /// Returns the whole of it: `name=value`.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.raw
    }

    /// Returns the name, decoded.
    #[must_use]
    pub fn name(self) -> Cow<'a, str> {
        decode(self.raw_name())
    }

    /// Returns the value, decoded; `None` when there is no `=`, which http and https allow.
    #[must_use]
    pub fn value(self) -> Option<Cow<'a, str>> {
        self.raw.split_once('=').map(|(_, value)| decode(value))
    }

    fn raw_name(self) -> &'a str {
        self.raw.split_once('=').map_or(self.raw, |(name, _)| name)
    }

    pub(super) fn has_name_of(self, other: Self) -> bool {
        let (left, right) = (self.raw_name(), other.raw_name());
        left == right || (self.is_encoded() || other.is_encoded()) && decode(left) == decode(right)
    }

    fn is_encoded(self) -> bool {
        self.raw_name().contains('%')
    }

    /// Returns a quick look at the first byte; the name decides.
    pub(super) fn may_be_ours(self) -> bool {
        matches!(self.raw.as_bytes().first(), Some(b'l' | b'm' | b'e' | b'c' | b'f' | b'%'))
    }
}

/// Returns the parameters from an offset of a text on, each with its place.
pub(super) fn pairs_at(
    text: &str,
    start: usize,
) -> impl Iterator<Item = (usize, Pair<'_>)> + Clone {
    let mut at = start;
    Pairs { rest: text.get(start..) }.map(move |pair| {
        let place = at;
        at += pair.raw.len() + 1;
        (place, pair)
    })
}
