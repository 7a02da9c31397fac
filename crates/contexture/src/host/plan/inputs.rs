//! What a plan must not see: the items below the user, which it knows by name alone (GU-7).
//!
//! Decision: neither a word of the data nor its kind or size is told to the planner, so that two
//! runs that differ in data alone ask for the plan with the same bytes. The resources of one `use`
//! are one input, as their number is data too.

use crate::host::prompt::label_of_item;
use contexture_context::{Budget, DeclaredItem, Keep, Label, Position};
use contexture_reference::tool;
use contexture_script::host::GenerateCall;
use serde_json::{Value, json};

/// Data that a plan may name.
pub(super) struct Input {
    pub(super) id: String,
    pub(super) value: Value,
    pub(super) label: Label,
    pub(super) budget: Option<Budget>,
    pub(super) keep: Keep,
    place: (Option<Position>, Option<String>),
    /// The source of the value, for a list of several.
    source: String,
    is_list: bool,
}

/// Takes the items below the user out of a call; returns the inputs that they become, and the items.
pub(super) fn take(call: &mut GenerateCall) -> (Vec<Input>, Vec<DeclaredItem>) {
    let items = std::mem::take(&mut call.items);
    let (low, shown): (Vec<_>, Vec<_>) = items.into_iter().partition(is_data);
    call.items = shown;
    let mut inputs: Vec<Input> = Vec::new();
    for item in &low {
        let place = (item.position.clone(), item.label.clone());
        match inputs.iter_mut().find(|input| input.place == place) {
            Some(input) => input.add(item),
            None => {
                let id = free_id(item.label.as_deref(), &inputs);
                inputs.push(Input::of(id, place, item));
            }
        }
    }
    (inputs, low)
}

/// Reports whether a plan must not see an item: it is below the user, or tells what stands in data.
fn is_data(item: &DeclaredItem) -> bool {
    label_of_item(item).is_below_user() || item.source == tool::NAME
}

impl Input {
    fn of(id: String, place: (Option<Position>, Option<String>), item: &DeclaredItem) -> Self {
        Self {
            id,
            value: item.value.clone(),
            label: label_of_item(item),
            budget: item.budget,
            keep: item.keep,
            place,
            source: item.source.clone(),
            is_list: false,
        }
    }

    /// Adds another resource of the same `use`.
    fn add(&mut self, item: &DeclaredItem) {
        let part = |source: &str, value: Value| json!({ "source": source, "text": value });
        if !self.is_list {
            self.value = json!([part(&self.source, self.value.take())]);
            self.is_list = true;
        }
        if let Value::Array(all) = &mut self.value {
            all.push(part(&item.source, item.value.clone()));
        }
        self.label = std::mem::take(&mut self.label).join(&label_of_item(item));
    }
}

/// Returns the id of an input: the label that its program wrote, if paths can name it.
fn free_id(label: Option<&str>, taken: &[Input]) -> String {
    let sign = |sign: char| if sign.is_alphanumeric() { sign } else { '_' };
    let name: String = label.unwrap_or_default().chars().map(sign).collect();
    let name = match name.chars().next() {
        Some(first) if !first.is_ascii_digit() => name,
        _ => format!("data_{}", taken.len() + 1),
    };
    let is_free = |id: &String| taken.iter().all(|input| input.id != *id);
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
}
