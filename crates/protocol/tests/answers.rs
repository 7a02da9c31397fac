//! Refusals as ERROR_RESPONSE, the table of codes, batches and further types.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure is meant to panic"
)]

mod common;

use common::envelope;
use contexture_protocol::extension::{BadExtension, Extension, Extensions};
use contexture_protocol::{
    Batch, ErrorCode, Limits, Message, Refusal, Sender, Timestamp, Violation, canonical, reference,
};
use serde_json::{Value, json};
use std::sync::Arc;

#[test]
fn cp_17_every_code_has_meaning_and_remedy() {
    let words: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(
        words,
        [
            "PARSE_ERROR",
            "VALIDATION_FAILED",
            "UNKNOWN_TYPE",
            "UNSUPPORTED_VERSION",
            "AUTH_FAILED",
            "PERMISSION_DENIED",
            "SENDER_FORBIDDEN",
            "CONTEXT_NOT_FOUND",
            "VERSION_CONFLICT",
            "MESSAGE_ID_CONFLICT",
            "EXECUTION_FAILED",
            "UNKNOWN_ACTION",
            "TIMEOUT",
            "DEPENDENCY_FAILED",
            "CONDITION_FALSE",
            "SET_TIMEOUT",
            "REFERENCE_MISSING",
            "CYCLE",
            "DUPLICATE_ID",
            "UNKNOWN_ID",
            "UNDECLARED_REFERENCE",
            "CALL_ENDED",
            "TOOL_NAME_TAKEN",
            "RUN_UNDER_WAY",
            "CLIENT_UNAVAILABLE",
            "CANCELLED",
            "OUTCOME_UNCERTAIN",
            "RATE_LIMITED",
            "TOO_LARGE",
            "INTERNAL",
        ]
    );
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::parse(code.as_str()), Some(*code));
        assert!(code.meaning().ends_with('.') && code.remedy().ends_with('.'), "{code}");
        assert!((400..600).contains(&code.http_status()), "{code}");
    }
    let status = |code: ErrorCode| code.http_status();
    assert_eq!(status(ErrorCode::ParseError), 400);
    assert_eq!(status(ErrorCode::ValidationFailed), 422);
    assert_eq!(status(ErrorCode::AuthFailed), 401);
    assert_eq!(status(ErrorCode::SenderForbidden), 403);
    assert_eq!(status(ErrorCode::ContextNotFound), 404);
    assert_eq!(status(ErrorCode::MessageIdConflict), 409);
    assert_eq!(status(ErrorCode::TooLarge), 413);
    assert_eq!(status(ErrorCode::RateLimited), 429);
    assert_eq!(status(ErrorCode::ClientUnavailable), 503);
    assert_eq!(status(ErrorCode::Timeout), 504);
    assert_eq!(ErrorCode::parse("parse_error"), None);
}

#[test]
fn cp_17_refusal_becomes_error_response_with_all_fields() {
    let refusal = Refusal::new(ErrorCode::RateLimited, "too many messages")
        .policy("rate_limit")
        .detail("retryAfter", 2)
        .suggest("Wait 2 seconds.");
    let content = refusal.into_content("req_7", "2025-12-01T12:34:56.000Z", Some("trace_1"));
    let now: Timestamp = "2025-12-01T12:34:56.000Z".parse().unwrap();
    let message = Message::new("msg_1", now, Sender::system(), content);
    assert_eq!(
        message.to_value(),
        json!({
            "messageId": "msg_1",
            "timestamp": "2025-12-01T12:34:56.000Z",
            "type": "ERROR_RESPONSE",
            "sender": {"id": "system", "type": "SYSTEM"},
            "content": {
                "errorCode": "RATE_LIMITED",
                "message": "too many messages",
                "details": {
                    "requestId": "req_7",
                    "timestamp": "2025-12-01T12:34:56.000Z",
                    "traceId": "trace_1",
                    "violatedPolicies": ["rate_limit"],
                    "retryAfter": 2,
                },
                "source": "CLIENT",
                "recoverable": true,
                "suggestedAction": "Wait 2 seconds.",
            },
        })
    );
    assert!(Message::from_value(message.to_value(), &Limits::WIRE).is_ok());
}

#[test]
fn cp_17_readable_message_id_names_request() {
    let text = br#"{"messageId":"msg_9","contextId":"ctx_9","content":"#;
    let refusal = Message::parse(text, &Limits::WIRE).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ParseError);
    assert_eq!(refusal.context_id.as_deref(), Some("ctx_9"));
    let details = refusal.into_content("req_1", "t", None).details.unwrap();
    assert_eq!(details.request_id.as_deref(), Some("msg_9"));
}

