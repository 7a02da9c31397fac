//! Positions in a file of the parts of a string's value.

use super::literal::{Decoded, block_lines, offset, read_escape};
use contexture_diagnostic::Span;

/// A map from offsets in a text to offsets in its file, for texts composed of literals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// The start of each stretch, in the text and in the file. Within a stretch both advance alike.
    stretches: Vec<(usize, u32)>,
}

impl Places {
    /// Adds a literal, quotes included, whose value `value` begins at `at` in the text.
    pub(crate) fn literal(&mut self, at: usize, value: &str, raw: &str, span: Span) {
        let first = self.stretches.len();
        let block = raw.starts_with("\"\"\"") || raw.starts_with("'''");
        let quotes = if block { 3 } else { 1 };
        let inner = raw.get(quotes..raw.len().saturating_sub(quotes)).unwrap_or_default();
        let start = span.start.saturating_add(offset(quotes));
        let lines = if block { block_lines(inner, start) } else { vec![(inner, start)] };
        let mut decoded = Decoded::default();
        for (index, (text, place)) in lines.into_iter().enumerate() {
            if index > 0 {
                decoded.value.push('\n');
            }
            self.line(at, &mut decoded, text, place);
        }
        // A literal that was fixed while it was parsed has one place for all of it.
        if decoded.value != value {
            self.stretches.truncate(first);
            self.whole(at, span);
        }
    }

    /// Adds a part that has one place for all of it.
    pub(crate) fn whole(&mut self, at: usize, span: Span) {
        self.stretches.push((at, span.start));
    }

    fn line(&mut self, at: usize, decoded: &mut Decoded, text: &str, start: u32) {
        let mut rest = text;
        loop {
            let done = start.saturating_add(offset(text.len() - rest.len()));
            self.stretches.push((at + decoded.value.len(), done));
            let Some((plain, escape)) = rest.find('\\').and_then(|at| rest.split_at_checked(at))
            else {
                break decoded.value.push_str(rest);
            };
            decoded.value.push_str(plain);
            let begin = start.saturating_add(offset(text.len() - escape.len()));
            self.stretches.push((at + decoded.value.len(), begin));
            let length = read_escape(decoded, escape, begin);
            rest = escape.get(length..).unwrap_or_default();
        }
    }

    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let first = self.place(start);
        // The last character's own place, so that following text in the file does not count.
        let last = self.place(end.saturating_sub(1).max(start));
        Span::new(first, last.saturating_add(1).max(first))
    }

    fn place(&self, at: usize) -> u32 {
        let next = self.stretches.partition_point(|(begin, _)| *begin <= at);
        let begin = next.checked_sub(1).and_then(|index| self.stretches.get(index));
        let Some((begin, place)) = begin else { return 0 };
        let place = place.saturating_add(offset(at - begin));
        // The value of an escape may be longer than the rest of its source.
        let bound = self.stretches.get(next).map(|(_, bound)| *bound).filter(|bound| *bound > 0);
        bound.filter(|bound| place >= *bound).map_or(place, |bound| bound - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the source text of each part of the value of the literal `raw`.
    fn shown(raw: &str, value: &str, parts: &[&str]) -> Vec<String> {
        let file = format!("x = {raw} + y");
        let mut places = Places::default();
        let span = Span::new(4, 4 + offset(raw.len()));
        places.literal(0, value, raw, span);
        let find = |part: &&str| {
            let at = value.find(*part).unwrap();
            let Span { start, end } = places.span(at, at + part.len());
            file.get(start as usize..end as usize).unwrap().to_owned()
        };
        parts.iter().map(find).collect()
    }

    #[test]
    fn ref_6_parts_of_literal_have_places() {
        assert_eq!(shown(r#""see @a""#, "see @a", &["@a", "see"]), ["@a", "see"]);
        let escaped = r#""读\n\"@a\"\u{4f60}@b""#;
        assert_eq!(shown(escaped, "读\n\"@a\"你@b", &["@a", "@b"]), ["@a", "@b"]);
        let block = "\"\"\"\n    one\n\n      @a\\t@b\n    \"\"\"";
        assert_eq!(shown(block, "one\n\n  @a\t@b", &["@a", "@b", "one"]), ["@a", "@b", "one"]);
    }

    #[test]
    fn ref_6_fixed_literal_is_placed_at_start() {
        assert_eq!(shown("\"abcd\"", "other", &["ot", "th"]), ["\"a", "ab"]);
        assert_eq!(Places::default().span(3, 5), Span::new(0, 1));
    }
}
