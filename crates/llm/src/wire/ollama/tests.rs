use super::*;
use crate::wire::refusal::failure;
use crate::wire::{Flow, Refusal};
use contexture_core::provider::SchemaHint;
use contexture_prompt::{FinishReason, OpenaiChatRequest, ToolCall, Usage};

fn wire() -> Ollama {
    Ollama { base: "http://localhost:11434".into(), model: "llama3".into() }
}

fn call(text: &str) -> ChatCall {
    ChatCall::from(OpenaiChatRequest {
        messages: vec![OpenaiChatMessage::of_text(Role::User, text)],
        ..OpenaiChatRequest::default()
    })
}

fn body(call: &ChatCall, plan: Plan) -> Value {
    wire().request(call, plan, false).unwrap().body
}

#[test]
fn as_24_a_call_takes_ollama_s_form() {
    let mut call = call("hi");
    call.request.messages.insert(0, OpenaiChatMessage::of_text(Role::Developer, "brief"));
    call.request.messages.extend([
        OpenaiChatMessage {
            role: Role::Assistant,
            tool_calls: Some(vec![ToolCall::function("c1", "f", r#"{"x":1}"#)]),
            ..OpenaiChatMessage::default()
        },
        OpenaiChatMessage::tool("c1", "done"),
        OpenaiChatMessage::new(
            Role::User,
            vec![
                OpenaiContentPart::text("see"),
                OpenaiContentPart::image_url("data:image/png;base64,QUJD"),
            ],
        ),
    ]);
    call.think = Some(Think::Off);
    call.max_output = Some(9);
    call.request.temperature = Some(0.0);
    call.schema =
        Some(SchemaHint::of_schema("a", json!({"type": "object", "properties": {}})).into());
    assert_eq!(
        body(&call, Plan::default()),
        json!({
            "model": "llama3",
            "messages": [
                {"role": "system", "content": "brief"},
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]},
                {"role": "tool", "content": "done", "tool_name": "f"},
                {"role": "user", "content": "see", "images": ["QUJD"]}
            ],
            "stream": false,
            "format": {"type": "object", "properties": {}, "additionalProperties": false},
            "think": false,
            "options": {"temperature": 0.0, "num_predict": 9}
        })
    );
}

#[test]
fn as_18_long_prompt_requests_window_that_fits_it() {
    assert_eq!(body(&call("short"), Plan::default()).get("options"), None);
    let long = "word ".repeat(6_000);
    assert_eq!(body(&call(&long), Plan::default())["options"]["num_ctx"], 16_384);
    let mut wide = call("short");
    wide.max_output = Some(8_000);
    assert_eq!(body(&wide, Plan::default())["options"]["num_ctx"], 8_192);
}

#[test]
fn as_19_option_that_model_refuses_is_left_out() {
    let mut call = call("hi");
    call.think = Some(Think::High);
    assert_eq!(body(&call, Plan::default())["think"], "high");
    let refusal = Refusal {
        status: 400,
        retry_after: None,
        body: r#"{"error":"\"llama3\" does not support thinking"}"#,
        model: "llama3",
    };
    let plan = wire().concede(&call, Plan::default(), &refusal).unwrap();
    let parts = wire().request(&call, plan, false).unwrap();
    assert_eq!((parts.body.get("think"), parts.warnings.len()), (None, 1));
    let missing = Refusal { status: 404, body: r#"{"error":"model 'x' not found"}"#, ..refusal };
    assert_eq!(failure("ollama", &missing).kind(), "no_such_model");
    assert_eq!(
        failure("ollama", &missing).help().unwrap(),
        "fetch it with `ollama pull llama3`, or choose another model"
    );
}

#[test]
fn as_24_ollama_s_answers_are_read() {
    let response = wire()
        .response(
            &call("hi"),
            &json!({
                "model": "llama3", "done": true, "done_reason": "stop",
                "message": {"role": "assistant", "content": "Hello", "thinking": "hm",
                    "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]},
                "prompt_eval_count": 5, "eval_count": 7
            }),
        )
        .unwrap();
    assert_eq!((response.text.as_str(), response.reasoning.as_deref()), ("Hello", Some("hm")));
    assert_eq!(response.tool_calls, [ToolCall::function("call_1", "f", r#"{"x":1}"#)]);
    assert_eq!(response.usage, Usage::new(5, 7));
    assert_eq!(wire().response(&call("x"), &json!({})).unwrap_err().kind(), "bad_response");
}

#[test]
fn as_23_ollama_s_lines_are_put_together() {
    let mut decoder = wire().decoder(&call("hi"));
    let mut heard = String::new();
    let mut feed = |line: &str| decoder.piece(line, &mut |text| heard.push_str(text));
    assert_eq!(feed(r#"{"model":"m","message":{"content":"He"},"done":false}"#), Ok(Flow::More));
    assert_eq!(feed(r#"{"model":"m","message":{"content":"y"},"done":false}"#), Ok(Flow::More));
    let end = r#"{"model":"m","message":{"content":""},"done":true,"done_reason":"length","prompt_eval_count":2,"eval_count":3}"#;
    assert_eq!(feed(end), Ok(Flow::Done));
    let response = decoder.finish().unwrap();
    assert_eq!((heard.as_str(), response.text.as_str()), ("Hey", "Hey"));
    assert_eq!(
        (response.finish_reason, response.usage),
        (Some(FinishReason::Length), Usage::new(2, 3))
    );
    let mut cut = wire().decoder(&call("hi"));
    let _ = cut.piece(r#"{"message":{"content":"He"}}"#, &mut |_| {});
    assert_eq!(cut.finish().unwrap_err().kind(), "cut_stream");
    let mut failed = wire().decoder(&call("hi"));
    assert_eq!(
        failed.piece(r#"{"error":"out of memory"}"#, &mut |_| {}).unwrap_err().kind(),
        "server"
    );
}

#[test]
fn ca_1_tool_call_of_ollama_that_length_ended_is_cut() {
    let finish = |reason: Value| {
        let called = json!({"function": {"name": "f", "arguments": {"x": 1}}});
        let body =
            json!({"done": true, "done_reason": reason, "message": {"tool_calls": [called]}});
        let whole = wire().response(&call("hi"), &body).unwrap();
        let mut decoder = wire().decoder(&call("hi"));
        assert_eq!(decoder.piece(&body.to_string(), &mut |_| {}), Ok(Flow::Done));
        assert_eq!(decoder.finish().unwrap().finish_reason, whole.finish_reason);
        whole.finish_reason
    };
    assert_eq!(finish(json!("length")), Some(FinishReason::Length));
    assert_eq!(finish(json!("stop")), Some(FinishReason::ToolCalls));
    assert_eq!(finish(Value::Null), Some(FinishReason::ToolCalls));
}

#[test]
fn ca_1_answer_of_ollama_without_reason_has_none() {
    let body = json!({"done": true, "done_reason": null, "message": {"content": "{\"a\": \"Par"}});
    assert_eq!(wire().response(&call("hi"), &body).unwrap().finish_reason, None);
}
