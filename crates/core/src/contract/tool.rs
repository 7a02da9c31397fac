//! The contract of [`Tool`].

use crate::tool::{Tool, ToolRequest};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checks a tool: its name and methods, and that no call panics or blocks for ever, whatever its
/// argument. Methods that change something are not called.
///
/// # Panics
/// At the first breach, with a sentence that names it.
pub async fn tool(tool: Arc<dyn Tool>) {
    named(&*tool);
    for method in tool.methods() {
        let name = method.name.as_str();
        assert!(method.parameters.is_object(), "`{name}`: its parameters are not a JSON Schema");
        let kind = method.parameters.get("type");
        assert!(
            kind.is_none_or(|kind| kind == "object"),
            "`{name}`: its parameters must be an object"
        );
        if !method.effect.changes() {
            for arguments in odd_arguments() {
                let request = ToolRequest { method: name, arguments: &arguments };
                // A failure is as good as a reply: neither may panic.
                if let Err(failure) = tool.call(request).await {
                    assert!(!failure.code.is_empty(), "`{name}`: a failure has no code");
                    assert!(!failure.message.contains('\n'), "`{name}`: a message has two lines");
                }
            }
        }
    }
    let arguments = Map::new();
    let unknown = ToolRequest { method: "no_such_method", arguments: &arguments };
    assert!(tool.call(unknown).await.is_err(), "an unknown method must be a failure");
}

fn named(tool: &dyn Tool) {
    let name = tool.name();
    let sign = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
    assert!(!name.is_empty() && name.chars().all(sign), "`{name}` cannot stand in a URI");
    let methods = tool.methods();
    assert!(!methods.is_empty(), "`{name}` has no methods");
    assert_eq!(tool.methods(), methods, "`{name}`: its methods differ between two calls");
    let names: BTreeSet<&str> = methods.iter().map(|method| method.name.as_str()).collect();
    assert_eq!(names.len(), methods.len(), "`{name}`: two methods have one name");
}

/// Returns arguments that may fit no method.
fn odd_arguments() -> Vec<Map<String, Value>> {
    let values = [json!({}), json!({ "": null }), json!({ "x": [1, { "y": "\u{0}" }] })];
    values.into_iter().filter_map(|value| value.as_object().cloned()).collect()
}
