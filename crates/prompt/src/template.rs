//! The template engine (PT-1 to PT-6).
//!
//! A template is compiled once, in one pass and without recursion, to a flat list of operations
//! whose texts and names are ranges of the source; rendering borrows values from the context and
//! copies only the text it prints.
//!
//! Decision: the engine is hand-written, by requirement. It has no expressions, helpers or
//! escaping: the program decides what a prompt shows, and the text is taken literally.

mod check;
mod compile;
mod context;
mod fault;
mod files;
#[cfg(feature = "folders")]
mod folders;
mod json;
mod needs;
mod object;
mod ops;
mod partials;
mod references;
mod registry;
mod render;
mod tag;
mod value;

pub use crate::error::ReferenceError;
pub use check::{CheckReport, check, check_with};
pub use context::TemplateContext;
pub use files::decode_source;
pub use needs::{Need, Requirement};
pub use object::TemplateObject;
pub use partials::{AmbiguousPartial, gather_partials, partial_file};
pub use references::{Include, Included, References};
pub use registry::PromptTemplateRegistry;
pub use value::{TemplateNumber, TemplateValue};

use crate::error::{LocatedError, PromptError};
use crate::limits::RenderLimits;
use ops::Program;
use render::Job;
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
    program: Program,
    partials: BTreeMap<String, PromptTemplate>,
    limits: RenderLimits,
}

impl PromptTemplate {
    /// Compiles a template (PT-2).
    ///
    /// # Errors
    /// [`PromptError::Parse`] for the first fault, such as a tag or block that is not closed, with
    /// its place.
    pub fn compile(template: &str) -> Result<Self, PromptError> {
        let program = compile::compile(template)?;
        Ok(Self { program, partials: BTreeMap::new(), limits: RenderLimits::default() })
    }

    /// Renders the template with these variables (PT-2, PT-3).
    ///
    /// # Errors
    /// [`PromptError::VariableNotFound`], [`PromptError::NotAnArray`],
    /// [`PromptError::PartialNotFound`], [`PromptError::MaxDepthReached`], [`PromptError::Render`]
    /// for a cycle of partials or a limit, and [`PromptError::Reference`] for a reference, whose
    /// text [`PromptTemplate::render_with`] takes.
    pub fn render(&self, ctx: &TemplateContext) -> Result<String, PromptError> {
        Job::alone(self).to_string(ctx).map_err(|fault| fault.error)
    }

    /// Renders into a sink. Text written before an error stays.
    ///
    /// # Errors
    /// As [`PromptTemplate::render`]; a sink that fails is [`PromptError::Render`].
    pub fn render_into<W: fmt::Write + ?Sized>(
        &self,
        ctx: &TemplateContext,
        mut out: &mut W,
    ) -> Result<(), PromptError> {
        Job::alone(self).write(ctx, &mut out).map_err(|fault| fault.error)
    }

    /// Renders like [`PromptTemplate::render`], with the place of an error.
    ///
    /// # Errors
    /// As [`PromptTemplate::render`], each with line, column and the partial it is in.
    pub fn render_located(&self, ctx: &TemplateContext) -> Result<String, LocatedError> {
        Job::alone(self).to_string(ctx).map_err(render::Fault::locate)
    }

    /// Renders like [`PromptTemplate::render_located`], with the texts that it includes by reference.
    ///
    /// ```
    /// use contexture_prompt::{PromptTemplate, TemplateContext};
    /// use std::collections::BTreeMap;
    ///
    /// let template = PromptTemplate::compile("{{> @file://parts/tone.md }} Greet {{name}}.")?;
    /// let wanted: Vec<_> = template.references().into_iter().map(|one| one.reference).collect();
    /// assert_eq!(wanted, ["@file://parts/tone.md"]);
    ///
    /// let texts = BTreeMap::from([(wanted[0].clone(), "Be brief, use no {{tags}}.".to_owned())]);
    /// let vars = TemplateContext::from_json(&serde_json::json!({"name": "Ada"}))?;
    /// assert_eq!(template.render_with(&vars, &texts)?, "Be brief, use no {{tags}}. Greet Ada.");
    /// # Ok::<(), contexture_prompt::PromptError>(())
    /// ```
    ///
    /// # Errors
    /// As [`PromptTemplate::render_located`], and [`PromptError::Reference`] for a reference that
    /// has no text.
    pub fn render_with(
        &self,
        ctx: &TemplateContext,
        references: &dyn References,
    ) -> Result<String, LocatedError> {
        Job::alone(self).with(references).to_string(ctx).map_err(render::Fault::locate)
    }

    /// Returns every reference that the template and its registered partials include, whether a
    /// rendering reaches it or not, each text's once.
    #[must_use]
    pub fn references(&self) -> Vec<Included> {
        references::all(self, None)
    }

    /// Returns the references that rendering with this context reaches: they have to be loaded for it.
    ///
    /// # Errors
    /// As [`PromptTemplate::render_located`].
    pub fn included(&self, ctx: &TemplateContext) -> Result<Vec<Included>, LocatedError> {
        Job::alone(self).included(ctx).map_err(render::Fault::locate)
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

    /// Returns the variables without which rendering may fail, as dotted paths in the order of
    /// their first use (PT-6); see [`PromptTemplate::requirements`] for the distinction.
    #[must_use]
    pub fn variables(&self) -> Vec<String> {
        needs::required(self.requirements())
    }

    /// Returns every variable that the template and its registered partials read, with its
    /// requirement (PT-6).
    #[must_use]
    pub fn requirements(&self) -> Vec<Requirement> {
        needs::requirements(self, None)
    }

    /// Returns the paths that rendering with this context would not find, each once (PT-6).
    ///
    /// # Errors
    /// As [`PromptTemplate::render`], except [`PromptError::VariableNotFound`].
    pub fn missing(&self, ctx: &TemplateContext) -> Result<Vec<String>, PromptError> {
        Job::alone(self).missing(ctx).map_err(|fault| fault.error)
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

#[cfg(test)]
mod tests;
