//! Errors of the store as codes of the protocol (CP-17).

use contexture::store::contexts::ContextError;
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::Value;

/// Creates the refusal for an error of the store; `version` is the place of the requested version.
pub(crate) fn refusal_at(version: &str, error: ContextError, context: Option<&str>) -> Refusal {
    let is_version = matches!(error, ContextError::Ahead { .. });
    let mut refused = refusal(error, context);
    for violation in refused.violations.iter_mut().filter(|_| is_version) {
        version.clone_into(&mut violation.pointer);
    }
    refused
}

/// Creates the refusal for an error of the store.
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
            let expected = "a version that the context has had";
            let refusal = of(ErrorCode::ValidationFailed).detail("version", current);
            refusal.violation("/content", expected, asked.to_string())
        }
        ContextError::MessageIdConflict(_) => of(ErrorCode::MessageIdConflict),
        ContextError::Path { error, .. } => {
            let expected = "a path that the state has a place for";
            let refusal = Refusal::new(ErrorCode::ValidationFailed, error.to_string());
            refusal.violation("/content/path", expected, error.to_string())
        }
        ContextError::Invalid { ref pointer, expected, ref found, .. } => {
            of(ErrorCode::ValidationFailed).violation(pointer, expected, found.to_string())
        }
        ContextError::TooLarge { limit, .. } => {
            of(ErrorCode::TooLarge).detail("limit", limit).policy("size_limit")
        }
        ContextError::Taken(_) => of(ErrorCode::VersionConflict)
            .suggest("Choose another contextId, or leave it out to have one made."),
        ContextError::Import { line, .. } => of(ErrorCode::ValidationFailed).detail("line", line),
        // The whole import is refused, not the message.
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
        // Its text about files is for the log of the operator.
        _ => Refusal::new(ErrorCode::Internal, "the server could not read or write its contexts"),
    }
}

/// Reports whether the store may take the same update later.
pub(crate) fn is_passing(error: &ContextError) -> bool {
    is_trouble(error) || refusal(error.clone(), None).code == ErrorCode::RateLimited
}

/// Reports whether an error is the fault of the server.
pub(crate) fn is_trouble(error: &ContextError) -> bool {
    refusal(error.clone(), None).code == ErrorCode::Internal
}
