//! The contract of [`Provider`].

use crate::cancel::CancelToken;
use crate::error::LlmError;
use crate::provider::{ChatCall, Provider, Reply};
use contexture_prompt::{OpenaiChatMessage, OpenaiChatRequest, Role};
use std::sync::Arc;

/// Checks a provider: its names, that a stream adds up to the answer, that calls may run side by
/// side, and that a cancelled call ends. A provider whose answers run out may answer with an error.
///
/// # Panics
/// At the first breach, with a sentence that names it.
pub async fn provider(provider: Arc<dyn Provider>) {
    assert!(!provider.uri().is_empty(), "the provider has no URI");
    assert_eq!(provider.uri(), provider.uri(), "the URI differs between two calls");
    assert!(!provider.model().is_empty(), "the model has no name");
    assert!(provider.tokenizer().count("one two") > 0, "the counter counts nothing");
    for secret in provider.secrets() {
        assert!(!provider.uri().contains(secret.expose()), "the URI holds a credential");
    }
    streams(&*provider).await;
    side_by_side(&*provider).await;
    cancelled(&*provider).await;
}

fn call() -> ChatCall {
    let text = "The server listens on port 7878.\n\nWhich port does the server listen on?";
    let messages = vec![OpenaiChatMessage::of_text(Role::User, text)];
    ChatCall::from(OpenaiChatRequest { messages, ..OpenaiChatRequest::default() })
}

async fn streams(provider: &dyn Provider) {
    let mut heard = String::new();
    let mut sink = |text: &str| heard.push_str(text);
    let reply = provider.complete(&call(), Some(&mut sink), &CancelToken::new()).await;
    if let Ok(Reply { response, .. }) = reply {
        assert!(
            heard.is_empty() || heard == response.text,
            "the streamed text `{heard}` is not the answer `{}`",
            response.text
        );
        assert!(
            !response.text.is_empty() || !response.tool_calls.is_empty(),
            "the answer holds neither text nor tool calls"
        );
    }
}

async fn side_by_side(provider: &dyn Provider) {
    let (one, two, token) = (call(), call(), CancelToken::new());
    let first = provider.complete(&one, None, &token);
    let second = provider.complete(&two, None, &token);
    // The second ends first: neither waits for the other's future to be polled.
    let _ = second.await;
    let _ = first.await;
}

async fn cancelled(provider: &dyn Provider) {
    let (call, token) = (call(), CancelToken::new());
    token.cancel();
    if let Err(error) = provider.complete(&call, None, &token).await {
        let is_typed = matches!(
            error,
            LlmError::Cancelled | LlmError::NoAnswerLeft { .. } | LlmError::ReplayMiss(_)
        );
        assert!(is_typed, "a cancelled call failed with `{error}` instead of `Cancelled`");
    }
    drop(provider.complete(&call, None, &CancelToken::new()));
}
