//! `@expand:…`: what an inner reference gave, expanded.

use super::document::{Document, Expander};
use super::{EXPAND, ExpandOptions, is_document};
use crate::codes;
use crate::loader::Loader;
use crate::processors::around;
use crate::scan::scan;
use contexture_core::reference::{Content, ExpansionStep, LoadError, Loaded, Note, Resource};
use contexture_diagnostic::Severity;
use std::pin::Pin;

/// The expansion of what was loaded, once it is there.
pub(crate) type InputFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Loaded, LoadError>> + Send + 'a>>;

/// Expands the documents among what was loaded. Boxed, since what they hold is loaded by the loader
/// that asks.
///
/// # Errors
/// [`LoadError`] when a hot reference inside fails or lies beyond a limit.
pub(crate) fn of_input(
    loader: &Loader,
    input: Vec<Resource>,
    options: ExpandOptions,
) -> InputFuture<'_> {
    Box::pin(async move {
        let mut expander = Expander::new(loader, &options);
        let mut resources = Vec::with_capacity(input.len());
        let mut kept = Vec::new();
        for resource in input {
            kept.extend(not_expanded(&resource));
            resources.push(expanded(&mut expander, resource).await);
        }
        let expansion = expander.finish(String::new());
        if let Some(step) = expansion.steps.iter().find(|step| step.hot_failure().is_some()) {
            return Err(inside(step));
        }
        let (mut notes, steps) = (expansion.notes, expansion.steps);
        notes.extend(kept);
        Ok(Loaded { resources, notes, steps, ..Loaded::default() })
    })
}

/// Returns a resource with what is inside it. It has the lowest trust of all that is in it, and is
/// not a document any more: nothing in it is left to load.
async fn expanded(expander: &mut Expander<'_>, resource: Resource) -> Resource {
    let reference = around(EXPAND, &resource.reference);
    let (true, Some(text)) = (is_document(&resource), resource.text()) else {
        return Resource { reference, place: None, ..resource };
    };
    let place = resource.place.clone().unwrap_or_default();
    let before = expander.steps.len();
    let text = expander.within(Document::new(&resource.reference, text, place)).await;
    let inside = expander.steps.iter().skip(before).filter_map(|step| step.trust);
    let trust = inside.fold(resource.trust, contexture_context::Trust::least);
    let content = Content::Bytes(text.into_bytes());
    Resource { reference, content, trust, place: None, ..resource }
}

/// Returns the remark about references in what is not a document.
fn not_expanded(resource: &Resource) -> Option<Note> {
    let text = resource.text().filter(|_| !is_document(resource))?;
    let count = scan(text).filter(Result::is_ok).count();
    let (name, trust) = (&resource.reference, resource.trust.as_str());
    let message = format!(
        "{count} references inside `{name}` are not loaded: only documents of the workspace are \
         expanded, and this is {} of trust `{trust}`",
        resource.media_type
    );
    let note = Note { code: codes::NOT_EXPANDED.code, severity: Severity::Warning, message };
    (count > 0).then_some(note)
}

/// Returns the failure of a reference that had to be loaded, as one of the document around it.
fn inside(step: &ExpansionStep) -> LoadError {
    let error = step.error.clone();
    let mut error = error.unwrap_or_else(|| {
        LoadError::new(codes::NOT_FOUND.code, &step.reference, step.reason.clone())
    });
    if error.reference != step.reference {
        error.message = format!("`{}`: {}", error.reference, error.message);
        error.reference.clone_from(&step.reference);
    }
    error.message = format!("in a document that is expanded: {}", error.message);
    error
}
