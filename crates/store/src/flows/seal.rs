//! The texts of a run, sealed where its project has a key (CP-19).
//!
//! Decision: a set and its results hold texts of conversations at places that no setting could
//! name: so all of it is sealed, not fields. No JSON begins as a sealed text does, so what was
//! written before there was a key is read as it is.

use super::schema::Outcome;
use crate::contexts::{SealError, Sealer};
use contexture_core::store::flows::FlowStoreError;
use std::sync::Arc;

/// The beginning of every sealed text.
const SEALED: &str = "v1.";

/// The seal of a file of runs.
#[derive(Clone)]
pub(crate) struct Seal {
    pub(crate) sealer: Option<Arc<dyn Sealer>>,
    pub(crate) name: Arc<str>,
}

/// The kind of a sealed text; it opens only as the same kind.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Document,
    Entry,
    Wait,
    /// A line of the journal of a turn.
    #[cfg(feature = "postgres")]
    Journal,
}

impl Part {
    const fn place(self) -> &'static str {
        match self {
            Self::Document => "flow/document",
            Self::Entry => "flow/entry",
            Self::Wait => "flow/wait",
            #[cfg(feature = "postgres")]
            Self::Journal => "flow/journal",
        }
    }
}

impl Seal {
    /// Returns the text as it is written; `None`: as it stands.
    pub(crate) fn close(&self, part: Part, text: &str) -> Outcome<Option<String>> {
        let Some(sealer) = &self.sealer else { return Ok(None) };
        sealer.seal(part.place(), text.as_bytes()).map(Some).map_err(|error| self.fault(error))
    }

    /// Returns the text as it was before it was written.
    pub(crate) fn open(&self, part: Part, text: String) -> Outcome<String> {
        if !text.starts_with(SEALED) {
            return Ok(text);
        }
        let sealer = self.sealer.as_ref().ok_or_else(|| self.fault(SealError::NoKey))?;
        let plain = sealer.open(part.place(), &text).map_err(|error| self.fault(error))?;
        String::from_utf8(plain).map_err(|_| self.fault(SealError::Format))
    }

    fn fault(&self, error: SealError) -> FlowStoreError {
        FlowStoreError::Sealed { path: self.name.as_ref().to_owned(), error }
    }
}
