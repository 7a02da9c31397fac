//! Asking the index.

use super::opened::Opened;
use super::schema::{Area, Fields, mark_of};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tantivy::collector::TopDocs;
use tantivy::query::{
    Bm25StatisticsProvider, BooleanQuery, BoostQuery, ConstScoreQuery, Occur, Query, TermQuery,
    TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocSet, InvertedIndexReader, TantivyDocument, TantivyError, Term};

/// A section that has terms of the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    pub(crate) address: DocAddress,
    pub(crate) area: Area,
    pub(crate) score: f32,
    /// The terms it has, as bits in the order of the terms.
    pub(crate) terms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) heading: String,
    pub(crate) text: Range<usize>,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
    mark: u64,
}

impl Place {
    /// Returns the section in the text of its file; `None` when that is not the text that was
    /// indexed.
    pub(crate) fn of<'t>(&self, file: &'t str) -> Option<&'t str> {
        file.get(self.text.clone()).filter(|text| self.is_of(text))
    }

    /// Reports whether a text is that of the section as it was indexed.
    pub(crate) fn is_of(&self, text: &str) -> bool {
        mark_of(text) == self.mark
    }
}

/// A form of a term: words that a section has in its place, all of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Form {
    pub(crate) words: Vec<String>,
    /// Its weight beside the term itself, which has 1.
    pub(crate) weight: f32,
}

impl Form {
    /// Returns a term as it is.
    pub(crate) fn own(word: String) -> Self {
        Self { words: vec![word], weight: 1.0 }
    }
}

/// A question to an index: terms in their forms, and how often they occur in the areas that are
/// asked.
pub(crate) struct Search<'a> {
    opened: &'a Opened,
    terms: Vec<Vec<Form>>,
    frequencies: Vec<u64>,
    statistics: Statistics,
}

/// Statistics over the areas asked, as if they were one field: scores of different areas can be
/// compared.
struct Statistics {
    documents: u64,
    /// By word: a form of less weight counts as more frequent than it is.
    frequencies: HashMap<String, u64>,
    /// Per field: the tokens it would have if its sections were all there is.
    tokens: HashMap<Field, u64>,
}

impl Bm25StatisticsProvider for Statistics {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self.tokens.get(&field).copied().unwrap_or(1).max(1))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.documents.max(1))
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let value = term.value();
        let known = value.as_str().and_then(|text| self.frequencies.get(text));
        Ok(known.copied().unwrap_or(0).min(self.documents.max(1)))
    }
}

impl<'a> Search<'a> {
    /// Prepares a question of at most 64 terms.
    pub(crate) fn new(
        opened: &'a Opened,
        terms: Vec<Vec<Form>>,
        areas: &[Area],
    ) -> Result<Self, TantivyError> {
        let (searcher, fields) = (&opened.searcher, &opened.fields);
        let mut documents = 0;
        let mut tokens = HashMap::new();
        let mut sizes = Vec::new();
        for area in areas {
            let size = searcher.doc_freq(&fields.area(*area))?;
            documents += size;
            sizes.push((fields.text(*area), size));
        }
        for (field, size) in sizes {
            let own = searcher.total_num_tokens(field)?;
            let scaled = u128::from(own) * u128::from(documents) / u128::from(size.max(1));
            tokens.insert(field, u64::try_from(scaled).unwrap_or(u64::MAX));
        }
        let frequency = |word: &String| -> tantivy::Result<u64> {
            areas.iter().try_fold(0, |sum, area| {
                let term = Term::from_field_text(fields.text(*area), word);
                Ok(sum + searcher.doc_freq(&term)?)
            })
        };
        let mut frequencies = Vec::with_capacity(terms.len());
        let mut by_word: HashMap<String, u64> = HashMap::new();
        for forms in &terms {
            // A term in the languages of the pack is one term; what means the same is another.
            let (mut own, mut alike) = (0, 0);
            let mut counts = Vec::with_capacity(forms.len());
            for form in forms {
                let of_words = form.words.iter().map(frequency).collect::<Result<Vec<_>, _>>()?;
                let sum = if form.weight < 1.0 { &mut alike } else { &mut own };
                *sum += of_words.iter().min().copied().unwrap_or(0);
                counts.push(of_words);
            }
            let all = if own > 0 { own } else { alike }.min(documents.max(1));
            for (form, of_words) in forms.iter().zip(counts) {
                for (word, count) in form.words.iter().zip(of_words) {
                    let counted = if form.weight < 1.0 { count } else { all };
                    let counted = weighted(counted, documents, form.weight);
                    let known = by_word.entry(word.clone()).or_insert(counted);
                    *known = counted.min(*known);
                }
            }
            frequencies.push(all);
        }
        let statistics = Statistics { documents, frequencies: by_word, tokens };
        Ok(Self { opened, terms, frequencies, statistics })
    }

