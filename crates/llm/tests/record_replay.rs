//! Recording and replaying through the public API.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests"
)]

use contexture_llm::{
    CancelToken, Canned, ChatCall, LlmError, Provider, Recorder, Recording, Replay, Reply,
    Scripted, Think,
};
use contexture_prompt::{OpenaiChatMessage, OpenaiChatRequest, Role, ToolCall};
use proptest::prelude::*;
use std::time::Duration;

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

fn call(text: &str) -> ChatCall {
    ChatCall::from(OpenaiChatRequest {
        messages: vec![
            OpenaiChatMessage::of_text(Role::System, "You are brief.\nAnd kind."),
            OpenaiChatMessage::of_text(Role::User, text),
        ],
        ..OpenaiChatRequest::default()
    })
}

fn ask(provider: &dyn Provider, call: &ChatCall) -> Result<Reply, LlmError> {
    run(provider.complete(call, None, &CancelToken::new()))
}

/// A recording of these answers to these calls, as the bytes of its file.
fn recorded(exchanges: Vec<(ChatCall, Canned)>) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let recording = Recording::create(&path).unwrap();
    for (call, answer) in exchanges {
        let recorder = Recorder::new(Scripted::new([answer]), recording.clone());
        let _ = ask(&recorder, &call);
    }
    std::fs::read(path).unwrap()
}

fn limited() -> LlmError {
    let retry_after = Some(Duration::from_secs(3));
    LlmError::RateLimited { provider: "x".into(), retry_after, message: "slow".into() }
}

#[test]
fn as_30_answers_failures_and_tool_calls_come_back_as_they_were() {
    let calls = vec![ToolCall::function("c1", "f", "{}")];
    let tape = recorded(vec![
        (call("a"), Canned::text("one")),
        (call("b"), Canned::error(limited())),
        (call("c"), Canned::tool_calls(calls.clone())),
    ]);
    let replay = Replay::parse("a.jsonl", &tape).unwrap();
    assert_eq!(ask(&replay, &call("c")).unwrap().response.tool_calls, calls);
    assert_eq!(ask(&replay, &call("a")).unwrap().response.text, "one");
    assert_eq!(ask(&replay, &call("b")), Err(limited()));
    assert_eq!(replay.unused(), 0);
}

#[test]
fn as_30_equal_requests_get_answers_in_request_order() {
    let tape = recorded(vec![(call("a"), Canned::text("1")), (call("a"), Canned::text("2"))]);
    // Lines stand in the order of their end; the order of asking is kept in them.
    let text = String::from_utf8(tape).unwrap();
    let turned: Vec<&str> = text.lines().rev().collect();
    let replay = Replay::parse("a.jsonl", turned.join("\n").as_bytes()).unwrap();
    let again = replay.clone();
    assert_eq!(ask(&replay, &call("a")).unwrap().response.text, "1");
    assert_eq!(ask(&again, &call("a")).unwrap().response.text, "2");
    let miss = ask(&replay, &call("a")).unwrap_err();
    assert_eq!(
        miss.to_string(),
        "the recording has no answer to this request: it was recorded 2 times and is asked for once more"
    );
}

#[test]
fn as_30_a_time_limit_or_another_model_makes_no_other_request() {
    let tape = recorded(vec![(call("a"), Canned::text("one"))]);
    let replay = Replay::parse("a.jsonl", &tape).unwrap().in_place_of("openai://gpt-4o", "gpt-4o");
    let mut other = ChatCall { timeout: Some(Duration::from_secs(1)), ..call("a") };
    other.request.model = "gpt-4o".into();
    other.request.stream = Some(true);
    assert_eq!(ask(&replay, &other).unwrap().response.text, "one");
    assert_eq!((replay.uri(), replay.model()), ("openai://gpt-4o", "gpt-4o"));
}

#[test]
fn as_30_each_of_two_models_gets_own_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    for (uri, text) in [("openai://x", "from x"), ("openai://y", "from y")] {
        let recording = Recording::append(&path).unwrap();
        let model = Scripted::new([Canned::text(text)]).in_place_of(uri);
        ask(&Recorder::new(model, recording), &call("a")).unwrap();
    }
    let replay = Replay::open(&path).unwrap();
    assert_eq!(
        ask(&replay.in_place_of("openai://y", "y"), &call("a")).unwrap().response.text,
        "from y"
    );
    assert_eq!(
        ask(&replay.in_place_of("openai://x", "x"), &call("a")).unwrap().response.text,
        "from x"
    );
    let sequence: Vec<u64> = std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["seq"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(sequence, [1, 2]);
}

