//! The ways of a reference, when its protocol has several sources of ids (MA-2).
//!
//! Decision: a way leads on to the next one only where nothing is at its end: a protocol that does
//! not exist, an id that is not registered, a file that is not there. Any other error stands.

use super::route::{Route, resolved};
use super::setup::Loader;
use crate::codes;
use crate::definition::Way;
use crate::syntax::Reference;
use contexture_core::reference::{LoadError, Note, Place};
use contexture_diagnostic::Severity;
use std::sync::Arc;

/// The codes of failures that mean: nothing is there.
const MISSING: [&str; 8] = [
    codes::UNKNOWN_PROTOCOL.code,
    codes::MISPLACED_PROTOCOL.code,
    codes::UNKNOWN_ID.code,
    codes::NO_REGISTRY.code,
    codes::NOT_FOUND.code,
    codes::NOT_REMEMBERED.code,
    codes::NOT_THERE.code,
    UNKNOWN_PACK,
];

/// The code of a knowledge pack that is not there.
const UNKNOWN_PACK: &str = "KN1201";

/// Reports whether an error means that nothing is there.
pub(super) fn is_missing(error: &LoadError) -> bool {
    MISSING.contains(&error.code)
}

/// Returns the way of a reference, with those that are gone when nothing is at its end.
pub(super) fn first(
    loader: &Loader,
    reference: &Reference<'_>,
    place: &Place,
) -> Result<Route, LoadError> {
    let main = resolved(loader, reference, place, Way::Ours);
    if main.as_ref().is_err_and(|error| !is_missing(error)) {
        return main;
    }
    let others = others(loader, reference, place, main.as_ref().ok());
    match (main, others) {
        (Ok(route), others) => Ok(Route { fallback: others.map(Arc::new), ..route }),
        (Err(error), None) => Err(error),
        (Err(error), Some(mut other)) => {
            other.notes.push(passed_over(&error, &other));
            Ok(other)
        }
    }
}

/// Returns the further ways, the next one first.
fn others(
    loader: &Loader,
    reference: &Reference<'_>,
    place: &Place,
    main: Option<&Route>,
) -> Option<Route> {
    let along = |way| resolved(loader, reference, place, way).ok();
    let is_other = |route: &Route, than: Option<&Route>| {
        than.is_none_or(|than| than.resolved != route.resolved)
    };
    let globs = along(Way::Globs).filter(|route| is_other(route, main));
    let registered = along(Way::Registered).filter(|route| is_other(route, main));
    let Some(registered) = registered else { return globs };
    let last = globs.filter(|route| is_other(route, Some(&registered)));
    Some(Route { fallback: last.map(Arc::new), ..registered })
}

/// Returns the remark about a way at whose end nothing is.
pub(super) fn passed_over(error: &LoadError, other: &Route) -> Note {
    let there = other.trail.first().map_or(other.resolved.as_str(), |hop| hop.file.as_str());
    let message = format!("`{}`: {}; {there} is taken instead", error.reference, error.message);
    Note { code: codes::TARGET_MISSING.code, severity: Severity::Warning, message }
}

/// Returns the error of a reference none of whose ways leads to anything: the first one tells most.
pub(super) fn both(first: Option<LoadError>, then: LoadError) -> LoadError {
    match first {
        Some(first) => {
            let message = format!("{}; and {}", first.message, then.message);
            LoadError { message, ..first }
        }
        None => then,
    }
}
