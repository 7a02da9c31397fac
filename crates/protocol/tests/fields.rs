//! Each field of each type with an invalid value: the pointer, the expected and the found value.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure is meant to panic"
)]

mod common;

use common::{envelope, without};
use contexture_protocol::{Body, ErrorCode, KINDS, Limits, Message, canonical, reference, schema};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn read(value: &Value) -> Result<Message, Box<contexture_protocol::Refusal>> {
    Message::from_value(value.clone(), &Limits::WIRE)
}

fn faults(value: &Value) -> Vec<String> {
    let refusal = read(value).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ValidationFailed);
    refusal.violations.iter().map(ToString::to_string).collect()
}

/// Type, content, and its one fault.
const WRONG: &[(&str, &str, &str)] = &[
    ("USER_INPUT", r#"{}"#, "/content/text: expected a string, found nothing"),
    ("USER_INPUT", r#"{"text": 5}"#, "/content/text: expected a string, found the number 5"),
    ("USER_INPUT", r#"{"text": null}"#, "/content/text: expected a string, found null"),
    ("USER_INPUT", r#"[]"#, "/content: expected an object, found an array of 0 elements"),
    ("USER_INPUT", r#"null"#, "/content: expected an object, found null"),
    (
        "USER_INPUT",
        r#"{"text": "", "attachments": {}}"#,
        "/content/attachments: expected an array, found an object of 0 fields",
    ),
    (
        "USER_INPUT",
        r#"{"text": "", "attachments": ["x"]}"#,
        "/content/attachments/0: expected an object, found the string \"x\"",
    ),
    (
        "USER_INPUT",
        r#"{"text": "", "attachments": [{"type": "IMAGE"}]}"#,
        "/content/attachments/0/url: expected a string, found nothing",
    ),
    (
        "USER_INPUT",
        r#"{"text": "", "attachments": [{"type": "image", "url": ""}]}"#,
        "/content/attachments/0/type: expected one of \"IMAGE\", \"FILE\", \"AUDIO\", \"VIDEO\", found the string \"image\"",
    ),
    (
        "USER_INPUT",
        r#"{"text": "", "attachments": [{"type": "FILE", "url": "u", "metadata": {"fileSize": 1.5}}]}"#,
        "/content/attachments/0/metadata/fileSize: expected an integer from 0, found the number 1.5",
    ),
    (
        "USER_INPUT",
        r#"{"text": "", "attachments": [{"type": "FILE", "url": "u", "metadata": {"fileSize": -1}}]}"#,
        "/content/attachments/0/metadata/fileSize: expected an integer from 0, found the number -1",
    ),
    (
        "USER_INPUT",
        r#"{"text": "", "attachments": [{"type": "FILE", "url": "u", "metadata": {"fileSize": "1"}}]}"#,
        "/content/attachments/0/metadata/fileSize: expected an integer from 0, found the string \"1\"",
    ),
    ("MODEL_RESPONSE", r#"{}"#, "/content/text: expected a string, found nothing"),
    (
        "MODEL_RESPONSE",
        r#"{"text": "", "finishReason": "DONE"}"#,
        "/content/finishReason: expected one of \"STOP\", \"LENGTH\", \"TOOL_CALLS\", \"ERROR\", found the string \"DONE\"",
    ),
    (
        "MODEL_RESPONSE",
        r#"{"text": "", "usage": {"totalTokens": true}}"#,
        "/content/usage/totalTokens: expected an integer from 0, found true",
    ),
    (
        "MODEL_RESPONSE",
        r#"{"toolCalls": [{"callId": "c", "name": "n"}]}"#,
        "/content/toolCalls/0/parameters: expected an object, found nothing",
    ),
    ("TOOL_CALL_REQUEST", r#"{}"#, "/content/calls: expected an array of calls, found nothing"),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [], "toolCalls": []}"#,
        "/content/toolCalls: expected nothing, since calls is present, found a second list",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [{"name": "n", "parameters": {}}]}"#,
        "/content/calls/0/callId: expected an id (a string that is not empty and has no control characters), found nothing",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [{"callId": "", "name": "n", "parameters": {}}]}"#,
        "/content/calls/0/callId: expected an id (a string that is not empty and has no control characters), found the string \"\"",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [{"callId": "c", "name": "n", "parameters": []}]}"#,
        "/content/calls/0/parameters: expected an object, found an array of 0 elements",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [{"callId": "c", "name": "n", "parameters": {}, "requiredAfter": [5]}]}"#,
        "/content/calls/0/requiredAfter/0: expected a string, found the number 5",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [{"callId": "c", "name": "n", "parameters": {}, "runtime": "frontend"}]}"#,
        "/content/calls/0/runtime: expected \"FRONTEND\" or \"BACKEND\", found the string \"frontend\"",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [{"callId": "c", "name": "n", "parameters": {}, "fallbackBehavior": "RETRY"}]}"#,
        "/content/calls/0/fallbackBehavior: expected one of \"ABORT\", \"SKIP\", \"USE_ALTERNATIVE\", found the string \"RETRY\"",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [{"callId": "c", "name": "n", "parameters": {}, "alternative": {}}]}"#,
        "/content/calls/0/alternative/name: expected a string, found nothing",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [{"callId": "c", "name": "n", "parameters": {}, "recovery": {}}]}"#,
        "/content/calls/0/recovery/strategy: expected one of \"SKIP\", \"RETRY\", \"DEGRADE\", \"PARTIAL\", \"ABORT\", found nothing",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [{"callId": "c", "name": "n", "parameters": {}, "timeoutClient": -0.5}]}"#,
        "/content/calls/0/timeoutClient: expected a number of seconds from 0, found the number -0.5",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [], "executionMode": "CONDITIONAL"}"#,
        "/content/executionMode: expected one of \"SYNC\", \"ASYNC\", \"PARALLEL\", \"SEQUENTIAL\", \"FRONTEND_FIRST\", \"BACKEND_FIRST\", \"CLIENT_SERVER_PARALLEL\", found the string \"CONDITIONAL\"",
    ),
    (
        "TOOL_CALL_REQUEST",
        r#"{"calls": [], "timeout": "30"}"#,
        "/content/timeout: expected a number of seconds from 0, found the string \"30\"",
    ),
    (
        "TOOL_CALL_RESPONSE",
        r#"{"results": [{"callId": "c", "status": "COMPLETED"}]}"#,
        "/content/results/0/status: expected one of \"SUCCESS\", \"ERROR\", \"TIMEOUT\", found the string \"COMPLETED\"",
    ),
    (
        "TOOL_CALL_RESPONSE",
        r#"{"results": [{"callId": "c", "status": "ERROR", "error": {"code": "X"}}]}"#,
        "/content/results/0/error/message: expected a string, found nothing",
    ),
    (
        "TOOL_CALL_RESPONSE",
        r#"{"results": [{"callId": "c", "status": "ERROR", "error": "bad"}]}"#,
        "/content/results/0/error: expected an object, found the string \"bad\"",
    ),
    (
        "TOOL_CALL_RESPONSE",
        r#"{"results": [{"callId": "c", "status": "ERROR", "clientInfo": 1}]}"#,
        "/content/results/0/clientInfo: expected an object, found the number 1",
    ),
    (
        "TOOL_CALL_RESPONSE",
        r#"{"results": [{"callId": "c", "status": "SUCCESS", "executionTime": -3}]}"#,
        "/content/results/0/executionTime: expected a number of milliseconds from 0, found the number -3",
    ),
    (
        "SYSTEM_MESSAGE",
        r#"{"action": "NOTICE", "text": ""}"#,
        "/content/action: expected one of \"NOTIFICATION\", \"WARNING\", \"ERROR\", \"INFO\", found the string \"NOTICE\"",
    ),
    (
        "SYSTEM_MESSAGE",
        r#"{"action": "INFO", "text": "", "data": {"affectedComponents": "auth"}}"#,
        "/content/data/affectedComponents: expected an array, found the string \"auth\"",
    ),
    (
        "INSTRUCTION",
        r#"{"instructions": {}}"#,
        "/content/instructions: expected an array, found an object of 0 fields",
    ),
    (
        "INSTRUCTION",
        r#"{"instructions": [{"instructionId": "i"}]}"#,
        "/content/instructions/0/action: expected a string, found nothing",
    ),
    (
        "INSTRUCTION",
        r#"{"instructions": [{"instructionId": "i", "action": "a", "dependencies": "j"}]}"#,
        "/content/instructions/0/dependencies: expected an array, found the string \"j\"",
    ),
    (
        "INSTRUCTION",
        r#"{"instructions": [{"instructionId": "i", "action": "a", "condition": true}]}"#,
        "/content/instructions/0/condition: expected a string, found true",
    ),
    (
        "INSTRUCTION",
        r#"{"instructions": [], "executionMode": "SYNC"}"#,
        "/content/executionMode: expected one of \"SEQUENTIAL\", \"PARALLEL\", \"CONDITIONAL\", found the string \"SYNC\"",
    ),
    (
        "INSTRUCTION_RESPONSE",
        r#"{"status": "SUCCESS", "results": []}"#,
        "/content/status: expected one of \"PENDING\", \"RUNNING\", \"COMPLETED\", \"FAILED\", \"SKIPPED\", \"TIMEOUT\", found the string \"SUCCESS\"",
    ),
    (
        "CLIENT_CAPABILITIES",
        r#"{}"#,
        "/content/clientId: expected an id (a string that is not empty and has no control characters), found nothing",
    ),
    (
        "CLIENT_CAPABILITIES",
        r#"{"clientId": "c", "supportedTools": [{"toolId": "t", "permissionLevel": "ASK"}]}"#,
        "/content/supportedTools/0/permissionLevel: expected one of \"NONE\", \"USER_CONSENT\", \"ALWAYS_ASK\", found the string \"ASK\"",
    ),
    (
        "CLIENT_CAPABILITIES",
        r#"{"clientId": "c", "supportedTools": [{"toolId": "t", "permission": "GRANTED"}]}"#,
        "/content/supportedTools/0/permission: expected one of \"granted\", \"denied\", \"prompt\", found the string \"GRANTED\"",
    ),
    (
        "CLIENT_CAPABILITIES",
        r#"{"clientId": "c", "supportedTools": [{"toolId": "t", "runtime": "BACKEND"}]}"#,
        "/content/supportedTools/0/runtime: expected \"FRONTEND\": a client announces what it runs, found the string \"BACKEND\"",
    ),
    (
        "CLIENT_CAPABILITIES",
        r#"{"clientId": "c", "supportedTools": [{"toolId": "t"}, {"toolId": "u", "version": "1.0"}]}"#,
        "/content/supportedTools/1/version: expected a version such as \"1.2.0\" (semver), found the string \"1.0\"",
    ),
    (
        "CLIENT_CAPABILITIES",
        r#"{"clientId": "c", "limitations": {"maxFileSize": 0.5}}"#,
        "/content/limitations/maxFileSize: expected an integer from 0, found the number 0.5",
    ),
    (
        "TOOL_AVAILABILITY_REQUEST",
        r#"{"tools": [{}]}"#,
        "/content/tools/0/toolId: expected an id (a string that is not empty and has no control characters), found nothing",
    ),
    (
        "TOOL_AVAILABILITY_RESPONSE",
        r#"{"availableTools": [{"toolId": "t", "available": "yes"}]}"#,
        "/content/availableTools/0/available: expected true or false, found the string \"yes\"",
    ),
    (
        "TOOL_AVAILABILITY_RESPONSE",
        r#"{"availableTools": [{"toolId": "t", "available": false, "reason": "GONE"}]}"#,
        "/content/availableTools/0/reason: expected one of \"PERMISSION_DENIED\", \"NOT_SUPPORTED\", \"VERSION_TOO_LOW\", \"CAPABILITY_MISSING\", \"CLIENT_UNAVAILABLE\", found the string \"GONE\"",
    ),
    (
        "CONTEXT_UPDATE",
        r#"{"operation": "DELETE"}"#,
        "/content/operation: expected one of \"ADD_MESSAGE\", \"UPDATE_STATE\", \"REMOVE_STATE\", \"UPDATE_METADATA\", \"CLEAR_HISTORY\", found the string \"DELETE\"",
    ),
    (
        "CONTEXT_UPDATE",
        r#"{"operation": "ADD_MESSAGE"}"#,
        "/content/message: expected a message, as ADD_MESSAGE needs, found nothing",
    ),
    (
        "CONTEXT_UPDATE",
        r#"{"operation": "ADD_MESSAGE", "message": {"type": "USER_INPUT", "content": {"text": ""}}}"#,
        "/content/message/messageId: expected an id (a string that is not empty and has no control characters), found nothing",
    ),
    (
        "CONTEXT_UPDATE",
        r#"{"operation": "ADD_MESSAGE", "message": {"messageId": "m", "type": "USER_INPUT", "content": {"text": 5}}}"#,
        "/content/message/content/text: expected a string, found the number 5",
    ),
    (
        "CONTEXT_UPDATE",
        r#"{"operation": "UPDATE_STATE", "path": "a"}"#,
        "/content/value: expected any JSON value (null is one), as UPDATE_STATE needs, found nothing",
    ),
    (
        "CONTEXT_UPDATE",
        r#"{"operation": "UPDATE_STATE", "value": 1}"#,
        "/content/path: expected a path such as userPreferences.language, as UPDATE_STATE needs, found nothing",
    ),
    (
        "CONTEXT_UPDATE",
        r#"{"operation": "UPDATE_STATE", "path": "a..b", "value": 1}"#,
        "/content/path: expected a path such as userPreferences.language, found \"a..b\": an empty name: write \"\" for the field whose name is empty at byte 2",
    ),
    (
        "CONTEXT_UPDATE",
        r#"{"operation": "UPDATE_STATE", "path": ["a"], "value": 1}"#,
        "/content/path: expected a path such as userPreferences.language, found an array of 1 element",
    ),
    (
        "CONTEXT_UPDATE",
        r#"{"operation": "CLEAR_HISTORY", "filter": {}}"#,
        "/content/filter/beforeTimestamp: expected an ISO 8601 date and time such as 2025-12-01T12:34:56.789Z, found nothing",
    ),
    (
        "CONTEXT_UPDATE",
        r#"{"operation": "CLEAR_HISTORY", "baseVersion": -1}"#,
        "/content/baseVersion: expected an integer from 0, found the number -1",
    ),
    (
        "ERROR_RESPONSE",
        r#"{"message": ""}"#,
        "/content/errorCode: expected a string, found nothing",
    ),
    (
        "ERROR_RESPONSE",
        r#"{"errorCode": "X", "message": "", "source": "server"}"#,
        "/content/source: expected one of \"CLIENT\", \"SERVER\", \"TOOL\", \"SYSTEM\", \"客户端\", \"服务端\", \"工具\", \"系统\", found the string \"server\"",
    ),
    (
        "ERROR_RESPONSE",
        r#"{"errorCode": "X", "message": "", "recoverable": "no"}"#,
        "/content/recoverable: expected true or false, found the string \"no\"",
    ),
    (
        "CONTROL",
        r#"{"action": "STOP", "target": "m"}"#,
        "/content/action: expected one of \"CANCEL\", \"PAUSE\", \"RESUME\", found the string \"STOP\"",
    ),
    (
        "HELLO",
        r#"{"protocolVersion": 1}"#,
        "/content/protocolVersion: expected a string, found the number 1",
    ),
    (
        "SUBSCRIBE",
        r#"{"contextId": "c", "since": 1.5}"#,
        "/content/since: expected an integer from 0, found the number 1.5",
    ),
    (
        "PROGRESS",
        r#"{"id": "i", "status": "DONE"}"#,
        "/content/status: expected one of \"PENDING\", \"RUNNING\", \"COMPLETED\", \"FAILED\", \"SKIPPED\", \"TIMEOUT\", found the string \"DONE\"",
    ),
    (
        "CONTEXT_DELTA",
        r#"{"version": 1, "changes": [{"version": 1, "op": "SET"}]}"#,
        "/content/changes/0/op: expected one of \"ADD_MESSAGE\", \"UPDATE_STATE\", \"REMOVE_STATE\", \"UPDATE_METADATA\", \"CLEAR_HISTORY\", found the string \"SET\"",
    ),
];

