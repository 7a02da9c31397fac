use super::*;
use crate::scripted::{Canned, Scripted};
use contexture_answer::Field;
use contexture_core::provider::BoxFuture;
use contexture_prompt::FinishReason;
use serde_json::json;

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(future)
}

fn shape() -> Shape {
    Shape::Object(vec![Field::new("ok", Shape::Boolean), Field::new("n", Shape::Integer)])
}

fn prompt() -> Vec<OpenaiChatMessage> {
    vec![OpenaiChatMessage::of_text(Role::User, "Is it ok?")]
}

/// Keeps its events, in a word or two.
#[derive(Default)]
struct Log {
    told: Vec<String>,
    stream: bool,
}

impl AskObserver for Log {
    fn event(&mut self, event: AskEvent<'_>) {
        self.told.push(match event {
            AskEvent::Request { attempt, round, .. } => format!("request {attempt}.{round}"),
            AskEvent::Text { delta } => format!("text {delta}"),
            AskEvent::Value { value } => format!("value {value}"),
            AskEvent::Retrying { wait, .. } => format!("retry after {wait:?}"),
            AskEvent::ToolsAsked { calls, .. } => format!("asks for {}", calls.len()),
            AskEvent::ToolCalled { call } => format!("call {}", call.function.name),
            AskEvent::ToolReturned { outcome, .. } => format!("returned {}", outcome.text),
            AskEvent::AttemptEnded { attempt } => {
                format!("ended {} with {} faults", attempt.number, attempt.errors.len())
            }
        });
    }

    fn wants_text(&self) -> bool {
        self.stream
    }

    fn wants_values(&self) -> bool {
        self.stream
    }
}

fn ask_all(model: &Scripted, wanted: &Ask<'_>, log: &mut Log) -> Result<Answer, AskError> {
    run(ask(model, wanted, log, &CancelToken::new()))
}

#[test]
fn as_22_faults_use_attempt_and_are_sent_back_with_answer() {
    let model = Scripted::new([
        Canned::text("{\"ok\": \"perhaps\"}"),
        Canned::text("{ok: true, n: \"3\"}"),
    ]);
    let shape = shape();
    let wanted = Ask { messages: prompt(), shape: Some(&shape), attempts: 2, ..Ask::default() };
    let mut log = Log::default();
    let answer = ask_all(&model, &wanted, &mut log).unwrap();
    assert_eq!(answer.value, json!({"ok": true, "n": 3}));
    assert_eq!(
        log.told,
        ["request 1.0", "ended 1 with 2 faults", "request 2.0", "ended 2 with 0 faults"]
    );
    let repair = &model.calls()[1].request.messages;
    assert_eq!((repair.len(), repair[1].role), (3, Role::Assistant));
    assert_eq!(repair[1].text(), "{\"ok\": \"perhaps\"}");
    assert!(
        repair[2].text().contains("ok: expected") && repair[2].text().contains("perhaps"),
        "{}",
        repair[2].text()
    );
    assert_eq!(answer.report.attempts[1].coerced.len(), 1);
}

#[test]
fn as_22_attempts_are_counted_in_all_and_zero_is_one() {
    let shape = shape();
    for (attempts, asked) in [(0, 1), (1, 1), (3, 3)] {
        let model = Scripted::new((0..5).map(|_| Canned::text("no")));
        let wanted = Ask { messages: prompt(), shape: Some(&shape), attempts, ..Ask::default() };
        let error = ask_all(&model, &wanted, &mut Log::default()).unwrap_err();
        assert_eq!((model.calls().len(), error.kind()), (asked, "unusable_answer"));
        assert_eq!(error.report().attempts.len(), asked);
        assert!(error.help().is_some());
    }
}

#[test]
fn as_22_repair_answers_only_last_attempt() {
    let model =
        Scripted::new([Canned::text("first"), Canned::text("second"), Canned::text("third")]);
    let shape = shape();
    let wanted = Ask { messages: prompt(), shape: Some(&shape), attempts: 3, ..Ask::default() };
    let _ = ask_all(&model, &wanted, &mut Log::default());
    let last = &model.calls()[2].request.messages;
    assert_eq!((last.len(), last[1].text().as_ref()), (3, "second"));
}

