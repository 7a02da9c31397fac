use super::*;
use crate::wire::{Flow, Refusal};
use contexture_answer::{Field, Shape};
use contexture_prompt::{
    FinishReason, OpenaiChatMessage, OpenaiChatRequest, OpenaiContentPart, Role, ToolCall,
};

fn wire() -> Anthropic {
    Anthropic {
        base: "http://host:1".into(),
        credential: Some(Credential::Key(Secret::new("sk-ant-secret"))),
        model: "claude-sonnet-4-6".into(),
    }
}

fn call() -> ChatCall {
    ChatCall::from(OpenaiChatRequest {
        messages: vec![
            OpenaiChatMessage::of_text(Role::System, "You are brief."),
            OpenaiChatMessage::of_text(Role::User, "hi"),
        ],
        ..OpenaiChatRequest::default()
    })
}

fn with_schema(mut call: ChatCall) -> ChatCall {
    let shape = Shape::Object(vec![Field::new("ok", Shape::Boolean)]);
    call.schema = Some(SchemaHint::of_shape(&shape, false).into());
    call
}

fn request(call: &ChatCall, plan: Plan) -> Parts {
    wire().request(call, plan, false).unwrap()
}

#[test]
fn as_24_a_conversation_takes_anthropic_s_form() {
    let mut call = call();
    call.request.messages.extend([
        OpenaiChatMessage {
            tool_calls: Some(vec![
                ToolCall::function("t1", "f", r#"{"x":1}"#),
                ToolCall::function("t2", "g", ""),
            ]),
            ..OpenaiChatMessage::of_text(Role::Assistant, "let me see")
        },
        OpenaiChatMessage::tool("t1", "one"),
        OpenaiChatMessage::tool("t2", "two"),
        OpenaiChatMessage::new(
            Role::User,
            vec![
                OpenaiContentPart::text("look"),
                OpenaiContentPart::image_url("data:image/jpeg;base64,QUJD"),
                OpenaiContentPart::image_url("https://x/y.png"),
                OpenaiContentPart::file_data("a.pdf", "UERG"),
            ],
        ),
    ]);
    let parts = request(&call, Plan::default());
    assert_eq!(parts.url, "http://host:1/v1/messages");
    assert_eq!(
        parts.body,
        json!({
            "model": "claude-sonnet-4-6",
            "system": "You are brief.",
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "hi"}]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "let me see"},
                    {"type": "tool_use", "id": "t1", "name": "f", "input": {"x": 1}},
                    {"type": "tool_use", "id": "t2", "name": "g", "input": {}}
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "one"}]},
                    {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "two"}]},
                    {"type": "text", "text": "look"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "QUJD"}},
                    {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
                    {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "UERG"}, "title": "a.pdf"}
                ]}
            ],
            "max_tokens": 16000
        })
    );
    assert!(!format!("{parts:?}").contains("sk-ant-secret"));
}

#[test]
fn as_24_content_that_anthropic_cannot_take_is_error_before_sending() {
    for part in [OpenaiContentPart::input_audio("AA", "wav"), OpenaiContentPart::file_id("f1")] {
        let mut call = call();
        call.request.messages.push(OpenaiChatMessage::new(Role::User, vec![part]));
        assert_eq!(
            wire().request(&call, Plan::default(), false).unwrap_err().kind(),
            "unsupported"
        );
    }
    let mut call = call();
    call.request.messages.push(OpenaiChatMessage {
        tool_calls: Some(vec![ToolCall::function("t", "f", "{broken")]),
        ..OpenaiChatMessage::default()
    });
    call.request.messages[2].role = Role::Assistant;
    assert_eq!(wire().request(&call, Plan::default(), false).unwrap_err().kind(), "unsupported");
}

#[test]
fn as_19_thinking_has_form_of_model_generation() {
    let mut call = call();
    call.think = Some(Think::High);
    call.max_output = Some(1000);
    call.request.temperature = Some(0.2);
    let parts = request(&call, Plan::default());
    assert_eq!(parts.body["thinking"], json!({"type": "adaptive"}));
    assert_eq!(parts.body["output_config"], json!({"effort": "high"}));
    assert_eq!((&parts.body["max_tokens"], parts.body.get("temperature")), (&json!(1000), None));
    assert_eq!(parts.warnings, ["`temperature` was left out: this model does not know it"]);
    call.request.model = "claude-sonnet-4-5".into();
    let parts = request(&call, Plan::default());
    assert_eq!(parts.body["thinking"], json!({"type": "enabled", "budget_tokens": 16384}));
    assert_eq!(parts.body["max_tokens"], 17384);
    call.request.model = "claude-3-5-haiku-latest".into();
    let parts = request(&call, Plan::default());
    assert_eq!((parts.body.get("thinking"), parts.warnings.len()), (None, 1));
    assert_eq!(parts.body["temperature"], 0.2);
    call.think = Some(Think::Off);
    assert_eq!(request(&call, Plan::default()).warnings, [] as [&str; 0]);
}

