//! Prompt templates that a program imports (AS-2): the calls of templates in a program, and the
//! facts known before it runs.
//!
//! Decision: the language contains no template engine. The
//! [`SourceLoader`](crate::host::SourceLoader) provides the facts about a template before a run,
//! the [`Host`](crate::host::Host) renders it in a run.

use crate::host::CallKey;
use crate::load_error::LoadError;
use crate::syntax::ast::{Import, ImportKind};
use contexture_context::manifest::Site;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// An imported template, with those that it may include.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TemplateImport {
    /// Its name in the program.
    pub name: String,
    /// The path as written.
    pub path: String,
    /// The file that imports it, by its source name; relative paths start there.
    pub importer: String,
    /// All templates that the same file imports, by name and path: `{{> name}}` means one of these,
    /// else a file beside the template.
    pub all: TemplateNames,
}

/// Templates by name and path.
pub type TemplateNames = Arc<[(String, String)]>;

impl TemplateImport {
    /// Creates a template import of the file `importer`, which imports `all`.
    #[must_use]
    pub fn new(import: &Import, importer: &str, all: &TemplateNames) -> Self {
        Self {
            name: import.name.text.clone(),
            path: import.from.value.clone(),
            importer: importer.to_owned(),
            all: Arc::clone(all),
        }
    }
}

/// Returns the template imports among those of a file.
pub fn templates_of<'a>(imports: impl IntoIterator<Item = &'a Import>) -> TemplateNames {
    let templates = imports.into_iter().filter(|import| import.kind == ImportKind::Template);
    templates.map(|import| (import.name.text.clone(), import.from.value.clone())).collect()
}

/// A template to be rendered.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateCall {
    /// The trace event of reading it, if this is its first use in the run: then it is read and
    /// compiled.
    pub event: Option<u64>,
    /// Its place among the calls of the run.
    pub key: CallKey,
    /// The template.
    pub template: Arc<TemplateImport>,
    /// Its variables, an object.
    pub variables: Value,
    /// True if the variables hold placeholders of a dry run.
    pub on_placeholders: bool,
    /// The place of the call.
    pub site: Site,
}

/// The facts about a template that are known before it is rendered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateFacts {
    /// The variables that every rendering needs, as dotted paths such as `user.name`.
    pub always: Vec<String>,
    /// Every variable that it reads in any way, as dotted paths.
    pub used: Vec<String>,
    /// The partials that it includes, directly and through others.
    pub partials: Vec<String>,
}

/// The reason why an imported template can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateFault {
    /// Its file can't be read.
    Unreadable(LoadError),
    /// Its text, or that of a partial, is not a valid template.
    Invalid {
        /// The code of the prompt layer, such as `PT1003`.
        code: &'static str,
        /// The place: file, line and column.
        place: TemplatePlace,
        /// The message.
        message: String,
        /// The way to fix it.
        help: Option<String>,
    },
}

/// A place in a template's file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TemplatePlace {
    /// The file, by its name in the workspace.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for TemplatePlace {
    /// Writes a place such as `prompts/review.hbs:3:5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
