//! Templates by name (PT-7).
//!
//! Decision: a registry is a value that its user creates and owns. Everything except registering
//! takes `&self`: a lazily registered template is compiled in a [`OnceLock`] on its first use, so a
//! registry can be shared between threads and rendered from all of them.

#[cfg(feature = "folders")]
use super::folders;
use super::needs::{self, Requirement};
use super::references::{self, Included, References};
use super::render::{Fault, Job};
use super::{PromptTemplate, TemplateContext, files};
use crate::error::{LocatedError, PromptError};
use crate::limits::RenderLimits;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

/// Templates by name; each can include the others with `{{> name}}`.
///
/// ```
/// use contexture_prompt::{PromptTemplateRegistry, TemplateContext};
///
/// let mut registry = PromptTemplateRegistry::new();
/// registry.register("greeting", "{{> salutation}}, {{name}}!")?;
/// registry.register_lazy("salutation", "Good morning");
///
/// let mut ctx = TemplateContext::new();
/// ctx.insert("name", "Ada");
/// assert_eq!(registry.render("greeting", &ctx)?, "Good morning, Ada!");
/// # Ok::<(), contexture_prompt::PromptError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct PromptTemplateRegistry {
    templates: BTreeMap<String, Stored>,
    limits: RenderLimits,
}

#[derive(Debug, Clone)]
enum Stored {
    Compiled(Box<PromptTemplate>),
    Lazy { text: String, compiled: OnceLock<Result<Box<PromptTemplate>, String>> },
}

impl PromptTemplateRegistry {
    /// Creates a registry without templates.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Compiles a template and registers it under a name; a former one of that name is replaced.
    ///
    /// # Errors
    /// As [`PromptTemplate::compile`]; the registry is then as it was.
    pub fn register(&mut self, name: &str, template: &str) -> Result<(), PromptError> {
        let template = PromptTemplate::compile(template)?;
        self.register_template(name, template);
        Ok(())
    }

    /// Registers a compiled template, with its own partials.
    pub fn register_template(&mut self, name: &str, template: PromptTemplate) {
        self.templates.insert(name.to_owned(), Stored::Compiled(Box::new(template)));
    }

    /// Registers a text under a name and compiles it on its first use, which then reports its
    /// faults.
    pub fn register_lazy(&mut self, name: &str, template: &str) {
        let stored = Stored::Lazy { text: template.to_owned(), compiled: OnceLock::new() };
        self.templates.insert(name.to_owned(), stored);
    }

    /// Reads a file, compiles it and registers it under a name.
    ///
    /// # Errors
    /// [`PromptError::Io`] when the file can't be read, [`PromptError::Parse`] when it is not UTF-8
    /// or not a valid template; both name the file.
    pub fn register_file(&mut self, name: &str, path: impl AsRef<Path>) -> Result<(), PromptError> {
        let template = files::load(path.as_ref())?;
        self.register_template(name, template);
        Ok(())
    }

    /// Registers every file below `dir` whose path from there matches a glob such as `*.md` or
    /// `**/*.txt`, each under its file's stem, and returns the names in order.
    ///
    /// `*` does not cross folders, `**` does; names that begin with a dot must be matched
    /// explicitly.
    ///
    /// # Errors
    /// As [`PromptTemplateRegistry::register_file`], and [`PromptError::Io`] when the folder can't
    /// be read, the glob is invalid, or two files have the same stem. The registry is then as it
    /// was.
    #[cfg(feature = "folders")]
    pub fn register_dir(
        &mut self,
        dir: impl AsRef<Path>,
        glob: &str,
    ) -> Result<Vec<String>, PromptError> {
        let mut loaded = BTreeMap::new();
        for (name, path) in folders::list(dir.as_ref(), glob)? {
            loaded.insert(name, files::load(&path)?);
        }
        let names = loaded.keys().cloned().collect();
        for (name, template) in loaded {
            self.register_template(&name, template);
        }
        Ok(names)
    }

    /// Returns the template of a name; one that was registered lazily is compiled here.
    ///
    /// # Errors
    /// [`PromptError::PartialNotFound`] for an unknown name, [`PromptError::Parse`] for a lazy
    /// template that does not compile.
    pub fn get(&self, name: &str) -> Result<&PromptTemplate, PromptError> {
        match self.templates.get(name) {
            None => Err(PromptError::PartialNotFound(name.to_owned())),
            Some(Stored::Compiled(template)) => Ok(template),
            Some(Stored::Lazy { text, compiled }) => {
                let compiled = compiled.get_or_init(|| compile_lazily(text));
                compiled.as_deref().map_err(|message| {
                    PromptError::Parse(format!("in template `{name}`, {message}"))
                })
            }
        }
    }

    /// Reports whether a name is registered.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.templates.contains_key(name)
    }

    /// Returns the names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.templates.keys().map(String::as_str)
    }

    /// Sets the limits of everything that this registry renders.
    pub fn set_limits(&mut self, limits: RenderLimits) {
        self.limits = limits;
    }

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

fn compile_lazily(text: &str) -> Result<Box<PromptTemplate>, String> {
    match PromptTemplate::compile(text) {
        Ok(template) => Ok(Box::new(template)),
        Err(PromptError::Parse(message)) => Err(message),
        Err(other) => Err(other.to_string()),
    }
}
