//! The rendering methods of templates and registries.

use super::compiled::PromptTemplate;
use super::context::TemplateContext;
use super::needs::{self, Requirement};
use super::references::{self, Included, References};
use super::registry::PromptTemplateRegistry;
use super::render::{Fault, Job};
use crate::error::{LocatedError, PromptError};
use std::fmt;

impl PromptTemplate {
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
        Job::alone(self).to_string(ctx).map_err(Fault::locate)
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
        Job::alone(self).with(references).to_string(ctx).map_err(Fault::locate)
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
        Job::alone(self).included(ctx).map_err(Fault::locate)
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

impl PromptTemplateRegistry {
    /// Renders the template of a name.
    ///
    /// # Errors
    /// As [`PromptTemplateRegistry::get`] and [`PromptTemplate::render`].
    pub fn render(&self, name: &str, ctx: &TemplateContext) -> Result<String, PromptError> {
        self.job(name)?.to_string(ctx).map_err(|fault| fault.error)
    }

    /// Renders the template of a name into a sink.
    ///
    /// # Errors
    /// As [`PromptTemplateRegistry::get`] and [`PromptTemplate::render_into`].
    pub fn render_into<W: fmt::Write + ?Sized>(
        &self,
        name: &str,
        ctx: &TemplateContext,
        mut out: &mut W,
    ) -> Result<(), PromptError> {
        self.job(name)?.write(ctx, &mut out).map_err(|fault| fault.error)
    }

    /// Renders a template that is not registered, with the registry's templates as partials.
    ///
    /// # Errors
    /// As [`PromptTemplate::render_located`].
    pub fn render_template(
        &self,
        template: &PromptTemplate,
        ctx: &TemplateContext,
    ) -> Result<String, LocatedError> {
        self.alone(template).to_string(ctx).map_err(Fault::locate)
    }

    /// Renders a template that is not registered as [`PromptTemplateRegistry::render_template`]
    /// does, with the texts that it and its partials include by reference.
    ///
    /// # Errors
    /// As [`PromptTemplate::render_with`].
    pub fn render_template_with(
        &self,
        template: &PromptTemplate,
        ctx: &TemplateContext,
        references: &dyn References,
    ) -> Result<String, LocatedError> {
        self.alone(template).with(references).to_string(ctx).map_err(Fault::locate)
    }

    /// Returns every reference that a template and its partials include, those of the registry too.
    #[must_use]
    pub fn references(&self, template: &PromptTemplate) -> Vec<Included> {
        references::all(template, Some(self))
    }

    /// Returns the references that rendering a template with this context reaches.
    ///
    /// # Errors
    /// As [`PromptTemplateRegistry::render_template`].
    pub fn included(
        &self,
        template: &PromptTemplate,
        ctx: &TemplateContext,
    ) -> Result<Vec<Included>, LocatedError> {
        self.alone(template).included(ctx).map_err(Fault::locate)
    }

    /// Returns the paths that rendering a template with the registry's partials would not find.
    ///
    /// # Errors
    /// As [`PromptTemplate::missing`].
    pub fn missing(
        &self,
        template: &PromptTemplate,
        ctx: &TemplateContext,
    ) -> Result<Vec<String>, PromptError> {
        self.alone(template).missing(ctx).map_err(|fault| fault.error)
    }

    /// Returns every variable that a template and its partials read, those of the registry
    /// included.
    #[must_use]
    pub fn requirements(&self, template: &PromptTemplate) -> Vec<Requirement> {
        needs::requirements(template, Some(self))
    }

    fn job<'a>(&'a self, name: &'a str) -> Result<Job<'a>, PromptError> {
        let template = self.get(name)?;
        Ok(Job { name: Some(name), ..self.alone(template) })
    }

    const fn alone<'a>(&'a self, template: &'a PromptTemplate) -> Job<'a> {
        let (library, limits) = (Some(self), self.limits);
        Job { template, name: None, library, limits, references: None }
    }
}
