//! Ranking of texts that are at hand by their relevance to a question (CA-16).
//!
//! Decision: it is the search of packs, terms, weights and all, over an index in memory. Of a pack
//! only what is about the task is admitted; these texts were named for this very question, so every
//! passage with a word of it that means something is ranked, and the budget decides.

use super::gate::Weights;
use super::{prepare, raised};
use crate::index::texts;
use crate::resolve::resolver::query::Query;
use crate::section::{SourceSection, paragraph_ends, sections};
use std::ops::Range;
use tantivy::TantivyError;

/// The most bytes of the texts that are ranked for one question.
pub const MAX_RANKED_BYTES: usize = 64 << 20;

/// The most passages that are ranked for one question.
pub const MAX_PASSAGES: usize = 200_000;

/// A text among those that are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked<'t> {
    /// Its name, which says by its ending how it is parted and is searched, too.
    pub name: &'t str,
    /// The text.
    pub text: &'t str,
    /// True if it is one passage, whatever its length.
    pub is_whole: bool,
}

/// A passage with words of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// The number of its text.
    pub text: usize,
    /// The headings over it; none when it has none.
    pub heading: Option<String>,
    /// Its place in the text, in bytes.
    pub range: Range<usize>,
    /// Its first line, counted from 1.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// Its relevance: greater is better, and comparable within one ranking.
    pub score: f64,
}

/// Passages by their relevance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranking {
    /// The passages with words of the question, best first; of equals the first one first.
    pub passages: Vec<Passage>,
    /// The number of passages of each text.
    pub counts: Vec<usize>,
}

/// The reason why texts can't be ranked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    /// There are more bytes or passages than allowed.
    #[error("there are {found} {unit} to search, and the limit is {limit}")]
    TooMuch {
        /// How many there are, at least.
        found: usize,
        /// `bytes` or `passages`.
        unit: &'static str,
        /// How many there may be.
        limit: usize,
    },
    /// The engine failed.
    #[error("the search failed: {0}")]
    Engine(#[from] TantivyError),
}

/// Ranks the passages of texts by their relevance to a question. Passages longer than `longest`
/// bytes are parted between their paragraphs.
///
/// ```
/// use contexture_knowledge::resolve::{Ranked, rank};
///
/// let text = |name, text| Ranked { name, text, is_whole: false };
/// let texts = [text("a.md", "# Tea\n\nGreen tea.\n"), text("b.md", "# Price\n\nIt costs 12 euros.\n")];
/// let found = rank(&texts, "How many euros does it cost?", 2_400)?;
/// assert_eq!((found.passages[0].text, found.passages[0].first_line), (1, 3));
/// assert_eq!(found.passages.len(), 1);
/// # Ok::<(), contexture_knowledge::resolve::RankError>(())
/// ```
///
/// # Errors
/// [`RankError`] when there is too much to search, or the engine fails.
pub fn rank(texts: &[Ranked<'_>], question: &str, longest: usize) -> Result<Ranking, RankError> {
    let (parts, counts) = part(texts, longest)?;
    if parts.is_empty() {
        return Ok(Ranking { passages: Vec::new(), counts });
    }
    let named = parts.iter().filter_map(|(text, section)| {
        let Ranked { name, text, .. } = texts.get(*text)?;
        Some((section, *name, *text))
    });
    let opened = texts::of_sections(named)?;
    let query = Query::of(question);
    let query = query.of_pack(&opened.languages, None);
    let raised = raised(&opened, &query)?;
    let (search, numbers) = prepare(&opened, &query, &[texts::AREA], &raised)?;
    let weights = Weights::of(&query, &numbers, &search, &raised);
    let mut hits = search.hits(texts::AREA, parts.len())?;
    hits.retain(|hit| weights.has_content(hit.terms));
    hits.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then(one.address.cmp(&other.address))
    });
    let passages = hits.iter().filter_map(|hit| {
        let (text, section) = parts.get(usize::try_from(hit.address.doc_id).ok()?)?;
        Some(passage(*text, texts.get(*text)?, section, hit.score))
    });
    Ok(Ranking { passages: passages.collect(), counts })
}

/// A section with the number of its text.
type Part = (usize, SourceSection);

