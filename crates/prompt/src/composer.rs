//! The composer: a conversation, message by message (PT-8, PT-9, PT-11).

mod report;
mod roles;
mod validate;

pub use report::{ItemTokens, MessageTokens, TokenReport};
pub use validate::validate_messages;

use crate::error::PromptError;
use crate::layout::{ItemSpan, PromptParts, context_section, lay_out};
use crate::message::{OpenaiChatMessage, OpenaiChatRequest, OpenaiContentPart, Role};
use crate::template::{PromptTemplate, TemplateContext};
use contexture_context::{ContextItem, TokenCounter};
use report::PlacedItem;

/// A builder of the messages of a conversation, by chained calls.
///
/// ```
/// use contexture_prompt::{PromptComposer, PromptTemplate, TemplateContext, validate_messages};
///
/// let question = PromptTemplate::compile("Translate to {{language}}: {{text}}")?;
/// let mut ctx = TemplateContext::new();
/// ctx.insert("language", "French");
/// ctx.insert("text", "good morning");
///
/// let messages = PromptComposer::new()
///     .system("You are a translator.")
///     .user_template(&question, &ctx)?
///     .with_name("ada")
///     .build();
///
/// validate_messages(&messages)?;
/// assert_eq!(messages[1].text(), "Translate to French: good morning");
/// assert_eq!(messages[1].name.as_deref(), Some("ada"));
/// # Ok::<(), contexture_prompt::PromptError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct PromptComposer {
    messages: Vec<OpenaiChatMessage>,
    /// The name of the first message, if it was given before that message.
    pending_name: Option<String>,
    items: Vec<PlacedItem>,
}

impl PromptComposer {
    /// Creates a composer without messages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a composer that continues these messages.
    #[must_use]
    pub fn from_messages(messages: Vec<OpenaiChatMessage>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Adds a message, such as an assistant message that calls tools.
    #[must_use]
    pub fn message(mut self, message: OpenaiChatMessage) -> Self {
        self.push(message);
        self
    }

    /// Names the last message, or the first one to come. Of several names for one message the last
    /// one counts.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        match self.messages.last_mut() {
            Some(last) => last.name = Some(name.into()),
            None => self.pending_name = Some(name.into()),
        }
        self
    }

    /// Adds a user message with the context section of these items (PT-11): `Context:`, then label,
    /// source and text of each. Without items it adds no message.
    #[must_use]
    pub fn context(mut self, items: &[ContextItem]) -> Self {
        let (text, spans) = context_section(items);
        if !text.is_empty() {
            self.place(items, spans);
            self.push(OpenaiChatMessage::of_text(Role::User, text));
        }
        self
    }

    /// Adds the messages of one whole prompt: identity, context, instruction and contract (AS-20).
    #[must_use]
    pub fn prompt(mut self, parts: &PromptParts<'_>) -> Self {
        let laid_out = lay_out(parts);
        if let Some(system) = laid_out.system {
            self.push(OpenaiChatMessage::of_text(Role::System, system));
        }
        self.place(parts.items, laid_out.items);
        self.push(OpenaiChatMessage::of_text(Role::User, laid_out.user));
        self
    }

    /// Returns the messages.
    #[must_use]
    pub fn build(self) -> Vec<OpenaiChatMessage> {
        self.messages
    }

    /// Returns a request with these messages and no option set; options are added by struct update.
    ///
    /// ```
    /// use contexture_prompt::{OpenaiChatRequest, PromptComposer};
    ///
    /// let req = PromptComposer::new().user("Hello, world!").build_request("gpt-4o");
    /// let req = OpenaiChatRequest { temperature: Some(0.0), ..req };
    /// assert_eq!((req.model.as_str(), req.messages.len()), ("gpt-4o", 1));
    /// ```
    #[must_use]
    pub fn build_request(self, model: impl Into<String>) -> OpenaiChatRequest {
        OpenaiChatRequest {
            model: model.into(),
            messages: self.messages,
            ..OpenaiChatRequest::default()
        }
    }

    /// Counts the tokens of every message and every context item with a model's tokenizer (PT-11).
    #[must_use]
    pub fn tokens(&self, counter: &dyn TokenCounter) -> TokenReport {
        report::report(&self.messages, &self.items, counter)
    }

    fn push(&mut self, mut message: OpenaiChatMessage) {
        if let Some(name) = self.pending_name.take() {
            message.name = Some(name);
        }
        self.messages.push(message);
    }

    /// Remembers the places of items in the message that is pushed next.
    fn place(&mut self, items: &[ContextItem], spans: Vec<ItemSpan>) {
        let message = self.messages.len();
        let placed = spans.into_iter().filter_map(|span| {
            let item = items.get(span.item)?;
            Some(PlacedItem {
                message,
                label: item.label.clone(),
                source: item.source.clone(),
                span,
            })
        });
        self.items.extend(placed);
    }

    fn text(mut self, role: Role, text: impl Into<String>) -> Self {
        self.push(OpenaiChatMessage::of_text(role, text));
        self
    }

    fn template(
        self,
        role: Role,
        template: &PromptTemplate,
        ctx: &TemplateContext,
    ) -> Result<Self, PromptError> {
        Ok(self.text(role, template.render(ctx)?))
    }

    fn parts(mut self, role: Role, parts: Vec<OpenaiContentPart>) -> Self {
        self.push(OpenaiChatMessage::new(role, parts));
        self
    }
}

#[cfg(test)]
mod tests;
