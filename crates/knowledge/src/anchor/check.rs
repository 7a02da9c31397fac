//! Checks of anchors: each leads to a place that is there.

use super::text::Anchor;
use crate::section::{Lines, headings, is_markdown};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The files of a pack, as far as anchors have to know them.
pub trait AnchorFiles {
    /// Reports whether the pack has that file.
    fn has(&self, path: &str) -> bool;
    /// Returns what is known of its text; `None` when it is not text or can't be read.
    fn facts(&self, path: &str) -> Option<Arc<Facts>>;
}

/// The places in a text that an anchor can lead to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    lines: usize,
    places: HashSet<String>,
    extent: Extent,
}

impl Facts {
    /// Reads the facts of a file.
    #[must_use]
    pub fn of(path: &str, text: &str) -> Self {
        let mut places = HashSet::new();
        let mut seen: HashMap<String, usize> = HashMap::new();
        for heading in headings(path, text) {
            let name = slug(&heading);
            let times = seen.entry(name.clone()).or_default();
            if *times > 0 {
                places.insert(format!("{name}-{times}"));
            }
            *times += 1;
            places.insert(name);
        }
        for (open, close) in place_marks(path) {
            places.extend(named(text, open, close));
        }
        for mark in ["id=\"", "name=\"", "id='", "name='"] {
            places.extend(named(text, mark, mark.get(mark.len() - 1..).unwrap_or_default()));
        }
        Self { lines: Lines::of(text).count(), places, extent: Extent::of(path, text) }
    }
}

/// Returns what stands around the name of a place in the text of a file.
fn place_marks(path: &str) -> &'static [(&'static str, &'static str)] {
    match crate::section::extension(path).as_str() {
        "rst" => &[(".. _", ":")],
        "adoc" | "asciidoc" => &[("[[", "]]"), ("[#", "]")],
        _ => &[("{#", "}")],
    }
}

/// Names of places that are written out, as they are and as slugs.
fn named(text: &str, open: &str, close: &str) -> Vec<String> {
    let names = text.match_indices(open).filter_map(|(at, _)| {
        let line = text.get(at + open.len()..)?.split('\n').next()?;
        Some(line.split_once(close)?.0)
    });
    names.flat_map(|name| [name.to_owned(), slug(name)]).collect()
}

/// Returns a heading as the fragment of an address: small letters, without signs, `-` for blanks.
pub(super) fn slug(heading: &str) -> String {
    let mut slug = String::with_capacity(heading.len());
    for c in heading.trim().chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || matches!(c, '-' | '_') {
            slug.push(c);
        } else if c.is_whitespace() {
            slug.push('-');
        }
    }
    slug
}

/// Returns what is wrong with an anchor that stands in the file `from`; `None` when it leads
/// somewhere, or leads out of the pack.
#[must_use]
pub fn problem(anchor: &Anchor, from: &str, files: &dyn AnchorFiles) -> Option<String> {
    if anchor.is_address() {
        return None;
    }
    let Some(path) = find(&anchor.file, from, files) else {
        return Some(format!("there is no file `{}` in the pack", anchor.file));
    };
    let fragment = anchor.fragment.as_deref()?;
    if let Some(page) = fragment.strip_prefix("page=") {
        let Some(page) = page.parse::<u32>().ok().filter(|page| *page > 0) else {
            return Some(format!("`#{fragment}` is not a page: expected `#page=4`"));
        };
        return extent(&path, files)?.page_problem(&path, u64::from(page));
    }
    if let Some(time) = fragment.strip_prefix("t=") {
        if !is_time(time) {
            return Some(format!("`#{fragment}` is not a time: expected `#t=00:12:33`"));
        }
        return extent(&path, files)?.time_problem(&path, time);
    }
    let Some(facts) = files.facts(&path) else {
        return Some(format!("`{path}` is not a readable text, so `#{fragment}` can't be checked"));
    };
    if let Some(lines) = line_range(fragment) {
        return line_problem(&path, fragment, lines, facts.lines);
    }
    let decoded = decoded(fragment);
    let is_there = facts.places.contains(&decoded) || facts.places.contains(&slug(&decoded));
    (!is_there).then(|| format!("`{path}` has no heading `{fragment}`"))
}

fn extent(path: &str, files: &dyn AnchorFiles) -> Option<Extent> {
    if !may_tell(path) {
        return None;
    }
    Some(files.facts(path)?.extent)
}

fn line_problem(
    path: &str,
    fragment: &str,
    (first, last): (usize, usize),
    lines: usize,
) -> Option<String> {
    if first == 0 || last < first {
        return Some(format!("`#{fragment}` is not a line: lines are counted from 1"));
    }
    (last > lines).then(|| format!("`{path}` has {lines} lines, no line {last}"))
}

/// `L42`, `L42-L50`, `L42-50`.
pub(super) fn line_range(fragment: &str) -> Option<(usize, usize)> {
    let rest = fragment.strip_prefix(['L', 'l'])?;
    let (first, last) = rest.split_once('-').unwrap_or((rest, rest));
    let last = last.strip_prefix(['L', 'l']).unwrap_or(last);
    // A number that does not fit is a line that does not exist.
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(usize::MAX))
    };
    Some((number(first)?, number(last)?))
}