#[test]
fn cp_3_each_fault_has_pointer_expected_and_found() {
    for (kind, content, fault) in WRONG {
        let content: Value = serde_json::from_str(content).unwrap();
        assert_eq!(faults(&envelope(kind, content)), [*fault], "{kind}");
    }
}

#[test]
fn cp_3_schema_refuses_what_reader_refuses() {
    let schemas: BTreeMap<&str, jsonschema::Validator> = schema::all()
        .map(|(name, schema)| (name, jsonschema::validator_for(&schema).unwrap()))
        .collect();
    for (kind, content, fault) in WRONG {
        let message = envelope(kind, serde_json::from_str(content).unwrap());
        assert!(!schemas[kind].is_valid(&message), "{kind}: {fault}");
    }
    for field in ["messageId", "timestamp", "type", "sender", "content"] {
        let message = without(&envelope("USER_INPUT", json!({"text": ""})), field);
        assert!(read(&message).is_err() && !schemas["USER_INPUT"].is_valid(&message), "{field}");
    }
}

#[test]
fn cp_2_each_type_has_valid_example_that_round_trips() {
    for kind in KINDS {
        let text = reference::example(kind.name).unwrap_or_else(|| panic!("{}", kind.name));
        let message = Message::parse(text.as_bytes(), &Limits::WIRE).unwrap();
        assert_eq!(message.kind(), kind.name);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(canonical(&message.to_value()), canonical(&value));
        let validator = jsonschema::validator_for(&schema::of(kind.name).unwrap()).unwrap();
        let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", kind.name);
    }
}

