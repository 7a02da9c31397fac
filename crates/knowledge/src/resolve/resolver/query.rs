//! The question: its terms, which of them matter, and what is wanted (KN-10, KN-11).

pub(super) mod asking;
mod forms;
mod words;

use crate::index::Form;
use crate::index::terms::{Kind, Stream, comparable};
use crate::resolve::types::Intent;
use asking::{Phrase, is_hiragana};
use std::ops::Range;
use tantivy::tokenizer::TokenStream;

/// The most different terms that are looked for; of a longer task the rarest are taken.
pub(super) const MAX_TERMS: usize = 60;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueryTerm {
    /// As the index has it.
    pub(crate) text: String,
    /// Its first place in [`Query::text`].
    pub(super) at: Range<usize>,
    /// True if it shows what the task is about; other terms only rank.
    pub(crate) is_content: bool,
    /// True if it is a pair of characters of a script without spaces.
    pub(super) is_pair: bool,
    /// True if it is one character of such a script beside others: a hint, since words are longer.
    pub(super) is_hint: bool,
    /// True if it belongs to how tasks are worded: it is content when the task has no other, or
    /// where a heading of the pack has it.
    pub(super) is_weak: bool,
    /// What a pack may have in its place, by its languages and synonyms.
    pub(super) forms: Vec<Form>,
}

impl QueryTerm {
    /// Returns all that is looked for: the term, and what a pack may have in its place.
    pub(super) fn sought(&self) -> Vec<Form> {
        let own = [Form::own(self.text.clone())];
        own.into_iter().chain(self.forms.iter().cloned()).collect()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Query {
    /// The text in comparable form.
    pub(crate) text: String,
    pub(crate) terms: Vec<QueryTerm>,
}

impl Query {
    pub(crate) fn of(task: &str) -> Self {
        let text = comparable(task).into_owned();
        let stops = asking::phrases(&text);
        let mut terms: Vec<QueryTerm> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut stream = Stream::new(&text);
        while stream.advance() {
            let token = stream.token();
            let at = token.offset_from..token.offset_to;
            let Some(is_content) = weight(&text, &at, stream.kind(), &stops) else { continue };
            if seen.insert(token.text.clone()) {
                let is_pair = stream.kind() == Kind::Two;
                let is_hint = stream.kind() == Kind::One && !is_content;
                let text = token.text.clone();
                let is_weak = !is_content && !is_hint;
                terms.push(QueryTerm {
                    text,
                    at,
                    is_content,
                    is_pair,
                    is_hint,
                    is_weak,
                    forms: Vec::new(),
                });
            }
        }
        let mut query = Self { text, terms };
        query.settle();
        query
    }

    /// Takes all terms for content where none is.
    fn settle(&mut self) {
        if !self.terms.iter().any(|term| term.is_content) {
            self.terms.iter_mut().for_each(|term| term.is_content = true);
        }
    }

    /// Returns the intent that the words show.
    pub(super) fn intent(&self) -> Intent {
        words::intent(&self.text)
    }

    pub(super) fn is_writing(&self) -> bool {
        words::is_writing(&self.text)
    }
}

/// Reports whether a term is content, only ranks, or is left out.
fn weight(text: &str, at: &Range<usize>, kind: Kind, stops: &[Phrase]) -> Option<bool> {
    let mut met = stops.iter().filter(|stop| stop.at.start < at.end && at.start < stop.at.end);
    if let Some(stop) = met.next() {
        let is_its_own = stop.at.start <= at.start && at.end <= stop.at.end;
        return (stop.is_word && is_its_own && kind == Kind::Two).then_some(false);
    }
    let piece = text.get(at.clone()).unwrap_or_default();
    match kind {
        Kind::Word => {
            let lower = piece.to_lowercase();
            if words::is_stop(&lower) { None } else { Some(!words::is_weak(&lower)) }
        }
        Kind::Two => Some(!piece.chars().any(words::is_function) && !is_seam(piece)),
        // Alone, what Japanese writes its grammar with is a particle.
        Kind::One if piece.chars().any(|c| words::is_function(c) || is_hiragana(c)) => None,
        Kind::One => Some(!touches(text, at, stops)),
    }
}

/// Reports whether a pair is the end of a word and the particle behind it, or the beginning of the
/// next: where Japanese changes its script, words end.
fn is_seam(pair: &str) -> bool {
    pair.chars().any(is_hiragana) && !pair.chars().all(is_hiragana)
}

/// Reports whether a character has a neighbour with which it makes a pair.
fn touches(text: &str, at: &Range<usize>, stops: &[Phrase]) -> bool {
    let free = |at: usize| !stops.iter().any(|stop| stop.at.contains(&at));
    let before = text.get(..at.start).and_then(|text| text.char_indices().next_back());
    let after = text.get(at.end..).and_then(|text| text.chars().next()).map(|c| (at.end, c));
    [before, after].into_iter().flatten().any(|(at, c)| {
        crate::index::terms::is_unspaced(c) && !words::is_function(c) && !is_hiragana(c) && free(at)
    })
}

#[cfg(test)]
mod tests;
