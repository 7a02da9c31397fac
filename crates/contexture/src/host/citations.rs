//! The citations of an answer: each names a place of what the model was shown (MA-9).
//!
//! Decision: a field `citations` of the shape is checked where the prompt shows sections of packs,
//! which bear their citations there, or texts of more than a line that come from elsewhere than
//! from a person, a model or a memory: files, resources, results of calls. Beside them anything
//! that the prompt names may be cited. What tools return is not known in advance: with tools
//! nothing is checked. The mock model cites nothing: its answers follow from the shape alone.

use contexture_answer::{FieldError, Shape};
use contexture_context::{ContextItem, DeclaredItem, Trust};
use contexture_knowledge::anchor::{Citable, Text};
use contexture_reference::syntax::Reference;
use contexture_script::host::GenerateCall;
use serde_json::Value;

/// The field that holds citations.
const FIELD: &str = "citations";

/// Returns the places that items show; `None` when the answer has no citations, or nothing can be
/// cited.
pub(super) fn shown(call: &GenerateCall, items: &[ContextItem]) -> Option<Citable> {
    let Shape::Object(fields) = call.shape.as_ref()?.plain() else { return None };
    if !fields.iter().any(|field| field.name == FIELD) {
        return None;
    }
    let mut citable = Citable::default();
    for item in items.iter().filter(|item| !item.left_out()) {
        citable.add(&item.text);
        let Some(declared) = call.items.get(item.index) else { continue };
        let names = names(declared);
        match declared.value.as_str().filter(|text| has_places(declared, text)) {
            Some(whole) => {
                let shown = item.clipped.then_some(item.text.as_str());
                citable.add_document(Text { names: &names, whole, shown });
            }
            None => names.iter().for_each(|name| citable.add_name(name)),
        }
    }
    (!citable.is_empty()).then_some(citable)
}

/// Reports whether the text of an item has places that can be cited.
fn has_places(item: &DeclaredItem, text: &str) -> bool {
    let is_said = matches!(item.origin.trust, Trust::User | Trust::Model | Trust::Memory);
    item.fence.is_none() && (item.question.is_some() || !is_said && text.trim().contains('\n'))
}

/// Returns the names of an item: the paths of its sources, how the prompt names it, and its
/// references as they may be written without what asks for them.
fn names(item: &DeclaredItem) -> Vec<String> {
    let direct = item.origin.sources.iter().filter(|source| source.path.is_empty());
    let own = [&item.source].into_iter().chain(&item.label);
    let written: Vec<&str> =
        own.chain(direct.map(|source| &source.source)).map(String::as_str).collect();
    let paths = written.iter().filter_map(|name| {
        let innermost = Reference::parse(name).ok()?.innermost();
        Some(innermost.path().to_owned())
    });
    let bare = written
        .iter()
        .filter_map(|name| Some(name.strip_prefix('@')?.trim_start_matches(['!', '?'])));
    let bare = bare.flat_map(|name| [name, name.split('?').next().unwrap_or(name)]);
    let bare = bare.flat_map(|name| [name.to_owned(), format!("@{name}")]);
    paths.chain(written.iter().map(ToString::to_string)).chain(bare).collect()
}

/// Returns the citations of an answer that name nothing in the context.
pub(super) fn faults(citable: &Citable, value: &Value) -> Vec<FieldError> {
    let named = value.get(FIELD).and_then(Value::as_array).into_iter().flatten().enumerate();
    let texts = named.filter_map(|(at, one)| Some((at, one.as_str()?)));
    let wrong = texts.filter(|(_, text)| !citable.names(text));
    wrong
        .map(|(at, text)| FieldError {
            path: format!("{FIELD}[{at}]"),
            expected: match citable.example() {
                Some(example) => format!("a source in the context, such as `{example}`"),
                None => "a source in the context".to_owned(),
            },
            found: format!(
                "`{}`, which names nothing there",
                text.chars().take(200).collect::<String>()
            ),
        })
        .collect()
}
