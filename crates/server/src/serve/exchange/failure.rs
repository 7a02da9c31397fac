//! Errors of the store as codes of the protocol (CP-17).

use contexture::store::contexts::ContextError;
use contexture_protocol::{ErrorCode, Refusal, Violation};
use serde_json::{Value, json};

/// The refusal that a failure of the store becomes; `version` is where the version stood that was
/// named.
pub(crate) fn refusal_at(version: &str, error: ContextError, context: Option<&str>) -> Refusal {
    let is_version = matches!(error, ContextError::Ahead { .. });
    let mut refused = refusal(error, context);
    for violation in refused.violations.iter_mut().filter(|_| is_version) {
        version.clone_into(&mut violation.pointer);
    }
    refused
}

/// The refusal that a failure of the store becomes.
pub(crate) fn refusal(error: ContextError, context: Option<&str>) -> Refusal {
    let text = error.to_string();
    let of = |code| Refusal::new(code, text.clone());
    match error {
        ContextError::NotFound(_) => of(ErrorCode::ContextNotFound),
        ContextError::VersionConflict { current, conflicting, .. } => {
            let context = context.unwrap_or_default();
            let changes: Vec<Value> =
                conflicting.iter().map(|change| change.to_value(context)).collect();
            of(ErrorCode::VersionConflict).detail("version", current).detail("conflicts", changes)
        }
        ContextError::Compacted { oldest, current, .. } => of(ErrorCode::VersionConflict)
            .detail("version", current)
            .detail("oldestVersion", oldest)
            .suggest("Read the whole context anew; its older changes are no longer kept."),
        ContextError::Ahead { asked, current } => {
            let found = violation("/content", "a version that the context has had", asked);
            let mut refusal = of(ErrorCode::ValidationFailed).detail("version", current);
            refusal.violations.push(found);
            refusal
        }
        ContextError::MessageIdConflict(_) => of(ErrorCode::MessageIdConflict),
        // A message brings one operation: which one it is says nothing.
        ContextError::Path { error, .. } => {
            let mut refusal = Refusal::new(ErrorCode::ValidationFailed, error.to_string());
            let expected = "a path that the state has a place for";
            refusal.violations.push(violation("/content/path", expected, error));
            refusal
        }
        ContextError::Invalid { ref pointer, expected, ref found } => {
            let mut refusal = of(ErrorCode::ValidationFailed);
            refusal.violations.push(violation(pointer, expected, found));
            refusal
        }
        ContextError::TooLarge { limit, .. } => {
            of(ErrorCode::TooLarge).detail("limit", limit).policy("size_limit")
        }
        ContextError::Taken(_) => of(ErrorCode::VersionConflict)
            .suggest("Choose another contextId, or leave it out to have one made."),
        ContextError::Import { line, .. } => of(ErrorCode::ValidationFailed).detail("line", line),
        // Which message it is in the import; it is the import that is refused.
        ContextError::ImportedMessage { line, refusal } => {
            let (message_id, context_id) = (None, None);
            Refusal { message: text, message_id, context_id, ..*refusal }.detail("line", line)
        }
        ContextError::Overloaded(_) | ContextError::Busy(_) => {
            of(ErrorCode::RateLimited).policy("store_load")
        }
        ContextError::Full(_) => Refusal {
            recoverable: true,
            ..Refusal::new(
                ErrorCode::Internal,
                "the server can't keep anything more: its disk is full",
            )
        },
        // What it says of files is for the operator's log.
        _ => Refusal::new(ErrorCode::Internal, "the server could not read or write its contexts"),
    }
}

/// Reports whether it is the server that fails, and no wish of a client.
pub(crate) fn is_trouble(error: &ContextError) -> bool {
    refusal(error.clone(), None).code == ErrorCode::Internal
}

fn violation(pointer: &str, expected: impl Into<String>, found: impl ToString) -> Violation {
    Violation { pointer: pointer.to_owned(), expected: expected.into(), found: found.to_string() }
}

/// A message whose sender may not do this.
pub(crate) fn forbidden(scope: &str) -> Refusal {
    Refusal::new(
        ErrorCode::PermissionDenied,
        format!("the token does not have the scope `{scope}`"),
    )
    .policy("token_scope")
    .detail("scope", json!(scope))
}
