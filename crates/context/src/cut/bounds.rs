//! Positions of cuts: graphemes, and the ends of lines, sentences and words.

use unicode_segmentation::UnicodeSegmentation;

/// The number of bytes that may be lost by going back to the end of a line or sentence.
pub(super) const NEAR_LINE: usize = 600;
/// The same for the end of a word.
const NEAR_WORD: usize = 120;
/// The range around a position in which graphemes are examined. Only a grapheme longer than this
/// could be taken for two.
const MARGIN: usize = 256;

/// The greatest number of blanks and closing signs after a full stop, in characters.
const TRAILER: usize = 16;

/// The rank of an end in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    Line,
    Word,
    Grapheme,
}

/// Returns the end of the kept part, among the rising `ends` of tokens: the last good one.
///
/// If the token ends near the last all lie inside graphemes, the last grapheme's beginning is
/// taken, which may be 0.
pub(super) fn choose_end(text: &str, ends: &[usize]) -> usize {
    let Some(last) = ends.last().copied() else { return 0 };
    let reach = |near: usize| last - near.min(last / 4);
    let window = last.saturating_sub(NEAR_LINE);
    let graphemes = graphemes(text, window, last);
    let near = ends.iter().rev().copied().take_while(|at| *at >= window);
    let whole: Vec<_> = near.filter(|at| graphemes.binary_search(at).is_ok()).collect();
    let best = |rank: Rank, floor: usize| {
        whole.iter().copied().take_while(|at| *at >= floor).find(|at| ends_here(text, *at, rank))
    };
    best(Rank::Line, reach(NEAR_LINE))
        .or_else(|| best(Rank::Word, reach(NEAR_WORD)))
        .or_else(|| best(Rank::Grapheme, window))
        .unwrap_or_else(|| grapheme_before(text, last))
}

/// Returns the start of the kept part, among the rising `starts` of tokens: the first good one.
pub(super) fn choose_start(text: &str, starts: &[usize]) -> usize {
    let Some(first) = starts.first().copied() else { return text.len() };
    let reach = |near: usize| first + near.min((text.len() - first) / 4);
    let window = first.saturating_add(NEAR_LINE);
    let graphemes = graphemes(text, first, window);
    let near = starts.iter().copied().take_while(|at| *at <= window);
    let whole: Vec<_> = near.filter(|at| graphemes.binary_search(at).is_ok()).collect();
    let best = |rank: Rank, ceiling: usize| {
        whole.iter().copied().take_while(|at| *at <= ceiling).find(|at| ends_here(text, *at, rank))
    };
    best(Rank::Line, reach(NEAR_LINE))
        .or_else(|| best(Rank::Word, reach(NEAR_WORD)))
        .or_else(|| best(Rank::Grapheme, window))
        .unwrap_or_else(|| grapheme_after(text, first))
}

fn ends_here(text: &str, at: usize, rank: Rank) -> bool {
    match rank {
        Rank::Line => is_line_end(text, at) || is_sentence_end(text, at),
        Rank::Word => is_word_end(text, at),
        Rank::Grapheme => true,
    }
}

fn sides(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(at).unwrap_or((text, ""))
}

/// Reports whether a line begins at `at`, or ends there except for its line end.
fn is_line_end(text: &str, at: usize) -> bool {
    let (before, after) = sides(text, at);
    before.ends_with(is_line_break) || after.starts_with(is_line_break)
}

/// Reports whether `text` has a line break, or its end, right before `at`.
pub(super) fn is_line_start(text: &str, at: usize) -> bool {
    let (before, _) = sides(text, at);
    before.is_empty() || before.ends_with(is_line_break)
}

const fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// Reports whether a sentence of any script ends at `at`, including closing quotes and brackets.
fn is_sentence_end(text: &str, at: usize) -> bool {
    let (before, after) = sides(text, at);
    let next = after.chars().next();
    if next.is_some_and(|c| is_closer(c) || terminates(c)) {
        return false;
    }
    let blank = before.ends_with(char::is_whitespace);
    let mut sentence = before.chars().rev().take(TRAILER);
    match sentence.find(|c| !c.is_whitespace() && !is_closer(*c)) {
        // `3.14` and `e.g.,` continue; a sign followed by a blank ends a sentence.
        Some('.' | '!' | '?' | '…') => blank || next.is_none_or(char::is_whitespace),
        Some(c) => terminates(c),
        None => false,
    }
}

const fn terminates(c: char) -> bool {
    matches!(
        c,
        '.' | '!' | '?' | '…' | '‼' | '⁇' | '⁈' | '⁉'
        // East Asian
        | '。' | '．' | '｡' | '！' | '？'
        // Arabic, Urdu, Syriac, N'Ko
        | '؟' | '۔' | '؞' | '܀' | '܁' | '܂' | '߹'
        // Devanagari and other danda, Myanmar, Khmer, Tibetan, Sinhala, Lao ellipsis
        | '।' | '॥' | '၊' | '။' | '។' | '៕' | '།' | '༎' | '෴'
        // Armenian, Ethiopic, Mongolian, Ol Chiki, Vai, Lisu, Javanese, Balinese
        | '։' | '።' | '፧' | '፨' | '᠃' | '᠉' | '᱾' | '᱿' | '꘎' | '꘏' | '꓿' | '꧉' | '᭞' | '᭟'
    )
}

const fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '”' | '’' | '»' | '›' | ')' | ']' | '}'
        // East Asian
        | '」' | '』' | '】' | '》' | '〉' | '〕' | '）' | '］' | '｝' | '｣'
    )
}

fn is_word_end(text: &str, at: usize) -> bool {
    let (before, after) = sides(text, at);
    let (before, after) = (before.chars().next_back(), after.chars().next());
    let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !(in_word(before) && in_word(after))
}

fn graphemes(text: &str, from: usize, to: usize) -> Vec<usize> {
    let start = even_start(text, text.floor_char_boundary(from.saturating_sub(MARGIN)));
    let end = text.ceil_char_boundary(to.saturating_add(MARGIN).min(text.len()));
    let part = text.get(start..end).unwrap_or_default();
    let mut bounds: Vec<usize> = part.grapheme_indices(true).map(|(at, _)| start + at).collect();
    // The part's own ends are bounds only where they are the text's.
    if start > 0 && !bounds.is_empty() {
        bounds.remove(0);
    }
    if end == text.len() {
        bounds.push(end);
    }
    bounds
}

/// Aligns a range to flags, which are pairs of regional indicators: in a row of them it must begin
/// at a pair.
fn even_start(text: &str, at: usize) -> usize {
    let (before, after) = sides(text, at);
    let is_indicator = |c: &char| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
    if !after.chars().next().is_some_and(|c| is_indicator(&c)) {
        return at;
    }
    let run = before.chars().rev().take_while(is_indicator).count();
    if run % 2 == 1 { at - '\u{1f1e6}'.len_utf8() } else { at }
}

pub(super) fn is_grapheme_end(text: &str, at: usize) -> bool {
    graphemes(text, at, at).binary_search(&at).is_ok()
}

/// The length from which on a grapheme may be split, since no reader takes it for one character.
const ABSURD: usize = 64 * 1024;

/// Returns the start of the grapheme that contains or touches `at`.
fn grapheme_before(text: &str, at: usize) -> usize {
    let mut span = MARGIN;
    loop {
        let from = text.floor_char_boundary(at.saturating_sub(span));
        let bound = graphemes(text, from, at).into_iter().rfind(|bound| *bound <= at);
        match bound {
            Some(bound) => return bound,
            None if from == 0 => return 0,
            None if span >= ABSURD => return from,
            None => span = span.saturating_mul(2),
        }
    }
}

/// Returns the end of the grapheme that contains or touches `at`.
pub(super) fn grapheme_after(text: &str, at: usize) -> usize {
    let mut span = MARGIN;
    loop {
        let to = text.ceil_char_boundary(at.saturating_add(span).min(text.len()));
        let bound = graphemes(text, at, to).into_iter().find(|bound| *bound >= at);
        match bound {
            Some(bound) => return bound,
            None if to == text.len() || span >= ABSURD => return to,
            None => span = span.saturating_mul(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_16_sentences_end_in_any_script() {
        for (text, good) in [
            ("One. Two", true),
            ("One.Two", false),
            ("pi is 3.14", false),
            ("Who?! Me", true),
            ("他走了。然后", true),
            ("他说：“走！”然后", true),
            ("کیا؟ ہاں", true),
            ("यह है। वह", true),
            ("(Done.) Next", true),
            ("no end", false),
            ("", false),
        ] {
            let found =
                (1..text.len()).any(|at| text.is_char_boundary(at) && is_sentence_end(text, at));
            assert_eq!(found, good, "{text}");
        }
    }

    #[test]
    fn as_16_closing_quotes_stay_with_their_sentence() {
        let text = "他说：“走！”然后";
        let ends: Vec<_> =
            text.char_indices().map(|(at, _)| at).filter(|at| is_sentence_end(text, *at)).collect();
        assert_eq!(ends, [text.find("然").unwrap()]);
    }

    #[test]
    fn as_16_graphemes_stay_whole() {
        let family = "👨‍👩‍👧‍👦";
        let text = family.repeat(4);
        let every: Vec<_> = (1..text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        assert_eq!(choose_end(&text, &every) % family.len(), 0);
        assert_eq!(choose_start(&text, &every) % family.len(), 0);
        let flags = "🇩🇪🇫🇷".repeat(500);
        for at in [4, 1004, 2020, 3996] {
            assert_eq!(choose_end(&flags, &[at]) % 8, 0);
            assert_eq!(choose_start(&flags, &[at]) % 8, 0);
        }
    }

    #[test]
    fn as_16_grapheme_without_end_is_not_split() {
        let text = format!("ab{}", "\u{301}".repeat(10_000));
        assert_eq!(choose_end(&text, &[9_002]), 1);
        assert_eq!(choose_start(&text, &[9_002]), text.len());
    }
}
