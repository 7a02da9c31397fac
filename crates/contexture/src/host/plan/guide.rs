//! What a model is told that makes a plan: the form of a plan, the actions, and the names of the
//! data.

use super::inputs::Input;
use super::written::ANSWER;
use crate::host::callable::Callable;
use contexture_answer::Shape;
use contexture_context::fence::escape_layout;
use contexture_context::{DeclaredItem, Keep, Label};
use contexture_script::host::GenerateCall;
use std::fmt::Write as _;

/// Returns the call that asks for the plan: what it may see of `call`, and how a plan is written.
pub(super) fn call_for_plan(
    call: &GenerateCall,
    callables: &[(String, Callable)],
    inputs: &[Input],
    shape: Shape,
) -> GenerateCall {
    let mut asking = call.clone();
    asking.items.push(DeclaredItem {
        label: Some("plan".to_owned()),
        source: "plan".to_owned(),
        position: Some(call.site.position.clone()),
        value: text(call, callables, inputs).into(),
        budget: None,
        keep: Keep::Head,
        priority: i64::MAX,
        question: None,
        origin: Label::default(),
        fence: None,
    });
    asking.shape = Some(shape);
    asking
}

fn text(call: &GenerateCall, callables: &[(String, Callable)], inputs: &[Input]) -> String {
    let mut actions = String::new();
    for (name, callable) in callables {
        let function = &callable.definition.function;
        let about = function.description.as_deref().unwrap_or_default();
        let schema = function.parameters.as_ref().map(ToString::to_string).unwrap_or_default();
        // Writing to a string can't fail.
        let _ = writeln!(actions, "- {name}: {about} Parameters: {schema}");
    }
    let shape = match &call.shape {
        Some(shape) => format!(", in this shape: {shape}"),
        None => ", a text".to_owned(),
    };
    let ids: Vec<String> = inputs.iter().map(|input| format!("- {}", input.id)).collect();
    let inputs = match ids.is_empty() {
        true => "There are no inputs.".to_owned(),
        false => format!("Inputs, by their ids:\n{}", ids.join("\n")),
    };
    let parts = [("{actions}", escape_layout(actions.trim_end())), ("{shape}", shape.into())];
    let mut text = include_str!("guide.md").trim_end().replace("{inputs}", &inputs);
    for (slot, part) in parts {
        text = text.replacen(slot, &part, 1);
    }
    debug_assert!(text.contains(ANSWER));
    text
}
