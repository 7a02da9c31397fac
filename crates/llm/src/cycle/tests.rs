use super::*;
use crate::scripted::{Canned, Scripted};
use crate::tools::ToolOutcome;
use contexture_core::provider::BoxFuture;
use contexture_prompt::ToolCall;

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(future)
}

fn roles(messages: &[Message]) -> Vec<Role> {
    messages.iter().map(|message| message.role).collect()
}

fn config() -> LlmConfig {
    LlmConfig { system_prompt: Some("Be brief.".into()), ..LlmConfig::default() }
}

fn limited() -> LlmError {
    LlmError::RateLimited { provider: "x".into(), retry_after: None, message: String::new() }
}

#[test]
fn pt_12_submit_inserts_system_prompt_once_and_appends_both_turns() {
    let provider = Scripted::new([Canned::text("one"), Canned::text("two")]);
    let mut cycle = LlmCycle::new(provider.clone(), config());
    run(cycle.submit("a", vec![])).unwrap();
    run(cycle.submit(String::from("b"), vec![])).unwrap();
    assert_eq!(
        roles(cycle.messages()),
        [Role::System, Role::User, Role::Assistant, Role::User, Role::Assistant]
    );
    assert_eq!(cycle.messages()[0].text(), "Be brief.");
    assert_eq!(provider.calls()[1].request.messages.len(), 4);
}

#[test]
fn pt_12_submit_leaves_existing_system_message() {
    let provider = Scripted::new([Canned::text("x")]);
    let history = vec![Message::of_text(Role::System, "Mine.")];
    let mut cycle = LlmCycle::new(provider, config()).with_messages(history);
    run(cycle.submit("a", vec![])).unwrap();
    assert_eq!(roles(cycle.messages()), [Role::System, Role::User, Role::Assistant]);
    assert_eq!(cycle.messages()[0].text(), "Mine.");
}

#[test]
fn pt_12_submit_messages_inserts_nothing_and_sends_what_is_there() {
    let provider = Scripted::new([Canned::text("x"), Canned::text("y")]);
    let mut cycle = LlmCycle::new(provider.clone(), config())
        .with_messages(vec![Message::of_text(Role::User, "gone")])
        .with_messages(vec![Message::of_text(Role::Developer, "d")]);
    cycle.extend_messages(vec![Message::of_text(Role::User, "a")]);
    run(cycle.submit_messages(vec![], vec![])).unwrap();
    run(cycle.submit_messages(vec![Message::of_text(Role::User, "b")], vec![])).unwrap();
    assert_eq!(
        roles(cycle.messages()),
        [Role::Developer, Role::User, Role::Assistant, Role::User, Role::Assistant]
    );
    assert_eq!(provider.calls()[0].request.messages.len(), 2);
}

#[test]
fn pt_12_a_failed_call_keeps_what_it_was_given_for_another_try() {
    let provider = Scripted::new([Canned::error(limited()), Canned::text("x")]);
    let mut cycle = LlmCycle::new(provider, LlmConfig::default());
    assert!(run(cycle.submit("a", vec![])).is_err());
    assert_eq!(roles(cycle.messages()), [Role::User]);
    run(cycle.submit_messages(vec![], vec![])).unwrap();
    assert_eq!(roles(cycle.messages()), [Role::User, Role::Assistant]);
}

#[test]
fn pt_12_failures_are_retried_as_setting_says() {
    let provider =
        Scripted::new([Canned::error(limited()), Canned::error(limited()), Canned::text("x")]);
    let retry = RetryPolicy::back_off(2, Duration::from_secs(8));
    let mut cycle = LlmCycle::new(provider.clone(), LlmConfig { retry, ..config() });
    assert_eq!(run(cycle.submit("a", vec![])).unwrap().text, "x");
    assert_eq!(provider.calls().len(), 3);
}

#[test]
fn pt_12_call_without_executor_returns_tool_calls() {
    let call = ToolCall::function("c1", "f", "{}");
    let provider = Scripted::new([Canned::tool_calls(vec![call.clone()])]);
    let mut cycle = LlmCycle::new(provider.clone(), LlmConfig::default());
    let tools = vec![ToolDefinition::function("f", "", serde_json::json!({}))];
    let response = run(cycle.submit("a", tools.clone())).unwrap();
    assert_eq!(response.tool_calls, [call]);
    assert_eq!(cycle.messages()[1].calls().len(), 1);
    assert_eq!(provider.calls()[0].request.tools, Some(tools));
}