#[test]
fn cp_6_messages_of_batch_are_independent() {
    let good = envelope("USER_INPUT", json!({"text": "hi"}));
    let bad = envelope("USER_INPUT", json!({}));
    let text = json!([good, bad, 5, []]).to_string();
    let Batch::Many(read) = Batch::parse(text.as_bytes(), &Limits::WIRE).unwrap() else { panic!() };
    let codes: Vec<Option<ErrorCode>> =
        read.iter().map(|message| message.as_ref().err().map(|refusal| refusal.code)).collect();
    let failed = Some(ErrorCode::ValidationFailed);
    assert_eq!(codes, [None, failed, failed, failed]);
    assert_eq!(read[1].as_ref().unwrap_err().violations[0].pointer, "/content/text");
    assert!(matches!(Batch::parse(b" [] ", &Limits::WIRE), Ok(Batch::Many(all)) if all.is_empty()));
    let one = Batch::parse(good.to_string().as_bytes(), &Limits::WIRE).unwrap();
    assert!(matches!(one, Batch::One(message) if message.is_ok()));
    assert_eq!(Batch::parse(b"[1", &Limits::WIRE).unwrap_err().code, ErrorCode::ParseError);
    let limits = Limits { batch: 2, ..Limits::WIRE };
    let refusal = Batch::parse(b"[1,2,3]", &limits).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::TooLarge);
    assert!(refusal.message.contains("3 messages in one batch, more than the 2 allowed"));
}

#[test]
fn cp_4_additional_types_can_be_registered_and_are_checked() {
    let check = |content: &Value| match content.get("choice") {
        Some(Value::String(_)) => Vec::new(),
        _ => vec![Violation {
            pointer: "/choice".to_owned(),
            expected: "a string".to_owned(),
            found: "nothing".to_owned(),
        }],
    };
    let vote = Extension {
        name: "VOTE".to_owned(),
        meaning: "A vote.".to_owned(),
        schema: json!({"type": "object"}),
        check: Arc::new(check),
    };
    let mut known = Extensions::default();
    let message = |content| Message::from_value(envelope("VOTE", content), &Limits::WIRE).unwrap();
    let refusal = known.check(&message(json!({})), &Limits::WIRE).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::UnknownType);
    assert_eq!(refusal.message_id.as_deref(), Some("msg_123456789"));
    known.register(vote.clone()).unwrap();
    assert!(known.check(&message(json!({"choice": "a"})), &Limits::WIRE).is_ok());
    let refusal = known.check(&message(json!({})), &Limits::WIRE).unwrap_err();
    assert_eq!(refusal.message, "/content/choice: expected a string, found nothing");
    assert_eq!(known.register(vote.clone()), Err(BadExtension::Taken("VOTE".to_owned())));
    for name in ["", "vote", "9VOTE", "A-B", "USER_INPUT"] {
        let refused = known.register(Extension { name: name.to_owned(), ..vote.clone() });
        assert!(refused.is_err(), "{name}");
    }
    let known_type = envelope("USER_INPUT", json!({"text": ""}));
    let known_type = Message::from_value(known_type, &Limits::WIRE).unwrap();
    assert!(known.check(&known_type, &Limits::WIRE).is_ok());
}

#[test]
fn cp_7_identity_ignores_timestamp_and_field_order() {
    let read = |value: Value| Message::from_value(value, &Limits::WIRE).unwrap();
    let one = envelope("USER_INPUT", json!({"text": "hi", "x": 1}));
    let mut later = envelope("USER_INPUT", json!({"x": 1, "text": "hi"}));
    later["timestamp"] = json!("2026-01-01T00:00:00Z");
    assert_eq!(read(one.clone()).identity(), read(later).identity());
    let mut other = one.clone();
    other["content"]["text"] = json!("ho");
    assert_ne!(read(one).identity(), read(other).identity());
}

#[test]
fn cp_3_reference_describes_every_type_and_code() {
    let document = reference::document();
    for kind in contexture_protocol::KINDS {
        assert!(document.contains(&format!("\n### {}\n", kind.name)), "{}", kind.name);
    }
    for code in ErrorCode::ALL {
        assert!(document.contains(&format!("\n| `{code}` |")), "{code}");
    }
    // Every link leads to a heading.
    for target in document.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
        let is_there = document
            .lines()
            .filter_map(|line| line.strip_prefix("### "))
            .any(|heading| heading.to_lowercase().replace(' ', "-") == target);
        assert!(is_there, "{target}");
    }
    assert_eq!(canonical(&json!({"b": 1, "a": 2})), r#"{"a":2,"b":1}"#);
}
