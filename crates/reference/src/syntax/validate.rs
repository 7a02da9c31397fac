//! Rules of a query (REF-3): parameters with names and values, each once, decodable.
//!
//! Decision: http and https pass what is not ours on to their server, so of their queries only our
//! parameters are held to these rules.

use super::class::{self, PATH_STOP, QUERY_STOP};
use super::error::{Fault, FaultAt};
use super::head::Head;
use super::percent;
use super::query::{self, Pair};

/// Up to so many parameters are compared each with each, without allocation.
const FEW: usize = 8;

#[inline]
pub(super) fn query(text: &str, innermost: Head, start: usize) -> Result<(), FaultAt> {
    let name = text.get(innermost.name..innermost.colon).unwrap_or_default();
    if is_http(name) { foreign(text, start) } else { own(text, start) }
}

/// Reports whether a protocol passes parameters on to a server.
#[inline]
pub(super) fn is_http(protocol: &str) -> bool {
    protocol.eq_ignore_ascii_case("http") || protocol.eq_ignore_ascii_case("https")
}

fn own(text: &str, start: usize) -> Result<(), FaultAt> {
    let bytes = text.as_bytes();
    let mut end = pair(bytes, start)?;
    if end == bytes.len() {
        return Ok(());
    }
    while end < bytes.len() {
        end = pair(bytes, end + 1)?;
    }
    let pairs = query::pairs_at(text, start);
    repeated(pairs)
}

/// Checks the parameter that begins at an offset; gives the `&` behind it, or the end.
fn pair(bytes: &[u8], start: usize) -> Result<usize, FaultAt> {
    let equals = plain(bytes, start, Side::Name)?;
    if equals == start {
        return Err(Fault::EmptyName.at(start));
    }
    if bytes.get(equals) != Some(&b'=') {
        return Err(Fault::MissingEquals.at(equals));
    }
    plain(bytes, equals + 1, Side::Value)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Name,
    Value,
}

/// Checks a name or a value; gives where it ends.
#[inline]
fn plain(bytes: &[u8], start: usize, side: Side) -> Result<usize, FaultAt> {
    let mut at = class::find(bytes, start, QUERY_STOP);
    while let Some(byte) = bytes.get(at) {
        let next = match byte {
            b'&' => return Ok(at),
            b'=' if side == Side::Name => return Ok(at),
            b'?' => return Err(Fault::SecondQuery.at(at)),
            b'%' => encoded(bytes, at, side)?,
            _ if class::is_control(bytes, at) => return Err(Fault::ControlCharacter.at(at)),
            _ => at + 1,
        };
        at = class::find(bytes, next, QUERY_STOP);
    }
    Ok(at)
}

#[cold]
fn encoded(bytes: &[u8], at: usize, side: Side) -> Result<usize, FaultAt> {
    let (character, next) = percent::character(bytes, at)?;
    let is_text = side == Side::Value && matches!(character, '\t' | '\n' | '\r');
    if character.is_control() && !is_text {
        return Err(Fault::EncodedControl.at(at));
    }
    Ok(next)
}

/// Checks a query of which some belongs to a server.
fn foreign(text: &str, start: usize) -> Result<(), FaultAt> {
    let bytes = text.as_bytes();
    let mut at = class::find(bytes, start, PATH_STOP);
    while at < bytes.len() {
        if class::is_control(bytes, at) {
            return Err(Fault::ControlCharacter.at(at));
        }
        at = class::find(bytes, at + 1, PATH_STOP);
    }
    let mut ours = 0;
    for (at, found) in query::pairs_at(text, start) {
        if found.may_be_ours() && is_ours(text, start, found) {
            pair(bytes, at)?;
            ours += 1;
        }
    }
    if ours < 2 {
        return Ok(());
    }
    repeated(query::pairs_at(text, start).filter(|(_, found)| is_ours(text, start, *found)))
}

/// Reports whether a parameter over http is ours: `cx.NAME` always, our plain names unless
/// `cx.NAME` stands beside them.
fn is_ours(text: &str, start: usize, pair: Pair<'_>) -> bool {
    let name = pair.name();
    if name.starts_with("cx.") {
        return true;
    }
    super::OURS_OVER_HTTP.contains(&&*name)
        && !query::pairs_at(text, start)
            .any(|(_, other)| other.name().strip_prefix("cx.") == Some(&*name))
}

/// Refuses a name that stands twice, at its second place.
fn repeated<'a>(pairs: impl Iterator<Item = (usize, Pair<'a>)> + Clone) -> Result<(), FaultAt> {
    let second = if pairs.clone().nth(FEW).is_none() {
        let before = |count: usize, pair: Pair<'_>| {
            pairs.clone().take(count).any(|(_, other)| other.has_name_of(pair))
        };
        let mut counted = pairs.clone().enumerate();
        counted.find(|(count, (_, pair))| before(*count, *pair)).map(|(_, (at, _))| at)
    } else {
        let mut names: Vec<_> = pairs.map(|(at, pair)| (pair.name(), at)).collect();
        names.sort_unstable();
        let twice =
            names.iter().zip(names.iter().skip(1)).filter(|(left, right)| left.0 == right.0);
        twice.map(|(_, (_, at))| *at).min()
    };
    second.map_or(Ok(()), |at| Err(Fault::RepeatedParameter.at(at)))
}
