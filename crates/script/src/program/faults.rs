//! The faults of imports and of the references in texts, before a program runs.

use super::imports_of;
use crate::codes;
use crate::host::{Fitting, LoadError, SourceLoader};
use crate::knowledge::{KnowledgeFault, KnowledgeImport};
use crate::reference::texts::Written;
use crate::reference::{ReferenceFault, ResourceImport};
use crate::server::{ServerFacts, ServerFault, ServerImport};
use crate::syntax::ast::{
    BudgetNode, Expr, ExprKind, Import, ImportKind, Item, StatementKind, Use, UseSource,
};
use crate::syntax::places::Places;
use crate::syntax::walk::{self, strip};
use crate::template::TemplateFault;
use contexture_context::{Budget, Keep};
use contexture_diagnostic::{Diagnostic, SourceFile, Span};

/// Returns the facts about the server of an import, or its fault at the literal of the URI.
pub(crate) fn server_facts(
    import: &Import,
    importer: &SourceFile,
    loader: &dyn SourceLoader,
) -> Option<Result<ServerFacts, Diagnostic>> {
    let known = ServerImport::of(import)?;
    Some(loader.server(&known).map_err(|fault| {
        let ServerFault { code, message, help } = fault;
        Diagnostic::error(code, message, import.from.span)
            .with_optional_help(help)
            .in_file(importer.name())
    }))
}

/// Returns the faults of an imported pack, at the literal that names it.
pub(crate) fn pack_faults(
    import: &Import,
    importer: &SourceFile,
    loader: &dyn SourceLoader,
) -> Vec<Diagnostic> {
    let Some(known) = KnowledgeImport::of(import) else { return Vec::new() };
    let span = import.from.span;
    let told = loader.knowledge(&known).into_iter().map(|fault| {
        let KnowledgeFault { code, severity, message, help } = fault;
        Diagnostic::new(code, severity, message, span)
            .with_optional_help(help)
            .in_file(importer.name())
    });
    told.collect()
}

/// Returns the diagnostic of an imported resource, at its place in the literal that names it.
pub(crate) fn resource_fault(
    import: &Import,
    importer: &SourceFile,
    loader: &dyn SourceLoader,
) -> Option<Diagnostic> {
    let fault = loader.resource(&imported(import, importer)).err()?;
    let mut places = Places::default();
    let literal = import.from.span;
    places.literal(0, &import.from.value, importer.slice(literal), literal);
    let span = if import.from.value.is_empty() {
        literal
    } else {
        within(places.span(fault.start, fault.end), literal)
    };
    Some(diagnostic(&fault, span))
}