#[test]
fn cp_2b_the_added_types_are_of_the_protocol() {
    for kind in [
        "HELLO",
        "WELCOME",
        "ACK",
        "MODEL_RESPONSE_DELTA",
        "INSTRUCTION_RESPONSE",
        "PROGRESS",
        "CONTROL",
        "SUBSCRIBE",
        "UNSUBSCRIBE",
        "CONTEXT_DELTA",
    ] {
        assert!(KINDS.iter().any(|known| known.name == kind), "{kind}");
    }
}

#[test]
fn cp_1_missing_envelope_field_is_named() {
    let whole = envelope("INSTRUCTION", json!({"instructions": []}));
    assert!(read(&whole).is_ok());
    for field in ["messageId", "contextId", "timestamp", "type", "sender", "content"] {
        let fault = faults(&without(&whole, field)).concat();
        assert!(fault.starts_with(&format!("/{field}: expected ")), "{fault}");
        assert!(fault.ends_with(", found nothing"), "{fault}");
    }
    assert_eq!(faults(&json!({})).len(), 5);
    assert_eq!(
        faults(&json!([])),
        ["the message: expected a message (an object), found an array of 0 elements"]
    );
}

#[test]
fn cp_1_envelope_is_checked_in_every_field() {
    let cases = [
        ("/messageId", json!(5)),
        ("/messageId", json!("")),
        ("/messageId", json!("a\nb")),
        ("/contextId", json!({})),
        ("/timestamp", json!("yesterday")),
        ("/timestamp", json!(1_764_590_096)),
        ("/type", json!(null)),
        ("/sender", json!("user")),
        ("/sender/id", json!(7)),
        ("/sender/type", json!("ROBOT")),
        ("/metadata", json!("x")),
    ];
    for (pointer, value) in cases {
        let mut message = envelope("USER_INPUT", json!({"text": ""}));
        *message.pointer_mut(pointer).unwrap() = value;
        let refusal = read(&message).unwrap_err();
        let found: Vec<&str> = refusal.violations.iter().map(|v| v.pointer.as_str()).collect();
        assert_eq!(found, [pointer]);
    }
}