    pub(crate) fn frequencies(&self) -> &[u64] {
        &self.frequencies
    }

    pub(crate) fn documents(&self) -> u64 {
        self.statistics.documents
    }

    /// Returns the best sections of an area, best first.
    pub(crate) fn hits(&self, area: Area, most: usize) -> Result<Vec<Hit>, TantivyError> {
        self.found(area, most, None)
    }

    /// Returns the best sections of an area in some files, best first.
    pub(crate) fn hits_on(
        &self,
        area: Area,
        most: usize,
        files: &HashSet<String>,
    ) -> Result<Vec<Hit>, TantivyError> {
        self.found(area, most, Some(files))
    }

    fn found(
        &self,
        area: Area,
        most: usize,
        files: Option<&HashSet<String>>,
    ) -> Result<Vec<Hit>, TantivyError> {
        let field = self.opened.fields.text(area);
        let known = self.terms.iter().zip(&self.frequencies).filter(|(_, count)| **count > 0);
        let forms = known.flat_map(|(forms, _)| forms);
        let clauses: Vec<(Occur, Box<dyn Query>)> =
            forms.map(|form| (Occur::Should, clause(form, field))).collect();
        if clauses.is_empty() || most == 0 {
            return Ok(Vec::new());
        }
        let mut query = BooleanQuery::new(clauses);
        if let Some(files) = files {
            let files = files.iter().map(|path| self.opened.fields.file(path)).collect();
            let files = ConstScoreQuery::new(Box::new(TermSetQuery::new::<Vec<Term>>(files)), 0.0);
            let files: Box<dyn Query> = Box::new(files);
            query = BooleanQuery::new(vec![(Occur::Must, Box::new(query)), (Occur::Must, files)]);
        }
        let searcher = &self.opened.searcher;
        let found = searcher.search_with_statistics_provider(
            &query,
            &TopDocs::with_limit(most).order_by_score(),
            &self.statistics,
        )?;
        let mut hits: Vec<Hit> = found
            .into_iter()
            .map(|(score, address)| Hit { address, area, score, terms: 0 })
            .collect();
        self.mark_terms(field, &mut hits)?;
        Ok(hits)
    }

