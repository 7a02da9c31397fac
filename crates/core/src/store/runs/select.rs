//! Finds the run that a person means.

use super::{RunError, RunId, RunStore};
use contexture_diagnostic::nearest;

/// The most runs that an error names, and the most that are searched for a similar id.
const NAMED: usize = 5;
const LOOKED_AT: usize = 1_000;

/// Returns the run that `asked` means: an id, its beginning or its end if only one run has it,
/// `latest`, or `latest~2` for the second before the latest.
///
/// # Errors
/// [`RunError::None`], [`RunError::Unknown`] or [`RunError::Ambiguous`].
pub fn select(store: &dyn RunStore, asked: &str) -> Result<RunId, RunError> {
    let ids = store.ids()?;
    if ids.is_empty() {
        return Err(RunError::None);
    }
    let text = asked.trim().to_ascii_lowercase();
    let unknown = |similar: Option<&str>| {
        let similar = similar.and_then(RunId::parse);
        RunError::Unknown { asked: asked.chars().take(100).collect(), similar }
    };
    if let Some(back) = back(&text) {
        return ids.get(back).cloned().ok_or_else(|| unknown(None));
    }
    if let Some(exact) = ids.iter().find(|id| id.as_str() == text) {
        return Ok(exact.clone());
    }
    let part_of = |id: &&RunId| {
        !text.is_empty() && (id.as_str().starts_with(&text) || id.as_str().ends_with(&text))
    };
    let mut fitting = ids.iter().filter(part_of);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only.clone()),
        (Some(_), Some(_)) => {
            let candidates = ids.iter().filter(part_of).take(NAMED).cloned().collect();
            Err(RunError::Ambiguous { asked: asked.to_owned(), candidates })
        }
        _ => Err(unknown(nearest(&text, ids.iter().take(LOOKED_AT).map(RunId::as_str)))),
    }
}

/// Returns the number of runs before the latest one, for `latest` and `latest~N`.
fn back(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("latest").or_else(|| text.strip_prefix("last"))?;
    if rest.is_empty() { Some(0) } else { rest.strip_prefix('~')?.parse().ok() }
}
