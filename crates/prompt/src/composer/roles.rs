//! The composer's methods by role. Each adds one message.

use super::{OpenaiChatMessage, OpenaiContentPart, PromptComposer, Role};
use crate::error::PromptError;
use crate::template::{PromptTemplate, TemplateContext};

/// The four methods of a role whose messages need only their content.
macro_rules! role {
    ($role:ident $word:literal: $text:ident $template:ident $content:ident $contents:ident) => {
        #[doc = concat!("`", stringify!($text), "` messages.")]
        impl PromptComposer {
            #[doc = concat!("Adds ", $word, " message of one text.")]
            #[must_use]
            pub fn $text(self, text: impl Into<String>) -> Self {
                self.text(Role::$role, text)
            }

            #[doc = concat!("Adds ", $word, " message with the rendering of a template.")]
            ///
            /// # Errors
            /// As [`PromptTemplate::render`].
            pub fn $template(
                self,
                template: &PromptTemplate,
                ctx: &TemplateContext,
            ) -> Result<Self, PromptError> {
                self.template(Role::$role, template, ctx)
            }

            #[doc = concat!("Adds ", $word, " message of one part: text, image, audio or file.")]
            #[must_use]
            pub fn $content(self, part: OpenaiContentPart) -> Self {
                self.parts(Role::$role, vec![part])
            }

            #[doc = concat!("Adds ", $word, " message of several parts.")]
            #[must_use]
            pub fn $contents(self, parts: Vec<OpenaiContentPart>) -> Self {
                self.parts(Role::$role, parts)
            }
        }
    };
}

role!(System "a system": system system_template system_content system_contents);
role!(User "a user": user user_template user_content user_contents);
role!(Assistant "an assistant": assistant assistant_template assistant_content assistant_contents);
role!(Developer "a developer": developer developer_template developer_content developer_contents);

/// Answers to the calls of an assistant message, in `tool` messages.
impl PromptComposer {
    /// Adds the answer to a tool call as text.
    #[must_use]
    pub fn tool(self, tool_call_id: impl Into<String>, content: impl Into<String>) -> Self {
        self.message(OpenaiChatMessage::tool(tool_call_id, content))
    }

    /// Adds the answer to a tool call with the rendering of a template.
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
