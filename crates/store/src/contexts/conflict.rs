//! The conflicts of stale updates (CP-11).
//!
//! Decisions: messages never conflict. Changes of the state conflict where their paths overlap; the
//! removal of an element moves those after it, so it counts for its whole list. Patches of the metadata
//! conflict where they name the same field. A clearing conflicts
//! with messages that its sender has not seen and that it would clear; two clearings are merged.

use super::engine::Engine;
use super::ledger::{Edit, Ledger, Outcome, Row, Span};
use super::metadata;
use super::read::{added, edited};
use contexture_core::store::contexts::{Change, ContextError, NewMessage};
use contexture_protocol::StatePath;
use serde_json::{Map, Value};

/// An operation that has been read.
pub(super) enum Step<'u> {
    Add { message: &'u NewMessage, instant: Option<i64> },
    Set { path: &'u StatePath, value: &'u Value },
    Remove { path: &'u StatePath },
    Patch { patch: &'u Map<String, Value> },
    Clear { before: Option<&'u str>, instant: Option<i64> },
}

impl Step<'_> {
    /// Returns the instant before which it clears; the outer `None`: it clears nothing.
    pub(super) const fn clears(&self) -> Option<Option<i64>> {
        match self {
            Self::Clear { instant, .. } => Some(*instant),
            _ => None,
        }
    }
}

/// The part of the state or of the metadata that a change touches.
enum Touched {
    /// The whole state.
    All,
    Under(StatePath),
    /// Fields of the metadata.
    Metadata(Vec<String>),
}

impl Touched {
    fn by_removal(path: &StatePath) -> Self {
        path.touched_by_removal().map_or(Self::All, Self::Under)
    }

    fn by_patch(patch: &Map<String, Value>) -> Self {
        Self::Metadata(patch.keys().cloned().collect())
    }

    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Under(one), Self::Under(two)) => one.overlaps(two),
            (Self::Metadata(one), Self::Metadata(two)) => one.iter().any(|name| two.contains(name)),
            (Self::Metadata(_), _) | (_, Self::Metadata(_)) => false,
            _ => true,
        }
    }
}

/// Refuses steps of an update that has seen `base` when they conflict with what came since.
pub(super) fn check(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    row: &Row,
    base: u64,
    steps: &[Step<'_>],
) -> Outcome<()> {
    let (current, oldest) = (row.version, row.oldest);
    let touched: Vec<Touched> = steps.iter().filter_map(touches).collect();
    let clears: Vec<Option<i64>> = steps.iter().filter_map(Step::clears).collect();
    if touched.is_empty() && clears.is_empty() {
        return Ok(());
    }
    if base < oldest {
        return Err(ContextError::Compacted { asked: base, oldest, current });
    }
    let span = Span { after: base, through: current };
    let mut conflicting = edits(ledger, engine, row, span, &touched)?;
    for before in clears {
        conflicting.extend(unseen(ledger, engine, row, span, before)?);
    }
    if conflicting.is_empty() {
        return Ok(());
    }
    conflicting.sort_by_key(|change| change.version);
    conflicting.dedup();
    conflicting.truncate(engine.limits.conflicts);
    Err(ContextError::VersionConflict { base, current, conflicting })
}

fn touches(step: &Step<'_>) -> Option<Touched> {
    match step {
        Step::Set { path, .. } => Some(Touched::Under((*path).clone())),
        Step::Remove { path } => Some(Touched::by_removal(path)),
        Step::Patch { patch } => Some(Touched::by_patch(patch)),
        Step::Add { .. } | Step::Clear { .. } => None,
    }
}

fn edits(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    row: &Row,
    span: Span,
    touched: &[Touched],
) -> Outcome<Vec<Change>> {
    if touched.is_empty() {
        return Ok(Vec::new());
    }
    let mut conflicting = Vec::new();
    for change in ledger.changes(row.place, span, usize::MAX)? {
        let theirs = match &change.edit {
            Edit::Set { path, .. } => path.parse().map_or(Touched::All, Touched::Under),
            Edit::Remove { path } => {
                path.parse().map_or(Touched::All, |path| Touched::by_removal(&path))
            }
            Edit::Metadata { patch } => {
                Touched::by_patch(&metadata::fields(engine.vault.open_value(patch)?))
            }
            Edit::Clear { .. } => continue,
        };
        if touched.iter().any(|ours| ours.overlaps(&theirs)) {
            conflicting.push(edited(engine, change)?);
            if conflicting.len() == engine.limits.conflicts {
                break;
            }
        }
    }
    Ok(conflicting)
}

/// Messages that came since and that a clearing would take.
fn unseen(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    row: &Row,
    span: Span,
    before: Option<i64>,
) -> Outcome<Vec<Change>> {
    let mut conflicting = Vec::new();
    let mut after = span.after;
    loop {
        let span = Span { after, ..span };
        let messages = ledger.added(row, span, engine.limits.page.max(1))?;
        let Some(last) = messages.last() else { return Ok(conflicting) };
        after = last.version;
        let full = messages.len() == engine.limits.page.max(1);
        let taken = messages.into_iter().filter(|message| {
            message.seq > row.cleared_through
                && before.is_none_or(|before| message.instant.is_some_and(|at| at < before))
        });
        for message in taken {
            conflicting.push(added(engine, message)?);
        }
        if !full || conflicting.len() >= engine.limits.conflicts {
            return Ok(conflicting);
        }
    }
}
