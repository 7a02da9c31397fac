//! The citations of an answer: each names a place of what the model was shown (MA-9).
//!
//! Decision: a field `citations` of the shape is checked where sections of packs are in the prompt,
//! since they bear their citations there. What tools return is not known in advance: with tools
//! nothing is checked. The mock model cites nothing: its answers follow from the shape alone.

use contexture_answer::FieldError;
use contexture_context::ContextItem;
use contexture_knowledge::anchor::Citable;
use serde_json::Value;

/// The field that holds citations.
const FIELD: &str = "citations";

/// Returns the places that items show; `None` when there is nothing to cite.
pub(super) fn shown(items: &[ContextItem]) -> Option<Citable> {
    let mut citable = Citable::default();
    for item in items.iter().filter(|item| !item.left_out()) {
        citable.add(&item.text);
    }
    (!citable.is_empty()).then_some(citable)
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
