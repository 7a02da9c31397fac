//! `LlmCycle`: a conversation that continues from call to call (PT-12).
//!
//! Decision: the cycle appends what it was given and what it got, and inserts nothing of its own
//! but the configured system prompt in [`LlmCycle::submit`]. A call that fails leaves what it was
//! given in the history: `submit_messages(vec![], tools)` tries again.

#[cfg(test)]
mod tests;

use crate::ask::Ended;
use crate::exchange::Exchange;
use crate::retry::RetryPolicy;
use crate::tools::ToolExecutor;
use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::provider::{ChatCall, Provider, SchemaHint, TextSink, Think};
use contexture_prompt::{ChatResponse, Message, OpenaiChatRequest, Role, ToolDefinition, Usage};
use std::sync::Arc;
use std::time::Duration;

/// The settings of a [`LlmCycle`].
#[derive(Debug, Clone, PartialEq)]
pub struct LlmConfig {
    /// Inserted at the front by [`LlmCycle::submit`] when no system message is there.
    pub system_prompt: Option<String>,
    /// The model's name; the provider's own when absent.
    pub model: Option<String>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Tokens of an answer.
    pub max_output: Option<u64>,
    /// The reasoning effort.
    pub think: Option<Think>,
    /// The schema of the answers.
    pub schema: Option<std::sync::Arc<SchemaHint>>,
    /// Time for one request.
    pub timeout: Option<Duration>,
    /// The rule for trying again after a failure.
    pub retry: RetryPolicy,
    /// The most rounds of tool calls in a row before the model has to answer.
    pub tool_rounds: u32,
}

impl Default for LlmConfig {
    /// Returns settings without a system prompt or retries, with eight rounds of tools.
    fn default() -> Self {
        Self {
            system_prompt: None,
            model: None,
            temperature: None,
            max_output: None,
            think: None,
            schema: None,
            timeout: None,
            retry: RetryPolicy::never(),
            tool_rounds: 8,
        }
    }
}

/// A conversation with a model (PT-12).
///
/// ```
/// use contexture_llm::{Canned, LlmConfig, LlmCycle, Scripted};
/// use contexture_prompt::{OpenaiChatMessage, Role};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// # runtime.block_on(async {
/// let provider = Scripted::new([Canned::text("Every value has one owner.")]);
/// let messages = vec![
///     OpenaiChatMessage::of_text(Role::System, "You are an expert in Rust."),
///     OpenaiChatMessage::of_text(Role::User, "What is ownership?"),
/// ];
/// let mut cycle = LlmCycle::new(provider, LlmConfig::default()).with_messages(messages);
/// let response = cycle.submit_messages(vec![], vec![]).await?;
/// assert_eq!(response.text, "Every value has one owner.");
/// assert_eq!(cycle.messages().len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LlmCycle {
    provider: Arc<dyn Provider>,
    config: LlmConfig,
    messages: Vec<Message>,
    usage: Usage,
    warnings: Vec<String>,
    executor: Option<Arc<dyn ToolExecutor>>,
    cancel: CancelToken,
}

impl LlmCycle {
    /// Creates an empty conversation.
    pub fn new(provider: impl Provider + 'static, config: LlmConfig) -> Self {
        Self {
            provider: Arc::new(provider),
            config,
            messages: Vec::new(),
            usage: Usage::default(),
            warnings: Vec::new(),
            executor: None,
            cancel: CancelToken::new(),
        }
    }

    /// Replaces the history.
    #[must_use]
    pub fn with_messages(mut self, messages: Vec<Message>) -> Self {
        self.messages = messages;
        self
    }

    /// Runs the tools that the model calls; without an executor tool calls are returned.
    #[must_use]
    pub fn with_executor(mut self, executor: Arc<dyn ToolExecutor>) -> Self {
        self.executor = Some(executor);
        self
    }