fn miss(tape: &[u8], call: &ChatCall) -> String {
    let error = ask(&Replay::parse("a.jsonl", tape).unwrap(), call).unwrap_err();
    assert_eq!(error.kind(), "replay_miss");
    error.to_string().split_once(": ").unwrap().1.to_owned()
}

#[test]
fn as_24_missing_request_reports_difference_from_nearest_request() {
    let tape = recorded(vec![
        (call("far away"), Canned::text("1")),
        (call("Context:\nthe cat sat\n\nSummarise."), Canned::text("2")),
    ]);
    assert_eq!(
        miss(&tape, &call("Context:\nthe cat slept\n\nSummarise.")),
        "line 2 of message 2 (user) is `the cat slept` and was recorded as `the cat sat`"
    );
    assert_eq!(
        miss(&tape, &call("Context:\nthe cat sat")),
        "line 3 of message 2 (user) is nothing and was recorded as ``"
    );
    let mut warm = call("far away");
    warm.request.temperature = Some(0.5);
    assert_eq!(miss(&tape, &warm), "`temperature` is `0.5` and was recorded as nothing");
    let thinking = ChatCall { think: Some(Think::High), ..call("far away") };
    assert_eq!(miss(&tape, &thinking), "`think` is `\"high\"` and was recorded as nothing");
    let mut longer = call("far away");
    longer.request.messages.push(OpenaiChatMessage::of_text(Role::Assistant, "x"));
    assert_eq!(miss(&tape, &longer), "it has 3 messages, and 2 were recorded");
    let mut turned = call("far away");
    turned.request.messages[0].role = Role::Developer;
    assert!(miss(&tape, &turned).contains("`role of message 1` is `developer`"));
    assert_eq!(miss(b"\n", &call("a")), "it is empty");
}

#[test]
fn as_24_corrupt_line_is_reported_by_number() {
    let tape = recorded(vec![(call("a"), Canned::text("1")), (call("b"), Canned::text("2"))]);
    let text = String::from_utf8(tape).unwrap();
    let fault = |text: &str| match Replay::parse("a.jsonl", text.as_bytes()) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert_eq!(fault(&format!("\u{feff}{text}\r\n\n")), "");
    assert!(
        fault(&format!("{text}{{\"v\":1")).starts_with("a.jsonl, line 3: expected a recorded call")
    );
    assert!(
        fault(&text.replace("\"v\":1", "\"v\":2"))
            .starts_with("a.jsonl, line 1: version 2, expected 1")
    );
    assert!(fault(&text.replace("sha256:", "md5:")).starts_with("a.jsonl, line 1"));
    assert!(fault("\u{0}").starts_with("a.jsonl, line 1"));
}

#[test]
fn as_23_a_replayed_answer_streams_as_well() {
    let replay = Replay::parse("a", &recorded(vec![(call("a"), Canned::text("one two"))])).unwrap();
    let mut heard = String::new();
    let mut hear = |text: &str| heard.push_str(text);
    run(replay.complete(&call("a"), Some(&mut hear), &CancelToken::new())).unwrap();
    assert_eq!(heard, "one two");
}

#[test]
fn as_30_a_cancelled_call_is_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let recorder =
        Recorder::new(Scripted::new([Canned::text("x")]), Recording::create(&path).unwrap());
    let cancel = CancelToken::new();
    cancel.cancel();
    assert_eq!(run(recorder.complete(&call("a"), None, &cancel)), Err(LlmError::Cancelled));
    assert_eq!(std::fs::read(path).unwrap(), b"");
}

proptest! {
    #[test]
    fn as_24_any_bytes_are_recording_or_error(bytes in prop::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>()) {
        let _ = Replay::parse("x", &bytes);
        let mut tape = recorded(vec![(call("a"), Canned::text("1"))]);
        let at = at.index(tape.len());
        tape.truncate(at);
        tape.extend_from_slice(&bytes);
        let _ = Replay::parse("x", &tape);
        let _ = Scripted::parse("x", &String::from_utf8_lossy(&bytes));
    }
}