    /// Notes which terms each hit has.
    fn mark_terms(&self, field: Field, hits: &mut [Hit]) -> Result<(), TantivyError> {
        for (segment, reader) in (0_u32..).zip(self.opened.searcher.segment_readers()) {
            let mut here: Vec<&mut Hit> =
                hits.iter_mut().filter(|hit| hit.address.segment_ord == segment).collect();
            if here.is_empty() {
                continue;
            }
            here.sort_unstable_by_key(|hit| hit.address.doc_id);
            let documents: Vec<u32> = here.iter().map(|hit| hit.address.doc_id).collect();
            let inverted = reader.inverted_index(field)?;
            for (bit, forms) in self.terms.iter().enumerate().take(64) {
                for form in forms {
                    let mut with = documents.clone();
                    for word in &form.words {
                        let word = Term::from_field_text(field, word);
                        keep_those_with(&inverted, &word, &mut with)?;
                    }
                    for hit in &mut here {
                        if with.binary_search(&hit.address.doc_id).is_ok() {
                            hit.terms |= 1 << bit;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Sections that shape tone, persona and taboos.
    pub(crate) fn persona(&self, most: usize) -> Result<Vec<DocAddress>, TantivyError> {
        self.all(self.opened.fields.persona(), most)
    }

    pub(crate) fn sections(
        &self,
        path: &str,
        most: usize,
    ) -> Result<Vec<DocAddress>, TantivyError> {
        self.all(self.opened.fields.file(path), most)
    }

    /// Returns the sections of an area.
    pub(crate) fn area(&self, area: Area, most: usize) -> Result<Vec<DocAddress>, TantivyError> {
        self.all(self.opened.fields.area(area), most)
    }

    fn all(&self, term: Term, most: usize) -> Result<Vec<DocAddress>, TantivyError> {
        let searcher = &self.opened.searcher;
        let query = TermQuery::new(term, IndexRecordOption::Basic);
        let mut found: Vec<DocAddress> =
            searcher.search(&query, &tantivy::collector::DocSetCollector)?.into_iter().collect();
        found.sort_unstable();
        found.truncate(most);
        Ok(found)
    }

    /// Returns the sections indexed before and after one, as far as they are there: of one file
    /// mostly its neighbours, which the caller has to check.
    pub(crate) fn beside(&self, address: DocAddress) -> impl Iterator<Item = DocAddress> + use<> {
        let DocAddress { segment_ord, doc_id } = address;
        let reader = self.opened.searcher.segment_readers().get(segment_ord as usize);
        let is_there = |doc: &u32| {
            reader.is_some_and(|reader| *doc < reader.max_doc() && !reader.is_deleted(*doc))
        };
        let both = [doc_id.checked_sub(1), doc_id.checked_add(1)];
        let found: Vec<u32> = both.into_iter().flatten().filter(is_there).collect();
        found.into_iter().map(move |doc| DocAddress::new(segment_ord, doc))
    }

    pub(crate) fn place(&self, address: DocAddress) -> Result<Place, TantivyError> {
        let document: TantivyDocument = self.opened.searcher.doc(address)?;
        place(&self.opened.fields, &document)
            .ok_or_else(|| TantivyError::InternalError("a section without a place".to_owned()))
    }
}

fn place(fields: &Fields, document: &TantivyDocument) -> Option<Place> {
    let (path, heading, place) = fields.read(document)?;
    let [start, end, first_line, last_line, high, low] = place;
    let text = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
    let mark = u64::from(high) << 32 | u64::from(low);
    Some(Place { path, heading, text, first_line, last_line, mark })
}

/// Returns how frequent a word has to be for its weight to be that share of what it is at a
/// frequency: the weight is `ln((documents + 1) / (frequency + 0.5))`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of sections are small, and the result lies between them"
)]
fn weighted(frequency: u64, documents: u64, weight: f32) -> u64 {
    if weight >= 1.0 {
        return frequency;
    }
    let all = documents as f64 + 1.0;
    let share = (frequency as f64 + 0.5) / all;
    (all * share.powf(f64::from(weight)) - 0.5).clamp(0.0, documents as f64) as u64
}

/// Returns what finds the sections with a form.
fn clause(form: &Form, field: Field) -> Box<dyn Query> {
    let of_word = |word: &String| -> Box<dyn Query> {
        let term = Term::from_field_text(field, word);
        Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
    };
    match form.words.as_slice() {
        [word] => of_word(word),
        words => {
            let all = words.iter().map(|word| (Occur::Must, of_word(word))).collect();
            #[expect(clippy::cast_precision_loss, reason = "a form has few words")]
            let each = 1.0 / words.len().max(1) as f32;
            Box::new(BoostQuery::new(Box::new(BooleanQuery::new(all)), each))
        }
    }
}

/// Notes which of these sections, in their order, have a word.
fn keep_those_with(
    inverted: &InvertedIndexReader,
    word: &Term,
    here: &mut Vec<u32>,
) -> Result<(), TantivyError> {
    let Some(mut postings) = inverted.read_postings(word, IndexRecordOption::Basic)? else {
        here.clear();
        return Ok(());
    };
    here.retain(|document| {
        let at = postings.doc();
        let at = if at < *document { postings.seek(*document) } else { at };
        at == *document
    });
    Ok(())
}