/// `00:12:33`, `12:33`, `75`, `75.5`, or two of them with a comma between.
fn is_time(time: &str) -> bool {
    let mut ends = time.splitn(2, ',');
    ends.all(|end| {
        let parts: Vec<&str> = end.split(':').collect();
        let count = parts.len();
        count <= 3
            && parts.iter().enumerate().all(|(at, part)| {
                let (whole, rest) = part.split_once('.').unwrap_or((part, "0"));
                let digits =
                    |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                let is_small = at == 0 || whole.parse::<u32>().is_ok_and(|n| n < 60);
                digits(whole)
                    && digits(rest)
                    && is_small
                    && (at + 1 == count || !part.contains('.'))
            })
    })
}

/// Returns the file of the pack that is meant: from the pack's folder, or from the file it stands
/// in.
fn find(file: &str, from: &str, files: &dyn AnchorFiles) -> Option<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let decoded = decoded(file);
    let tries = [(file, ""), (&decoded, ""), (file, folder), (&decoded, folder)];
    tries.iter().filter_map(|(file, folder)| joined(folder, file)).find(|path| files.has(path))
}

/// Returns a path inside the pack; `None` when it leads out of it.
pub(crate) fn joined(folder: &str, path: &str) -> Option<String> {
    let (folder, path) = match path.strip_prefix('/') {
        Some(path) => ("", path),
        None => (folder, path),
    };
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// `%E4%BB%B7` read as letters; anything else stays.
pub(crate) fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|b| char::from(*b).to_digit(16));
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// A transcript's last mark is where its last part begins; so much may follow, in seconds.
const LAST_PART: u64 = 60;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Extent {
    pages: Option<u64>,
    seconds: Option<u64>,
    /// True if any time stands in it, also one without hours.
    has_times: bool,
}

/// Kinds of files that are read for it: recordings and scans are large, and say nothing as text.
const TOLD: [&str; 8] = ["md", "markdown", "mdown", "mdx", "txt", "vtt", "srt", "pdf"];

fn ends_with(path: &str, kind: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(kind))
}

pub(super) fn may_tell(path: &str) -> bool {
    TOLD.iter().any(|kind| ends_with(path, kind))
}

impl Extent {
    pub(super) fn of(path: &str, text: &str) -> Self {
        if !may_tell(path) {
            return Self::default();
        }
        if ends_with(path, "pdf") {
            let pages = [text.matches("/Type /Page"), text.matches("/Type/Page")];
            let trees = [text.matches("/Type /Pages"), text.matches("/Type/Pages")];
            let count = |all: [std::str::Matches<'_, &str>; 2]| {
                all.into_iter().map(|found| found.count() as u64).sum::<u64>()
            };
            let pages = count(pages).saturating_sub(count(trees));
            return Self { pages: (pages > 0).then_some(pages), ..Self::default() };
        }
        let breaks = text.matches('\u{c}').count() as u64;
        let breaks = (breaks > 0).then(|| breaks + 1);
        let lines = || text.split(['\n', '\u{c}']);
        let pages = lines().filter_map(page_mark).max().max(breaks);
        let seconds = lines().flat_map(times).max();
        Self { pages, seconds, has_times: lines().any(has_time) }
    }

    pub(super) fn page_problem(self, path: &str, page: u64) -> Option<String> {
        if self.pages.is_none() && is_markdown(path) {
            return Some(format!(
                "`{path}` is Markdown and marks no pages, so it has no page {page}"
            ));
        }
        let last = self.pages.filter(|last| page > *last)?;
        Some(format!("`{path}` has {last} pages, no page {page}"))
    }

    /// Returns what is wrong with a time such as `00:12:33`, or with the first of two.
    pub(super) fn time_problem(self, path: &str, time: &str) -> Option<String> {
        if !self.has_times && is_markdown(path) {
            return Some(format!("`{path}` is Markdown and marks no times, so it has no {time}"));
        }
        let start = time.split(',').next().and_then(seconds)?;
        let is_after = self.seconds.is_some_and(|last| start > last.saturating_add(LAST_PART));
        is_after.then(|| format!("the times in `{path}` end before {time}"))
    }
}

/// Returns the number of a line that is nothing but `Page 4` or `第 4 页`, whatever frames it.
pub(super) fn page_mark(line: &str) -> Option<u64> {
    let bare = line.trim_matches(|c: char| !c.is_alphanumeric());
    let number = match bare.split_at_checked(4) {
        Some((word, rest)) if word.eq_ignore_ascii_case("page") => rest,
        _ => bare.strip_prefix('第')?.strip_suffix('页')?,
    };
    number.trim().parse().ok()
}

/// Returns the times in a line that are written with hours, in seconds.
fn times(line: &str) -> impl Iterator<Item = u64> {
    let words = line.split(|c: char| !c.is_ascii_digit() && c != ':');
    words.filter(|word| word.bytes().filter(|byte| *byte == b':').count() == 2).filter_map(seconds)
}

/// Reports whether a time such as `12:33` stands in a line.
fn has_time(line: &str) -> bool {
    line.match_indices(':').any(|(at, _)| {
        let before =
            line.get(..at).is_some_and(|text| text.ends_with(|c: char| c.is_ascii_digit()));
        let after = line.get(at + 1..).unwrap_or_default();
        before && after.chars().take(2).filter(char::is_ascii_digit).count() == 2
    })
}

/// `00:12:33`, `12:33` or `75` in seconds, without what follows a point.
fn seconds(time: &str) -> Option<u64> {
    time.split(':').try_fold(0_u64, |sum, part| {
        let whole = part.split('.').next().unwrap_or_default();
        sum.checked_mul(60)?.checked_add(whole.parse().ok()?)
    })
}