#[test]
fn cp_3_all_faults_of_message_are_reported_in_one_pass() {
    let mut message = envelope(
        "TOOL_CALL_REQUEST",
        json!({"calls": [{"callId": 1, "parameters": []}, 5], "timeout": "x", "executionMode": "?"}),
    );
    message["sender"] = json!({"type": "user"});
    message["timestamp"] = json!("?");
    let refusal = read(&message).unwrap_err();
    let found: Vec<&str> = refusal.violations.iter().map(|v| v.pointer.as_str()).collect();
    assert_eq!(
        found,
        [
            "/timestamp",
            "/sender/type",
            "/sender/id",
            "/content/calls/0/callId",
            "/content/calls/0/parameters",
            "/content/calls/0/name",
            "/content/calls/1",
            "/content/timeout",
            "/content/executionMode",
        ]
    );
    assert!(refusal.message.ends_with("(and 8 more)"), "{}", refusal.message);
    assert_eq!(refusal.message_id.as_deref(), Some("msg_123456789"));
    assert_eq!(refusal.context_id.as_deref(), Some("ctx_abcdefg"));
}

#[test]
fn cp_3_faults_beyond_limit_are_counted() {
    let calls = vec![json!(1); 500];
    let refusal = read(&envelope("TOOL_CALL_REQUEST", json!({"calls": calls}))).unwrap_err();
    assert_eq!((refusal.violations.len(), refusal.unlisted), (100, 400));
    let content = refusal.into_content("req_1", "2025-12-01T00:00:00Z", None);
    let details = content.details.unwrap();
    assert_eq!(details.extra["unlistedViolations"], 400);
    assert_eq!(details.violations.unwrap().as_array().unwrap().len(), 100);
}

