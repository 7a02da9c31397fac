use super::*;
use serde::Serialize;
use serde_json::Value;
use serde_json::json;

fn round_trip<T>(value: &Value) -> T
where
    T: Serialize + serde::de::DeserializeOwned,
{
    let typed: T = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), *value);
    typed
}

#[test]
fn pt_9_messages_are_openai_json() {
    let value = json!({
        "role": "user",
        "content": [
            {"type": "text", "text": "看图"},
            {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
            {"type": "file", "file": {"file_id": "file-1"}},
            {"type": "text", "text": "!"}
        ],
        "name": "alice"
    });
    let message: OpenaiChatMessage = round_trip(&value);
    assert_eq!(message.text(), "看图!");
    assert_eq!(message.parts().len(), 5);
    assert!(!message.content.unwrap().is_text_only());
}

#[test]
fn pt_9_tool_calls_and_unknown_fields_survive() {
    let value = json!({
        "role": "assistant",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
        ],
        "reasoning_content": "hm"
    });
    let message: OpenaiChatMessage = round_trip(&value);
    assert_eq!(message.calls()[0].function.name, "now");
    assert_eq!(message.extra["reasoning_content"], "hm");
    assert_eq!(message.text(), "");
    let null: OpenaiChatMessage =
        serde_json::from_value(json!({"role": "assistant", "content": null})).unwrap();
    assert_eq!(null.content, None);
}

#[test]
fn pt_9_absent_options_are_not_written() {
    let message = OpenaiChatMessage::of_text(Role::Developer, "x");
    assert_eq!(
        serde_json::to_string(&message).unwrap(),
        r#"{"role":"developer","content":[{"type":"text","text":"x"}]}"#
    );
    let request = OpenaiChatRequest { model: "m".into(), ..Default::default() };
    assert_eq!(serde_json::to_string(&request).unwrap(), r#"{"model":"m","messages":[]}"#);
}

#[test]
fn pt_8_requests_keep_all_fields() {
    let value = json!({
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}, "strict": true}}],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "temperature": 0.5,
        "max_tokens": 10,
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}, "strict": true}},
        "reasoning_effort": "low",
        "stream": true,
        "stream_options": {"include_usage": true},
        "seed": -3,
        "stop": ["a", "b"],
        "vendor_field": {"deep": [1, 2.5, null]}
    });
    let request: OpenaiChatRequest = round_trip(&value);
    assert_eq!(request.tool_choice, Some(ToolChoice::function("f")));
    assert_eq!(request.extra["vendor_field"]["deep"][1], 2.5);
    for (word, choice) in
        [("none", ToolChoice::None), ("auto", ToolChoice::Auto), ("required", ToolChoice::Required)]
    {
        assert_eq!(round_trip::<ToolChoice>(&json!(word)), choice);
    }
    round_trip::<ResponseFormat>(&json!({"type": "json_object"}));
    round_trip::<Stop>(&json!("END"));
}

#[test]
fn pt_9_unknown_role_or_part_is_error() {
    let role = serde_json::from_value::<OpenaiChatMessage>(json!({"role": "wizard"})).unwrap_err();
    assert!(role.to_string().contains("unknown variant `wizard`, expected one of `system`"));
    assert!(serde_json::from_value::<OpenaiContentPart>(json!({"type": "hologram"})).is_err());
}

#[test]
fn pt_12_responses_become_messages_and_usage_adds_up() {
    let mut response = ChatResponse { text: "ok".into(), ..Default::default() };
    assert_eq!(response.to_message(), OpenaiChatMessage::of_text(Role::Assistant, "ok"));
    response.text.clear();
    response.tool_calls.push(ToolCall::function("c1", "now", "{}"));
    let message = response.to_message();
    assert_eq!((message.content.clone(), message.calls().len()), (None, 1));
    assert_eq!(round_trip::<FinishReason>(&json!("eos")), FinishReason::Other("eos".into()));
    assert_eq!(round_trip::<FinishReason>(&json!("length")), FinishReason::Length);

    let mut total = Usage::new(3, 4);
    total += Usage { reasoning_tokens: Some(2), ..Usage::new(u64::MAX, 1) };
    assert_eq!((total.prompt_tokens, total.completion_tokens), (u64::MAX, 5));
    assert_eq!((total.reasoning_tokens, total.cached_tokens), (Some(2), None));
}
