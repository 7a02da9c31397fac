//! The causes behind an error of a client library: they show more than the error itself.

use std::error::Error;

/// Returns the first cause of type `E` behind an error.
#[must_use]
pub fn find<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    causes(error).find_map(<dyn Error + 'static>::downcast_ref)
}

/// Returns the message of the innermost cause; that of the error itself when there is none.
#[must_use]
pub fn root(error: &(dyn Error + 'static)) -> String {
    causes(error).last().unwrap_or(error).to_string()
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause: &&'e (dyn Error + 'static)| (*cause).source())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[from] Middle);

    #[derive(Debug, thiserror::Error)]
    #[error("middle")]
    struct Middle(#[from] std::fmt::Error);

    #[test]
    fn ref_22_cause_behind_failure_is_found() {
        let error = Outer(Middle(std::fmt::Error));
        assert_eq!(root(&error), std::fmt::Error.to_string());
        assert_eq!(root(&std::fmt::Error), std::fmt::Error.to_string());
        assert_eq!(find::<Middle>(&error).map(ToString::to_string).as_deref(), Some("middle"));
        // The error itself is not a cause of its own.
        assert!(find::<Outer>(&error).is_none());
    }
}
