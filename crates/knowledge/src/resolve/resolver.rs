//! Choosing and packing sections, over the search index.

mod answering;
mod block;
mod compose;
mod evidence;
mod failure;
mod meaning;
mod missing;
pub(crate) mod query;
mod queue;
mod report;
mod reranking;
mod select;
mod shingles;
mod texts;

pub use crate::index::{IndexError as ResolveError, IndexReport, NotIndexed};
pub use meaning::Embedding;
pub use reranking::Reranking;
pub use select::rank::{MAX_PASSAGES, MAX_RANKED_BYTES, Passage, RankError, Ranked, Ranking, rank};

use super::types::{Intent, Resolution, SearchHit, SearchHits, Task};
use crate::index::{Place, Purpose, Store, View};
use crate::item::Grounding;
use crate::pack::Pack;
use crate::said;
use crate::synonyms::{self, Synonyms};
use block::Block;
use compose::{Part, Ranked as RankedPart, Sheet};
use contexture_context::tokens::TokenCounter;
use meaning::Meaning;
use query::Query;
use report::{Asked, Report};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use texts::{Files, Texts};

/// A pack whose best section has less than this share of what the best of all has is left out.
const STRANGER: f32 = 0.5;

/// Chooses and packs sections. It keeps indexes open and is meant to live long; it can be shared
/// between threads.
///
/// ```
/// use contexture_context::tokens::tokenizer_for;
/// use contexture_knowledge::resolve::{Resolver, Task};
///
/// let resolver = Resolver::new(tokenizer_for("openai://gpt-4o"), None);
/// let nothing = resolver.resolve(&[], &Task::new("What does it cost?", 2_000))?;
/// assert_eq!(nothing.context, "");
/// assert_eq!(nothing.missing[0].recommendation, "ask_user_or_mark_unknown");
/// # Ok::<(), contexture_knowledge::resolve::ResolveError>(())
/// ```
pub struct Resolver {
    counter: &'static dyn TokenCounter,
    store: Store,
    texts: Texts,
    embedding: Option<Arc<Embedding>>,
    reranking: Option<Arc<Reranking>>,
}

impl std::fmt::Debug for Resolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolver").field("counter", &self.counter).finish_non_exhaustive()
    }
}

impl Resolver {
    /// Returns a resolver that counts with that tokenizer and keeps its indexes in the folder
    /// `cache`, or in memory when there is none.
    #[must_use]
    pub fn new(counter: &'static dyn TokenCounter, cache: Option<PathBuf>) -> Self {
        let (store, texts) = (Store::new(cache), Texts::default());
        Self { counter, store, texts, embedding: None, reranking: None }
    }

    /// Trusts a look at the files of a pack for that long, in place of looking before each
    /// question. Changes to a pack may go unseen for as long.
    #[must_use]
    pub fn with_recheck(mut self, recheck: Duration) -> Self {
        self.store.set_recheck(recheck);
        self
    }

    /// Finds sections by their meaning, too, and ranks them by words and meaning (HO-2).
    #[must_use]
    pub fn with_embedding(mut self, embedding: Arc<Embedding>) -> Self {
        self.embedding = Some(embedding);
        self
    }

    /// Orders the sections that were found by a model that reads each together with the task (MA-7).
    #[must_use]
    pub fn with_reranking(mut self, reranking: Arc<Reranking>) -> Self {
        self.reranking = Some(reranking);
        self
    }

    /// Returns a resolver of the same indexes that goes by words alone; `None` when this one does.
    pub(crate) fn by_words(&self) -> Option<Self> {
        if self.embedding.is_none() && self.reranking.is_none() {
            return None;
        }
        let (store, texts) = (self.store.again(), Texts::default());
        Some(Self { counter: self.counter, store, texts, embedding: None, reranking: None })
    }

    /// Brings the index of a pack up to date, or rebuilds it; with an embedder the vectors of its
    /// passages, too.
    ///
    /// # Errors
    /// [`ResolveError`] when the pack can't be listed or the engine fails in memory.
    pub fn index(&self, pack: &Pack, rebuild: bool) -> Result<IndexReport, ResolveError> {
        let purpose = if rebuild { Purpose::Rebuild } else { Purpose::Ask };
        let view = self.store.open(pack, purpose)?;
        let mut report = view.report.clone();
        report.not_indexed = self.store.not_indexed(pack)?;
        if let Some(embedding) = &self.embedding {
            let read = |place: &Place| self.texts.section(pack, &view, place);
            let meaning = Meaning { embedding, store: &self.store, view: &view, read: &read };
            let made = meaning.index(&mut report.warnings);
            made.map_err(|source| ResolveError::engine(pack, source))?;
        }
        Ok(report)
    }

