//! A compiled template with its partials.

use super::compile;
use super::ops::Program;
use crate::error::PromptError;
use crate::limits::RenderLimits;
use std::collections::BTreeMap;
use std::fmt;

/// A compiled template.
///
/// ```
/// use contexture_prompt::{PromptTemplate, TemplateContext};
///
/// let template = PromptTemplate::compile("{{#each items}}{{@index}}: {{name}}\n{{/each}}")?;
/// let ctx = TemplateContext::from_json(&serde_json::json!({
///     "items": [{"name": "tea"}, {"name": "cake"}]
/// }))?;
/// assert_eq!(template.render(&ctx)?, "0: tea\n1: cake\n");
/// assert_eq!(template.variables(), ["items"]);
/// # Ok::<(), contexture_prompt::PromptError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PromptTemplate {
    pub(super) program: Program,
    pub(super) partials: BTreeMap<String, PromptTemplate>,
    pub(super) limits: RenderLimits,
}

impl PromptTemplate {
    /// Compiles a template (PT-2).
    ///
    /// # Errors
    /// [`PromptError::Parse`] for the first fault, such as a tag or block that is not closed, with
    /// its place.
    pub fn compile(template: &str) -> Result<Self, PromptError> {
        Ok(compile::compile(template)?.into())
    }

    /// Registers a partial under a name; a former one of that name is replaced.
    pub fn register_partial(&mut self, name: &str, template: PromptTemplate) {
        self.partials.insert(name.to_owned(), template);
    }

    /// Sets the limits of rendering.
    #[must_use]
    pub fn with_limits(mut self, limits: RenderLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the text as given to [`PromptTemplate::compile`].
    #[must_use]
    pub fn source(&self) -> &str {
        self.program.text()
    }
}

impl From<Program> for PromptTemplate {
    fn from(program: Program) -> Self {
        Self { program, partials: BTreeMap::new(), limits: RenderLimits::default() }
    }
}

impl fmt::Display for PromptTemplate {
    /// Shows the text as given to [`PromptTemplate::compile`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.source())
    }
}

impl std::str::FromStr for PromptTemplate {
    type Err = PromptError;

    fn from_str(text: &str) -> Result<Self, PromptError> {
        Self::compile(text)
    }
}