    /// Ends calls when `cancel` is thrown.
    #[must_use]
    pub fn with_cancel(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Appends to the history.
    pub fn extend_messages(&mut self, messages: Vec<Message>) {
        self.messages.extend(messages);
    }

    /// Returns the history.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the tokens of all calls so far.
    #[must_use]
    pub const fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns the warnings of the last submission.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the switch that ends calls.
    #[must_use]
    pub const fn cancel_token(&self) -> &CancelToken {
        &self.cancel
    }

    /// Says `prompt` as the user and returns the answer. The configured system prompt is inserted
    /// when the history has no system message.
    ///
    /// # Errors
    /// The error of the provider, after the retries that the configuration allows;
    /// [`LlmError::ToolRounds`] when the model keeps calling tools.
    pub async fn submit(
        &mut self,
        prompt: impl Into<String>,
        tools: Vec<ToolDefinition>,
    ) -> Result<ChatResponse, LlmError> {
        self.say(prompt.into());
        self.run(tools, None).await
    }

    /// Does the same as [`LlmCycle::submit`], with the answer's text passed on as it comes.
    ///
    /// # Errors
    /// As [`LlmCycle::submit`].
    pub async fn submit_stream(
        &mut self,
        prompt: impl Into<String>,
        tools: Vec<ToolDefinition>,
        sink: TextSink<'_>,
    ) -> Result<ChatResponse, LlmError> {
        self.say(prompt.into());
        self.run(tools, Some(sink)).await
    }

    /// Appends `messages`, sends the whole history and appends the answer; inserts nothing else.
    /// With no messages it sends what is there.
    ///
    /// # Errors
    /// As [`LlmCycle::submit`], and [`LlmError::NoMessages`] when there is no history either.
    pub async fn submit_messages(
        &mut self,
        messages: Vec<Message>,
        tools: Vec<ToolDefinition>,
    ) -> Result<ChatResponse, LlmError> {
        self.extend_messages(messages);
        self.run(tools, None).await
    }

    /// As [`LlmCycle::submit_messages`], with the answer's text passed on as it comes.
    ///
    /// # Errors
    /// As [`LlmCycle::submit_messages`].
    pub async fn submit_messages_stream(
        &mut self,
        messages: Vec<Message>,
        tools: Vec<ToolDefinition>,
        sink: TextSink<'_>,
    ) -> Result<ChatResponse, LlmError> {
        self.extend_messages(messages);
        self.run(tools, Some(sink)).await
    }

    fn say(&mut self, prompt: String) {
        let has_system = self.messages.iter().any(|message| message.role == Role::System);
        if let Some(system) = self.config.system_prompt.as_ref().filter(|_| !has_system) {
            self.messages.insert(0, Message::of_text(Role::System, system.as_str()));
        }
        self.messages.push(Message::of_text(Role::User, prompt));
    }

    async fn run(
        &mut self,
        tools: Vec<ToolDefinition>,
        mut sink: Option<TextSink<'_>>,
    ) -> Result<ChatResponse, LlmError> {
        self.warnings.clear();
        if self.messages.is_empty() {
            return Err(LlmError::NoMessages);
        }
        let tools = (!tools.is_empty()).then_some(tools);
        let mut round = 0;
        loop {
            let streamed = sink.is_some();
            let mut pass = |text: &str| {
                if let Some(sink) = &mut sink {
                    sink(text);
                }
            };
            let pass: Option<TextSink<'_>> = if streamed { Some(&mut pass) } else { None };
            let response = self.request(tools.clone(), pass).await?;
            // The arguments of a call that was cut off are not whole either.
            let is_whole = response
                .finish_reason
                .as_ref()
                .is_none_or(|reason| Ended::of(reason).is_none() && !reason.is_failure());
            let calls = is_whole && !response.tool_calls.is_empty();
            let executor = self.executor.clone().filter(|_| calls);
            let Some(executor) = executor else {
                let mut message = response.to_message();
                if !is_whole {
                    message.tool_calls = None;
                }
                self.messages.push(message);
                return Ok(response);
            };
            if round >= self.config.tool_rounds {
                return Err(LlmError::ToolRounds { limit: self.config.tool_rounds });
            }
            round += 1;
            self.call_tools(executor.as_ref(), &response).await?;
        }
    }

    async fn request(
        &mut self,
        tools: Option<Vec<ToolDefinition>>,
        sink: Option<TextSink<'_>>,
    ) -> Result<ChatResponse, LlmError> {
        let config = &self.config;
        let model = config.model.clone().unwrap_or_else(|| self.provider.model().to_owned());
        let mut call = ChatCall {
            request: OpenaiChatRequest {
                model,
                messages: self.messages.clone(),
                tools,
                temperature: config.temperature,
                ..OpenaiChatRequest::default()
            },
            schema: config.schema.clone(),
            think: config.think,
            max_output: config.max_output,
            max_input: None,
            timeout: config.timeout,
            key: None,
        };
        let reply = self.exchange().send(&mut call, None, sink, &mut |_, _| {}).await?;
        self.usage += reply.response.usage;
        self.warnings.extend(reply.warnings);
        Ok(reply.response)
    }

    fn exchange(&self) -> Exchange<'_> {
        let provider = self.provider.as_ref();
        Exchange { provider, cancel: &self.cancel, retry: self.config.retry, deadline: None }
    }

    /// Runs the tools of an answer and appends the calls with their results, all or none, so that
    /// the history never holds a call without its result.
    async fn call_tools(
        &mut self,
        executor: &dyn ToolExecutor,
        response: &ChatResponse,
    ) -> Result<(), LlmError> {
        let mut turn = vec![response.to_message()];
        for call in &response.tool_calls {
            let outcome = self.exchange().within(executor.execute(call, &self.cancel)).await?;
            turn.push(Message::tool(call.id.as_str(), outcome.text));
        }
        self.messages.append(&mut turn);
        Ok(())
    }
}