#[test]
fn as_21_strict_takes_exact_json_alone() {
    let shape = shape();
    let ask_for = |text: &str| {
        let model = Scripted::new([Canned::text(text)]);
        let wanted =
            Ask { messages: prompt(), shape: Some(&shape), strict: true, ..Ask::default() };
        let outcome = ask_all(&model, &wanted, &mut Log::default());
        (outcome.is_ok(), model.calls()[0].schema.clone().unwrap().strict)
    };
    assert_eq!(ask_for(r#" {"ok": true, "n": 3} "#), (true, true));
    assert_eq!(ask_for(r#"{"ok": true, "n": "3"}"#), (false, true));
    assert_eq!(ask_for(r#"{"ok": true, "n": 3, "more": 1}"#), (false, true));
}

#[test]
fn as_22_call_without_shape_returns_raw_text() {
    let model = Scripted::new([Canned::text(" {\"a\": 1,} \n")]);
    let wanted = Ask { messages: prompt(), attempts: 3, ..Ask::default() };
    let answer = ask_all(&model, &wanted, &mut Log::default()).unwrap();
    assert_eq!(answer.value, json!(" {\"a\": 1,} \n"));
    assert_eq!(model.calls()[0].schema, None);
}

fn limited(wait: Option<u64>) -> LlmError {
    LlmError::RateLimited {
        provider: "x".into(),
        retry_after: wait.map(Duration::from_secs),
        message: "slow".into(),
    }
}

#[test]
fn as_22_wait_for_rate_limit_does_not_use_attempt() {
    let model =
        Scripted::new([Canned::error(limited(Some(7))), Canned::text("{\"ok\":true,\"n\":1}")]);
    let shape = shape();
    let retry = RetryPolicy::back_off(2, Duration::from_secs(30));
    let wanted = Ask { messages: prompt(), shape: Some(&shape), retry, ..Ask::default() };
    let mut log = Log::default();
    let answer = ask_all(&model, &wanted, &mut log).unwrap();
    assert_eq!(log.told, ["request 1.0", "retry after 7s", "ended 1 with 0 faults"]);
    assert_eq!(answer.report.attempts[0].retried[0].wait, Duration::from_secs(7));
}

#[test]
fn as_22_other_provider_failures_end_call_at_once() {
    let errors = [
        LlmError::Auth { provider: "x".into(), status: 401, message: String::new() },
        LlmError::Network { host: "x".into(), message: String::new() },
        LlmError::NoSuchModel {
            provider: "x".into(),
            status: 404,
            model: "m".into(),
            message: String::new(),
        },
        limited(Some(31)),
    ];
    for error in errors {
        let model = Scripted::new([Canned::error(error.clone()), Canned::text("never")]);
        let retry = RetryPolicy::back_off(2, Duration::from_secs(30));
        let wanted = Ask { messages: prompt(), attempts: 3, retry, ..Ask::default() };
        let failed = ask_all(&model, &wanted, &mut Log::default()).unwrap_err();
        assert_eq!((failed.kind(), model.calls().len()), (error.kind(), 1));
        assert_eq!(failed.report().attempts[0].failure, Some(error.to_string()));
    }
}

#[test]
fn ca_2_failure_without_retry_after_is_tried_again_within_timeout() {
    let retry = RetryPolicy::back_off(2, Duration::from_secs(30));
    let model = Scripted::new([
        Canned::error(limited(None)),
        Canned::error(LlmError::Disconnected { host: "x".into(), message: "reset".into() }),
        Canned::text("here"),
    ]);
    let wanted = Ask { messages: prompt(), retry, ..Ask::default() };
    let answer = ask_all(&model, &wanted, &mut Log::default()).unwrap();
    let waits: Vec<_> = answer.report.attempts[0].retried.iter().map(|one| one.wait).collect();
    let [first, second] = waits[..] else { panic!("{waits:?}") };
    // The clock of the test counts whole milliseconds.
    let took = answer.report.attempts[0].took;
    assert!(
        took >= first + second && took <= first + second + Duration::from_millis(4),
        "{took:?}"
    );
    assert!((250..=500).contains(&first.as_millis()), "{first:?}");
    assert!((500..=1000).contains(&second.as_millis()), "{second:?}");
    // A wait that would outlast the time is not begun.
    let model = Scripted::new([Canned::error(limited(None)), Canned::text("never")]);
    let timeout = Some(Duration::from_millis(200));
    let wanted = Ask { messages: prompt(), timeout, retry, ..Ask::default() };
    let failed = ask_all(&model, &wanted, &mut Log::default()).unwrap_err();
    assert_eq!((failed.kind(), model.calls().len()), ("rate_limited", 1));
}

#[test]
fn as_19_timeout_covers_whole_call() {
    let slow = || Canned::text("no").after(Duration::from_secs(6));
    let model = Scripted::new([slow(), slow(), slow()]);
    let shape = shape();
    let timeout = Some(Duration::from_secs(10));
    let wanted =
        Ask { messages: prompt(), shape: Some(&shape), attempts: 3, timeout, ..Ask::default() };
    let failed = ask_all(&model, &wanted, &mut Log::default()).unwrap_err();
    assert_eq!((failed.kind(), model.calls().len()), ("timeout", 2));
    assert_eq!(failed.to_string(), "no answer from mock within 10000 ms");
    // A wait that would outlast the time is not begun.
    let model = Scripted::new([Canned::error(limited(Some(20))), Canned::text("never")]);
    let retry = RetryPolicy::back_off(2, Duration::from_secs(30));
    let wanted = Ask { messages: prompt(), timeout, retry, ..Ask::default() };
    assert_eq!(ask_all(&model, &wanted, &mut Log::default()).unwrap_err().kind(), "rate_limited");
}

#[test]
fn as_23_text_and_partial_values_arrive_during_answer() {
    let model = Scripted::new([Canned::text("{\"ok\": true, \"n\": 12}")]);
    let shape = shape();
    let wanted = Ask { messages: prompt(), shape: Some(&shape), ..Ask::default() };
    let mut log = Log { stream: true, ..Log::default() };
    let answer = ask_all(&model, &wanted, &mut log).unwrap();
    assert_eq!(answer.value, json!({"ok": true, "n": 12}));
    let text: String = log.told.iter().filter_map(|told| told.strip_prefix("text ")).collect();
    assert_eq!(text, answer.text);
    assert_eq!(log.told[log.told.len() - 2], "value {\"ok\":true,\"n\":12}");
}

#[test]
fn as_22_streamed_text_is_not_followed_by_second_answer() {
    struct Breaks;
    impl Provider for Breaks {
        fn uri(&self) -> &'static str {
            "breaks"
        }
        fn complete<'a>(
            &'a self,
            _: &'a ChatCall,
            sink: Option<crate::TextSink<'a>>,
            _: &'a CancelToken,
        ) -> BoxFuture<'a, Result<Reply, LlmError>> {
            if let Some(sink) = sink {
                sink("half");
            }
            Box::pin(async { Err(limited(Some(0))) })
        }
    }
    let retry = RetryPolicy::back_off(5, Duration::from_secs(9));
    let wanted = Ask { messages: prompt(), retry, ..Ask::default() };
    let mut log = Log { stream: true, ..Log::default() };
    let failed = run(ask(&Breaks, &wanted, &mut log, &CancelToken::new())).unwrap_err();
    assert_eq!(failed.kind(), "rate_limited");
    assert_eq!(log.told, ["request 1.0", "text half", "ended 1 with 0 faults"]);
    let report = failed.report();
    assert!(report.usage_estimated && report.attempts[0].usage_estimated);
    assert_eq!((report.usage, report.attempts[0].usage), (Usage::new(4, 1), Usage::new(4, 1)));
}

struct Echo;

impl ToolExecutor for Echo {
    fn execute<'a>(&'a self, call: &'a ToolCall, _: &'a CancelToken) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move { ToolOutcome::ok(call.function.arguments.clone()) })
    }
}

