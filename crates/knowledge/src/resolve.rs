//! The resolver: which sections of which packs a task gets, under its budget (KN-9 to KN-12).
//!
//! Sections are found by their words (BM25), chosen by the rules of the pack's profile, and packed
//! so that fences, notices and the list of sources are counted in. What does not match the task is
//! left out even if it would fit.
//!
//! Decision: the context is counted as a whole, with the tokenizer of the model, after it was
//! fenced. Estimates only decide what to try; a context above its budget is never returned.
//!
//! The feature `search` (on by default) adds the resolver; what it is asked and what it answers are
//! there without it.

#[cfg(feature = "search")]
mod resolver;
mod types;

#[cfg(feature = "search")]
pub(crate) use resolver::query;
#[cfg(feature = "search")]
pub use resolver::{
    Embedding, IndexReport, MAX_PASSAGES, MAX_RANKED_BYTES, NotIndexed, Passage, RankError, Ranked,
    Ranking, Reranking, ResolveError, Resolver, rank,
};
pub use types::standing;
pub use types::{
    CitationGap, FoundBy, Intent, Missing, PackUse, Provenance, Resolution, RunFinding, SearchHit,
    SearchHits, Section, SectionCut, Task, citation,
};
