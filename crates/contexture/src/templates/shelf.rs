//! Templates that stand alone: no program imports them (WA-9).

use super::{Door, IncludedTexts, ReadTemplate, read};
use crate::observe::Silent;
use crate::packs;
use crate::project::Project;
use crate::run::SetupError;
use crate::written::OnDemand;
use contexture_prompt::{
    LocatedError, PromptError, PromptTemplate, RenderLimits, TemplateContext, check_with,
};
use contexture_script::template::{TemplateFault, TemplateImport};
use serde_json::{Map, Value};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

/// The opener of templates of a project.
#[derive(Debug, Clone)]
pub struct TemplateShelf {
    references: Arc<OnDemand>,
}

/// A template, with what it says of itself.
#[derive(Debug)]
pub struct StandaloneTemplate {
    references: Arc<OnDemand>,
    read: ReadTemplate,
    template: PromptTemplate,
    /// The variables that it and its partials read, in the order of their first use.
    pub variables: Vec<TemplateVariable>,
}

/// A variable of a template: what its caller gives under one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateVariable {
    /// Its name.
    pub name: String,
    /// True if every rendering needs it.
    pub is_required: bool,
    /// True if a loop goes over it.
    pub is_list: bool,
    /// The fields of it that are read, as paths below it; without them it is a text.
    pub fields: Vec<String>,
}

impl TemplateShelf {
    /// Opens the templates of a project; what they include from packs needs the permissions for them.
    ///
    /// # Errors
    /// [`SetupError`] when the workspace can't be opened.
    pub fn open(project: &Project, options: packs::Options) -> Result<Self, SetupError> {
        let packs = packs::OnDemand::new(project, options, Arc::new(Silent));
        let references = OnDemand::new(project, project.workspace()?, packs, None);
        Ok(Self { references })
    }

    /// Reads a template with its partials, and checks them.
    ///
    /// # Errors
    /// [`SetupError`] when it can't be read or has faults.
    pub fn read(&self, file: &Path) -> Result<StandaloneTemplate, SetupError> {
        let (path, name) = (file.file_name(), file.file_stem());
        let (path, name) = (path.and_then(OsStr::to_str), name.and_then(OsStr::to_str));
        let names = (path, name, file.to_str());
        let (Some(path), Some(name), Some(importer)) = names else {
            let help = Some("rename the file".to_owned());
            return Err(SetupError::new("file_failed", "its path is not valid Unicode", help));
        };
        let (name, path) = (name.to_owned(), path.to_owned());
        // It is found as one that a program in its own folder imports.
        let import =
            TemplateImport { name, path, importer: importer.to_owned(), all: Arc::default() };
        let limit = self.references.project().config.limits.file_bytes as u64;
        let mut read = read(&self.references, &import, limit)
            .map_err(|error| SetupError::new(error.code(), &error, Some(error.help())))?;
        read.facts(&self.references).map_err(|faults| refused(&faults))?;
        let template = PromptTemplate::compile(read.text.text())
            .map_err(|error| SetupError::new(error.code(), &error, None))?;
        let output_bytes = self.references.project().config.limits.string_bytes;
        read.registry.set_limits(RenderLimits { output_bytes, ..RenderLimits::default() });
        let variables = variables(&read);
        let references = Arc::clone(&self.references);
        Ok(StandaloneTemplate { references, read, template, variables })
    }
}

impl StandaloneTemplate {
    /// Returns the comment at its beginning, which says what it is for.
    #[must_use]
    pub fn description(&self) -> Option<String> {
        let text = self.read.text.text().trim_start();
        let text = text.strip_prefix("{{!--").or_else(|| text.strip_prefix("{{~!--"))?;
        let (comment, _) = text.split_once("--}}").or_else(|| text.split_once("--~}}"))?;
        let comment = comment.split_once("--~}}").map_or(comment, |(comment, _)| comment);
        let words: Vec<&str> = comment.split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// Returns the names of the partials that it includes.
    pub fn partials(&self) -> impl Iterator<Item = &str> {
        self.read.partials.keys().map(String::as_str)
    }

    /// Renders it; what it includes by reference is loaded, and stands in its fences.
    ///
    /// # Errors
    /// [`SetupError`] when a variable is missing or is not what the template needs, or a reference can't be
    /// loaded.
    pub async fn render(&self, variables: Map<String, Value>) -> Result<String, SetupError> {
        let variables = TemplateContext::from_json(&Value::Object(variables))
            .map_err(|error| SetupError::new(error.code(), &error, None))?;
        let registry = &self.read.registry;
        let failed = |error: LocatedError| self.failed(&error);
        let wanted = match registry.references(&self.template).is_empty() {
            true => Vec::new(),
            false => registry.included(&self.template, &variables).map_err(failed)?,
        };
        let texts = if wanted.is_empty() {
            IncludedTexts::default()
        } else {
            let door = Door::of(self.references.get(), true);
            IncludedTexts::load_through(&door, wanted, |partial| self.read.place(partial)).await
        };
        registry.render_template_with(&self.template, &variables, &texts).map_err(failed)
    }

    fn failed(&self, located: &LocatedError) -> SetupError {
        let LocatedError { error, partial, line, column } = located;
        let file = self.read.file(partial.as_deref()).name();
        let message = match error {
            PromptError::VariableNotFound(path) => format!("the template needs `{path}`"),
            PromptError::NotAnArray(path) => format!("`{path}` is not a list"),
            other => other.to_string(),
        };
        let help = error.help().map(str::to_owned);
        SetupError::new(error.code(), format!("{file}:{line}:{column}: {message}"), help)
    }
}

/// Returns what a caller gives: the variables by the first part of their paths.
fn variables(read: &ReadTemplate) -> Vec<TemplateVariable> {
    let mut all: Vec<TemplateVariable> = Vec::new();
    for one in check_with(read.text.text(), &read.registry).requirements {
        let (name, field) = match one.name.split_once('.') {
            Some((name, field)) => (name, Some(field.to_owned())),
            None => (one.name.as_str(), None),
        };
        let known = all.iter().position(|known| known.name == name);
        let at = known.unwrap_or_else(|| {
            let (name, fields) = (name.to_owned(), Vec::new());
            all.push(TemplateVariable { name, is_required: false, is_list: false, fields });
            all.len() - 1
        });
        let Some(variable) = all.get_mut(at) else { continue };
        variable.is_required |= one.always;
        variable.is_list |= one.is_list && field.is_none();
        variable.fields.extend(field);
    }
    all
}

fn refused(faults: &[TemplateFault]) -> SetupError {
    match faults.first() {
        Some(TemplateFault::Invalid { code, place, message, help }) => {
            SetupError::new(code, format!("{place}: {message}"), help.clone())
        }
        Some(TemplateFault::Unreadable(fault)) => {
            SetupError::new("file_failed", &fault.message, fault.help.clone())
        }
        None => SetupError::new("file_failed", "the template can't be used", None),
    }
}