fn tool_call() -> Canned {
    Canned::tool_calls(vec![ToolCall::function("c1", "echo", "{\"x\":1}")])
}

#[test]
fn as_19_model_calls_tools_in_bounded_loop() {
    let model = Scripted::new([tool_call(), Canned::text("{\"ok\":true,\"n\":1}")]);
    let shape = shape();
    let tools = vec![ToolDefinition::function("echo", "", json!({}))];
    let wanted = Ask {
        messages: prompt(),
        shape: Some(&shape),
        tools,
        executor: Some(&Echo),
        tool_rounds: 2,
        ..Ask::default()
    };
    let mut log = Log::default();
    let answer = ask_all(&model, &wanted, &mut log).unwrap();
    assert_eq!(
        log.told,
        [
            "request 1.0",
            "asks for 1",
            "call echo",
            "returned {\"x\":1}",
            "request 1.1",
            "ended 1 with 0 faults"
        ]
    );
    assert_eq!(answer.report.attempts[0].requests.len(), 2);
    let second = &model.calls()[1].request.messages;
    assert_eq!((second[1].calls().len(), second[2].tool_call_id.as_deref()), (1, Some("c1")));
    let endless = Scripted::new((0..9).map(|_| tool_call()));
    let failed = ask_all(&endless, &wanted, &mut Log::default()).unwrap_err();
    assert_eq!((failed.kind(), endless.calls().len()), ("tool_rounds", 3));
}

