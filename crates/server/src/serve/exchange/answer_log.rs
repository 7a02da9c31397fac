//! The records of an answer in the audit log and the log (CP-19).

use crate::serve::caller::Caller;
use crate::serve::operations::audit::{Audit, AuditEvent, AuditRecord};
use crate::serve::operations::log::{Level, Log, millis};
use contexture_protocol::content::ErrorResponse;
use contexture_protocol::{Body, ErrorCode, Message};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// The logs of an answer, with the sender and the time of its request.
pub(crate) struct AnswerLog {
    audit: Arc<Audit>,
    log: Arc<Log>,
    pub(super) caller: Caller,
    began: Instant,
}

impl AnswerLog {
    pub(super) fn new(audit: &Arc<Audit>, log: &Arc<Log>, caller: &Caller) -> Self {
        let (audit, log, caller) = (Arc::clone(audit), Arc::clone(log), caller.clone());
        Self { audit, log, caller, began: Instant::now() }
    }

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
            let record = AuditRecord::new(AuditEvent::Refused)
                .by(&self.caller)
                .with("type", kind)
                .with("messageId", message)
                .with("outcome", error.error_code.as_str())
                .with("violatedPolicies", policies(error).to_vec());
            self.audit.note(&record.maybe("contextId", context));
        }
        let level = if error.is_some() { Level::Info } else { Level::Debug };
        if !self.log.has_level(level) {
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
            "ms": millis(self.began),
        });
        match error {
            Some(_) => self.log.info("error", fields),
            None => self.log.debug("message", fields),
        }
    }
}

/// Reports whether an error is a refusal for the audit log. Limits have records of their own.
fn is_refusal(error: &ErrorResponse) -> bool {
    use ErrorCode::{AuthFailed, ContextNotFound, PermissionDenied, SenderForbidden, TooLarge};
    let codes = [AuthFailed, PermissionDenied, SenderForbidden, ContextNotFound, TooLarge];
    codes.iter().any(|code| code.as_str() == error.error_code)
}

fn policies(error: &ErrorResponse) -> &[String] {
    let details = error.details.as_ref();
    details.and_then(|details| details.violated_policies.as_deref()).unwrap_or_default()
}
