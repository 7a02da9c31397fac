//! The limits of the template engine as explicit values: a breach is an error that names the limit,
//! never a silent cut.

/// The greatest nesting of blocks and partials, counted together (PT-4).
pub const MAX_DEPTH: u8 = 16;

/// The greatest nesting of arrays and objects in a variable that is read from JSON or printed as
/// JSON.
pub const MAX_VALUE_DEPTH: usize = 128;

/// The greatest size of one template's text, in bytes.
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
    /// The greatest size of the rendered text, in bytes.
    pub output_bytes: usize,
    /// The greatest number of steps: each piece of text, tag, iteration of a loop and partial is
    /// one.
    pub steps: u64,
}

impl Default for RenderLimits {
    /// Returns limits of 256 MiB of text and 20 million steps.
    fn default() -> Self {
        Self { output_bytes: 256 << 20, steps: 20_000_000 }
    }
}
