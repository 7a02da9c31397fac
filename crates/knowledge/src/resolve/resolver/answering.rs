//! The part of a section that is about the task (MA-7).

use super::block::Block;
use super::query::Query;
use super::select::Candidate;
use super::shingles::Shingles;
use crate::index::terms::Stream;
use std::collections::HashSet;
use tantivy::tokenizer::TokenStream;

/// Returns the words of the task that a candidate was found by.
pub(super) fn asked(query: &Query, candidate: &Candidate) -> Vec<String> {
    let terms = candidate.terms.iter().filter_map(|number| query.terms.get(*number));
    terms.filter(|term| !term.is_hint).map(|term| term.text.clone()).collect()
}

impl Block {
    /// Returns the runs of words of the paragraphs that have a word of the task. They are none where a
    /// word was found in another form than the task's: which paragraph has it is not known.
    pub(super) fn answering(&self) -> Shingles {
        let (place, text) = (&self.candidate.place, &self.text);
        let known = words(&format!("{}\n{}\n{text}", place.path, place.heading));
        if !self.asked.iter().all(|word| known.contains(word)) {
            return Shingles::default();
        }
        let mut from = 0;
        let paragraphs = self.ends().into_iter().chain([text.len()]).map(|end| {
            let paragraph = text.get(from..end).unwrap_or_default();
            from = end;
            paragraph
        });
        Shingles::of_parts(paragraphs.filter(|paragraph| {
            let own = words(paragraph);
            self.asked.iter().any(|word| own.contains(word))
        }))
    }
}

fn words(text: &str) -> HashSet<String> {
    let mut words = HashSet::new();
    let mut stream = Stream::new(text);
    while stream.advance() {
        words.insert(stream.token().text.clone());
    }
    words
}