/// Parts the texts into their sections.
fn part(texts: &[Ranked<'_>], longest: usize) -> Result<(Vec<Part>, Vec<usize>), RankError> {
    let bytes = texts.iter().fold(0_usize, |sum, one| sum.saturating_add(one.text.len()));
    allowed(bytes, "bytes", MAX_RANKED_BYTES)?;
    let (mut parts, mut counts) = (Vec::new(), Vec::with_capacity(texts.len()));
    for (number, one) in texts.iter().enumerate() {
        let before = parts.len();
        if one.is_whole {
            parts.push((number, whole(one)));
        } else {
            let found = sections(one.name, one.text);
            let found = found.into_iter().flat_map(|section| shorter(one, section, longest));
            parts.extend(found.map(|section| (number, section)));
        }
        counts.push(parts.len() - before);
        allowed(parts.len(), "passages", MAX_PASSAGES)?;
    }
    Ok((parts, counts))
}

/// Parts a section that is too long between its paragraphs.
fn shorter(one: &Ranked<'_>, section: SourceSection, longest: usize) -> Vec<SourceSection> {
    let range = section.text.clone();
    let Some(text) = one.text.get(range.clone()).filter(|text| text.len() > longest) else {
        return vec![section];
    };
    let mut out: Vec<SourceSection> = Vec::new();
    let (mut start, mut line) = (0, section.first_line);
    let mut end = 0;
    let mut push = |start: &mut usize, line: &mut u32, end: usize| {
        let piece = text.get(*start..end).unwrap_or_default();
        let gap = piece.len() - piece.trim_start_matches(['\n', '\r']).len();
        let breaks = |text: &str| u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
        let first_line = line.saturating_add(breaks(piece.get(..gap).unwrap_or_default()));
        let last_line = line.saturating_add(breaks(piece.trim_end()));
        let kept = range.start + *start + gap..range.start + *start + piece.trim_end().len();
        (*start, *line) = (end, line.saturating_add(breaks(piece)));
        if !kept.is_empty() {
            out.push(SourceSection { text: kept, first_line, last_line, ..section.clone() });
        }
    };
    for next in paragraph_ends(one.name, text).into_iter().chain([text.len()]) {
        if next - start > longest && end > start {
            push(&mut start, &mut line, end);
        }
        end = next;
    }
    push(&mut start, &mut line, text.len());
    out
}

fn allowed(found: usize, unit: &'static str, limit: usize) -> Result<(), RankError> {
    if found > limit { Err(RankError::TooMuch { found, unit, limit }) } else { Ok(()) }
}

fn whole(one: &Ranked<'_>) -> SourceSection {
    let lines = u32::try_from(one.text.lines().count()).unwrap_or(u32::MAX);
    let heading = crate::section::spoken(one.name);
    let about = String::new();
    let text = 0..one.text.len();
    SourceSection { heading, about, text, first_line: 1, last_line: lines.max(1) }
}

fn passage(number: usize, text: &Ranked<'_>, section: &SourceSection, score: f32) -> Passage {
    // A heading of the text itself may say the same as its name.
    let is_of_name = section.heading == crate::section::spoken(text.name)
        && !crate::section::headings(text.name, text.text).contains(&section.heading);
    Passage {
        text: number,
        heading: (!is_of_name).then(|| section.heading.clone()),
        range: section.text.clone(),
        first_line: section.first_line,
        last_line: section.last_line,
        score: (f64::from(score) * 1e4).round() / 1e4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[(&str, &str)], question: &str) -> Vec<(usize, u32)> {
        let texts: Vec<Ranked<'_>> =
            texts.iter().map(|(name, text)| Ranked { name, text, is_whole: false }).collect();
        let ranking = rank(&texts, question, 2_400).unwrap();
        ranking.passages.iter().map(|one| (one.text, one.first_line)).collect()
    }

    #[test]
    fn ca_16_rank_passages_of_any_script_best_first() {
        let texts = [
            ("a.md", "# 清洁\n\n每天清洗水箱。\n\n# 保修\n\n保修期为两年,电池一年。\n"),
            ("b.md", "# Descaling\n\nOnce a month, with citric acid.\n"),
            ("c.md", "# 価格\n\n価格は89ユーロです。\n"),
        ];
        assert_eq!(found(&texts, "保修期多久"), [(0, 7)]);
        assert_eq!(found(&texts, "How often is descaling needed?"), [(1, 3)]);
        assert_eq!(found(&texts, "価格はいくらですか"), [(2, 3)]);
        assert_eq!(found(&texts, "Which football club won?"), []);
        assert_eq!(found(&texts, ""), []);
        assert_eq!(found(&[], "anything"), []);
    }

    #[test]
    fn ca_16_rank_ties_keep_order_of_texts() {
        let texts: Vec<(String, &str)> =
            (0..50).map(|number| (format!("{number}.txt"), "The port is 7878.")).collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (&**name, *text)).collect();
        let order: Vec<(usize, u32)> = (0..50).map(|number| (number, 1)).collect();
        assert_eq!(found(&texts, "Which port?"), order);
    }

    #[test]
    fn ca_16_rank_long_passages_are_parted_between_paragraphs() {
        let text =
            format!("# A\n\n{}The port is 7878.\n\n{}", "Tea.\n\n".repeat(50), "Tea.\n".repeat(9));
        let one = Ranked { name: "a.md", text: &text, is_whole: false };
        for (longest, start, shown) in [(1, 103, 1), (40, 93, 6), (5_000, 3, 1)] {
            let ranking = rank(&[one], "Which port?", longest).unwrap();
            let [found] = ranking.passages.as_slice() else { panic!("{ranking:?}") };
            let piece = text.get(found.range.clone()).unwrap();
            assert!(piece.contains("The port is 7878."), "{piece}");
            let line = |end: usize| text.get(..end).unwrap().matches('\n').count() + 1;
            let (first, last) = (line(found.range.start), line(found.range.end));
            assert_eq!((found.first_line as usize, found.last_line as usize), (first, last));
            assert!(longest != 1 || found.first_line == start && piece.lines().count() == shown);
        }
    }

    #[test]
    fn ca_16_rank_more_bytes_or_passages_than_allowed_is_an_error() {
        let text = "a b\n".repeat(MAX_RANKED_BYTES / 4 + 1);
        let huge = Ranked { name: "a.txt", text: &text, is_whole: true };
        let error = rank(&[huge], "a", 9).unwrap_err().to_string();
        assert!(error.contains("67108868 bytes") && error.contains("67108864"), "{error}");
        let small = vec![Ranked { name: "a.txt", text: "a", is_whole: true }; MAX_PASSAGES + 1];
        let error = rank(&small, "a", 9).unwrap_err().to_string();
        assert!(error.contains("200001 passages"), "{error}");
    }
}
