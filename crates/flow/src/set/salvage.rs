//! Salvage of a set with faults of form: faulty parts are removed, so that the rest is checked in
//! the same pass (FL-6).

use super::Form;
use contexture_protocol::Violation;
use serde_json::{Map, Value, json};

/// Removes faulty parts; returns `None` if nothing of the set is left.
pub(super) fn salvage(
    document: &mut Value,
    violations: &[Violation],
    form: &mut Form,
) -> Option<()> {
    for violation in violations {
        let way: Vec<String> = violation.pointer.split('/').skip(1).map(unescaped).collect();
        let way: Vec<&str> = way.iter().map(String::as_str).collect();
        let (within, way) = match way.as_slice() {
            ["content", rest @ ..] if document.get("type").is_some() => {
                (document.get_mut("content")?, rest)
            }
            rest => (&mut *document, rest),
        };
        match way {
            [list @ ("instructions" | "calls" | "toolCalls"), index, rest @ ..] => {
                let number: usize = index.parse().ok()?;
                let step = within.get_mut(list)?.get_mut(number)?;
                take_out(step, *list == "instructions", number, rest, form);
            }
            ["instructions" | "calls" | "toolCalls"] | [] => return None,
            [field, ..] => {
                within.as_object_mut()?.remove(*field)?;
            }
        }
    }
    Some(())
}

fn take_out(step: &mut Value, is_instruction: bool, number: usize, way: &[&str], form: &mut Form) {
    let (id_field, action_field) =
        if is_instruction { ("instructionId", "action") } else { ("callId", "name") };
    // No step can name this one: it replaces one whose name can't be read.
    let id = || json!(format!("<{number}>"));
    let Value::Object(map) = step else {
        form.is_nameless = true;
        *step = json!({id_field: id(), action_field: "", "parameters": {}});
        return;
    };
    match way {
        [field, ..] if *field == id_field => {
            form.is_nameless = true;
            map.insert((*field).to_owned(), id());
        }
        [field, ..] if *field == action_field => {
            map.insert((*field).to_owned(), json!(""));
        }
        ["parameters", ..] => {
            map.insert("parameters".to_owned(), Value::Object(Map::new()));
        }
        [field @ ("dependencies" | "requiredAfter"), rest @ ..] => {
            form.is_vague = true;
            leave_strings(map, field, rest);
        }
        ["alternative" | "fallbackBehavior", ..] => {
            map.remove("alternative");
            map.remove("fallbackBehavior");
        }
        [field, ..] => {
            form.is_sideless |= *field == "runtime";
            map.remove(*field);
        }
        [] => {}
    }
}

/// Empties the faulty places of a list, or removes it if it is not a list.
fn leave_strings(map: &mut Map<String, Value>, field: &str, way: &[&str]) {
    let at = way.first().and_then(|index| index.parse::<usize>().ok());
    match (at, map.get_mut(field)) {
        (Some(at), Some(Value::Array(list))) => {
            if let Some(slot) = list.get_mut(at) {
                *slot = Value::Null;
            }
        }
        _ => {
            map.remove(field);
        }
    }
}

/// Removes the places that [`leave_strings`] emptied; only at the end, as their indexes change.
pub(super) fn remove_emptied(document: &mut Value) {
    let content =
        if document.get("type").is_some() { document.get_mut("content") } else { Some(document) };
    let Some(Value::Object(content)) = content else { return };
    for (list, field) in [
        ("instructions", "dependencies"),
        ("calls", "requiredAfter"),
        ("toolCalls", "requiredAfter"),
    ] {
        let steps = content.get_mut(list).and_then(Value::as_array_mut);
        for step in steps.into_iter().flatten() {
            if let Some(Value::Array(names)) = step.get_mut(field) {
                names.retain(|name| !name.is_null());
            }
        }
    }
}

fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}
