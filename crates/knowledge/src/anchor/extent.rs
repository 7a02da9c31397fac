//! How far a source goes that is not a page of lines: the pages and the time that its text tells of.

use crate::section::is_markdown;

/// A transcript's last mark is where its last part begins; so much may follow, in seconds.
const LAST_PART: u64 = 60;

/// The extent of a text in pages and times; it is unknown without marks.
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

/// Reports whether a file may say how far it goes.
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

    /// Returns what is wrong with a page that is counted from 1.
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
fn page_mark(line: &str) -> Option<u64> {
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