/// Returns the warnings about patterns of files of which the budget of a `use` without a question
/// holds less than half (CA-16).
pub(crate) fn few_fit(
    items: &[Item],
    importer: &SourceFile,
    loader: &dyn SourceLoader,
) -> Vec<Diagnostic> {
    let resources = || imports_of(items).filter(|import| import.kind == ImportKind::Resource);
    if resources().next().is_none() {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for used in uses_of(items) {
        for (expr, max, keep) in shown_by(used) {
            let ExprKind::Name(name) = &strip(expr).kind else { continue };
            let import = resources().find(|import| import.name.text == *name);
            let Some(import) = import else { continue };
            let budget = Budget { limit: max.limit, measure: max.measure, keep };
            let Some(found) = loader.fitting(&imported(import, importer), budget) else { continue };
            if found.whole * 2 < found.files {
                faults.push(few(name, found, importer.slice(max.span), used.span));
            }
        }
    }
    faults
}

fn few(name: &str, Fitting { files, whole }: Fitting, max: &str, span: Span) -> Diagnostic {
    let message = format!(
        "only {whole} of the {files} files of `{name}` fit into {max}, in the order of their names"
    );
    let help = format!(
        "select what is about a question: `use {name} max {max} for input.question`; or raise `max`"
    );
    codes::FEW_FIT.at(span, message).with_help(help)
}

/// Returns what a `use` without a question may show under a budget.
fn shown_by(used: &Use) -> Vec<(&Expr, &BudgetNode, Keep)> {
    let of = |keep: Option<(Keep, Span)>| keep.map(|(keep, _)| keep).unwrap_or_default();
    match &used.source {
        _ if used.question.is_some() => Vec::new(),
        UseSource::Expr(expr) => used.max.iter().map(|max| (expr, max, of(used.keep))).collect(),
        UseSource::OneOf(candidates) => candidates
            .iter()
            .filter_map(|one| Some((one.source.as_ref()?, one.max.as_ref()?, of(one.keep))))
            .collect(),
    }
}

fn uses_of(items: &[Item]) -> Vec<&Use> {
    let mut uses = Vec::new();
    for item in items {
        match item {
            Item::Use(used) => uses.push(used),
            Item::Agent(agent) => uses.extend(uses_of(&agent.items)),
            Item::Func(func) => walk::statements(&func.body, &mut |statement| {
                if let StatementKind::Use(used) = &statement.kind {
                    uses.push(used);
                }
            }),
            Item::Import(_) | Item::Config(_) | Item::Shape(_) => {}
        }
    }
    uses
}

fn imported(import: &Import, importer: &SourceFile) -> ResourceImport {
    ResourceImport {
        name: import.name.text.clone(),
        reference: import.from.value.clone(),
        importer: importer.name().to_owned(),
    }
}

/// Returns the diagnostic of an imported file that is not there, at the literal that names it.
pub(crate) fn file_fault(
    import: &Import,
    importer: &SourceFile,
    loader: &dyn SourceLoader,
) -> Option<Diagnostic> {
    let path = import.from.value.trim();
    // Something that is not a path at all is reported by the check.
    if import.kind != ImportKind::File || path.is_empty() || path.contains("://") {
        return None;
    }
    let fault = loader.file(importer.name(), &import.from.value).err()?;
    // A name may hold these characters: only where no file has it, a pattern was meant.
    if path.contains(['*', '?']) {
        let message = format!("`import file` takes one path, and no pattern such as `{path}`");
        let name = &import.name.text;
        let help = format!("import all files: `import resource {name} from \"@!file://{path}\"`");
        return Some(codes::IMPORT_FAILED.at(import.from.span, message).with_help(help));
    }
    Some(import_failed(&fault, import.from.span))
}

pub(crate) fn text_faults(written: &Written, loader: &dyn SourceLoader) -> Vec<Diagnostic> {
    let text = &written.text;
    let mut faults = Vec::new();
    for found in loader.references(text) {
        if !text.is_whole(found.start, found.end) {
            let torn = text.seams.iter().find(|seam| seam.start > found.start);
            let end = torn.map_or(found.end, |seam| seam.start.min(found.end));
            let span = written.span(found.start, end);
            let message = "text that is joined to other text is not a reference";
            let help = "end the reference inside its literal, with a space or a line end after it; a reference can't be computed";
            faults.push(codes::JOINED_REFERENCE.at(span, message).with_help(help));
        } else if let Some(fault) = found.fault {
            faults.push(diagnostic(&fault, written.span(fault.start, fault.end)));
        }
    }
    faults
}
pub(super) fn import_failed(fault: &LoadError, span: Span) -> Diagnostic {
    let help = fault.help.as_deref().unwrap_or("a path is relative to the file that imports it");
    codes::IMPORT_FAILED.at(span, fault.message.clone()).with_help(help)
}

pub(crate) fn template_fault(fault: &TemplateFault, name: &str, span: Span) -> Diagnostic {
    match fault {
        TemplateFault::Unreadable(fault) => import_failed(fault, span),
        TemplateFault::Invalid { code, place, message, help } => {
            let message =
                format!("the template `{name}` can't be used: {place}: {message} ({code})");
            codes::BAD_TEMPLATE.at(span, message).with_optional_help(help.clone())
        }
    }
}

fn within(span: Span, outer: Span) -> Span {
    let start = span.start.clamp(outer.start, outer.end);
    Span::new(start, span.end.clamp(start, outer.end))
}

fn diagnostic(fault: &ReferenceFault, span: Span) -> Diagnostic {
    Diagnostic::new(fault.code, fault.severity, fault.message.clone(), span)
        .with_optional_help(fault.help.clone())
}