#[test]
fn cp_9_which_messages_may_come_without_context() {
    for kind in KINDS {
        let text = reference::example(kind.name).unwrap();
        let mut value: Value = serde_json::from_str(&text).unwrap();
        value["contextId"] = json!("ctx_1");
        assert!(read(&value).is_ok(), "{}", kind.name);
        let missing = without(&value, "contextId");
        assert_eq!(read(&missing).is_err(), kind.needs_context, "{}", kind.name);
        value["contextId"] = Value::Null;
        assert_eq!(read(&value).is_err(), kind.needs_context, "{}", kind.name);
        if let Ok(message) = read(&value) {
            assert_eq!(message.to_value(), value);
        }
    }
    for kind in ["USER_INPUT", "CLIENT_CAPABILITIES", "TOOL_AVAILABILITY_REQUEST", "ERROR_RESPONSE"]
    {
        assert!(!KINDS.iter().find(|known| known.name == kind).unwrap().needs_context);
    }
}

#[test]
fn cp_1_unknown_types_and_fields_are_kept() {
    let mut value = envelope("VOTE", json!([1, {"a": null}]));
    value["later"] = json!({"x": 1.50});
    value["sender"]["role"] = json!("chair");
    let message = read(&value).unwrap();
    assert!(matches!(&message.body, Body::Other { kind, .. } if kind == "VOTE"));
    assert_eq!(message.to_value(), value);
    let mut value = envelope("USER_INPUT", json!({"text": "", "mood": null, "attachments": null}));
    value["metadata"] = json!({"client": {"v": 1}});
    assert_eq!(read(&value).unwrap().to_value(), value);
}