    /// Returns the content of the packs for a task, fenced and never over its budget (KN-9).
    ///
    /// # Errors
    /// [`ResolveError`] when a pack can't be listed or an index fails and can't be rebuilt.
    pub fn resolve(&self, packs: &[Pack], task: &Task) -> Result<Resolution, ResolveError> {
        let query = Query::of(&task.text);
        let intent = task.intent.unwrap_or_else(|| query.intent());
        let (asked, composed) = self.answered(packs, &query, intent, task, |asked, block| {
            let sheets = asked.iter().map(|asked| sheet(asked, task, intent)).collect();
            compose::compose(sheets, task.budget, self.counter, block)
        })?;
        Ok(Report { texts: &self.texts, asked: &asked, query: &query, task, intent }.of(composed))
    }

    /// Returns the best sections of the packs for a question, at most `most` of them, best first:
    /// what [`Resolver::resolve`] packs under a budget (MA-10).
    ///
    /// # Errors
    /// As [`Resolver::resolve`].
    pub fn search(
        &self,
        packs: &[Pack],
        task: &Task,
        most: usize,
    ) -> Result<SearchHits, ResolveError> {
        let query = Query::of(&task.text);
        let intent = task.intent.unwrap_or_else(|| query.intent());
        let (asked, hits) = self.answered(packs, &query, intent, task, |asked, block| {
            let sheets: Vec<Sheet> = asked.iter().map(|asked| sheet(asked, task, intent)).collect();
            let ranked = compose::order(&sheets);
            let hit = |part: Part| {
                let pack = asked.get(part.pack)?.pack;
                Some(SearchHit::of(pack, &block(part)?))
            };
            ranked.into_iter().filter_map(hit).take(most).collect()
        })?;
        let told = asked.iter().flat_map(Asked::told);
        Ok(SearchHits { hits, warnings: told.map(|warning| said::line(&warning)).collect() })
    }

