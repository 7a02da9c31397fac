//! Checks of references before a program runs.

use super::{Layer, ReferenceFault, ResourceImport, Written};
use crate::codes;
use crate::host::SourceLoader;
use crate::syntax::ast::{Block, Config, ConfigKind, ExprKind, Import, Item, StatementKind};
use crate::syntax::places::Places;
use crate::syntax::walk;
use contexture_diagnostic::{Diagnostic, SourceFile, Span};

/// Returns the diagnostic of an imported resource, at its place in the literal that names it.
pub(crate) fn import_fault(
    import: &Import,
    importer: &SourceFile,
    loader: &dyn SourceLoader,
) -> Option<Diagnostic> {
    let resource = ResourceImport {
        name: import.name.text.clone(),
        reference: import.from.value.clone(),
        importer: importer.name().to_owned(),
    };
    let fault = loader.resource(&resource).err()?;
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

pub(crate) fn texts_of_items(items: &[Item], source: &SourceFile) -> Vec<Written> {
    let mut texts = Vec::new();
    for item in items {
        match item {
            Item::Agent(agent) => texts.extend(texts_of_items(&agent.items, source)),
            Item::Func(func) => texts.extend(texts_of_block(&func.body, source)),
            Item::Config(config) => texts.extend(text_of_config(config, source)),
            Item::Import(_) | Item::Use(_) => {}
        }
    }
    texts
}

pub(crate) fn texts_of_block(block: &Block, source: &SourceFile) -> Vec<Written> {
    let mut texts = Vec::new();
    walk::statements(block, &mut |statement| {
        if let StatementKind::Config(config) = &statement.kind {
            texts.extend(text_of_config(config, source));
        }
    });
    walk::block_expressions(block, &mut |expr| {
        let ExprKind::Generate(generate) = &expr.kind else { return };
        let inputs = generate.options.iter().filter(|(name, _)| name.value == "input");
        let inputs = inputs.filter_map(|(_, value)| Written::of_expr(value, Layer::Input, source));
        texts.extend(inputs);
    });
    texts
}

fn text_of_config(config: &Config, source: &SourceFile) -> Option<Written> {
    match &config.kind {
        ConfigKind::Role(text) => Written::of_text(text, Layer::Role, source),
        ConfigKind::Description(text) => Written::of_text(text, Layer::Description, source),
        ConfigKind::Model(_) => None,
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