#[test]
fn as_19_call_without_executor_offers_no_tools() {
    let model = Scripted::new([Canned::text("x")]);
    let tools = vec![ToolDefinition::function("echo", "", json!({}))];
    let wanted = Ask { messages: prompt(), tools, ..Ask::default() };
    ask_all(&model, &wanted, &mut Log::default()).unwrap();
    assert_eq!(model.calls()[0].request.tools, None);
}

#[test]
fn as_22_cancelling_ends_call_at_any_stage() {
    let cancel = CancelToken::new();
    let retry = RetryPolicy::back_off(9, Duration::from_secs(60));
    let wanted = Ask { messages: prompt(), retry, ..Ask::default() };
    for first in
        [Canned::text("late").after(Duration::from_secs(50)), Canned::error(limited(Some(50)))]
    {
        let model = Scripted::new([first]);
        let cancel = CancelToken::new();
        let failed = run(async {
            let switch = cancel.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                switch.cancel();
            });
            ask(&model, &wanted, &mut (), &cancel).await
        });
        assert_eq!(failed.unwrap_err().kind(), "cancelled");
    }
    cancel.cancel();
    let model = Scripted::new([Canned::text("x")]);
    assert_eq!(run(ask(&model, &wanted, &mut (), &cancel)).unwrap_err().kind(), "cancelled");
}

#[test]
fn ca_1_cut_answer_is_failure_with_text_and_tokens() {
    let cut = || Canned::text("{\"ok\": true, \"n\": 1}").ended(FinishReason::Length);
    let shape = shape();
    for shape in [None, Some(&shape)] {
        let model = Scripted::new([cut(), cut()]);
        let wanted =
            Ask { messages: prompt(), shape, attempts: 2, max_output: Some(9), ..Ask::default() };
        let failed = ask_all(&model, &wanted, &mut Log::default()).unwrap_err();
        assert_eq!((failed.kind(), model.calls().len()), ("ANSWER_CUT_OFF", 1));
        assert!(failed.to_string().starts_with("the answer was cut off by `max_output` of 9"));
        assert!(matches!(failed, AskError::Ended { text, .. } if text.starts_with("{\"ok\"")));
    }
}

#[test]
fn ca_1_range_gives_cut_answer_more_room_within_attempts() {
    let cut = || Canned::text("The ca").ended(FinishReason::Length);
    let wanted = |attempts, most| Ask {
        messages: prompt(),
        attempts,
        max_output: Some(10),
        most_output: Some(most),
        ..Ask::default()
    };
    let model = Scripted::new([cut(), cut(), Canned::text("The capital")]);
    let answer = ask_all(&model, &wanted(3, 30), &mut Log::default()).unwrap();
    let room: Vec<_> = model.calls().iter().map(|call| call.max_output).collect();
    assert_eq!((answer.text.as_str(), room), ("The capital", [10, 20, 30].map(Some).to_vec()));
    // The question is the same: there is nothing to repair.
    assert!(model.calls().iter().all(|call| call.request.messages.len() == 1));
    assert!(answer.report.attempts[0].failure.as_deref().unwrap().contains("cut off"));
    let rooms: Vec<_> = answer.report.attempts.iter().map(|one| one.max_output).collect();
    assert_eq!(rooms, [10, 20, 30].map(Some));

    let model = Scripted::new([cut(), cut()]);
    let failed = ask_all(&model, &wanted(9, 20), &mut Log::default()).unwrap_err();
    assert_eq!((failed.kind(), model.calls().len()), ("ANSWER_CUT_OFF", 2));
}