#[test]
fn cp_3_kept_null_is_replaced_by_value() {
    let value = envelope("USER_INPUT", json!({"text": "", "attachments": null}));
    let mut message = read(&value).unwrap();
    let Body::UserInput(input) = &mut message.body else { panic!() };
    assert_eq!(input.attachments, None);
    input.attachments = Some(Vec::new());
    assert_eq!(message.to_json().matches("attachments").count(), 1);
    assert_eq!(message.to_value()["content"]["attachments"], json!([]));
}

#[test]
fn cp_3_numbers_keep_their_spelling() {
    let content = r#"{"calls":[{"callId":"c","name":"n","parameters":{"x":1.0,"y":18446744073709551615},"timeout":0.5}],"timeout":30.0,"frontendTimeout":0,"backendTimeout":20}"#;
    let message = envelope("TOOL_CALL_REQUEST", serde_json::from_str(content).unwrap());
    let read = read(&message).unwrap();
    assert!(read.to_json().contains(content), "{}", read.to_json());
    let Body::ToolCallRequest(request) = &read.body else { panic!() };
    assert_eq!(request.calls()[0].timeout.as_ref().unwrap().duration().as_millis(), 500);
}

#[test]
fn cp_10_null_value_is_value() {
    let content = json!({"operation": "UPDATE_STATE", "path": "a", "value": null});
    let message = read(&envelope("CONTEXT_UPDATE", content)).unwrap();
    let Body::ContextUpdate(update) = &message.body else { panic!() };
    assert_eq!(update.value, Some(Value::Null));
    assert_eq!(message.to_value()["content"]["value"], Value::Null);
}

