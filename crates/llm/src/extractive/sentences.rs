//! Sentences of a paragraph, in any script.

use super::terms::listed;

/// The marks that end a sentence without a space after it.
const FULL_STOPS: [char; 7] = ['。', '！', '？', '｡', '．', '।', '؟'];

/// The marks between the end of a sentence and the space: closing quotes, brackets, emphasis.
const CLOSERS: [char; 16] =
    ['"', '\'', '”', '’', ')', ']', '}', '»', '」', '』', '）', '】', '*', '_', '`', '〉'];

/// Words that end with a full stop and not the sentence.
const ABBREVIATIONS: &str = "e.g i.e etc vs cf mr mrs ms dr prof st no nr fig sec ca approx al inc ltd co corp dept jan \
    feb mar apr jun jul aug sep sept oct nov dec z.b d.h u.a bzw p pp vol";

/// Returns the text with every run of white space as one space, and none around it.
pub(super) fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Returns the sentences of a text in which white space is normal; each is a part of it.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let stop = FULL_STOPS.contains(&c);
        if !stop && !matches!(c, '.' | '!' | '?' | '…') {
            continue;
        }
        let mut end = at + c.len_utf8();
        let mut hard = stop;
        while let Some((next, c)) = chars.peek().copied() {
            let more = matches!(c, '.' | '!' | '?' | '…') || FULL_STOPS.contains(&c);
            if !more && !CLOSERS.contains(&c) {
                break;
            }
            hard |= FULL_STOPS.contains(&c);
            end = next + c.len_utf8();
            chars.next();
        }
        let before = text.get(start..at).unwrap_or_default();
        let after = text.get(end..).unwrap_or_default();
        if hard || ends_here(c, before, after) {
            push(text.get(start..end), &mut out);
            start = end;
        }
    }
    push(text.get(start..), &mut out);
    out
}

fn push<'a>(sentence: Option<&'a str>, out: &mut Vec<&'a str>) {
    let sentence = sentence.unwrap_or_default().trim();
    if !sentence.is_empty() {
        out.push(sentence);
    }
}

/// Reports whether a sentence ends at a `.`, `!` or `?` between these texts.
fn ends_here(mark: char, before: &str, after: &str) -> bool {
    let Some(rest) = after.strip_prefix(' ') else { return after.is_empty() };
    if mark != '.' {
        return true;
    }
    // What follows an abbreviation or an initial continues the sentence.
    let word = before.rsplit([' ', '(', '"']).next().unwrap_or_default().to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let lower = rest.starts_with(char::is_lowercase);
    !(initial || lower || listed(&word, ABBREVIATIONS))
}

/// Returns a sentence without emphasis marks that open or close outside it, and without those
/// around the whole: still a part of the text.
pub(super) fn unmarked(sentence: &str) -> &str {
    let mut text = sentence.trim();
    for mark in ["**", "__", "*", "_", "`"] {
        let count = text.matches(mark).count();
        if count % 2 == 1 {
            text = text.strip_prefix(mark).or_else(|| text.strip_suffix(mark)).unwrap_or(text);
        } else if count == 2 {
            let inner = text.strip_prefix(mark).and_then(|text| text.strip_suffix(mark));
            text = inner.unwrap_or(text);
        }
        text = text.trim();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_24_sentences_end_where_reader_expects() {
        let text = "It costs 3.50 a day, e.g. On Sundays. Dr. Who left! \"Why?\" J. Doe asked. See a.b.c v1.2. End";
        assert_eq!(
            sentences(text),
            [
                "It costs 3.50 a day, e.g. On Sundays.",
                "Dr. Who left!",
                "\"Why?\"",
                "J. Doe asked.",
                "See a.b.c v1.2.",
                "End"
            ]
        );
    }

    #[test]
    fn as_24_sentences_of_other_scripts() {
        assert_eq!(
            sentences("今天下雨。“走吗？”他问。好！"),
            ["今天下雨。", "“走吗？”", "他问。", "好！"]
        );
        assert_eq!(sentences("यह एक है। यह दो है।"), ["यह एक है।", "यह दो है।"]);
        assert_eq!(sentences(""), [] as [&str; 0]);
    }

    #[test]
    fn as_24_emphasis_around_or_across_sentence_is_dropped() {
        assert_eq!(unmarked("**Bold one.**"), "Bold one.");
        assert_eq!(unmarked("**Bold one."), "Bold one.");
        assert_eq!(unmarked("**Key**: value and **more**"), "**Key**: value and **more**");
        assert_eq!(unmarked("a `b` c"), "a `b` c");
    }
}
