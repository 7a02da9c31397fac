//! The limits of the template engine as explicit values: a breach is an error that names the
//! limit, never a silent cut.

/// How deep blocks and partials may stand in each other, counted together (PT-4).
pub const MAX_DEPTH: u8 = 16;

/// How deep arrays and objects may stand in each other in a variable that is read from JSON or
/// printed as JSON.
pub const MAX_VALUE_DEPTH: usize = 128;

/// Bytes of one template's text.
pub const MAX_TEMPLATE_BYTES: usize = 64 << 20;

/// The limits of one rendering. A breach is [`PromptError::Render`](crate::PromptError::Render).
///
/// ```
/// use contexture_prompt::{PromptTemplate, RenderLimits, TemplateContext};
///
/// let limits = RenderLimits { output_bytes: 4, ..RenderLimits::default() };
/// let template = PromptTemplate::compile("Hello")?.with_limits(limits);
/// let error = template.render(&TemplateContext::new()).unwrap_err();
/// assert!(error.to_string().contains("more than 4 bytes"));
/// # Ok::<(), contexture_prompt::PromptError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderLimits {
    /// Bytes of the text that is made.
    pub output_bytes: usize,
    /// Steps that may be taken: each piece of text, tag, turn of a loop and partial is one.
    pub steps: u64,
}

impl Default for RenderLimits {
    /// 256 MiB of text and 20 million steps.
    fn default() -> Self {
        Self { output_bytes: 256 << 20, steps: 20_000_000 }
    }
}