#[test]
fn ca_1_cut_text_is_kept_on_request_and_cut_object_is_not() {
    let cut = || Canned::text("{\"ok\": true, \"n\": 1}").ended(FinishReason::Length);
    let shape = shape();
    let wanted = |shape| Ask { messages: prompt(), shape, keep_cut: true, ..Ask::default() };
    let answer = ask_all(&Scripted::new([cut()]), &wanted(None), &mut Log::default()).unwrap();
    assert_eq!(answer.text, "{\"ok\": true, \"n\": 1}");
    let failed = ask_all(&Scripted::new([cut()]), &wanted(Some(&shape)), &mut Log::default());
    assert_eq!(failed.unwrap_err().kind(), "ANSWER_CUT_OFF");
}

#[test]
fn ca_1_filter_and_refusal_are_outcomes_of_their_own() {
    for (finish, code) in [
        (FinishReason::ContentFilter, "CONTENT_FILTERED"),
        (FinishReason::Refusal, "REFUSED"),
        (FinishReason::from("SAFETY"), "CONTENT_FILTERED"),
        (FinishReason::from("model_length"), "ANSWER_CUT_OFF"),
    ] {
        let model = Scripted::new([Canned::text("I can't").ended(finish), Canned::text("x")]);
        let wanted = Ask { messages: prompt(), attempts: 5, keep_cut: false, ..Ask::default() };
        let failed = ask_all(&model, &wanted, &mut Log::default()).unwrap_err();
        assert_eq!((failed.kind(), model.calls().len()), (code, 1));
    }
}

#[test]
fn ca_1_call_of_tool_that_was_cut_off_is_not_done() {
    let model = Scripted::new([tool_call().ended(FinishReason::Length)]);
    let wanted = Ask {
        messages: prompt(),
        tools: vec![ToolDefinition::function("echo", "", json!({}))],
        executor: Some(&Echo),
        tool_rounds: 2,
        ..Ask::default()
    };
    let mut log = Log::default();
    let failed = ask_all(&model, &wanted, &mut log).unwrap_err();
    assert_eq!(failed.kind(), "ANSWER_CUT_OFF");
    assert!(!log.told.iter().any(|event| event.starts_with("call")), "{:?}", log.told);
}

/// A model whose answers end for a reason or none, whole and streamed.
struct Ending(&'static str, Option<&'static str>);

impl Provider for Ending {
    fn uri(&self) -> &'static str {
        "test"
    }

    fn complete<'a>(
        &'a self,
        _: &'a ChatCall,
        sink: Option<contexture_core::provider::TextSink<'a>>,
        _: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        if let Some(sink) = sink {
            sink(self.0);
        }
        let finish_reason = self.1.map(FinishReason::from);
        let text = self.0.to_owned();
        let response = ChatResponse { text, finish_reason, ..ChatResponse::default() };
        Box::pin(async { Ok(Reply { response, ..Reply::default() }) })
    }
}

fn ends_with(text: &'static str, reason: Option<&'static str>, stream: bool) -> String {
    let shape = Shape::Object(vec![Field::new("a", Shape::String)]);
    let wanted = Ask { messages: prompt(), shape: Some(&shape), attempts: 3, ..Ask::default() };
    let mut log = Log { stream, ..Log::default() };
    match run(ask(&Ending(text, reason), &wanted, &mut log, &CancelToken::new())) {
        Ok(answer) => answer.value["a"].to_string(),
        Err(error) => format!("{}: {error}", error.kind()),
    }
}

#[test]
fn ca_1_unknown_finish_word_with_cut_object_is_failure() {
    for stream in [false, true] {
        for reason in [None, Some("other"), Some("eos")] {
            let told = ends_with("{\"a\": \"Par", reason, stream);
            assert!(told.starts_with("ANSWER_CUT_OFF: the answer was cut off before"), "{told}");
            assert!(told.contains(reason.unwrap_or("without a reason")), "{told}");
            let told = ends_with("```json\n{\"a\": \"Paris\",}\n```", reason, stream);
            assert_eq!(told, "\"Paris\"");
        }
        // The model came to its end and forgot the brace.
        assert_eq!(ends_with("{\"a\": \"Paris\"", Some("stop"), stream), "\"Paris\"");
    }
}

#[test]
fn ca_1_finish_word_of_failure_is_failure_however_well_answer_reads() {
    for stream in [false, true] {
        for reason in ["error", "pause_turn", "load", "unload", "ABORT"] {
            let told = ends_with("{\"a\": \"Paris\"}", Some(reason), stream);
            assert!(told.starts_with("answer_failed: "), "{told}");
            assert!(told.contains(reason), "{told}");
        }
    }
}