#[test]
fn wa_7_update_has_one_operation_or_changes() {
    let set = |path: &str| json!({"operation": "UPDATE_STATE", "path": path, "value": null});
    let remove = json!({"operation": "REMOVE_STATE", "path": "b"});
    let message = json!({"messageId": "m", "type": "USER_INPUT", "content": {"text": "t"}});
    let patch = json!({"operation": "UPDATE_METADATA", "value": {"title": "t", "x": null}});
    let content = json!({"changes": [set("a"), remove, patch,
        {"operation": "CLEAR_HISTORY"}, {"operation": "ADD_MESSAGE", "message": message}],
        "baseVersion": 3});
    let value = envelope("CONTEXT_UPDATE", content);
    let message = read(&value).unwrap();
    assert_eq!(message.to_value(), value);
    for (content, pointer) in [
        (json!({}), "/content/operation"),
        (json!({"operation": null}), "/content/operation"),
        (json!({"changes": []}), "/content/changes"),
        (json!({"changes": [set("a")], "operation": "CLEAR_HISTORY"}), "/content/operation"),
        (json!({"changes": [set("a")], "path": "b"}), "/content/path"),
        (json!({"changes": [set("a."), set("b")]}), "/content/changes/0/path"),
        (
            json!({"changes": [set("a"), {"operation": "ADD_MESSAGE", "message":
                {"messageId": "m", "type": "USER_INPUT", "content": {"text": 7}}}]}),
            "/content/changes/1/message/content/text",
        ),
        (json!({"changes": [{"operation": "ADD_MESSAGE"}]}), "/content/changes/0/message"),
        (json!({"changes": [{"operation": "RENAME"}]}), "/content/changes/0/operation"),
        (json!({"operation": "UPDATE_METADATA"}), "/content/value"),
        (json!({"operation": "UPDATE_METADATA", "value": null}), "/content/value"),
        (json!({"operation": "UPDATE_METADATA", "value": [1]}), "/content/value"),
        (
            json!({"changes": [{"operation": "UPDATE_STATE", "path": "a"}]}),
            "/content/changes/0/value",
        ),
        (json!({"changes": [{"operation": "REMOVE_STATE"}]}), "/content/changes/0/path"),
    ] {
        let refusal = read(&envelope("CONTEXT_UPDATE", content.clone())).unwrap_err();
        let found = refusal.violations.iter().any(|one| one.pointer == pointer);
        assert!(found, "{content}: {refusal:?}");
    }
}

