//! Changes of the metadata of a context by merge patches (RFC 7396).

use super::conflict::Step;
use super::engine::Engine;
use super::ledger::{Ledger, Outcome, Row};
use super::{limit, read};
use contexture_context::json::kind;
use contexture_core::store::contexts::ContextError;
use serde_json::{Map, Value};

/// The field that stays as it is.
const USER: &str = "userId";

/// Returns the metadata after the steps, if they change it; that of a new context begins as `first`.
pub(super) fn after(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    row: &Row,
    first: Option<&Map<String, Value>>,
    steps: &[Step<'_>],
) -> Outcome<Option<String>> {
    let patches = steps.iter().enumerate();
    let patches = patches.filter_map(|(at, step)| {
        if let Step::Patch { patch } = step { Some((at, *patch)) } else { None }
    });
    let mut patches = patches.peekable();
    if first.is_none() && patches.peek().is_none() {
        return Ok(None);
    }
    let mut metadata = match first {
        Some(first) => first.clone(),
        None => read::metadata(ledger, row)?,
    };
    let user = metadata.get(USER).cloned();
    for (at, patch) in patches {
        merge(&mut metadata, patch);
        if metadata.get(USER) != user.as_ref() {
            let found = metadata.get(USER).map_or("nothing", kind);
            let expected = "the userId as it is: the user of a context is fixed";
            let error = ContextError::invalid("/metadata/userId", expected, found);
            return Err(error.of_operation(at));
        }
    }
    limit::metadata(engine, &metadata).map(Some)
}

/// Merges a patch into an object: null removes a field, and an object changes an object.
fn merge(target: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, value) in patch {
        match value {
            Value::Null => drop(target.remove(name)),
            Value::Object(inner) => {
                let place = target.entry(name.as_str()).or_insert(Value::Null);
                let mut merged = fields(place.take());
                merge(&mut merged, inner);
                *place = Value::Object(merged);
            }
            other => drop(target.insert(name.clone(), other.clone())),
        }
    }
}

/// Returns the fields of an object; anything else has none.
pub(super) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The examples of RFC 7396, appendix A, whose patch is an object.
    #[test]
    fn wa_7_merge_patch_follows_examples_of_its_rfc() {
        for (target, patch, expected) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {"b": "d", "c": null}}),
                json!({"a": {"b": "d"}}),
            ),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            let mut merged = fields(target.clone());
            merge(&mut merged, patch.as_object().unwrap());
            assert_eq!(Value::Object(merged), expected, "{target} {patch}");
        }
    }
}
