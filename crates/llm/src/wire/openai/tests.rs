use super::*;
use crate::wire::refusal::failure;
use crate::wire::{Flow, Refusal};
use contexture_answer::{Field, Shape};
use contexture_prompt::{
    FinishReason, OpenaiChatMessage, OpenaiChatRequest, OpenaiContentPart, Role, ToolCall, Usage,
};
use std::time::Duration;

fn server(official: bool) -> OpenAi {
    OpenAi {
        name: if official { "openai" } else { "host:1" }.into(),
        base: "http://host:1/v1".into(),
        key: Some(Secret::new("sk-secret-key")),
        model: "gpt-x".into(),
        official,
    }
}

fn call() -> ChatCall {
    ChatCall::from(OpenaiChatRequest {
        messages: vec![
            OpenaiChatMessage::of_text(Role::Developer, "be brief"),
            OpenaiChatMessage::of_text(Role::User, "hi"),
        ],
        ..OpenaiChatRequest::default()
    })
}

fn body(call: &ChatCall, plan: Plan, stream: bool) -> Value {
    server(false).request(call, plan, stream).unwrap().body
}

fn schema() -> SchemaHint {
    let shape = Shape::Object(vec![
        Field::new("ok", Shape::Boolean),
        Field::new("note", Shape::String).optional(),
    ]);
    SchemaHint::of_shape(&shape, false)
}

#[test]
fn as_24_messages_are_sent_as_simplest_json() {
    let parts = server(false).request(&call(), Plan::default(), false).unwrap();
    assert_eq!(parts.url, "http://host:1/v1/chat/completions");
    assert_eq!(
        parts.body,
        json!({
            "model": "gpt-x",
            "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}]
        })
    );
    assert!(!format!("{parts:?}").contains("sk-secret-key"));
    let official = server(true).request(&call(), Plan::default(), false).unwrap().body;
    assert_eq!(official["messages"][0]["role"], "developer");
}

#[test]
fn pt_9_request_keeps_parts_names_and_unknown_fields() {
    let mut call = call();
    let parts = vec![OpenaiContentPart::text("a"), OpenaiContentPart::input_audio("AA", "wav")];
    let mut message = OpenaiChatMessage::new(Role::User, parts);
    message.name = Some("ada".into());
    call.request.messages.push(message);
    call.request.extra.insert("vendor".into(), json!({"x": 1}));
    call.request.model = "other".into();
    let body = body(&call, Plan::default(), false);
    assert_eq!(body["messages"][2]["content"][1]["input_audio"]["format"], "wav");
    assert_eq!(body["messages"][2]["name"], "ada");
    assert_eq!((&body["vendor"]["x"], &body["model"]), (&json!(1), &json!("other")));
}

#[test]
fn as_19_hints_use_parameter_names_of_server() {
    let mut call = call();
    call.max_output = Some(50);
    call.request.max_tokens = Some(7);
    call.think = Some(Think::Low);
    call.request.temperature = Some(0.5);
    let plain = body(&call, Plan::default(), false);
    assert_eq!((&plain["max_tokens"], &plain["reasoning_effort"]), (&json!(50), &json!("low")));
    let official = server(true).request(&call, Plan::default(), false).unwrap().body;
    assert_eq!(official["max_completion_tokens"], 50);
    assert_eq!(official.get("max_tokens"), None);
    let plan =
        Plan { no_temperature: true, no_think: true, other_max_tokens: true, ..Plan::default() };
    let parts = server(false).request(&call, plan, false).unwrap();
    assert_eq!(parts.body["max_completion_tokens"], 50);
    assert_eq!((parts.body.get("temperature"), parts.body.get("reasoning_effort")), (None, None));
    assert_eq!(parts.warnings.len(), 2, "{:?}", parts.warnings);
    call.request.model = "gpt-4o-mini".into();
    let parts = server(true).request(&call, Plan::default(), false).unwrap();
    assert_eq!(parts.body.get("reasoning_effort"), None);
    assert_eq!(parts.warnings, ["`think` was left out: this model or server does not know it"]);
}

