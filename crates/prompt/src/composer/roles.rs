//! The composer's methods by role. Each adds one message.

use super::{OpenaiChatMessage, OpenaiContentPart, PromptComposer, Role};
use crate::error::PromptError;
use crate::template::{PromptTemplate, TemplateContext};

/// `system` messages.
impl PromptComposer {
    /// Adds a system message of one text.
    #[must_use]
    pub fn system(self, text: impl Into<String>) -> Self {
        self.text(Role::System, text)
    }

    /// Adds a system message with the text that a template makes.
    ///
    /// # Errors
    /// As [`PromptTemplate::render`].
    pub fn system_template(
        self,
        template: &PromptTemplate,
        ctx: &TemplateContext,
    ) -> Result<Self, PromptError> {
        self.template(Role::System, template, ctx)
    }

    /// Adds a system message of one part: text, image, audio or file.
    #[must_use]
    pub fn system_content(self, part: OpenaiContentPart) -> Self {
        self.parts(Role::System, vec![part])
    }

    /// Adds a system message of several parts.
    #[must_use]
    pub fn system_contents(self, parts: Vec<OpenaiContentPart>) -> Self {
        self.parts(Role::System, parts)
    }
}

/// `user` messages.
impl PromptComposer {
    /// Adds a user message of one text.
    #[must_use]
    pub fn user(self, text: impl Into<String>) -> Self {
        self.text(Role::User, text)
    }

    /// Adds a user message with the text that a template makes.
    ///
    /// # Errors
    /// As [`PromptTemplate::render`].
    pub fn user_template(
        self,
        template: &PromptTemplate,
        ctx: &TemplateContext,
    ) -> Result<Self, PromptError> {
        self.template(Role::User, template, ctx)
    }

    /// Adds a user message of one part: text, image, audio or file.
    #[must_use]
    pub fn user_content(self, part: OpenaiContentPart) -> Self {
        self.parts(Role::User, vec![part])
    }

    /// Adds a user message of several parts.
    #[must_use]
    pub fn user_contents(self, parts: Vec<OpenaiContentPart>) -> Self {
        self.parts(Role::User, parts)
    }
}

/// `assistant` messages.
impl PromptComposer {
    /// Adds an assistant message of one text.
    #[must_use]
    pub fn assistant(self, text: impl Into<String>) -> Self {
        self.text(Role::Assistant, text)
    }

    /// Adds an assistant message with the text that a template makes.
    ///
    /// # Errors
    /// As [`PromptTemplate::render`].
    pub fn assistant_template(
        self,
        template: &PromptTemplate,
        ctx: &TemplateContext,
    ) -> Result<Self, PromptError> {
        self.template(Role::Assistant, template, ctx)
    }

    /// Adds an assistant message of one part: text, image, audio or file.
    #[must_use]
    pub fn assistant_content(self, part: OpenaiContentPart) -> Self {
        self.parts(Role::Assistant, vec![part])
    }

    /// Adds an assistant message of several parts.
    #[must_use]
    pub fn assistant_contents(self, parts: Vec<OpenaiContentPart>) -> Self {
        self.parts(Role::Assistant, parts)
    }
}

/// `developer` messages.
impl PromptComposer {
    /// Adds a developer message of one text (the system message of reasoning models).
    #[must_use]
    pub fn developer(self, text: impl Into<String>) -> Self {
        self.text(Role::Developer, text)
    }

    /// Adds a developer message with the text that a template makes.
    ///
    /// # Errors
    /// As [`PromptTemplate::render`].
    pub fn developer_template(
        self,
        template: &PromptTemplate,
        ctx: &TemplateContext,
    ) -> Result<Self, PromptError> {
        self.template(Role::Developer, template, ctx)
    }

    /// Adds a developer message of one part: text, image, audio or file.
    #[must_use]
    pub fn developer_content(self, part: OpenaiContentPart) -> Self {
        self.parts(Role::Developer, vec![part])
    }

    /// Adds a developer message of several parts.
    #[must_use]
    pub fn developer_contents(self, parts: Vec<OpenaiContentPart>) -> Self {
        self.parts(Role::Developer, parts)
    }
}

/// `tool` messages: answers to the calls of an assistant message.
impl PromptComposer {
    /// Adds the answer to a tool call as text.
    #[must_use]
    pub fn tool(self, tool_call_id: impl Into<String>, content: impl Into<String>) -> Self {
        self.message(OpenaiChatMessage::tool(tool_call_id, content))
    }

    /// Adds the answer to a tool call with the text that a template makes.
    ///
    /// # Errors
    /// As [`PromptTemplate::render`].
    pub fn tool_template(
        self,
        tool_call_id: impl Into<String>,
        template: &PromptTemplate,
        ctx: &TemplateContext,
    ) -> Result<Self, PromptError> {
        Ok(self.tool(tool_call_id, template.render(ctx)?))
    }

    /// Adds the answer to a tool call as one part.
    #[must_use]
    pub fn tool_content(self, tool_call_id: impl Into<String>, part: OpenaiContentPart) -> Self {
        self.tool_contents(tool_call_id, vec![part])
    }

    /// Adds the answer to a tool call as several parts.
    #[must_use]
    pub fn tool_contents(
        self,
        tool_call_id: impl Into<String>,
        parts: Vec<OpenaiContentPart>,
    ) -> Self {
        let message = OpenaiChatMessage::new(Role::Tool, parts);
        self.message(OpenaiChatMessage { tool_call_id: Some(tool_call_id.into()), ..message })
    }
}
