//! From a text to the offsets of its parts (REF-1 to REF-4).

use super::class::{self, PATH_STOP};
use super::error::{Fault, FaultAt};
use super::head;
use super::validate;
use super::{MAX_LENGTH, Parts};

/// Returns an offset as it is kept; [`MAX_LENGTH`] bounds it.
#[inline]
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[inline]
pub(super) fn parse(text: &str, max_depth: usize) -> Result<Parts, FaultAt> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'@') {
        return Err(Fault::MissingAt.at(0));
    }
    let outer = head::read(bytes, 0)?;
    let mut depth = 1;
    let mut head = outer;
    let mut location = outer.colon + 1;
    while !starts_path(bytes, location) {
        head = inner_head(bytes, location)?;
        depth += 1;
        if depth > max_depth {
            return Err(Fault::TooDeep.at(location));
        }
        location = head.colon + 1;
    }
    let path = location + 2;
    let query = path_end(bytes, path)?;
    if bytes.len() > MAX_LENGTH {
        return Err(Fault::TooLong.at(floor_char(text, MAX_LENGTH)));
    }
    if query < bytes.len() {
        validate::query(text, head, query + 1)?;
    }
    Ok(Parts {
        level: 0,
        name: offset(outer.name),
        colon: offset(outer.colon),
        path: offset(path),
        query: offset(query),
        depth: offset(depth),
        semantics: outer.semantics,
    })
}

#[inline]
fn starts_path(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'/') && bytes.get(at + 1) == Some(&b'/')
}

/// Returns the head of an inner level. In the short form nothing but the colon tells a level from a
/// path whose slashes are missing, so that is then what is missed.
#[inline]
fn inner_head(bytes: &[u8], at: usize) -> Result<head::Head, FaultAt> {
    head::read(bytes, at).map_err(|fault| {
        if bytes.get(at) == Some(&b'@') { fault } else { Fault::MissingSlashes.at(at) }
    })
}

/// Returns where the path ends: at the `?` or the end of the text.
#[inline]
fn path_end(bytes: &[u8], path: usize) -> Result<usize, FaultAt> {
    let mut end = class::find(bytes, path, PATH_STOP);
    while end < bytes.len() && bytes.get(end) != Some(&b'?') {
        if class::is_control(bytes, end) {
            return Err(Fault::ControlCharacter.at(end));
        }
        end = class::find(bytes, end + 1, PATH_STOP);
    }
    if end == path {
        return Err(Fault::EmptyPath.at(path));
    }
    Ok(end)
}

fn floor_char(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}