    /// Asks the packs and makes something of the answers. It is made again once when a file is not
    /// what was indexed, although its size and time are the same.
    fn answered<'p, T>(
        &self,
        packs: &'p [Pack],
        query: &Query,
        intent: Intent,
        task: &Task,
        make: impl Fn(&[Asked<'p>], &dyn Fn(Part) -> Option<Block>) -> T,
    ) -> Result<(Vec<Asked<'p>>, T), ResolveError> {
        let mut purpose = Purpose::Ask;
        loop {
            let asked = self.ask_all(packs, query, intent, task, purpose)?;
            let has_changed = Cell::new(false);
            let made = make(&asked, &|part| self.block(query, &asked, (part, &has_changed)));
            if !has_changed.get() || purpose != Purpose::Ask {
                return Ok((asked, made));
            }
            purpose = Purpose::AskAgain;
        }
    }

    fn ask_all<'p>(
        &self,
        packs: &'p [Pack],
        query: &Query,
        intent: Intent,
        task: &Task,
        purpose: Purpose,
    ) -> Result<Vec<Asked<'p>>, ResolveError> {
        let mut asked: Vec<Asked<'_>> = Vec::with_capacity(packs.len());
        for pack in packs {
            let found = self.ask(pack, query, intent, task, purpose)?;
            if !asked.iter().any(|other| other.view.key == found.view.key) {
                asked.push(found);
            }
        }
        leave_out_strangers(&mut asked);
        Ok(asked)
    }

    /// Asks one pack; a damaged index is rebuilt once.
    fn ask<'p>(
        &self,
        pack: &'p Pack,
        query: &Query,
        intent: Intent,
        task: &Task,
        mut purpose: Purpose,
    ) -> Result<Asked<'p>, ResolveError> {
        let mut warnings = Vec::new();
        loop {
            let view = self.store.open(pack, purpose)?;
            warnings.extend(view.report.warnings.iter().cloned());
            let read = |place: &Place| self.texts.section(pack, &view, place);
            let synonyms = self.synonyms(pack, &view, &mut warnings);
            // The engine trusts its files; those of a damaged disk may make it panic.
            let result = catch_unwind(AssertUnwindSafe(|| {
                let mut selected = {
                    let own = (&read as &select::Reader<'_>, synonyms.as_deref());
                    select::select(&view, pack, query, intent, task, own)?
                };
                let mut told = Vec::new();
                if let Some(embedding) = &self.embedding {
                    let areas = select::areas(&view, intent, task);
                    let meaning =
                        Meaning { embedding, store: &self.store, view: &view, read: &read };
                    meaning.fuse(&mut selected, query, &areas, &mut told)?;
                }
                if let Some(reranking) = &self.reranking {
                    reranking.order(&mut selected, &task.text, &read, &mut told);
                }
                Ok((selected, told))
            }));
            let problem = match result {
                Ok(Ok((selected, told))) => {
                    warnings.extend(told);
                    return Ok(Asked { pack, view, selected, warnings });
                }
                Ok(Err(source)) => ResolveError::engine(pack, source),
                Err(_) => ResolveError::Damaged { pack: pack.item().name.clone() },
            };
            if purpose == Purpose::Rebuild {
                return Err(problem);
            }
            warnings.push(format!("{problem}; it was built anew"));
            purpose = Purpose::Rebuild;
        }
    }

    /// Returns the synonyms of a pack; `None` when it has none.
    fn synonyms(
        &self,
        pack: &Pack,
        view: &View,
        warnings: &mut Vec<String>,
    ) -> Option<Arc<Synonyms>> {
        if !view.listing.contains_key(synonyms::FILE) {
            return None;
        }
        match self.texts.get(pack, view, synonyms::FILE) {
            Ok(text) => {
                let (synonyms, problems) = text.synonyms();
                if *problems > 0 {
                    let (file, command) = (synonyms::FILE, "contexture knowledge validate");
                    warnings.push(format!(
                        "`{file}` has lines that are not used: {problems}; `{command}` names them"
                    ));
                }
                Some(Arc::clone(synonyms))
            }
            Err(error) => {
                warnings.push(said::line(&format!("`{}` is not used: {error}", synonyms::FILE)));
                None
            }
        }
    }

    /// Returns a candidate as it would be shown.
    fn block(
        &self,
        query: &Query,
        asked: &[Asked<'_>],
        (part, has_changed): (Part, &Cell<bool>),
    ) -> Option<Block> {
        let asked = asked.get(part.pack)?;
        let candidate = asked.selected.candidates.get(part.candidate)?;
        let Some(text) = self.texts.section(asked.pack, &asked.view, &candidate.place) else {
            has_changed.set(true);
            return None;
        };
        let map = evidence::map(&self.texts, asked.pack, &asked.view).and_then(Result::ok);
        let files = Files { texts: &self.texts, pack: asked.pack, view: &asked.view };
        Some(Block::new(query, candidate, text, (map.as_deref(), &files)))
    }
}

/// Returns what a pack's part of the context looks like before there is anything in it.
fn sheet(asked: &Asked<'_>, task: &Task, intent: Intent) -> Sheet {
    let item = asked.pack.item();
    let grounding = task.grounding.unwrap_or(item.grounding);
    Sheet {
        fence: crate::fence::knowledge(item, grounding, task.english),
        lists_sources: grounding == Grounding::Required || task.evidence || intent.wants_evidence(),
        weight: asked.selected.coverage,
        candidates: asked
            .selected
            .candidates
            .iter()
            .map(|one| RankedPart {
                score: one.score,
                bytes: one.place.text.len(),
                group: one.group,
            })
            .collect(),
    }
}

/// Leaves out packs that have far less of the task than the best one has, but for what shapes tone
/// and persona of what is to be written.
fn leave_out_strangers(asked: &mut [Asked<'_>]) {
    let best = asked.iter().map(|asked| asked.selected.coverage).fold(0.0, f32::max);
    for asked in asked.iter_mut().filter(|asked| asked.selected.coverage < best * STRANGER) {
        let shapes = asked.selected.shapes;
        asked.selected.candidates.retain(|candidate| shapes && candidate.terms.is_empty());
    }
}

#[cfg(test)]
mod tests;