#[test]
fn as_21_schema_is_sent_as_format_or_as_tool() {
    let call = with_schema(call());
    let closed = json!({
        "type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"], "additionalProperties": false
    });
    let parts = request(&call, Plan::default());
    assert_eq!(
        parts.body["output_config"]["format"],
        json!({"type": "json_schema", "schema": closed})
    );
    let step = |schema_step| request(&call, Plan { schema_step, ..Plan::default() });
    assert_eq!(step(1).body["tools"][0]["input_schema"], closed);
    assert_eq!(step(1).body["tool_choice"], json!({"type": "tool", "name": "answer"}));
    assert_eq!((step(2).body.get("tools"), step(2).warnings.len()), (None, 1));
    let old = r#"{"type":"error","error":{"type":"invalid_request_error","message":"output_config.format: Extra inputs are not permitted"}}"#;
    let refusal = Refusal { status: 400, retry_after: None, body: old, model: "m" };
    let next = wire().concede(&call, Plan::default(), &refusal);
    assert_eq!(next, Some(Plan { schema_step: 1, ..Plan::default() }));
}

#[test]
fn pt_12_tools_and_choices_are_said_in_anthropic_s_words() {
    let mut call = call();
    call.request.tools =
        Some(vec![ToolDefinition::function("f", "does f", json!({"type": "object"}))]);
    call.request.tool_choice = Some(ToolChoice::Required);
    call.request.parallel_tool_calls = Some(false);
    let body = request(&call, Plan::default()).body;
    assert_eq!(
        body["tools"],
        json!([{"name": "f", "input_schema": {"type": "object"}, "description": "does f"}])
    );
    assert_eq!(body["tool_choice"], json!({"type": "any", "disable_parallel_tool_use": true}));
}

#[test]
fn as_24_anthropic_s_answers_are_read() {
    let response = wire().response(&call(), &json!({
        "id": "m1", "type": "message", "model": "claude", "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "f", "input": {"x": 1}}
        ],
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2, "output_tokens": 7}
    })).unwrap();
    assert_eq!((response.text.as_str(), response.reasoning.as_deref()), ("I look.", Some("hm")));
    assert_eq!(response.tool_calls, [ToolCall::function("t1", "f", r#"{"x":1}"#)]);
    assert_eq!(response.finish_reason, Some(FinishReason::ToolCalls));
    assert_eq!((response.usage.prompt_tokens, response.usage.total_tokens), (10, 17));
    let forced = wire().response(&call(), &json!({
        "content": [{"type": "tool_use", "id": "t", "name": "answer", "input": {"ok": true}}], "stop_reason": "tool_use"
    })).unwrap();
    assert_eq!((forced.text.as_str(), forced.tool_calls.len()), (r#"{"ok":true}"#, 0));
    assert_eq!(forced.finish_reason, Some(FinishReason::Stop));
    for odd in [json!({}), json!(null), json!({"content": "x"})] {
        assert_eq!(wire().response(&call(), &odd).unwrap_err().kind(), "bad_response");
    }
}

fn stream(pieces: &[&str]) -> (String, Result<ChatResponse, LlmError>) {
    let mut decoder = wire().decoder(&call());
    let mut heard = String::new();
    for piece in pieces {
        match decoder.piece(piece, &mut |text| heard.push_str(text)) {
            Ok(Flow::More) => {}
            Ok(Flow::Done) => break,
            Err(error) => return (heard, Err(error)),
        }
    }
    (heard, decoder.finish())
}

#[test]
fn as_23_anthropic_s_events_are_put_together() {
    let (heard, response) = stream(&[
        r#"{"type":"message_start","message":{"id":"m","model":"c","usage":{"input_tokens":9,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi "}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"you"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":":2}"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}"#,
        r#"{"type":"message_stop"}"#,
    ]);
    let response = response.unwrap();
    assert_eq!((heard.as_str(), response.text.as_str()), ("Hi you", "Hi you"));
    assert_eq!(response.tool_calls, [ToolCall::function("t", "f", r#"{"a":2}"#)]);
    assert_eq!((response.usage.prompt_tokens, response.usage.completion_tokens), (9, 20));
}

#[test]
fn as_23_anthropic_s_broken_streams_are_errors() {
    let (_, cut) = stream(&[
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#,
    ]);
    assert_eq!(cut, Err(LlmError::CutStream { provider: "anthropic".into(), received: 2 }));
    let (_, busy) =
        stream(&[r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#]);
    let busy = busy.unwrap_err();
    assert!(busy.is_retryable() && busy.to_string().contains("529"), "{busy}");
    assert_eq!(stream(&["{"]).1.unwrap_err().kind(), "bad_response");
}
