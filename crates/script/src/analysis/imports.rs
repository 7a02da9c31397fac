//! Imports: their sources, and whether they are used.

use super::Checker;
use super::declarations::Global;
use super::lints::whole_line;
use crate::capability::{self, UriFault, noun};
use crate::codes;
use crate::program::ProgramFile;
use crate::syntax::ast::{Import, ImportKind, Item, Text};
use crate::template::TemplateFacts;
use contexture_diagnostic::{Diagnostic, Span, suggestion};

impl<'p> Checker<'p, '_> {
    pub(super) fn imports(&mut self) {
        let Some(file) = self.program.files.get(self.file) else { return };
        for import in file.imports() {
            if !import.from.span.is_empty() {
                self.import_source(import);
            }
            let needed = self.known.contains(import.name.text.as_str()) || is_partial(file, import);
            if !needed && !self.broken {
                let message = format!("unused import `{}`", import.name.text);
                let fault = codes::UNUSED_IMPORT.at(import.name.span, message);
                let fault = fault.with_help("remove it");
                self.push(match whole_line(&file.source, import.span) {
                    Some(line) => fault.with_safe_edit(line, ""),
                    None => fault,
                });
            }
        }
    }

    fn import_source(&mut self, import: &'p Import) {
        let uri = import.from.value.as_str();
        let result = match import.kind {
            ImportKind::Llm => return self.models(import),
            ImportKind::Tool => capability::tool(uri).map(|_| ()),
            ImportKind::Memory => capability::memory(uri).map(|_| ()),
            ImportKind::File
            | ImportKind::Agent
            | ImportKind::Template
            | ImportKind::Shape
            | ImportKind::Func => self.path(import),
            ImportKind::Knowledge => capability::pack(uri).map(|_| ()),
            // A reference is checked when the program is loaded.
            ImportKind::Resource => Ok(()),
        };
        if let Err(fault) = result {
            self.push(report(fault, import.kind, &import.from));
        }
        if self.leads_out(import) {
            let message = format!("`{uri}` is outside the workspace");
            let help = "write a path inside the workspace; files outside it can't be read";
            self.push(codes::IMPORT_FAILED.at(import.from.span, message).with_help(help));
        }
        self.missing_declaration(import);
        let unresolved = import.kind == ImportKind::Agent && self.has_no_agent(import);
        if unresolved {
            let message = format!("the file has no agent `{}` and no main agent", import.name.text);
            let help = "import one of its agents by name, or give it a `main agent`";
            self.push(codes::IMPORT_WITHOUT_AGENT.at(import.from.span, message).with_help(help));
        }
    }

    fn models(&mut self, import: &'p Import) {
        for source in import.groups().into_iter().flatten() {
            if let Err(fault) = capability::model(&source.value, &self.program.model_schemes) {
                self.push(report(fault, import.kind, source));
            }
        }
    }

    /// Reports whether an import leads out of the workspace. Files and memories are opened only in
    /// a run, so their paths alone are judged; agents and templates were resolved when the program
    /// was loaded.
    fn leads_out(&self, import: &Import) -> bool {
        let path = match import.kind {
            ImportKind::File => import.from.value.trim(),
            ImportKind::Memory => import.from.value.split_once("://").map_or("", |(_, path)| path),
            _ => return false,
        };
        let file = self.program.files.get(self.file);
        file.is_some_and(|file| climbs_out(file.source.name(), path))
    }

    /// Reports an import of a shape or function that its file does not have (TY-1).
    fn missing_declaration(&mut self, import: &'p Import) {
        let name = import.name.text.as_str();
        let what = match import.kind {
            ImportKind::Shape => "shape",
            ImportKind::Func => "function",
            _ => return,
        };
        let Some(target) = self.declarations.link_of(self.file, name) else { return };
        let Some(unit) = self.program.files.get(target).filter(|file| file.parsed.is_valid())
        else {
            return;
        };
        let is_wanted = |item: &&Item| match import.kind {
            ImportKind::Shape => matches!(item, Item::Shape(_)),
            _ => matches!(item, Item::Func(_)),
        };
        let items = unit.parsed.file.items.iter().filter(is_wanted);
        let names: Vec<&str> = items.filter_map(|item| Some(item.name()?.text.as_str())).collect();
        if names.contains(&name) {
            return;
        }
        let message = format!("the file has no {what} `{name}`");
        let help =
            suggestion(name, names.iter().copied()).unwrap_or_else(|| match names.is_empty() {
                true => format!("it declares no {what} at its top level"),
                false => format!("it has {}", names.join(", ")),
            });
        self.push(codes::IMPORT_FAILED.at(import.name.span, message).with_help(help));
    }

    /// Reports whether the file was found without a matching agent.
    fn has_no_agent(&self, import: &Import) -> bool {
        let name = import.name.text.as_str();
        let Some(target) = self.declarations.link_of(self.file, name) else { return false };
        if self.declarations.imported(self.file, name).is_some() {
            return false;
        }
        self.program.files.get(target).is_some_and(|file| file.parsed.is_valid())
    }

    fn path(&self, import: &Import) -> Result<(), UriFault> {
        let path = import.from.value.trim();
        if path.is_empty() {
            return Err(UriFault::Malformed("write a path relative to this file".to_owned()));
        }
        if path.contains("://") {
            let help = match import.kind {
                ImportKind::File => {
                    "write a path relative to this file; fetch from the web with `import tool`"
                }
                _ => "write a path relative to this file",
            };
            return Err(UriFault::Malformed(help.to_owned()));
        }
        Ok(())
    }

    pub(super) fn model_import(&mut self, import: &Import, span: Span) {
        if import.kind != ImportKind::Llm {
            let message = format!("`{}` is {}, not a model", import.name.text, noun(import.kind));
            let help = "import a model with `import llm NAME from \"…\"`";
            self.push(codes::UNKNOWN_MODEL.at(span, message).with_help(help));
        }
    }

    pub(super) fn unknown_model(&mut self, name: &str, span: Span, other: bool) {
        let is_model = |name: &&str| {
            let found = self.declarations.global(self.file, None, name);
            matches!(found, Some(Global::Import(import)) if import.kind == ImportKind::Llm)
        };
        let models: Vec<&str> =
            self.declarations.visible(self.file, None).into_iter().filter(is_model).collect();
        let help = suggestion(name, models).unwrap_or_else(|| {
            format!("add `import llm {name} from \"…\"` at the top of the file")
        });
        let message = if other {
            format!("`{name}` is not a model")
        } else {
            format!("use of undefined model `{name}`")
        };
        self.push(codes::UNKNOWN_MODEL.at(span, message).with_help(help));
    }
}