#[test]
fn fl_1_tool_calls_field_is_read_as_calls() {
    let call = json!({"callId": "c", "name": "n", "parameters": {}});
    for name in ["calls", "toolCalls"] {
        let value = envelope("TOOL_CALL_REQUEST", json!({name: [call]}));
        let message = read(&value).unwrap();
        assert_eq!(message.to_value(), value);
        let Body::ToolCallRequest(request) = message.body else { panic!() };
        assert_eq!(request.calls()[0].call_id, "c");
        assert_eq!(request.into_calls().len(), 1);
    }
}

#[test]
fn cp_17_chinese_words_of_source_are_accepted_and_kept() {
    use contexture_protocol::content::SourceKind;
    for (word, kind) in [
        ("客户端", SourceKind::Client),
        ("服务端", SourceKind::Server),
        ("工具", SourceKind::Tool),
        ("系统", SourceKind::System),
        ("SERVER", SourceKind::Server),
    ] {
        let content = json!({"errorCode": "X", "message": "", "source": word});
        let message = read(&envelope("ERROR_RESPONSE", content)).unwrap();
        assert_eq!(message.to_value()["content"]["source"], word);
        let Body::ErrorResponse(error) = message.body else { panic!() };
        assert_eq!(error.source.unwrap().kind, kind);
    }
}

#[test]
fn cp_19_limits_are_named_when_they_are_broken() {
    let message = envelope("TOOL_CALL_REQUEST", json!({"calls": [], "x": [[[[1]]]]}));
    let text = message.to_string();
    let is = |limits: Limits, part: &str| {
        let refusal = Message::parse(text.as_bytes(), &limits).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::TooLarge);
        assert!(refusal.message.contains(part), "{}", refusal.message);
    };
    assert!(Message::parse(text.as_bytes(), &Limits { depth: 6, ..Limits::WIRE }).is_ok());
    is(Limits { depth: 5, ..Limits::WIRE }, "deeper than 5 lists and objects");
    is(Limits { bytes: 10, ..Limits::WIRE }, "more than the 10 allowed");
    is(Limits { id_bytes: 5, ..Limits::WIRE }, "an id of at most 5 bytes, found 13 bytes");
    let refusal = Message::from_value(message, &Limits { depth: 5, ..Limits::WIRE }).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::TooLarge);
    let calls =
        json!({"toolCalls": vec![json!({"callId": "c", "name": "n", "parameters": {}}); 3]});
    let limits = Limits { items: 2, ..Limits::WIRE };
    let refusal = Message::from_value(envelope("MODEL_RESPONSE", calls), &limits).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::TooLarge);
    assert_eq!(refusal.violations[0].pointer, "/content/toolCalls");
    let deep = "[".repeat(5_000_000);
    let limits = Limits { depth: usize::MAX, ..Limits::WIRE };
    let refusal = Message::parse(deep.as_bytes(), &limits).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::TooLarge);
}

#[test]
fn cp_1_duplicate_field_is_refused() {
    let text = envelope("USER_INPUT", json!({"text": ""})).to_string();
    let twice = text.replace("\"type\":\"SYSTEM\"", "\"type\":\"USER\",\"type\":\"SYSTEM\"");
    let refusal = Message::parse(twice.as_bytes(), &Limits::WIRE).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ParseError);
    assert!(refusal.message.contains("duplicate field \"type\""), "{}", refusal.message);
}

#[test]
fn cp_19_message_as_deep_as_limit_is_read_on_small_stack() {
    let deep = |depth: usize| {
        let inner = format!("{}1{}", "{\"a\":[".repeat(depth / 2), "]}".repeat(depth / 2));
        format!(
            r#"{{"messageId":"m","timestamp":"2025-12-01","type":"USER_INPUT","sender":{{"id":"u","type":"USER"}},"content":{{"text":"","x":{inner}}}}}"#
        )
    };
    let limits = Limits { depth: usize::MAX, ..Limits::WIRE };
    let work = move || {
        let message = Message::parse(deep(998).as_bytes(), &limits).unwrap();
        assert!(canonical(&message.to_value()).contains("[1]"));
        let refusal = Message::parse(deep(1_000).as_bytes(), &limits).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::TooLarge);
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}
