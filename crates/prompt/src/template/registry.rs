//! Templates by name (PT-7).
//!
//! Decision: a registry is a value that its user creates and owns. Everything except registering
//! takes `&self`: a lazily registered template is compiled in a [`OnceLock`] on its first use, so a
//! registry can be shared between threads and rendered from all of them.

use super::compiled::PromptTemplate;
use super::files;
#[cfg(feature = "folders")]
use super::folders;
use crate::error::PromptError;
use crate::limits::RenderLimits;
use std::collections::BTreeMap;
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
    pub(super) limits: RenderLimits,
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
}

fn compile_lazily(text: &str) -> Result<Box<PromptTemplate>, String> {
    match PromptTemplate::compile(text) {
        Ok(template) => Ok(Box::new(template)),
        Err(PromptError::Parse(message)) => Err(message),
        Err(other) => Err(other.to_string()),
    }
}
