//! Loaders for editors: unsaved texts stand for the files, and a file is read once.

use contexture_context::Budget;
use contexture_script::host::{Fitting, LoadError, LoadedSource, SourceLoader};
use contexture_script::knowledge::{KnowledgeFault, KnowledgeImport};
use contexture_script::reference::{LiteralText, ReferenceFault, ResourceImport, WrittenReference};
use contexture_script::server::{ServerFacts, ServerFault, ServerImport};
use contexture_script::template::{TemplateFacts, TemplateFault, TemplateImport};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// What imports of programs led to, until something changes on disk.
pub(crate) type Read = RefCell<HashMap<(String, String), Result<LoadedSource, LoadError>>>;

/// The texts of open documents by name.
pub(crate) type Texts<'t> = HashMap<&'t str, &'t str>;

/// A loader that prefers unsaved texts.
pub(crate) struct Unsaved<'a> {
    pub(crate) disk: &'a dyn SourceLoader,
    pub(crate) texts: &'a Texts<'a>,
    pub(crate) read: &'a Read,
}

impl SourceLoader for Unsaved<'_> {
    fn load(&self, importer: &str, path: &str) -> Result<LoadedSource, LoadError> {
        let key = (importer.to_owned(), path.to_owned());
        let known = self.read.borrow().get(&key).cloned();
        let found = known.unwrap_or_else(|| {
            let found = self.disk.load(importer, path);
            self.read.borrow_mut().insert(key, found.clone());
            found
        });
        match found {
            Ok(found) => match self.texts.get(found.name.as_str()) {
                Some(text) => Ok(LoadedSource { text: (*text).to_owned(), ..found }),
                None => Ok(found),
            },
            // A document that was never saved.
            Err(fault) => {
                let name = joined(importer, path);
                let text = self.texts.get(name.as_str()).ok_or(fault)?;
                Ok(LoadedSource { text: (*text).to_owned(), name })
            }
        }
    }

    fn file(&self, importer: &str, path: &str) -> Result<(), LoadError> {
        self.disk.file(importer, path)
    }

    fn template(&self, import: &TemplateImport) -> Result<TemplateFacts, Vec<TemplateFault>> {
        self.disk.template(import)
    }

    fn resource(&self, import: &ResourceImport) -> Result<(), ReferenceFault> {
        self.disk.resource(import)
    }

    fn fitting(&self, import: &ResourceImport, budget: Budget) -> Option<Fitting> {
        self.disk.fitting(import, budget)
    }

    fn knowledge(&self, import: &KnowledgeImport) -> Vec<KnowledgeFault> {
        self.disk.knowledge(import)
    }

    fn server(&self, import: &ServerImport) -> Result<ServerFacts, ServerFault> {
        self.disk.server(import)
    }

    fn model_schemes(&self) -> Vec<String> {
        self.disk.model_schemes()
    }

    fn secrets(&self) -> Option<BTreeSet<String>> {
        self.disk.secrets()
    }

    fn references(&self, text: &LiteralText) -> Vec<WrittenReference> {
        self.disk.references(text)
    }
}

/// A loader of programs alone, where only names matter.
pub(crate) struct ProgramsOnly<'a>(pub(crate) &'a Unsaved<'a>);

impl SourceLoader for ProgramsOnly<'_> {
    fn load(&self, importer: &str, path: &str) -> Result<LoadedSource, LoadError> {
        self.0.load(importer, path)
    }

    fn template(&self, _: &TemplateImport) -> Result<TemplateFacts, Vec<TemplateFault>> {
        Err(Vec::new())
    }

    fn resource(&self, _: &ResourceImport) -> Result<(), ReferenceFault> {
        Ok(())
    }

    fn knowledge(&self, _: &KnowledgeImport) -> Vec<KnowledgeFault> {
        Vec::new()
    }

    fn server(&self, _: &ServerImport) -> Result<ServerFacts, ServerFault> {
        Ok(ServerFacts::default())
    }

    fn references(&self, _: &LiteralText) -> Vec<WrittenReference> {
        Vec::new()
    }
}

/// Joins the folder of a file and a path relative to it, by their texts alone.
pub(crate) fn joined(importer: &str, path: &str) -> String {
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.trim().split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