#[test]
fn as_21_schema_is_sent_in_form_that_server_knows() {
    let mut call = call();
    call.schema = Some(schema().into());
    let of = |step| {
        let plan = Plan { schema_step: step, ..Plan::default() };
        server(false).request(&call, plan, false).unwrap()
    };
    let first = of(0).body["response_format"].clone();
    assert_eq!(first["type"], "json_schema");
    assert_eq!(first["json_schema"]["strict"], true);
    assert_eq!(first["json_schema"]["schema"]["required"], json!(["ok", "note"]));
    let second = of(1).body["response_format"].clone();
    assert_eq!(second, json!({"type": "json_object", "schema": schema().schema}));
    assert_eq!(of(2).body["response_format"], json!({"type": "json_object"}));
    assert_eq!(of(3).body.get("response_format"), None);
    assert!(of(3).warnings[0].contains("structured output"));
}

#[test]
fn as_21_refused_form_is_followed_by_next_form() {
    let mut call = call();
    call.schema = Some(schema().into());
    call.request.temperature = Some(1.0);
    call.think = Some(Think::High);
    call.max_output = Some(5);
    let wire = server(false);
    let next = |plan, status, body: &str| {
        wire.concede(&call, plan, &Refusal { status, retry_after: None, body, model: "m" })
    };
    let start = Plan::default();
    let llama = r#"{"error":{"message":"1 validation error:\n {'loc': ('body', 'response_format', 'type')}","type":"internal_server_error"}}"#;
    assert_eq!(next(start, 500, llama), Some(Plan { schema_step: 1, ..start }));
    assert_eq!(next(start, 500, r#"{"error":"boom in response_format"}"#), None);
    let temperature =
        r#"{"error":{"message":"Unsupported value: 'temperature'","param":"temperature"}}"#;
    assert_eq!(next(start, 400, temperature), Some(Plan { no_temperature: true, ..start }));
    let tokens = r#"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'."}}"#;
    let other = Plan { other_max_tokens: true, ..start };
    assert_eq!(next(start, 400, tokens), Some(other));
    assert_eq!(next(other, 400, tokens), None);
    let effort =
        r#"{"error":{"message":"Unrecognized request argument supplied: reasoning_effort"}}"#;
    assert_eq!(next(start, 400, effort), Some(Plan { no_think: true, ..start }));
    let usage =
        r#"{"detail":[{"loc":["body","stream_options"],"msg":"extra fields not permitted"}]}"#;
    assert_eq!(next(start, 422, usage), Some(Plan { no_stream_usage: true, ..start }));
    assert_eq!(next(start, 401, temperature), None);
    let last = Plan { schema_step: 3, ..start };
    assert_eq!(next(last, 400, llama), None);
}

#[test]
fn as_22_statuses_become_errors_that_say_what_to_do() {
    let fail = |status, body: &str| {
        let retry_after = Some(Duration::from_secs(3));
        failure("openai", &Refusal { status, retry_after, body, model: "gpt-x" }).kind()
    };
    let kind = |status| fail(status, r#"{"error":{"message":"no"}}"#);
    assert_eq!((kind(401), kind(403), kind(429)), ("auth", "auth", "rate_limited"));
    assert_eq!((kind(500), kind(503), kind(408)), ("server", "server", "server"));
    assert_eq!((kind(400), kind(422), kind(302)), ("bad_request", "bad_request", "bad_response"));
    assert_eq!(fail(404, r#"{"error":{"code":"model_not_found"}}"#), "no_such_model");
    assert_eq!(fail(400, r#"{"error":{"code":"model_not_found"}}"#), "no_such_model");
    assert_eq!(fail(404, "<html>not found</html>"), "bad_request");
    assert_eq!(fail(429, r#"{"error":{"code":"insufficient_quota"}}"#), "quota");
    let error = failure(
        "openai",
        &Refusal { status: 429, retry_after: Some(Duration::from_secs(3)), body: "", model: "m" },
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    assert!(error.to_string().contains("no reason given"));
}

fn read(body: Value) -> Result<ChatResponse, LlmError> {
    server(false).response(&call(), &body)
}

#[test]
fn as_24_answers_are_read_with_usage_reasoning_and_calls() {
    let response = read(json!({
        "id": "c1", "model": "gpt-x-1",
        "choices": [{
            "message": {
                "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
                "reasoning_content": "because",
                "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}, {"id": "t2", "function": {"name": "g", "arguments": "{}"}}]
            },
            "finish_reason": "tool_calls"
        }],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4.0, "total_tokens": 8, "prompt_tokens_details": {"cached_tokens": 2}}
    }))
    .unwrap();
    assert_eq!((response.text.as_str(), response.reasoning.as_deref()), ("ab", Some("because")));
    assert_eq!(response.tool_calls[0], ToolCall::function("call_1", "f", r#"{"x":1}"#));
    assert_eq!(response.tool_calls[1].id, "t2");
    assert_eq!(response.finish_reason, Some(FinishReason::ToolCalls));
    let usage = response.usage;
    assert_eq!((usage.total_tokens, usage.cached_tokens, usage.completion_tokens), (8, Some(2), 4));
}

#[test]
fn as_24_odd_answers_are_errors_or_read_for_what_they_are() {
    for odd in [json!({}), json!([]), json!(null), json!({"choices": []}), json!("x")] {
        assert_eq!(read(odd.clone()).unwrap_err().kind(), "bad_response", "{odd}");
    }
    let gateway = json!({"error": {"message": "slow", "code": 429}});
    assert_eq!(read(gateway).unwrap_err().kind(), "rate_limited");
    let refused = read(json!({"choices": [{"message": {"content": null, "refusal": "I can't"}, "finish_reason": "stop"}]})).unwrap();
    assert_eq!(
        (refused.text.as_str(), refused.finish_reason),
        ("I can't", Some(FinishReason::Refusal))
    );
    let bare = read(json!({"choices": [{"message": {}}]})).unwrap();
    assert_eq!((bare.text.as_str(), bare.finish_reason), ("", None));
}

fn stream(pieces: &[&str]) -> (Vec<String>, Result<ChatResponse, LlmError>) {
    let mut decoder = server(false).decoder(&call());
    let mut heard = Vec::new();
    for piece in pieces {
        match decoder.piece(piece, &mut |text| heard.push(text.to_owned())) {
            Ok(Flow::More) => {}
            Ok(Flow::Done) => break,
            Err(error) => return (heard, Err(error)),
        }
    }
    let response = decoder.finish();
    (heard, response)
}

#[test]
fn as_23_stream_is_assembled_with_usage() {
    let (heard, response) = stream(&[
        r#"{"id":"c","model":"m","choices":[{"delta":{"role":"assistant","content":""}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_content":"h"}}]}"#,
        r#"{"choices":[{"delta":{"content":"He"}}]}"#,
        r#"{"choices":[{"delta":{"content":"llo"},"finish_reason":null}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#,
        "[DONE]",
        r#"{"choices":[{"delta":{"content":"never"}}]}"#,
    ]);
    let response = response.unwrap();
    assert_eq!(heard, ["He", "llo"]);
    assert_eq!((response.text.as_str(), response.reasoning.as_deref()), ("Hello", Some("h")));
    assert_eq!((response.usage, response.id.as_str()), (Usage::new(1, 2), "c"));
}

#[test]
fn as_23_tool_calls_are_put_together_by_index_or_id() {
    let (_, response) = stream(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    ]);
    let calls = response.unwrap().tool_calls;
    assert_eq!(
        calls,
        [ToolCall::function("a", "f", r#"{"x":1}"#), ToolCall::function("b", "g", "{}")]
    );
    let (_, response) = stream(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]}"#,
        "[DONE]",
    ]);
    let response = response.unwrap();
    assert_eq!(response.finish_reason, Some(FinishReason::ToolCalls));
    assert_eq!(response.tool_calls[1], ToolCall::function("b", "g", "{}"));
}

#[test]
fn as_23_cut_or_broken_stream_is_error() {
    let (heard, cut) = stream(&[r#"{"choices":[{"delta":{"content":"Hel"}}]}"#]);
    assert_eq!(heard, ["Hel"]);
    assert_eq!(cut, Err(LlmError::CutStream { provider: "host:1".into(), received: 3 }));
    assert_eq!(stream(&["{nope"]).1.unwrap_err().kind(), "bad_response");
    let failed = stream(&[r#"{"error":{"message":"overloaded"}}"#]).1;
    assert_eq!(failed.unwrap_err().kind(), "server");
}
