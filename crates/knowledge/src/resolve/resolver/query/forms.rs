//! The question as it is asked of one pack: in its languages, and with its synonyms (MA-7).

use super::{Query, QueryTerm};
use crate::index::Form;
use crate::index::terms::{Language, is_unspaced, word_in};
use crate::synonyms::{Meant, Synonyms};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The weight of what means the same as an expression of the question.
const SYNONYM: f32 = 0.5;

impl Query {
    /// Returns the question as it is asked of a pack: its words as pages in these languages have
    /// them, the words of their grammar as no content, and what means the same in that pack.
    pub(in crate::resolve::resolver) fn of_pack(
        &self,
        languages: &BTreeSet<Language>,
        synonyms: Option<&Synonyms>,
    ) -> Cow<'_, Self> {
        if languages.is_empty() && synonyms.is_none() {
            return Cow::Borrowed(self);
        }
        let mut query = self.clone();
        for term in &mut query.terms {
            take_languages(term, &self.text, languages);
        }
        query.settle();
        let all = std::iter::once(None).chain(languages.iter().copied().map(Some));
        for meant in
            all.flat_map(|one| synonyms.map(|known| known.meant(&self.text, one))).flatten()
        {
            query.take(&meant);
        }
        Cow::Owned(query)
    }

    /// Lets other expressions stand for the terms of one that the question has.
    fn take(&mut self, meant: &Meant) {
        let is_of_it = |term: &&mut QueryTerm| {
            meant.words.contains(&term.text)
                || term.forms.iter().any(|form| {
                    form.weight >= 1.0 && form.words.iter().all(|word| meant.words.contains(word))
                })
        };
        let mut covered: Vec<&mut QueryTerm> = self.terms.iter_mut().filter(is_of_it).collect();
        #[expect(clippy::cast_precision_loss, reason = "a question has few terms")]
        let weight = SYNONYM / covered.len().max(1) as f32;
        for term in &mut covered {
            for words in &meant.others {
                let is_known = |form: &Form| form.words == *words;
                if !term.forms.iter().any(is_known) && *words != [term.text.clone()] {
                    term.forms.push(Form { words: words.clone(), weight });
                }
            }
        }
    }
}

fn take_languages(term: &mut QueryTerm, text: &str, languages: &BTreeSet<Language>) {
    let word = text.get(term.at.clone()).unwrap_or_default();
    if word.chars().any(is_unspaced) {
        return;
    }
    let lower = word.to_lowercase();
    for language in languages {
        let form = Form::own(word_in(word, *language));
        if form.words != [term.text.clone()] && !term.forms.contains(&form) {
            term.forms.push(form);
        }
        if language.has_function_word(&lower) {
            (term.is_content, term.is_weak) = (false, false);
        }
    }
}
