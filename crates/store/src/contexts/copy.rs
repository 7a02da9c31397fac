//! Contexts as wholes: deletion, forks, compaction.

use super::engine::{Engine, require};
use super::ledger::{Ledger, Outcome, Row};
use super::limit;
use super::read::{headed, metadata};
use contexture_core::store::contexts::{ContextError, Fork, Head, Key};
use serde_json::json;

pub(super) fn delete(ledger: &mut dyn Ledger, key: Key<'_>) -> Outcome<()> {
    let row = require(ledger, key)?;
    ledger.remove(row.place)?;
    // The same messages sent again are new ones.
    ledger.forget_keys(&row.owner, &row.context_id)
}

pub(super) fn fork(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    key: Key<'_>,
    fork: &Fork,
) -> Outcome<Head> {
    let origin = require(ledger, key)?;
    let context_id = free_id(ledger, engine, key.owner, fork.context_id.as_deref())?;
    let mut metadata = metadata(ledger, &origin)?;
    let from = json!({"contextId": origin.context_id, "version": origin.version});
    metadata.insert("forkedFrom".to_owned(), from);
    let now = engine.now_us();
    let mut row = Row {
        context_id,
        creation_us: now,
        last_update_us: now,
        oldest: origin.version,
        ..origin.clone()
    };
    let state = ledger.state(origin.place)?;
    row.place = ledger.insert(&row, &state, &limit::metadata(engine, &metadata)?)?;
    ledger.copy_messages(&origin, row.place)?;
    ledger.take_ids(&row)?;
    headed(ledger, row)
}

/// Returns the id that was asked for if the owner does not use it, or a new one. What others use is
/// theirs: an id is its owner's alone, so that nobody learns of another's.
pub(super) fn free_id(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    owner: &str,
    asked: Option<&str>,
) -> Outcome<String> {
    let Some(asked) = asked else { return Ok(engine.context_id()) };
    limit::id(engine, "contextId", asked)?;
    match ledger.find(owner, asked)? {
        Some(_) => Err(ContextError::Taken(asked.to_owned())),
        None => Ok(asked.to_owned()),
    }
}

pub(super) fn compact(ledger: &mut dyn Ledger, key: Key<'_>, through: u64) -> Outcome<Head> {
    let mut row = require(ledger, key)?;
    if through > row.version {
        return Err(ContextError::Ahead { asked: through, current: row.version });
    }
    if through > row.oldest {
        row.oldest = through;
        ledger.compact(&row, through)?;
        ledger.update(&row)?;
    }
    headed(ledger, row)
}
