use super::*;
use crate::message::{OpenaiContentPart, ResponseFormat, Stop, ToolChoice};
use serde_json::json;

#[test]
fn pt_9_messages_survive_round_trip() {
    for value in [
        json!({"role": "system", "content": "s", "name": "n"}),
        json!({"role": "developer", "content": [{"type": "text", "text": "d"}]}),
        json!({"role": "user", "content": [
            {"type": "text", "text": "u"},
            {"type": "image_url", "image_url": {"url": "https://x", "detail": "high"}},
            {"type": "input_audio", "input_audio": {"data": "AA", "format": "mp3"}},
            {"type": "file", "file": {"file_data": "AA", "filename": "a.pdf"}}
        ]}),
        json!({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}),
        json!({"role": "assistant", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ], "refusal": "r"}),
        json!({"role": "tool", "content": "t", "tool_call_id": "c1"}),
    ] {
        let ours: OpenaiChatMessage = serde_json::from_value(value.clone()).unwrap();
        let theirs = ChatCompletionRequestMessage::try_from(ours.clone()).unwrap();
        assert_eq!(serde_json::to_value(&theirs).unwrap(), value);
        assert_eq!(OpenaiChatMessage::try_from(theirs).unwrap(), ours);
    }
}

#[test]
fn pt_9_unsupported_parts_are_named() {
    let error = |value: Value| {
        let ours: OpenaiChatMessage = serde_json::from_value(value).unwrap();
        ChatCompletionRequestMessage::try_from(ours).unwrap_err()
    };
    let image = json!({"type": "image_url", "image_url": {"url": "https://x"}});
    let told = error(json!({"role": "system", "content": [{"type": "text", "text": "a"}, image]}));
    assert_eq!(
        told.to_string(),
        "`content[1]` can't be carried over: a system message has no `image_url` part there"
    );
    assert_eq!(error(json!({"role": "user"})).path, "content");
    assert_eq!(error(json!({"role": "tool", "content": "x"})).path, "tool_call_id");
    assert_eq!(error(json!({"role": "user", "content": "x", "vendor": 1})).path, "vendor");
    assert_eq!(
        error(json!({"role": "tool", "content": "x", "tool_call_id": "c", "name": "n"})).path,
        "name"
    );

    let request = OpenaiChatRequest {
        messages: vec![
            OpenaiChatMessage::of_text(Role::User, "u"),
            OpenaiChatMessage::new(
                Role::Assistant,
                vec![OpenaiContentPart::image_url("https://x")],
            ),
        ],
        ..Default::default()
    };
    let told = CreateChatCompletionRequest::try_from(request).unwrap_err();
    assert_eq!(told.path, "messages[1].content[0]");
    let mut request = OpenaiChatRequest::default();
    request.extra.insert("top_k".into(), json!(4));
    assert_eq!(CreateChatCompletionRequest::try_from(request).unwrap_err().path, "top_k");
}

#[test]
fn pt_9_requests_and_tools_survive_round_trip() {
    let ours = OpenaiChatRequest {
        model: "m".into(),
        messages: vec![OpenaiChatMessage::of_text(Role::User, "u")],
        tools: Some(vec![ToolDefinition::function("f", "does", json!({"type": "object"}))]),
        tool_choice: Some(ToolChoice::function("f")),
        temperature: Some(0.7),
        max_completion_tokens: Some(100),
        response_format: Some(ResponseFormat::schema("answer", json!({"type": "object"}))),
        reasoning_effort: Some("low".into()),
        stop: Some(Stop::Many(vec!["a".into()])),
        ..Default::default()
    };
    let theirs = CreateChatCompletionRequest::try_from(ours.clone()).unwrap();
    let back = OpenaiChatRequest::try_from(theirs).unwrap();
    assert!((back.temperature.unwrap() - 0.7).abs() < 1e-6);
    assert_eq!(OpenaiChatRequest { temperature: Some(0.7), ..back }, ours);

    let call = ToolCall::function("c", "f", "{\"a\":1}");
    let theirs = ChatCompletionMessageToolCalls::try_from(call.clone()).unwrap();
    assert_eq!(ToolCall::try_from(theirs).unwrap(), call);
    let custom = json!({"type": "custom", "id": "c", "custom_tool": {"name": "n", "input": "i"}});
    let theirs: ChatCompletionMessageToolCalls = serde_json::from_value(custom).unwrap();
    assert!(ToolCall::try_from(theirs).unwrap_err().reason.contains("custom"));
}
