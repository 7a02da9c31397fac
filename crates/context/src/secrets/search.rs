//! The search for several texts in one walk.

use aho_corasick::packed::Searcher;
use std::ops::Range;

/// Texts to search for.
pub(super) struct Search {
    texts: Vec<&'static str>,
    /// Absent where the processor has no instructions for it: each text is searched by itself then.
    searcher: Option<Searcher>,
}

impl Search {
    pub(super) fn new(texts: Vec<&'static str>) -> Self {
        let searcher = Searcher::new(&texts);
        Self { texts, searcher }
    }

    /// Returns the places of the texts in order, each with the index of its text.
    pub(super) fn find(&self, within: &[u8]) -> Vec<(usize, Range<usize>)> {
        let Some(searcher) = &self.searcher else { return self.one_by_one(within) };
        let place = |found: aho_corasick::Match| (found.pattern().as_usize(), found.range());
        searcher.find_iter(within).map(place).collect()
    }

    fn one_by_one(&self, within: &[u8]) -> Vec<(usize, Range<usize>)> {
        let of = |(index, text): (usize, &&'static str)| {
            let text = text.as_bytes();
            let places = memchr::memmem::find_iter(within, text).map(|at| at..at + text.len());
            places.map(move |place| (index, place)).collect::<Vec<_>>()
        };
        let mut found: Vec<_> = self.texts.iter().enumerate().flat_map(of).collect();
        found.sort_by_key(|(_, place)| place.start);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gu_9_texts_are_found_without_instructions_for_it() {
        let search = Search::new(vec!["sk-", "token", "://"]);
        assert!(search.searcher.is_some(), "too many texts for the fast search");
        let text = b"https://h/?token=sk-1, sk-2 and token";
        assert_eq!(search.find(text).len(), 5);
        assert_eq!(search.find(text), search.one_by_one(text));
    }
}