struct Shout;

impl ToolExecutor for Shout {
    fn execute<'a>(&'a self, call: &'a ToolCall, _: &'a CancelToken) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move { ToolOutcome::ok(call.function.name.to_uppercase()) })
    }
}

fn calls() -> Canned {
    Canned::tool_calls(vec![
        ToolCall::function("c1", "f", "{}"),
        ToolCall::function("c2", "g", "{}"),
    ])
}

#[test]
fn pt_12_executor_runs_tools_until_model_answers() {
    let provider = Scripted::new([calls(), Canned::text("done")]);
    let mut cycle = LlmCycle::new(provider, LlmConfig::default()).with_executor(Arc::new(Shout));
    assert_eq!(run(cycle.submit("a", vec![])).unwrap().text, "done");
    assert_eq!(
        roles(cycle.messages()),
        [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant]
    );
    assert_eq!(cycle.messages()[3].text(), "G");
}

#[test]
fn ca_1_tool_call_that_was_cut_off_is_not_executed() {
    for reason in ["length", "error"] {
        let provider = Scripted::new([calls().ended(reason.into()), Canned::text("done")]);
        let mut cycle =
            LlmCycle::new(provider, LlmConfig::default()).with_executor(Arc::new(Shout));
        let response = run(cycle.submit("hi", vec![])).unwrap();
        assert_eq!((response.text.as_str(), roles(cycle.messages()).len()), ("", 2), "{reason}");
        assert_eq!(cycle.messages()[1].tool_calls, None);
    }
}

#[test]
fn pt_12_tool_loop_has_limit() {
    let provider = Scripted::new((0..9).map(|_| calls()));
    let limits = LlmConfig { tool_rounds: 2, ..LlmConfig::default() };
    let mut cycle = LlmCycle::new(provider.clone(), limits).with_executor(Arc::new(Shout));
    assert_eq!(run(cycle.submit("a", vec![])), Err(LlmError::ToolRounds { limit: 2 }));
    assert_eq!(provider.calls().len(), 3);
    assert_eq!(cycle.messages().last().map(|message| message.role), Some(Role::Tool));
}

#[test]
fn pt_12_usage_adds_up_and_streams_pass_text_on() {
    let usage = Usage::new(3, 4);
    let answer = |text: &str| Canned { usage: Some(usage), ..Canned::text(text) };
    let mut cycle =
        LlmCycle::new(Scripted::new([answer("a b"), answer("c d")]), LlmConfig::default());
    let mut heard = Vec::new();
    run(cycle.submit_stream("x", vec![], &mut |text: &str| heard.push(text.to_owned()))).unwrap();
    let more = vec![Message::of_text(Role::User, "y")];
    run(cycle.submit_messages_stream(more, vec![], &mut |text: &str| heard.push(text.to_owned())))
        .unwrap();
    assert_eq!(heard, ["a ", "b", "c ", "d"]);
    assert_eq!((cycle.usage().prompt_tokens, cycle.usage().total_tokens), (6, 14));
}

#[test]
fn pt_12_cancelling_ends_call() {
    let provider = Scripted::new([Canned::text("late").after(Duration::from_secs(9))]);
    let mut cycle = LlmCycle::new(provider, LlmConfig::default());
    cycle.cancel_token().cancel();
    assert_eq!(run(cycle.submit("a", vec![])), Err(LlmError::Cancelled));
}

#[test]
fn pt_12_submit_messages_without_any_message_asks_nobody() {
    let provider = Scripted::new([Canned::text("x")]);
    let mut cycle = LlmCycle::new(provider.clone(), config());
    let error = run(cycle.submit_messages(vec![], vec![])).unwrap_err();
    assert_eq!(error, LlmError::NoMessages);
    assert_eq!((error.kind(), error.is_free(), error.is_sent()), ("no_messages", true, false));
    assert_eq!(error.to_string(), "there are no messages to send");
    assert!(error.help().is_some_and(|help| help.contains("`submit`")));
    let mut heard = |_: &str| {};
    assert!(run(cycle.submit_messages_stream(vec![], vec![], &mut heard)).is_err());
    assert_eq!((provider.calls().len(), cycle.messages().len()), (0, 0));
}
