//! `-- allow AS8001: reason`: comments that allow a finding at one place (TY-3).
//!
//! Decision: a comment speaks for its own line, or if it stands alone, for the next line with code.
//! What refuses a program can't be allowed.

use crate::codes;
use crate::program::ProgramFile;
use contexture_diagnostic::{Diagnostic, Severity};
use std::collections::{BTreeMap, BTreeSet};

/// Removes the findings that a comment allows.
pub(in crate::analysis) fn without_allowed(file: &ProgramFile, faults: &mut Vec<Diagnostic>) {
    let allowed = allowed(file);
    if allowed.is_empty() {
        return;
    }
    faults.retain(|fault| {
        let line = file.source.position(fault.span.start).line;
        let is_allowed = allowed.get(&line).is_some_and(|codes| codes.contains(fault.code));
        fault.severity == Severity::Error || !is_allowed
    });
}

/// Returns the codes that are allowed, by line.
fn allowed(file: &ProgramFile) -> BTreeMap<u32, BTreeSet<&'static str>> {
    let mut lines: BTreeMap<u32, BTreeSet<&'static str>> = BTreeMap::new();
    let mut waiting: BTreeSet<&'static str> = BTreeSet::new();
    for token in &file.parsed.tokens {
        let line = || file.source.position(token.span.start).line;
        if !token.is_comment() {
            if !waiting.is_empty() {
                lines.entry(line()).or_default().append(&mut waiting);
            }
            continue;
        }
        let codes = named(file.source.slice(token.span));
        if token.starts_line {
            waiting.extend(codes);
        } else if !codes.is_empty() {
            lines.entry(line()).or_default().extend(codes);
        }
    }
    lines
}

/// Returns the codes behind `allow` in a comment, by code or name.
fn named(comment: &str) -> Vec<&'static str> {
    let text = comment.trim_start_matches(['-', '/']).trim_start();
    let Some(rest) = text.strip_prefix("allow ") else { return Vec::new() };
    let list = rest.split_once(':').map_or(rest, |(list, _)| list);
    let words = list.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty());
    words.filter_map(|word| codes::named(word).map(|code| code.code)).collect()
}
