//! An index as it was opened, and why it can't be.

use super::schema::{Area, Fields};
use super::state::State;
use super::terms::Language;
use crate::pack::{Pack, PackError};
use std::collections::BTreeSet;
use tantivy::{Index, Searcher, TantivyError};

/// The reason why a pack could not be indexed or asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The pack can't be listed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The engine failed, in memory or again after the index was rebuilt.
    #[error("the index of knowledge pack `{pack}` can't be used: {}", reason(source))]
    Engine {
        /// The pack.
        pack: String,
        /// The error of the engine.
        source: TantivyError,
    },
    /// The engine met data that it cannot handle.
    #[error("the index of knowledge pack `{pack}` is damaged")]
    Damaged {
        /// The pack.
        pack: String,
    },
}

/// Returns what the engine reports, without what it read: a damaged file is not quoted (KN-13).
pub(super) fn reason(error: &TantivyError) -> String {
    match error {
        TantivyError::IoError(error) => error.kind().to_string(),
        TantivyError::OpenDirectoryError(_)
        | TantivyError::OpenReadError(_)
        | TantivyError::OpenWriteError(_)
        | TantivyError::LockFailure(..) => "a file of it can't be opened".to_owned(),
        _ => "it is damaged".to_owned(),
    }
}

impl IndexError {
    pub(crate) fn engine(pack: &Pack, source: TantivyError) -> Self {
        Self::Engine { pack: pack.item().name.clone(), source }
    }
}

/// An index as it was at one moment.
pub(crate) struct Opened {
    pub(crate) searcher: Searcher,
    pub(super) fields: Fields,
    pub(crate) state: State,
    pub(super) index: Index,
    /// The languages of its pages, English aside.
    pub(crate) languages: BTreeSet<Language>,
    /// Its areas that have sections.
    pub(crate) areas: BTreeSet<Area>,
}

impl Opened {
    /// Reports whether a term stands in a heading of the pack, those of its sources aside.
    pub(crate) fn has_heading_with(&self, term: &str) -> Result<bool, TantivyError> {
        Ok(self.searcher.doc_freq(&self.fields.titled(term))? > 0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be asked.
    Ask,
    /// To be asked, although it was checked a moment ago: a file did not match it.
    AskAgain,
    /// It is thrown away and rebuilt.
    Rebuild,
}