/// Reports whether a path leads above the folder where the names of files start. An absolute path
/// is left to the run, which alone knows where the workspace is.
fn climbs_out(importer: &str, path: &str) -> bool {
    let mut depth = importer.matches('/').count();
    let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    !path.starts_with('/')
        && !importer.starts_with('/')
        && parts.any(|part| {
            let above = part == ".." && depth == 0;
            depth = if part == ".." { depth.saturating_sub(1) } else { depth.saturating_add(1) };
            above
        })
}

/// Reports whether another template of the file includes this one.
fn is_partial(file: &ProgramFile, import: &Import) -> bool {
    let name = &import.name.text;
    let includes =
        |(other, facts): &(String, TemplateFacts)| other != name && facts.partials.contains(name);
    import.kind == ImportKind::Template && file.templates.iter().any(includes)
}

fn report(fault: UriFault, kind: ImportKind, source: &Text) -> Diagnostic {
    let span = source.span;
    let uri = &source.value;
    let what = noun(kind);
    match fault {
        UriFault::Shell => codes::FORBIDDEN_SHELL
            .at(span, format!("import of the shell `{uri}` is forbidden"))
            .with_help("use `sh://find`, `sh://grep`, `sh://sed` or `file://workspace`"),
        UriFault::Unknown(help) | UriFault::Malformed(help) => {
            codes::UNKNOWN_URI.at(span, format!("`{uri}` does not name {what}")).with_help(help)
        }
    }
}
