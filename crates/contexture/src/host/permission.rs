//! Asking the user before a tool of the server runs (CP-19).

use super::LiveHost;
use super::effects::cancelled;
use crate::frontend::PERMISSION_DENIED;
use crate::permission::Action;
use contexture_script::host::HostError;
use serde_json::{Map, Value};

/// Waits until the user allows it, where somebody has to be asked. Credentials are masked in what
/// the user is shown.
pub(super) async fn allowed(
    host: &LiveHost,
    name: &str,
    arguments: &Value,
) -> Result<(), HostError> {
    let Some(permission) = &host.permission else { return Ok(()) };
    let shown = match host.recorder.masked(arguments.clone()) {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    let action = Action { name, parameters: &shown, prompt: None };
    let asked = tokio::select! {
        asked = permission.ask(action) => asked,
        () = host.cancel.cancelled() => return Err(cancelled()),
    };
    asked.map_err(|failure| {
        let is_no = failure.code == PERMISSION_DENIED;
        let error = HostError::new(failure.code, failure.message);
        let error = HostError { details: failure.details, ..error };
        if is_no {
            error.with_help("catch the error with `try … else err` to go on without it")
        } else {
            error
        }
    })
}
