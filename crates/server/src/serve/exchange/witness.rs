//! The records of an answer in the audit log and the log (CP-19).

use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::operations::audit::{Deed, Record};
use crate::serve::operations::log::Level;
use contexture_protocol::content::ErrorResponse;
use contexture_protocol::{Body, ErrorCode, Message};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// The sender and the time of a request.
pub(super) struct Witness {
    app: Arc<App>,
    caller: Caller,
    began: Instant,
}

impl Witness {
    pub(super) fn new(app: &Arc<App>, caller: &Caller) -> Self {
        Self { app: Arc::clone(app), caller: caller.clone(), began: Instant::now() }
    }

    /// Records an answer.
    pub(super) fn answered(
        &self,
        kind: &'static str,
        message: &str,
        context: Option<&str>,
        answer: &Message,
    ) {
        let error = match &answer.body {
            Body::ErrorResponse(error) => Some(error),
            _ => None,
        };
        if let Some(error) = error.filter(|error| is_refusal(error)) {
            let record = Record::new(Deed::Refused)
                .by(&self.caller)
                .with("type", kind)
                .with("messageId", message)
                .with("outcome", error.error_code.as_str())
                .with("violatedPolicies", policies(error).to_vec());
            self.app.audit.note(&match context {
                Some(context) => record.with("contextId", context),
                None => record,
            });
        }
        let level = if error.is_some() { Level::Info } else { Level::Debug };
        if !self.app.log.says(level) {
            return;
        }
        let details = error.and_then(|error| error.details.as_ref());
        let fields = json!({
            "type": kind,
            "messageId": message,
            "contextId": context,
            "owner": &**self.caller.owner(),
            "outcome": error.map_or("OK", |error| &error.error_code),
            "traceId": details.and_then(|details| details.trace_id.as_deref()),
            "ms": u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
        });
        match error {
            Some(_) => self.app.log.info("error", fields),
            None => self.app.log.debug("message", fields),
        }
    }
}

/// Reports whether somebody wanted what they may not have. Limits are written down where they are kept.
fn is_refusal(error: &ErrorResponse) -> bool {
    use ErrorCode::{AuthFailed, ContextNotFound, PermissionDenied, SenderForbidden, TooLarge};
    let codes = [AuthFailed, PermissionDenied, SenderForbidden, ContextNotFound, TooLarge];
    codes.iter().any(|code| code.as_str() == error.error_code)
}

fn policies(error: &ErrorResponse) -> &[String] {
    let details = error.details.as_ref();
    details.and_then(|details| details.violated_policies.as_deref()).unwrap_or_default()
}
